"""The numbers that a right or a mistaken idea of a kernel predicts for a follow-up, computed apart from the grader.

`NUMBERS` maps the names used in tests/data/answers/followup_replies.yaml to functions of the follow-up as the learner sees it:
its row, the size of its block, what it names in the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from graders.prose.followups import FollowUp

Array = NDArray[np.float64]
Pair = tuple[float, int]


def _row(f: FollowUp) -> Array:
    return np.asarray(f.inputs["x"], dtype=np.float64).reshape(-1)


def _lanes(f: FollowUp) -> int:
    return 1 << (len(_row(f)) - 1).bit_length()


def _padded(f: FollowUp, fill: float) -> Array:
    row = _row(f)
    return np.concatenate([row, np.full(_lanes(f) - len(row), fill)])


def _weights(x: Array) -> Array:
    e = np.exp(x - x.max())
    return cast(Array, e / e.sum())


def _with_zero(f: FollowUp) -> tuple[Array, float]:
    """The real columns' exponentials and the denominator, the padding being 0."""
    x = _padded(f, 0.0)
    e = np.exp(x - x.max())
    return e[: len(_row(f))], float(e.sum())


def _argmax(f: FollowUp, replaces: Callable[[Pair, Pair], bool], keeps_nan: bool = False) -> float:
    """One block that walks the array by its threads and folds pairs in a tree: the higher half onto the lower.

    A NaN is skipped in the walk, or, with `keeps_nan`, taken and never given up again (lesson12-nan).
    """
    x, threads = _row(f), int(f.inputs["threads"])
    pairs: list[Pair] = [(-math.inf, -1)] * threads
    for i, v in enumerate(x):
        value, index = pairs[i % threads]
        if keeps_nan and not math.isnan(value) and math.isnan(v):
            pairs[i % threads] = (math.nan, i)
        elif not math.isnan(v) and (index < 0 or v > value):
            pairs[i % threads] = (float(v), i)
    # Within each warp of 32, then over the warps' winners.
    while len(pairs) > 1:
        winners = []
        for first in range(0, len(pairs), 32):
            warp = pairs[first : first + 32] + [(-math.inf, -1)] * max(0, first + 32 - len(pairs))
            step = 16
            while step:
                for lane in range(step):
                    if replaces(warp[lane + step], warp[lane]):
                        warp[lane] = warp[lane + step]
                step //= 2
            winners.append(warp[0])
        pairs = winners
    return float(pairs[0][1])


def _smallest(other: Pair, mine: Pair) -> bool:
    if other[1] < 0 or mine[1] < 0:
        return other[1] >= 0
    return other[0] > mine[0] or (other[0] == mine[0] and other[1] < mine[1])


def _nan_over_number(other: Pair, mine: Pair) -> bool:
    """A NaN wins over a number; nothing is said about two NaNs."""
    return _smallest(other, mine) or (math.isnan(other[0]) and not math.isnan(mine[0]))


def _nan_over_all(other: Pair, mine: Pair) -> bool:
    """A NaN that comes from above replaces whatever is there."""
    return math.isnan(other[0]) or _smallest(other, mine)


NUMBERS: dict[str, Callable[[FollowUp], float]] = {
    "zero": lambda f: 0.0,
    "one": lambda f: 1.0,
    "two": lambda f: 2.0,
    "three": lambda f: 3.0,
    "half": lambda f: 0.5,
    "quarter": lambda f: 0.25,
    "minus_one": lambda f: -1.0,
    "nan": lambda f: math.nan,
    "inf": lambda f: math.inf,
    "minus_inf": lambda f: -math.inf,
    "lanes": lambda f: float(_lanes(f)),
    # row sum and row maximum
    "sum_real": lambda f: float(_row(f).sum()),
    "sum_pads_one": lambda f: float(_padded(f, 1.0).sum()),
    "sum_pads_zero": lambda f: float(_padded(f, 0.0).sum()),
    "sum_pads_given": lambda f: float(_padded(f, f.values["pad"]).sum()),
    "sum_and_lanes": lambda f: float(_row(f).sum() + _lanes(f)),
    "max_real": lambda f: float(_row(f).max()),
    "min_real": lambda f: float(_row(f).min()),
    "max_pads_zero": lambda f: float(_padded(f, 0.0).max()),
    "max_pads_given": lambda f: float(_padded(f, f.values["pad"]).max()),
    "max_finite": lambda f: float(_row(f)[np.isfinite(_row(f))].max()),
    "max_by_magnitude": lambda f: float(max(_row(f), key=abs)),
    # softmax
    "denominator": lambda f: _with_zero(f)[1],
    "denominator_real": lambda f: float(np.exp(_row(f) - _row(f).max()).sum()),
    "denominator_no_pads": lambda f: float(_with_zero(f)[0].sum()),
    "visible_sum": lambda f: float(_with_zero(f)[0].sum() / _with_zero(f)[1]),
    "softmax_second": lambda f: float(_weights(_row(f))[1]),
    "first_weights": lambda f: float(_weights(_row(f))[: int(f.values["count"])].sum()),
    # argmax
    "index_i": lambda f: float(f.values["i"]),
    "index_j": lambda f: float(f.values["j"]),
    "thread_i": lambda f: float(f.values["i"] % f.inputs["threads"]),
    "thread_j": lambda f: float(f.values["j"] % f.inputs["threads"]),
    "argmax_greater": lambda f: _argmax(f, lambda other, mine: other[0] > mine[0]),
    "argmax_greater_equal": lambda f: _argmax(f, lambda other, mine: other[1] >= 0 and other[0] >= mine[0]),
    "argmax_smallest": lambda f: _argmax(f, _smallest),
    "argmax_without_nan": lambda f: float(np.nanargmax(_row(f))),
    "nan_index": lambda f: float(np.flatnonzero(np.isnan(_row(f)))[0]),
    "nan_last": lambda f: float(np.flatnonzero(np.isnan(_row(f)))[-1]),
    "argmax_nan_loses": lambda f: _argmax(f, _smallest, keeps_nan=True),
    "argmax_nan_keeps": lambda f: _argmax(f, _nan_over_number, keeps_nan=True),
    "argmax_nan_replaces": lambda f: _argmax(f, _nan_over_all, keeps_nan=True),
}


def written(value: float) -> str:
    """A number as a learner writes it: whole, or to two decimals."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return str(int(value)) if value == int(value) else f"{value:.2f}"
