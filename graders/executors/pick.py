"""Which executor runs a lesson on this machine: the best tier that is there, or the one that was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graders.errors import EnvironmentProblem
from graders.executors.base import Executor
from graders.lesson import Language
from graders.text import Text

Backend = Literal["auto", "gpu", "cpu", "static"]
BACKENDS: tuple[Backend, ...] = ("auto", "gpu", "cpu", "static")


@dataclass(frozen=True, slots=True)
class Choice:
    """An executor that runs programs, or None where only compilers are left; `missing` says what would have been better."""

    executor: Executor | None
    missing: tuple[Text, ...] = ()


def has_gpu() -> bool:
    """Whether an NVIDIA device node is there: costs nothing and starts nothing."""
    return any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()


def pick(language: Language, backend: Backend = "auto") -> Choice:
    """The executor for a language; raises EnvironmentProblem where an explicitly named backend is not there."""
    if backend == "static":
        return Choice(None)
    missing: list[Text] = []
    wanted: tuple[Literal["gpu", "cpu"], ...] = ("gpu", "cpu") if backend == "auto" else (backend,)
    for kind in wanted:
        if kind == "gpu" and backend == "auto" and not has_gpu():
            continue
        executor = _make(language, kind)
        problem = executor.availability()
        if problem is None:
            return Choice(executor, tuple(missing))
        missing.append(problem)
    if backend != "auto":
        raise EnvironmentProblem(
            Text("backend {b} is not available: {w}", "后端 {b} 不可用：{w}").fill(b=backend, w=missing[0])
        )
    return Choice(None, tuple(missing))


def _make(language: Language, kind: Literal["gpu", "cpu"]) -> Executor:
    if language == "triton":
        if kind == "gpu":
            from graders.executors.triton_gpu import TritonGpu

            return TritonGpu()
        from graders.executors.triton_interpreter import TritonInterpreter

        return TritonInterpreter()
    if kind == "gpu":
        from graders.executors.nvcc import NvccGpu

        return NvccGpu()
    from graders.executors.emulator import EmulatorExecutor

    return EmulatorExecutor()
