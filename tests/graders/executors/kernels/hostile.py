# test kernel: hostile
"""A sound doubling kernel whose host function first does what the blank says."""

import ctypes
import os
import sys
import time

import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out_ptr + lane, 2 * tl.load(x_ptr + lane, mask=lane < n, other=0.0), mask=lane < n)


def double(x, out, what):
    """x, out: (n,); `what`: the hostile deed happens where it is 1."""
    if what == 1:
        ______
    double_kernel[(1,)](x, out, x.shape[0], BLOCK=triton.next_power_of_2(x.shape[0]))
