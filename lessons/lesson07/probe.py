"""The stages of lesson07's kernel on one row, lane by lane. Drawn when a case fails; a verdict never depends on it."""

import triton
import triton.language as tl


@triton.jit
def show_stages(x_ptr, out_ptr, out_step, N: tl.constexpr, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    has_column = lane < N
    logit = tl.load(x_ptr + lane, mask=has_column, other=______).to(tl.float32)
    weight = tl.exp(logit - tl.max(logit, axis=0))
    tl.store(out_ptr + lane, logit)
    tl.store(out_ptr + out_step + lane, weight)


def probe(x, out):
    """`x` (1, N) is the row; `out` (2, BLOCK) takes what each lane holds after the load and after exp."""
    show_stages[(1,)](x, out, out.stride(0), N=x.shape[1], BLOCK=out.shape[1])
    return out
