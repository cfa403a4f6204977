"""docs/formats.md is true: its files make a course that loads, runs and passes its own self-test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graders.answers import SECTIONS, parse
from graders.course import open_course

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for name, text in _BLOCK.findall((ROOT / "docs" / "formats.md").read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_course_loads(written: Path) -> None:
    course = open_course(written)
    lesson = course.lesson("product")
    assert lesson.id == "lesson01" and len(lesson.spec.cases) == 5 and lesson.solution() is not None
    assert course.grader_seed() == "change me in your own course"


def test_the_course_passes_its_self_test(written: Path) -> None:
    pytest.importorskip("triton")
    from graders.selftest import run_selftest

    course = open_course(written)
    result = run_selftest(course, course.lesson("lesson01"), "cpu")
    assert [p.en for p in result.problems] == []
    assert len(result.verdicts) == 1 + 1 + 6 + 11 and all(v.ok for v in result.verdicts)


def test_every_section_of_the_answers_is_read(written: Path) -> None:
    found = parse((written / "answers.md").read_text(encoding="utf-8"))
    assert set(found.sections) == set(SECTIONS) and not found.notes


def test_no_block_is_forgotten() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert len(_BLOCK.findall(text)) == 10 == text.count(" file=")
