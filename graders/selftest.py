"""The proof that a lesson ships with: reference and right spellings pass, skeleton and every wrong fill die where they must.

Also: oracles agree with torch in float64, fixed wrong outputs (zeros, ones, a copy, a scaled reference) fail, the visible cases
alone leave some wrong fill alive, every case kills something, texts exist in both languages with the same headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graders import cases as case_builder
from graders import compare, expression, verdict
from graders.arrays import HostArray
from graders.blank import Refused, check_fill, inject
from graders.course import Course
from graders.errors import BadInput, CourseError, EnvironmentProblem
from graders.executors.base import CompileProblem, Executor
from graders.executors.pick import Backend, pick
from graders.fills import RightFill, WrongFill, read_right, read_wrong
from graders.grade import Options, blank_rules, ordered_cases, program_of, run_cases
from graders.lesson import Case, Comparison, Lesson
from graders.probes_pairs import evaluated_cases
from graders.scorecard import CaseResult
from graders.selftest_prose import ProseProof, prove_prose
from graders.text import Lang, Text

MINIMUM = {"triton": (10, 6), "cuda": (18, 8)}  # wrong fills, right spellings


@dataclass(frozen=True, slots=True)
class FillVerdict:
    """What became of one fill: refused (with the reason), or the outcome of each case."""

    fill: str
    kind: str  # reference | right | wrong | refused | skeleton
    refused: Text | None
    failed: tuple[str, ...]
    ran: int
    ok: bool
    why: Text | None = None


@dataclass(slots=True)
class SelftestResult:
    """All findings of one lesson. `problems` fail the self-test, `remarks` do not."""

    lesson: str
    executor: str
    tier: str
    verdicts: list[FillVerdict] = field(default_factory=list)
    problems: list[Text] = field(default_factory=list)
    remarks: list[Text] = field(default_factory=list)
    prose: ProseProof = field(default_factory=ProseProof)

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_dict(self, lang: Lang) -> dict[str, Any]:
        return {
            "lesson": self.lesson,
            "executor": self.executor,
            "tier": self.tier,
            "ok": self.ok,
            "fills": [
                {
                    "fill": v.fill,
                    "kind": v.kind,
                    "refused": v.refused.pick(lang) if v.refused else None,
                    "failed": list(v.failed),
                    "ran": v.ran,
                    "ok": v.ok,
                    "why": v.why.pick(lang) if v.why else None,
                }
                for v in self.verdicts
            ],
            "gold_answers": {"answers": self.prose.answers, "exact": self.prose.agreement},
            "follow_ups": self.prose.follow_ups,
            "problems": [p.pick(lang) for p in self.problems],
            "remarks": [r.pick(lang) for r in self.remarks],
        }


def run_selftest(course: Course, lesson: Lesson, backend: Backend = "auto") -> SelftestResult:
    """Run the whole proof of one lesson on one executor. Raises EnvironmentProblem where nothing can run it."""
    solution = lesson.solution()
    if solution is None or lesson.solution_folder is None:
        raise BadInput(
            Text("{l}: the self-test needs the answer key (solutions/)", "{l}：自检需要答案文件夹 (solutions/)").fill(
                l=lesson.id
            )
        )
    choice = pick(lesson.spec.language, backend)
    if choice.executor is None:
        raise EnvironmentProblem(choice.missing[0] if choice.missing else Text("nothing can run it", "无法运行"))
    right = read_right(lesson.solution_folder / "right_fills.yaml")
    wrong = read_wrong(lesson.solution_folder / "wrong_fills.yaml")
    result = SelftestResult(lesson.id, choice.executor.name, choice.executor.tier)
    options = Options(backend=backend, grader_seed=course.grader_seed())
    check_texts(lesson, result.problems)
    check_counts(lesson, right, wrong, result.problems)
    check_oracle_with_torch(lesson, options.grader_seed, result)
    check_fixed_outputs(lesson, options.grader_seed, result.problems)
    result.prose = prove_prose(lesson)
    result.problems += result.prose.problems
    result.remarks += result.prose.remarks
    try:
        _run_fills(lesson, choice.executor, options, solution.fill, right, wrong, result)
    finally:
        choice.executor.close()
    return result


def _run_fills(
    lesson: Lesson,
    executor: Executor,
    options: Options,
    reference: str,
    right: Sequence[RightFill],
    wrong: Sequence[WrongFill],
    result: SelftestResult,
) -> None:
    add = result.verdicts.append
    add(judge_fill(lesson, executor, options, reference, "reference"))
    add(judge_fill(lesson, executor, options, "______", "skeleton"))
    for item in right:
        add(judge_fill(lesson, executor, options, item.fill, "right"))
    killers: dict[str, set[str]] = {}
    alive_after_visible = 0
    visible = {c.name for c in lesson.spec.cases if c.visible}
    known = {c.name for c in lesson.spec.cases}
    for bad in wrong:
        seen = judge_fill(lesson, executor, options, bad.fill, "refused" if bad.refused else "wrong", bad)
        add(seen)
        for name in seen.failed:
            killers.setdefault(name, set()).add(bad.fill)
        if not bad.refused and not visible & set(seen.failed):
            alive_after_visible += 1
        for name in set(bad.fails) - known:
            result.problems.append(
                Text("wrong fill {f} names a case that is not there: {c}", "错误填空 {f} 指向不存在的用例：{c}").fill(
                    f=bad.fill, c=name
                )
            )
    result.problems += [v.why for v in result.verdicts if not v.ok and v.why is not None]
    if not alive_after_visible:
        result.problems.append(Text("the visible cases alone kill every wrong fill", "仅可见用例就能排除所有错误填空"))
    for case in lesson.spec.cases:
        if case.name not in killers and not case.contract and not (case.gpu_only and executor.tier != "gpu"):
            result.remarks.append(
                Text("case '{c}' catches no wrong fill", "用例“{c}”没有排除任何错误填空").fill(c=case.name)
            )


def judge_fill(
    lesson: Lesson, executor: Executor, options: Options, fill: str, kind: str, expected: WrongFill | None = None
) -> FillVerdict:
    """Run one fill over all cases and say whether it did what its kind must do."""
    try:
        checked = check_fill(fill, lesson.template, blank_rules(lesson))
    except Refused as problem:
        ok = kind in ("refused", "skeleton")
        why = (
            None
            if ok
            else Text("{k} fill {f} is refused: {r}", "{k} 填空 {f} 被拒绝：{r}").fill(
                k=kind, f=repr(fill), r=problem.reason
            )
        )
        return FillVerdict(fill, kind, problem.reason, (), 0, ok, why)
    if kind in ("refused", "skeleton"):
        why = Text("fill {f} must be refused and is not", "填空 {f} 应被拒绝却未被拒绝").fill(f=repr(fill))
        return FillVerdict(fill, kind, None, (), 0, False, why)
    chosen = [c for c in ordered_cases(lesson, checked.text) if executor.tier == "gpu" or not c.gpu_only]
    results: list[CaseResult] = []
    try:
        results = list(
            run_cases(lesson, program_of(lesson, inject(lesson.template, checked)), executor, chosen, options)
        )
    except CompileProblem as problem:
        results = [verdict.failed_to_compile(c, problem.findings, problem.text) for c in chosen]
    results += evaluated_cases(lesson, checked.text)
    failed = tuple(r.name for r in results if r.outcome not in ("pass", "not-run"))
    why = _wrong_outcome(kind, fill, results, failed, expected, {c.name for c in chosen})
    return FillVerdict(fill, kind, None, failed, len(results), why is None, why)


def _wrong_outcome(
    kind: str, fill: str, results: list[CaseResult], failed: tuple[str, ...], expected: WrongFill | None, ran: set[str]
) -> Text | None:
    if kind in ("reference", "right"):
        if not failed:
            return None
        first = next(r for r in results if r.name == failed[0])
        text = Text("{k} fill {f} fails '{c}': {d}", "{k} 填空 {f} 未通过“{c}”：{d}")
        return text.fill(k=kind, f=repr(fill), c=first.name, d=first.detail)
    if not failed:
        return Text("survivor: wrong fill {f} passes every case", "漏网：错误填空 {f} 通过了所有用例").fill(
            f=repr(fill)
        )
    named = set(expected.fails) & ran if expected else set()
    escaped = sorted(named - set(failed))
    if escaped:
        text = Text("wrong fill {f} must fail '{c}' and does not", "错误填空 {f} 应在“{c}”失败却没有")
        return text.fill(f=repr(fill), c=", ".join(escaped))
    return None


def check_texts(lesson: Lesson, problems: list[Text]) -> None:
    """Both texts exist with as many headings of each level, and are not empty."""
    levels = []
    for lang in ("en", "zh"):
        try:
            words = lesson.text("zh" if lang == "zh" else "en")
        except CourseError as error:
            problems.append(Text(error.message("en"), error.message("zh")))
            return
        body = re.sub(r"^```.*?^```", "", words, flags=re.MULTILINE | re.DOTALL)
        levels.append([len(m) for m in re.findall(r"^(#+) ", body, flags=re.MULTILINE)])
    if levels[0] != levels[1] or not levels[0]:
        problems.append(Text("the texts of both languages have different headings", "中英文文本的标题结构不同"))


def check_counts(lesson: Lesson, right: Sequence[RightFill], wrong: Sequence[WrongFill], problems: list[Text]) -> None:
    """As many wrong fills and right spellings as a lesson must bring."""
    least_wrong, least_right = MINIMUM[lesson.spec.language]
    executed = sum(not w.refused for w in wrong)
    if executed < least_wrong or len(right) < least_right:
        text = Text(
            "at least {w} wrong fills and {r} right spellings are needed, found {gw} and {gr}",
            "至少需要 {w} 个错误填空与 {r} 个正确写法，现有 {gw} 与 {gr}",
        )
        problems.append(text.fill(w=least_wrong, r=least_right, gw=executed, gr=len(right)))


def check_fixed_outputs(lesson: Lesson, grader_seed: str, problems: list[Text]) -> None:
    """Outputs of a kernel that computes nothing must fail: all zeros, all ones, a copy of the input, the reference times 1.5."""
    survivors = {"zeros", "ones", "input copy", "reference x 1.5"}
    for case in lesson.spec.cases:
        if case.raises is not None or not survivors:
            continue
        launch = case_builder.launches_of(lesson, case)[0]
        job, env = case_builder.build_job(lesson, case, grader_seed, launch)
        wanted = verdict.wanted_outputs(lesson, case, env)
        how = case.comparison or lesson.spec.comparison
        for kind in sorted(survivors):
            if any(
                compare.compare_output(n, _fixed(kind, d, wanted[n], env), d, wanted[n], how, env) is not None
                for n, d in job.outputs.items()
            ):
                survivors.discard(kind)
    for kind in sorted(survivors):
        problems.append(Text("an output of {k} passes every case", "输出为 {k} 时通过了所有用例").fill(k=kind))


def _fixed(kind: str, declared: HostArray, wanted: Any, env: dict[str, Any]) -> HostArray:
    shape = declared.shape
    if kind == "zeros":
        values = np.zeros(shape)
    elif kind == "ones":
        values = np.ones(shape)
    elif kind == "input copy":
        first = np.asarray(next(v for v in env.values() if isinstance(v, np.ndarray)), dtype=np.float64).reshape(-1)
        values = np.resize(first, shape) if first.size else np.zeros(shape)
    else:
        values = np.broadcast_to(np.asarray(wanted, dtype=np.float64) * 1.5, shape)
        if declared.dtype == "int32":
            values = values + 1
    if declared.dtype == "int32":
        values = np.where(np.isfinite(values), values, 0)
    with np.errstate(all="ignore"):
        return HostArray.dense(declared.dtype, np.ascontiguousarray(values))


def check_oracle_with_torch(lesson: Lesson, grader_seed: str, result: SelftestResult) -> None:
    """The NumPy oracle against torch in float64, for the oracles that torch can compute."""
    try:
        import torch
    except ImportError:
        result.remarks.append(
            Text("torch is not installed: oracles were not cross-checked", "未安装 torch：未交叉验证标准答案")
        )
        return
    from graders.torch_oracle import torch_value

    for case in lesson.spec.cases:
        if case.raises is not None:
            continue
        launch = case_builder.launches_of(lesson, case)[0]
        _, env = case_builder.build_job(lesson, case, grader_seed, launch)
        for name, text in (case.oracle or lesson.spec.oracle).items():
            ours = np.asarray(expression.evaluate(text, env), dtype=np.float64)
            theirs = torch_value(torch, text, env)
            if theirs is None:
                result.problems.append(
                    Text("torch cannot check the oracle {t}", "torch 无法验证标准答案 {t}").fill(t=text)
                )
                return
            if not _agree(ours, theirs, case.comparison or lesson.spec.comparison, env):
                words = Text("case '{c}': oracle {o} and torch differ", "用例“{c}”：标准答案 {o} 与 torch 不一致")
                result.problems.append(words.fill(c=case.name, o=name))


def _agree(ours: Any, theirs: Any, how: Comparison, env: dict[str, Any]) -> bool:
    """Equal up to float64 rounding; sums that cancel may differ by the condition's share of it."""
    slack: Any = 1e-300
    if how.kind == "conditioned":
        condition = np.asarray(expression.evaluate(str(how.condition), env), dtype=np.float64)
        slack = 64 * 2.0**-52 * np.where(np.isfinite(condition), condition, 0.0)
    near = np.isclose(ours, theirs, rtol=1e-12, atol=0.0, equal_nan=True)
    with np.errstate(invalid="ignore"):
        return bool(np.all(near | (np.abs(ours - theirs) <= slack)))


def fills_of(result: SelftestResult, kinds: Iterable[str]) -> list[FillVerdict]:
    """The verdicts of some kinds, in order."""
    wanted = set(kinds)
    return [v for v in result.verdicts if v.kind in wanted]


def visible_cases(lesson: Lesson) -> list[Case]:
    return [c for c in lesson.spec.cases if c.visible]
