"""The exact mapping of lesson12 in NumPy: who holds what, who meets whom, and what a condition makes of it.

The condition of the blank comes in as a function of arrays, so that a right or wrong fill can be judged without a
compiler and without the emulator: an independent second opinion on wrong_fills.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Condition = Callable[[Mapping[str, Array]], Array]
Pairs = tuple[Array, Array]

LANES = 32


def argmax(x: Array, blocks: int, threads: int, wins: Condition, first_nan: bool = False) -> int:
    """Index that the kernel returns for `x` (fp32, n >= 1) with `blocks` blocks of `threads` threads in pass 1."""
    with np.errstate(all="ignore"):
        value, index = scan(x.astype(np.float32), blocks * threads, first_nan)
        value, index = block_best(value.reshape(blocks, threads), index.reshape(blocks, threads), wins)
        return final_pass(value, index, threads, wins)


def scan(x: Array, threads: int, first_nan: bool) -> Pairs:
    """Pass 1 before any exchange: each of `threads` threads walks its grid stride; shape [threads]."""
    rounds = -(-x.size // threads)
    padded = np.full(rounds * threads, np.nan, np.float32)
    padded[: x.size] = x
    table = padded.reshape(rounds, threads)
    present = (np.arange(rounds * threads) < x.size).reshape(rounds, threads)
    nan = np.isnan(table) & present
    counts = present & ~nan
    best = np.where(counts, table, -np.inf).max(axis=0)
    first = np.argmax(counts & (table == best), axis=0)  # ascending order: the earliest of equal values stays
    empty = ~counts.any(axis=0)
    value = np.where(empty, np.float32(-np.inf), table[first, np.arange(threads)])  # keeps the sign of a zero
    index = np.where(empty, -1, first * threads + np.arange(threads))
    if first_nan:
        hit, where = nan.any(axis=0), np.argmax(nan, axis=0)
        value = np.where(hit, table[where, np.arange(threads)], value)  # with its own sign and payload
        index = np.where(hit, where * threads + np.arange(threads), index)
    return value.astype(np.float32), index.astype(np.int32)


def warp_best(value: Array, index: Array, wins: Condition) -> Pairs:
    """All 32 lanes (last axis) after the five shuffle steps; a lane past the end reads its own pair back."""
    value, index = value.copy(), index.copy()
    step = LANES // 2
    while step:
        other_val, other_idx = value.copy(), index.copy()
        other_val[..., :-step], other_idx[..., :-step] = value[..., step:], index[..., step:]
        names = {"other_val": other_val, "other_idx": other_idx, "vi.val": value, "vi.idx": index}
        won = np.broadcast_to(wins(names), value.shape)
        value, index = np.where(won, other_val, value), np.where(won, other_idx, index)
        step //= 2
    return value, index


def block_best(value: Array, index: Array, wins: Condition) -> Pairs:
    """Winner of each block; in: [blocks, threads], out: [blocks]."""
    blocks, threads = value.shape
    warps = threads // LANES
    value, index = warp_best(value.reshape(blocks, warps, LANES), index.reshape(blocks, warps, LANES), wins)
    gathered = np.full((blocks, LANES), -np.inf, np.float32), np.full((blocks, LANES), -1, np.int32)
    gathered[0][:, :warps], gathered[1][:, :warps] = value[:, :, 0], index[:, :, 0]
    value, index = warp_best(*gathered, wins)
    return value[:, 0], index[:, 0]


def final_pass(value: Array, index: Array, threads: int, wins: Condition) -> int:
    """Pass 2: round by round, thread 0 carrying the winner so far."""
    count = value.size
    slots = max(threads, threads + -(-(count - threads) // (threads - 1)) * (threads - 1))
    val, idx = np.full(slots, -np.inf, np.float32), np.full(slots, -1, np.int32)
    val[:count], idx[:count] = value, index
    best_val, best_idx = block_best(val[None, :threads], idx[None, :threads], wins)
    for start in range(threads, count, threads - 1):
        chunk = slice(start, start + threads - 1)
        best_val, best_idx = block_best(
            np.concatenate([best_val, val[chunk]])[None], np.concatenate([best_idx, idx[chunk]])[None], wins
        )
    return int(best_idx[0])
