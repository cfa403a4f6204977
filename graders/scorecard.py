"""The result of grading one submission: plain values that every report is a pure function of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from graders.observation import Finding, Tier
from graders.text import Text

Outcome = Literal["pass", "fail", "error", "timeout", "not-run"]
Part = Literal["normal", "boundary", "explanation", "q1", "q2", "q3"]
PARTS: tuple[Part, ...] = ("normal", "boundary", "explanation", "q1", "q2", "q3")
CONDITIONS = ("checks", "total", "no_veto", "causal_chains", "boundary_and_tradeoff", "independent")
VETO_RULES = ("wrong-causal-chain", "boundary-check-removed", "unrun-claimed-as-measured")
LinkState = Literal["stated", "shown", "missing", "contradicted", "uncertain"]
GradedBy = Literal["rules", "llm", "instructor", "none"]


@dataclass(frozen=True, slots=True)
class CaseView:
    """What a person may see of a case: inputs, wanted and got as nested lists, and where they first differ.

    For a hidden case this is shown to an instructor only.
    """

    inputs: dict[str, Any]
    scalars: dict[str, Any]
    expected: dict[str, Any]
    got: dict[str, Any]
    output: str | None = None
    index: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: what came out, in one sentence, with the findings of the instruments.

    `title` is the name as a learner reads it, where the lesson gives one.
    """

    name: str
    group: Literal["normal", "boundary"]
    visible: bool
    outcome: Outcome
    about: Text
    detail: Text
    findings: tuple[Finding, ...] = ()
    view: CaseView | None = None
    seconds: float = 0.0
    title: Text | None = None
    inputs_sha256: str = ""
    outputs_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was really run, on what. `compiled` lists GPU targets for which the program was compiled."""

    tier: Tier
    executor: str
    device: str = ""
    toolchain: dict[str, str] = field(default_factory=dict)
    compiled: tuple[str, ...] = ()
    pending: bool = True
    sandbox: tuple[str, ...] = ()
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class LinkResult:
    """One causal link of a question: its state and the learner's own words that show it."""

    id: str
    state: LinkState
    words: str = ""
    follow_up: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """One text part: its points and how they were read."""

    points: float
    maximum: float
    graded_by: GradedBy
    confidence: float = 0.0
    links: tuple[LinkResult, ...] = ()
    needs_review: bool = False
    feedback: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Veto:
    """A rule that fails the lesson whatever the total, with the words or lines that caused it."""

    rule: str
    where: str
    words: str


@dataclass(frozen=True, slots=True)
class RefusedBlank:
    """Why the blank's text was not accepted; line and column count in what the learner typed."""

    reason: Text
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class SubmissionInfo:
    """What was handed in."""

    path: str | None
    sha256: str | None
    blank_sha256: str | None
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """Ten points with their conditions. `None` in points and `passed` means: could not be run here."""

    lesson: str
    submission: SubmissionInfo
    evidence: Evidence
    cases: tuple[CaseResult, ...]
    points: dict[Part, float | None]
    maximum: dict[Part, float]
    answers: dict[str, AnswerResult]
    vetoes: tuple[Veto, ...]
    conditions: dict[str, bool | None]
    total: float
    max_total: float
    passed: bool | None
    needs_review: tuple[str, ...]
    refused: RefusedBlank | None = None
    advice: tuple[Text, ...] = ()
