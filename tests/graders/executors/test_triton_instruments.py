"""What only the interpreter can see: every access, who wrote what, other orders of programs."""

from __future__ import annotations

import numpy as np
import pytest

from graders.arrays import HostArray
from graders.observation import Observation


def observe(interpreter, program, made) -> Observation:
    with interpreter.open(program) as session:
        return session.run(made, 20.0)


@pytest.fixture
def four(job):
    return job("who", {"x": HostArray.dense("int32", np.arange(4))}, {"out": ("int32", (4,))})


@pytest.mark.parametrize("fill", ["place <= n", "place >= 0"])
def test_reads_outside_are_named_with_line_and_program(interpreter, program, job, fill):
    made = job("copy", {"x": np.arange(20)}, {"out": ("fp32", (20,))})
    seen = observe(interpreter, program("scaled_copy", fill), made)
    loads = [f for f in seen.findings if "`x`" in f.text.en]
    assert loads and loads[0].kind == "out-of-bounds" and loads[0].block == (1, 0, 0) and loads[0].line == 12
    assert "offset 20" in loads[0].text.en and "偏移 20" in loads[0].text.zh


def test_the_gap_of_a_view_is_out_of_bounds(interpreter, program, job):
    x = HostArray("fp32", (2, 3), (8, 1), 0, np.zeros(16, dtype=np.float32))
    made = job("peak", {"x": x}, {"out": ("fp32", (2,))})
    source = program("row_peak", "x").source.replace("lane < n", "lane < n + 1")
    seen = observe(interpreter, _with_source(program("row_peak", "x"), source), made)
    assert [f.kind for f in seen.findings] == ["out-of-bounds"]


def _with_source(program, source):
    import dataclasses

    return dataclasses.replace(program, source=source)


def test_far_misses_do_not_crash(interpreter, program, four):
    seen = observe(interpreter, program("who_writes", "tl.store(out_ptr + me + (1 << 40), me)"), four)
    assert seen.status == "ok" and seen.findings[0].kind == "out-of-bounds"
    assert seen.outputs["out"].storage.tobytes() == four.outputs["out"].storage.tobytes()


def test_two_programs_that_write_one_element(interpreter, program, four):
    seen = observe(interpreter, program("who_writes", "tl.store(out_ptr + me // 2, 7)"), four)
    assert {f.kind for f in seen.findings} == {"double-write"}
    assert seen.findings[0].block == (1, 0, 0) and seen.findings[0].line == 11


def test_a_program_that_reads_what_another_wrote(interpreter, program, four):
    fill = "tl.store(out_ptr + me, me); tl.store(out_ptr + me, tl.load(out_ptr + (me + 3) % 4))"
    seen = observe(interpreter, program("who_writes", fill), four)
    assert "race" in {f.kind for f in seen.findings}


def test_a_read_after_an_atomic_may_be_synchronised(interpreter, program, four):
    fill = "tl.store(out_ptr + me, me); tl.atomic_add(x_ptr, 1); tl.load(out_ptr + (me + 3) % 4)"
    seen = observe(interpreter, program("who_writes", fill), four)
    assert not seen.findings


def test_tensor_descriptors_are_checked_like_pointers(interpreter, program, job):
    x = HostArray.dense("fp32", np.arange(16.0).reshape(4, 4))
    made = job("who", {"x": x}, {"out": ("fp32", (4, 4))})
    fill = (
        "a = tl.make_tensor_descriptor(x_ptr, [4, {n}], [4, 1], [1, 4]); "
        "b = tl.make_tensor_descriptor(out_ptr, [4, 4], [4, 1], [1, 4]); "
        "b.store([me, 0], a.load([me, 0]))"
    )
    seen = observe(interpreter, program("who_writes", fill.format(n=4)), made)
    assert seen.status == "ok" and not seen.findings, seen
    np.testing.assert_array_equal(seen.outputs["out"].values(), x.values())
    seen = observe(
        interpreter, program("who_writes", fill.format(n=4).replace("out_ptr, [4,", "out_ptr + 4, [4,")), made
    )
    assert {f.kind for f in seen.findings} == {"out-of-bounds"}


