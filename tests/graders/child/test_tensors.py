"""The stand-in for torch's tensors and the guarded arenas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graders.arrays import HostArray
from graders.child.tensors import GUARD, Arena, NeedsTorch

torch = pytest.importorskip("torch")


def forms() -> list[HostArray]:
    storage = np.arange(64, dtype=np.float32)
    return [
        HostArray.dense("fp32", np.ones((3, 4))),
        HostArray.dense("int32", np.ones(7)),
        HostArray.dense("bf16", np.ones((2, 1, 5))),
        HostArray.dense("fp16", np.ones((2, 0))),
        HostArray("fp32", (4, 3), (10, 2), 5, storage),
        HostArray("fp32", (3, 4), (1, 3), 0, storage),
        HostArray("fp32", (1, 4), (99, 1), 1, storage),
    ]


@pytest.mark.parametrize("array", forms(), ids=lambda a: f"{a.dtype}{a.shape}{a.strides}")
def test_the_stand_in_answers_like_torch(array):
    arena = Arena("x", array)
    light, real = arena.light(), arena.torch()
    assert tuple(light.shape) == tuple(real.shape) == tuple(light.size())
    assert light.stride() == real.stride() and light.ndim == real.ndim == light.dim()
    assert str(light.dtype) == str(real.dtype) and light.element_size() == real.element_size()
    assert light.is_contiguous() == real.is_contiguous()
    assert light.numel() == real.numel() and len(light) == len(real)
    assert light.is_cuda is real.is_cuda is False and str(light.device) == str(real.device)
    if real.numel():
        assert light.data_ptr() == real.data_ptr() and light.storage_offset() == array.offset
        np.testing.assert_array_equal(real.double().numpy(), array.values())


@pytest.mark.parametrize("use", [lambda t: t + 1, lambda t: t.sum(), lambda t: t[0], lambda t: list(t), lambda t: -t])
def test_what_computes_asks_for_torch(use):
    with pytest.raises(NeedsTorch):
        use(Arena("x", HostArray.dense("fp32", np.ones(3))).light())


def test_guards_and_reset():
    arena = Arena("x", HostArray.dense("fp32", np.ones(5)))
    assert arena.guards_intact() and not arena.changed()
    arena.storage[2] = 7
    assert arena.changed()
    arena._bytes[GUARD + arena.size] ^= 1
    assert not arena.guards_intact()
    arena.reset()
    assert arena.guards_intact() and not arena.changed()


def test_gaps_of_a_view_are_not_valid():
    arena = Arena("x", HostArray("fp32", (2, 3), (5, 1), 1, np.zeros(12, dtype=np.float32)))
    assert np.flatnonzero(arena.valid).tolist() == [1, 2, 3, 6, 7, 8]


@pytest.mark.parametrize("use", ["torch.zeros(3)", "torch.cuda.is_available()", "__import__('torch.nn.functional')"])
def test_import_torch_gives_types_only(use):
    code = (
        "from graders.child.tensors import NeedsTorch, install_light_torch\n"
        "install_light_torch()\n"
        "import torch\n"
        "assert str(torch.float32) == 'torch.float32' and torch.Tensor\n"
        f"try: {use}\n"
        "except NeedsTorch as need: print(need)\n"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() in ("torch.zeros", "torch.cuda", "torch.nn")
