"""Right and wrong fills of small kernels, seen by the interpreter and (where there is one) by a GPU in the same way."""

from __future__ import annotations

import numpy as np
import pytest

from graders.arrays import HostArray
from graders.observation import Observation

rng = np.random.default_rng(5)


def kinds(seen: Observation) -> set[str]:
    return {finding.kind for finding in seen.findings}


def everything(seen: Observation) -> list[np.ndarray]:
    """The output `out` of the first run and of every variant."""
    return [seen.outputs["out"].values(), *(outputs["out"].values() for _, outputs in seen.variants)]


@pytest.fixture
def dot_job(job):
    x, y = rng.normal(size=(5, 37)), rng.normal(size=(5, 37))
    made = job("dot", {"x": x, "y": y}, {"out": ("fp32", (5,))})
    return made, (made.inputs["x"].values() * made.inputs["y"].values()).sum(1)


@pytest.mark.parametrize("fill", ["0.0", "0", "-0.0", "0 * 7"])
def test_right_fills_give_the_oracle_in_every_variant(executor, program, dot_job, fill):
    made, wanted = dot_job
    with executor.open(program("row_dot", fill)) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "ok" and not seen.findings and not seen.changed_inputs, seen
    for out in everything(seen):
        np.testing.assert_allclose(out, wanted, atol=1e-4)


@pytest.mark.parametrize("fill", ["1.0", "1e-2", "float('nan')", "float('inf')"])
def test_wrong_fills_give_something_else(executor, program, dot_job, fill):
    made, wanted = dot_job
    with executor.open(program("row_dot", fill)) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "ok"
    assert not np.allclose(seen.outputs["out"].values(), wanted, atol=1e-3)


def test_other_left_out_is_seen_although_zeros_would_be_right(executor, program, dot_job):
    made, wanted = dot_job
    with executor.open(program("row_dot", "None")) as session:
        seen = session.run(made, 60.0)
    assert kinds(seen) == {"uninitialised"}
    assert seen.findings[0].line == 13
    assert not np.allclose(seen.outputs["out"].values(), wanted, atol=1e-3)
    assert {label for label, _ in seen.variants} >= {"poison:max", "poison:-max"}


def test_undefined_lanes_that_are_masked_away_are_right(executor, program, job):
    x = rng.normal(size=(3, 9))
    made = job("peak", {"x": x}, {"out": ("fp32", (3,))})
    with executor.open(program("row_peak", "tl.where(inside, x, float('-inf'))")) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "ok" and not seen.findings
    for out in everything(seen):
        np.testing.assert_array_equal(out, made.inputs["x"].values().max(1))


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "int32"])
def test_a_maximum_skips_nan_so_the_other_poisons_are_needed(executor, program, job, dtype):
    x = HostArray.dense(dtype, rng.integers(-9, 9, size=(2, 5)))
    made = job("peak", {"x": x}, {"out": (dtype, (2,))})
    with executor.open(program("row_peak", "x")) as session:
        seen = session.run(made, 60.0)
    assert kinds(seen) == {"uninitialised"}, seen
    assert not all(np.array_equal(out, x.values().max(1)) for out in everything(seen))


def test_a_full_block_has_no_undefined_lanes_that_matter(executor, program, job):
    made = job("peak", {"x": rng.normal(size=(2, 8))}, {"out": ("fp32", (2,))})
    with executor.open(program("row_peak", "x")) as session:
        seen = session.run(made, 60.0)
    assert not seen.findings
    np.testing.assert_array_equal(seen.outputs["out"].values(), made.inputs["x"].values().max(1))


@pytest.mark.parametrize("n", [1, 15, 16, 17, 40])
def test_sound_mask(executor, program, job, n):
    made = job("copy", {"x": np.arange(n)}, {"out": ("fp32", (n,))})
    with executor.open(program("scaled_copy", "place < n")) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "ok" and not seen.findings
    np.testing.assert_array_equal(seen.outputs["out"].values(), 2.0 * np.arange(n))


@pytest.mark.parametrize("fill", ["place < n + 1", "place >= 0"])
def test_a_store_past_the_end_is_caught(executor, program, job, fill):
    made = job("copy", {"x": np.arange(20)}, {"out": ("fp32", (20,))})
    with executor.open(program("scaled_copy", fill)) as session:
        seen = session.run(made, 60.0)
    assert "out-of-bounds" in kinds(seen)
    assert any("`out`" in finding.text.en for finding in seen.findings)


def test_a_short_mask_leaves_the_poison(executor, program, job):
    made = job("copy", {"x": np.arange(20)}, {"out": ("fp32", (20,))})
    with executor.open(program("scaled_copy", "place < n - 1")) as session:
        seen = session.run(made, 60.0)
    assert seen.outputs["out"].storage.tobytes()[-4:] == made.outputs["out"].storage.tobytes()[-4:]
    assert not np.isnan(seen.outputs["out"].values()[:-1]).any()


def test_strided_rows_with_sentinels(executor, program, job):
    storage = np.full(200, 1e30, dtype=np.float32)
    x = HostArray("fp32", (4, 20), (33, 1), 7, storage)
    storage_view = np.lib.stride_tricks.as_strided(storage[7:], (4, 20), (33 * 4, 4))
    storage_view[...] = rng.normal(size=(4, 20))
    made = job("peak", {"x": x}, {"out": ("fp32", (4,))})
    with executor.open(program("row_peak", "tl.where(inside, x, float('-inf'))")) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "ok" and not seen.findings
    np.testing.assert_array_equal(seen.outputs["out"].values(), x.values().max(1))


def test_documented_error_of_the_host_function(executor, program, job):
    made = job("none", {"x": np.zeros((2, 0)), "y": np.zeros((2, 0))}, {"out": ("fp32", (2,))})
    with executor.open(program("row_dot", "0.0")) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "raised" and seen.raised is not None
    assert (seen.raised.type, seen.raised.launched) == ("ValueError", False)
    assert "no columns" in seen.raised.message and seen.raised.line == 22


def test_a_fill_that_is_no_number_is_an_error_at_its_line(executor, program, dot_job):
    made, _ = dot_job
    with executor.open(program("row_dot", "'zero'")) as session:
        seen = session.run(made, 60.0)
    assert seen.status == "error" and seen.raised is not None and seen.detail is not None
    assert seen.raised.line == 13


def test_a_kernel_that_writes_its_input(executor, program, job):
    made = job("who", {"x": HostArray.dense("int32", np.arange(4))}, {"out": ("int32", (4,))})
    with executor.open(program("who_writes", "tl.store(out_ptr + me, 5); tl.store(x_ptr + me, 5)")) as session:
        seen = session.run(made, 60.0)
    assert seen.changed_inputs == ("x",)


def test_partial_results_that_the_host_function_allocates(executor, program, job):
    made = job("steps", {"x": rng.normal(size=50)}, {"out": ("fp32", (1,))})
    with executor.open(program("two_steps", "n")) as session:
        seen = session.run(made, 60.0)
        assert "torch" in session.facts().toolchain
    assert seen.status == "ok" and not seen.findings, seen
    np.testing.assert_allclose(seen.outputs["out"].values(), [made.inputs["x"].values().sum()], atol=1e-4)


def test_facts_name_device_and_toolchain(executor, program):
    with executor.open(program("row_dot", "0.0")) as session:
        facts = session.facts()
    assert facts == executor.facts()
    assert facts.device and "triton" in facts.toolchain and "rlimits" in facts.sandbox
