"""ScoreCard to the JSON report. A hidden case shows name, group and outcome; its numbers only with `instructor`."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from graders.reports.model import REPORT_SCHEMA
from graders.scorecard import PARTS, CaseResult, CaseView, ScoreCard
from graders.text import Lang

MAX_SHOWN = 4096


def as_dict(card: ScoreCard, lang: Lang = "en", *, instructor: bool = False) -> dict[str, Any]:
    """The report as plain values (course-report/1), words in `lang`."""
    return {
        "schema": REPORT_SCHEMA,
        "lesson": card.lesson,
        "submission": {
            "path": card.submission.path,
            "sha256": card.submission.sha256,
            "blank_sha256": card.submission.blank_sha256,
            "notes": [n.pick(lang) for n in card.submission.notes],
        },
        "evidence": {
            "tier": card.evidence.tier,
            "executor": card.evidence.executor,
            "device": card.evidence.device,
            "toolchain": dict(card.evidence.toolchain),
            "compiled": list(card.evidence.compiled),
            "pending": card.evidence.pending,
            "sandbox": list(card.evidence.sandbox),
            "note": card.evidence.note.pick(lang) if card.evidence.note else None,
        },
        "cases": [case_dict(c, lang, instructor=instructor) for c in card.cases],
        "points": {part: card.points[part] for part in PARTS},
        "maximum": {part: card.maximum[part] for part in PARTS},
        "answers": {
            name: {
                "graded_by": a.graded_by,
                "confidence": a.confidence,
                "links": [
                    {"id": link.id, "state": link.state, "words": link.words, "follow_up": link.follow_up}
                    for link in a.links
                ],
                "feedback": [f.pick(lang) for f in a.feedback],
            }
            for name, a in card.answers.items()
        },
        "vetoes": [{"rule": v.rule, "where": v.where, "words": v.words} for v in card.vetoes],
        "conditions": dict(card.conditions),
        "total": card.total,
        "max_total": card.max_total,
        "passed": card.passed,
        "needs_review": list(card.needs_review),
        "refused": None
        if card.refused is None
        else {"reason": card.refused.reason.pick(lang), "line": card.refused.line, "column": card.refused.column},
        "advice": [a.pick(lang) for a in card.advice],
    }


def dumps(value: Any) -> str:
    """JSON that any reader takes: NaN and infinities as strings, non-ASCII as it is."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def plain(value: Any) -> Any:
    """Arrays and numbers as JSON values; NaN and infinities as "nan", "inf", "-inf"."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist()) if value.size <= MAX_SHOWN else {"shape": list(value.shape), "shown": False}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (np.integer, bool, int)):
        return int(value) if not isinstance(value, bool) else value
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return "nan"
        return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")
    return value


def case_dict(case: CaseResult, lang: Lang, *, instructor: bool = False) -> dict[str, Any]:
    """One case of the report."""
    open_ = case.visible or instructor
    return {
        "name": case.name,
        "group": case.group,
        "visible": case.visible,
        "outcome": case.outcome,
        "detail": case.detail.pick(lang)
        if open_ or case.outcome in ("pass", "not-run")
        else _hidden_detail(case, lang),
        "about": case.about.pick(lang),
        "seconds": round(case.seconds, 4),
        "findings": [
            {
                "kind": f.kind,
                "line": f.line,
                "column": f.column,
                "thread": list(f.thread) if f.thread else None,
                "block": list(f.block) if f.block else None,
                "text": f.text.pick(lang),
                "other_line": f.other_line,
            }
            for f in case.findings
        ],
        "view": _view(case.view) if case.view is not None and open_ else None,
    }


def _hidden_detail(case: CaseResult, lang: Lang) -> str:
    """What a learner may know of a failing hidden case: what it is about, never its numbers."""
    if case.findings:
        return case.findings[0].text.pick(lang)
    return case.about.pick(lang) if case.outcome == "fail" else case.detail.pick(lang)


def _view(view: CaseView) -> dict[str, Any]:
    return {
        "inputs": {k: plain(v) for k, v in view.inputs.items()},
        "scalars": {k: plain(v) for k, v in view.scalars.items()},
        "expected": {k: plain(np.asarray(v)) for k, v in view.expected.items()},
        "got": {k: plain(v) for k, v in view.got.items()},
        "output": view.output,
        "index": list(view.index) if view.index is not None else None,
    }
