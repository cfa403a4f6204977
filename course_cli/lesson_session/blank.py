"""The exercise: the template with its blank marked, the fill typed inline or in the learner's own file, the verdict drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.syntax import Syntax
from rich.text import Text as Styled

from course_cli import editor, views
from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.pager import show_pages
from course_cli.theme import code_theme
from graders.blank import Refused, check_fill, find_blank
from graders.errors import CourseError
from graders.grade import blank_rules

if TYPE_CHECKING:
    from course_cli.lesson_session.session import Session

COMMANDS = (":hint", ":code", ":text", ":edit", ":cases", ":next", ":help", ":quit")


class BlankStep:
    """Asks for the blank until the cases pass or the learner goes on without."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.console = session.console
        self.lesson = session.lesson
        self.history: list[str] = []

    def run(self) -> bool:
        """True when the learner goes on to the questions, False when the lesson is left."""
        session = self.session
        show_template(session)
        while True:
            held = self._file()
            try:
                typed = self._ask(held)
            except editor.Left:
                return False
            if typed.startswith(":"):
                done = self._command(typed)
                if done is not None:
                    return done
                continue
            if not typed and session.passes() and session.card_fill == held:
                return True
            fill = typed or held
            if not fill:
                self.console.print(say("Type an expression, or :help.", "请输入一个表达式，或输入 :help。"))
                continue
            if self._passes_the_gate(fill):
                if typed:
                    self._keep(typed, held)
                session.keeper.save(fill=fill)
            session.keeper.drafts.drop("fill")
            self.history = [*[h for h in self.history if h != fill], fill]
            session.run_fill(fill)

    def _ask(self, held: str) -> str:
        session = self.session
        session.tell_compiled()
        name = session.code.path.name
        spec = self.lesson.spec.blank
        right = session.passes() and session.card_fill == held
        if right:
            words = say("Enter goes on to the questions.", "回车进入问题部分。")
            self.console.print(views.hanging("next", words))
        elif held:
            words = say("{f} holds  {x}", "{f} 中是  {x}", f=name, x=" ".join(held.split()))
            self.console.print(Styled(words, style="quiet"))

        def toolbar() -> str:
            problem = session.keeper.drafts.problem
            if problem is not None:
                return say("not saved: {p}", "未保存：{p}", p=t(problem))
            if right:
                enter = say("Enter: questions", "回车：答题")
            elif held:
                enter = say("Enter: run {f}", "回车：运行 {f}", f=name)
            else:
                enter = say("Enter: run", "回车：运行")
            rest = say("Tab: complete  :hint  :next  :help", "Tab：补全  :hint 提示  :next 答题  :help 帮助")
            return f"{enter}  {rest}"

        return editor.ask(
            editor.Question(
                prompt=say("blank", "填空") + " > ",
                language=self.lesson.spec.language,
                default=session.keeper.drafts.get("fill"),
                words=sorted({*spec.names, *spec.calls, *spec.attributes}),
                commands=COMMANDS,
                history=self.history,
                toolbar=toolbar,
                changed=lambda text: session.keeper.drafts.change("fill", "" if text.startswith(":") else text),
            )
        )

    def _file(self) -> str:
        """The blank as the learner's file holds it; a change made outside is told, a file that does not fit too."""
        session = self.session
        state = session.code.read()
        if state.problem is not None:
            words = say(
                "{f} does not fit the template: {w}", "{f} 与模板不符：{w}", f=session.code.path, w=t(state.problem)
            )
            self.console.print(views.hanging("warn", words))
            return session.keeper.progress.fill
        fill = state.fill or ""
        seen = session.keeper.progress.seen
        if fill and fill != seen:
            if seen:
                self.console.print(
                    say("The blank was changed in {f}.", "{f} 中的填空已被修改。", f=session.code.path.name),
                    style="quiet",
                )
            session.keeper.save(seen=fill)
        return fill

    def _passes_the_gate(self, fill: str) -> bool:
        """Whether the blank is an expression of the allowed kind: only such a one goes into the learner's file."""
        try:
            check_fill(fill, self.lesson.template, blank_rules(self.lesson))
        except Refused:
            return False
        return True

    def _keep(self, typed: str, held: str) -> None:
        """Put what was typed into the learner's file; keep both where the file changed in the meantime."""
        session = self.session
        try:
            done, kept = session.code.put(typed, held or None)
        except CourseError as problem:
            self.console.print(views.hanging("warn", t(problem.text)))
            return
        if kept is not None:
            words = say(
                "your file had changed meanwhile; the other version is kept: {p}",
                "文件在此期间有改动；另一个版本已保留：{p}",
                p=kept,
            )
            self.console.print(views.hanging("warn", words))
        if done:
            session.keeper.save(seen=typed)

    def _command(self, typed: str) -> bool | None:
        """Do what a `:command` says; True to go on, False to leave, None to ask again."""
        session = self.session
        name = typed.split()[0]
        if name in (":next", ":n"):
            if session.card is None and session.keeper.progress.fill:
                session.run_fill(session.keeper.progress.fill)
            return True
        if name in (":quit", ":q"):
            return False
        if name in (":hint", ":h"):
            session.hint()
        elif name == ":code":
            show_template(session, whole=True)
        elif name == ":text":
            session.read_again()
        elif name == ":edit":
            self._edit(session.code.path)
        elif name == ":cases":
            session.show_every_case()
        else:
            for line in help_lines():
                self.console.print(line, markup=False)
        return None

    def _edit(self, path: Path) -> None:
        try:
            editor.edit_file(path)
        except CourseError as problem:
            self.console.print(views.hanging("warn", t(problem.text)))


