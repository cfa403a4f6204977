"""One interactive lesson: read by sections, see the template, fill the blank, run, explain, score. Resumes where it stopped."""

from __future__ import annotations

import re
import time
from typing import Any

from rich.markdown import Markdown
from rich.rule import Rule
from rich.syntax import Syntax

from course_cli.commands.run import exit_code, grade_and_record, prestart, show_card
from course_cli.context import settings
from course_cli.i18n import lang, say, t
from course_cli.mermaid import draw_diagrams
from course_cli.store import Store
from course_cli.workspace import ANSWERS, save_answer, write_start
from graders.answers import Section, parse
from graders.executors.pick import Backend
from graders.lesson import Lesson
from graders.scorecard import ScoreCard
from graders.submission import Submission, read_answers

_SECTION = re.compile(r"^## ", re.MULTILINE)


class Session:
    """The state of one sitting; every step is saved before the next is asked for."""

    def __init__(self, lesson: Lesson, backend: Backend) -> None:
        self.lesson = lesson
        self.backend = backend
        self.store = Store()
        self.console = settings.console
        self.folder = self.store.work_folder(lesson.id)
        self.began = time.monotonic()
        self.executor: Any = None

    def run(self) -> int:
        """The whole lesson; returns the exit code of the last score."""
        write_start(self.lesson, self.folder, lang())
        self.store.save(self.lesson.id)
        self.executor = prestart(self.lesson.id, self.backend)
        try:
            self.read()
            card = self.fill()
            self.explain()
            card = self.grade(self.store.progress(self.lesson.id).fill)
            show_card(self.lesson, card, cases=False)
            self.after(card)
            return exit_code(card)
        finally:
            spent = self.store.progress(self.lesson.id).seconds + time.monotonic() - self.began
            self.store.save(self.lesson.id, seconds=spent)

    def read(self) -> None:
        """The text by sections; Enter goes on, `s` skips to the exercise."""
        sections = split_sections(self.lesson.text(lang()))
        at = self.store.progress(self.lesson.id).section
        if 0 < at < len(sections):
            self.console.print(
                say("(back to section {n} of {m})", "（回到第 {n}/{m} 节）", n=at + 1, m=len(sections)), style="quiet"
            )
        while at < len(sections):
            self.console.print(Markdown(draw_diagrams(sections[at], self.console.width)))
            at += 1
            self.store.save(self.lesson.id, section=at)
            if at < len(sections):
                reply = self.ask(
                    say(
                        "[Enter] next ({n}/{m})   [s] to the exercise",
                        "[回车] 下一节（{n}/{m}）   [s] 直接做练习",
                        n=at,
                        m=len(sections),
                    )
                )
                if reply.lower() == "s":
                    self.store.save(self.lesson.id, section=len(sections))
                    return

    def fill(self) -> ScoreCard:
        """Ask for the blank until the cases pass, or the learner goes on without."""
        self.show_template()
        while True:
            known = self.store.progress(self.lesson.id).fill
            prompt = say("your blank", "填入") + (f" [{known}]" if known else "") + " > "
            typed = self.ask(prompt) or known
            if not typed:
                continue
            if typed in (":hint", ":h"):
                from course_cli.commands.run import show_hint

                show_hint(self.lesson.id, None, yes=False)
                continue
            self.store.save(self.lesson.id, fill=typed)
            card = self.grade(typed)
            self.show_cases(card)
            if card.conditions["checks"]:
                return card
            reply = self.ask(
                say("[Enter] try again   [:hint] a hint   [g] go on anyway", "[回车] 再试   [:hint] 提示   [g] 先继续")
            )
            if reply.lower() == "g":
                return card
            if reply in (":hint", ":h"):
                from course_cli.commands.run import show_hint

                show_hint(self.lesson.id, None, yes=False)

    def grade(self, fill: str) -> ScoreCard:
        """Grade the fill with the answers as they stand in answers.md."""
        path = self.folder / ANSWERS
        answers = read_answers(path) if path.is_file() else parse("")
        independent = self.store.progress(self.lesson.id).hint < 4
        handed_in = Submission(fill=fill, answers=answers, independent=independent)
        return grade_and_record(self.lesson, handed_in, self.backend, self.executor, progress=True)

    def show_template(self) -> None:
        language = "python" if self.lesson.spec.language == "triton" else "cuda"
        self.console.print(Rule(say("the exercise", "练习")))
        self.console.print(Syntax(self.lesson.template, language, line_numbers=True, theme="ansi_dark", word_wrap=True))

    def show_cases(self, card: ScoreCard) -> None:
        from course_cli import views

        if card.refused is not None:
            place = say("line {l}, column {c}", "第 {l} 行第 {c} 列", l=card.refused.line, c=card.refused.column)
            self.console.print(f"✗ {place}: {t(card.refused.reason)}", style="bad", markup=False)
            return
        told = False
        for case in card.cases:
            failing = case.outcome in ("fail", "error", "timeout")
            self.console.print(views.failure(case) if failing and not told else views.case_line(case))
            told = told or failing

    def explain(self) -> None:
        """The questions, one after the other; each answer is saved as soon as it is given."""
        path = self.folder / ANSWERS
        have = read_answers(path) if path.is_file() else parse("")
        asked: list[tuple[Section, str]] = [(q.id, t(q.prompt.text)) for q in self.lesson.spec.questions]
        asked.append(
            (
                "boundary",
                say("Name one input on which a careless kernel goes wrong.", "举出一个粗心的 kernel 会出错的输入。"),
            )
        )
        asked.append(
            ("tradeoff", say("Name one performance trade-off of this kernel.", "说出此 kernel 的一个性能取舍。"))
        )
        for section, prompt in asked:
            if have.get(section):
                continue
            self.console.print(Rule(section))
            self.console.print(prompt, markup=False)
            self.console.print(
                say("(several lines; an empty line ends it; just Enter skips)", "（可多行；空行结束；直接回车跳过）"),
                style="quiet",
            )
            text = self.ask_lines()
            if text:
                save_answer(path, self.lesson, section, text, lang())

    def after(self, card: ScoreCard) -> None:
        """What comes next; the reference answers only after passing."""
        solution = self.lesson.solution()
        if card.passed and solution is not None:
            self.console.print(Rule(say("reference explanation", "参考解释")))
            self.console.print(t(solution.reference.impl.text), markup=False)
        self.console.print(say("your files: {p}", "你的文件：{p}", p=self.folder), style="quiet")
        self.console.print(f"[accent]→ course {'next' if card.passed else 'run ' + self.lesson.id}[/]")

    def ask(self, prompt: str) -> str:
        """One line from the terminal; the end of input ends the lesson, everything so far is saved."""
        try:
            return input(prompt).strip()
        except EOFError:
            raise KeyboardInterrupt from None

    def ask_lines(self) -> str:
        lines: list[str] = []
        while True:
            line = self.ask("> " if not lines else "… ")
            if not line:
                return "\n".join(lines)
            lines.append(line)


def split_sections(markdown: str) -> list[str]:
    """The text cut at its second-level headings; what stands before the first is a section of its own."""
    places = [m.start() for m in _SECTION.finditer(markdown)]
    if not places or places[0] != 0:
        places.insert(0, 0)
    pieces = [markdown[a:b].strip() for a, b in zip(places, [*places[1:], len(markdown)], strict=True)]
    return [p for p in pieces if p]


def interactive(lesson: Lesson, backend: Backend) -> int:
    """Run a lesson with a person at the terminal."""
    return Session(lesson, backend).run()
