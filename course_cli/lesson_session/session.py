"""The steps of one sitting: read, fill, answer, score. Each step is stored before the next is asked for."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import lang, say, t
from course_cli.lesson_session.background import CompileBehind, Loader
from course_cli.lesson_session.keeper import Keeper
from course_cli.lesson_session.reading import Reader
from course_cli.store import Stage, Store
from graders.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from course_cli.workspace import CodeFile
    from graders.executors.pick import Backend
    from graders.grade import Options
    from graders.lesson import Lesson
    from graders.scorecard import ScoreCard
    from graders.submission import Submission


class Session:
    """One learner at one terminal with one lesson."""

    def __init__(self, lesson_id: str, backend: Backend) -> None:
        self.lesson_id = lesson_id
        self.backend: Backend = backend
        self.console = settings.console
        self.keeper = Keeper(Store(), lesson_id)
        self.loader = Loader(lesson_id, backend)
        self.compiling = CompileBehind()
        self.card: ScoreCard | None = None
        self.card_fill = ""
        self.blank_fails_on_gpu = False
        self._code: CodeFile | None = None

    @property
    def lesson(self) -> Lesson:
        return self.loader.lesson

    @property
    def code(self) -> CodeFile:
        """The learner's template; written where it is not there yet."""
        if self._code is None:
            from course_cli.workspace import CodeFile, write_start

            write_start(self.lesson, self.keeper.folder, lang())
            self._code = CodeFile(self.lesson, self.keeper.folder)
        return self._code

    def run(self) -> int:
        """The whole lesson from where it stopped; returns the exit code of the contract."""
        self.keeper.save()
        with self.keeper.safe():
            try:
                return self._steps()
            except KeyboardInterrupt:
                self.console.print()
                self._stopped()
                return EXIT_INTERRUPTED

    def _steps(self) -> int:
        stage: Stage = self.keeper.progress.stage
        if stage == "read":
            if self._read() == "stop":
                return self._stopped()
            stage = self._to("fill")
        else:
            self.loader.start()
            self._where(stage)
        from course_cli.lesson_session.blank import BlankStep
        from course_cli.lesson_session.questions import ask_all

        while True:
            if stage == "fill":
                if not BlankStep(self).run():
                    return self._stopped()
                stage = self._to("questions")
            if stage == "questions":
                self.need_card()
                ended = ask_all(self)
                if ended == "stop":
                    return self._stopped()
                if ended == "blank":
                    stage = self._to("fill")
                    continue
                stage = self._to("card")
            from course_cli.lesson_session.score import ScoreStep

            wish = ScoreStep(self).run()
            if wish == "blank":
                stage = self._to("fill")
                continue
            if wish == "questions":
                continue
            from course_cli.commands.run import exit_code

            assert self.card is not None
            return exit_code(self.card)

    def _to(self, stage: Stage) -> Stage:
        self.keeper.save(stage=stage)
        return stage

    def _stopped(self) -> int:
        """Tell where it goes on; leaving is no failure."""
        self.keeper.drafts.flush()
        problem = self.keeper.drafts.problem
        if problem is not None:
            print("course: " + say("not saved: {p}", "未保存：{p}", p=t(problem)), file=sys.stderr)
        self.console.print(
            say("Saved. Go on with:", "已保存。继续学习：") + f"  course run {self.lesson_id}",
            markup=False,
            style="accent",
        )
        return 0

    # --- reading --------------------------------------------------------------------------------------------------

    def _read(self) -> str:
        text = settings.course.text(self.lesson_id, lang())
        reader = Reader(self.console, text, self.keeper.progress.section, lambda place: self.keeper.save(section=place))
        return reader.run(first_shown=self.loader.start)

    def read_again(self) -> None:
        """The text from its contents, without losing the step."""
        text = settings.course.text(self.lesson_id, lang())
        Reader(self.console, text, 0, lambda place: None).run()

    def _where(self, stage: str) -> None:
        """One line for a learner who comes back."""
        entry = settings.course.entry(self.lesson_id)
        self.console.print(Styled(f"{entry.id} · {t(entry.title)}", style="head"))
        steps = [
            ("read", say("text", "课文")),
            ("fill", say("blank", "填空")),
            ("questions", say("questions", "问题")),
            ("card", say("score", "得分")),
        ]
        names = [name for name, _ in steps]
        line = Styled()
        for name, words in steps:
            if names.index(name) < names.index(stage):
                line.append(
                    f"{words} ✓   " if not settings.plain else say("{w} done. ", "{w}已完成。", w=words), style="quiet"
                )
            elif name == stage:
                line.append(
                    f"{words} ←   " if not settings.plain else say("now: {w}. ", "现在：{w}。", w=words), style="accent"
                )
            else:
                line.append(f"{words}   ", style="quiet")
        self.console.print(line)

    # --- running --------------------------------------------------------------------------------------------------

    def options(self) -> Options:
        from graders.grade import Options

        course = settings.course
        return Options(
            backend=self.backend,
            grader_seed=course.grader_seed(),
            rubric=course.rubric(),
            compile_targets=False,
            executor=self.loader.executor,
        )

    def submission(self, fill: str) -> Submission:
        """What is handed in now: the blank, answers.md as it stands, the receipts of earlier runs."""
        from course_cli.lesson_session.questions import current_answers
        from course_cli.records import with_receipts, with_verified
        from graders.submission import Submission

        handed_in = Submission(fill=fill, answers=current_answers(self), independent=self.keeper.progress.hint < 4)
        handed_in = with_receipts(self.keeper.store, handed_in, self.lesson_id)
        return with_verified(self.lesson, handed_in, None)

    def run_fill(self, fill: str, quiet: bool = False) -> None:
        """Run every case of a fill, show what came of it, remember it."""
        from course_cli import views
        from course_cli.commands.run import remember
        from course_cli.progress import watching
        from graders.grade import grade

        self.blank_fails_on_gpu = False
        handed_in, started = self.submission(fill), time.time()
        with watching(self.console, enabled=self.console.is_terminal, lines=not quiet) as watch:
            card = grade(handed_in, self.lesson, self.options(), watch)
        self.card, self.card_fill = card, fill
        remember(card, self.lesson, handed_in, started)
        if card.refused is not None:
            self.console.print(views.refusal(card.refused, fill))
            return
        if self.passes():
            self.compiling.start(fill, self.lesson, self.options())
        if not quiet:
            from course_cli.lesson_session.verdict import show_verdict

            show_verdict(self, card)

    def passes(self) -> bool:
        """Whether every case of the last run passed (or nothing here can run them)."""
        return self.card is not None and self.card.conditions["checks"] is not False and self.card.refused is None

    def need_card(self) -> None:
        """Run the blank again where this sitting has not run it; what the learner's file holds by now counts."""
        fill = self.keeper.progress.fill
        held = self.code.read().fill
        if held and held != fill:
            words = say("The blank was changed in {f}.", "{f} 中的填空已被修改。", f=self.code.path.name)
            self.console.print(words, style="quiet", markup=False)
            fill = held
            self.keeper.save(fill=held, seen=held)
        if self.card is None or self.card_fill != fill:
            self.run_fill(fill, quiet=True)

    def regrade(self) -> ScoreCard | None:
        """The card with the answers as they stand now; nothing runs again."""
        from graders.grade import regrade

        if self.card is None:
            return None
        self.card = regrade(
            self.card, self.submission(self.card_fill), self.lesson, self.options(), self.compiling.report()
        )
        return self.card

    def tell_compiled(self) -> None:
        """Say once what the GPU compiler made of the blank, when its report has arrived."""
        report = self.compiling.news()
        if report is None or self.card is None:
            return
        from course_cli import views

        if report.findings:
            card = self.regrade()
            assert card is not None
            self.blank_fails_on_gpu = True
            words = say("the GPU compiler refuses your blank:", "GPU 编译器不接受你的填空：")
            self.console.print(views.hanging("fail", Styled(f"{words} {t(report.findings[0].text)}", style="bad")))
        elif report.compiled:
            words = say("compiled for {c} as well", "也已为 {c} 编译", c=" ".join(report.compiled))
            self.console.print(views.hanging("pass", words))

    def show_every_case(self) -> None:
        from course_cli import views

        if self.card is None:
            self.console.print(say("nothing was run yet", "还没有运行过"))
        else:
            from course_cli.pager import show_pages

            show_pages(self.console, views.case_list(self.card.cases))

    def hint(self) -> None:
        from course_cli.commands.run import show_hint

        show_hint(self.lesson_id, None, yes=False)


def interactive(lesson_id: str, backend: Backend) -> int:
    """Run a lesson with a person at the terminal."""
    return Session(lesson_id, backend).run()
