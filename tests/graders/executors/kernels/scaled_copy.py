# test kernel: scaled_copy
"""out[i] = 2 * x[i] in blocks of 16; the blank is the mask of load and store."""

import triton
import triton.language as tl


@triton.jit
def scaled_copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = ______
    tl.store(out_ptr + place, tl.load(x_ptr + place, mask=inside, other=0) * 2, mask=inside)


def scaled_copy(x, out):
    """x, out: (n,)."""
    n = x.shape[0]
    scaled_copy_kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
