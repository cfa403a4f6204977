"""The one way to a SQLite file: nothing is made before the first use, a failed transaction leaves nothing, faults are sentences."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graders.database import Database
from graders.errors import EnvironmentProblem
from graders.text import Text

UNUSABLE = Text("{p} cannot be used: {e}", "无法使用 {p}：{e}")


def database(path: Path) -> Database:
    return Database(path, lambda db: db.executescript("CREATE TABLE IF NOT EXISTS a (x)"), UNUSABLE)


def rows(opened: Database) -> list[tuple[int]]:
    with opened.transaction(write=False) as db:
        return db.execute("SELECT x FROM a").fetchall()


def test_nothing_is_made_before_the_first_transaction(tmp_path: Path) -> None:
    opened = database(tmp_path / "new" / "a.sqlite")
    assert not (tmp_path / "new").exists()
    assert rows(opened) == []
    assert opened.path.is_file()


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    opened = database(tmp_path / "a.sqlite")
    with pytest.raises(KeyboardInterrupt), opened.transaction() as db:
        db.execute("INSERT INTO a VALUES (1)")
        raise KeyboardInterrupt
    with opened.transaction() as db:
        db.execute("INSERT INTO a VALUES (2)")
    opened.close()
    assert rows(database(opened.path)) == [(2,)]


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    first, second = database(tmp_path / "a.sqlite"), database(tmp_path / "a.sqlite")
    assert rows(first) == rows(second) == []
    with first.transaction() as db:
        db.execute("INSERT INTO a VALUES (1)")
        assert rows(second) == []
    assert rows(second) == [(1,)]


def test_a_file_that_is_no_database_is_named_in_both_languages(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"no database" * 200)
    with pytest.raises(EnvironmentProblem) as caught, database(path).transaction():
        pass
    assert str(path) in caught.value.message("en")
    assert "无法使用" in caught.value.message("zh")
    assert path.read_bytes() == b"no database" * 200


def test_the_writer_after_a_sqlite_error_goes_on(tmp_path: Path) -> None:
    opened = database(tmp_path / "a.sqlite")
    with pytest.raises(EnvironmentProblem), opened.transaction() as db:
        db.execute("INSERT INTO nowhere VALUES (1)")
    with opened.transaction() as db:
        db.execute("INSERT INTO a VALUES (3)")
    assert rows(opened) == [(3,)]
    with sqlite3.connect(opened.path) as db:
        assert db.execute("SELECT x FROM a").fetchall() == [(3,)]
