"""The published shape of a report (`--format json`), version course-report/1. The contract of other people's scripts."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

REPORT_SCHEMA = "course-report/1"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SubmissionPart(_Part):
    path: str | None
    sha256: str | None
    blank_sha256: str | None
    notes: list[str] = Field(default_factory=list)


class EvidencePart(_Part):
    tier: Literal["gpu", "emulated", "static"]
    executor: str
    device: str
    toolchain: dict[str, str]
    compiled: list[str]
    pending: bool
    sandbox: list[str]
    note: str | None = None


class FindingPart(_Part):
    kind: str
    line: int
    column: int
    thread: list[int] | None
    block: list[int] | None
    text: str = ""
    other_line: int = 0


class ViewPart(_Part):
    inputs: dict[str, object]
    scalars: dict[str, object]
    expected: dict[str, object]
    got: dict[str, object]
    output: str | None
    index: list[int] | None


class CasePart(_Part):
    name: str
    group: Literal["normal", "boundary"]
    visible: bool
    outcome: Literal["pass", "fail", "error", "timeout", "not-run"]
    detail: str
    about: str = ""
    seconds: float = 0.0
    findings: list[FindingPart]
    view: ViewPart | None = None


class PointsPart(_Part):
    normal: float | None
    boundary: float | None
    explanation: float | None
    q1: float | None
    q2: float | None
    q3: float | None


class LinkPart(_Part):
    id: str
    state: Literal["stated", "shown", "missing", "contradicted", "uncertain"]
    words: str
    follow_up: str | None


class AnswerPart(_Part):
    graded_by: Literal["rules", "llm", "instructor", "none"]
    confidence: float = Field(ge=0, le=1)
    links: list[LinkPart]
    feedback: list[str] = Field(default_factory=list)


class VetoPart(_Part):
    rule: Literal["wrong-causal-chain", "boundary-check-removed", "unrun-claimed-as-measured"]
    where: str
    words: str


class ConditionsPart(_Part):
    checks: bool | None
    total: bool | None
    no_veto: bool | None
    causal_chains: bool | None
    boundary_and_tradeoff: bool | None
    independent: bool | None


class RefusedPart(_Part):
    reason: str
    line: int
    column: int


class Report(_Part):
    """One object a submission; a batch prints a list of them."""

    schema_: Literal["course-report/1"] = Field(alias="schema")
    lesson: str
    submission: SubmissionPart
    evidence: EvidencePart
    cases: list[CasePart]
    points: PointsPart
    maximum: PointsPart
    answers: dict[str, AnswerPart]
    vetoes: list[VetoPart]
    conditions: ConditionsPart
    total: float
    max_total: float
    passed: bool | None
    needs_review: list[str]
    refused: RefusedPart | None
    advice: list[str] = Field(default_factory=list)
