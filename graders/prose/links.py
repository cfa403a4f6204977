"""Reading causal links: stated, contradicted, uncertain or missing, with the words that say so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from graders.prose.clauses import Reading
from graders.prose.lexicon import Mention, Mentions
from graders.prose.rubric import Atom, Link, Way

State = Literal["stated", "shown", "contradicted", "uncertain", "missing"]
_F = re.IGNORECASE | re.ASCII

FORWARD = re.compile(
    r"所以|因此|因而|于是|从而|导致|使得|造成|引起|故(?!意|障)|->|=>|\bso\b(?! that| as to)|therefore|hence|thus|\bleads? to|\bcauses?\b|\bmakes?\b|that(?:'s| is) why|which (?:makes|means|causes)|because of (?:that|this)|results? in|as a (?:result|consequence)",
    _F,
)
BACKWARD = re.compile(
    r"(?<!是)因为|由于|是因为|because(?! of (?:that|this))|\bsince\b|due to|as a result of|caused by|源于|归因|原因(?:是|在于)|thanks to|stems? from|comes? from",
    _F,
)
PURPOSE = re.compile(
    r"为了|以便|以免|才能|so that|so as to|in order to|要(?:想|让)|目的|needs? to|have to|purpose|that's why we|所以(?:才|要|得|需要|必须|应该?|可以|填|补|用|选|取|把|直接)|so (?:we|you|i|it|the|one|that) (?:must|need|has to|have to|should|fill|pad|use|pick|choose|put|load|can|subtract)",
    _F,
)


@dataclass(frozen=True, slots=True)
class LinkReading:
    """What was read of one link. `span` is half-open in the raw answer; `words` are the learner's own."""

    id: str
    state: State
    words: str = ""
    span: tuple[int, int] = (0, 0)
    clauses: tuple[int, ...] = ()
    follow_up: str | None = None
    core: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A way found in the answer: the mentions that fill its atoms."""

    mentions: tuple[Mention, ...]
    hedged: bool
    reversed: bool = False

    @property
    def clauses(self) -> tuple[int, ...]:
        return tuple(sorted({m.clause for m in self.mentions}))

    @property
    def start(self) -> int:
        return min(m.start for m in self.mentions)

    @property
    def end(self) -> int:
        return max(m.end for m in self.mentions)


def usable(reading: Reading, index: int) -> bool:
    """Whether what a clause says is the learner's own claim to the point."""
    clause = reading.clauses[index]
    return not clause.quoted and not clause.plea and not clause.unknown


def atom_mentions(atom: Atom, mentions: Mentions, flip: bool = False) -> list[Mention]:
    """Mentions that fill an atom with the polarity it asks for (the opposite one where `flip`)."""
    found: list[Mention] = []
    for sign, name in atom.parts:
        wanted = -sign if flip else sign
        found += [m for m in mentions.of(name) if sign == 0 or m.sign == wanted]
    return [m for m in found if usable(mentions.reading, m.clause)]


def find_way(way: Way, mentions: Mentions, flip_role: str = "") -> Hit | None:
    """The tightest place where all atoms of a way stand within its window of clauses, in its direction."""
    groups = [atom_mentions(a, mentions, flip=a.role == flip_role) for a in way.atoms]
    if not all(groups):
        return None
    reading = mentions.reading
    best: tuple[tuple[int, int], Hit] | None = None
    anchor = min(range(len(groups)), key=lambda i: len(groups[i]))
    reach = way.within or len(reading.clauses)
    for a in groups[anchor]:
        chosen: list[Mention] = []
        for i, group in enumerate(groups):
            if i == anchor:
                chosen.append(a)
                continue
            near = [m for m in group if abs(m.clause - a.clause) < reach and (m.start, m.end) != (a.start, a.end)]
            near = near or [m for m in group if (m.start, m.end) == (a.start, a.end)]
            if not near:
                break
            chosen.append(min(near, key=lambda m: (abs(m.clause - a.clause), abs(m.start - a.start))))
        else:
            clauses = [m.clause for m in chosen]
            if max(clauses) - min(clauses) >= reach:
                continue
            back = way.directed and _reversed(way, chosen, reading)
            hedged = any(reading.clauses[c].hedged for c in clauses)
            hit = Hit(tuple(chosen), hedged, back)
            key = (int(back), hit.end - hit.start)
            if best is None or key < best[0]:
                best = (key, hit)
    return best[1] if best else None


