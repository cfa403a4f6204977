"""Every corner of the decision table is caught: a condition that differs from the right one in a single situation fails.

What a condition can see is two pairs. This splits all that two pairs can be into situations (which one is empty, which
value is larger, which is NaN, equal at -inf, at +inf, at zeros of both signs, whose index is smaller), and turns the
reference's decision round in one of them at a time. Two empty candidates are left out: either answer does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from argmax_simulation import argmax
from graders.cpp_condition import compile_condition
from test_argmax_fills import lesson, playable

Array = NDArray[Any]

# What this mapping cannot decide. lesson12 skips NaN, so none is ever compared. In lesson12-nan nothing is skipped: an
# empty lane below a valid one arises only in lanes on which lane 0 does not depend, and -inf is only kept by a thread
# that began with it, so equal ones meet in ascending order.
UNDECIDED = {
    "lesson12": {"other empty, mine NaN", "mine empty, other NaN"},
    "lesson12-nan": {
        "mine empty, other NaN",
        "mine empty, other a number",
        "mine empty, other -inf",
        "equal -inf, idx <",
    },
}


Mask = Callable[[Mapping[str, Array]], Array]


def no_other(v: Mapping[str, Array]) -> Array:
    return np.asarray(v["other_idx"] < 0)


def no_mine(v: Mapping[str, Array]) -> Array:
    return np.asarray(v["vi.idx"] < 0)


def _one_empty(condition: Mask, other: bool) -> Mask:
    here, there = (no_other, no_mine) if other else (no_mine, no_other)
    return lambda v: here(v) & ~there(v) & condition(v)


def _both(condition: Mask, lower: bool) -> Mask:
    def mask(v: Mapping[str, Array]) -> Array:
        order = v["other_idx"] < v["vi.idx"] if lower else v["other_idx"] > v["vi.idx"]
        return np.asarray(~no_other(v) & ~no_mine(v) & condition(v) & order)

    return mask


def _equal(v: Mapping[str, Array]) -> Array:
    return np.asarray(v["other_val"] == v["vi.val"])


def _zeros(v: Mapping[str, Array]) -> Array:
    signs = np.signbit(v["other_val"]) != np.signbit(v["vi.val"])
    return np.asarray((v["other_val"] == 0) & (v["vi.val"] == 0) & signs)


def _number(name: str) -> Mask:
    return lambda v: ~np.isnan(v[name]) & ~np.isneginf(v[name])


SITUATIONS: dict[str, Mask] = {
    "other empty, mine NaN": _one_empty(lambda v: np.isnan(v["vi.val"]), other=True),
    "other empty, mine -inf": _one_empty(lambda v: np.isneginf(v["vi.val"]), other=True),
    "other empty, mine a number": _one_empty(_number("vi.val"), other=True),
    "mine empty, other NaN": _one_empty(lambda v: np.isnan(v["other_val"]), other=False),
    "mine empty, other -inf": _one_empty(lambda v: np.isneginf(v["other_val"]), other=False),
    "mine empty, other a number": _one_empty(_number("other_val"), other=False),
}
KINDS: dict[str, Mask] = {
    "both NaN": lambda v: np.isnan(v["other_val"]) & np.isnan(v["vi.val"]),
    "other NaN": lambda v: np.isnan(v["other_val"]) & ~np.isnan(v["vi.val"]),
    "mine NaN": lambda v: ~np.isnan(v["other_val"]) & np.isnan(v["vi.val"]),
    "larger": lambda v: v["other_val"] > v["vi.val"],
    "smaller": lambda v: v["other_val"] < v["vi.val"],
    "equal -inf": lambda v: _equal(v) & np.isneginf(v["vi.val"]),
    "equal +inf": lambda v: _equal(v) & np.isposinf(v["vi.val"]),
    "equal zeros of two signs": _zeros,
    "equal": lambda v: _equal(v) & ~np.isinf(v["vi.val"]) & ~_zeros(v),
}
for _name, _kind in KINDS.items():
    SITUATIONS[f"{_name}, idx <"] = _both(_kind, lower=True)
    SITUATIONS[f"{_name}, idx >"] = _both(_kind, lower=False)


def survives(name: str, turned: str) -> bool:
    """Whether the reference with its decision in one situation turned round passes every small case."""
    solution = lesson(name).solution()
    assert solution is not None
    reference, mask = compile_condition(solution.fill), SITUATIONS[turned]
    return all(
        argmax(x, blocks, threads, lambda v: reference(v) ^ mask(v), first_nan=name == "lesson12-nan") == wanted
        for x, launches, wanted in playable(name).values()
        if x.size < 5000
        for blocks, threads in launches
    )


def corners() -> list[tuple[str, str]]:
    """Lesson and situation, wherever the mapping lets a decision reach the answer."""
    return [
        (name, situation)
        for name in UNDECIDED
        for situation in SITUATIONS
        if situation not in UNDECIDED[name] and not (name == "lesson12" and "NaN" in situation)
    ]


@pytest.mark.parametrize(("name", "turned"), corners())
def test_one_decision_turned_round_is_caught(name: str, turned: str) -> None:
    assert not survives(name, turned)


@pytest.mark.parametrize(("name", "turned"), [(n, s) for n, undecided in UNDECIDED.items() for s in sorted(undecided)])
def test_what_is_listed_as_undecided_cannot_matter(name: str, turned: str) -> None:
    assert survives(name, turned)
