"""The labelled answers parse, are complete, balanced between the languages and stand nowhere twice."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = ROOT / "tests" / "data" / "answers"
LESSONS = ("lesson05", "lesson07", "lesson12", "lesson12-nan")
TOP_SCORE = {"q1": 2, "q2": 2, "q3": 2, "impl": 1}
FIELDS = {"id", "lesson", "question", "lang", "answer", "score", "veto", "why"}
UNDERSTANDING = {"right", "partial", "misconception", "guesser", "term-lister"}


def _gold(lesson: str) -> list[dict[str, Any]]:
    path = ROOT / "solutions" / lesson / "gold_answers.yaml"
    rows: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return rows


def _new(lesson: str) -> list[dict[str, Any]]:
    lines = (ANSWERS / f"new_{lesson}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _learners() -> list[dict[str, Any]]:
    text = (ANSWERS / "followup_learners.yaml").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = yaml.safe_load(text)
    return rows


def _all() -> list[dict[str, Any]]:
    return [row for lesson in LESSONS for row in _gold(lesson) + _new(lesson)]


def _bare(text: str) -> str:
    """The answer without case, width, spacing and punctuation, so that only real differences count."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(ch for ch in folded if ch.isalnum() or unicodedata.category(ch) == "Sm")


@pytest.mark.parametrize("source", [_gold, _new], ids=["gold", "new"])
@pytest.mark.parametrize("lesson", LESSONS)
def test_rows_are_complete(lesson: str, source: Any) -> None:
    for row in source(lesson):
        assert set(row) == FIELDS, row
        assert row["lesson"] == lesson, row
        assert row["lang"] in ("zh", "en"), row
        assert row["answer"].strip(), row
        assert row["why"].strip(), row
        assert type(row["score"]) is int, row
        assert 0 <= row["score"] <= TOP_SCORE[row["question"]], row
        assert type(row["veto"]) is bool, row
        assert not (row["veto"] and row["score"]), row


@pytest.mark.parametrize("source", [_gold, _new], ids=["gold", "new"])
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_question_has_enough_of_each_kind(lesson: str, source: Any) -> None:
    rows = source(lesson)
    for question, top in TOP_SCORE.items():
        mine = [row for row in rows if row["question"] == question]
        assert len(mine) >= 16, (lesson, question)
        langs = Counter(row["lang"] for row in mine)
        assert min(langs.values()) / len(mine) >= 0.4, (lesson, question, langs)
        assert {row["score"] for row in mine} == set(range(top + 1)), (lesson, question)
        assert any(row["veto"] for row in mine), (lesson, question)
        assert any(not row["veto"] and row["score"] == 0 for row in mine), (lesson, question)


def test_language_is_the_one_named() -> None:
    for row in _all():
        han = sum("一" <= ch <= "鿿" for ch in row["answer"])
        assert (han > 0) == (row["lang"] == "zh"), row["id"]


def test_ids_are_unique() -> None:
    counts = Counter(row["id"] for row in [*_all(), *_learners()])
    assert [key for key, count in counts.items() if count > 1] == []


def test_no_answer_stands_twice() -> None:
    """Within a lesson and question an answer stands once, also between gold, new and the simulated learners."""
    seen: dict[tuple[str, str, str], str] = {}
    twice = []
    for row in [*_all(), *_learners()]:
        key = (row["lesson"], row["question"], _bare(row["answer"]))
        if key in seen:
            twice.append((seen[key], row["id"]))
        seen[key] = row["id"]
    assert twice == []


def test_learners_are_complete() -> None:
    rows = _learners()
    assert len(rows) >= 48
    per_lesson = Counter(row["lesson"] for row in rows)
    assert set(per_lesson) == {"lesson05", "lesson07", "lesson12"}
    assert min(per_lesson.values()) >= 16
    kinds = Counter(row["understanding"].partition(":")[0] for row in rows)
    assert set(kinds) == UNDERSTANDING
    langs = Counter(row["lang"] for row in rows)
    assert min(langs.values()) / len(rows) >= 0.4
    for row in rows:
        assert 0 <= row["score"] <= TOP_SCORE[row["question"]], row["id"]
        assert (row["score"] * 2).is_integer() if isinstance(row["score"], float) else True, row["id"]
        for belief in row["beliefs"]:
            assert belief["statement"].strip(), row["id"]
            assert type(belief["correct"]) is bool, row["id"]
            assert belief["holds"] in (True, False, None), row["id"]


def test_learners_hold_what_their_kind_says() -> None:
    """A right learner holds every true statement and no false one; a misconception is held; a guesser holds nothing."""
    for row in _learners():
        kind = row["understanding"].partition(":")[0]
        true = [belief["holds"] for belief in row["beliefs"] if belief["correct"]]
        false = [belief["holds"] for belief in row["beliefs"] if not belief["correct"]]
        if kind == "right":
            assert all(true), row["id"]
            assert not any(false), row["id"]
            assert row["score"] >= TOP_SCORE[row["question"]] - 0.5, row["id"]
            assert not row["veto"], row["id"]
        elif kind == "misconception":
            assert any(false), row["id"]
            assert row["veto"], row["id"]
            assert row["score"] == 0, row["id"]
        elif kind == "partial":
            assert any(true), row["id"]
            assert not all(true), row["id"]
            assert not any(false), row["id"]
            assert not row["veto"], row["id"]
        else:
            assert not any(true) and not any(false), row["id"]
            assert row["score"] == 0, row["id"]
