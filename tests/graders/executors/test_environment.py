"""When the machine is at fault: EnvironmentProblem or a plain sentence, never a verdict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graders.errors import EnvironmentProblem
from graders.executors import triton_gpu, worker
from graders.executors.base import CompileProblem, Executor, Session
from graders.executors.triton_compile import TritonCompile
from graders.executors.triton_gpu import TritonGpu
from graders.executors.triton_interpreter import TritonInterpreter

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("make", [TritonInterpreter, TritonCompile, TritonGpu])
def test_triton_that_is_not_installed_is_said_with_the_remedy(make, monkeypatch):
    monkeypatch.setattr(worker, "installed", lambda module: module != "triton")
    monkeypatch.setattr(triton_gpu, "Path", _PathWithGpu)
    missing = make().availability()
    assert missing is not None and "pip install" in missing.en and "pip install" in missing.zh


class _PathWithGpu(type(Path())):  # type: ignore[misc]
    def glob(self, pattern, **_):
        return iter([Path("/dev/nvidia0")]) if str(self) == "/dev" else super().glob(pattern)


def test_no_gpu_is_said(monkeypatch):
    class Bare(type(Path())):  # type: ignore[misc]
        def glob(self, *_, **__):
            return iter(())

        def exists(self, **_):
            return False

    monkeypatch.setattr(triton_gpu, "Path", Bare)
    missing = TritonGpu().availability()
    assert missing is not None and "GPU" in missing.en


def test_a_cpu_build_of_torch_is_recognised_without_importing_it(tmp_path, monkeypatch):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").write_text("raise RuntimeError('must not be imported')\n")
    version = tmp_path / "torch/version.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    for line, expected in (("cuda: Optional[str] = None", True), ("cuda: Optional[str] = '12.8'", False)):
        version.write_text(f"__version__ = '2'\n{line}\n")
        assert triton_gpu._torch_is_cpu_only() is expected


def test_a_program_that_needs_torch_where_there_is_none(program, job, monkeypatch):
    monkeypatch.setattr(worker, "installed", lambda module: module != "torch")
    executor = TritonInterpreter(processes=1)
    made = job("steps", {"x": np.ones(50)}, {"out": ("fp32", (1,))})
    filled = program("two_steps", "n")
    # a name of its own: the session remembers which templates need torch
    import dataclasses

    filled = dataclasses.replace(filled, filename="needs_torch.py")
    try:
        with executor.open(filled) as session, pytest.raises(EnvironmentProblem) as raised:
            session.run(made, 10.0)
    finally:
        executor.close()
    assert "torch.empty" in raised.value.text.en and "pip install torch" in raised.value.text.zh


def test_a_program_that_does_not_load(interpreter, program):
    with pytest.raises(CompileProblem) as raised:
        interpreter.open(program("row_dot", "0.0]"))
    assert raised.value.findings[0].line == 13 and "SyntaxError" in raised.value.text.en


def test_a_missing_host_function(interpreter, program):
    import dataclasses

    filled = program("row_dot", "0.0")
    source = filled.source.replace("def row_dot(", "def row_dots(")
    with pytest.raises(CompileProblem) as raised:
        interpreter.open(dataclasses.replace(filled, source=source))
    assert "row_dot" in raised.value.text.en


BREAK = {
    "the sum": ("canary.good_sum = lambda x, out: None", "known-good"),
    "the poison": ("instruments.Watch.fill = lambda self, *_: 0", "undefined"),
    "the bounds": ("instruments.Watch.check = lambda self, p, m, *_: m", "out-of-bounds"),
}


@pytest.mark.parametrize("what", BREAK)
def test_the_canary_notices_a_broken_interpreter(what):
    breaking, word = BREAK[what]
    code = (
        "import os; os.environ['TRITON_INTERPRET'] = '1'\n"
        "from graders.child import interpret, instruments\n"
        "interpret.preload('light')\n"
        "from graders.child import canary\n"
        "runner = interpret.Runner({'flavour': 'light', 'work': ''})\n"
        "assert runner.canary() == '', runner.canary()\n"
        f"{breaking}\n"
        "print(runner.canary())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert word in done.stdout


def test_a_worker_that_cannot_start_is_the_environments_fault(program, monkeypatch):
    worker.close_warm("interpret")
    monkeypatch.setattr(worker, "BOOTSTRAP", "raise ImportError('libtriton.so is broken')")
    executor = TritonInterpreter(processes=1)
    with pytest.raises(EnvironmentProblem) as raised:
        executor.open(program("row_dot", "0.0"))
    assert "libtriton.so is broken" in raised.value.text.en
    executor.close()


def test_the_same_where_the_worker_has_ended_before_it_is_asked(program, monkeypatch):
    worker.close_warm("interpret")
    monkeypatch.setattr(worker, "BOOTSTRAP", "raise ImportError('libtriton.so is broken')")
    fork = worker.Zygote.fork

    def late(zygote):
        zygote._process.wait(timeout=30)
        return fork(zygote)

    monkeypatch.setattr(worker.Zygote, "fork", late)
    executor = TritonInterpreter(processes=1)
    with pytest.raises(EnvironmentProblem) as raised:
        executor.open(program("row_dot", "0.0"))
    assert "libtriton.so is broken" in raised.value.text.en
    executor.close()


def test_the_executors_keep_the_protocol(interpreter, program):
    assert isinstance(interpreter, Executor) and isinstance(TritonGpu(), Executor)
    with interpreter.open(program("row_dot", "0.0")) as session:
        assert isinstance(session, Session)
