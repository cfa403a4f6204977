# test kernel: who_writes
"""Four programs, out of (4,); the blank says which element each writes, and what."""

import triton
import triton.language as tl


@triton.jit
def who_writes_kernel(x_ptr, out_ptr):
    me = tl.program_id(0)
    ______


def who_writes(x, out):
    """x, out: (4,) int32."""
    who_writes_kernel[(4,)](x, out)
