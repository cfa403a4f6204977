"""What a run leaves behind: a receipt beside answers.md, an entry in the pending register, a row in the teacher's grades.

Each of these is written whole or not at all; a kill in between leaves what was written before.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from course_cli.store import Store, home, write_file
from graders.errors import EnvironmentProblem
from graders.text import Lang, Text

if TYPE_CHECKING:
    from graders.lesson import Lesson
    from graders.pending import Register
    from graders.review import Grades
    from graders.rubric import RubricSpec
    from graders.scorecard import ScoreCard
    from graders.submission import Submission


def pending_register(folder: Path | None = None) -> Register:
    """The register of this user (COURSE_HOME/pending.sqlite); creates nothing."""
    from graders.pending import Register

    return Register((folder or home()) / "pending.sqlite")


def grades(folder: Path | None = None) -> Grades:
    """The teacher's record of graded submissions (COURSE_HOME/grades.sqlite, or in the folder given with --register)."""
    from graders.review import Grades

    return Grades((folder or home()) / "grades.sqlite")


def with_receipts(store: Store, handed_in: Submission, lesson_id: str) -> Submission:
    """The submission with the receipts of earlier runs, which lie in the lesson's work folder."""
    from graders.evidence import read_receipts

    receipts, notes = read_receipts(store.work_folder(lesson_id))
    return replace(handed_in, receipts=receipts, notes=(*handed_in.notes, *notes))


def with_verified(lesson: Lesson, handed_in: Submission, folder: Path | None) -> Submission:
    """The submission with what the register knows of its blank: the GPU that confirmed it, or a case in dispute."""
    from graders.blank import Refused, check_fill
    from graders.evidence import lesson_hashes
    from graders.grade import blank_rules
    from graders.pending import key_of

    register = pending_register(folder)
    if not register.path.is_file():
        return handed_in
    try:
        blank = check_fill(handed_in.fill, lesson.template, blank_rules(lesson)).sha256
    except Refused:
        return handed_in
    hashes = lesson_hashes(lesson)
    entry = register.find(key_of(lesson.id, blank, hashes.template, hashes.cases))
    register.close()
    if entry is None or entry.result is None:
        return handed_in
    if entry.state == "settled":
        return replace(handed_in, verified_on=entry.result.device or entry.result.executor)
    first = entry.result.disputes[0]
    text = Text(
        "a GPU run ({d}) disagrees on '{c}': recorded {r}, there {f}; see `course review`",
        "GPU 运行（{d}）在“{c}”上结论不同：记录为 {r}，GPU 上为 {f}；见 `course review`",
    )
    note = text.fill(d=entry.result.device, c=first.case, r=first.recorded, f=first.found)
    return replace(handed_in, notes=(*handed_in.notes, note))


def after_run(store: Store, lesson: Lesson, handed_in: Submission, card: ScoreCard, started: float) -> str | None:
    """Write the receipt of a run and enter it as pending; the receipt's file name, None where the blank was refused."""
    from graders.pending import entry_of

    name = write_receipt(store, lesson, card, started)
    if name is None:
        return None
    entry = entry_of(card, lesson, handed_in.fill, "run")
    if entry is not None:
        register = pending_register(store.folder)
        register.enter(entry)
        register.close()
    return name


def write_receipt(store: Store, lesson: Lesson, card: ScoreCard, started: float) -> str | None:
    """Write the receipt of a run that began at `started`; its file name, None where the blank was refused."""
    from graders.evidence import FOLDER, make_receipt

    if card.submission.blank_sha256 is None or card.refused is not None:
        return None
    receipt = make_receipt(
        lesson, card.submission.blank_sha256, card.cases, card.evidence, started, max(started, time.time())
    )
    path = store.work_folder(lesson.id) / FOLDER / receipt.file_name()
    write_file(path, receipt.dumps())
    return path.name


def after_grade(
    lesson: Lesson, handed_in: Submission, card: ScoreCard, rules: RubricSpec, folder: Path | None, lang: Lang
) -> ScoreCard:
    """Enter a graded submission as pending and in the record; returns the card with the instructor's decisions on it.

    A record that cannot be written costs nobody the grade: it is told on stderr.
    """
    from graders.pending import entry_of
    from graders.review_apply import with_decisions

    try:
        entry = entry_of(card, lesson, handed_in.fill, "grade")
        if entry is not None:
            register = pending_register(folder)
            register.enter(entry)
            register.close()
        record = grades(folder)
        merged = rules.merged(lesson.spec.rubric)
        key = record.add(card, handed_in, lesson, merged)
        decided = with_decisions(card, record.decisions(key), merged)
        record.close()
        return decided
    except EnvironmentProblem as problem:
        print(f"course: {problem.message(lang)}", file=sys.stderr)
        return card
