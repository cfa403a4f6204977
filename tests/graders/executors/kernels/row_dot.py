# test kernel: row_dot
"""out[i] = sum over j of x[i, j] * y[i, j]; the blank is what the lanes past the end of a row hold."""

import triton
import triton.language as tl


@triton.jit
def row_dot_kernel(x_ptr, y_ptr, out_ptr, x_step, y_step, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    inside = lane < n
    x = tl.load(x_ptr + row * x_step + lane, mask=inside, other=______)
    y = tl.load(y_ptr + row * y_step + lane, mask=inside, other=1.0)
    tl.store(out_ptr + row, tl.sum(x.to(tl.float32) * y.to(tl.float32), axis=0))


def row_dot(x, y, out):
    """x, y: (M, N); out: (M,). Raises ValueError for N = 0."""
    rows, columns = x.shape
    if columns == 0:
        raise ValueError("row_dot: no columns")
    row_dot_kernel[(rows,)](x, y, out, x.stride(0), y.stride(0), columns, BLOCK=triton.next_power_of_2(columns))
