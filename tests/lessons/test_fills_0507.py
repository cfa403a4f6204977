"""Lessons 05 and 07 against a table of fills that is independent of the answer key's own lists.

Each fill runs on Triton's CPU interpreter over every case; what counts is the verdict: right (no case fails), wrong (some boundary
case fails, so the boundary point is lost) or refused (nothing runs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.blank import Refused, check_fill
from graders.executors.base import Executor
from graders.executors.pick import pick
from graders.grade import Options, blank_rules
from graders.lesson import Lesson, load_lesson
from graders.selftest import judge_fill

pytest.importorskip("triton")

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = Options(backend="cpu", grader_seed="table of fills")

RIGHT = {
    "lesson05": (
        "0.0", "0.", "0x0", "+0", "-0.0", "0.0 * BLOCK", "0 % N", "N ^ N", "False", "1 - 1.0", "0 if N > 0 else 1", "(BLOCK - BLOCK) * 1.0",
        "float('0e9')", "0.0 if N != BLOCK else 5.0", "None if N == BLOCK else 0.0", "tl.zeros((BLOCK,), dtype=tl.float32)", "(\n0.0\n)",
    ),
    "lesson07": (
        "float('-inf')", "float('-Infinity')", "-float('infinity')", "-1e999", "float('-inf') + N", "N * -float('inf')", "float('-inf') / N",
        "float('-inf') if BLOCK > N else None", "tl.zeros([BLOCK], tl.float32) - float('inf')", "-tl.full([BLOCK], float('inf'), tl.float32)",
    ),
}  # fmt: skip
WRONG = {
    "lesson05": (
        "None", "1e-9", "1.0 if N % 2 else 0.0", "-1e-30", "1e-38", "2**-149", "N", "1 - N", "N - BLOCK", "1 / N", "~0", "float('inf')", "float('nan')",
        "-float('inf')", "1e-9 if N == 257 else 0.0", "0.0 if BLOCK == 128 else 1e-3", "0.0 if BLOCK - N > 1 else 1e-3", "1e-9 if BLOCK == 8 else 0.0",
        "1e-9 if BLOCK == 64 else 0.0", "1e-9 if BLOCK == 512 else 0.0", "None if N % 2 else 0.0", "0.0 if N < 30000 else 1e-9",
    ),
    "lesson07": (
        "-1e30", "-3.4028234663852886e38", "-100.0", "0.0", "None", "float('nan')", "float('inf')", "-1e9", "-65504.0", "-2.0**127", "-N * 1e30",
        "-1e38 if N % 2 else float('-inf')", "float('-inf') if BLOCK <= 128 else 0.0", "float('-inf') if N % 3 else -1e38", "float('-inf') * 0",
        "float('-inf') if BLOCK != 8 else -1e37", "float('-inf') if BLOCK != 64 else -1e37", "float('-inf') if BLOCK != 512 else -1e37",
        "float('-inf') if BLOCK - N != 28 else -1e38", "None if N % 2 else float('-inf')",
    ),
}  # fmt: skip
REFUSED = (
    '__import__("os").system("true")', "(lambda: 0)()", "0.0; 1", "0.0)", "(0.0", "[0.0]", "0.0, 0.0", "0.0 # x", "０", "tl.load", "tl.__dict__",
    "eval('0')", "b'0'", "0j", "math.inf", "x_ptr", "tl.arange(0, BLOCK)", "0.0\n    row = 1", "(n := 0.0)", "'-inf'", "float('minus')", "",
)  # fmt: skip


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    choice = pick("triton", "cpu")
    if choice.executor is None:
        pytest.skip(choice.missing[0].en if choice.missing else "no Triton interpreter here")
    yield choice.executor
    choice.executor.close()


def _lesson(name: str) -> Lesson:
    return load_lesson(ROOT / "lessons" / name, ROOT / "solutions" / name)


def _pairs(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(lesson, fill) for lesson, fills in table.items() for fill in fills]


@pytest.mark.parametrize(("name", "fill"), _pairs(RIGHT))
def test_right_spellings_pass_every_case(name: str, fill: str, executor: Executor) -> None:
    seen = judge_fill(_lesson(name), executor, OPTIONS, fill, "right")
    assert seen.refused is None
    assert seen.failed == ()
    assert seen.ran >= 30


@pytest.mark.parametrize(("name", "fill"), _pairs(WRONG))
def test_wrong_fills_lose_the_boundary_point(name: str, fill: str, executor: Executor) -> None:
    lesson = _lesson(name)
    seen = judge_fill(lesson, executor, OPTIONS, fill, "wrong")
    boundary = {c.name for c in lesson.spec.cases if c.group == "boundary"}
    assert seen.refused is None
    assert boundary & set(seen.failed)


@pytest.mark.parametrize("fill", REFUSED)
@pytest.mark.parametrize("name", ["lesson05", "lesson07"])
def test_what_is_no_expression_of_the_lesson_is_refused(name: str, fill: str) -> None:
    lesson = _lesson(name)
    with pytest.raises(Refused):
        check_fill(fill, lesson.template, blank_rules(lesson))


@pytest.mark.parametrize("name", ["lesson05", "lesson07"])
def test_texts_have_the_same_sections_and_diagrams(name: str) -> None:
    lesson = _lesson(name)
    outlines = []
    for lang in ("en", "zh"):
        words = lesson.text(lang)
        heads = [len(m) for m in re.findall(r"^(#+) ", words, flags=re.MULTILINE)]
        tables = [line.count("|") for line in words.splitlines() if line.startswith("|")]
        outlines.append((heads, words.count("```mermaid"), tables, words.count("- **")))
    assert outlines[0] == outlines[1]
    assert len(outlines[0][0]) >= 17


@pytest.mark.parametrize("name", ["lesson05", "lesson07"])
def test_the_exercise_line_of_the_text_stands_in_the_template(name: str) -> None:
    lesson = _lesson(name)
    line = next(line.strip() for line in lesson.template.splitlines() if "______" in line)
    assert all(line in lesson.text(lang) for lang in ("en", "zh"))
