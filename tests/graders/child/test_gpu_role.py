"""The GPU role's own logic (guards, poisons, replies) with the CPU in the place of the device.

What only a device can show (compiled launches, CUDA errors) is in tests marked `gpu`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

CODE = r"""
import json, os, sys
os.environ["TRITON_INTERPRET"] = "1"
import numpy as np
import torch
from graders.child import gpu
gpu.DEVICE = "cpu"
torch.cuda.synchronize = lambda: None
torch.cuda.is_available = lambda: True
gpu.preload("torch")
runner = gpu.Runner({"work": sys.argv[1]})
from triton.runtime.interpreter import GridExecutor
plain = GridExecutor.__call__
def counted(self, *args, **kwargs):
    runner.launches += 1
    try:
        return plain(self, *args, **kwargs)
    except Exception as error:
        runner.kernel_error = error
        raise
GridExecutor.__call__ = counted
canary = runner.canary()

def case(kernel, function, arguments, fill, **arrays):
    source = open(os.path.join(sys.argv[2], kernel + ".py")).read().replace("______", fill)
    runner.modules.clear()
    runner.filler.seen.clear()
    opened = runner.open({"source": source, "filename": kernel + ".py", "function": function})
    assert opened == {"event": "opened"}, opened
    forms = {name: {"dtype": "fp32", "shape": list(a.shape), "strides": [s // 4 for s in a.strides], "offset": 0,
                    "elements": a.size} for name, a in arrays.items()}
    header = {"arrays": forms, "arguments": arguments, "outputs": ["out"], "scalars": {}}
    reply, out = runner.run(header, [a.tobytes() for a in arrays.values()])
    reply["values"] = [np.frombuffer(o, dtype=np.float32).tolist() for o in out]
    return reply

x = np.arange(6, dtype=np.float32).reshape(2, 3)
two, copy = np.full(2, -7, dtype=np.float32), np.full(5, -7, dtype=np.float32)
peak = ("row_peak", "row_peak", ["x", "out"])
scaled = ("scaled_copy", "scaled_copy", ["x", "out"])
five = np.arange(5, dtype=np.float32)
print(json.dumps({
    "canary": canary,
    "right": case(*scaled, "place < n", x=five, out=copy),
    "outside": case(*scaled, "place >= 0", x=five, out=copy),
    "undefined": case(*peak, "x", x=x, out=two),
    "masked away": case(*peak, "tl.where(inside, x, float('-inf'))", x=x, out=two),
    "raised": case("row_dot", "row_dot", ["x", "x", "out"], "0.0", x=np.zeros((2, 0), dtype=np.float32), out=two),
    "kernel": case("row_dot", "row_dot", ["x", "x", "out"], "'zero'", x=x, out=two),
}))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    pytest.importorskip("torch")
    kernels = Path(__file__).parent.parent / "executors/kernels"
    command = [sys.executable, "-c", CODE, str(tmp_path_factory.mktemp("work")), str(kernels)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_canary_passes(seen):
    assert seen["canary"] == ""


def test_a_right_kernel(seen):
    reply = seen["right"]
    assert reply["status"] == "ok" and not reply["findings"] and not reply["changed"] and not reply["undefined"]
    assert reply["values"] == [[0, 2, 4, 6, 8]] and reply["runs"] == [""]


def test_a_store_into_the_guard(seen):
    assert [(f["kind"], f["argument"]) for f in seen["outside"]["findings"]] == [("out-of-bounds", "out")]


def test_undefined_lanes_run_with_every_poison(seen):
    reply = seen["undefined"]
    assert reply["runs"] == ["", "poison:max", "poison:-max"]
    assert reply["values"][0] == reply["values"][2] == [2, 5] and reply["values"][1][0] > 1e38
    assert len(reply["undefined"]) == 1


def test_undefined_lanes_that_do_not_matter(seen):
    assert seen["masked away"]["values"] == [[2, 5]] * 3


def test_exceptions_of_host_and_kernel(seen):
    raised, kernel = seen["raised"], seen["kernel"]
    assert raised["status"] == "raised" and raised["raised"]["type"] == "ValueError"
    assert raised["raised"]["launched"] is False
    assert kernel["status"] == "error" and kernel["raised"]["line"] == 13
