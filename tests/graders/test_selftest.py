"""The self-test finds what is wrong with a lesson: survivors, wrongly named cases, unequal texts, empty outputs that pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders.course import Course, open_course
from graders.selftest import SelftestResult, run_selftest

pytest.importorskip("triton")
from tests_support import example_course


@pytest.fixture
def course(tmp_path: Path) -> Course:
    example_course(tmp_path)
    return open_course(tmp_path)


def spoil(course: Course, name: str, old: str, new: str) -> None:
    path = course.root.parent / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def run(course: Course) -> SelftestResult:
    return run_selftest(course, course.lesson("lesson01"), "cpu")


def said(result: SelftestResult) -> str:
    assert not result.ok
    return "\n".join(p.en for p in result.problems)


def test_a_survivor_is_named(course: Course) -> None:
    spoil(course, "solutions/lesson01/wrong_fills.yaml", '"1.0001"', '"1.0 + 0.0 * N"')
    assert "survivor: wrong fill 1.0 + 0.0 * N passes every case" in said(run(course)).replace("'", "")


def test_a_wrong_fill_that_dies_elsewhere_is_told(course: Course) -> None:
    spoil(
        course,
        "solutions/lesson01/wrong_fills.yaml",
        '{fill: "2.0", fails: [ones]',
        '{fill: "2.0", fails: [two rows of 4]',
    )
    assert "must fail 'two rows of 4' and does not" in said(run(course))


def test_a_case_that_is_not_there_is_told(course: Course) -> None:
    spoil(
        course,
        "solutions/lesson01/wrong_fills.yaml",
        "fails: [two rows of 3], why: undefined",
        "fails: [three rows], why: undefined",
    )
    assert "names a case that is not there: three rows" in said(run(course))


def test_a_reference_that_fails_is_told(course: Course) -> None:
    spoil(course, "solutions/lesson01/solution.yaml", 'fill: "1.0"', 'fill: "2.0"')
    assert "reference fill '2.0' fails" in said(run(course))


def test_a_right_spelling_that_is_refused_is_told(course: Course) -> None:
    spoil(course, "solutions/lesson01/right_fills.yaml", '"float(1)"', '"int(1)"')
    assert "right fill 'int(1)' is refused" in said(run(course))


def test_a_fill_that_must_be_refused_and_is_not(course: Course) -> None:
    spoil(course, "solutions/lesson01/wrong_fills.yaml", '"lambda: 1.0"', '"1.0"')
    assert "fill '1.0' must be refused and is not" in said(run(course))


def test_texts_with_different_headings_are_told(course: Course) -> None:
    spoil(course, "lessons/lesson01/text.zh.md", "## 思路", "### 思路")
    assert "different headings" in said(run(course))


def test_an_oracle_that_torch_contradicts_is_told(course: Course) -> None:
    pytest.importorskip("torch")
    spoil(course, "lessons/lesson01/lesson.yaml", 'oracle: {out: "x.prod(1)"}', 'oracle: {out: "round(x).prod(1)"}')
    assert "torch cannot check the oracle" in said(run(course))


def test_empty_outputs_that_pass_are_told(course: Course) -> None:
    spoil(
        course,
        "lessons/lesson01/lesson.yaml",
        "comparison: {kind: close, rtol: 1e-5}",
        "comparison: {kind: close, atol: 1e9}",
    )
    spoil(course, "lessons/lesson01/lesson.yaml", "    comparison: {kind: exact}\n", "")
    text = said(run(course))
    assert "an output of zeros" not in text  # the NaN of one case still tells them apart
    spoil(
        course,
        "lessons/lesson01/lesson.yaml",
        "at: [{index: [0, 1], value: nan}, {row: 1, value: 0.0}]",
        "at: [{row: 1, value: 0.0}]",
    )
    text = said(run(course))
    for kind in ("zeros", "ones", "input copy", "reference x 1.5"):
        assert f"an output of {kind} passes every case" in text


def test_too_few_fills_are_told(course: Course) -> None:
    (course.root.parent / "solutions/lesson01/right_fills.yaml").write_text(
        '- {fill: "1.0", why: plain}\n', encoding="utf-8"
    )
    assert "at least 10 wrong fills and 6 right spellings are needed" in said(run(course))
