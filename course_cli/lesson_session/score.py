"""The score card, what would raise it, the reference explanation after passing, the next lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.console import RenderableType
from rich.text import Text as Styled

from course_cli import editor, views
from course_cli.commands.run import keep_score
from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.lesson_session.questions import ASKED, ask_all
from course_cli.pager import show_pages
from graders.answers import TITLES, Section

if TYPE_CHECKING:
    from course_cli.lesson_session.session import Session

Wish = Literal["done", "blank", "questions"]
COMPILE_PATIENCE_S = 20.0
_PARTS: tuple[Section, ...] = ("impl", "q1", "q2", "q3", "boundary", "tradeoff")


class ScoreStep:
    """Shows the card and asks what comes next."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.console = session.console

    def run(self) -> Wish:
        session = self.session
        session.need_card()
        if session.compiling.running:
            with self.console.status(say("compiling for GPU targets", "正在为 GPU 目标编译")):
                session.compiling.wait(COMPILE_PATIENCE_S)
        session.tell_compiled()
        card = session.regrade()
        assert card is not None
        keep_score(card)
        self.console.print()
        self.console.print(views.heading(say("score", "得分")))
        self.console.print(views.score_card(card, session.lesson.spec.title.text))
        self._next(bool(card.passed))
        return self._ask(bool(card.passed))

    def _reference(self) -> None:
        """How the course itself would explain it: shown only to a learner who has passed."""
        solution = self.session.lesson.solution()
        if solution is None:
            words = say("reference explanation: ask your instructor", "参考解释：请询问教师")
            self.console.print(Styled(words, style="quiet"))
            return
        parts: list[RenderableType] = [Styled(), views.heading(say("reference explanation", "参考解释"))]
        for section in _PARTS:
            parts.append(Styled(t(TITLES[section]), style="head"))
            parts += [Styled(t(getattr(solution.reference, section).text)), Styled()]
        show_pages(self.console, *parts)

    def _next(self, passed: bool) -> None:
        session = self.session
        words = say("your files: {p}", "你的文件：{p}", p=session.keeper.folder)
        self.console.print(Styled(words, style="quiet"))
        if not passed:
            return
        todo = [e for e in settings.course.entries() if session.keeper.store.progress(e.id).passed is None]
        if todo:
            words = say("next lesson: {t}", "下一课：{t}", t=f"{todo[0].id} · {t(todo[0].title)}")
            self.console.print(views.hanging("next", words))
            self.console.print(Styled(f"  course run {todo[0].id}", style="accent"))
        else:
            self.console.print(views.hanging("pass", say("every lesson is passed", "所有课程均已通过")))

    def _ask(self, passed: bool) -> Wish:
        """Enter ends; a section's name asks it again; `blank` goes back to the exercise; `ref` shows the reference."""
        names = " ".join(ASKED)
        ask = say("Enter: done   improve: blank {n}", "回车：结束   修改：blank {n}", n=names)
        if passed:
            ask += say("   ref: the reference explanation", "   ref：参考解释")
        while True:
            self.console.print(Styled(ask, style="quiet"))
            try:
                words = ("blank", *ASKED, *(("ref",) if passed else ()))
                reply = editor.ask(editor.Question(prompt="> ", words=words)).lower().lstrip(":")
            except editor.Left:
                return "done"
            if reply in ("", "q", "quit", "done"):
                return "done"
            if reply == "blank":
                return "blank"
            if reply == "ref" and passed:
                self._reference()
                continue
            chosen = tuple(s for s in ASKED if s in reply.replace(",", " ").split())
            if chosen:
                ended = ask_all(self.session, chosen, again=True)
                return "done" if ended == "stop" else ("blank" if ended == "blank" else "questions")
