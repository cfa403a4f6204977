"""Judging again without running: other answers, and compile reports that arrive after the cases."""

from __future__ import annotations

from typing import Any

import pytest

from graders import grade as pipeline
from graders.answers import parse, render
from graders.course import Course, builtin_root
from graders.executors.triton_compile import CompileReport
from graders.grade import Options, compile_for_gpu, grade, regrade
from graders.lesson import Lesson
from graders.observation import Finding
from graders.scorecard import ScoreCard
from graders.submission import Submission
from graders.text import same

OPTIONS = Options(backend="cpu", compile_targets=False)


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return Course(builtin_root()).lesson("lesson05")


@pytest.fixture(scope="module")
def card(lesson: Lesson) -> ScoreCard:
    return grade(Submission(fill="0.0"), lesson, OPTIONS)


@pytest.fixture(autouse=True)
def _nothing_runs(card: ScoreCard, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> None:
        raise AssertionError("something ran")

    monkeypatch.setattr(pipeline, "run_cases", forbidden)


def test_answers_count_and_cases_stay(card: ScoreCard, lesson: Lesson) -> None:
    solution = lesson.solution()
    assert solution is not None
    answers = parse(render("lesson05", {"q1": solution.reference.q1.en, "impl": solution.reference.impl.zh}, "en"))
    again = regrade(card, Submission(fill="0.0", answers=answers), lesson, OPTIONS)
    assert again.cases == card.cases and again.evidence == card.evidence
    assert again.points["q1"] and again.points["explanation"] and again.total > card.total
    assert again.submission.blank_sha256 == card.submission.blank_sha256


def test_a_report_adds_its_targets(card: ScoreCard, lesson: Lesson) -> None:
    assert card.evidence.compiled == ()
    again = regrade(card, Submission(fill="0.0"), lesson, OPTIONS, CompileReport(compiled=("sm_80", "sm_90")))
    assert again.evidence.compiled == ("sm_80", "sm_90") and again.cases == card.cases


def test_what_no_gpu_compiler_takes_fails_every_case_that_ran(card: ScoreCard, lesson: Lesson) -> None:
    report = CompileReport(findings=(Finding("compile-error", same("no such type"), line=23, column=5),))
    again = regrade(card, Submission(fill="0.0"), lesson, OPTIONS, report)
    ran = {c.name for c in card.cases if c.outcome != "not-run"}
    assert {c.name for c in again.cases if c.outcome == "error"} == ran
    assert {c.name for c in again.cases} == {c.name for c in card.cases}
    assert again.points["normal"] == 0 and again.conditions["checks"] is False
    assert "no such type" in again.cases[0].detail.en


def test_a_refused_blank_stays_refused(lesson: Lesson) -> None:
    refused = grade(Submission(fill="__import__('os')"), lesson, OPTIONS)
    again = regrade(refused, Submission(fill="__import__('os')"), lesson, OPTIONS, CompileReport(compiled=("sm_80",)))
    assert again.refused == refused.refused and again.evidence.compiled == ()


def test_compiling_starts_for_a_blank_alone(lesson: Lesson) -> None:
    compiling = compile_for_gpu("0.0", lesson, OPTIONS)
    if compiling is None:
        pytest.skip("no compiler for GPU targets here")
    assert compiling.result(120).compiled == ("sm_80", "sm_90", "sm_100")
