"""Points from links: what the rules alone say, before the second reading."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graders.prose.clauses import Reading
from graders.prose.conditions import holds
from graders.prose.lexicon import Mentions
from graders.prose.links import LinkReading, atom_mentions
from graders.prose.misconceptions import MisconceptionReading
from graders.prose.rubric import Question

_F = re.IGNORECASE | re.ASCII
_ITEMS = re.compile(r"[、,/;。\n]|\.(?=\s|$)")
_PREDICATES = re.compile(
    r"因为|所以|于是|就|会|使|让|变成|等于|得到|不(?:会|变|影响|再|能)|才|把|被|是|=|->|填|补|写|取|减|加|了|在|再|先|给|赋|得|过|都|只|每|那|这|它|要|能|用|做|看|换|选|赢|输|忽略|返回|跳过|交|传|收|靠|走|跑|记|扫|乘|除|算|写|存|掉|开|得|一起|拿|落到|不改|相加|\bis\b|\bare\b|becomes?|because|\bso\b|gives?|adds?|keeps?|would|will|\bthen\b|\bit\b"
    r"|\b(?:kept|taken|happens?|swaps?|succeeds?|stored|beats?|lowest)\b|n't\b|\bsince\b|\bholds?\b|\bnever\b|\breplac(?:es|ed)\b|\bwins?\b|\bloses?\b|returns?|stays?|\bhas\b|\bhave\b|means?|\bget|\bdoes|\bdo\b|can|\bfill|\btake|\bcarr|\bpad\b|\bload|\bwrite|\bstore",
    _F,
)
_TUPLE = re.compile(r"[(\[][^()\[\]]{0,30}[)\]]")  # '(NaN, i)' is one thing
_LETTERS = re.compile(r"[\u4e00-\u9fff]|[a-z_]+", _F)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")


@dataclass(frozen=True, slots=True)
class RuleScore:
    """What the rules give: points, the condition reached, and the caps that held it down."""

    points: float
    raw: float
    share: float  # weight of the links stated, of all weight
    stated: frozenset[str]
    uncertain: frozenset[str]
    contradicted: frozenset[str]
    stuffed: bool
    caps: tuple[str, ...] = ()


def is_term_list(reading: Reading) -> bool:
    """Whether an answer lists terms without saying anything of them: short items, hardly a predicate, no numbers."""
    text = reading.text
    if len(text) >= 20 and len(set(_LETTERS.findall(text))) < 4:
        return True  # numbers, signs or one word over and over
    items = [x for x in _ITEMS.split(_TUPLE.sub(" ", text)) if x.strip()]
    if text.count("、") >= 4 and not re.search(r"[,。;.!?]", text.strip(" .。")):
        return True
    if len(items) >= 5 and text.count("|") < 4:
        short = sum(_width(x) <= 9 for x in items) / len(items)
        saying = sum(bool(_PREDICATES.search(x)) for x in items) / len(items)
        if short >= 0.7 and saying <= 0.25 and len(_NUMBER.findall(text)) <= len(items) // 2:
            return True
    negated = sum(
        bool(
            re.match(
                r"\s*(?:也|更|它|而|并|and )?(?:不是|不靠|不用|不需要|并不是|it's not|it is not|not |no |nor )",
                c.text,
                _F,
            )
        )
        for c in reading.clauses
    )
    return negated >= 4 and negated >= 0.6 * len(reading.clauses)


def _width(words: str) -> int:
    return sum("\u4e00" <= c <= "\u9fff" for c in words) + 2 * len(re.findall(r"[a-z]+", words))


def half_up(points: float) -> int:
    """Whole points, halves up: how a score is compared with whole labels."""
    return int(points + 0.5)


def to_step(points: float, maximum: float) -> float:
    """Points in steps of one half (whole steps where the maximum is one)."""
    step = 0.5 if maximum > 1 else 1.0
    return min(maximum, max(0.0, int(points / step + 0.5) * step))


def rule_score(
    question: Question,
    reading: Reading,
    links: list[LinkReading],
    misconceptions: list[MisconceptionReading],
    mentions: Mentions,
) -> RuleScore:
    """Points of an answer by its links, held down by what contradicts them."""
    stated = frozenset(x.id for x in links if x.state == "stated")
    uncertain = frozenset(x.id for x in links if x.state == "uncertain")
    contradicted = frozenset(x.id for x in links if x.state == "contradicted")
    total = sum(x.weight for x in links) or 1.0
    share = sum(x.weight for x in links if x.state == "stated") / total
    raw = 0.0
    if holds(question.full, set(stated)):
        raw = question.maximum
    elif holds(question.part, set(stated)):
        raw = question.maximum / 2 if question.maximum > 1 else 0.0
    points = raw
    caps: list[str] = []
    stuffed = is_term_list(reading)
    core_against = [x for x in links if x.core and x.state in ("contradicted", "uncertain")]
    if any(x.state == "contradicted" for x in core_against):
        caps.append("contradicted")
        points = min(points, question.maximum / 2 if question.maximum > 1 else 0.0)
        if not any(x.core and x.state == "stated" for x in links):
            points = 0.0
    elif core_against:
        caps.append("uncertain")
        points = min(points, question.maximum / 2 if question.maximum > 1 else 0.0)
    elif contradicted:
        caps.append("contradicted")
        points = min(points, question.maximum / 2 if question.maximum > 1 else points)
    for m in misconceptions:
        if m.force == "supposed":
            continue
        if m.veto:
            caps.append(m.id)
            points = 0.0 if m.force == "asserted" else min(points, question.maximum / 2)
        elif m.force == "asserted":
            caps.append(m.id)
            points = min(points, m.cap if question.maximum > 1 else (0.0 if m.cap <= 0.5 else points))
    if reading.admits and points > question.maximum / 2 and question.maximum > 1:
        caps.append("admits")
        points = question.maximum / 2
    if question.about and not atom_mentions(question.about, mentions):
        caps.append("off-topic")
        points = 0.0
    if stuffed:
        caps.append("term-list")
        points = 0.0
    return RuleScore(points, raw, share, stated, uncertain, contradicted, stuffed, tuple(caps))
