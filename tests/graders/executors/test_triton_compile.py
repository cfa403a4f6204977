"""Compile-only: cubins for GPUs that are not there, and the compiler's words at the learner's line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from graders.arrays import HostArray
from graders.executors.triton_compile import TritonCompile


@pytest.fixture(scope="module")
def compiler() -> Iterator[TritonCompile]:
    made = TritonCompile()
    if made.availability() is not None:
        pytest.skip("Triton is not installed")
    yield made
    made.close()


@pytest.fixture
def dot(job):
    return job("dot", {"x": np.ones((5, 37)), "y": np.ones((5, 37))}, {"out": ("fp32", (5,))})


def test_every_target_gives_a_cubin(compiler, program, dot):
    report = compiler.begin(program("row_dot", "0.0"), [dot]).result(120.0)
    assert report.compiled == ("sm_80", "sm_90", "sm_100") and not report.findings and report.note is None
    for target in report.targets:
        assert target.cubin_bytes > 1000 and target.ptx_bytes > 500
        assert 8 <= target.registers <= 255 and target.stack_bytes == 0
    assert report.toolchain["triton"] and report.toolchain["ptxas"] != "not found"


def test_begin_returns_at_once(compiler, program, dot):
    pending = compiler.begin(program("row_dot", "0.0"), [dot])
    assert not pending.done()
    assert pending.result(120.0).compiled and pending.done()


def test_a_type_error_is_told_in_the_compilers_words_at_its_place(compiler, program, dot):
    report = compiler.begin(program("row_dot", "'zero'"), [dot]).result(120.0)
    assert report.compiled == () and len(report.findings) == 1
    found = report.findings[0]
    assert (found.kind, found.line) == ("compile-error", 13) and found.column > 0
    assert "str" in found.text.en


def test_an_unknown_name_is_told_at_its_column(compiler, program, dot):
    filled = program("row_dot", "zero_value")
    report = compiler.begin(filled, [dot]).result(120.0)
    found = report.findings[0]
    assert filled.blank is not None and filled.blank.holds(found.line, found.column)
    assert "zero_value" in found.text.en


def test_a_file_that_does_not_parse(compiler, program, dot):
    report = compiler.begin(program("row_dot", "0.0]"), [dot]).result(120.0)
    assert report.findings[0].kind == "compile-error" and report.findings[0].line == 13


def test_types_of_the_job_count(compiler, program, job):
    x = HostArray.dense("bf16", np.ones((2, 5)))
    made = job("peak", {"x": x}, {"out": ("bf16", (2,))})
    report = compiler.begin(program("row_peak", "x"), [made]).result(120.0)
    assert report.compiled == ("sm_80", "sm_90", "sm_100"), report


def test_several_jobs_must_all_compile(compiler, program, job):
    jobs = [job(f"{n}", {"x": np.ones((2, n))}, {"out": ("fp32", (2,))}) for n in (3, 700)]
    report = compiler.begin(program("row_peak", "x"), jobs).result(120.0)
    assert report.compiled == ("sm_80", "sm_90", "sm_100") and len(report.targets) == 6


def test_autotuned_kernels_compile_in_their_first_configuration(compiler, program, job):
    made = job("tuned", {"x": np.ones(5)}, {"out": ("fp32", (5,))})
    report = compiler.begin(program("tuned", "2"), [made]).result(120.0)
    assert report.compiled == ("sm_80", "sm_90", "sm_100"), report


def test_what_needs_torch_is_said_and_is_no_finding(compiler, program, job):
    made = job("steps", {"x": np.ones(50)}, {"out": ("fp32", (1,))})
    report = compiler.begin(program("two_steps", "n"), [made]).result(120.0)
    assert report.compiled == () and report.findings == () and report.note is not None
    assert "torch.empty" in report.note.en


def test_a_refusal_of_the_host_function_is_no_finding(compiler, program, job):
    made = job("none", {"x": np.ones((2, 0)), "y": np.ones((2, 0))}, {"out": ("fp32", (2,))})
    report = compiler.begin(program("row_dot", "0.0"), [made]).result(120.0)
    assert report.compiled == () and report.findings == () and report.note is not None


@pytest.mark.parametrize("deed", ["while True: pass", "os._exit(0)"])
def test_a_hostile_host_function_costs_only_the_report(compiler, program, job, deed):
    made = job("h", {"x": np.ones(5)}, {"out": ("fp32", (5,))}, what=1)
    report = compiler.begin(program("hostile", deed), [made]).result(2.0)
    assert report.compiled == () and report.note is not None
