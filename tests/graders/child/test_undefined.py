"""The wrap that fills undefined lanes in compiled kernels, seen in the PTX (no GPU needed)."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from graders.child.undefined import POISONS, poison_value

CODE = """
import os, sys
from graders.child import compile as role, undefined, canary
role.preload("light")
from graders.child.tensors import Tensor
filler = undefined.Filler()
undefined.install(filler)
runner = role.Runner({"work": sys.argv[1]})
for function in (canary.good_sum, canary.undefined_lanes):
    for poison in undefined.POISONS:
        os.environ["TRITON_CACHE_DIR"] = f"{sys.argv[1]}/{poison}"
        filler.poison = poison
        filler.seen.clear()
        runner.launches.clear()
        function(Tensor(1 << 32, "fp32", (5,), (1,), 0, None), Tensor(1 << 33, "fp32", (1,), (1,), 0, None))
        source, options = runner._specialised(runner.launches[0], 80)
        import triton
        from triton.backends.compiler import GPUTarget
        ptx = triton.compile(source, target=GPUTarget("cuda", 80, 32), options=options).asm["ptx"].upper()
        constant = {"nan": "7FC00000", "max": "7F7FFFFF", "-max": "FF7FFFFF"}[poison]
        decimal = str(int(constant, 16) - (1 << 32 if poison == "-max" else 0))
        print(function.__name__, poison, sorted(filler.seen), constant in ptx or decimal in ptx)
"""


def test_poisons_go_into_the_compiled_kernel(tmp_path):
    pytest.importorskip("triton")
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, cwd=root, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    source = (root / "graders/child/canary.py").read_text().splitlines()
    load = next(i for i, text in enumerate(source, 1) if "mask=columns < n)" in text)
    column = source[load - 1].index("tl.load") + 1
    assert lines[:3] == [f"good_sum {poison} [] False" for poison in POISONS]
    assert lines[3:] == [f"undefined_lanes {poison} [({load}, {column})] True" for poison in POISONS]


@pytest.mark.parametrize(("dtype", "bits"), [("int8", 8), ("int32", 32), ("uint16", 16), ("int64", 64)])
def test_integer_poisons_fit_their_type(dtype, bits):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.startswith("int") else (0, 2**bits - 1)
    values = [poison_value(dtype, poison) for poison in POISONS]
    assert values[1] == high and values[2] == low and low <= values[0] <= high
    assert len(set(values)) == 3


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64"])
def test_float_poisons(dtype):
    nan, most, least = (poison_value(dtype, poison) for poison in POISONS)
    assert math.isnan(nan) and math.isfinite(most) and least == -most


def test_types_without_a_poison_are_left_alone():
    assert poison_value("fp8e5", "nan") is None
