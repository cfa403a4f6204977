"""lesson.yaml read strictly: every problem at its line with its path and its fix, all of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests_support import example_course

from graders.course import open_course
from graders.errors import BadInput
from graders.lesson import load_lesson
from graders.yamlread import FileProblems

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example lesson of docs/formats.md, ready to be spoilt."""
    example_course(tmp_path)
    return tmp_path / "lessons" / "lesson01"


def spoil(folder: Path, old: str, new: str) -> None:
    path = folder / "lesson.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def line_of(folder: Path, words: str) -> int:
    lines = (folder / "lesson.yaml").read_text(encoding="utf-8").split("\n")
    return next(n for n, line in enumerate(lines, 1) if words in line)


def problems(folder: Path) -> list[tuple[int, str, str]]:
    with pytest.raises(FileProblems) as caught:
        load_lesson(folder)
    assert all(p.text.zh for p in caught.value.problems)
    return [(p.where.line, p.path, p.text.en) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "words", "path", "says"),
    [
        ("minutes: 20", "minuts: 20", "minuts", "minuts", "unknown key 'minuts' (did you mean minutes?)"),
        ("minutes: 20", "minutes: no", "minutes", "minutes", "must be a number, not 'no'"),
        ("minutes: 20", "minutes: 1.5", "minutes", "minutes", "must be a number"),
        ("    visible: true", "    visible: yes", "visible", "cases[0].visible", "must be true or false, not 'yes'"),
        ("group: boundary", "group: edge", "group: edge", "cases[2].group", "must be one of"),
        ("fill: constant, value: 1.0", "fill: constant", "fill: constant}", "cases[2].inputs.x", "fill constant needs `value:`"),
        ("low: 0.5, high: 2.0, seed: 1", "low: 0.5, high: 2.0", "shape: [2, 4]", "cases[0].inputs.x", "a random fill needs `seed:`"),
        ("shape: [2, 4]", "shape: [4]", "format:", "", "x has 1 axes, not 2"),
        ('oracle: {out: "x.prod(1)"}', 'oracle: {out: "x.__class__"}', "oracle:", "oracle", ".__class__ is not allowed"),
        ('oracle: {out: "x.prod(1)"}', 'oracle: {y: "x"}', "format:", "", "`oracle` must name every output: out"),
        ("name: two rows of 3", "name: two rows of 4", "format:", "", "two cases are named 'two rows of 4'"),
        ("kind: close, rtol: 1e-5", "kind: close", "comparison: {kind: close}", "comparison", "close needs `rtol:` or `atol:`"),
        ("title: {en: Row product, zh: 行乘积}", "title: {en: Row product}", "title:", "title", "key 'zh' is missing"),
        ("title: {en: Row product, zh: 行乘积}", "title: {en: 1e3, zh: 行乘积}", "title:", "title.en", "must be text, not 1000.0: put it in quotes"),
        ("format: course-lesson/1", "format: course-lesson/9", "format:", "format", "write `format: course-lesson/1` at the top"),
        ("arguments: [x, out]", "arguments: [x, y]", "format:", "", "entry argument 'y' is no input, output or scalar"),
        ("case: ones", "case: twos", "format:", "", "`probe` names a case or an input that is not there"),
        ("- {id: q3,", "- {id: q9,", "id: q9", "questions[2].id", "must be one of"),
        ("at: [{index: [0, 1], value: nan}", "at: [{value: nan}", "at: [{value", "cases[3].inputs.x.at[0]", "give either `index` or `row`"),
    ],
)  # fmt: skip
def test_each_problem_has_its_line_path_and_fix(
    folder: Path, old: str, new: str, words: str, path: str, says: str
) -> None:
    spoil(folder, old, new)
    found = problems(folder)
    assert any(
        line == line_of(folder, words) and where.startswith(path) and says in text for line, where, text in found
    ), found


def test_all_problems_are_told_at_once(folder: Path) -> None:
    spoil(folder, "minutes: 20", "minuts: 20")
    spoil(folder, "    visible: true", "    visible: on")
    spoil(folder, "group: boundary", "group: edge")
    found = problems(folder)
    assert len(found) == 3 and [f[0] for f in found] == sorted(f[0] for f in found)


def test_yaml_traps_come_before_the_model(folder: Path) -> None:
    spoil(folder, "minutes: 20", "minutes: 020")
    assert problems(folder)[0][1:] == ("minutes", "020 begins with a zero: write 20, 0o20 for octal, or '020' for text")


def test_numbers_in_exponent_form_are_numbers(folder: Path) -> None:
    assert load_lesson(folder).spec.comparison.rtol == 1e-5


def test_a_missing_template_is_told(folder: Path) -> None:
    (folder / "template.py").unlink()
    with pytest.raises(BadInput, match=r"template\.py: cannot be read"):
        load_lesson(folder)


def test_names_of_a_lesson() -> None:
    course = open_course(ROOT / "lessons")
    for name in ("lesson12", "12", "argmax", "LESSON12", " lesson12 "):
        assert course.find(name) == "lesson12"
    assert course.find("5") == course.find("05") == course.find("lesson5") == "lesson05"
    assert course.find("lesson12-nan") == "lesson12-nan"
    with pytest.raises(BadInput, match=r"nearest: lesson07"):
        course.find("lesson70")


def test_a_course_is_found_from_below(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert open_course().ids == ("lesson01",)
    monkeypatch.chdir("/")
    assert "lesson05" in open_course().ids


def test_every_lesson_that_ships_is_read_whole() -> None:
    course = open_course(ROOT / "lessons")
    for lesson_id in course.ids:
        lesson = course.lesson(lesson_id)
        assert lesson.solution() is not None and lesson.text("zh") and lesson.text("en")
        assert {c.group for c in lesson.spec.cases} == {"normal", "boundary"}
        assert any(c.visible for c in lesson.spec.cases)
