"""The pending register: what was executed on a CPU or only read, waits here until a GPU has run the same blank.

One SQLite file; an entry is one blank of one lesson in one version of template and cases. Settling re-runs it through the
same pipeline: the same verdict settles it, another one is a dispute that names the case with both results. Every change is
one transaction, and every settling is also appended to a log that is never rewritten.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from graders.database import Database
from graders.evidence import lesson_hashes
from graders.lesson import Lesson
from graders.scorecard import CaseResult, ScoreCard
from graders.text import Text

State = Literal["pending", "settled", "disputed"]
STATES: tuple[State, ...] = ("pending", "settled", "disputed")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pending (
    key TEXT PRIMARY KEY, lesson TEXT NOT NULL, fill TEXT NOT NULL, blank TEXT NOT NULL, template TEXT NOT NULL,
    cases TEXT NOT NULL, tier TEXT NOT NULL, executor TEXT NOT NULL, expected TEXT NOT NULL, source TEXT NOT NULL,
    submission TEXT, entered REAL NOT NULL, state TEXT NOT NULL DEFAULT 'pending', settled REAL, result TEXT
);
CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, time REAL NOT NULL, key TEXT NOT NULL, what TEXT NOT NULL, data TEXT NOT NULL);
"""
_COLUMNS = "lesson, fill, blank, template, cases, tier, executor, expected, source, submission, entered, state, settled, result"


@dataclass(frozen=True, slots=True)
class Dispute:
    """One case on which two runs disagree: what was recorded, and what the GPU showed."""

    case: str
    recorded: str
    found: str
    detail: Text


