"""Fills written without a look at the answer keys or the hidden cases: what does the grader say of each?

`heldout_fills.yaml` holds eight hundred blanks with a verdict reasoned from the kernel's mathematics alone, and the
reason: spellings that an experienced programmer might type, and blanks that are wrong at one size, one index, one
value. A quick selection of them (`quick: true`) runs each time; `pytest -m slow tests/e2e/test_heldout_fills.py` runs
them all, one after the other in one process.

A row with `open` is one that the grader is known to judge otherwise: its verdict stays the true one, and the test
reports it as an expected failure until the grader has learnt it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import yaml

from graders.course import Course, builtin_root
from graders.executors.pick import pick
from graders.grade import Options, grade
from graders.lesson import Lesson
from graders.scorecard import ScoreCard
from graders.submission import Submission

TABLE = Path(__file__).parents[1] / "data" / "heldout_fills.yaml"
LESSONS = ("lesson05", "lesson07", "lesson12", "lesson12-nan")
LEAST_ROWS = {"lesson05": 60, "lesson07": 60, "lesson12": 80, "lesson12-nan": 50}
# (points of the normal group, points of the boundary group) that each verdict allows.
VERDICTS = {"right": {(2.0, 1.0)}, "wrong-boundary": {(2.0, 0.0)}, "wrong-all": {(0.0, 0.0), (0.0, 1.0)}}


@dataclass(frozen=True)
class Row:
    """One blank: its text, the verdict it deserves, why, and whether the grader still judges it otherwise."""

    fill: str
    expect: str
    why: str
    quick: bool = False
    open: str = ""


@cache
def rows(name: str) -> tuple[Row, ...]:
    data = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    assert set(data) == set(LESSONS)
    return tuple(Row(**row) for row in data[name])


@cache
def lesson(name: str) -> Lesson:
    return Course(builtin_root()).lesson(name)


def said(card: ScoreCard) -> str:
    """The verdict in the table's words; whatever fits none of them is told in figures."""
    if card.refused is not None:
        return "refused"
    points = (card.points["normal"], card.points["boundary"])
    return next((word for word, pairs in VERDICTS.items() if points in pairs), f"points {points}")


class Judge:
    """Grades blanks of one lesson on the CPU with one executor that stays warm."""

    def __init__(self, name: str) -> None:
        self.lesson, self.rows = lesson(name), rows(name)
        choice = pick(self.lesson.spec.language, "cpu")
        if choice.executor is None:
            pytest.skip("; ".join(text.en for text in choice.missing) or "no CPU executor here")
        self.executor = choice.executor
        self.options = Options(backend="cpu", compile_targets=False, executor=self.executor)

    def __call__(self, row: Row) -> tuple[str, str]:
        """The verdict, and what a reader of a failed test wants to know: the message, or the cases that failed."""
        card = grade(Submission(fill=row.fill), self.lesson, self.options)
        if card.refused is not None:
            return said(card), f"{card.refused.line}:{card.refused.column}: {card.refused.reason.en}"
        bad = [f"{c.name}: {c.detail.en}" for c in card.cases if c.outcome not in ("pass", "not-run")]
        return said(card), "; ".join(bad[:3]) or "no case failed"


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    warm = Judge(request.param)
    yield warm
    warm.executor.close()


def mistaken(judge: Judge, chosen: list[Row]) -> list[str]:
    """The rows that the grader judges unlike the table, each with what it said."""
    wrong = []
    for row in chosen:
        got, because = judge(row)
        if got != row.expect:
            wrong.append(f"{row.fill!r} is {row.expect} ({row.why}), the grader says {got} ({because})")
    return wrong


@pytest.mark.parametrize("name", LESSONS)
def test_the_table_is_well_formed(name: str) -> None:
    table = rows(name)
    assert len(table) >= LEAST_ROWS[name]
    assert max(Counter(row.fill for row in table).values()) == 1
    assert {row.expect for row in table} == {*VERDICTS, "refused"}
    assert all(row.why.strip() for row in table)
    assert not any(row.quick and row.open for row in table)


@pytest.mark.parametrize("judge", LESSONS, indirect=True)
def test_quick_selection(judge: Judge) -> None:
    chosen = [row for row in judge.rows if row.quick]
    assert {row.expect for row in chosen} == {*VERDICTS, "refused"}
    assert mistaken(judge, chosen) == []


def _only_when_asked_for(request: pytest.FixtureRequest) -> None:
    if "slow" not in str(request.config.getoption("markexpr")):
        pytest.skip("several hundred blanks take minutes: ask for them with -m slow")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("judge", LESSONS, indirect=True)
def test_all(request: pytest.FixtureRequest, judge: Judge) -> None:
    _only_when_asked_for(request)
    assert mistaken(judge, [row for row in judge.rows if not row.open]) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("judge", LESSONS, indirect=True)
def test_what_the_grader_does_not_see_yet(request: pytest.FixtureRequest, judge: Judge) -> None:
    """Known faults: reported, not hidden. A row that is judged rightly by now loses its `open` (the message names it)."""
    _only_when_asked_for(request)
    known = [row for row in judge.rows if row.open]
    if not known:
        pytest.skip("no row is open")
    seen = [row for row in known if judge(row)[0] == row.expect]
    assert seen == [], "judged rightly by now: remove `open` from these rows"
    pytest.xfail(f"{len(known)} blanks: " + "; ".join(sorted({row.open for row in known})))
