"""For authors: how one answer is read (`rubric try`), and which clauses nothing reads (`rubric gaps`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graders.prose.asking import wanted
from graders.prose.followups import FollowUp
from graders.prose.reader import Analysis, AnswerReading, ReadContext, analyse, read_answer
from graders.prose.rubric import ProseRubric
from graders.prose.second import concepts_of


@dataclass(frozen=True, slots=True)
class ClauseView:
    """One clause: its own words, its scopes, and the concepts named in it with their polarity (+ or -)."""

    words: str
    scopes: tuple[str, ...]
    concepts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """All that is seen of an answer, and the follow-ups that would be asked."""

    clauses: list[ClauseView]
    reading: AnswerReading
    follow_ups: list[FollowUp]


_SCOPES = ("quoted", "denied", "hedged", "supposed", "question", "plea")


def try_answer(
    rubric: ProseRubric, question: str, text: str, *, context: ReadContext | None = None, seed: int = 1
) -> Trial:
    """Read an answer and show the steps."""
    found = analyse(rubric, question, text)
    reading = read_answer(rubric, question, text, context=context)
    return Trial(_views(found), reading, wanted(rubric, reading, seed))


def _views(found: Analysis) -> list[ClauseView]:
    reading = found.reading
    named: dict[int, list[str]] = {}
    for name in concepts_of(found.question):
        for mention in found.mentions.of(name):
            named.setdefault(mention.clause, []).append(("+" if mention.sign > 0 else "-") + name)
    views = []
    for i, clause in enumerate(reading.clauses):
        scopes = tuple(s for s in _SCOPES if getattr(clause, s))
        words = reading.plain.words(clause.start, clause.end)
        views.append(ClauseView(words, scopes, tuple(dict.fromkeys(named.get(i, [])))))
    return views


def gaps(rubric: ProseRubric, rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(answer id, clause) of clauses in good answers in which no concept of the question is named."""
    found: list[tuple[str, str]] = []
    for row in rows:
        if not row["score"]:
            continue
        for view in _views(analyse(rubric, row["question"], row["answer"])):
            if not view.concepts and len(view.words) > 3:
                found.append((str(row["id"]), view.words))
    return found