def _reversed(way: Way, chosen: list[Mention], reading: Reading) -> bool:
    """Whether the words between cause and effect say that the effect brings about the cause."""
    cause = next((m for a, m in zip(way.atoms, chosen, strict=True) if a.role == "cause"), None)
    effect = next((m for a, m in zip(way.atoms, chosen, strict=True) if a.role == "effect"), None)
    if cause is None or effect is None or cause.start == effect.start:
        return False
    text = reading.text
    if cause.start < effect.start:
        between = text[cause.end : effect.start]
        lead = text[max(reading.clauses[cause.clause].start, cause.start - 12) : cause.start]
        return bool(BACKWARD.search(between)) and not FORWARD.search(between) and not BACKWARD.search(lead)
    between = text[effect.end : cause.start]
    lead = text[max(reading.clauses[effect.clause].start, effect.start - 14) : effect.start]
    if PURPOSE.search(between) or PURPOSE.search(lead) or BACKWARD.search(between):
        return False
    return bool(FORWARD.search(between)) or (
        bool(BACKWARD.search(lead))
        and reading.clauses[effect.clause].sentence == reading.clauses[cause.clause].sentence
    )


def read_link(link: Link, mentions: Mentions) -> LinkReading:
    """The state of one link in an answer."""
    reading = mentions.reading
    stated: Hit | None = None
    against: Hit | None = None
    for way in link.ways:
        hit = find_way(way, mentions)
        if hit and hit.reversed:
            against = against or hit
        elif hit and (stated is None or (hit.hedged, hit.end - hit.start) < (stated.hedged, stated.end - stated.start)):
            stated = hit
        if way.polar and any(a.role == "effect" and any(s for s, _ in a.parts) for a in way.atoms):
            flipped = find_way(way, mentions, flip_role="effect")
            if flipped and not flipped.reversed and _asserted(flipped, reading) and _tight(flipped, reading, way):
                against = against if against and against.end - against.start <= flipped.end - flipped.start else flipped
    for way in link.against:
        hit = find_way(way, mentions)
        if hit and _asserted(hit, reading):
            against = hit
            break
    if stated and against and _outweighed(stated, against):
        against = None
    if stated and against:
        return _reading(link, "uncertain", against, reading)
    if stated:
        return _reading(link, "stated", stated, reading)
    if against:
        return _reading(link, "contradicted", against, reading)
    return LinkReading(link.id, "missing", core=link.core, weight=link.weight)


def _outweighed(stated: Hit, against: Hit) -> bool:
    """Whether words against a link merely stand near each other while the link itself is said in one breath."""
    wider = against.end - against.start > stated.end - stated.start + 12
    if set(against.clauses) >= set(stated.clauses) and wider:
        return True
    return len(against.clauses) > 1 and len(stated.clauses) <= len(against.clauses)


_GOES_ON = re.compile(
    r"[^\w\u4e00-\u9fff]*(?:就|则|会|所以|因此|它|这|从而|而且|于是|也|so\b|then\b|and\b|it\b|they\b|which\b|therefore\b|hence\b|thus\b|that\b|this\b)",
    _F,
)


def _tight(hit: Hit, reading: Reading, way: Way) -> bool:
    """Whether a denial is said in one breath, its subject first: one clause, or a clause and the one that goes on from it."""
    subject = [m for a, m in zip(way.atoms, hit.mentions, strict=True) if a.role in ("cause", "subject")]
    said = [m for a, m in zip(way.atoms, hit.mentions, strict=True) if a.role == "effect"]
    if subject and said and subject[0].start > said[0].start:
        return False
    first, last = hit.clauses[0], hit.clauses[-1]
    if first == last:
        return True
    a, b = reading.clauses[first], reading.clauses[last]
    return last == first + 1 and a.sentence == b.sentence and bool(_GOES_ON.match(b.text))


def _asserted(hit: Hit, reading: Reading) -> bool:
    """Whether the words are a claim, not a supposed case or a question."""
    clauses = [reading.clauses[c] for c in hit.clauses]
    return not any(c.supposed or c.question for c in clauses)


def _reading(link: Link, state: State, hit: Hit, reading: Reading) -> LinkReading:
    span = reading.plain.raw_span(hit.start, hit.end)
    words = reading.plain.raw[span[0] : span[1]].strip()
    return LinkReading(link.id, state, words, span, hit.clauses, None, link.core, link.weight)
