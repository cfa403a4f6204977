"""A receipt held against the run here, case by case: same inputs where they must be the same, same results where that is certain."""

from __future__ import annotations

from collections.abc import Sequence

from graders.evidence import Receipt, lesson_hashes
from graders.lesson import Case, Lesson
from graders.scorecard import CaseResult
from graders.text import Text

_INPUTS = Text(
    "the receipt of {t} names other inputs for '{c}' than this lesson makes",
    "{t} 的回执中，“{c}”的输入与本课生成的不同",
)
_OUTPUTS = Text(
    "the receipt of {t} has another output for '{c}' than the run here, though both are right and whole numbers",
    "{t} 的回执中，“{c}”的输出与此处运行不同，而两者都应是正确的整数结果",
)
_OUTCOME = Text(
    "the receipt of {t} says '{r}' for '{c}', the run here with the same inputs says '{f}'",
    "{t} 的回执称“{c}”为 {r}，而此处用同样的输入得到 {f}",
)


def disagreement(receipt: Receipt, lesson: Lesson, cases: Sequence[CaseResult], executor: str) -> Text | None:
    """The first point on which a receipt cannot be right or differs from the run here; None where there is none.

    Only what is certain is compared: receipts of the same version of the cases, cases that ran in both. Inputs of cases
    without hidden seeds must be equal; outputs where integers are compared exactly; outcomes where the same executor ran.
    """
    if receipt.hashes.cases != lesson_hashes(lesson).cases:
        return None
    declared = {c.name: c for c in lesson.spec.cases}
    recorded = {c.name: c for c in receipt.cases}
    for here in cases:
        there, case = recorded.get(here.name), declared.get(here.name)
        if there is None or case is None or "not-run" in (here.outcome, there.outcome):
            continue
        if not (here.inputs_sha256 and there.inputs):
            continue
        words = {"t": receipt.finished, "c": here.name}
        if here.inputs_sha256 != there.inputs:
            if all(given.seed != "grader" for given in case.inputs.values()):
                return _INPUTS.fill(**words)
            continue
        if receipt.executor == executor and (there.outcome == "pass") != (here.outcome == "pass"):
            return _OUTCOME.fill(r=there.outcome, f=here.outcome, **words)
        both_right = there.outcome == here.outcome == "pass"
        if both_right and _whole_numbers(lesson, case) and here.outputs_sha256 != there.outputs:
            return _OUTPUTS.fill(**words)
    return None


def _whole_numbers(lesson: Lesson, case: Case) -> bool:
    """Whether a right result has exactly one bit pattern: integers, compared for equality."""
    how = case.comparison or lesson.spec.comparison
    return how.kind == "exact" and all(o.dtype == "int32" for o in lesson.spec.outputs.values())