def _around(lines: list[str], blank: int, width: int, room: int) -> tuple[int, int]:
    """The first and last line of a part around the blank that takes at most `room` lines of the screen."""

    def rows(first: int, last: int) -> int:
        return sum(max(1, -(-len(line) // max(width, 20))) for line in lines[first - 1 : last])

    first = last = blank
    while True:
        wider = max(1, first - 1), min(len(lines), last + 1)
        if wider == (first, last) or rows(*wider) > room:
            return first, last
        first, last = wider


def help_lines() -> list[str]:
    """What can be typed at the blank."""
    rows = [
        (":hint", say("the next of four hints (recorded)", "下一级提示，共四级（会记录）")),
        (":code", say("the whole template", "查看整个模板")),
        (":text", say("the lesson's text again", "重读课文")),
        (":edit", say("open your file in $EDITOR", "用 $EDITOR 打开你的文件")),
        (":cases", say("every case of the last run on its own line", "逐行列出上次运行的每个用例")),
        (":next", say("go on to the questions, even if cases still fail", "先去答题（即使用例还没全过）")),
        (":quit", say("stop here; everything is saved", "到此为止；一切都已保存")),
        ("Ctrl-X Ctrl-E", say("edit this line in $EDITOR", "在 $EDITOR 中编辑这一行")),
        ("Alt-Enter", say("a line break", "换行")),
    ]
    wide = max(len(a) for a, _ in rows)
    return [f"  {a:{wide}}  {b}" for a, b in rows]


def show_template(session: Session, whole: bool = False) -> None:
    """The template with its blank marked; around the blank only, where the whole does not fit on the screen."""
    lesson, console = session.lesson, session.console
    place = find_blank(lesson.template, lesson.spec.language)
    lines = lesson.template.rstrip("\n").split("\n")
    console.print(views.heading(say("the exercise", "练习")))
    if settings.plain:
        whole_lines = lines if whole else lines[max(0, place.line - 6) : place.line + 4]
        console.print(
            say(
                "The blank ______ is on line {n} of {f}:",
                "空白 ______ 在 {f} 的第 {n} 行：",
                n=place.line,
                f=lesson.spec.template,
            )
        )
        console.print("\n".join(whole_lines), markup=False, highlight=False)
        return
    first, last = 1, len(lines)
    if not whole and len(lines) > console.height - 6:
        first, last = _around(lines, place.line, console.width - 8, console.height - 9)
    code = Syntax(
        lesson.template,
        "python" if lesson.spec.language == "triton" else "cuda",
        line_numbers=True,
        line_range=(first, last),
        highlight_lines={place.line},
        theme=code_theme(),
        word_wrap=True,
    )
    code.stylize_range("black on cyan", (place.line, place.column - 1), (place.line, place.column + 5))
    show_pages(console, code)
    words = say(
        "line {n}: fill the six underscores with one expression", "第 {n} 行：用一个表达式填满六个下划线", n=place.line
    )
    console.print(views.hanging("next", words))
    if (first, last) != (1, len(lines)):
        more = say(
            ":code shows all {m} lines, :help what else can be typed",
            ":code 显示全部 {m} 行，:help 列出其他可输入的内容",
            m=len(lines),
        )
    else:
        more = say(":help lists what else can be typed", ":help 列出其他可输入的内容")
    console.print(Styled(more, style="quiet"))
