"""Kernels with a blank, jobs for them, and executors that stay warm over a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graders.arrays import HostArray, encode
from graders.executors.base import BlankSpan, Limits, Program, TritonEntry
from graders.executors.triton_gpu import TritonGpu
from graders.executors.triton_interpreter import TritonInterpreter
from graders.observation import Job

KERNELS = Path(__file__).parent / "kernels"
BLANK = "______"
POISON = np.array([0x7FC0BEEF], dtype=np.uint32).view(np.float32)[0]

ENTRIES = {
    "row_dot": TritonEntry("row_dot", ("x", "y", "out")),
    "scaled_copy": TritonEntry("scaled_copy", ("x", "out")),
    "row_peak": TritonEntry("row_peak", ("x", "out")),
    "who_writes": TritonEntry("who_writes", ("x", "out")),
    "two_steps": TritonEntry("two_steps", ("x", "out")),
    "tuned": TritonEntry("tuned", ("x", "out")),
    "hostile": TritonEntry("double", ("x", "out", "what")),
}


def make_program(kernel: str, fill: str) -> Program:
    """The test kernel with its blank filled."""
    template = (KERNELS / f"{kernel}.py").read_text()
    before, after = template.split(BLANK)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    span = BlankSpan(line, column, line, column + len(fill))
    return Program(before + fill + after, f"{kernel}.py", "triton", ENTRIES[kernel], span)


def make_job(
    case: str, inputs: dict[str, Any], outputs: dict[str, tuple[str, tuple[int, ...]]], **scalars: int | float
) -> Job:
    """Dense inputs (HostArray, or values taken as fp32); outputs full of a marked NaN, or of a marked integer."""
    arrays = {
        name: value if isinstance(value, HostArray) else HostArray.dense("fp32", np.asarray(value))
        for name, value in inputs.items()
    }
    poisoned: dict[str, HostArray] = {}
    for name, (dtype, shape) in outputs.items():
        array = HostArray.dense(dtype, np.zeros(shape))  # type: ignore[arg-type]
        array.storage[...] = -1414812757 if dtype == "int32" else encode(np.array([POISON]), dtype)[0]  # type: ignore[arg-type]
        poisoned[name] = array
    return Job(case, (*arrays, *poisoned, *scalars), arrays, poisoned, dict(scalars))


@pytest.fixture
def program() -> Callable[[str, str], Program]:
    return make_program


@pytest.fixture
def job() -> Callable[..., Job]:
    return make_job


@pytest.fixture(scope="module")
def interpreter() -> Iterator[TritonInterpreter]:
    executor = TritonInterpreter(Limits(total_s=60.0, restarts=3))
    if executor.availability() is not None:
        pytest.skip("Triton is not installed")
    executor.prestart()
    yield executor
    executor.close()


@pytest.fixture(scope="module", params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def executor(request: pytest.FixtureRequest) -> Iterator[TritonInterpreter | TritonGpu]:
    """The interpreter, and the GPU where there is one: the same tests hold for both."""
    made: TritonInterpreter | TritonGpu = TritonInterpreter() if request.param == "cpu" else TritonGpu()
    missing = made.availability()
    if missing is not None:
        pytest.skip(missing.en)
    made.prestart()
    yield made
    made.close()
