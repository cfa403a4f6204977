"""Instructor decisions over graded submissions: an append-only record, and its effect on a score card.

Every grade of a submission is a version in the record; marks, lifted and set vetoes and undone entries stand beside it with
author, time and reason. Nothing is ever changed or deleted (the file itself refuses it). Decisions hang on what was handed
in, not on a version, so they outlive a regrade with a newer lesson or grader.
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
from graders.errors import BadInput
from graders.evidence import lesson_hashes
from graders.lesson import Lesson
from graders.reports.json_report import as_dict
from graders.review_apply import Action, Decision, outcome
from graders.rubric import RubricSpec
from graders.scorecard import PARTS, VETO_RULES, ScoreCard
from graders.submission import Submission
from graders.text import Text

Kind = Literal["graded", "points", "veto", "undo"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY, time REAL NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, author TEXT NOT NULL,
    reason TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entry_key ON entry (key, id);
CREATE TRIGGER IF NOT EXISTS entry_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS entry_fixed BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the record. `data` depends on the kind:

    graded {"report", "answers", "versions", "rubric", "fingerprint"}; points {"part", "points"}; veto {"rule", "action"};
    undo {"entry"}: the id of the entry that no longer counts.
    """

    id: int
    time: float
    key: str
    kind: Kind
    author: str
    reason: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """One submission as it stands: the version in force, how many versions there are, the decisions that count."""

    key: str
    report: dict[str, Any]
    answers: dict[str, str]
    versions: int
    decisions: tuple[Decision, ...]
    rules: RubricSpec

    def outcome(self) -> dict[str, Any]:
        """Total, verdict and vetoes with the decisions laid over the version in force."""
        return outcome(self.report, self.decisions, self.rules)


def key_of(card: ScoreCard, submission: Submission) -> str:
    """What was handed in, and for which lesson; the same in every version of lesson and grader."""
    answers = json.dumps(sorted(submission.answers.sections.items()), ensure_ascii=False)
    blank = card.submission.blank_sha256 or _sha256(submission.fill)
    return _sha256("\0".join((submission.sha256 or "", card.lesson, blank, _sha256(answers))))


_UNUSABLE = Text(
    "the record of grades {p} cannot be used: {e} (COURSE_HOME names another folder)",
    "无法使用评分记录 {p}：{e}（可用 COURSE_HOME 指定其他文件夹）",
)