def test_autotune_takes_its_first_configuration(interpreter, program, job):
    made = job("tuned", {"x": np.arange(5.0)}, {"out": ("fp32", (5,))})
    seen = observe(interpreter, program("tuned", "2"), made)
    assert seen.status == "ok" and not seen.findings, seen
    np.testing.assert_array_equal(seen.outputs["out"].values(), 2 * np.arange(5.0))


def test_lanes_of_one_program_that_write_one_element(interpreter, program, four):
    fill = "tl.store(out_ptr + me + tl.arange(0, 2) * 0, {})"
    seen = observe(interpreter, program("who_writes", fill.format("tl.arange(0, 2)")), four)
    assert {f.kind for f in seen.findings} == {"race"} and "lanes" in seen.findings[0].text.en
    seen = observe(interpreter, program("who_writes", fill.format("tl.arange(0, 2) * 0")), four)
    assert not seen.findings


def test_atomics_are_no_race_and_run_in_another_order(interpreter, program, job):
    x = HostArray.dense("int32", np.arange(4))
    made = job("who", {"x": x}, {"out": ("int32", (4,))})
    made.outputs["out"].storage[...] = 0
    seen = observe(interpreter, program("who_writes", "tl.atomic_add(out_ptr, tl.load(x_ptr + me))"), made)
    assert not seen.findings and seen.outputs["out"].values()[0] == 6
    assert [label for label, _ in seen.variants] == ["order:permuted"]


def test_an_atomic_outside_is_caught(interpreter, program, four):
    seen = observe(interpreter, program("who_writes", "tl.atomic_add(out_ptr + 4 + me, 1)"), four)
    assert {f.kind for f in seen.findings} == {"out-of-bounds"}
    assert "atomic" in seen.findings[0].text.en


def test_the_order_of_programs_shows_in_a_variant(interpreter, program, job):
    made = job("who", {"x": HostArray.dense("int32", np.arange(4))}, {"out": ("int32", (4,))})
    made.outputs["out"].storage[...] = 0
    fill = "tl.store(out_ptr + me, tl.atomic_add(x_ptr, 1))"
    seen = observe(interpreter, program("who_writes", fill), made)
    orders = [tuple(seen.outputs["out"].values()), *(tuple(o["out"].values()) for _, o in seen.variants)]
    assert orders[0] == (0, 1, 2, 3) and orders[1] != orders[0]
    assert seen.changed_inputs == ("x",)


def test_block_pointers_without_padding_are_undefined_at_the_edge(interpreter, program, job):
    made = job("who", {"x": HostArray.dense("int32", np.arange(4))}, {"out": ("int32", (4,))})
    fill = (
        "tl.store(out_ptr + me, tl.sum(tl.load("
        "tl.make_block_ptr(x_ptr, (4,), (1,), (me,), (4,), (0,)), boundary_check=(0,))))"
    )
    seen = observe(interpreter, program("who_writes", fill), made)
    assert {f.kind for f in seen.findings} == {"uninitialised"}, seen


def test_cases_side_by_side_come_back_in_order(interpreter, program, job):
    jobs = [job(f"n={n}", {"x": np.arange(n)}, {"out": ("fp32", (n,))}) for n in range(1, 25)]
    with interpreter.open(program("scaled_copy", "place < n")) as session:
        seen = list(session.run_all(jobs, 20.0))
    for n, each in enumerate(seen, start=1):
        np.testing.assert_array_equal(each.outputs["out"].values(), 2.0 * np.arange(n))


def test_stopping_early_leaves_nothing_behind(interpreter, program, job):
    jobs = [job(f"n={n}", {"x": np.arange(n)}, {"out": ("fp32", (n,))}) for n in range(1, 9)]
    with interpreter.open(program("scaled_copy", "place < n")) as session:
        for each in session.run_all(jobs, 20.0):
            assert each.status == "ok"
            break
    with interpreter.open(program("scaled_copy", "place < n")) as session:
        assert session.run(jobs[3], 20.0).status == "ok"
