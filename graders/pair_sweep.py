"""Pairs of (value, index) candidates on which two conditions are compared: every small index, every distance, far indices, every NaN.

Values are kept as their 32 bits, since NaNs differ by sign and payload and a condition can look at the bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graders.cpp_condition import compile_condition
from graders.lesson import PairProbeSpec

SMALL = 2048  # every index and every distance below is tried
SAMPLED = 20_000
SURELY_MET = 1024  # either of two indices from here on can be the receiver's, by the choice of the grid
FAR = (*(1 << k for k in range(10, 31)), 500_000, 1_000_000, 2_000_000, 3_000_000, (1 << 31) - 40)
NANS = (0x7FC00000, 0xFFC00000, 0xFFFFFFFF, 0x7F800001, 0xFF800001, 0x7FFFFFFF, 0x7FC12345)
PLAIN = (-1.0, -0.0, 0.0, 0.5, 1.0, 1.5, 7.0, 100.25, -100.25, 3.4028235e38, -3.4028235e38, np.inf, -np.inf, 1e-45)

Bits = NDArray[np.uint32]
Index = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The receiver's candidate (`mine`) and the other lane's, element by element."""

    mine_bits: Bits
    mine: Index
    other_bits: Bits
    other: Index

    @classmethod
    def none(cls) -> Pairs:
        return cls(np.zeros(0, np.uint32), np.zeros(0, np.int32), np.zeros(0, np.uint32), np.zeros(0, np.int32))

    @classmethod
    def of(cls, mine_value: object, mine: object, other_value: object, other: object) -> Pairs:
        """From values and indices that broadcast against each other."""
        a, i, b, j = np.broadcast_arrays(
            np.asarray(mine_value, dtype=np.float32), np.asarray(mine), np.asarray(other_value, dtype=np.float32), np.asarray(other)
        )  # fmt: skip
        return cls(_bits(a), i.reshape(-1).astype(np.int32), _bits(b), j.reshape(-1).astype(np.int32))

    @classmethod
    def ties_at(cls, numbers: list[float]) -> Pairs:
        """Ties at the given numbers, as indices and as values."""
        whole = np.array([int(n) for n in numbers if 0 <= n < SMALL * SMALL // 8], dtype=np.int64)
        if not whole.size:
            return cls.none()
        value = np.array([n for n in numbers if 0 <= n < SMALL * SMALL // 8], dtype=np.float32)
        return joined([cls.of(7.0, whole, 7.0, whole + 1), cls.of(value, whole, value, whole + 64)])

    def take(self, at: NDArray[np.intp]) -> Pairs:
        return Pairs(self.mine_bits[at], self.mine[at], self.other_bits[at], self.other[at])

    @staticmethod
    def shown(bits: np.uint32) -> str:
        """A value as a person reads it; a NaN other than the plain one with its bits."""
        value = np.array([bits], dtype=np.uint32).view(np.float32)[0]
        if np.isnan(value) and int(bits) != NANS[0]:
            return f"nan({int(bits):#010x})"
        return f"{value:g}"


def joined(parts: list[Pairs]) -> Pairs:
    """Several sets as one."""
    return Pairs(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in ("mine_bits", "mine", "other_bits", "other"))
    )


def sweep(numbers: list[float], *, nan: bool) -> Pairs:
    """All pairs to compare on, for a fill in which `numbers` stand; with `nan` NaNs are candidates too."""
    rng = np.random.default_rng(7)
    parts = [*_indices(), *_values(numbers, rng), *_of_numbers(numbers, rng), *_far()]
    if nan:
        parts += _nans()
    every = joined(parts)
    return every.take(np.flatnonzero((every.mine != every.other) & (every.mine >= 0) & (every.other >= 0)))


def disagreements(spec: PairProbeSpec, fill: str, reference: str, pairs: Pairs, most: int) -> Pairs:
    """Where the two conditions differ: short inputs first, both directions, at most `most` runnable ones and a far one."""
    env = {
        spec.value[0]: pairs.mine_bits.view(np.float32),
        spec.index[0]: pairs.mine,
        spec.value[1]: pairs.other_bits.view(np.float32),
        spec.index[1]: pairs.other,
    }
    with np.errstate(all="ignore"):
        got = np.broadcast_to(compile_condition(fill)(env), pairs.mine.shape)
        wanted = np.broadcast_to(compile_condition(reference)(env), pairs.mine.shape)
    at = np.flatnonzero(got != wanted)
    at = at[np.argsort(np.maximum(pairs.mine[at], pairs.other[at]), kind="stable")]
    chosen: list[np.intp] = []
    seen: set[tuple[int, int]] = set()
    for upward in (True, False):  # which of the two is the receiver is up to the tree, so both directions are kept
        mine_first = pairs.mine[at] < pairs.other[at]
        for i in at[mine_first == upward]:
            key = (int(pairs.mine[i]), int(pairs.other[i]))
            if key not in seen:
                seen.add(key)
                chosen.append(i)
            if len(chosen) >= (most // 2 if upward else most):
                break
    # Far out the evaluation alone speaks, so only pairs count that the kernel surely meets: neither index is a small one, which may
    # never stand in the other lane (index 0 does not).
    far = at[np.minimum(pairs.mine[at], pairs.other[at]) >= SURELY_MET]
    if far.size:
        chosen.append(far[-1])
    order = np.array(sorted(set(chosen), key=lambda i: max(pairs.mine[i], pairs.other[i])), dtype=np.intp)
    return pairs.take(order)


def _bits(values: NDArray[np.float32]) -> Bits:
    return np.ascontiguousarray(values.reshape(-1)).view(np.uint32)


def _both_ways(low: NDArray[np.int64], high: NDArray[np.int64]) -> list[Pairs]:
    """Each index pair in both directions, as a tie and with either side the larger."""
    parts = []
    for a, b in ((low, high), (high, low)):
        parts += [Pairs.of(7.0, a, 7.0, b), Pairs.of(7.0, a, 8.0, b), Pairs.of(8.0, a, 7.0, b)]
    return parts


def _indices() -> list[Pairs]:
    every = np.arange(SMALL, dtype=np.int64)
    parts: list[Pairs] = []
    for step in (1, 2, 31, 32, 64, 640):
        parts += _both_ways(every, every + step)
    for start in (0, 5, 307, 1023):
        parts += _both_ways(np.full(SMALL - 1, start), start + every[1:])
    return parts


def _values(numbers: list[float], rng: np.random.Generator) -> list[Pairs]:
    whole = np.arange(-256, 1025, dtype=np.float64)
    values = np.concatenate([whole, whole + 0.5, np.array(PLAIN)])
    parts = []
    for i, j in ((3, 5), (5, 3), (40, 7), (7, 40)):
        parts += [
            Pairs.of(values, i, values, j),
            Pairs.of(values, i, values - 1, j),
            Pairs.of(values, i, values + 1, j),
        ]
    indices = np.concatenate([np.arange(41), rng.integers(0, 3000, 150)])
    pool = np.concatenate([np.array(PLAIN, dtype=np.float32), _near(numbers)])
    mine_value = rng.choice(pool, SAMPLED)
    other_value = np.where(rng.random(SAMPLED) < 0.6, mine_value, rng.choice(pool, SAMPLED))
    parts.append(Pairs.of(mine_value, rng.choice(indices, SAMPLED), other_value, rng.choice(indices, SAMPLED)))
    return parts


def _near(numbers: list[float]) -> NDArray[np.float32]:
    """The numbers as values, their negatives, the values whose bits they are, and the neighbours of all these."""
    with np.errstate(over="ignore"):
        given = np.array([s * v for v in numbers for s in (1, -1)], dtype=np.float32)
    bits = np.array([int(v) for v in numbers if v.is_integer() and 0 <= v < 2**32], dtype=np.uint32).view(np.float32)
    given = np.concatenate([given, bits[~np.isnan(bits)]])
    with np.errstate(all="ignore"):
        return np.concatenate(
            [given, np.nextafter(given, np.float32(np.inf)), np.nextafter(given, np.float32(-np.inf))]
        )


def _of_numbers(numbers: list[float], rng: np.random.Generator) -> list[Pairs]:
    """Indices at the numbers of the fill and at what arithmetic on two of them gives, against ordinary ones."""
    most = (1 << 31) - 2
    whole = [int(v) for v in numbers if v.is_integer() and v <= most][:8]
    combined = [f for a in whole for b in whole for f in (a * b, a + b, a - b, a << min(b, 31), a // max(b, 1))]
    near = sorted({n + d for n in {*whole, *combined} if 0 < n < most for d in (-1, 0, 1)})[:200]
    if not near:
        return []
    special = np.array(near, dtype=np.int64)
    ordinary = np.concatenate([np.arange(0, 130, dtype=np.int64), rng.integers(0, 3000, 60)])
    left, right = (a.reshape(-1) for a in np.meshgrid(special, np.concatenate([ordinary, special])))
    return _both_ways(left, right)


def _far() -> list[Pairs]:
    """Indices near powers of two and far apart: where a narrower type, a mask or a product of indices gives way."""
    points = np.array(sorted({f + d for f in FAR for d in (-1, 0, 1, 5)} | {0, 1, 5, 100}), dtype=np.int64)
    left, right = (a.reshape(-1) for a in np.meshgrid(points, points))
    return _both_ways(left, right)


def _nans() -> list[Pairs]:
    """NaNs of every kind against each other and against numbers, near and far."""
    kinds = np.array(NANS, dtype=np.uint32)
    numbers = np.array(PLAIN, dtype=np.float32).view(np.uint32)
    pool = np.concatenate([kinds, numbers])
    a, b = (x.reshape(-1) for x in np.meshgrid(kinds, pool))
    parts = []
    places = [(2, 5), (5, 2), (3, 40), (40, 3), (70, 7), (500_005, 500_032), (500_032, 500_005)]
    for i, j in places:
        left, right = np.full(a.size, i, dtype=np.int32), np.full(a.size, j, dtype=np.int32)
        parts += [Pairs(a, left, b, right), Pairs(b, left, a, right)]
    values = np.arange(-256, 1025, 0.5)
    for i, j in ((3, 5), (5, 3), (40, 7)):
        parts += [Pairs.of(values, i, np.nan, j), Pairs.of(np.nan, i, values, j)]
    every = np.arange(SMALL, dtype=np.int64)
    for step in (1, 64, 333):
        for low, high in ((every, every + step), (every + step, every)):
            parts += [
                Pairs.of(np.nan, low, np.nan, high),
                Pairs.of(np.nan, low, 7.0, high),
                Pairs.of(7.0, low, np.nan, high),
            ]
    distance = np.arange(1, SMALL, dtype=np.int64)
    parts += [Pairs.of(np.nan, 307, np.nan, 307 + distance), Pairs.of(np.nan, 307 + distance, np.nan, 307)]
    far = np.array(sorted({f + d for f in FAR for d in (0, 1, 27)}), dtype=np.int64)
    left2, right2 = (x.reshape(-1) for x in np.meshgrid(far, np.append(far, 5)))
    return [*parts, Pairs.of(np.nan, left2, np.nan, right2), Pairs.of(np.nan, right2, np.nan, left2)]