@dataclass(frozen=True, slots=True)
class Result:
    """What a GPU run made of an entry."""

    device: str
    executor: str
    toolchain: dict[str, str]
    outcomes: dict[str, str]
    disputes: tuple[Dispute, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "device": self.device,
            "executor": self.executor,
            "toolchain": dict(self.toolchain),
            "outcomes": dict(self.outcomes),
            "disputes": [
                {"case": d.case, "recorded": d.recorded, "found": d.found, "detail": d.detail.as_json()}
                for d in self.disputes
            ],
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Result:
        disputes = tuple(
            Dispute(str(d["case"]), str(d["recorded"]), str(d["found"]), Text.from_json(d["detail"]))
            for d in value.get("disputes", ())
        )
        return cls(
            str(value["device"]),
            str(value["executor"]),
            {str(k): str(v) for k, v in value["toolchain"].items()},
            {str(k): str(v) for k, v in value["outcomes"].items()},
            disputes,
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One blank that waits (or waited). `expected`: outcome by case, as recorded when it was entered."""

    lesson: str
    fill: str
    blank: str
    template: str
    cases: str
    tier: Literal["emulated", "static"]
    executor: str
    expected: dict[str, str]
    source: str
    submission: str | None = None
    entered: float = 0.0
    state: State = "pending"
    settled: float | None = None
    result: Result | None = None

    @property
    def key(self) -> str:
        """See `key_of`."""
        return key_of(self.lesson, self.blank, self.template, self.cases)


def key_of(lesson: str, blank: str, template: str, cases: str) -> str:
    """The key of an entry: the same for the same blank on the same version of a lesson."""
    return hashlib.sha256("\0".join((lesson, blank, template, cases)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Merge:
    """What an import did: entries that are new, and entries that were there already."""

    new: int = 0
    known: int = 0
    settled: int = 0


_UNUSABLE = Text(
    "the pending register {p} cannot be used: {e} (COURSE_HOME names another folder)",
    "无法使用待验证登记 {p}：{e}（可用 COURSE_HOME 指定其他文件夹）",
)


@dataclass(slots=True)
class Register:
    """Access to the file; opened at the first use, so that asking about an empty one creates nothing."""

    path: Path
    _database: Database = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._database = Database(self.path, lambda db: db.executescript(_SCHEMA), _UNUSABLE)

    def enter(self, entry: Entry) -> bool:
        """Enter what waits; True where it is new. A recorded static entry takes the outcomes of a later emulated run."""
        with self._database.transaction() as db:
            row = db.execute("SELECT tier, state FROM pending WHERE key = ?", (entry.key,)).fetchone()
            if row is None:
                _insert(db, entry)
                return True
            if row == ("static", "pending") and entry.tier == "emulated":
                db.execute(
                    "UPDATE pending SET tier = ?, executor = ?, expected = ? WHERE key = ?",
                    (entry.tier, entry.executor, _dumps(entry.expected), entry.key),
                )
                _log(db, entry.key, "executed", {"tier": entry.tier, "executor": entry.executor})
            return False

    def entries(self, state: State | None = None) -> list[Entry]:
        """Entries in the order in which they came."""
        return self._select(" WHERE state = ?" if state else "", (state,) if state else ())

    def count(self, state: State = "pending") -> int:
        return sum(self.counts(state).values())

    def counts(self, state: State = "pending") -> dict[str, int]:
        """How many entries each lesson has in a state."""
        if not self.path.is_file():
            return {}
        with self._database.transaction(write=False) as db:
            query = "SELECT lesson, count(*) FROM pending WHERE state = ? GROUP BY lesson"
            return {str(r[0]): int(r[1]) for r in db.execute(query, (state,))}

    def find(self, key: str) -> Entry | None:
        return next(iter(self._select(" WHERE key = ?", (key,))), None)

    def settle(self, entry: Entry, result: Result) -> State:
        """Record what a GPU run showed; the entry is then settled or disputed."""
        state: State = "disputed" if result.disputes else "settled"
        with self._database.transaction() as db:
            now = time.time()
            db.execute(
                "UPDATE pending SET state = ?, settled = ?, result = ? WHERE key = ?",
                (state, now, _dumps(result.as_json()), entry.key),
            )
            _log(db, entry.key, state, result.as_json())
        return state

    def merge(self, entries: Sequence[Entry], *, accept_results: bool = False) -> Merge:
        """Take over entries of a bundle in one transaction. What a bundle says is settled counts only with `accept_results`."""
        new = known = settled = 0
        with self._database.transaction() as db:
            for entry in entries:
                row = db.execute("SELECT state FROM pending WHERE key = ?", (entry.key,)).fetchone()
                if row is None:
                    _insert(db, entry)
                    new += 1
                else:
                    known += 1
                if accept_results and entry.result is not None and (row is None or row[0] == "pending"):
                    db.execute(
                        "UPDATE pending SET state = ?, settled = ?, result = ? WHERE key = ?",
                        (entry.state, entry.settled, _dumps(entry.result.as_json()), entry.key),
                    )
                    _log(db, entry.key, f"imported {entry.state}", entry.result.as_json())
                    settled += 1
        return Merge(new, known, settled)

    def log(self) -> list[tuple[float, str, str, dict[str, Any]]]:
        """Everything that ever happened here, oldest first: (time, key, what, data)."""
        if not self.path.is_file():
            return []
        with self._database.transaction(write=False) as db:
            rows = db.execute("SELECT time, key, what, data FROM log ORDER BY id").fetchall()
        return [(r[0], r[1], r[2], json.loads(r[3])) for r in rows]

    def close(self) -> None:
        self._database.close()

    def _select(self, where: str, values: tuple[str, ...]) -> list[Entry]:
        if not self.path.is_file():
            return []
        with self._database.transaction(write=False) as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM pending{where} ORDER BY entered, key", values).fetchall()
        return [_entry(row) for row in rows]


def entry_of(card: ScoreCard, lesson: Lesson, fill: str, source: str) -> Entry | None:
    """What a graded card leaves to be verified; None where a GPU ran it, or where the blank was refused."""
    blank = card.submission.blank_sha256
    if blank is None or card.refused is not None or card.evidence.tier == "gpu":
        return None
    hashes = lesson_hashes(lesson)
    return Entry(
        lesson=lesson.id,
        fill=fill,
        blank=blank,
        template=hashes.template,
        cases=hashes.cases,
        tier="emulated" if card.evidence.tier == "emulated" else "static",
        executor=card.evidence.executor,
        expected={c.name: c.outcome for c in card.cases},
        source=source,
        submission=card.submission.sha256,
        entered=time.time(),
    )


def disputes_of(entry: Entry, cases: Sequence[CaseResult]) -> tuple[Dispute, ...]:
    """Cases on which the two runs disagree about passing. A case that was not run before disagrees only by failing."""
    out = []
    for case in cases:
        recorded = entry.expected.get(case.name, "not-run")
        if case.outcome == "not-run":
            continue
        if recorded == "not-run":
            differs = entry.tier == "emulated" and case.outcome != "pass" and _all_passed(entry)
        else:
            differs = (recorded == "pass") != (case.outcome == "pass")
        if differs:
            out.append(Dispute(case.name, recorded, case.outcome, case.detail))
    return tuple(out)


def _all_passed(entry: Entry) -> bool:
    return all(outcome in ("pass", "not-run") for outcome in entry.expected.values())


def _insert(db: sqlite3.Connection, entry: Entry) -> None:
    db.execute(
        "INSERT INTO pending (key, lesson, fill, blank, template, cases, tier, executor, expected, source, submission, "
        "entered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.key, entry.lesson, entry.fill, entry.blank, entry.template, entry.cases, entry.tier, entry.executor,
            _dumps(entry.expected), entry.source, entry.submission, entry.entered or time.time(),
        ),
    )  # fmt: skip
    _log(db, entry.key, "entered", {"source": entry.source, "tier": entry.tier})


def _log(db: sqlite3.Connection, key: str, what: str, data: dict[str, Any]) -> None:
    db.execute("INSERT INTO log (time, key, what, data) VALUES (?, ?, ?, ?)", (time.time(), key, what, _dumps(data)))


def _entry(row: Sequence[Any]) -> Entry:
    (
        lesson,
        fill,
        blank,
        template,
        cases,
        tier,
        executor,
        expected,
        source,
        submission,
        entered,
        state,
        settled,
        result,
    ) = row
    return Entry(
        lesson=lesson,
        fill=fill,
        blank=blank,
        template=template,
        cases=cases,
        tier=tier,
        executor=executor,
        expected=json.loads(expected),
        source=source,
        submission=submission,
        entered=entered,
        state=state,
        settled=settled,
        result=Result.from_json(json.loads(result)) if result else None,
    )


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
