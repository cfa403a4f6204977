"""From two readings to points, confidence, vetoes and the question whether a person must look.

The rules say what was read; the second reading says how such answers were marked. Where they agree, that is the
score. Where they differ, the second reading moves the rules by one step at most, never above a cap, and confidence is
what it thinks of the result. Low confidence, a misconception with one signal only, and contradictions go to review.
"""

from __future__ import annotations

from dataclasses import dataclass

from graders.prose.misconceptions import MisconceptionReading
from graders.prose.rubric import Question
from graders.prose.score import RuleScore, half_up
from graders.prose.second import Opinions, SecondReading
from graders.text import Text

# Chosen by the figures on labelled answers that nobody had read who wrote rules (docs/prose.md says which were in view).
REVIEW_BELOW = 0.42
OVERRULED = 0.10  # probability of full points below which the second reading takes a whole point from a whole chain
VETO_SECOND_SIGNAL = 0.60  # probability of no points, by words alone, that counts as the second signal of a veto
VETO_LIKELY = 0.50  # probability of a veto, by words alone, that counts as well
SUSPECTED = 0.97  # probability of a veto above which a person looks at an answer without points
DOUBTFUL = 0.28  # the same for an answer with points
FALSE_CLAUSE = 0.65  # probability that one clause is false above which a person looks at an answer with points
DOUBTED = 0.30  # below it the words beside a misconception look right

ONE_SIGNAL = Text("a misconception was read, but only one signal speaks for it", "读到一个误解，但只有一个信号支持")
LIKE_A_VETO = Text(
    "worded like answers that assert a misconception; a person decides", "措辞像是在断言一个误解；要由人决定"
)
CONFIRM = Text("a misconception was read; a person confirms the veto", "读到一个误解；否决要由人确认")
UNSURE = Text("the two readings do not agree well enough", "两种读法不够一致")
AGAINST = Text("a causal link is both needed and contradicted", "一条因果链被说反了")

# Caps that no second reading may lift, and the points they allow.
_HARD_CAPS = frozenset({"term-list", "off-topic", "copied-question"})


@dataclass(frozen=True, slots=True)
class Decision:
    """Points and how sure they are; `veto` is the misconception that two signals confirm."""

    points: float
    confidence: float
    needs_review: bool
    veto: MisconceptionReading | None
    reasons: tuple[Text, ...]


def decide(
    question: Question,
    rules: RuleScore,
    misconceptions: list[MisconceptionReading],
    opinions: Opinions,
) -> Decision:
    """Combine the rules with the second reading."""
    both, words = opinions.both, opinions.words
    top = int(question.maximum)
    ceiling = _ceiling(question, rules, misconceptions, words)
    ruled = half_up(rules.points)
    allowed = [k for k in range(top + 1) if abs(k - ruled) <= 1 and k <= half_up(ceiling)]
    best = max(allowed, key=lambda k: both.probabilities[k])
    # The rules saw every link and nothing against it: short right answers look poor beside the long ones of the training.
    whole = rules.points >= question.maximum and not rules.caps and not rules.contradicted
    held = whole and best < top and both.probabilities[top] >= OVERRULED
    if held:
        best = top
    points = rules.points if best == ruled else (best - 0.5 if best > ruled and top > 1 else float(best))
    if best == ruled and top > 1 and best > 0 and both.expected < best - 0.3 and points == best:
        points = best - 0.5
    points = min(points, ceiling)
    confidence = both.probabilities[best]
    reasons: list[Text] = []
    asserted = [m for m in misconceptions if m.veto and m.force == "asserted"]
    veto = _veto(rules, asserted, opinions)
    review = False
    if veto is not None:
        # A veto fails the lesson: from words alone it is confirmed by a person. (Repeated in a follow-up it stands.)
        confidence = max(confidence, words.probabilities[0])
        review = True
        reasons.append(CONFIRM)
    elif asserted:
        review = True
        reasons.append(ONE_SIGNAL)
    suspected = opinions.veto >= (DOUBTFUL if points > 0 else SUSPECTED)
    if (suspected or (points > 0 and opinions.false >= FALSE_CLAUSE)) and not review:
        review = True
        reasons.append(LIKE_A_VETO)
    # Nobody takes from a whole chain, or gives where none was read, unseen.
    moved = held or (best != ruled and ruled in (0, top))
    if (moved or confidence < REVIEW_BELOW) and not review:
        review = True
        reasons.append(UNSURE)
    if rules.contradicted and rules.raw > 0 and not review and confidence < 0.8:
        review = True
        reasons.append(AGAINST)
    return Decision(points, round(confidence, 3), review, veto, tuple(reasons))


def _ceiling(
    question: Question, rules: RuleScore, misconceptions: list[MisconceptionReading], words: SecondReading
) -> float:
    """The most points that caps, contradictions and misconceptions leave."""
    if any(cap in _HARD_CAPS for cap in rules.caps):
        return 0.0
    half = question.maximum / 2 if question.maximum > 1 else 0.0
    asserted = [m for m in misconceptions if m.veto and m.force == "asserted"]
    if asserted:
        # The whole chain stands beside the false words, and the words alone look right: half, until a person has looked.
        supported = rules.raw >= question.maximum and bool(set(asserted[0].refutes) & rules.stated)
        return half if supported and words.probabilities[0] < DOUBTED else 0.0
    if "contradicted" in rules.caps:
        return rules.points
    return question.maximum if not rules.caps else max(rules.points, half)


def _veto(rules: RuleScore, asserted: list[MisconceptionReading], opinions: Opinions) -> MisconceptionReading | None:
    """The misconception that is a veto: an unhedged claim, and a second signal beside the words that matched."""
    if not asserted:
        return None
    first = asserted[0]
    unsupported = not (set(first.refutes) & rules.stated)
    said_twice = len(asserted) > 1 or first.times > 1
    worded_so = opinions.words.probabilities[0] >= VETO_SECOND_SIGNAL or opinions.veto >= VETO_LIKELY
    return first if (unsupported or said_twice) and worded_so else None
