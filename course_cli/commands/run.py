"""`course run`, `try`, `hint`, `reset`: what is said and asked around the pipeline."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_cli.context import settings
from course_cli.i18n import lang, say, t
from course_cli.store import Store
from graders.errors import EXIT_BAD_INPUT, EXIT_ENVIRONMENT, EXIT_NOT_PASSED, EXIT_PASSED, BadInput, EnvironmentProblem
from graders.text import Text

if TYPE_CHECKING:
    from graders.executors.pick import Backend
    from graders.lesson import Lesson
    from graders.scorecard import ScoreCard


def run_lesson(name: str, fill: str | None, answers: Path | None, backend: Backend, *, ask: bool, as_json: bool) -> int:
    """The `run` command; returns the exit code."""
    course = settings.course
    lesson_id = course.find(name)
    if fill is None and ask and sys.stdin.isatty() and sys.stdout.isatty():
        from course_cli.lesson_session import interactive

        return interactive(lesson_id, backend)
    if fill is None:
        raise BadInput(
            Text(
                "there is no terminal to ask in: give --fill, such as --fill 0.0",
                "没有可交互的终端：请给出 --fill，例如 --fill 0.0",
            )
        )
    executor = prestart(lesson_id, backend)
    lesson = course.lesson(lesson_id)
    from graders.submission import Submission, read_answers

    handed_in = Submission(fill=fill)
    if answers is not None:
        handed_in = replace(handed_in, answers=read_answers(answers))
    card = grade_and_record(lesson, handed_in, backend, executor, progress=not as_json)
    if as_json:
        from graders.reports.json_report import as_dict, dumps

        print(dumps(as_dict(card, lang())))
    else:
        show_card(lesson, card, cases=False)
    return exit_code(card)


def prestart(lesson_id: str, backend: Backend) -> Any:
    """Let a worker load its libraries while this process reads the lesson; None where nothing can run."""
    from graders.executors.pick import pick

    language = settings.course.entry(lesson_id).language
    if language not in ("triton", "cuda"):
        return None
    choice = pick("cuda" if language == "cuda" else "triton", backend)
    if choice.executor is not None:
        choice.executor.prestart()
    return choice.executor


def grade_and_record(lesson: Lesson, handed_in: Any, backend: Backend, executor: Any, *, progress: bool) -> ScoreCard:
    """Grade, with the cases as they come and a bar on a terminal, and remember the run."""
    import time

    from course_cli.progress import watching
    from course_cli.records import with_receipts, with_verified
    from graders.grade import Options, grade

    course, started = settings.course, time.time()
    handed_in = with_verified(lesson, with_receipts(Store(), handed_in, lesson.id), None)
    options = Options(
        backend=backend,
        grader_seed=course.grader_seed(),
        rubric=course.rubric(),
        executor=executor,
        sanitize=settings.sanitize,
    )
    with watching(settings.console, enabled=progress and sys.stdout.isatty(), lines=progress) as watch:
        card = grade(handed_in, lesson, options, watch)
    remember(card, lesson, handed_in, started)
    if progress:
        from course_cli.pictures import draw_first
        from course_cli.views import refusal

        if card.refused is not None:
            settings.console.print(refusal(card.refused, handed_in.fill))
        drawn = draw_first(lesson, card, handed_in.fill, executor, options)
        if drawn is not None:
            settings.console.print()
            settings.console.print(drawn)
    return card


def remember(card: ScoreCard, lesson: Lesson, handed_in: Any, started: float) -> None:
    """Keep a run: its receipt and what is pending, the event, then the score in the progress file."""
    from course_cli.records import after_run

    store = Store()
    receipt = after_run(store, lesson, handed_in, card, started)
    data = {
        "blank_sha256": card.submission.blank_sha256,
        "tier": card.evidence.tier,
        "executor": card.evidence.executor,
        "total": card.total,
        "passed": card.passed,
        "cases": {c.name: c.outcome for c in card.cases},
        "receipt": receipt,
    }
    store.record(card.lesson, "run", data)
    keep_score(card)


def keep_score(card: ScoreCard) -> None:
    """Best total and first pass, also where only the answers were read again and nothing ran."""
    import time

    store = Store()
    old = store.progress(card.lesson)
    changes: dict[str, Any] = {"best": max(card.total, old.best or 0.0)}
    if card.passed and old.passed is None:
        changes["passed"] = time.time()
    store.save(card.lesson, **changes)


def exit_code(card: ScoreCard) -> int:
    """0 passed, 1 not passed, 3 where this machine could not run it."""
    if card.passed is None:
        return EXIT_ENVIRONMENT
    return EXIT_PASSED if card.passed else EXIT_NOT_PASSED


def show_card(lesson: Lesson, card: ScoreCard, *, cases: bool = True) -> None:
    """Every case as a line, the card; where nothing could be run, the reason goes to stderr."""
    from course_cli import views

    console = settings.console
    if cases:
        stream = views.CaseStream(console.print)
        for case in card.cases:
            stream.add(case)
        stream.finish()
        first = next((c for c in card.cases if c.outcome in views.FAILING), None)
        if first is not None:
            console.print(views.failure(first))
    console.print()
    console.print(views.score_card(card, lesson.spec.title.text))
    if card.passed is None and card.evidence.note is not None:
        print(f"course: {t(card.evidence.note)}", file=sys.stderr)


def try_input(
    name: str, fill: str, shape: str, values: str | None, dtype: str, backend: Backend, *, as_json: bool
) -> int:
    """Run one fill on the learner's own input and show input, expected and got. Exit 0 when they agree, 1 when not."""
    from graders.blank import check_fill, inject
    from graders.executors.pick import pick
    from graders.grade import Options, blank_rules, program_of, run_cases
    from graders.own_input import own_case

    lesson = settings.course.lesson(name)
    case = own_case(lesson, shape, values, dtype)
    checked = check_fill(fill, lesson.template, blank_rules(lesson))
    choice = pick(lesson.spec.language, backend)
    if choice.executor is None:
        raise EnvironmentProblem(
            choice.missing[0] if choice.missing else Text("nothing here can run it", "此机器无法运行")
        )
    from graders.executors.base import CompileProblem
    from graders.verdict import failed_to_compile

    program = program_of(lesson, inject(lesson.template, checked))
    try:
        result = next(iter(run_cases(lesson, program, choice.executor, [case], Options(backend=backend))))
    except CompileProblem as problem:
        result = failed_to_compile(case, problem.findings, problem.text)
    if as_json:
        from graders.reports.json_report import case_dict, dumps

        print(dumps({**case_dict(result, lang(), instructor=True), "tier": choice.executor.tier}))
    else:
        from course_cli import views

        settings.console.print(views.own_run(result, choice.executor.tier))
    return EXIT_PASSED if result.outcome == "pass" else EXIT_NOT_PASSED


