"""Spellings: what they match, and that the quick way through thousands of them matches what the plain way would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import yamlread
from graders.prose.reader import analyse
from graders.prose.rubric import load_rubric
from graders.prose.scopes import read_clauses
from graders.prose.spellings import Matcher, needles_of, spelling_pattern

ROOT = Path(__file__).resolve().parents[3]
FLAGS = re.IGNORECASE | re.ASCII


def plainly(spellings: list[str], text: str) -> list[tuple[int, int]]:
    """All alternatives as one expression, longest first."""
    joined = re.compile("|".join(spelling_pattern(s) for s in sorted(spellings, key=len, reverse=True)), FLAGS)
    return [m.span() for m in joined.finditer(text) if m.end() > m.start()]


@pytest.mark.parametrize(
    ("spelling", "needles"),
    [
        ("padding lane", ("padding",)),
        ("补位", ("补位",)),
        ("补位?的", ("补",)),
        ("(a|b)", ("a", "b")),
        ("(pad|fill)* lanes?", ("lane",)),
        ("(pad|fill)? (zero|null)", ("zero", "null")),
        ("stay* (the )?same", ("stay",)),
        ("不.. 变", ("不",)),
        ("(?!not )same", ("same",)),
        ("[abc]", ()),
        ("re: x+", ()),
        ("(x?|y)", ()),
    ],
)
def test_needles(spelling: str, needles: tuple[str, ...]) -> None:
    assert needles_of(spelling) == needles


@given(st.text(alphabet="ab 补0", max_size=12))
def test_alternatives_overlap_as_in_one_expression(text: str) -> None:
    spellings = ["ab", "a", "b a", "补?a", "(ab|ba)* 0", "a..3 补", "0", "re:a+b?"]
    assert Matcher(list(spellings)).spans(text) == plainly(spellings, text)


@pytest.mark.parametrize("lesson", ["lesson05", "lesson07", "lesson12", "lesson12-nan"])
def test_every_spelling_of_the_course_matches_as_in_one_expression(lesson: str) -> None:
    rubric = load_rubric(ROOT / "lessons" / lesson)
    data = yamlread.load(ROOT / "solutions" / lesson / "gold_answers.yaml").data
    rows = (data if isinstance(data, list) else data["answers"])[::6]
    for row in rows:  # finds the inline spellings of the rubric as well
        analyse(rubric, row["question"], row["answer"])
    texts = [read_clauses(row["answer"]).text for row in rows]
    for concept in [*rubric.lexicon.concepts.values(), *rubric.lexicon._inline.values()]:
        if concept.spellings:
            joined = "|".join(spelling_pattern(s) for s in sorted(concept.spellings, key=len, reverse=True))
            expression, matcher = re.compile(joined, FLAGS), Matcher(list(concept.spellings))
            for text in texts:
                plain = [m.span() for m in expression.finditer(text) if m.end() > m.start()]
                assert matcher.spans(text) == plain, concept.name
