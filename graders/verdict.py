"""The verdict of one case, formed in the trusted parent from raw outputs and findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graders import compare, expression
from graders.arrays import HostArray
from graders.lesson import Case, Lesson
from graders.observation import Finding, Job, Observation
from graders.scorecard import CaseResult, CaseView, Outcome
from graders.text import Text, same


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a case: the job, the names its expressions may use, what was seen, and under which launch."""

    job: Job
    env: dict[str, Any]
    seen: Observation
    launch: tuple[int, int] | None = None


def case_result(lesson: Lesson, case: Case, runs: Sequence[Run]) -> CaseResult:
    """All runs of a case must be right: the first that is not gives the reason."""
    seconds = sum(run.seen.seconds for run in runs)
    for run in runs:
        outcome, detail, view = _one(lesson, case, run)
        if outcome != "pass":
            if run.launch is not None and len(runs) > 1:
                text = Text("{d} (with {b} blocks of {t} threads)", "{d}（{b} 个 block，每个 {t} 个线程）")
                detail = text.fill(d=detail, b=run.launch[0], t=run.launch[1])
            return _result(case, outcome, detail, run.seen.findings, view, seconds)
    view = _shown(lesson, case, runs[-1]) if runs else None
    return _result(case, "pass", Text("right", "正确"), (), view, seconds)


def _shown(lesson: Lesson, case: Case, run: Run) -> CaseView | None:
    """The numbers of a case that is right, where there are outputs to show."""
    if not run.seen.outputs or case.raises is not None:
        return None
    return _view(run, run.seen.outputs, wanted_outputs(lesson, case, run.env), None)


def not_run(case: Case, why: Text) -> CaseResult:
    """A case that was not executed."""
    return _result(case, "not-run", why, (), None, 0.0)


def failed_to_compile(case: Case, findings: Sequence[Finding], text: Text) -> CaseResult:
    """A case of a program that no compiler takes."""
    return _result(case, "error", text, tuple(findings), None, 0.0)


def wanted_outputs(lesson: Lesson, case: Case, env: dict[str, Any]) -> dict[str, Any]:
    """The oracle's value of every output, float64 or int64, in the output's shape; raises ExpressionError."""
    out = {}
    for name, text in (case.oracle or lesson.spec.oracle).items():
        value = np.asarray(expression.evaluate(text, env))
        declared = tuple(
            int(n if isinstance(n, int) else expression.evaluate(n, env)) for n in lesson.spec.outputs[name].shape
        )
        try:
            out[name] = np.broadcast_to(value, declared)
        except ValueError:
            words = Text(
                "oracle {t} gives shape {g}, output {n} has {w}", "标准答案 {t} 的形状是 {g}，输出 {n} 应为 {w}"
            )
            raise expression.ExpressionError(words.fill(t=repr(text), g=value.shape, n=name, w=declared)) from None
    return out


def _result(
    case: Case, outcome: Outcome, detail: Text, findings: tuple[Finding, ...], view: CaseView | None, seconds: float
) -> CaseResult:
    title = case.title.text if case.title else None
    about = case.about.text
    return CaseResult(case.name, case.group, case.visible, outcome, about, detail, findings, view, seconds, title)


def _one(lesson: Lesson, case: Case, run: Run) -> tuple[Outcome, Text, CaseView | None]:
    seen = run.seen
    if seen.status in ("timeout", "crash", "error", "unsupported"):
        outcome: Outcome = "timeout" if seen.status == "timeout" else "error"
        return outcome, _words_of(seen), _view(run, None, {}, None)
    if case.raises is not None:
        # A host function raises an exception of that type; a CUDA entry returns the error of that name.
        if (
            seen.status == "raised"
            and seen.raised is not None
            and case.raises in (seen.raised.type, seen.raised.message)
        ):
            return "pass", Text("right", "正确"), None
        text = Text("must be refused with {w}, but {g}", "应以 {w} 拒绝，但{g}")
        got = _words_of(seen) if seen.status == "raised" else Text("it ran", "它运行了")
        return "fail", text.fill(w=case.raises, g=got), _view(run, None, {}, None)
    if seen.status == "raised":
        return "error", _words_of(seen), _view(run, None, {}, None)
    try:
        wanted = wanted_outputs(lesson, case, run.env)
    except expression.ExpressionError as error:
        text = Text("the lesson's oracle fails, tell the instructor: {e}", "本课的标准答案计算出错，请告知教师：{e}")
        return "error", text.fill(e=error.text), None
    how = case.comparison or lesson.spec.comparison
    for label, outputs in (("", seen.outputs), *seen.variants):
        difference = _difference(run, outputs, wanted, how) or _broken(case, run, outputs)
        if difference is not None:
            text = difference.text
            if label:
                text = Text("{t} (when run again: {v})", "{t}（换一种方式再运行：{v}）").fill(t=text, v=_label(label))
            if seen.findings:
                text = Text("{f}; {t}", "{f}；{t}").fill(f=seen.findings[0].text, t=text)
            return "fail", text, _view(run, outputs, wanted, difference)
    if seen.findings:
        return "fail", seen.findings[0].text, _view(run, seen.outputs, wanted, None)
    if seen.changed_inputs:
        text = Text("the input {n} was changed by the kernel", "输入 {n} 被 kernel 改动了")
        return "fail", text.fill(n=", ".join(seen.changed_inputs)), _view(run, seen.outputs, wanted, None)
    return "pass", Text("right", "正确"), None


def _difference(run: Run, outputs: dict[str, HostArray], wanted: dict[str, Any], how: Any) -> compare.Difference | None:
    for name, declared in run.job.outputs.items():
        found = compare.compare_output(name, outputs.get(name), declared, wanted[name], how, run.env)
        if found is not None:
            return found
    return None


def _broken(case: Case, run: Run, outputs: dict[str, HostArray]) -> compare.Difference | None:
    if not case.properties:
        return None
    env = {**run.env, **{name: array.values() for name, array in outputs.items()}}
    for rule in case.properties:
        words = compare.broken_property(rule, env)
        if words is not None:
            return compare.Difference(next(iter(run.job.outputs)), words)
    return None


def _words_of(seen: Observation) -> Text:
    if seen.raised is not None:
        place = (
            Text(" (template line {n})", "（模板第 {n} 行）").fill(n=seen.raised.line)
            if seen.raised.line
            else Text("", "")
        )
        words = Text("it raised {t}: {m}{p}", "抛出 {t}：{m}{p}")
        return words.fill(t=seen.raised.type, m=seen.raised.message, p=place)
    if seen.findings:
        return seen.findings[0].text
    return seen.detail or same(seen.status)


_LABELS = {
    "order": Text("another order of programs or threads", "另一种执行顺序"),
    "poison": Text("other values in the undefined lanes", "未定义的 lane 中换了别的值"),
}


def _label(label: str) -> Text:
    kind, _, rest = label.partition(":")
    known = _LABELS.get(kind)
    return Text(f"{known.en} ({rest})", f"{known.zh}（{rest}）") if known and rest else (known or same(label))


def _view(
    run: Run, outputs: dict[str, HostArray] | None, wanted: dict[str, Any], difference: compare.Difference | None
) -> CaseView:
    return CaseView(
        inputs={name: run.env[name] for name in run.job.inputs},
        scalars=dict(run.job.scalars),
        expected=wanted,
        got={name: array.values() for name, array in (outputs or {}).items()},
        output=difference.output if difference else None,
        index=difference.index if difference else None,
    )
