"""compute-sanitizer's words become findings at the learner's line; the generated program reads a case and calls the entry."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from graders.arrays import HostArray
from graders.executors import sanitize
from graders.executors.base import Program
from graders.executors.cuda_entry import CudaEntry
from graders.observation import Job

ENTRY = CudaEntry('extern "C" int course_entry(const float* x, int n, int* out)', "sum(x, n, out)", ("x", "n", "out"))
SAID = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at kernel(const float *, int)+0x150 in template.cu:41
=========     by thread (5,0,0) in block (2,0,0)
=========     Address 0x7f is out of bounds
=========
========= Error: Race reported between Write access at block_best+0x10 in template.cu:33
=========     and Read access at block_best+0x20 in template.cu:38 [32 hazards]
=========
========= ERROR SUMMARY: 2 errors
"""


def test_findings_name_kind_line_thread_and_block() -> None:
    first, second = sanitize.read_report(SAID, "template.cu")
    assert (first.kind, first.line, first.thread, first.block) == ("out-of-bounds", 41, (5, 0, 0), (2, 0, 0))
    assert (second.kind, second.line, second.other_line) == ("race", 33, 38)


def test_a_clean_report_has_no_findings() -> None:
    assert sanitize.read_report("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", "template.cu") == []
    assert sanitize.read_report("", "template.cu") == []


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_generated_program_passes_the_case_to_the_entry(tmp_path: Path) -> None:
    source = "static int sum(const float* x, int n, int* out) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]; *out = 7; return (int)s + n; }"
    (tmp_path / "a.cpp").write_text(source + ENTRY.wrapper() + sanitize._main(ENTRY))
    subprocess.run(["g++", "-std=c++17", "a.cpp", "-o", "a.out"], cwd=tmp_path, check=True, timeout=60)
    x, out = HostArray.dense("fp32", np.array([1.0, 2.0, 3.0])), HostArray.dense("int32", np.array([0]))
    job = Job("case", ENTRY.arguments, {"x": x}, {"out": out}, {"n": 3})
    (tmp_path / "case.bin").write_bytes(sanitize._case(ENTRY.parameters(), job))
    assert subprocess.run(["./a.out", "case.bin"], cwd=tmp_path, timeout=10, check=False).returncode == 9


@pytest.mark.gpu
def test_an_out_of_bounds_read_is_found_on_the_gpu() -> None:
    if sanitize.find_sanitizer() is None:
        pytest.skip("compute-sanitizer is not installed")
    source = """#include <cuda_runtime.h>
__global__ void bad(const float* x, int n, int* out) { *out = (int)x[n + 1000000]; }
static int sum(const float* x, int n, int* out) {
    float* d; int* o; cudaMalloc(&d, n * 4); cudaMalloc(&o, 4);
    cudaMemcpy(d, x, n * 4, cudaMemcpyHostToDevice);
    bad<<<1, 1>>>(d, n, o);
    cudaMemcpy(out, o, 4, cudaMemcpyDeviceToHost);
    return 0;
}
"""
    x, out = HostArray.dense("fp32", np.zeros(8)), HostArray.dense("int32", np.array([0]))
    job = Job("case", ENTRY.arguments, {"x": x}, {"out": out}, {"n": 8})
    found = sanitize.sanitize(Program(source, "template.cu", "cuda", ENTRY), [job])
    assert any(f.kind == "out-of-bounds" and f.line == 2 for f in found)
