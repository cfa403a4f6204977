"""Copies by winnowing: fingerprints of character n-grams against the question, the lesson, the reference, other answers.

A copy is shown and flagged for review; the answer is scored by its content all the same. An answer that only repeats
the question says nothing and is told apart by `is_restated`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

from graders.prose.normalise import Plain, normalise
from graders.text import Text

if TYPE_CHECKING:
    from graders.prose.reader import ReadContext

GRAM = 9  # characters a fingerprint covers (letters only, blanks and marks left out)
WINDOW = 6  # of as many neighbouring fingerprints one is kept
SHARE = {"question": 0.6, "lesson": 0.5, "reference": 0.5, "submission": 0.6}
SHORTEST = 40  # letters; shorter answers are alike by chance

_SAYS = {
    "question": Text("{share}% of the answer stands in the question", "回答的 {share}% 出自题目"),
    "lesson": Text("{share}% of the answer stands in the lesson text", "回答的 {share}% 出自课文"),
    "reference": Text("{share}% of the answer stands in the reference answer", "回答的 {share}% 出自参考答案"),
    "submission": Text("{share}% of the answer stands in that of {name}", "回答的 {share}% 与 {name} 的相同"),
}


@dataclass(frozen=True, slots=True)
class CopyFinding:
    """A source that shares much of an answer; `spans` are half-open in the raw answer."""

    source: str  # question | lesson | reference | submission
    name: str
    share: float  # of the answer's fingerprints
    spans: list[tuple[int, int]]
    says: Text


def _letters(plain: Plain) -> tuple[str, list[int]]:
    places = [i for i, c in enumerate(plain.text) if c.isalnum()]
    return "".join(plain.text[i] for i in places), places


def fingerprints(text: str, gram: int = GRAM, window: int = WINDOW) -> dict[int, list[int]]:
    """Winnowed hashes of the n-grams of a letter string, with their positions (stable between runs)."""
    hashes = [crc32(text[i : i + gram].encode()) for i in range(max(0, len(text) - gram + 1))]
    kept: dict[int, list[int]] = {}
    last = -1
    for start in range(max(1, len(hashes) - window + 1) if hashes else 0):
        stretch = hashes[start : start + window]
        smallest = min(stretch)
        at = start + max(i for i, h in enumerate(stretch) if h == smallest)
        if at != last:
            kept.setdefault(smallest, []).append(at)
            last = at
    return kept


@lru_cache(maxsize=64)
def _of_source(text: str) -> frozenset[int]:
    """Fingerprints of a text that many answers are held against: lesson, question, reference."""
    return frozenset(fingerprints(_letters(normalise(text))[0]))


def find_copies(answer: str, context: ReadContext) -> list[CopyFinding]:
    """Sources that hold a large share of an answer."""
    plain = normalise(answer)
    letters, places = _letters(plain)
    if len(letters) < SHORTEST:
        return []
    own = fingerprints(letters)
    total = sum(len(at) for at in own.values())
    found: list[CopyFinding] = []
    sources: list[tuple[str, Mapping[str, str]]] = [
        ("question", {"question": context.question} if context.question else {}),
        ("lesson", context.lesson_texts),
        ("reference", context.reference),
        ("submission", context.others),
    ]
    for kind, texts in sources:
        for name, text in texts.items():
            theirs = _of_source(text)
            shared = sorted(at for h, positions in own.items() if h in theirs for at in positions)
            share = len(shared) / total if total else 0.0
            if share < SHARE[kind]:
                continue
            spans = _spans(shared, places, plain)
            says = _SAYS[kind].fill(share=round(100 * share), name=name)
            found.append(CopyFinding(kind, name, round(share, 3), spans, says))
    return found


def _spans(starts: list[int], places: list[int], plain: Plain) -> list[tuple[int, int]]:
    """Raw spans behind fingerprint positions, neighbouring ones joined."""
    spans: list[tuple[int, int]] = []
    for at in starts:
        a, b = plain.raw_span(places[at], places[min(at + GRAM, len(places)) - 1] + 1)
        if spans and a <= spans[-1][1] + 4:
            spans[-1] = (spans[-1][0], max(b, spans[-1][1]))
        else:
            spans.append((a, b))
    return spans


def is_restated(answer: str, question: str, share: float = 0.62) -> bool:
    """Whether hardly a word of an answer is not in the question: short n-grams, since restating moves words about."""
    words = _letters(normalise(answer))[0]
    if len(words) < 12:
        return False
    asked = _letters(normalise(question))[0]
    gram = 4 if all(c.isascii() for c in words[:40]) else 2
    grams = {words[i : i + gram] for i in range(len(words) - gram + 1)}
    known = {asked[i : i + gram] for i in range(len(asked) - gram + 1)}
    return len(grams & known) / max(1, len(grams)) >= share
