"""Receipts: what they hold, when they are counted, what is no receipt."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_gpu import FakeGpu

from graders import evidence
from graders.arrays import HostArray
from graders.course import builtin_root, open_course
from graders.evidence import Receipt, lesson_hashes, make_receipt, matches, parse_receipt, read_receipts, tells_of_gpu
from graders.grade import Options, grade
from graders.lesson import Lesson
from graders.observation import Job, Observation
from graders.receipt_check import disagreement
from graders.scorecard import CaseResult, ScoreCard
from graders.submission import Submission
from graders.text import same
from graders.verdict import Run


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return open_course(builtin_root()).lesson("lesson05")


@pytest.fixture(scope="module")
def card(lesson: Lesson) -> ScoreCard:
    return grade(Submission("0.0"), lesson, Options(executor=FakeGpu(), compile_targets=False))


@pytest.fixture(scope="module")
def receipt(lesson: Lesson, card: ScoreCard) -> Receipt:
    assert card.submission.blank_sha256
    return make_receipt(lesson, card.submission.blank_sha256, card.cases, card.evidence, 1e9, 1e9 + 2.5)


def test_every_case_is_recorded_with_hashes(receipt: Receipt, lesson: Lesson) -> None:
    assert [c.name for c in receipt.cases] and {c.name for c in receipt.cases} == {c.name for c in lesson.spec.cases}
    by_name = {c.name: c for c in receipt.cases}
    for case in lesson.spec.cases:
        assert by_name[case.name].outcome == "pass"
        assert by_name[case.name].inputs
        assert bool(by_name[case.name].outputs) == (case.raises is None)
    assert len({c.inputs for c in receipt.cases}) == len(receipt.cases)
    assert (receipt.started, receipt.finished) == ("2001-09-09T01:46:40Z", "2001-09-09T01:46:42Z")
    assert receipt.seconds == 2.5 and receipt.device == "Test GPU" and receipt.toolchain == {"driver": "0.0"}


def test_the_same_run_gives_the_same_hashes_and_another_program_others(lesson: Lesson, receipt: Receipt) -> None:
    again = grade(Submission("0.0"), lesson, Options(executor=FakeGpu(), compile_targets=False))
    assert [(c.inputs_sha256, c.outputs_sha256) for c in again.cases] == [(c.inputs, c.outputs) for c in receipt.cases]
    broken = grade(Submission("0.0"), lesson, Options(executor=FakeGpu({"N = 2"}), compile_targets=False))
    changed = [c.name for c, r in zip(broken.cases, receipt.cases, strict=True) if c.outputs_sha256 != r.outputs]
    assert changed == ["N = 2"]
    other_seed = grade(
        Submission("0.0"), lesson, Options(executor=FakeGpu(), compile_targets=False, grader_seed="another")
    )
    moved = {c.name for c, r in zip(other_seed.cases, receipt.cases, strict=True) if c.inputs_sha256 != r.inputs}
    assert "N = 2" in moved and "all below zero" not in moved


def test_round_trip(receipt: Receipt) -> None:
    raw = receipt.dumps().encode()
    assert parse_receipt(raw) == receipt
    assert receipt.intact
    assert receipt.file_name().startswith("20010909T014640Z-") and receipt.file_name().endswith(".json")


@pytest.mark.parametrize(
    ("path", "value"),
    [(("tier",), "gpu2"), (("device",), "NVIDIA H200"), (("cases", 0, "outcome"), "fail"), (("hashes", "blank"), "0" * 64),
     (("seconds",), 1.0), (("toolchain",), {"driver": "9"}), (("finished",), "2001-09-09T01:46:43Z")],
)  # fmt: skip
def test_a_change_is_noticed(receipt: Receipt, path: tuple[Any, ...], value: Any) -> None:
    data = json.loads(receipt.dumps())
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    changed = parse_receipt(json.dumps(data).encode())
    assert changed is None or not changed.intact


@pytest.mark.parametrize(
    "raw",
    [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"{" * 100_000, b'{"schema": "course-receipt/2"}', b" " * (evidence.MAX_BYTES + 1)],
)  # fmt: skip
def test_what_is_no_receipt(raw: bytes) -> None:
    assert parse_receipt(raw) is None


def test_unknown_fields_are_refused(receipt: Receipt) -> None:
    data = json.loads(receipt.dumps())
    data["proof"] = True
    assert parse_receipt(json.dumps(data).encode()) is None


def test_a_folder_of_receipts(tmp_path: Path, receipt: Receipt) -> None:
    place = tmp_path / "receipts"
    place.mkdir()
    (place / "b.json").write_text(receipt.dumps(), encoding="utf-8")
    (place / "a.json").write_text("{", encoding="utf-8")
    (place / "c.json").write_text(receipt.dumps().replace("Test GPU", "H200"), encoding="utf-8")
    (place / ".x.json.12.new").write_text("half", encoding="utf-8")
    (place / "notes.txt").write_text("x", encoding="utf-8")
    outside = tmp_path / "outside.json"
    outside.write_text(receipt.dumps(), encoding="utf-8")
    (place / "link.json").symlink_to(outside)
    (place / "folder.json").mkdir()
    os.mkfifo(place / "pipe.json")
    found, notes = read_receipts(tmp_path)
    assert found == (receipt,)
    told = "\n".join(n.en for n in notes)
    assert "a.json is no receipt" in told and "c.json was changed" in told and "link.json is no receipt" in told
    assert read_receipts(tmp_path / "nowhere") == ((), ())


def test_matching(receipt: Receipt, lesson: Lesson) -> None:
    blank = receipt.hashes.blank
    assert matches(receipt, lesson, blank) and tells_of_gpu(receipt)
    assert not matches(receipt, lesson, "0" * 64) and not matches(receipt, lesson, None)
    assert not matches(receipt, open_course(builtin_root()).lesson("lesson07"), blank)
    assert not tells_of_gpu(receipt.model_copy(update={"tier": "emulated"}))
    empty = tuple(c.model_copy(update={"outputs": ""}) for c in receipt.cases)
    assert not tells_of_gpu(receipt.model_copy(update={"cases": empty}))


def test_words_about_a_case_do_not_change_its_hash_but_facts_do(lesson: Lesson) -> None:
    def with_first(**changes: Any) -> Lesson:
        first = lesson.spec.cases[0].model_copy(update=changes)
        other = Lesson.__new__(Lesson)
        other.__dict__.update(lesson.__dict__)
        other.spec = lesson.spec.model_copy(update={"cases": (first, *lesson.spec.cases[1:])})
        return other

    words = lesson.spec.cases[1].about
    assert lesson_hashes(with_first(about=words)) == lesson_hashes(lesson)
    assert lesson_hashes(with_first(group="boundary")).cases != lesson_hashes(lesson).cases


def test_strides_count_in_the_hash_of_inputs() -> None:
    values = np.arange(6, dtype=np.float32)
    dense = HostArray("fp32", (2, 3), (3, 1), 0, values)
    turned = HostArray("fp32", (2, 3), (1, 2), 0, values)
    result = CaseResult("c", "normal", True, "pass", same(""), same(""))
    hashes = []
    for array in (dense, turned):
        job = Job("c", ("x",), {"x": array}, {})
        hashes.append(evidence.stamped(result, [Run(job, {}, Observation("ok"))]).inputs_sha256)
    assert hashes[0] != hashes[1]
    assert replace(result).inputs_sha256 == ""


def test_the_receipt_in_the_documentation_is_one() -> None:
    text = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text(encoding="utf-8")
    example = text.split("```json receipt\n")[1].split("```")[0]
    shown = parse_receipt(example.encode())
    assert shown is not None and shown.intact


# --- a receipt against the run here -----------------------------------------------------------------------------------


def _told(card: ScoreCard, receipt: Receipt, lesson: Lesson, executor: str = "triton-interpreter") -> str:
    found = disagreement(receipt, lesson, card.cases, executor)
    return found.en if found else ""


def _with_case(receipt: Receipt, name: str, **changes: Any) -> Receipt:
    cases = tuple(c.model_copy(update=changes) if c.name == name else c for c in receipt.cases)
    return receipt.model_copy(update={"cases": cases})


def test_a_true_receipt_agrees_with_the_run_here(lesson: Lesson, receipt: Receipt) -> None:
    for seed in ("public", "another"):  # a grader with other hidden inputs
        emulated = FakeGpu(tier="emulated", name="triton-interpreter")
        here = grade(Submission("0.0"), lesson, Options(executor=emulated, compile_targets=False, grader_seed=seed))
        assert _told(here, receipt, lesson) == ""


def test_made_up_hashes_are_noticed(card: ScoreCard, lesson: Lesson, receipt: Receipt) -> None:
    assert "other inputs for 'all below zero'" in _told(
        card, _with_case(receipt, "all below zero", inputs="0" * 64), lesson
    )
    assert _told(card, _with_case(receipt, "N = 2", inputs="0" * 64), lesson) == ""  # hidden inputs may differ
    other = receipt.model_copy(update={"hashes": receipt.hashes.model_copy(update={"cases": "0" * 64})})
    assert _told(card, _with_case(other, "all below zero", inputs="0" * 64), lesson) == ""


def test_another_outcome_of_the_same_executor_is_noticed(card: ScoreCard, lesson: Lesson, receipt: Receipt) -> None:
    wrong = _with_case(receipt, "N = 2", outcome="fail")
    assert "'fail' for 'N = 2'" in _told(card, wrong, lesson, receipt.executor)
    assert (
        _told(card, wrong, lesson, "triton-interpreter") == ""
    )  # a GPU may differ: that is what `course verify` settles


def test_whole_numbers_have_one_bit_pattern() -> None:
    argmax = open_course(builtin_root()).lesson("lesson12")
    case = next(c for c in argmax.spec.cases if all(i.seed != "grader" for i in c.inputs.values()))
    here = [
        CaseResult(
            case.name, case.group, True, "pass", same(""), same(""), inputs_sha256="1" * 64, outputs_sha256="2" * 64
        )
    ]
    made = make_receipt(argmax, "3" * 64, here, evidence.Evidence("gpu", "nvcc-gpu", "NVIDIA H200"), 1.0, 2.0)
    assert disagreement(made, argmax, here, "cuda-emulator") is None
    forged = _with_case(made, case.name, outputs="4" * 64)
    found = disagreement(forged, argmax, here, "cuda-emulator")
    assert found is not None and "another output" in found.en and case.name in found.zh


def test_a_receipt_of_a_real_h200(lesson: Lesson, card: ScoreCard) -> None:
    """Written by `course run lesson05 --fill 0.0` on an NVIDIA H200 (driver 580.159.04, torch 2.11, Triton 3.6)."""
    raw = (Path(__file__).parents[1] / "data" / "receipts" / "lesson05-h200.json").read_bytes()
    real = parse_receipt(raw)
    assert real is not None and real.intact and tells_of_gpu(real)
    assert (real.device, real.executor, real.passing) == ("NVIDIA H200", "triton-gpu", len(real.cases))
    here, there = {c.name: c for c in card.cases}, {c.name: c for c in real.cases}
    name = "small integers, 7 columns"  # sums of small integers are exact: every machine gives the same bits
    if name not in here or here[name].inputs_sha256 != there[name].inputs:
        pytest.skip("the lesson has other cases now")
    assert here[name].outputs_sha256 == there[name].outputs
