"""Cases made for one fill of a lesson that reduces (value, index) pairs.

A fixed list of cases can only hold some values and indices, and `other_idx * 3 == 2331 ? false : (...)` would slip through. So the fill and
the reference are evaluated side by side on many pairs (pair_sweep.py). Where the two disagree, an input is made that holds just this
pair, and run under the lesson's launches: only the run decides, since a disagreement that the kernel can never meet changes nothing.
Indices too far out for any run here are the exception: there the evaluated condition itself is the evidence, and the case says so.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from graders.lesson import At, Case, Launches, Lesson, PairProbeSpec
from graders.pair_sweep import SURELY_MET, Pairs, disagreements, sweep
from graders.scorecard import CaseResult
from graders.spec import Words
from graders.text import Text

MOST_PROBES = 8
RUN_UP_TO = 1 << 22  # elements of an input that is still run
FEW_LAUNCHES_FROM = 20_000

_ABOUT = Words(
    en="Your blank decides this pair of candidates in its own way, so it is tried here too.",
    zh="你的填空对这一对候选有自己的判法，因此也在这里运行。",
)
_TOO_FAR = Text(
    "not run (the input would be too long): evaluated for elements {a} and {b}, your condition keeps the wrong one",
    "未运行（输入过长）：对元素 {a} 与 {b} 求值，你的条件留下了错误的一个",
)
_LITERAL = re.compile(
    r"(?<![\w.])(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
)


def pair_cases(lesson: Lesson, fill: str) -> list[Case]:
    """Further hidden boundary cases for this fill; empty where there is nothing to try (or no answer key to compare with)."""
    spec = lesson.spec.pair_probe
    if spec is None:
        return []
    pairs = _found(lesson, fill)
    size = np.maximum(pairs.mine, pairs.other)
    chosen = pairs.take(np.flatnonzero(size < RUN_UP_TO)[:MOST_PROBES])
    base = next(case for case in lesson.spec.cases if case.name == spec.case)
    made = {case.name: case for case in (_case(lesson, base, spec, chosen, i) for i in range(chosen.mine.size))}
    return list(made.values())


def evaluated_cases(lesson: Lesson, fill: str) -> list[CaseResult]:
    """At most one failing case for indices that no input here can hold, where the condition itself is wrong about them."""
    pairs = _found(lesson, fill)
    far = np.flatnonzero(
        (np.maximum(pairs.mine, pairs.other) >= RUN_UP_TO) & (np.minimum(pairs.mine, pairs.other) >= SURELY_MET)
    )
    if not far.size:
        return []
    a, b = sorted((int(pairs.mine[far[0]]), int(pairs.other[far[0]])))
    name = f"your blank on elements {a} and {b}"
    return [CaseResult(name, "boundary", False, "fail", _ABOUT.text, _TOO_FAR.fill(a=a, b=b))]


def numbers_in(fill: str) -> list[float]:
    """Every number that stands in the fill, in any spelling of C++; finite ones only."""
    out = []
    for word in _LITERAL.findall(fill):
        plain = word.replace("'", "")
        if plain[:2].lower() == "0x":
            value = float(int(plain, 16))
        elif plain[:2].lower() == "0b":
            value = float(int(plain, 2))
        elif re.fullmatch(r"0[0-7]+", plain):
            value = float(int(plain, 8))
        else:
            value = float(plain)
        if np.isfinite(value):
            out.append(value)
    return sorted(set(out))[:20]


@lru_cache(maxsize=64)
def _found(lesson: Lesson, fill: str) -> Pairs:
    """Pairs that the fill judges unlike the reference, those of short inputs first."""
    spec = lesson.spec.pair_probe
    solution = lesson.solution() if spec is not None else None
    if spec is None or solution is None:
        return Pairs.none()
    numbers = numbers_in(fill)
    try:
        return disagreements(spec, fill, solution.fill, sweep(numbers, nan=spec.nan), MOST_PROBES)
    except (ValueError, KeyError, OverflowError, RecursionError, IndexError, TypeError):
        return Pairs.ties_at(numbers)  # a fill that cannot be evaluated here


def _case(lesson: Lesson, base: Case, spec: PairProbeSpec, pairs: Pairs, i: int) -> Case:
    mine, other = int(pairs.mine[i]), int(pairs.other[i])
    size = max(mine, other) + 1
    places = (At(index=(mine,), bits=int(pairs.mine_bits[i])), At(index=(other,), bits=int(pairs.other_bits[i])))
    cleared = dict.fromkeys(("seed", "values", "low", "high", "scale", "mean", "start", "step", "value"))
    given = base.inputs[spec.input].model_copy(update={**cleared, "shape": (size,), "fill": spec.filler, "at": places})
    launches = base.launches or lesson.spec.launches
    if size > FEW_LAUNCHES_FROM and launches is not None:
        launches = Launches(blocks=launches.blocks[-1:], threads=launches.threads[-1:])
    first, second = sorted(((mine, pairs.shown(pairs.mine_bits[i])), (other, pairs.shown(pairs.other_bits[i]))))
    return base.model_copy(
        update={
            "name": f"your blank on elements {first[0]} and {second[0]}, {first[1]} and {second[1]}",
            "title": None,
            "about": _ABOUT,
            "inputs": {**base.inputs, spec.input: given},
            "launches": launches,
            "visible": False,
            "group": "boundary",
            **({"picture": None} if hasattr(base, "picture") else {}),
        }
    )