@dataclass(slots=True)
class Grades:
    """Access to the record; opened at the first use."""

    path: Path
    _database: Database = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._database = Database(self.path, lambda db: db.executescript(_SCHEMA), _UNUSABLE)

    def add(self, card: ScoreCard, submission: Submission, lesson: Lesson, rules: RubricSpec) -> str:
        """Append a version of a grade, unless the version in force says the same; returns the submission's key.

        `rules` is the rubric of this lesson that made the card.
        """
        key = key_of(card, submission)
        report = as_dict(card, "en")
        for case in report["cases"]:
            case["view"] = None
        hashes = lesson_hashes(lesson)
        versions = {"template": hashes.template, "cases": hashes.cases}
        fingerprint = _sha256(json.dumps([_substance(report), versions], sort_keys=True, ensure_ascii=False))
        data = {
            "report": report,
            "answers": {str(k): v for k, v in submission.answers.sections.items()},
            "versions": versions,
            "rubric": rules.model_dump(mode="json"),
            "fingerprint": fingerprint,
        }
        with self._database.transaction() as db:
            last = _in_force(_read(db, key))
            if last is None or last.data["fingerprint"] != fingerprint:
                _append(db, key, "graded", "", "", data)
        return key

    def decide_points(self, key: str, part: str, points: float, author: str, reason: str) -> int:
        """Set the points of a part; raises BadInput where part or points do not fit the report."""
        standing = self.standing(key)
        maximum = standing.report["maximum"]
        if part not in PARTS:
            raise BadInput(Text("{p} is no part: {a}", "没有 {p} 这一项：{a}").fill(p=part, a=", ".join(PARTS)))
        most = float(maximum[part])
        if not 0 <= points <= most or (points * 2) % 1:
            text = Text("{p} takes 0 to {m} in steps of 0.5, not {g}", "{p} 的分数为 0 到 {m}，步长 0.5，而不是 {g}")
            raise BadInput(text.fill(p=part, m=f"{most:g}", g=f"{points:g}"))
        return self._decide(key, "points", author, reason, {"part": part, "points": points})

    def decide_veto(self, key: str, rule: str, action: Action, author: str, reason: str) -> int:
        """Lift or set a veto; raises BadInput for a rule that there is not, or one to lift that nothing applies."""
        standing = self.standing(key)
        if rule not in VETO_RULES:
            text = Text("{r} is no veto: {a}", "没有名为 {r} 的一票否决：{a}")
            raise BadInput(text.fill(r=rule, a=", ".join(VETO_RULES)))
        applied = {v["rule"] for v in standing.report["vetoes"]}
        applied |= {d.name for d in standing.decisions if d.kind == "veto" and d.action == "set"}
        if action == "lift" and rule not in applied:
            raise BadInput(
                Text("{r} does not apply to this submission: nothing to lift", "此提交没有 {r}：无需撤销").fill(r=rule)
            )
        return self._decide(key, "veto", author, reason, {"rule": rule, "action": action})

    def undo(self, author: str, reason: str, key: str | None = None, entry: int | None = None) -> Entry:
        """Take back one entry by a new one: the named entry, else the last decision; a regrade only when named.

        Raises BadInput where nothing is left to undo, or for the first grade of a submission.
        """
        with self._database.transaction() as db:
            every = _read(db, key)
            gone = _undone(every)
            if entry is not None:
                chosen = next((e for e in every if e.id == entry), None)
                if chosen is None or chosen.kind == "undo" or chosen.id in gone:
                    raise BadInput(Text("there is no entry {n} to undo", "没有可撤销的条目 {n}").fill(n=entry))
                if chosen.kind == "graded" and _in_force(every, chosen.key, without=chosen.id) is None:
                    raise BadInput(
                        Text("the only grade of a submission cannot be undone", "提交的唯一一次评分不能撤销")
                    )
            else:
                found = [e for e in every if e.kind in ("points", "veto") and e.id not in gone]
                if not found:
                    raise BadInput(Text("there is no decision to undo", "没有可撤销的决定"))
                chosen = found[-1]
            _append(db, chosen.key, "undo", author, reason, {"entry": chosen.id})
        return chosen

    def history(self, key: str | None = None) -> list[Entry]:
        """Everything on record, of one submission or of all, oldest first."""
        if not self.path.is_file():
            return []
        with self._database.transaction(write=False) as db:
            return _read(db, key)

    def decisions(self, key: str) -> tuple[Decision, ...]:
        """The decisions about a submission that count, oldest first."""
        return _decisions(self.history(key))

    def standing(self, key: str) -> Standing:
        """A submission as it stands; raises BadInput where it is not on record."""
        every = self.history(key)
        last = _in_force(every)
        if last is None:
            raise BadInput(Text("no graded submission {k}", "没有已评分的提交 {k}").fill(k=key[:12]))
        versions = sum(e.kind == "graded" for e in every)
        return Standing(key, last.data["report"], last.data["answers"], versions, _decisions(every), _rules(last))

    def standings(self) -> list[Standing]:
        """Every submission on record, in the order in which they first came."""
        return [self.standing(key) for key in dict.fromkeys(e.key for e in self.history())]

    def find(self, name: str) -> str:
        """The key for the beginning of a key or of a file's SHA-256, or for a path; raises BadInput."""
        found, latest = [], None
        for entry in self.history():
            if entry.kind != "graded":
                continue
            handed_in = entry.data["report"]["submission"]
            hashes = (entry.key, handed_in["sha256"] or "")
            if len(name) >= 4 and any(h.startswith(name.lower()) for h in hashes) and entry.key not in found:
                found.append(entry.key)
            if handed_in["path"] and _same(handed_in["path"], name):
                latest = entry.key  # of several submissions from one path the last one is meant
        if latest is not None:
            return latest
        if len(found) == 1:
            return found[0]
        if not found:
            text = Text(
                "no graded submission {n} (`course review` lists them)",
                "没有已评分的提交 {n}（`course review` 可列出）",
            )
            raise BadInput(text.fill(n=repr(name)))
        text = Text("{n} fits several submissions: {a}", "{n} 对应多个提交：{a}")
        raise BadInput(text.fill(n=repr(name), a=", ".join(k[:8] for k in found)))

    def close(self) -> None:
        self._database.close()

    def _decide(self, key: str, kind: Kind, author: str, reason: str, data: dict[str, Any]) -> int:
        if not reason.strip() or not author.strip():
            raise BadInput(Text("a decision needs --reason and --author", "决定需要 --reason 与 --author"))
        with self._database.transaction() as db:
            return _append(db, key, kind, author.strip(), reason.strip(), data)


def _read(db: sqlite3.Connection, key: str | None) -> list[Entry]:
    query = "SELECT id, time, key, kind, author, reason, data FROM entry"
    rows = db.execute(query + (" WHERE key = ?" if key else "") + " ORDER BY id", (key,) if key else ()).fetchall()
    return [Entry(r[0], r[1], r[2], r[3], r[4], r[5], json.loads(r[6])) for r in rows]


def _append(db: sqlite3.Connection, key: str, kind: Kind, author: str, reason: str, data: dict[str, Any]) -> int:
    cursor = db.execute(
        "INSERT INTO entry (time, key, kind, author, reason, data) VALUES (?, ?, ?, ?, ?, ?)",
        (time.time(), key, kind, author, reason, json.dumps(data, ensure_ascii=False)),
    )
    return int(cursor.lastrowid or 0)


def _undone(entries: Sequence[Entry]) -> set[int]:
    return {int(e.data["entry"]) for e in entries if e.kind == "undo"}


def _in_force(entries: Sequence[Entry], key: str | None = None, without: int | None = None) -> Entry | None:
    """The latest grade that was not undone."""
    gone = _undone(entries) | ({without} if without is not None else set())
    found = [e for e in entries if e.kind == "graded" and e.id not in gone and (key is None or e.key == key)]
    return found[-1] if found else None


def _decisions(entries: Sequence[Entry]) -> tuple[Decision, ...]:
    gone = _undone(entries)
    out = []
    for e in entries:
        if e.id in gone:
            continue
        if e.kind == "points":
            out.append(Decision("points", e.data["part"], e.author, e.reason, e.time, points=float(e.data["points"])))
        elif e.kind == "veto":
            out.append(Decision("veto", e.data["rule"], e.author, e.reason, e.time, action=e.data["action"]))
    return tuple(out)


def _rules(graded: Entry) -> RubricSpec:
    return RubricSpec.model_validate(graded.data["rubric"])


def _substance(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what says nothing about the grade: where the file lay, how long each case took."""
    cases = [{**c, "seconds": 0} for c in report["cases"]]
    return {**report, "submission": {**report["submission"], "path": None}, "cases": cases}


def _same(path: str, name: str) -> bool:
    return path == name or Path(path).absolute() == Path(name).absolute()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
