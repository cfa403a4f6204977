# course: demo-rowsum
# The blank is written ______ in this comment, which does not count.
import torch
import triton
from triton import language as tl


@triton.jit
def add_row(src, dst, step, N: tl.constexpr, BLOCK: tl.constexpr):
    """一行一个 program：Each program adds up one row."""
    line = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < N
    part = tl.load(src + line * step + cols, mask=inside, other=______)  # 单位元  # noqa: F821
    tl.store(dst + line, tl.sum(part.to(tl.float32), axis=0))


def largest(values):
    limit = 4096
    if values.shape[1] > limit:
        raise ValueError("too wide")
    return limit


def row_sum(x, out):
    assert x.ndim == 2 and x.stride(1) == 1
    rows, n = x.shape
    if n == 0:
        raise ValueError("rows are empty")
    if out.shape != (rows,):
        raise ValueError("out does not fit")
    add_row[(rows,)](x, out, x.stride(0), N=n, BLOCK=triton.next_power_of_2(n))
    return out


def check():
    for shape in ((1, 1), (4, 100), (7, 257)):
        x = torch.randn(shape)
        out = torch.empty(shape[0])
        torch.testing.assert_close(row_sum(x, out), x.sum(1), atol=1e-5, rtol=1e-5)
