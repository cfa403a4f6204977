"""What the models of the second reading see of an answer: named numbers.

Words alone: n-grams, concepts of the lexicon in their order, length and tone. Beside them, what the rules read. And each
clause by itself, since one false clause in a right answer is lost among the words of the whole.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from graders.prose.clauses import Reading
from graders.prose.lexicon import Mentions
from graders.prose.links import LinkReading
from graders.prose.misconceptions import MisconceptionReading
from graders.prose.rubric import Question
from graders.prose.score import RuleScore

PAIRED = 25  # mentions of a clause that one is paired with; a clause of more is no sentence
_WORD = re.compile(r"[\u4e00-\u9fff]+|[a-z_][a-z0-9_']*|\d+(?:\.\d+)?|[<>=!+*/&-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class ClauseSeen:
    """A clause that the learner claims: its number in the answer, its plain text, its features."""

    number: int
    text: str
    features: dict[str, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """All features of one answer."""

    words: dict[str, float]
    rules: dict[str, float]
    clauses: tuple[ClauseSeen, ...]


def ngrams(text: str) -> set[str]:
    """Character 1..3-grams of Chinese runs, words of the rest, and pairs across neighbours."""
    found: set[str] = set()
    before = ""
    for m in _WORD.finditer(text):
        word = m.group(0)
        chinese = "\u4e00" <= word[0] <= "\u9fff"
        if chinese:
            for n in (1, 2, 3):
                found.update("z:" + word[i : i + n] for i in range(len(word) - n + 1))
        else:
            found.add("w:" + word)
        if before:
            found.add(f"b:{before}_{word[0] if chinese else word}")
        before = word[-1] if chinese else word
    return found


def concepts_of(question: Question) -> list[str]:
    """The lexicon concepts that the links of a question speak of."""
    names = {n for link in question.links for way in link.ways for atom in way.atoms for _, n in atom.parts}
    return sorted(n for n in names if n[:1] not in "'\"")


def _named(mentions: Mentions) -> dict[int, list[tuple[int, str]]]:
    """By number of the clause: where each concept of the lexicon is named, and the concept, said (+) or denied (-)."""
    named: dict[int, list[tuple[int, str]]] = {}
    for name in mentions.lexicon.concepts:
        for m in mentions.of(name):
            named.setdefault(m.clause, []).append((m.start, ("-" if m.sign < 0 else "+") + name))
    return named


def concept_features(here: str, reading: Reading, mentions: Mentions) -> dict[str, float]:
    """Concepts of the lexicon, said or denied, and which precedes which inside a clause.

    They are the same for every wording and both languages. A pair tells 'the fill beats the maximum' from its reverse,
    which n-grams of a few hundred answers cannot; pairs of quoted or denied clauses are others.
    """
    out: dict[str, float] = {}
    for number, found in _named(mentions).items():
        clause = reading.clauses[number]
        if clause.plea:
            continue
        out.update({here + signed: 1.0 for _, signed in found})
        scope = "!" if clause.quoted or clause.denied or clause.question else ""
        found.sort(key=lambda pair: pair[0])
        for i, (_, before) in enumerate(found):
            for _, after in found[i + 1 : i + PAIRED]:
                if before != after:
                    out[f"{here}{scope}{before}{after}"] = 1.0
    return out


def word_features(lesson: str, question: Question, reading: Reading, mentions: Mentions) -> dict[str, float]:
    """What the model of words alone sees: n-grams, concepts in their order, length and tone."""
    here = f"{lesson}.{question.id}|"
    out: dict[str, float] = {here: 1.0}
    for gram in ngrams(reading.said):
        out[gram] = 1.0
        out[here + gram] = 1.0
    out.update(concept_features(here, reading, mentions))
    out["hedged"] = float(reading.hedged)
    out["admits"] = float(reading.admits)
    out["quoted"] = float(any(c.quoted for c in reading.clauses if not c.plea))
    out["length"] = math.log1p(len(reading.said)) / 3
    out["clauses"] = math.log1p(sum(not c.plea for c in reading.clauses)) / 2
    return out


def rule_features(
    lesson: str,
    question: Question,
    links: list[LinkReading],
    misconceptions: list[MisconceptionReading],
    rules: RuleScore,
) -> dict[str, float]:
    """What the joint model sees beside the words: what the rules read."""
    here = f"{lesson}.{question.id}|"
    out: dict[str, float] = {}
    for link in links:
        out[f"{here}{link.id}={link.state}"] = 1.5
        kind = f"link.{'core' if link.core else 'side'}.{link.state}"
        out[kind] = out.get(kind, 0.0) + 0.5
    for m in misconceptions:
        out[f"wrong.{m.force}.{'veto' if m.veto else 'cap'}"] = 1.0
    out["rules.raw"] = rules.raw
    out["rules.points"] = rules.points
    out["rules.share"] = rules.share
    out["rules.none"] = float(rules.points == 0)
    out["rules.full"] = float(rules.points >= question.maximum)
    return out


_SCOPES = ("denied", "hedged", "supposed")


def clause_features(lesson: str, question: Question, reading: Reading, mentions: Mentions) -> tuple[ClauseSeen, ...]:
    """The clauses that are the learner's own claims, each with its n-grams and concepts in their order."""
    here = f"{lesson}.{question.id}|"
    named = _named(mentions)
    out = []
    for number, clause in enumerate(reading.clauses):
        if clause.plea or clause.quoted or clause.question or clause.unknown:
            continue
        features: dict[str, float] = {here: 1.0}
        for gram in ngrams(clause.text):
            features[gram] = features[here + gram] = features[f"{lesson}|{gram}"] = 1.0
        found = sorted(named.get(number, ()))
        for i, (_, before) in enumerate(found):
            features[before] = features[here + before] = 1.0
            for _, after in found[i + 1 : i + PAIRED]:
                if before != after:
                    features[before + after] = features[here + before + after] = 1.0
        features.update({f"scope.{s}": 1.0 for s in _SCOPES if getattr(clause, s)})
        out.append(ClauseSeen(number, clause.text.strip(), features))
    return tuple(out)
