# test kernel: tuned
"""out[i] = (blank) * x[i], autotuned over two block lengths."""

import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 8}, num_warps=1), triton.Config({"BLOCK": 4}, num_warps=2)], key=["n"])
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + place, tl.load(x_ptr + place, mask=place < n, other=0.0) * ______, mask=place < n)


def tuned(x, out):
    """x, out: (n,)."""
    n = x.shape[0]
    tuned_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
