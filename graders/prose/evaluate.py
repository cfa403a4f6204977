"""Agreement of the prose grader with labels: confusion, exact agreement, weighted kappa, vetoes, review.

Rows are {"id", "lesson", "question", "lang", "answer", "score", "veto"}; scores are whole and halves are rounded up when
they are compared. Figures are worth something only on answers that were not read while the rules were written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graders.prose.reader import AnswerReading, ReadContext, read_answer
from graders.prose.rubric import ProseRubric
from graders.prose.score import half_up

Row = Mapping[str, Any]


def evaluate_rows(
    rows: Iterable[Row],
    rubrics: Mapping[str, ProseRubric],
    *,
    contexts: Mapping[tuple[str, str], ReadContext] | None = None,
    read: Callable[[Row], AnswerReading] | None = None,
) -> dict[str, Any]:
    """Items and summary as `course rubric evaluate --format json` prints them.

    `contexts` gives prompts and texts by (lesson, question); `read` replaces the reader (for cross-validation, a judge).
    """
    items: list[dict[str, Any]] = []
    used: list[Row] = []
    for row in rows:
        if read is not None:
            reading = read(row)
        else:
            context = (contexts or {}).get((row["lesson"], row["question"]))
            reading = read_answer(rubrics[row["lesson"]], row["question"], row["answer"], context=context)
        items.append(
            {
                "id": row["id"],
                "score": reading.points,
                "veto": bool(reading.vetoes),
                "review": reading.needs_review,
                "confidence": reading.confidence,
            }
        )
        used.append(row)
    return {"items": items, "summary": summarise(used, items)}


def summarise(rows: list[Row], items: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures over all rows, and per lesson, question and language."""
    summary = figures(rows, items)
    groups: dict[str, dict[str, list[int]]] = {"by_question": defaultdict(list), "by_language": defaultdict(list)}
    for i, row in enumerate(rows):
        groups["by_question"][f"{row['lesson']} {row['question']}"].append(i)
        groups["by_language"][str(row.get("lang", ""))].append(i)
    for name, group in groups.items():
        summary[name] = {
            key: figures([rows[i] for i in at], [items[i] for i in at]) for key, at in sorted(group.items())
        }
    return summary


def figures(rows: list[Row], items: list[dict[str, Any]]) -> dict[str, Any]:
    """Confusion table, agreement and vetoes of one group of rows."""
    if not rows:
        return {"answers": 0}
    want = [int(r["score"]) for r in rows]
    got = [half_up(x["score"]) for x in items]
    size = max(max(want), max(got), 1) + 1
    confusion = [[0] * size for _ in range(size)]
    for a, b in zip(want, got, strict=True):
        confusion[a][b] += 1
    rest = [i for i, x in enumerate(items) if not x["review"]]
    labelled = [i for i, r in enumerate(rows) if r.get("veto")]
    exact = [a == b for a, b in zip(want, got, strict=True)]
    false_vetoes = [i for i, x in enumerate(items) if x["veto"] and not rows[i].get("veto")]
    missed = [i for i in labelled if not items[i]["veto"]]
    return {
        "answers": len(rows),
        "confusion": confusion,
        "exact": _share(sum(exact), len(rows)),
        "qwk": round(weighted_kappa(want, got, size), 4),
        "review": _share(len(rows) - len(rest), len(rows)),
        "exact_of_rest": _share(sum(exact[i] for i in rest), len(rest)),
        "vetoes": len(labelled),
        "veto_found": sum(items[i]["veto"] for i in labelled),
        "false_vetoes": len(false_vetoes),
        "false_vetoes_outside_review": sum(not items[i]["review"] for i in false_vetoes),
        "missed_vetoes": len(missed),
        "veto_answers_outside_review_with_points": sum(
            not items[i]["review"] and items[i]["score"] > 0 for i in labelled
        ),
    }


def weighted_kappa(want: list[int], got: list[int], size: int) -> float:
    """Cohen's kappa with quadratic weights; 1 where both sides are constant and equal."""
    total = len(want)
    left = [want.count(k) for k in range(size)]
    right = [got.count(k) for k in range(size)]
    observed = sum((a - b) ** 2 for a, b in zip(want, got, strict=True))
    expected = sum((a - b) ** 2 * left[a] * right[b] for a in range(size) for b in range(size)) / total
    if expected == 0:
        return 1.0 if observed == 0 else 0.0
    return 1 - observed / expected


def _share(count: int, total: int) -> float | None:
    return round(count / total, 4) if total else None
