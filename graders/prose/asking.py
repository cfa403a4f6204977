"""Which follow-ups to ask after an answer, and what their replies change.

A link that was not read is asked for; shown at the first try it counts like a stated one, at the second half, later not
at all. A misconception that was asserted is put to its experiment: repeated there, it is a veto; answered right, it
costs half a point and is told. What is only shown never carries a whole answer: without one stated link half the points
are the most.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from graders.prose.conditions import holds
from graders.prose.followups import FollowUp, Settled, askable_links, make
from graders.prose.links import LinkReading
from graders.prose.reader import VETO_RULE, AnswerReading
from graders.prose.rubric import ProseRubric, Question
from graders.text import Text

MOST = 4  # follow-ups per answer
HOLLOW = frozenset({"term-list", "off-topic", "copied-question"})  # words that state nothing

TWICE = Text(
    "the same misconception in two replies: what the follow-ups showed does not count, a person looks",
    "两次回复都是同一个误解：追问中展示的不计分，由人来看",
)
REPEATED = Text(
    "asserted in the answer and again in the follow-up: “{words}”",
    "回答里这样说，追问里又这样答：“{words}”",
)
CORRECTED = Text(
    "the answer says “{words}”, the follow-up was answered right: half a point is lost",
    "回答里说“{words}”，追问答对了：扣半分",
)


def wanted(rubric: ProseRubric, reading: AnswerReading, seed: int) -> list[FollowUp]:
    """The follow-ups to ask after an answer: first the experiments of what was asserted wrongly, then open links."""
    question = rubric.questions[reading.question]
    chance = random.Random(f"{rubric.lesson}:{reading.question}:{seed}")
    chosen: list[FollowUp] = []
    used: set[str] = set()

    def ask(spec_id: str, link: str) -> None:
        spec = next((s for s in rubric.follow_ups if s.id == spec_id), None)
        if spec is not None and spec_id not in used and len(chosen) < MOST:
            used.add(spec_id)
            chosen.append(make(rubric, spec, question.id, link, seed))

    for misconception in reading.misconceptions:
        if misconception.force != "supposed" and misconception.experiment:
            spec = next((s for s in rubric.follow_ups if s.id == misconception.experiment), None)
            if spec is None:
                continue
            ask(spec.id, next(iter(askable_links(rubric, spec, question.id)), ""))
    open_links = [x for x in reading.links if x.state != "stated"]
    if reading.needs_review:
        # Where the two readings disagree, what seems to be stated is put to the test as well.
        open_links += [x for x in reading.links if x.core and x.state == "stated"]
    open_links.sort(key=lambda x: (not x.core, x.state == "stated", -x.weight))
    if reading.points >= question.maximum and not reading.needs_review:
        open_links = [x for x in open_links if x.core and x.state != "missing"]
    for missing in open_links:
        specs = [s for s in rubric.follow_ups_of(question.id, missing.id) if s.id not in used]
        # Predictions first: a number is harder to guess than a letter.
        specs.sort(key=lambda s: (s.kind != "prediction", chance.random()))
        if specs:
            ask(specs[0].id, missing.id)
    return chosen


def with_follow_ups(
    rubric: ProseRubric, reading: AnswerReading, settled: Sequence[tuple[FollowUp, Settled]]
) -> AnswerReading:
    """The reading after its follow-ups: links shown, misconceptions confirmed or withdrawn, points and review anew."""
    question = rubric.questions[reading.question]
    hollow = _is_hollow(reading)
    credit = _credits(settled, hollow)
    links = [_shown(link, credit) for link in reading.links]
    explanation = list(reading.explanation)
    repeated = {s.misconception for _, s in settled if s.misconception}
    answered = {f.id for f, s in settled if s.right}
    vetoes = list(reading.vetoes)
    points = _points(question, links, credit, reading, hollow)
    held = _held_twice(settled) & {m.id for m in rubric.misconceptions_of(question.id) if m.veto}
    if held:
        points = min(points, reading.points, 0.5 if question.maximum > 1 else 0.0)
        explanation.append(TWICE)
    corrected = False
    for m in reading.misconceptions:
        if m.force == "supposed":
            continue
        tried = [s for f, s in settled if f.id == m.experiment]
        at_once = bool(tried) and tried[0].right
        if m.veto and (m.id in repeated or (len(tried) > 1 and m.experiment not in answered)):
            # Said in the text and again in any reply: the two signals.
            vetoes = [(VETO_RULE, m.words)]
            explanation.append(REPEATED.fill(words=m.words))
            points = 0.0
        elif m.veto and at_once:
            vetoes = [v for v in vetoes if v[1] != m.words]
            explanation.append(CORRECTED.fill(words=m.words))
            corrected = True
    if corrected:
        # Once, however many patterns read the same false words.
        points = max(0.0, min(points, question.maximum) - 0.5)
    if vetoes:
        points = 0.0
    settled_links = {f.link for f, s in settled}
    unsettled = any(x.core and x.state in ("uncertain", "contradicted") and x.id not in settled_links for x in links)
    review = (reading.needs_review and (unsettled or not settled)) or bool(held and not vetoes)
    return replace(
        reading, points=points, links=links, vetoes=vetoes, needs_review=review, explanation=explanation,
        confidence=max(reading.confidence, 0.8) if settled and not review else reading.confidence,
    )  # fmt: skip


def _held_twice(settled: Sequence[tuple[FollowUp, Settled]]) -> set[str]:
    """Misconceptions that two replies repeat: two predictions, or two follow-ups. Two letters of one choice are one."""
    where: dict[str, list[str]] = {}
    for follow_up, outcome in settled:
        seen = where.setdefault(outcome.misconception, [])
        if outcome.misconception and (follow_up.kind != "choice" or follow_up.id not in seen):
            seen.append(follow_up.id)
    return {name for name, ids in where.items() if len(ids) > 1}


def _is_hollow(reading: AnswerReading) -> bool:
    """Whether the text itself states nothing: whoever guesses at the follow-ups must not earn an answer by luck."""
    nothing = reading.points == 0 and not any(x.state == "stated" for x in reading.links)
    return nothing or bool(set(reading.caps) & HOLLOW)


def _credits(settled: Sequence[tuple[FollowUp, Settled]], hollow: bool) -> dict[str, tuple[float, str]]:
    """Value of each link by its follow-ups, and the follow-up that gave it: 1 at the first try, a half at the second.

    After a hollow text the first try alone counts.
    """
    tries: dict[str, int] = {}
    credit: dict[str, tuple[float, str]] = {}
    for follow_up, outcome in settled:
        tries[follow_up.id] = tries.get(follow_up.id, 0) + 1
        value = {1: 1.0, 2: 0.0 if hollow else 0.5}.get(tries[follow_up.id], 0.0) if outcome.right else 0.0
        if value > credit.get(follow_up.link, (0.0, ""))[0]:
            credit[follow_up.link] = (value, follow_up.id)
        elif not outcome.right and follow_up.link not in credit:
            credit[follow_up.link] = (0.0, follow_up.id)
    return credit


def _shown(link: LinkReading, credit: dict[str, tuple[float, str]]) -> LinkReading:
    value, follow_up = credit.get(link.id, (-1.0, ""))
    if value > 0 and link.state != "stated":
        return replace(link, state="shown", follow_up=follow_up)
    if value == 0 and link.state == "stated":
        # Said, but not held to when asked.
        return replace(link, state="uncertain", follow_up=follow_up)
    return replace(link, follow_up=follow_up) if follow_up else link


def _points(
    question: Question,
    links: list[LinkReading],
    credit: dict[str, tuple[float, str]],
    reading: AnswerReading,
    hollow: bool,
) -> float:
    """Points with shown links: those of a second try count half the way between without and with them."""
    stated = {x.id for x in links if x.state == "stated"} if not set(reading.caps) & HOLLOW else set()
    first = stated | {x.id for x in links if x.state == "shown" and credit[x.id][0] >= 1.0}
    every = first | {x.id for x in links if x.state == "shown"}

    def reached(ids: set[str]) -> float:
        if holds(question.full, ids):
            return question.maximum
        if holds(question.part, ids):
            return question.maximum / 2 if question.maximum > 1 else 0.0
        return 0.0

    value = (reached(first) + reached(every)) / 2
    value = min(value, _most(question, links, credit, reading, hollow))
    step = 0.5 if question.maximum > 1 else 1.0
    value = int(value / step + 0.5) * step
    if not any(v for v, _ in credit.values()):
        return min(reading.points, value) if credit else reading.points
    failed = any(v == 0.0 for v, _ in credit.values())
    return value if failed else max(value, min(reading.points, question.maximum))


def _most(
    question: Question,
    links: list[LinkReading],
    credit: dict[str, tuple[float, str]],
    reading: AnswerReading,
    hollow: bool,
) -> float:
    """The most points after follow-ups: what is only shown, or was tried and failed, does not make a whole answer."""
    most = question.maximum
    failed = {name for name, (value, _) in credit.items() if value == 0.0}
    sure = sum(value >= 1.0 for value, _ in credit.values())
    if question.maximum <= 1:
        return 0.0 if hollow and (sure < 2 or failed) else most
    core = {x.id for x in links if x.core}
    if failed or reading.points == 0:
        most -= 0.5
    if hollow and sure < 3:
        most = min(most, question.maximum / 4)
    if failed & core and reading.points == 0:
        most = min(most, question.maximum / 4)
    return most
