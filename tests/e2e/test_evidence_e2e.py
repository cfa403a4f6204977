"""Evidence through the real command: receipts, claims in a submission, pending and its bundles, review and override."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graders.course import builtin_root
from graders.evidence import parse_receipt

pytest.importorskip("triton")
ROOT = Path(__file__).resolve().parents[2]
STATIC = ("--backend", "static", "--format", "json")  # where the claim is looked at and not the cases
NO_GPU = not any(Path("/dev").glob("nvidia[0-9]*"))


def course(*words: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "course_cli", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, (words, done.returncode, done.stdout[-2000:], done.stderr)
    return done


def as_json(*words: str, code: int = 0) -> Any:
    return json.loads(course(*words, code=code).stdout)


def home() -> Path:
    return Path(os.environ["COURSE_HOME"])


def submission(place: Path, run_output: str, fill: str = "0.0", failures: str = "") -> Path:
    place.mkdir(parents=True)
    template = (builtin_root() / "lesson05" / "template.py").read_text(encoding="utf-8")
    (place / "row_sum.py").write_text(template.replace("______", fill), encoding="utf-8")
    text = f"# lesson05\n\n## Run output\n\n{run_output}\n\n## Failures\n\n{failures}\n"
    (place / "answers.md").write_text(text, encoding="utf-8")
    return place


@pytest.mark.skipif(not NO_GPU, reason="on a machine with a GPU the run itself is the evidence")
def test_run_grade_verify_and_review(tmp_path: Path) -> None:
    # A run writes its receipt and enters what a GPU has still to confirm.
    card = as_json("run", "lesson05", "--fill", "0.0", "--no-input", "--json", code=1)
    (path,) = (home() / "work" / "lesson05" / "receipts").iterdir()
    receipt = parse_receipt(path.read_bytes())
    assert receipt is not None and receipt.intact
    assert receipt.tier == "emulated" and receipt.hashes.blank == card["submission"]["blank_sha256"]
    assert {c.name: c.outcome for c in receipt.cases} == {c["name"]: c["outcome"] for c in card["cases"]}
    rows = {r["id"]: r for r in as_json("status", "--json")}
    assert rows["lesson05"]["pending"] == 1 and rows["lesson07"]["pending"] == 0
    assert "course verify" in course("status").stdout

    # The pasted report of that run is believed; the same words of a GPU are not.
    shown = course("run", "lesson05", "--fill", "0.0", "--no-input", code=1).stdout
    honest = submission(tmp_path / "honest", "```\n" + shown + "```")
    graded = as_json("grade", str(honest), "--format", "json", code=1)
    assert graded["vetoes"] == [] and graded["needs_review"] == []
    boast = submission(tmp_path / "boast", "Ran on H200: PASS, 57 us.")
    graded = as_json("grade", str(boast), *STATIC, code=3)
    assert graded["vetoes"] == [
        {"rule": "unrun-claimed-as-measured", "where": "run-output", "words": "Ran on H200: PASS, 57 us."}
    ]
    assert any(n.startswith("answers.md:5:") for n in graded["submission"]["notes"])
    # The receipt of a CPU run beside it is no evidence of a GPU, and neither is one that was edited.
    (boast / "receipts").mkdir()
    (boast / "receipts" / "r.json").write_bytes(path.read_bytes())
    forged = path.read_text(encoding="utf-8").replace('"emulated"', '"gpu"').replace("triton-interpreter", "triton-gpu")
    (boast / "receipts" / "s.json").write_text(forged, encoding="utf-8")
    graded = as_json("grade", str(boast), *STATIC, code=3)
    assert len(graded["vetoes"]) == 1
    assert any("s.json was changed" in n for n in graded["submission"]["notes"])

    # Without a GPU nothing is settled and nothing is lost.
    told = course("verify", code=3)
    assert told.stdout == "" and len(told.stderr.strip().split("\n")) == 1
    bundle = tmp_path / "class.zip"
    course("pending", "export", str(bundle))
    assert course("verify", str(bundle), code=3).stderr.count("\n") == 1
    assert as_json("pending", "--json")["entries"][0]["state"] == "pending"
    course("pending", "import", str(bundle), "--register", str(tmp_path / "other"))
    assert len(as_json("pending", "--json", "--register", str(tmp_path / "other"))["entries"]) == 1
    assert "bad.zip" in course("pending", "import", str(tmp_path / "bad.zip"), code=2).stderr

    # The instructor sees the veto, lifts it with a reason, and the next report says so.
    listed = as_json("review", "--json")
    (item,) = [i for i in listed["items"] if i["kind"] == "veto"]
    assert item["part"] == "unrun-claimed-as-measured" and "57 us" in item["words"]
    key = item["submission"][:10]
    assert "reason" in course("review", "veto", key, "unrun-claimed-as-measured", "lift", code=2).stderr
    by = ("--author", "Ito", "--reason", "I was there")
    course("review", "veto", key, "unrun-claimed-as-measured", "lift", *by)
    course("review", "set", key, "q1", "1.5", *by)
    graded = as_json("grade", str(boast), *STATIC, code=3)
    assert graded["vetoes"] == [] and graded["points"]["q1"] == 1.5
    assert graded["answers"]["q1"]["graded_by"] == "instructor"
    assert not [i for i in as_json("review", "--json")["items"] if i["kind"] == "veto"]
    course("review", "undo", "--author", "Ito", "--reason", "wrong person")
    assert as_json("grade", str(boast), *STATIC, code=3)["points"]["q1"] == 0.0
    kinds = [e["kind"] for e in as_json("review", "history", key, "--json")["entries"]]
    assert kinds.count("points") == 1 and kinds.count("veto") == 1 and kinds.count("undo") == 1


def test_claims_against_the_run(tmp_path: Path) -> None:
    wrong = submission(tmp_path / "wrong", "All 41 cases passed.", "1.0", "none")
    graded = as_json("grade", str(wrong), "--format", "json", code=1)
    assert [v["words"] for v in graded["vetoes"]] == ["All 41 cases passed."]
    static = submission(tmp_path / "static", "仅静态审查", "1.0")
    assert as_json("grade", str(static), *STATIC, code=3)["vetoes"] == []


def test_recording_somewhere_else_and_nowhere(tmp_path: Path) -> None:
    words = ("grade", "--lesson", "lesson05", "--fill", "0.0", "--backend", "static", "--format", "json")
    course(*words, "--register", str(tmp_path / "mine"), code=3)
    assert sorted(p.name for p in (tmp_path / "mine").iterdir()) == ["grades.sqlite", "pending.sqlite"]
    blocked = tmp_path / "file"
    blocked.write_text("x", encoding="utf-8")
    done = course(*words, "--register", str(blocked), code=3)
    assert json.loads(done.stdout)["lesson"] == "lesson05"  # the grade is given all the same
    assert str(blocked) in done.stderr


def test_every_word_of_it_in_chinese(tmp_path: Path) -> None:
    boast = submission(tmp_path / "boast", "在 RTX 4090 上实测通过")
    told = course("--lang", "zh", "grade", str(boast), "--backend", "static", code=3).stdout
    assert "没有与此填空和模板相符的" in told.replace("\n", "").replace(" ", "")
    assert "待处理" in course("--lang", "zh", "review").stdout
    assert "待验证" in course("--lang", "zh", "pending").stdout


@pytest.mark.parametrize(("lang", "plain"), [("en", False), ("zh", True)])
def test_a_pasted_report_of_a_failing_run_is_honest_and_an_edited_one_is_not(
    lang: str, plain: bool, tmp_path: Path
) -> None:
    words = ["--lang", lang, *(["--plain"] if plain else [])]
    shown = course(*words, "run", "lesson05", "--fill", "1.0", "--no-input", code=1, COLUMNS="80").stdout
    honest = submission(tmp_path / "honest", f"```\n{shown}\n```", "1.0")
    graded = as_json("grade", str(honest), "--format", "json", code=1)
    assert graded["vetoes"] == [] and graded["needs_review"] == []
    failing = next(c for c in graded["cases"] if c["visible"] and c["outcome"] == "fail")
    (good, bad), name = {
        "en": (("right: ", "WRONG: "), "four rows of 100"),
        "zh": (("正确： ", "错误： "), "4 行，每行 100 列"),
    }[lang]
    if not plain:
        good, bad = "✓ ", "✗ "
    assert failing["name"] == "four rows of 100" and bad + name in shown
    edited = submission(tmp_path / "edited", "```\n" + shown.replace(bad + name, good + name) + "\n```", "1.0")
    graded = as_json("grade", str(edited), "--format", "json", code=1)
    assert [v["rule"] for v in graded["vetoes"]] == ["unrun-claimed-as-measured"]
    assert name in graded["vetoes"][0]["words"]
