"""Answers that wait for a person, in groups: one mark for many; and the queue shrinks as marks come.

Answers of one question stand together when the same links were read in them and their words are alike. After marks, the second
reading is fitted again (a few steps from the shipped weights towards the marks), every waiting answer is read once more, and those
about which both readings now agree leave the queue as proposals that the instructor accepts in one go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from graders.answers import Section
from graders.lesson import Lesson
from graders.prose_part import SECTION_OF, context_of, rubric_of
from graders.review import Standing
from graders.scorecard import Part

if TYPE_CHECKING:
    from graders.prose.second import Model, SecondReader

ALIKE = 72.0  # rapidfuzz token-set ratio (0..100) from which two answers with the same links stand in one group
VERY_ALIKE = 88.0  # and from which they do whatever links were read
STEPS = 40
RATE = 0.05
SECONDS_A_GROUP = 25.0  # a first guess of how long a mark takes, until the instructor's own pace is known


@dataclass(frozen=True, slots=True)
class Waiting:
    """One answer in the queue. `key` is the submission's, `links` the states read, by link id."""

    key: str
    path: str
    lesson: str
    part: Part
    text: str
    points: float
    maximum: float
    confidence: float
    links: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Group:
    """Answers that one mark can settle; `open_links` are those nobody read in most of them."""

    items: list[Waiting] = field(default_factory=list)

    @property
    def uncertainty(self) -> float:
        return sum(1.0 - item.confidence for item in self.items)

    @property
    def open_links(self) -> list[str]:
        counts: dict[str, int] = {}
        for item in self.items:
            for link, state in item.links:
                if state not in ("stated", "shown"):
                    counts[link] = counts.get(link, 0) + 1
        return [link for link, n in counts.items() if 2 * n >= len(self.items)]


@dataclass(frozen=True, slots=True)
class Mark:
    """An instructor's points for one answer."""

    lesson: str
    part: Part
    text: str
    points: float
    maximum: float


def waiting(standings: Iterable[Standing]) -> list[Waiting]:
    """Every text part that needs review and has no decision yet."""
    out = []
    for standing in standings:
        report = standing.report
        decided = {d.name for d in standing.decisions}
        for part, section in SECTION_OF.items():
            if part not in report["needs_review"] or part in decided:
                continue
            answer = report["answers"][part]
            out.append(
                Waiting(
                    standing.key,
                    report["submission"]["path"] or standing.key[:8],
                    report["lesson"],
                    part,
                    standing.answers.get(section, ""),
                    float(report["points"][part] or 0.0),
                    float(report["maximum"][part]),
                    float(answer["confidence"]),
                    tuple((link["id"], link["state"]) for link in answer["links"]),
                )
            )
    return out


def grouped(items: Sequence[Waiting]) -> list[Group]:
    """Groups of answers to the same question, the most uncertain and largest first."""
    from rapidfuzz import fuzz

    groups: list[Group] = []
    for item in items:
        for group in groups:
            first = group.items[0]
            if (first.lesson, first.part) != (item.lesson, item.part):
                continue
            alike = fuzz.token_set_ratio(_words(first.text), _words(item.text))
            if alike >= VERY_ALIKE or (alike >= ALIKE and first.links == item.links):
                group.items.append(item)
                break
        else:
            groups.append(Group([item]))
    return sorted(groups, key=lambda g: -g.uncertainty)


def refitted(lessons: Mapping[str, Lesson], marks: Sequence[Mark]) -> SecondReader:
    """The second reading after the marks: the shipped weights moved towards them. Without marks, the shipped one."""
    from graders.prose.reader import analyse, what_models_see
    from graders.prose.second import SecondReader, load_second

    shipped = load_second()
    rows: list[tuple[dict[str, float], dict[str, float], int, float]] = []
    for mark in marks:
        prose = rubric_of(lessons[mark.lesson])
        section = SECTION_OF[mark.part]
        if prose is None or section not in prose.questions:
            continue
        found = analyse(prose, section, mark.text)
        seen = what_models_see(prose, found)
        whole = int(mark.points / mark.maximum * found.question.maximum + 0.5)
        rows.append((seen.words, seen.rules, whole, found.question.maximum))
    if not rows:
        return shipped
    return SecondReader(
        _moved(shipped.joint, [(words | rules, score, most) for words, rules, score, most in rows]),
        _moved(shipped.words, [(words, score, most) for words, _, score, most in rows]),
        shipped.veto,
        shipped.clause,
    )


def settled_now(
    lessons: Mapping[str, Lesson], items: Sequence[Waiting], second: SecondReader
) -> list[tuple[Waiting, float]]:
    """Waiting answers that need no review by the refitted second reading, with the points that they get."""
    from graders.prose.reader import read_answer

    out = []
    for item in items:
        lesson = lessons[item.lesson]
        prose, section = rubric_of(lesson), SECTION_OF[item.part]
        if prose is None or section not in prose.questions:
            continue
        context = replace(_context(lesson, section), second=second)
        reading = read_answer(prose, section, item.text, context=context)
        if not reading.needs_review and not reading.vetoes:
            out.append((item, reading.points * item.maximum / reading.maximum))
    return out


def minutes_left(groups: Sequence[Group], spent: Sequence[float]) -> float:
    """Expected minutes for the groups that are left, by the instructor's own pace so far (seconds a group)."""
    pace = sum(spent) / len(spent) if spent else SECONDS_A_GROUP
    return len(groups) * pace / 60.0


def _context(lesson: Lesson, section: Section) -> Any:
    return context_of(lesson, section)


def _words(text: str) -> str:
    """Chinese has no spaces: each character counts as a word for the comparison of two answers."""
    return "".join(f" {c} " if "\u4e00" <= c <= "\u9fff" else c for c in text.lower())


def _moved(model: Model, rows: Sequence[tuple[dict[str, float], int, float]]) -> Model:
    """A few steps of gradient descent on the marks, for 'at least 1' and 'at least 2'."""
    weights = dict(model.weights)
    bias = list(model.bias)
    for _ in range(STEPS):
        current = replace(model, weights=weights, bias=(bias[0], bias[1]))
        for values, score, maximum in rows:
            read = current.read(values, maximum).probabilities
            one = 1.0 - read[0]
            two = read[2] if len(read) > 2 else one
            wrong = (float(score >= 1) - one, (float(score >= 2) - two) if maximum > 1 else 0.0)
            for name, value in values.items():
                a, b = weights.get(name, (0.0, 0.0))
                weights[name] = (a + RATE * wrong[0] * value, b + RATE * wrong[1] * value)
            bias[0] += RATE * wrong[0]
            bias[1] += RATE * wrong[1]
    return replace(model, weights=weights, bias=(bias[0], bias[1]))
