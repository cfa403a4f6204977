"""The answer keys of lesson12 and lesson12-nan against a simulation of the kernel's mapping that knows no compiler.

What must hold: right spellings pass every case, each wrong condition fails the cases that its row names, every case
catches something, and no single visible case gives the whole answer away.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from argmax_simulation import argmax
from graders.cpp_condition import compile_condition, convert

from graders import expression
from graders.blank import BlankRules, Refused, check_fill
from graders.cases import build_job, launches_of
from graders.lesson import Lesson, load_lesson
from graders.yamlread import load

ROOT = Path(__file__).parents[2]
LESSONS = ("lesson12", "lesson12-nan")
REFUSED_MINIMUM, WRONG_MINIMUM, RIGHT_MINIMUM = 12, 22, 10


@cache
def lesson(name: str) -> Lesson:
    return load_lesson(ROOT / "lessons" / name, ROOT / "solutions" / name)


@cache
def fills(name: str, kind: str) -> list[dict[str, Any]]:
    rows = load(ROOT / "solutions" / name / f"{kind}_fills.yaml").data
    assert isinstance(rows, list)
    return rows


@cache
def playable(name: str) -> dict[str, tuple[Any, list[tuple[int, int]], int]]:
    """Cases that the condition decides and the CPU runs: values, launches, wanted index, by name."""
    found = {}
    for case in lesson(name).spec.cases:
        if case.contract or case.gpu_only:
            continue
        launches = [pair for pair in launches_of(lesson(name), case) if pair is not None]
        job, env = build_job(lesson(name), case, "a grader's seed", launches[0])
        wanted = int(expression.evaluate(lesson(name).spec.oracle["out"], env)[0])
        found[case.name] = (job.inputs["x"].view(), launches, wanted)
    return found


def survives(name: str, fill: str, case: str) -> bool:
    """Whether every launch of the case gives the wanted index under this condition."""
    x, launches, wanted = playable(name)[case]
    wins = compile_condition(fill)
    return all(argmax(x, b, t, wins, first_nan=name == "lesson12-nan") == wanted for b, t in launches)


def rows(kind: str, refused: bool = False) -> list[Any]:
    """The rows of both lessons' files, named by lesson and condition."""
    return [
        pytest.param(name, row, id=f"{name}: {' '.join(row['fill'].split())[:60]}")
        for name in LESSONS
        for row in fills(name, kind)
        if bool(row.get("refused")) == refused
    ]


@pytest.mark.parametrize("name", LESSONS)
def test_the_reference_passes_every_case(name: str) -> None:
    solution = lesson(name).solution()
    assert solution is not None
    assert [c for c in playable(name) if not survives(name, solution.fill, c)] == []


@pytest.mark.parametrize(("name", "row"), rows("right"))
def test_right_spelling_passes_every_case(name: str, row: dict[str, Any]) -> None:
    assert [c for c in playable(name) if not survives(name, row["fill"], c)] == []


@pytest.mark.parametrize(("name", "row"), rows("wrong"))
def test_wrong_condition_fails_the_cases_it_names(name: str, row: dict[str, Any]) -> None:
    assert row["fails"]
    assert [c for c in row["fails"] if survives(name, row["fill"], c)] == []


@pytest.mark.parametrize("name", LESSONS)
def test_every_case_catches_some_wrong_condition(name: str) -> None:
    wrong = [row["fill"] for row in fills(name, "wrong") if not row.get("refused")]
    assert [c for c in playable(name) if all(survives(name, fill, c) for fill in wrong)] == []


@pytest.mark.parametrize("name", LESSONS)
def test_no_visible_case_alone_gives_the_answer_away(name: str) -> None:
    wrong = [row["fill"] for row in fills(name, "wrong") if not row.get("refused")]
    visible = [c.name for c in lesson(name).spec.cases if c.visible]
    assert len(visible) >= 4
    for case in visible:
        assert any(survives(name, fill, case) for fill in wrong), case


