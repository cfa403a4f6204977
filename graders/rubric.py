"""The rubric: points, conditions and vetoes as typed rules, read from YAML, with the course's defaults.

Ten points: code 4 = normal 2 + boundary 1 + explanation 1; q1, q2, q3 two each in steps of 0.5. A course may change the
numbers in `rubric.yaml` beside course.yaml, a lesson under `rubric:`; both are checked against this model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from graders.scorecard import PARTS, AnswerResult, CaseResult, Part, Veto
from graders.spec import Spec
from graders.text import Text

RUBRIC_FORMAT = "course-rubric/1"

Condition = Literal["checks", "total", "no_veto", "causal_chains", "boundary_and_tradeoff", "independent"]
VetoRule = Literal["wrong-causal-chain", "boundary-check-removed", "unrun-claimed-as-measured"]


class PointsSpec(Spec):
    """Points of each part."""

    normal: float = Field(default=2.0, ge=0)
    boundary: float = Field(default=1.0, ge=0)
    explanation: float = Field(default=1.0, ge=0)
    q1: float = Field(default=2.0, ge=0)
    q2: float = Field(default=2.0, ge=0)
    q3: float = Field(default=2.0, ge=0)


class RubricSpec(Spec):
    """All rules. `question_minimum` is what each of q1..q3 needs for its causal chain to count as stated."""

    points: PointsSpec = PointsSpec()
    step: float = Field(default=0.5, gt=0)
    pass_total: float = Field(default=8.0, ge=0)
    question_minimum: float = Field(default=1.0, ge=0)
    credit: Literal["all", "proportional"] = "all"
    conditions: Annotated[tuple[Condition, ...], Strict(False)] = (
        "checks", "total", "no_veto", "causal_chains", "boundary_and_tradeoff", "independent",
    )  # fmt: skip
    vetoes: Annotated[tuple[VetoRule, ...], Strict(False)] = (
        "wrong-causal-chain", "boundary-check-removed", "unrun-claimed-as-measured",
    )  # fmt: skip

    def merged(self, override: Mapping[str, Any]) -> RubricSpec:
        """This rubric with a lesson's own values laid over it (validated again)."""
        if not override:
            return self
        base = self.model_dump()
        for key, value in override.items():
            base[key] = {**base[key], **value} if key == "points" and isinstance(value, dict) else value
        return RubricSpec.model_validate(base)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rubric makes of the cases, the answers and the vetoes."""

    points: dict[Part, float | None]
    maximum: dict[Part, float]
    conditions: dict[str, bool | None]
    vetoes: tuple[Veto, ...]
    total: float
    max_total: float
    passed: bool | None
    advice: tuple[Text, ...]


def judge(
    rubric: RubricSpec,
    cases: Iterable[CaseResult],
    answers: Mapping[str, AnswerResult],
    vetoes: Iterable[Veto],
    *,
    executed: bool,
    refused: bool,
    boundary_and_tradeoff: bool | None,
    independent: bool | None,
    missing: Iterable[str] = ("boundary", "tradeoff"),
) -> Judgement:
    """Points, conditions and the verdict.

    `executed` is False where nothing could be run (tier static): points of cases and `passed` are then None. Answers are keyed
    explanation, q1, q2, q3. `independent` None (no history known) does not block; `boundary_and_tradeoff` None is not shown yet
    and does.
    """
    cases = list(cases)
    counted = [c for c in cases if c.outcome != "not-run"]
    maximum: dict[Part, float] = {part: float(getattr(rubric.points, part)) for part in PARTS}
    points: dict[Part, float | None] = {}
    for group in ("normal", "boundary"):
        part: Part = group
        points[part] = _group_points(rubric, [c for c in counted if c.group == group], maximum[part], executed, refused)
    for part in ("explanation", "q1", "q2", "q3"):
        answer = answers.get(part)
        points[part] = min(_stepped(answer.points, rubric.step), maximum[part]) if answer else 0.0
    applied = tuple(v for v in vetoes if v.rule in rubric.vetoes)
    total = sum(p for p in points.values() if p is not None)
    checks: bool | None = None
    if executed or refused:
        checks = bool(counted) and all(c.outcome == "pass" for c in counted) and not refused
    states: dict[str, bool | None] = {
        "checks": checks,
        "total": total >= rubric.pass_total,
        "no_veto": not applied,
        "causal_chains": all((points[q] or 0.0) >= rubric.question_minimum for q in ("q1", "q2", "q3")),
        "boundary_and_tradeoff": boundary_and_tradeoff,
        "independent": independent,
    }
    passed: bool | None = None
    if executed or refused:
        passed = all(_holds(name, states[name]) for name in rubric.conditions)
    advice = tuple(_advice(rubric, cases, states, points, maximum, tuple(missing)))
    return Judgement(points, maximum, states, applied, total, sum(maximum.values()), passed, advice)


def _holds(name: str, state: bool | None) -> bool:
    return state is True or (name == "independent" and state is None)


def _group_points(
    rubric: RubricSpec, group: list[CaseResult], most: float, executed: bool, refused: bool
) -> float | None:
    if refused:
        return 0.0
    if not executed or not group:
        return None if not executed else 0.0
    passing = sum(c.outcome == "pass" for c in group)
    if rubric.credit == "proportional":
        return _stepped(most * passing / len(group), rubric.step) if passing < len(group) else most
    return most if passing == len(group) else 0.0


def _stepped(points: float, step: float) -> float:
    """Down to a whole number of steps: nearly right is not rounded up to right."""
    return int(points / step + 1e-9) * step


_MISSING = {
    "boundary": Text(
        "name a correctness boundary: an input on which a careless kernel goes wrong (section Boundary, or any answer)",
        "指出一个正确性边界：粗心的 kernel 会出错的输入（写在“正确性边界”一节或任一回答中）",
    ),
    "tradeoff": Text(
        "name a performance trade-off: what the kernel pays, and what it gets for it (section Trade-off, or any answer)",
        "指出一个性能取舍：付出了什么，换来了什么（写在“性能取舍”一节或任一回答中）",
    ),
}


def _advice(
    rubric: RubricSpec,
    cases: list[CaseResult],
    states: Mapping[str, bool | None],
    points: Mapping[Part, float | None],
    maximum: Mapping[Part, float],
    missing: tuple[str, ...],
) -> Iterable[Text]:
    """What would turn each condition that does not hold."""
    if states["checks"] is False:
        bad = [c for c in cases if c.outcome in ("fail", "error", "timeout")]
        if bad:
            yield Text(
                "make every case pass: {n} do not yet, the first is '{c}'",
                "让每个用例通过：还有 {n} 个未过，第一个是“{c}”",
            ).fill(n=len(bad), c=bad[0].title or bad[0].name)
        else:
            yield Text("fill the blank so that the cases can run", "填好空白，用例才能运行")
    if not states["total"]:
        total = sum(p for p in points.values() if p is not None)
        yield Text("reach {p} points: {m} more are needed", "达到 {p} 分：还差 {m} 分").fill(
            p=_short(rubric.pass_total), m=_short(rubric.pass_total - total)
        )
    if not states["no_veto"]:
        yield Text(
            "answer the veto above: it fails the lesson whatever the total", "先解决上面的一票否决：它使总分不起作用"
        )
    if not states["causal_chains"]:
        for q in ("q1", "q2", "q3"):
            if (points[q] or 0.0) < rubric.question_minimum:
                yield Text(
                    "state the causal chain of {q} (at least {m} of {a} points)", "写出 {q} 的因果链（至少 {m}/{a} 分）"
                ).fill(q=q, m=_short(rubric.question_minimum), a=_short(maximum[q]))
    if not states["boundary_and_tradeoff"]:
        for half in missing:
            yield _MISSING[half]
    if states["independent"] is False:
        yield Text(
            "fill the blank on your own: `course reset` starts the lesson afresh",
            "独立完成填空：用 `course reset` 重新开始本课",
        )


def _short(value: float) -> str:
    return f"{value:g}"
