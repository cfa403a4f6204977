"""kill -9 at any moment: the stores stay readable and everything that was acknowledged is there."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from course_cli.store import Store, write_file
from graders.evidence import parse_receipt, read_receipts
from graders.pending import Entry, Register, Result
from graders.review import Grades

ROOT = Path(__file__).resolve().parents[2]
KILLS = 60
HASH = "0123456789abcdef" * 4


def _receipt(number: int) -> str:
    from graders.evidence import RECEIPT_SCHEMA, Receipt, _own_hash

    case = {"name": "c", "group": "normal", "outcome": "pass", "inputs": HASH, "outputs": HASH, "seconds": 0.1}
    body = {
        "schema": RECEIPT_SCHEMA, "lesson": "lesson05", "started": "2026-01-01T00:00:00Z", "finished": "2026-01-01T00:00:01Z",
        "seconds": float(number), "hashes": {"blank": HASH, "template": HASH, "cases": HASH}, "tier": "emulated",
        "executor": "triton-interpreter", "device": "CPU", "toolchain": {}, "compiled": [], "sandbox": [], "cases": [case] * 200,
    }  # fmt: skip
    return Receipt.model_validate({**body, "sha256": _own_hash(body)}).dumps()


def _entry(number: int) -> Entry:
    return Entry(
        "lesson05", str(number), f"{number:064x}", HASH, HASH, "emulated", "triton-interpreter",
        {f"case {i}": "pass" for i in range(50)}, "run", None, float(number + 1),
    )  # fmt: skip


def _write_without_end(home: Path, first: int, pipe: int, most: int = 1 << 30) -> None:
    """The writer: everything that a run and a grade write, again and again; each number is said when it is on disk."""
    store, register, grades = Store(home), Register(home / "pending.sqlite"), Grades(home / "grades.sqlite")
    number = first
    while number < first + most:
        write_file(home / "work" / "receipts" / f"{number:08d}.json", _receipt(number))
        store.save("lesson05", best=float(number))
        store.record("lesson05", "run", {"number": number})
        entry = _entry(number)
        register.enter(entry)
        if number % 3 == 0:
            register.settle(entry, Result("Test GPU", "triton-gpu", {}, entry.expected))
        with grades._database.transaction() as db:
            db.execute(
                "INSERT INTO entry (time, key, kind, author, reason, data) VALUES (1, ?, 'points', 'a', 'b', ?)",
                (entry.key, json.dumps({"part": "q1", "points": 1.0, "number": number})),
            )
        os.write(pipe, number.to_bytes(8, "big"))
        number += 1


def _check(home: Path, said: int, ever: int) -> None:
    """Everything up to `said` is there; at most one more was on its way (`ever`)."""
    for name in ("progress", "pending", "grades"):
        with sqlite3.connect(home / f"{name}.sqlite") as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",), name
    events = [d["number"] for _, _, d in Store(home).events("lesson05", "run")]
    assert set(range(said + 1)) <= set(events) and max(events, default=0) <= ever
    register = Register(home / "pending.sqlite")
    entries = {int(e.fill): e for e in register.entries()}
    assert set(range(said + 1)) <= set(entries)
    assert all(entries[n].state == ("settled" if n % 3 == 0 else "pending") for n in range(said + 1))
    assert {n for n, e in entries.items() if (e.state == "settled") != (e.result is not None)} == set()
    settled = {key for _, key, what, _ in register.log() if what == "settled"}
    assert settled == {e.key for e in entries.values() if e.state == "settled"}  # state and log change together
    history = [e.data["number"] for e in Grades(home / "grades.sqlite").history()]
    assert set(range(said + 1)) <= set(history)
    receipts, notes = read_receipts(home / "work")
    assert notes == () and {int(r.seconds) for r in receipts} >= set(range(max(0, said - 400), said + 1))
    progress = Store(home).progress("lesson05")
    assert progress.best is not None and progress.best >= said


def _seconds_of_a_number(home: Path) -> float:
    """How long a writer takes for one number on this disk, after its first (which makes the files)."""
    receiver, sender = os.pipe()
    _write_without_end(home, 0, sender, 1)
    before = time.monotonic()
    _write_without_end(home, 1, sender, 4)
    os.close(receiver)
    os.close(sender)
    return min((time.monotonic() - before) / 4, 0.1)


def test_killed_while_writing(tmp_path: Path) -> None:
    """Sixty writers in turn, each killed at a random moment, mostly while it writes its first numbers."""
    cycle = _seconds_of_a_number(tmp_path / "calibration")
    random.seed(6)
    place, said = tmp_path / "home", -1
    for _ in range(KILLS):
        receiver, sender = os.pipe()
        first = said + 1  # what the last writer had begun and not said is written again, as a second run would
        child = os.fork()
        if child == 0:
            try:
                os.close(receiver)
                _write_without_end(place, first, sender)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(sender)
        time.sleep(random.uniform(0.001, 4 * cycle))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        raw = b""
        while piece := os.read(receiver, 65536):
            raw += piece
        os.close(receiver)
        numbers = [int.from_bytes(raw[i : i + 8], "big") for i in range(0, len(raw) - len(raw) % 8, 8)]
        said = numbers[-1] if numbers else first - 1
        if said >= 0 and random.random() < 0.25:
            _check(place, said, said + 1)
    _check(place, said, said + 1)
    assert said > KILLS / 6, "the writers were killed before they wrote anything"


def test_a_run_killed_anywhere() -> None:
    """The real command, killed at several shares of the time that a whole run takes: what earlier runs left stays."""
    pytest.importorskip("triton")
    home = Path(os.environ["COURSE_HOME"])
    words = [sys.executable, "-P", "-m", "course_cli", "run", "lesson05", "--fill", "0.0", "--no-input", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = time.monotonic()
    whole = subprocess.run(words, capture_output=True, env=environment, cwd=ROOT, timeout=120, check=False)
    took = time.monotonic() - before
    assert whole.returncode == 1
    for done, part in enumerate((0.2, 0.5, 0.8, 0.95), 1):
        killed = subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT
        )
        time.sleep(took * part)
        killed.kill()
        killed.wait()
        receipts = [p for p in (home / "work" / "lesson05" / "receipts").iterdir() if p.suffix == ".json"]
        assert 1 <= len(receipts) <= 1 + done and all(parse_receipt(p.read_bytes()) for p in receipts)
        runs = Store(home).events("lesson05", "run")
        assert 1 <= len(runs) <= len(receipts) and {d["receipt"] for _, _, d in runs} <= {p.name for p in receipts}
        assert Register(home / "pending.sqlite").count() == 1