@pytest.mark.parametrize(("name", "row"), rows("wrong", refused=True))
def test_the_grammar_refuses(name: str, row: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        check_fill(row["fill"], lesson(name).template, rules(name))


@pytest.mark.parametrize("name", LESSONS)
def test_what_is_to_run_passes_the_grammar(name: str) -> None:
    for kind in ("right", "wrong"):
        for row in fills(name, kind):
            if not row.get("refused"):
                check_fill(row["fill"], lesson(name).template, rules(name))


@pytest.mark.parametrize("name", LESSONS)
def test_there_are_enough_of_each(name: str) -> None:
    wrong = [row for row in fills(name, "wrong") if not row.get("refused")]
    assert len(fills(name, "right")) >= RIGHT_MINIMUM
    assert len(wrong) >= WRONG_MINIMUM
    assert len(fills(name, "wrong")) - len(wrong) >= REFUSED_MINIMUM


def rules(name: str) -> BlankRules:
    blank = lesson(name).spec.blank
    return BlankRules(frozenset(blank.names), frozenset(blank.calls), frozenset(blank.attributes), "cuda")


@pytest.mark.parametrize("name", LESSONS)
def test_headings_agree_in_both_languages(name: str) -> None:
    """Same number of headings, of the same levels, in the same order."""
    levels = []
    for lang in ("en", "zh"):
        text, fenced, found = lesson(name).text(lang), False, []
        for line in text.splitlines():
            fenced ^= line.startswith("```")
            if not fenced and line.startswith("#"):
                found.append(len(line) - len(line.lstrip("#")))
        levels.append(found)
    assert levels[0] == levels[1]
    assert len(levels[0]) >= 12


def test_the_simulation_maps_as_the_kernel_says() -> None:
    """Plain > on a tie of 16 and 128: two blocks of 64 keep 128 in lane 0, seven blocks keep 16."""
    x = np.zeros(200, np.float32)
    x[[16, 128]] = 7.0
    greater = compile_condition("other_val > vi.val")
    assert argmax(x, 2, 64, greater) == 128
    assert argmax(x, 7, 64, greater) == 16
    x = np.zeros(32, np.float32)
    x[[8, 16]] = 7.0
    assert argmax(x, 1, 64, greater) == 16  # the first step carries 16 into lane 0, past lane 8
    assert argmax(x, 1, 64, compile_condition("other_val >= vi.val")) == 8


def test_conditions_are_read_as_cpp_reads_them() -> None:
    def value(text: str, **names: Any) -> bool:
        given = {"other_val": np.float32(0), "vi.val": np.float32(0), "other_idx": np.int32(0), "vi.idx": np.int32(0)}
        given |= {k.replace("_of_vi", ""): v for k, v in names.items()}
        given |= {"vi." + k[:-6]: v for k, v in names.items() if k.endswith("_of_vi")}
        with np.errstate(invalid="ignore"):
            return bool(compile_condition(text)({k: np.asarray(v) for k, v in given.items()}))

    assert value("(unsigned)other_idx > 5u", other_idx=np.int32(-1))
    assert value("other_idx < 0 || other_idx > 0 && false", other_idx=np.int32(-1))
    assert not value("(other_idx < 0 || other_idx > 0) && false", other_idx=np.int32(-1))
    assert value("1 ? 0 ? false : true : false")
    assert not value("other_val - vi.val == 0", other_val=np.float32(np.inf), val_of_vi=np.float32(np.inf))
    assert value("not isnan(other_val) and true or false")
    with pytest.raises(ValueError, match="unknown name"):
        value("threadIdx > 0")


def test_floats_become_integers_as_on_the_gpu() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 3e9, -1.9], np.float32)
    assert convert(values, np.int32).tolist() == [0, 2**31 - 1, -(2**31), 2**31 - 1, -1]
    assert convert(values, np.uint32).tolist() == [0, 2**32 - 1, 0, 3_000_000_000, 0]
