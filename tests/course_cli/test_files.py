"""The learner's own files and the memory of a session: nothing overwritten, nothing lost."""

from __future__ import annotations

import errno
import sqlite3
import time
from pathlib import Path

import pytest

from course_cli.drafts import Drafts
from course_cli.store import Store, write_file
from course_cli.workspace import ANSWERS, CodeFile, save_answer, write_start
from graders.answers import parse
from graders.course import Course, builtin_root
from graders.errors import EnvironmentProblem
from graders.lesson import Lesson


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return Course(builtin_root()).lesson("lesson05")


@pytest.fixture(scope="module")
def argmax() -> Lesson:
    return Course(builtin_root()).lesson("lesson12")


def test_the_blank_is_written_in_place_and_read_back(lesson: Lesson, argmax: Lesson, tmp_path: Path) -> None:
    for each, fills in (
        (lesson, ["0.0", "float('-inf')", "1.0"]),
        (argmax, ["other_val > vi.val", "(other_val > vi.val) ||\n  other_idx < 0"]),
    ):
        code = CodeFile(each, tmp_path / each.id)
        assert code.read().fill is None
        seen = None
        for fill in fills:
            done, kept = code.put(fill, seen)
            assert done and kept is None
            assert code.read().fill == fill
            seen = fill
        expected = each.template.replace("if (______)", f"if ({fills[-1]})").replace(
            "other=______", f"other={fills[-1]}"
        )
        assert code.path.read_text() == expected


def test_edits_outside_of_the_blank_and_line_ends_stay(lesson: Lesson, tmp_path: Path) -> None:
    code = CodeFile(lesson, tmp_path)
    mine = lesson.template.replace("______)", "1.0)  # my note").replace("\n", "\r\n")
    code.path.write_bytes(mine.encode())
    assert code.read().fill == "1.0"
    assert code.put("0.0", "1.0") == (True, None)
    assert code.path.read_bytes().decode() == mine.replace("other=1.0", "other=0.0")


def test_a_change_in_between_is_kept_beside(lesson: Lesson, tmp_path: Path) -> None:
    code = CodeFile(lesson, tmp_path)
    code.put("1.0", None)
    code.path.write_text(code.path.read_text().replace("other=1.0", "other=2.0"))  # in another editor
    done, kept = code.put("0.0", seen="1.0")
    assert done and kept is not None
    assert "other=2.0" in kept.read_text() and "other=0.0" in code.path.read_text()


def test_a_file_in_which_the_blank_cannot_be_found_is_left_alone(lesson: Lesson, tmp_path: Path) -> None:
    code = CodeFile(lesson, tmp_path)
    for content in (b"print('hello')\n", b"\xff\xfe\x00binary", b"def f(:\n"):
        code.path.write_bytes(content)
        assert code.read().fill is None
        try:
            assert code.put("0.0", None)[0] is False
        except Exception as error:  # told in one line by the session
            assert hasattr(error, "text")
        assert code.path.read_bytes() == content


def test_answers_keep_everything_else_of_the_file(lesson: Lesson, tmp_path: Path) -> None:
    write_start(lesson, tmp_path, "en")
    path = tmp_path / ANSWERS
    own = path.read_text().replace("## Failures\n", "## Failures\n\nmine, N = 3\n").replace("\n", "\r\n")
    path.write_bytes(own.encode())
    assert save_answer(path, lesson, "q2", "because a + 0 = a\n# not a heading\n\n`code`", "en") is None
    assert save_answer(path, lesson, "q1", "one", "en") is None
    raw = path.read_bytes().decode()
    assert raw.count("\r\n") == raw.count("\n")
    found = parse(raw)
    assert found.get("q1") == "one" and "not a heading" in found.get("q2") and "`code`" in found.get("q2")
    assert found.get("failures") == "mine, N = 3" and not found.notes


def test_an_answer_changed_in_an_editor_is_kept_beside(lesson: Lesson, tmp_path: Path) -> None:
    path = tmp_path / ANSWERS
    save_answer(path, lesson, "q1", "first", "zh")
    path.write_text(path.read_text().replace("first", "from the editor"))
    kept = save_answer(path, lesson, "q1", "typed", "zh", seen="first")
    assert kept is not None and "from the editor" in kept.read_text()
    assert parse(path.read_text()).get("q1") == "typed"


def test_start_keeps_what_is_there(lesson: Lesson, tmp_path: Path) -> None:
    (tmp_path / "lesson05.py").write_text("mine")
    written, kept = write_start(lesson, tmp_path, "en")
    assert [p.name for p in written] == [ANSWERS] and [p.name for p in kept] == ["lesson05.py"]
    assert (tmp_path / "lesson05.py").read_text() == "mine"


def test_drafts_are_on_disk_after_a_pause_and_at_the_latest_after_a_few(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "d", delay=0.05)
    begin = time.monotonic()
    written = 0.0
    for i in range(40):  # typing without a pause
        drafts.change("q1", "x" * (i + 1))
        time.sleep(0.02)
        if not written and (tmp_path / "d" / "q1.txt").is_file():
            written = time.monotonic() - begin
    assert 0 < written < 0.8
    time.sleep(0.3)
    assert Drafts(tmp_path / "d").get("q1") == "x" * 40
    drafts.drop("q1")
    assert drafts.get("q1") == "" and not (tmp_path / "d" / "q1.txt").exists()


def test_a_full_disk_is_told_and_the_draft_is_written_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = True

    def fsync(descriptor: int) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("course_cli.store.os.fsync", fsync)
    drafts = Drafts(tmp_path, delay=0.01)
    drafts.change("q1", "words")
    drafts.flush()
    assert drafts.problem is not None and "the disk is full" in drafts.problem.en and "磁盘已满" in drafts.problem.zh
    assert drafts.get("q1") == "words" and not list(tmp_path.iterdir())
    full = False
    drafts.flush()
    assert drafts.problem is None and (tmp_path / "q1.txt").read_text() == "words"


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    write_file(path, "old")

    def fsync(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("course_cli.store.os.fsync", fsync)
    with pytest.raises(EnvironmentProblem, match="disk is full"):
        write_file(path, "new")
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_a_progress_file_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "progress.sqlite") as db:
        db.execute(
            "CREATE TABLE lesson (id TEXT PRIMARY KEY, started REAL, updated REAL, folder TEXT, "
            "section INTEGER NOT NULL DEFAULT 0, fill TEXT NOT NULL DEFAULT '', hint INTEGER NOT NULL DEFAULT 0, "
            "best REAL, passed REAL, seconds REAL NOT NULL DEFAULT 0)"
        )
        db.execute(
            "CREATE TABLE event (id INTEGER PRIMARY KEY, time REAL NOT NULL, lesson TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL)"
        )
        db.execute("INSERT INTO lesson (id, started, fill, best) VALUES ('lesson05', 1.0, '0.0', 3.0)")
    store = Store(tmp_path)
    progress = store.progress("lesson05")
    assert (progress.fill, progress.best, progress.stage) == ("0.0", 3.0, "read")
    store.save("lesson05", stage="questions", section=3.4)
    assert Store(tmp_path).progress("lesson05").section == pytest.approx(3.4)


def test_a_reset_forgets_progress_and_keeps_the_record(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save("lesson05", hint=4, best=9.0)
    store.record("lesson05", "run", {"total": 9.0})
    assert store.last_run("lesson05") == {"total": 9.0}
    store.reset("lesson05")
    assert store.progress("lesson05").hint == 0 and store.last_run("lesson05") is None
    assert [kind for _, kind, _ in store.events("lesson05")] == ["run", "reset"]
