"""The emulator as an executor: a lesson's cases, one child for all, a crash or a hang costs one case only."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import pytest

from graders.arrays import HostArray
from graders.emulator.build import availability
from graders.errors import EnvironmentProblem
from graders.executors.base import CompileProblem, Executor, Program
from graders.executors.base import Session as SessionProtocol
from graders.executors.cuda_entry import CudaEntry
from graders.executors.emulator import EmulatorExecutor, Session
from graders.observation import Job, Observation

pytestmark = pytest.mark.skipif(availability() is not None, reason="needs g++")

ENTRY = CudaEntry(
    'extern "C" int course_entry(const float* x, int n, int mode, float* out)',
    "run(x, n, mode, out)",
    ("x", "n", "mode", "out"),
)
SOURCE = """
#include <cuda_runtime.h>
__global__ void twice(const float* x, int n, float* y, int mode) {
  __shared__ float s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  if (mode != 1) __syncthreads();
  if (mode == 2) while (true) y[0] += 1.0f;
  if (i < n + (mode == 3)) y[i] = 2.0f * s[63 - threadIdx.x];
}
__global__ void order(int* turn, float* y) { y[threadIdx.x] = (float)atomicAdd(turn, 1); }
cudaError_t run(const float* x, int n, int mode, float* out) {
  float *a, *b;
  if (mode == 4) { volatile float bad = x[n]; (void)bad; }
  if (mode == 5) *(volatile int*)8 = 1;
  if (mode == 6) const_cast<float*>(x)[0] = 9.0f;
  if (mode == 7) return cudaErrorInvalidValue;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  if (mode == 8) {
    int* turn;
    cudaMalloc(&turn, sizeof(int));
    cudaMemset(turn, 0, sizeof(int));
    order<<<1, n>>>(turn, b);
    return cudaMemcpy(out, b, n * sizeof(float), cudaMemcpyDeviceToHost);
  }
  cudaMemcpy(a, x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(float));
  if (mode != 9) twice<<<(n + 63) / 64, 64>>>(a, n, b, mode);
  cudaError_t e = cudaMemcpy(out, b, (mode == 10 ? n + 1 : n) * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(b);
  return e;
}
"""


@pytest.fixture(scope="module")
def executor() -> EmulatorExecutor:
    return EmulatorExecutor()


@pytest.fixture
def session(executor: EmulatorExecutor) -> Iterator[Session]:
    with executor.open(Program(SOURCE, "lesson.cu", "cuda", ENTRY)) as opened:
        yield opened


def job(mode: int, n: int = 64) -> Job:
    x = np.arange(n, dtype=np.float32)
    return Job(
        f"mode {mode}",
        ("x", "n", "mode", "out"),
        {"x": HostArray.dense("fp32", x)},
        {"out": HostArray.dense("fp32", np.full(n, -77.0))},
        {"n": n, "mode": mode},
    )


def right(seen: Observation) -> bool:
    return seen.status == "ok" and np.array_equal(seen.outputs["out"].values(), 2.0 * np.arange(64)[::-1])


def test_it_is_an_executor(executor: EmulatorExecutor, session: Session) -> None:
    assert isinstance(executor, Executor) and isinstance(session, SessionProtocol)
    assert executor.availability() is None
    assert "g++" in session.facts().toolchain


def test_a_right_case(session: Session) -> None:
    seen = session.run(job(0), 10.0)
    assert right(seen) and not seen.findings and not seen.variants and not seen.changed_inputs


@pytest.mark.parametrize(
    ("mode", "kind", "line"),
    [(1, "race", 9), (3, "out-of-bounds", 9), (4, "out-of-bounds", 14), (10, "out-of-bounds", 30)],
)
def test_findings_name_kind_and_line(session: Session, mode: int, kind: str, line: int) -> None:
    seen = session.run(job(mode, 40), 10.0)
    assert (kind, line) in [(f.kind, f.line) for f in seen.findings], [
        (f.kind, f.line, f.text.en) for f in seen.findings
    ]


def test_a_crash_costs_one_case(session: Session) -> None:
    seen = session.run(job(5), 10.0)
    assert seen.status == "crash" and seen.detail is not None
    assert right(session.run(job(0), 10.0))


def test_a_hang_costs_one_case_and_ends_in_time(session: Session) -> None:
    started = time.monotonic()
    seen = session.run(job(2), 1.0)
    assert time.monotonic() - started < 8
    assert seen.status == "timeout"
    assert [(f.kind, f.line) for f in seen.findings] == [("no-progress", 8)]
    assert right(session.run(job(0), 10.0))


def test_a_changed_input_and_an_error_code_are_told(session: Session) -> None:
    assert session.run(job(6), 10.0).changed_inputs == ("x",)
    seen = session.run(job(7), 10.0)
    assert seen.status == "raised" and seen.raised is not None and seen.raised.message == "cudaErrorInvalidValue"


def test_results_that_depend_on_the_order_come_as_variants(session: Session) -> None:
    seen = session.run(job(8, 40), 10.0)
    assert seen.status == "ok" and not seen.findings
    assert np.array_equal(seen.outputs["out"].values(), np.arange(40))
    assert any(np.array_equal(o["out"].values(), np.arange(40)[::-1]) for _, o in seen.variants)


def test_one_case_leaves_nothing_for_the_next(session: Session) -> None:
    first = [session.run(job(0), 10.0) for _ in range(3)]
    assert all(right(seen) for seen in first)
    assert session.run(job(9), 10.0).outputs["out"].values().tolist() == [0.0] * 64


def test_output_that_no_kernel_wrote_is_a_finding(executor: EmulatorExecutor) -> None:
    source = SOURCE.replace("  cudaMemset(b, 0, n * sizeof(float));\n", "")
    with executor.open(Program(source, "lesson.cu", "cuda", ENTRY)) as opened:
        assert [f.kind for f in opened.run(job(9), 10.0).findings] == ["unwritten-output"]


def test_a_compile_error_names_the_place(executor: EmulatorExecutor) -> None:
    with pytest.raises(CompileProblem) as caught:
        executor.open(Program(SOURCE.replace("2.0f * s", "2.0f * nothing"), "lesson.cu", "cuda", ENTRY))
    found = caught.value.findings[0]
    assert (found.kind, found.line) == ("compile-error", 9)
    assert "nothing" in found.text.en


def test_what_is_not_covered_is_the_environments(executor: EmulatorExecutor) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        executor.open(Program("#include <cublas_v2.h>\n" + SOURCE, "lesson.cu", "cuda", ENTRY))
    assert caught.value.exit_code == 3 and "cuBLAS" in caught.value.text.en


def test_the_child_has_neither_the_environment_nor_other_descriptors(executor: EmulatorExecutor) -> None:
    os.environ["COURSE_TEST_SECRET"] = "1"
    source = SOURCE.replace(
        "if (mode == 7) return",
        "if (mode == 11) { extern char** environ; int k = 0; while (environ[k]) k++; out[0] = (float)k; "
        'out[1] = getenv("COURSE_TEST_SECRET") ? 1.0f : 0.0f; return cudaSuccess; }\n  if (mode == 7) return',
    )
    try:
        with executor.open(Program(source, "lesson.cu", "cuda", ENTRY)) as opened:
            values = opened.run(job(11), 10.0).outputs["out"].values()
    finally:
        del os.environ["COURSE_TEST_SECRET"]
    assert values[1] == 0.0 and values[0] < 8


def test_cost_grows_with_the_elements_and_memory_stays_small(session: Session) -> None:
    session.run(job(0, 1 << 12), 10.0)
    started = time.perf_counter()
    assert session.run(job(0, 1 << 20), 20.0).status == "ok"
    assert time.perf_counter() - started < 10
    assert session.process is not None
    status = open(f"/proc/{session.process.process.pid}/status", encoding="utf-8").read()  # noqa: PTH123, SIM115
    peak = int(next(line.split()[1] for line in status.split("\n") if line.startswith("VmHWM")))
    assert peak < 500 * 1024
