"""For authors: how one answer is read (`rubric try`), and which clauses nothing reads (`rubric gaps`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graders.prose.features import concepts_of
from graders.prose.reader import Analysis, analyse
from graders.prose.rubric import ProseRubric


@dataclass(frozen=True, slots=True)
class ClauseView:
    """One clause: its own words, its scopes, and the concepts named in it with their polarity (+ or -)."""

    words: str
    scopes: tuple[str, ...]
    concepts: tuple[str, ...]


_SCOPES = ("quoted", "denied", "hedged", "supposed", "question", "plea")


def clause_views(rubric: ProseRubric, question: str, text: str) -> list[ClauseView]:
    """The answer clause by clause, as the reader sees it."""
    return _views(analyse(rubric, question, text))


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
    """(answer id, clause), of clauses in good answers in which no concept of the question is named."""
    found: list[tuple[str, str]] = []
    for row in rows:
        if not row["score"]:
            continue
        for view in clause_views(rubric, row["question"], row["answer"]):
            if not view.concepts and len(view.words) > 3:
                found.append((str(row["id"]), view.words))
    return found
