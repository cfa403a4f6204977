"""`course verify` and `course review` around the register and the record, with an executor in place of a GPU."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "graders"))
from fake_gpu import FakeGpu

from course_cli.commands.review import open_items
from course_cli.commands.verify import settle
from course_cli.records import after_grade, after_run, pending_register, with_verified
from course_cli.store import Store
from graders.answers import parse
from graders.course import builtin_root, open_course
from graders.evidence import read_receipts
from graders.grade import Options, grade
from graders.lesson import Lesson
from graders.pending_bundle import load_bundle
from graders.review import Grades
from graders.rubric import RubricSpec
from graders.scorecard import ScoreCard
from graders.submission import Submission

HANDED_IN = Submission("0.0", path="class/ada", answers=parse("## Run output\nRan on H200: PASS\n## Q2\nzeros\n"))


@pytest.fixture
def lesson() -> Lesson:
    return open_course(builtin_root()).lesson("lesson05")


def graded(lesson: Lesson, handed_in: Submission = HANDED_IN) -> ScoreCard:
    cpu = FakeGpu(tier="emulated", name="triton-interpreter")
    seed = open_course(builtin_root()).grader_seed()
    card = grade(handed_in, lesson, Options(executor=cpu, compile_targets=False, grader_seed=seed))
    return after_grade(lesson, handed_in, card, RubricSpec(), None, "en")


def verify(
    capsys: pytest.CaptureFixture[str], gpu: FakeGpu, bundle: Path | None = None, out: Path | None = None
) -> Any:
    capsys.readouterr()
    code = settle(bundle, out, None, as_json=True, make=lambda language: gpu)
    return code, json.loads(capsys.readouterr().out)["settled"]


def test_settling_reaches_the_next_grade(lesson: Lesson, capsys: pytest.CaptureFixture[str]) -> None:
    assert graded(lesson).vetoes
    code, (settled,) = verify(capsys, FakeGpu())
    assert code == 0 and settled["state"] == "settled" and settled["result"]["device"] == "Test GPU"
    again = graded(lesson, with_verified(lesson, HANDED_IN, None))
    assert again.vetoes == () and again.evidence.pending is False and again.evidence.tier == "emulated"
    assert again.evidence.note is not None and "Test GPU" in again.evidence.note.en
    assert verify(capsys, FakeGpu()) == (0, [])


def test_a_dispute_reaches_the_review_and_the_next_grade(lesson: Lesson, capsys: pytest.CaptureFixture[str]) -> None:
    graded(lesson)
    code, (settled,) = verify(capsys, FakeGpu({"N = 2"}))
    assert code == 0 and settled["state"] == "disputed"
    (dispute,) = settled["result"]["disputes"]
    assert (dispute["case"], dispute["recorded"], dispute["found"]) == ("N = 2", "pass", "fail")
    record = Grades(pending_register().path.with_name("grades.sqlite"))
    items = open_items(record.standings(), pending_register().entries("disputed"))
    assert [i.kind for i in items][:2] == ["veto", "dispute"] and items[1].part == "N = 2"
    again = graded(lesson, with_verified(lesson, HANDED_IN, None))
    assert again.vetoes and any("disagrees on 'N = 2'" in n.en for n in again.submission.notes)


def test_verify_leaves_a_receipt_of_the_gpu_run_beside_the_answers(
    lesson: Lesson, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store()
    cpu = FakeGpu(tier="emulated", name="triton-interpreter")
    seed = open_course(builtin_root()).grader_seed()
    card = grade(HANDED_IN, lesson, Options(executor=cpu, compile_targets=False, grader_seed=seed))
    assert after_run(store, lesson, HANDED_IN, card, 1.0) is not None
    assert verify(capsys, FakeGpu())[0] == 0
    receipts, notes = read_receipts(store.work_folder("lesson05"))
    assert notes == () and sorted(r.tier for r in receipts) == ["emulated", "gpu"]
    # Another machine, which knows nothing of this register, finds the claim borne out by the receipt.
    elsewhere = replace(HANDED_IN, receipts=receipts)
    assert not grade(elsewhere, lesson, Options(executor=cpu, compile_targets=False)).vetoes


def test_a_bundle_is_settled_apart_from_the_own_register(
    lesson: Lesson, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from graders.pending_bundle import dump_bundle

    graded(lesson)
    bundle, out = tmp_path / "class.zip", tmp_path / "settled.zip"
    bundle.write_bytes(dump_bundle(pending_register().entries()))
    code, (settled,) = verify(capsys, FakeGpu(), bundle, out)
    assert code == 0 and settled["state"] == "settled"
    assert pending_register().count() == 1  # the register here waits for the result to be brought back
    assert [e.state for e in load_bundle(out)] == ["settled"]


def test_a_machine_at_fault_exits_3_and_keeps_everything(lesson: Lesson, capsys: pytest.CaptureFixture[str]) -> None:
    graded(lesson)
    code, (settled,) = verify(capsys, FakeGpu(faulty=True))
    assert code == 3 and settled["state"] == "pending" and "bus" in settled["skipped"]
    assert pending_register().count() == 1


def test_with_nothing_pending_no_gpu_is_needed(tmp_path: Path) -> None:
    assert settle(None, None, tmp_path, as_json=True) == 0
    assert not (tmp_path / "pending.sqlite").exists()
