"""Settling pending entries on a machine with a GPU: the same pipeline, the same cases, another executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from graders.course import Course
from graders.errors import BadInput, EnvironmentProblem
from graders.evidence import lesson_hashes
from graders.executors.base import Executor
from graders.executors.pick import pick
from graders.grade import Options, grade
from graders.lesson import Language, Lesson
from graders.pending import Entry, Register, Result, disputes_of
from graders.scorecard import ScoreCard
from graders.submission import Submission
from graders.text import Text

ExecutorFactory = Callable[[Language], Executor]


@dataclass(frozen=True, slots=True)
class GpuRun:
    """The run that settled an entry, for a receipt. `started` is in seconds since 1970."""

    lesson: Lesson
    card: ScoreCard
    started: float


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of one entry; `skipped` says why it still waits."""

    entry: Entry
    state: Literal["settled", "disputed", "pending"]
    result: Result | None = None
    skipped: Text | None = None
    fault: bool = False  # skipped because this machine failed
    run: GpuRun | None = None


def gpu_executor(language: Language) -> Executor:
    """The GPU executor of a language; raises EnvironmentProblem where this machine has none."""
    executor = pick(language, "gpu").executor
    assert executor is not None  # an explicit backend either is there or raises
    return executor


def settle_all(
    register: Register,
    course: Course,
    make: ExecutorFactory = gpu_executor,
    doing: Callable[[Entry], None] = lambda entry: None,
) -> Iterator[Settlement]:
    """Run every pending entry again and record the outcome, one after the other, each in a transaction of its own.

    A fault of this machine (EnvironmentProblem) is tried once more at the end and then leaves the entry pending; where the very first
    executor cannot be made at all the problem is raised. A kill in between loses nothing: what was settled stays so.
    """
    executors: dict[str, Executor] = {}
    try:
        failed = []
        for entry in register.entries("pending"):
            doing(entry)
            settled = _settle(register, course, entry, make, executors)
            if settled.fault:
                failed.append(entry)
            else:
                yield settled
        for entry in failed:  # once more: the first process on a cold GPU may fail where later ones do not
            doing(entry)
            yield _settle(register, course, entry, make, executors)
    finally:
        for executor in executors.values():
            executor.close()


def _settle(
    register: Register, course: Course, entry: Entry, make: ExecutorFactory, executors: dict[str, Executor]
) -> Settlement:
    try:
        if entry.lesson not in course.ids:
            raise BadInput(Text("this course has no lesson {l}", "本课程没有 {l}").fill(l=entry.lesson))
        lesson = course.lesson(entry.lesson)
        hashes = lesson_hashes(lesson)
        if hashes.template != entry.template or hashes.cases != entry.cases:
            raise BadInput(
                Text(
                    "{l} has changed since: grade the submission again with this version",
                    "{l} 此后已更新：请用此版本重新评分",
                ).fill(l=entry.lesson)
            )
        language = lesson.spec.language
        if language not in executors:
            executors[language] = make(language)
        executor = executors[language]
        options = Options(
            grader_seed=course.grader_seed(), rubric=course.rubric(), compile_targets=False, executor=executor
        )
        started = time.time()
        card = grade(Submission(fill=entry.fill), lesson, options)
    except EnvironmentProblem as problem:
        if not executors:
            raise
        return Settlement(entry, "pending", skipped=problem.text, fault=True)
    except BadInput as problem:
        return Settlement(entry, "pending", skipped=problem.text)
    if card.submission.blank_sha256 != entry.blank:
        text = Text("the blank does not fit its hash", "填空内容与其哈希不符")
        return Settlement(entry, "pending", skipped=text)
    if card.evidence.tier != "gpu":
        text = Text("it was not run on a GPU ({e})", "没有在 GPU 上运行（{e}）").fill(e=card.evidence.executor)
        return Settlement(entry, "pending", skipped=text)
    result = Result(
        card.evidence.device,
        card.evidence.executor,
        dict(card.evidence.toolchain),
        {c.name: c.outcome for c in card.cases},
        disputes_of(entry, card.cases),
    )
    state = register.settle(entry, result)
    assert state != "pending"
    return Settlement(entry, state, result, run=GpuRun(lesson, card, started))
