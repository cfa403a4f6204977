"""answers.md: sections found in either language, any level, any order; nothing dropped in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.answers import SECTIONS, TITLES, parse, render, section_of


def test_every_section_survives_writing_and_reading_in_both_languages() -> None:
    sections = {s: f"text of {s}\n\nsecond paragraph" for s in SECTIONS}
    for lang in ("en", "zh"):
        found = parse(render("lesson12", sections, "zh" if lang == "zh" else "en"))
        assert found.sections == sections and found.notes == []


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("Q1", "q1"), ("q 2", "q2"), ("Ｑ３", "q3"), ("Question 1", "q1"), ("问题二", "q2"), ("問題3", "q3"), ("Implementation", "impl"),
        ("解释实现", "impl"), ("Implementation (解释实现)", "impl"), ("正确性边界", "boundary"), ("Trade-off", "tradeoff"), ("Trade‑off", "tradeoff"),
        ("性能取舍", "tradeoff"), ("Run output", "run_output"), ("实际运行输出：", "run_output"), ("失败用例的解释", "failures"), ("追问", "follow_ups"),
        ("Q1: the mechanism", "q1"), ("Q2 why", "q2"), ("Notes", None), ("Q4", None), ("Q10", None), ("Quality", None),
    ],
)  # fmt: skip
def test_headings(heading: str, section: str | None) -> None:
    assert section_of(heading) == section


def test_levels_order_and_case_do_not_matter() -> None:
    found = parse("### q3\nc\n# Q1\na\n###### Q2 ######\nb\n")
    assert found.sections == {"q3": "c", "q1": "a", "q2": "b"}


def test_unknown_and_doubled_sections_are_named() -> None:
    found = parse("# lesson12\n## Q1\na\n## Diary\nx\n## Q1\nb\n")
    assert found.sections == {"q1": "a\n\nb"} or found.sections == {"q1": "a\nb"}
    assert [n.en for n in found.notes] == [
        "section 'Diary' (line 4) is not known and was not graded",
        "section 'Q1' stands twice (line 6): both were read",
    ]


def test_a_subheading_inside_an_answer_belongs_to_the_answer() -> None:
    assert parse("## Q1\na\n### 输入\nb\n").sections["q1"] == "a\n### 输入\nb" or "输入" in str(
        parse("## Q1\na\n### 输入\nb\n")
    )


def test_headings_inside_code_are_code() -> None:
    found = parse("## Q1\n```c\n# Q2\n#include <x>\n```\n## Q2\nb\n")
    assert found.sections["q2"] == "b" and "#include" in found.sections["q1"]


def test_prompts_in_comments_are_no_answer() -> None:
    assert parse("## Q1\n\n<!-- what is it? -->\n\n## Q2\n<!-- a\nb -->yes\n").sections == {"q1": "", "q2": "yes"}


def test_text_before_the_first_section_is_named() -> None:
    assert parse("hello\n## Q1\na\n").notes


def test_crlf() -> None:
    assert parse("## Q1\r\na\r\nb\r\n## Q2\r\nc").sections == {"q1": "a\nb", "q2": "c"}


def test_titles_name_their_own_section() -> None:
    for section, title in TITLES.items():
        assert section_of(title.en) == section_of(title.zh) == section


@given(st.text(max_size=300))
def test_any_text_is_read(words: str) -> None:
    parse(words)
