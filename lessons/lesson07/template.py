# course: lesson07
"""Stable softmax, fused: out[i, j] = exp(x[i, j] - m_i) / sum_k exp(x[i, k] - m_i), where m_i is the maximum of row i.

One program (one instance of the kernel) keeps one row on chip: it reads the row once and writes it once.
Only the blank, the six underscores, is yours to fill: one expression.
"""

import triton
import triton.language as tl


@triton.jit
def softmax_one_row(x_ptr, out_ptr, x_step, out_step, N: tl.constexpr, BLOCK: tl.constexpr):
    # Which row is mine? 64 bits, because row * x_step may pass 2**31 on a large matrix.
    row = tl.program_id(0).to(tl.int64)

    # BLOCK is a power of two; lanes N .. BLOCK - 1 have no column of their own.
    lane = tl.arange(0, BLOCK)
    has_column = lane < N

    # What such a lane holds goes through everything below: the maximum, the subtraction, exp and the sum. One value
    # has to be harmless in both reductions. Left out, it is undefined, whatever your machine happens to show.
    logit = tl.load(x_ptr + row * x_step + lane, mask=has_column, other=______)

    # fp16 and bf16 are widened first: exp and the sum need float32.
    logit = logit.to(tl.float32)

    # Nothing exceeds 0 after the subtraction, so exp stays within 0 .. 1 and cannot overflow.
    shifted = logit - tl.max(logit, axis=0)
    weight = tl.exp(shifted)
    share = weight / tl.sum(weight, axis=0)

    # The mask again: lanes without a column must not write either. The store rounds to the type of `out`.
    tl.store(out_ptr + row * out_step + lane, share, mask=has_column)


def softmax(x, out):
    """Softmax of every row of `x` (M, N) into `out` (M, N); returns `out`.

    x: 2-D, floating point, elements of a row next to each other (x.stride(1) == 1); rows may lie further apart.
    out: shape of x, elements of a row next to each other as well.
    A row that holds a NaN or +inf, or nothing but -inf, comes out as NaN, as in torch.softmax.
    Raises ValueError where a shape or a stride does not fit; nothing is launched then.
    """
    if x.ndim != 2:
        raise ValueError(f"softmax: x must have 2 axes, it has {x.ndim}")
    M, N = x.shape
    if N < 1:
        raise ValueError("softmax: x needs at least one column (N >= 1)")
    if N > 1 and x.stride(1) != 1:
        raise ValueError("softmax: the elements of a row must be contiguous (x.stride(1) == 1)")
    if tuple(out.shape) != (M, N) or (N > 1 and out.stride(1) != 1):
        raise ValueError(f"softmax: out must have shape ({M}, {N}) and contiguous rows")
    if M > 0:
        # The smallest power of two that holds a row: 100 -> 128, 128 -> 128, 129 -> 256.
        BLOCK = triton.next_power_of_2(N)
        softmax_one_row[(M,)](x, out, x.stride(0), out.stride(0), N=N, BLOCK=BLOCK)
    return out