def show_hint(name: str, level: int | None, *, yes: bool) -> int:
    """Show the hints up to the next level (or a given one) and record it; level 4 says its cost first."""
    lesson, store = settings.course.lesson(name), Store()
    opened = store.progress(lesson.id).hint
    wanted = level if level is not None else min(opened + 1, 4)
    console = settings.console
    for number in range(1, min(wanted, 3) + 1):
        _print_hint(number, t(lesson.spec.hints[number - 1].text), fresh=number > opened or number == wanted)
    if wanted == 4:
        solution = lesson.solution()
        if solution is None:
            words = say("level 4 is the full answer: ask your instructor", "第 4 级是完整答案：请询问教师")
            console.print(words, style="warn", markup=False)
            return EXIT_BAD_INPUT
        if opened < 4 and not yes:
            cost = say(
                "Level 4 is the full answer. Its cost: the condition 'on your own' is lost, so the lesson cannot be passed "
                "until `course reset {l}`.",
                "第 4 级是完整答案。代价：失去“独立完成”这一条件，在 `course reset {l}` 之前无法通过本课。",
                l=lesson.id,
            )
            console.print(cost, style="warn", markup=False)
            if not confirm(say("open it?", "打开吗？")):
                return EXIT_NOT_PASSED
        _print_hint(4, t(solution.hint.text), fresh=True)
    if wanted > opened:
        store.save(lesson.id, hint=wanted)
        store.record(lesson.id, "hint", {"level": wanted})
    if wanted < 4:
        free = say("levels 1 to 3 cost no points", "第 1 至 3 级不扣分")
        dear = say("the next level is the full answer; it asks first", "下一级是完整答案，打开前会询问")
        console.print(free if wanted < 3 else dear, style="quiet", markup=False)
    return EXIT_PASSED


def _print_hint(number: int, words: str, *, fresh: bool) -> None:
    from rich.text import Text as Styled

    from course_cli.views.layout import indented

    head = Styled(say("hint {n} of 4", "提示 {n}/4", n=number), style="accent" if fresh else "quiet")
    settings.console.print(head)
    settings.console.print(indented(Styled(words, style="" if fresh else "quiet")))


def reset_lessons(name: str | None, *, everything: bool, yes: bool) -> int:
    """Forget progress of one or all lessons after a confirmation; the learner's files move to a backup."""
    import time

    if (name is None) == (not everything):
        raise BadInput(Text("name one lesson, or give --all", "请指定一课，或使用 --all"))
    course, store = settings.course, Store()
    chosen = list(course.ids) if everything else [course.find(str(name))]
    if not yes and not confirm(
        say("reset {x}? Your files are kept in a backup.", "重置 {x}？你的文件会保留在备份中。", x=", ".join(chosen))
    ):
        return EXIT_NOT_PASSED
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for lesson_id in chosen:
        own = store.progress(lesson_id).folder
        for folder, name in (
            (store.folder / "work" / lesson_id, lesson_id),
            (store.folder / "drafts" / lesson_id, f"{lesson_id}-drafts"),
        ):
            if folder.is_dir() and any(folder.iterdir()):
                backup = _fresh(store.folder / "backup" / f"{name}-{stamp}")
                try:
                    backup.parent.mkdir(parents=True, exist_ok=True)
                    folder.rename(backup)
                except OSError as error:
                    text = Text("{p} cannot be moved to the backup: {e}", "无法把 {p} 移到备份：{e}")
                    raise EnvironmentProblem(text.fill(p=folder, e=error.strerror or error)) from None
                words = say("your files moved to {p}", "你的文件已移至 {p}", p=backup)
                settings.console.print(words, style="quiet", markup=False)
        store.reset(lesson_id)
        if own is not None:
            words = say("your folder {p} stays as it is", "你的文件夹 {p} 保持不变", p=own)
            settings.console.print(words, style="quiet", markup=False)
        settings.console.print(say("{x} starts afresh", "{x} 已重新开始", x=lesson_id), markup=False)
    return EXIT_PASSED


def _fresh(path: Path) -> Path:
    """The path, or the first of its kind that is not taken."""
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


def confirm(question: str) -> bool:
    """A yes or no on the terminal; no where there is none."""
    if not sys.stdin.isatty():
        print("course: " + say("no terminal to ask in: give --yes", "没有可交互的终端：请使用 --yes"), file=sys.stderr)
        return False
    try:
        reply = input(f"{question} [y/N] ").strip().lower()
    except EOFError:
        return False
    return reply in ("y", "yes", "是", "好")
