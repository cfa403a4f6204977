"""Cases made for one fill of a lesson that reduces (value, index) pairs.

A fixed list of cases can only hold some values and indices, and `other_idx == 777 ? false : (...)` would slip through. So the fill and
the reference are evaluated side by side on many pairs: ordinary values and indices, and every number that stands in the fill with its
neighbours. Where the two disagree, an input is made that holds just this pair, and run under the lesson's launches. Only the run
decides: a disagreement that the kernel can never meet changes nothing.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from graders.cpp_condition import compile_condition
from graders.lesson import At, Case, Launches, Lesson, PairProbeSpec
from graders.spec import Words

MOST_PROBES = 8
MOST_ELEMENTS = 1 << 20
FEW_LAUNCHES_FROM = 20_000
SAMPLED = 20_000

_ABOUT = Words(
    en="Your blank decides this pair of candidates in its own way, so it is tried here too.",
    zh="你的填空对这一对候选有自己的判法，因此也在这里运行。",
)
_LITERAL = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)")


def pair_cases(lesson: Lesson, fill: str) -> list[Case]:
    """Further hidden boundary cases for this fill; empty where there is nothing to try (or no answer key to compare with)."""
    spec = lesson.spec.pair_probe
    solution = lesson.solution() if spec is not None else None
    if spec is None or solution is None:
        return []
    literals = numbers_in(fill)
    values, indices = _values(spec, literals), _indices(literals)
    rng = np.random.default_rng(len(fill))
    try:
        found = _disagreements(spec, fill, solution.fill, values, indices, rng)
    except (ValueError, KeyError, OverflowError, RecursionError, IndexError, TypeError):
        found = _of_literals(literals)
    base = next(case for case in lesson.spec.cases if case.name == spec.case)
    return [_case(lesson, base, spec, *pair) for pair in found]


def numbers_in(fill: str) -> list[float]:
    """Every number that stands in the fill, finite ones only."""
    out = []
    for word in _LITERAL.findall(fill):
        value = float(int(word, 16)) if word[:2].lower() == "0x" else float(word)
        if np.isfinite(value):
            out.append(value)
    return sorted(set(out))[:20]


def _values(spec: PairProbeSpec, literals: list[float]) -> NDArray[np.float32]:
    plain = [-1.0, -0.0, 0.0, 0.5, 1.0, 1.5, 7.0, 100.25, -100.25, 3.4028235e38, -3.4028235e38, np.inf, -np.inf, 1e-45]
    with np.errstate(over="ignore"):
        given = np.array([s * v for v in literals for s in (1, -1)], dtype=np.float32)
    # A whole number may also be the bits of a value (__float_as_int).
    bits = np.array([int(v) for v in literals if v.is_integer() and 0 <= v < 2**32], dtype=np.uint32).view(np.float32)
    given = np.concatenate([given, bits[~np.isnan(bits)]])
    near = [np.nextafter(given, np.float32(np.inf)), np.nextafter(given, np.float32(-np.inf))]
    out = np.concatenate([np.array(plain, dtype=np.float32), given, *near])
    return np.append(out, np.float32(np.nan)) if spec.nan else out


def _indices(literals: list[float]) -> NDArray[np.int32]:
    plain = [*range(41), *range(62, 67), *range(126, 131), *range(254, 259), *range(1023, 1027)]
    whole = [int(v) for v in literals if v.is_integer() and v < MOST_ELEMENTS][:8]
    combined = [f for a in whole for b in whole for f in (a * b, a + b, a - b)]
    given = [n + d for n in {*whole, *combined} if 0 <= n < MOST_ELEMENTS for d in (-1, 0, 1)]
    spread = np.random.default_rng(7).integers(0, 3000, 150)
    return np.unique(np.clip([*plain, *given, *spread], 0, MOST_ELEMENTS - 1)).astype(np.int32)


def _disagreements(
    spec: PairProbeSpec,
    fill: str,
    reference: str,
    values: NDArray[np.float32],
    indices: NDArray[np.int32],
    rng: np.random.Generator,
) -> list[tuple[float, int, float, int]]:
    """(value, index, value, index) of pairs that the fill judges unlike the reference, most telling first."""
    ordinary = _indices([])
    special = np.setdiff1d(indices, ordinary)[:120]
    mine = rng.choice(indices, SAMPLED)
    other = rng.choice(indices, SAMPLED)
    if special.size:  # the numbers of the fill against every index, both ways round
        left, right = (a.reshape(-1) for a in np.meshgrid(special, indices))
        mine, other = np.concatenate([mine, left, right]), np.concatenate([other, right, left])
    keep = mine != other
    mine, other = mine[keep], other[keep]
    mine_value = rng.choice(values, mine.size)
    other_value = np.where(rng.random(mine.size) < 0.6, mine_value, rng.choice(values, mine.size)).astype(np.float32)
    env = {spec.value[0]: mine_value, spec.index[0]: mine, spec.value[1]: other_value, spec.index[1]: other}
    with np.errstate(all="ignore"):
        got = np.broadcast_to(compile_condition(fill)(env), mine.shape)
        wanted = np.broadcast_to(compile_condition(reference)(env), mine.shape)
    at = np.flatnonzero(got != wanted)
    out: list[tuple[float, int, float, int]] = []
    seen: set[tuple[int, int]] = set()
    # Small inputs first: they run fastest. Both directions: whichever the tree brings about.
    for i in at[np.argsort(np.maximum(mine[at], other[at]), kind="stable")]:
        key = (int(mine[i]), int(other[i]))
        if key in seen or sum((a < b) == (key[0] < key[1]) for a, b in seen) >= MOST_PROBES // 2:
            continue
        seen.add(key)
        out.append((float(mine_value[i]), key[0], float(other_value[i]), key[1]))
        if len(out) == MOST_PROBES:
            break
    return out


def _of_literals(literals: list[float]) -> list[tuple[float, int, float, int]]:
    """For a fill that cannot be evaluated here: ties at its own numbers."""
    out = []
    for value in literals:
        index = int(value)
        if 0 <= index < MOST_ELEMENTS - 64:
            out += [
                (7.0, index, 7.0, index + 1),
                (float(np.float32(value)), index, float(np.float32(value)), index + 64),
            ]
    return out[:MOST_PROBES]


def _case(
    lesson: Lesson, base: Case, spec: PairProbeSpec, mine_value: float, mine: int, other_value: float, other: int
) -> Case:
    size = max(mine, other) + 1
    given = base.inputs[spec.input].model_copy(
        update={
            "shape": (size,),
            "fill": spec.filler,
            "seed": None,
            "at": (At(index=(mine,), value=mine_value), At(index=(other,), value=other_value)),
            "values": None,
            "low": None,
            "high": None,
            "scale": None,
            "mean": None,
            "start": None,
            "step": None,
            "value": None,
        }
    )
    launches = base.launches or lesson.spec.launches
    if size > FEW_LAUNCHES_FROM and launches is not None:
        launches = Launches(blocks=launches.blocks[-1:], threads=launches.threads[-1:])
    name = f"your blank on elements {min(mine, other)} and {max(mine, other)}"
    return base.model_copy(
        update={
            "name": f"{name}, {mine_value:g} and {other_value:g}",
            "title": None,
            "about": _ABOUT,
            "inputs": {**base.inputs, spec.input: given},
            "launches": launches,
            "visible": False,
            "group": "boundary",
        }
    )
