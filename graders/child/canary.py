"""Known kernels that prove the instruments of a worker before a learner's code runs."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def _sum_kernel(x, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + columns, mask=columns < n, other=0.0)
    tl.store(out, tl.sum(values, axis=0))


@triton.jit  # type: ignore[untyped-decorator]
def _undefined_kernel(x, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + columns, mask=columns < n)
    tl.store(out, tl.sum(values, axis=0))


@triton.jit  # type: ignore[untyped-decorator]
def _outside_kernel(x, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + columns, mask=columns < n, other=0.0)
    tl.store(out + columns, values)


def good_sum(x: Any, out: Any) -> None:
    """out[0] = the sum of the five elements of x."""
    _sum_kernel[(1,)](x, out, x.shape[0], BLOCK=8)


def undefined_lanes(x: Any, out: Any) -> None:
    """The same with `other` left out: three lanes are undefined."""
    _undefined_kernel[(1,)](x, out, x.shape[0], BLOCK=8)


def outside_store(x: Any, out: Any) -> None:
    """Stores eight elements into an output of one."""
    _outside_kernel[(1,)](x, out, x.shape[0], BLOCK=8)
