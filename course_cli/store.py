"""The learner's progress: one SQLite file, safe against a kill at any moment (every change is one transaction).

It lies in the user's data folder (COURSE_HOME overrides). Answers and fills that a learner types are files of theirs in a
work folder; this file only remembers where they are and how far the lesson got.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graders.database import Database, reason_of
from graders.errors import EnvironmentProblem
from graders.text import Text

_SCHEMA = """
CREATE TABLE IF NOT EXISTS lesson (
    id TEXT PRIMARY KEY, started REAL, updated REAL, folder TEXT, section INTEGER NOT NULL DEFAULT 0,
    fill TEXT NOT NULL DEFAULT '', hint INTEGER NOT NULL DEFAULT 0, best REAL, passed REAL, seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, time REAL NOT NULL, lesson TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS event_lesson ON event (lesson, id);
"""
# Columns that came later: added to a file that an older version made.
_ADDED = {"stage": "TEXT NOT NULL DEFAULT 'read'", "seen": "TEXT NOT NULL DEFAULT ''"}
Stage = Literal["read", "fill", "questions", "card"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one lesson got. Times are seconds since 1970; `hint` is the highest level opened since the last reset.

    `section` counts sections of the text that were read; its fraction is the share of the next one. `stage` is the step
    that comes next, `seen` the blank as it last stood in the learner's file.
    """

    id: str
    started: float | None = None
    updated: float | None = None
    folder: Path | None = None
    section: float = 0
    fill: str = ""
    hint: int = 0
    best: float | None = None
    passed: float | None = None
    seconds: float = 0.0
    stage: Stage = "read"
    seen: str = ""


def home() -> Path:
    """The folder of everything that belongs to the learner."""
    given = os.environ.get("COURSE_HOME")
    if given:
        return Path(given).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("course", appauthor=False))


_UNUSABLE = Text(
    "the progress file {p} cannot be used: {e} (COURSE_HOME names another folder)",
    "无法使用进度文件 {p}：{e}（可用 COURSE_HOME 指定其他文件夹）",
)


class Store:
    """Access to the progress file; opened at the first use."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self._database = Database(self.path, _prepare, _UNUSABLE)

    @property
    def path(self) -> Path:
        return self.folder / "progress.sqlite"

    def exists(self) -> bool:
        return self.path.is_file()

    def progress(self, lesson: str) -> Progress:
        """Progress of a lesson; a fresh one where nothing is known."""
        if not self.exists():
            return Progress(lesson)
        with self._database.transaction(write=False) as db:
            row = db.execute(
                "SELECT id, started, updated, folder, section, fill, hint, best, passed, seconds, stage, seen FROM lesson WHERE id = ?",
                (lesson,),
            ).fetchone()
        if row is None:
            return Progress(lesson)
        return Progress(row[0], row[1], row[2], Path(row[3]) if row[3] else None, *row[4:])

    def save(self, lesson: str, **changes: Any) -> None:
        """Change columns of a lesson's progress (see Progress); creates the row where there is none."""
        now = time.time()
        if "folder" in changes and changes["folder"] is not None:
            changes["folder"] = str(changes["folder"])
        names = [n for n in changes if n in Progress.__slots__]
        with self._database.transaction() as db:
            db.execute("INSERT OR IGNORE INTO lesson (id, started) VALUES (?, ?)", (lesson, now))
            for name in names:
                db.execute(f"UPDATE lesson SET {name} = ? WHERE id = ?", (changes[name], lesson))
            db.execute("UPDATE lesson SET updated = ? WHERE id = ?", (now, lesson))

    def record(self, lesson: str, kind: str, data: dict[str, Any]) -> None:
        """Append an event (a run, a hint, a reset): never changed, never deleted."""
        with self._database.transaction() as db:
            db.execute(
                "INSERT INTO event (time, lesson, kind, data) VALUES (?, ?, ?, ?)",
                (time.time(), lesson, kind, json.dumps(data, ensure_ascii=False)),
            )

    def events(self, lesson: str, kind: str | None = None) -> list[tuple[float, str, dict[str, Any]]]:
        """Events of a lesson, oldest first: (time, kind, data)."""
        if not self.exists():
            return []
        query = (
            "SELECT time, kind, data FROM event WHERE lesson = ?" + (" AND kind = ?" if kind else "") + " ORDER BY id"
        )
        with self._database.transaction(write=False) as db:
            rows = db.execute(query, (lesson, kind) if kind else (lesson,)).fetchall()
        return [(r[0], r[1], json.loads(r[2])) for r in rows]

    def last_run(self, lesson: str) -> dict[str, Any] | None:
        """The data of the latest run of a lesson since its last reset, or None."""
        if not self.exists():
            return None
        query = "SELECT kind, data FROM event WHERE lesson = ? AND kind IN ('run', 'reset') ORDER BY id DESC LIMIT 1"
        with self._database.transaction(write=False) as db:
            row = db.execute(query, (lesson,)).fetchone()
        if row is None or row[0] != "run":
            return None
        data: dict[str, Any] = json.loads(row[1])
        return data

    def reset(self, lesson: str) -> None:
        """Start a lesson afresh: progress back to nothing; the events stay."""
        self.record(lesson, "reset", {})
        with self._database.transaction() as db:
            db.execute("DELETE FROM lesson WHERE id = ?", (lesson,))

    def work_folder(self, lesson: str) -> Path:
        """Where the learner's files of a lesson lie: the folder given to `course start`, else one in `folder`."""
        return self.progress(lesson).folder or self.folder / "work" / lesson


def _prepare(db: sqlite3.Connection) -> None:
    """Make or bring up to date the tables; writes nothing where they are as they should be."""
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"lesson", "event"} <= tables:  # also after a kill between the two
        db.executescript(_SCHEMA)
    have = {row[1] for row in db.execute("PRAGMA table_info(lesson)")}
    for name in _ADDED.keys() - have:
        db.execute(f"ALTER TABLE lesson ADD COLUMN {name} {_ADDED[name]}")


def write_file(path: Path, text: str | bytes) -> None:
    """Replace a file in one step, so that a kill or a full disk leaves the old one whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            stream.write(text if isinstance(text, bytes) else text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise EnvironmentProblem(
            Text("{p} cannot be written: {e}", "无法写入 {p}：{e}").fill(p=path, e=reason_of(error))
        ) from None
