"""Misconceptions: false causal links that an answer asserts, and when one is a veto.

Words alone are one signal: no points and a look by a person. A veto needs a second one: the answer misses or
contradicts the true links beside it, says the misconception twice, or repeats it in its follow-up; and the words must
be an unhedged claim of the learner's own, not a quotation, a supposed case or a question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graders.prose.lexicon import Mentions
from graders.prose.links import Hit, atom_mentions, find_way
from graders.prose.rubric import Misconception, ProseRubric
from graders.text import Text

Force = Literal["asserted", "hedged", "supposed"]


@dataclass(frozen=True, slots=True)
class MisconceptionReading:
    """A misconception found in an answer. `force` says how it was said; `signals` counts what speaks for a veto."""

    id: str
    veto: bool
    force: Force
    words: str
    span: tuple[int, int]
    feedback: Text
    refutes: tuple[str, ...]
    experiment: str
    cap: float = 1.0
    times: int = 1
    clauses: tuple[int, ...] = ()


def read_misconceptions(rubric: ProseRubric, question: str, mentions: Mentions) -> list[MisconceptionReading]:
    """The misconceptions that an answer to a question asserts, strongest first."""
    found = []
    for misconception in rubric.misconceptions_of(question):
        reading = _read(misconception, mentions)
        if reading:
            found.append(reading)
    order = {"asserted": 0, "hedged": 1, "supposed": 2}
    return sorted(found, key=lambda m: (order[m.force], not m.veto))


def _read(misconception: Misconception, mentions: Mentions) -> MisconceptionReading | None:
    reading = mentions.reading
    best: tuple[int, Force, Hit] | None = None
    times = 0
    if any(atom_mentions(atom, mentions) for atom in misconception.unless_anywhere):
        return None
    for way in misconception.ways:
        hit = find_way(way, mentions)
        if hit is None or hit.reversed:
            continue
        clauses = [reading.clauses[c] for c in hit.clauses]
        if any(c.question for c in clauses):
            continue
        around = set(range(min(hit.clauses) - 1, max(hit.clauses) + 2))
        if any(m.clause in around for atom in misconception.unless for m in atom_mentions(atom, mentions)):
            continue
        times += 1
        force: Force = "asserted"
        if any(c.supposed for c in clauses) and not misconception.even_if:
            force = "supposed"
        elif hit.hedged or (reading.hedged and len(reading.clauses) <= 4):
            force = "hedged"
        rank = {"asserted": 0, "hedged": 1, "supposed": 2}[force]
        if best is None or rank < best[0]:
            best = (rank, force, hit)
    if best is None:
        return None
    _, force, hit = best
    span = reading.plain.raw_span(hit.start, hit.end)
    words = reading.plain.raw[span[0] : span[1]].strip()
    return MisconceptionReading(
        misconception.id, misconception.veto, force, words, span, misconception.feedback, misconception.refutes,
        misconception.experiment, misconception.cap, times, hit.clauses,
    )  # fmt: skip
