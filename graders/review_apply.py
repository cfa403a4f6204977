"""What an instructor's decisions make of a score card, or of a report on record: points, vetoes, conditions, the verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from graders import rubric
from graders.scorecard import PARTS, AnswerResult, Part, ScoreCard, Veto
from graders.text import Text

Action = Literal["lift", "set"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What an instructor decided: points of a part, or a veto lifted or set."""

    kind: Literal["points", "veto"]
    name: str
    author: str
    reason: str
    time: float
    points: float | None = None
    action: Action | None = None


def with_decisions(card: ScoreCard, decisions: Sequence[Decision], rules: rubric.RubricSpec) -> ScoreCard:
    """The card with an instructor's decisions laid over it: points, vetoes, conditions and the verdict follow."""
    if not decisions:
        return card
    answers, vetoes, notes = dict(card.answers), list(card.vetoes), []
    group_points: dict[Part, float] = {}
    review = list(card.needs_review)
    for made in decisions:
        by = {"a": made.author, "t": time.strftime("%Y-%m-%d", time.gmtime(made.time)), "r": made.reason}
        if made.kind == "points" and made.points is not None:
            text = Text("{p} set to {n} by {a} ({t}): {r}", "{p} 由 {a} 设为 {n}（{t}）：{r}")
            note = text.fill(p=made.name, n=f"{made.points:g}", **by)
            if made.name in answers:
                old = answers[made.name]
                answers[made.name] = replace(
                    old, points=made.points, graded_by="instructor", confidence=1.0, needs_review=False
                )
            elif made.name in ("normal", "boundary"):
                group_points["normal" if made.name == "normal" else "boundary"] = made.points
            else:
                part: Part = next(p for p in PARTS if p == made.name)
                answers[made.name] = AnswerResult(made.points, card.maximum[part], "instructor", 1.0)
            review = [part for part in review if part != made.name]
        else:
            vetoes = [v for v in vetoes if v.rule != made.name]
            if made.action == "set":
                vetoes.append(Veto(made.name, "instructor", made.reason))
            text = Text("veto {p} {x} by {a} ({t}): {r}", "一票否决 {p} 由 {a} {x}（{t}）：{r}")
            done = Text("lifted", "撤销") if made.action == "lift" else Text("set", "判定")
            note = text.fill(p=made.name, x=done, **by)
            if made.name == "unrun-claimed-as-measured":
                review = [part for part in review if part not in ("run-output", "failures", "receipts")]
        notes.append(note)
    judged = rubric.judge(
        rules,
        card.cases,
        answers,
        vetoes,
        executed=card.evidence.tier != "static",
        refused=card.refused is not None,
        boundary_and_tradeoff=card.conditions["boundary_and_tradeoff"],
        independent=card.conditions["independent"],
    )
    points: dict[Part, float | None] = {**judged.points, **group_points}
    total = sum(p for p in points.values() if p is not None)
    conditions = {**judged.conditions, "total": total >= rules.pass_total}
    passed = judged.passed
    if passed is not None:
        passed = _all_hold(conditions, rules)
    return replace(
        card,
        submission=replace(card.submission, notes=(*card.submission.notes, *notes)),
        points=points,
        answers=answers,
        vetoes=judged.vetoes,
        conditions=conditions,
        total=total,
        passed=passed,
        needs_review=tuple(review),
        advice=judged.advice,
    )


def outcome(report: Mapping[str, Any], decisions: Sequence[Decision], rules: rubric.RubricSpec) -> dict[str, Any]:
    """Total, verdict and rules of the vetoes that apply to a recorded report once the decisions are laid over it."""
    points = dict(report["points"])
    vetoes = [v["rule"] for v in report["vetoes"]]
    for made in decisions:
        if made.kind == "points":
            points[made.name] = made.points
        else:
            vetoes = [v for v in vetoes if v != made.name] + ([made.name] if made.action == "set" else [])
    total = sum(p for p in points.values() if p is not None)
    conditions = {
        **report["conditions"],
        "total": total >= rules.pass_total,
        "no_veto": not vetoes,
        "causal_chains": all((points[q] or 0.0) >= rules.question_minimum for q in ("q1", "q2", "q3")),
    }
    passed = report["passed"]
    if passed is not None:
        passed = _all_hold(conditions, rules)
    return {"total": total, "passed": passed, "vetoes": vetoes}


def _all_hold(conditions: Mapping[str, bool | None], rules: rubric.RubricSpec) -> bool:
    return all(conditions[c] is True or (c == "independent" and conditions[c] is None) for c in rules.conditions)
