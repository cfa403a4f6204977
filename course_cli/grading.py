"""`course grade` without the option parsing: find submissions, grade each, print or write the reports."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from course_cli import i18n
from course_cli.context import settings
from course_cli.store import write_file
from graders.errors import EXIT_PASSED, BadInput, CourseError
from graders.executors.pick import Backend
from graders.text import Lang, Text

if TYPE_CHECKING:
    from graders.collect import Opened
    from graders.course import Course
    from graders.lesson import Lesson
    from graders.scorecard import ScoreCard
    from graders.submission import Submission


def grade_paths(
    course: Course,
    paths: list[Path],
    lesson_name: str | None,
    fill: str | None,
    answers: Path | None,
    backend: Backend,
    form: Literal["text", "json"],
    out: Path | None,
    lang: Lang,
    *,
    instructor: bool,
) -> int:
    """Grade what was named; the exit code of the contract: a batch exits 0 when every submission was graded."""
    if not paths:
        if lesson_name is None or (fill is None and answers is None):
            raise BadInput(
                Text(
                    "name a file or folder, or give --lesson with --fill or --answers",
                    "请给出文件或文件夹，或用 --lesson 配合 --fill 或 --answers",
                )
            )
        lesson = course.lesson(lesson_name)
        from graders.submission import Submission, read_answers

        handed_in = Submission(fill=fill or "")
        if answers is not None:
            handed_in = replace(handed_in, answers=read_answers(answers))
        card = _grade(course, lesson, handed_in, backend)
        _print(lesson, card, form, out, lang, instructor=instructor)
        return _code(card)
    if fill is not None:
        raise BadInput(
            Text("--fill goes without a PATH: the file holds its own blank", "--fill 不与路径同用：文件中已有填空")
        )
    from graders.collect import Opened, batch_of

    with ExitStack() as stack:
        opened = Opened(stack)
        roots = [opened.enter(path) for path in paths]
        if len(roots) == 1 and not batch_of(roots[0]):
            lesson, submission = opened.collect(course, roots[0], lesson_name, answers)
            card = _grade(course, lesson, submission, backend)
            _print(lesson, card, form, out, lang, instructor=instructor)
            return _code(card)
        return _batch(course, opened, roots, lesson_name, backend, form, out, lang, instructor=instructor)


def _batch(
    course: Course,
    opened: Opened,
    roots: list[Path],
    lesson_name: str | None,
    backend: Backend,
    form: Literal["text", "json"],
    out: Path | None,
    lang: Lang,
    *,
    instructor: bool,
) -> int:
    """Every submission on its own: one that cannot be read is told and costs nobody else anything."""
    from graders.collect import batch_of
    from graders.reports.json_report import as_dict, dumps

    members = [member for root in roots for member in (batch_of(root) or [root])]
    reports, bad = [], 0
    totals = {"passed": 0, "vetoes": 0, "review": 0}
    for member in members:
        try:
            lesson, submission = opened.collect(course, opened.enter(member), lesson_name, None)
            card = _grade(course, lesson, submission, backend)
        except CourseError as error:
            bad += 1
            print(f"course: {error.message(lang)}", file=sys.stderr)
            continue
        if form == "json":
            reports.append(as_dict(card, lang, instructor=instructor))
        else:
            state = {True: "✓", False: "✗", None: "?"}[card.passed]
            settings.console.print(
                f"{state} {submission.path}  {card.lesson}  {card.total:.1f} / {card.max_total:g}  {card.evidence.tier}"
                f"  {_reason(card)}",
                markup=False,
            )
            totals["passed"] += card.passed is True
            totals["vetoes"] += bool(card.vetoes)
            totals["review"] += bool(card.needs_review)
    if form == "json":
        _emit(dumps(reports), out)
    else:
        words = i18n.say(
            "{n} submissions: {p} passed, {v} with a veto, {r} wait for review (course review work)",
            "{n} 份提交：{p} 份通过，{v} 份有一票否决，{r} 份等待批阅（course review work）",
            n=len(members) - bad,
            p=totals["passed"],
            v=totals["vetoes"],
            r=totals["review"],
        )
        settings.console.print(words, markup=False)
    if bad:
        told = Text("{b} of {n} submissions could not be graded", "{n} 份提交中有 {b} 份无法评分")
        print(f"course: {told.fill(b=bad, n=len(members)).pick(lang)}", file=sys.stderr)
    return EXIT_PASSED if not bad else 2


def _reason(card: ScoreCard) -> str:
    """Why a card did not pass, in a few words: the veto, or the conditions that do not hold."""
    if card.vetoes:
        return i18n.say("veto: {r}", "一票否决：{r}", r=", ".join(dict.fromkeys(v.rule for v in card.vetoes)))
    from course_cli.views.card import CONDITION_NAMES

    failing = [i18n.t(CONDITION_NAMES[name]) for name, state in card.conditions.items() if state is False]
    words = i18n.say("not yet: {c}", "尚缺：{c}", c=", ".join(failing)) if failing else ""
    review = i18n.say("review: {p}", "待批阅：{p}", p=", ".join(card.needs_review)) if card.needs_review else ""
    return " · ".join(w for w in (words, review) if w)


def _grade(course: Course, lesson: Lesson, submission: Submission, backend: Backend) -> ScoreCard:
    from course_cli.judge_setup import admitted_judge
    from course_cli.records import after_grade, with_verified
    from graders.grade import Options, grade

    rules = course.rubric()
    submission = with_verified(lesson, submission, settings.register)
    if submission.notebook_lang is not None and backend != "static" and settings.execute is not False:
        from graders.notebook_evidence import with_rerun

        submission = with_rerun(lesson, submission, always=settings.execute is True)
    card = grade(
        submission,
        lesson,
        Options(
            backend=backend,
            grader_seed=course.grader_seed(),
            rubric=rules,
            sanitize=settings.sanitize,
            judge=admitted_judge(lesson),
        ),
    )
    if settings.ask is not None:
        from course_cli.ask_sheet import write_sheet

        sheet = write_sheet(lesson, submission, settings.ask, i18n.lang())
        if sheet is not None:
            print(i18n.say("follow-ups written to {p}", "追问已写入 {p}", p=sheet), file=sys.stderr)
    return after_grade(lesson, submission, card, rules, settings.register, i18n.lang())


def _print(lesson: Lesson, card: ScoreCard, form: str, out: Path | None, lang: Lang, *, instructor: bool) -> None:
    if form == "json":
        from graders.reports.json_report import as_dict, dumps

        _emit(dumps(as_dict(card, lang, instructor=instructor)), out)
        return
    from course_cli.commands.run import show_card

    show_card(lesson, card)


def _emit(text: str, out: Path | None) -> None:
    if out is None:
        print(text)
    else:
        write_file(out, text + "\n")


def _code(card: ScoreCard) -> int:
    from course_cli.commands.run import exit_code

    return exit_code(card)
