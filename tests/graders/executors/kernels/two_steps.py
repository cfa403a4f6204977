# test kernel: two_steps
"""out[0] = sum of x, by way of partial sums that the host function allocates itself (so it needs the real torch)."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, part_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(part_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + place, mask=place < n, other=0.0), axis=0))


@triton.jit
def final_kernel(part_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(part_ptr + lane, mask=lane < ______, other=0.0), axis=0))


def two_steps(x, out):
    """x: (n,); out: (1,)."""
    n = x.shape[0]
    parts = triton.cdiv(n, 8)
    part = torch.empty(parts, dtype=torch.float32, device=x.device)
    partial_kernel[(parts,)](x, part, n, BLOCK=8)
    final_kernel[(1,)](part, out, parts, BLOCK=triton.next_power_of_2(parts))
