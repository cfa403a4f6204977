"""Claims of an answer about the learner's own kernel, compared with what its run showed.

The rubric names the policies (`claims.policies`) and the words that claim each; the engine gives the fact of the run,
for example {"nan": "first"}. Only a claim about the own kernel counts; 'should' and 'would' are plans and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graders.prose.lexicon import Mentions
from graders.prose.links import find_way
from graders.text import Text

if TYPE_CHECKING:
    from graders.prose.rubric import ProseRubric

_PLAN = re.compile(
    r"\bwould\b|\bshould\b|\bcould\b|\bwill\b|i'd\b|i'll\b|plan|应该|应当|打算|会改|想|如果|可以|要改|改成|建议|\bif\b",
    re.IGNORECASE,
)
_SAYS = Text(
    "the answer says of the kernel “{words}”, but the run showed: {shown}",
    "回答说 kernel “{words}”，而运行显示：{shown}",
)


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """A claim about the own kernel; `holds` compares it with the fact of the run."""

    topic: str
    claimed: str
    shown: str
    words: str
    holds: bool
    says: Text


def read_claims(
    rubric: ProseRubric, question: str, mentions: Mentions, evidence: Mapping[str, str]
) -> list[ClaimFinding]:
    """Claims of an answer that the evidence can settle. Without evidence nothing is found."""
    found: list[ClaimFinding] = []
    for claim in rubric.claims:
        shown = evidence.get(claim.topic)
        if shown is None or question not in claim.questions:
            continue
        for way in claim.ways:
            hit = find_way(way, mentions)
            if hit is None:
                continue
            reading = mentions.reading
            clauses = [reading.clauses[c] for c in hit.clauses]
            if any(c.supposed or c.quoted or c.question or _PLAN.search(c.text) for c in clauses):
                continue
            words = reading.plain.words(hit.start, hit.end)
            says = _SAYS.fill(words=words, shown=shown)
            found.append(ClaimFinding(claim.topic, claim.value, shown, words, claim.value == shown, says))
            break
    return found
