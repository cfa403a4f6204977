"""The course's own lessons at the gate: every fill of the answer keys passes or is refused as its file says, and comes
back as typed out of a whole submitted file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from graders.blank import BLANK, BlankRules, Language, Refused, check_fill, find_blank, inject
from graders.blank_base import WHITE
from graders.template_diff import compare, marker

ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.name for path in (ROOT / "lessons").iterdir() if (path / "lesson.yaml").is_file())


def lesson(name: str) -> tuple[str, BlankRules]:
    """The template and the allow-list."""
    folder = ROOT / "lessons" / name
    data = yaml.safe_load((folder / "lesson.yaml").read_text(encoding="utf-8"))
    blank, language = data["blank"], data["language"]
    parts = (frozenset(blank.get(part, ())) for part in ("names", "calls", "attributes"))
    return (folder / data["template"]).read_text(encoding="utf-8"), BlankRules(*parts, language=language)


def fills(name: str) -> list[dict[str, object]]:
    folder = ROOT / "solutions" / name
    files = [folder / "right_fills.yaml", folder / "wrong_fills.yaml"]
    return [row for path in files if path.is_file() for row in yaml.safe_load(path.read_text(encoding="utf-8"))]


def test_there_are_lessons() -> None:
    assert {"lesson05", "lesson07", "lesson12"} <= set(LESSONS)
    assert all(len(fills(name)) >= 15 for name in ("lesson05", "lesson07", "lesson12"))


@pytest.mark.parametrize("name", LESSONS)
def test_fills_pass_or_are_refused_as_said(name: str) -> None:
    template, rules = lesson(name)
    for row in fills(name):
        fill = str(row["fill"])
        try:
            made = inject(template, check_fill(fill, template, rules))
        except Refused as refused:
            assert row.get("refused"), (fill, refused.reason.en)
        else:
            assert not row.get("refused"), fill
            assert len(made.source.split("\n")) == len(template.split("\n"))


@pytest.mark.parametrize("name", LESSONS)
def test_fills_come_back_out_of_a_submitted_file(name: str) -> None:
    """The gate must say the same about the fill of a whole file as about the fill alone."""
    template, rules = lesson(name)
    language: Language = rules.language
    at = find_blank(template, language).offset
    assert marker(template) == name
    for row in fills(name):
        fill = str(row["fill"])
        found = compare(template, template[:at] + fill + template[at + len(BLANK) :], language)
        assert found.unfilled == (not fill.strip(WHITE))
        if row.get("refused"):
            commented = any(mark in fill for mark in ("//", "/*", "#"))  # comments in a file do not count
            if found.fill is not None and not found.edits and found.fits and not commented:
                with pytest.raises(Refused):
                    check_fill(found.fill, template, rules)
        else:
            assert found.fill == fill.strip(WHITE) and found.fits and found.edits == ()
