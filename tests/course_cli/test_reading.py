"""Sections, pages and plain words of a lesson's text."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from course_cli.pager import page_length
from course_cli.reading_view import plain_words, render_section, section_title, split_sections
from tests.course_cli.screens import screen

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted((ROOT / "lessons").glob("*/text.*.md"))


def test_sections_begin_at_second_level_headings_outside_of_code() -> None:
    text = "# T\nintro\n## One\na\n```\n## not a heading\n```\n### deeper\n## Two\nb\n"
    sections = split_sections(text)
    assert [section_title(s) for s in sections] == ["T", "One", "Two"]
    assert "## not a heading" in sections[1] and "### deeper" in sections[1]


def test_nothing_of_a_text_is_lost_between_the_pages() -> None:
    lines = [("text" if i % 7 else "") + str(i) * (i % 7 > 0) for i in range(200)]
    at, seen = 0, []
    while at < len(lines):
        count = page_length(lines, at, 20)
        assert 0 < count <= 20
        seen += lines[at : at + count]
        at += count
    assert seen == lines


def test_a_block_that_fits_on_a_page_is_not_cut() -> None:
    lines = ["a"] * 12 + [""] + ["box"] * 10 + ["", "z"]
    assert page_length(lines, 0, 16) == 13
    assert page_length(["x"] * 50, 0, 16) == 16


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: f"{p.parent.name}-{p.suffixes[0][1:]}")
@pytest.mark.parametrize("width", [60, 80])
def test_every_section_fits_the_width(path: Path, width: int) -> None:
    lang = path.suffixes[0][1:]
    with screen(lang, width) as console:
        for section in split_sections(path.read_text(encoding="utf-8")):
            for line in render_section(section, console):
                assert cell_len(line) <= width, line


def test_plain_words_have_no_marks_and_no_drawings() -> None:
    text = (ROOT / "lessons" / "lesson05" / "text.en.md").read_text(encoding="utf-8")
    with screen("en", plain=True):
        told = plain_words(text)
    assert not set(told) & set("│─┌┐└┘▼▶")
    assert "**" not in told and "|---" not in told
    assert "table with the columns: reduction, operation, identity e, because" in told
    assert "- reduction: maximum; operation: max(a, e); identity e: -inf" in told
