"""The pipeline: one submission and one lesson in, one score card out. Run, grade, batch, notebook and self-test use it.

submission -> blank checked -> pristine template + blank -> executor -> observation -> verdict -> rubric -> card
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from graders import cases as case_builder
from graders import claims_check, prose_part, rubric, verdict
from graders.blank import BlankRules, Fill, Injected, Refused, check_fill, inject
from graders.errors import EnvironmentProblem
from graders.evidence import stamped
from graders.executors.base import BlankSpan, CompileProblem, Entry, Executor, Program, TritonEntry
from graders.executors.pick import Backend, pick
from graders.lesson import Case, Lesson
from graders.observation import Job
from graders.probes import probe_cases
from graders.probes_pairs import evaluated_cases, pair_cases
from graders.scorecard import CaseResult, Evidence, RefusedBlank, ScoreCard, SubmissionInfo, Veto
from graders.submission import Submission
from graders.text import Text

if TYPE_CHECKING:
    from graders.executors.triton_compile import CompileReport
    from graders.prose.judge import Judge

CASE_DEADLINE_S = 20.0
SANITIZED_CASES = 4


class Compiling(Protocol):
    """A compilation for GPU targets under way."""

    def result(self, timeout_s: float | None = None) -> CompileReport: ...


class Compiler(Protocol):
    """A compile-only executor."""

    def availability(self) -> Text | None: ...

    def begin(self, program: Program, jobs: Sequence[Job]) -> Compiling: ...


@dataclass(frozen=True, slots=True)
class Watch:
    """Callbacks for a person who waits: the number of cases, each result as it comes, what is being done."""

    started: Callable[[int], None] = lambda total: None
    case: Callable[[CaseResult], None] = lambda result: None
    doing: Callable[[Text], None] = lambda what: None


@dataclass(frozen=True, slots=True)
class Options:
    """How to grade. `grader_seed` seeds hidden inputs; `executor` reuses a warm one; `compile_targets` off skips PTX and cubin."""

    backend: Backend = "auto"
    grader_seed: str = case_builder.PUBLIC_SEED
    rubric: rubric.RubricSpec = field(default_factory=rubric.RubricSpec)
    compile_targets: bool = True
    judge: Judge | None = None  # reads the links of answers, where an instructor has chosen one
    sanitize: bool = False  # CUDA on a GPU: some cases again under compute-sanitizer
    case_deadline_s: float = CASE_DEADLINE_S
    executor: Executor | None = None


def grade(
    submission: Submission, lesson: Lesson, options: Options | None = None, watch: Watch | None = None
) -> ScoreCard:
    """Grade one submission.

    Raises EnvironmentProblem when this machine cannot run it although it should (a broken toolchain, a failing canary); a
    learner's mistake never raises.
    """
    options, watch = options or Options(), watch or Watch()
    rules = options.rubric.merged(lesson.spec.rubric)
    refused: RefusedBlank | None = None
    fill: Fill | None = None
    try:
        fill = check_fill(submission.fill, lesson.template, blank_rules(lesson))
    except Refused as problem:
        refused = RefusedBlank(problem.reason, problem.line, problem.column)
        if submission.misfit is not None:
            refused = RefusedBlank(submission.misfit.reason, submission.misfit.line, submission.misfit.column)
    results: list[CaseResult] = []
    if fill is None:
        why = Text("not run: the blank is refused", "未运行：填空被拒绝")
        results = [verdict.not_run(case, why) for case in lesson.spec.cases]
        evidence = Evidence(tier="static", executor="none", pending=False)
    else:
        results, evidence = _execute(fill, lesson, options, watch)
    return _card(submission, lesson, rules, results, evidence, fill.sha256 if fill else None, refused, options.judge)


def regrade(
    card: ScoreCard, submission: Submission, lesson: Lesson, options: Options, report: CompileReport | None = None
) -> ScoreCard:
    """Judge again without running anything: other answers, or a compile report that arrived after the cases.

    `card` must come from the same blank on the same lesson; its cases and its evidence are taken over.
    """
    rules = options.rubric.merged(lesson.spec.rubric)
    results, evidence = list(card.cases), card.evidence
    if report is not None and card.refused is None:
        results, evidence = _with_compiled(lesson, results, evidence, report)
    return _card(
        submission, lesson, rules, results, evidence, card.submission.blank_sha256, card.refused, options.judge
    )


def compile_for_gpu(fill: str, lesson: Lesson, options: Options) -> Compiling | None:
    """Start compiling a blank for GPU targets; None where there is no compiler, or a GPU compiles it anyway.

    For a front end that shows the verdict of the cases first (`compile_targets=False`) and `regrade`s with the report. The
    blank must have passed the gate: raises Refused otherwise.
    """
    program = program_of(lesson, inject(lesson.template, check_fill(fill, lesson.template, blank_rules(lesson))))
    return _begin_compile(program, lesson, replace(options, compile_targets=True), options.executor)


def _card(
    submission: Submission,
    lesson: Lesson,
    rules: rubric.RubricSpec,
    results: list[CaseResult],
    evidence: Evidence,
    blank_sha256: str | None,
    refused: RefusedBlank | None,
    judge: Judge | None = None,
) -> ScoreCard:
    """Read the prose, apply the rubric."""
    if submission.verified_on and evidence.tier != "gpu":
        verified = Text("confirmed on a GPU by `course verify` ({d})", "`course verify` 已在 GPU（{d}）上确认")
        evidence = replace(evidence, pending=False, note=verified.fill(d=submission.verified_on))
    reading = prose_part.read(lesson, submission, results, rules, judge)
    said = claims_check.weigh(lesson, submission, blank_sha256, results, evidence)
    judged = rubric.judge(
        rules,
        results,
        reading.answers,
        (*_veto_of_edits(submission), *reading.vetoes, *said.vetoes),
        executed=evidence.tier != "static",
        refused=refused is not None,
        boundary_and_tradeoff=reading.boundary_and_tradeoff,
        independent=submission.independent,
        missing=reading.missing or ("boundary", "tradeoff"),
    )
    info = SubmissionInfo(submission.path, submission.sha256, blank_sha256, (*submission.notes, *said.notes))
    return ScoreCard(
        lesson=lesson.id,
        submission=info,
        evidence=evidence,
        cases=tuple(results),
        points=judged.points,
        maximum=judged.maximum,
        answers=reading.answers,
        vetoes=judged.vetoes,
        conditions=judged.conditions,
        total=judged.total,
        max_total=judged.max_total,
        passed=judged.passed,
        needs_review=(*reading.needs_review, *said.needs_review),
        refused=refused,
        advice=judged.advice,
    )


def blank_rules(lesson: Lesson) -> BlankRules:
    """The lesson's allow-list in the form that the gate takes."""
    spec = lesson.spec.blank
    return BlankRules(frozenset(spec.names), frozenset(spec.calls), frozenset(spec.attributes), lesson.spec.language)


def program_of(lesson: Lesson, injected: Injected) -> Program:
    """The pristine template with the blank in it, ready for an executor."""
    spec = lesson.spec
    entry: Entry
    if spec.language == "triton":
        entry = TritonEntry(spec.entry.function, tuple(spec.entry.arguments))
    else:
        from graders.executors.cuda_entry import CudaEntry

        entry = CudaEntry(str(spec.entry.signature), str(spec.entry.call), tuple(spec.entry.arguments))
    span = BlankSpan(injected.line, injected.column, injected.line, injected.end_column)
    return Program(injected.source, spec.template, spec.language, entry, span)


def ordered_cases(lesson: Lesson, fill: str | None = None) -> list[Case]:
    """Visible cases first (a learner's first failure should be one that can be looked at), then cases made for this fill."""
    made = probe_cases(lesson, fill) + pair_cases(lesson, fill) if fill is not None else []
    return sorted(lesson.spec.cases, key=lambda case: not case.visible) + made


def run_cases(
    lesson: Lesson, program: Program, executor: Executor, chosen: Sequence[Case], options: Options
) -> Iterator[CaseResult]:
    """Run cases on one executor and judge each as it comes. Raises CompileProblem, EnvironmentProblem."""
    jobs = []
    for case in chosen:
        for launch in case_builder.launches_of(lesson, case):
            job, env = case_builder.build_job(lesson, case, options.grader_seed, launch)
            jobs.append((case, launch, job, env))
    with executor.open(program) as session:
        observations = session.run_all([job for _, _, job, _ in jobs], options.case_deadline_s)
        runs: list[verdict.Run] = []
        for i, (observation, (case, launch, job, env)) in enumerate(zip(observations, jobs, strict=True)):
            runs.append(verdict.Run(job, env, observation, launch))
            if i + 1 == len(jobs) or jobs[i + 1][0] is not case:
                yield stamped(verdict.case_result(lesson, case, runs), runs)
                runs = []


def _execute(fill: Fill, lesson: Lesson, options: Options, watch: Watch) -> tuple[list[CaseResult], Evidence]:
    program = program_of(lesson, inject(lesson.template, fill))
    missing: tuple[Text, ...] = ()
    executor = options.executor
    if executor is None:
        choice = pick(lesson.spec.language, options.backend)
        executor, missing = choice.executor, choice.missing
    compiling = _begin_compile(program, lesson, options, executor)
    every = ordered_cases(lesson, fill.text)
    chosen = [c for c in every if executor is not None and (executor.tier == "gpu" or not c.gpu_only)]
    results: dict[str, CaseResult] = {}
    evidence = Evidence(tier="static", executor=_static_name(lesson), note=missing[0] if missing else None)
    if executor is not None:
        watch.started(len(chosen))
        results, evidence = _run_all(lesson, program, executor, chosen, options, watch)
        if options.sanitize:
            _sanitize(lesson, program, executor, options, watch, results)
    if compiling is not None:
        watch.doing(Text("compiling for GPU targets", "正在为 GPU 目标编译"))
        listed, evidence = _with_compiled(lesson, list(results.values()), evidence, compiling.result())
        results = {result.name: result for result in listed}
    for case in every:
        if case.name not in results:
            results[case.name] = verdict.not_run(case, _why_not_run(case, executor, missing))
    if executor is not None:
        results.update({made.name: made for made in evaluated_cases(lesson, fill.text)})
    names = dict.fromkeys([*(case.name for case in every), *results])
    order = {name: i for i, name in enumerate(names)}
    return sorted(results.values(), key=lambda r: order[r.name]), evidence


def _with_compiled(
    lesson: Lesson, results: list[CaseResult], evidence: Evidence, report: CompileReport
) -> tuple[list[CaseResult], Evidence]:
    """What a compile report adds: the targets, or the failure of every case that was run (of all, where none was)."""
    evidence = replace(evidence, compiled=tuple(report.compiled))
    problem = _compile_problem(report)
    if problem is None:
        return results, evidence
    ran = {r.name for r in results if r.outcome != "not-run"}
    failed = {
        case.name: verdict.failed_to_compile(case, problem.findings, problem.text)
        for case in ordered_cases(lesson)
        if case.name in ran or not ran
    }
    kept = [r for r in results if r.name not in failed]
    return [*failed.values(), *kept], evidence


def _run_all(
    lesson: Lesson, program: Program, executor: Executor, chosen: list[Case], options: Options, watch: Watch
) -> tuple[dict[str, CaseResult], Evidence]:
    results: dict[str, CaseResult] = {}
    try:
        for result in run_cases(lesson, program, executor, chosen, options):
            results[result.name] = result
            watch.case(result)
    except CompileProblem as problem:
        for case in chosen:
            results[case.name] = verdict.failed_to_compile(case, problem.findings, problem.text)
            watch.case(results[case.name])
    facts = executor.facts()
    evidence = Evidence(
        tier=executor.tier,
        executor=executor.name,
        device=facts.device,
        toolchain=dict(facts.toolchain),
        pending=executor.tier != "gpu",
        sandbox=facts.sandbox,
    )
    return results, evidence


def _sanitize(
    lesson: Lesson, program: Program, executor: Executor, options: Options, watch: Watch, results: dict[str, CaseResult]
) -> None:
    """Some passing cases again under compute-sanitizer; what it finds fails them. Raises EnvironmentProblem where it is missing."""
    if executor.name != "nvcc-gpu":
        raise EnvironmentProblem(
            Text(
                "--sanitize needs a CUDA lesson and a GPU (here it runs on {e})",
                "--sanitize 需要 CUDA 课程和 GPU（此处运行于 {e}）",
            ).fill(e=executor.name)
        )
    from graders.executors.sanitize import sanitize

    watch.doing(Text("compute-sanitizer: memcheck and racecheck", "compute-sanitizer：内存与竞争检查"))
    passing = [
        c for c in ordered_cases(lesson) if c.raises is None and c.name in results and results[c.name].outcome == "pass"
    ]
    for case in passing[:SANITIZED_CASES]:
        job, _ = case_builder.build_job(lesson, case, options.grader_seed, case_builder.launches_of(lesson, case)[-1])
        findings = sanitize(program, [job])
        if findings:
            results[case.name] = replace(results[case.name], outcome="fail", detail=findings[0].text, findings=findings)


def _begin_compile(program: Program, lesson: Lesson, options: Options, executor: Executor | None) -> Compiling | None:
    """Start compile-only for GPU targets beside a CPU run, where the compiler is there."""
    if not options.compile_targets or (executor is not None and executor.tier == "gpu"):
        return None
    compiler: Compiler
    if lesson.spec.language == "triton":
        from graders.executors.triton_compile import TritonCompile

        compiler = TritonCompile()
    else:
        from graders.executors.nvcc import NvccCompile

        compiler = NvccCompile()
    if compiler.availability() is not None:
        return None
    plain = [c for c in ordered_cases(lesson) if c.raises is None]
    jobs = [
        case_builder.build_job(lesson, c, options.grader_seed, case_builder.launches_of(lesson, c)[0])[0]
        for c in plain[:1]
    ]
    return compiler.begin(program, jobs)


def _compile_problem(report: CompileReport) -> CompileProblem | None:
    """A program that no GPU compiler takes is wrong on a GPU, whatever the CPU made of it."""
    if not report.findings:
        return None
    first = report.findings[0]
    text = Text("it does not compile for a GPU: {w}", "无法为 GPU 编译：{w}").fill(w=first.text)
    return CompileProblem(text, report.findings)


def _why_not_run(case: Case, executor: Executor | None, missing: tuple[Text, ...]) -> Text:
    if executor is None:
        if missing:
            return Text("not run: {m}", "未运行：{m}").fill(m=missing[0])
        return Text("not run: static review only", "未运行：仅静态审查")
    if case.gpu_only:
        return Text("not run: this case needs a GPU", "未运行：此用例需要 GPU")
    return Text("not run", "未运行")


def _static_name(lesson: Lesson) -> str:
    return "triton-compile" if lesson.spec.language == "triton" else "nvcc-compile"


def _veto_of_edits(submission: Submission) -> list[Veto]:
    return [Veto("boundary-check-removed", e.where, e.quote) for e in submission.edits if e.veto]


__all__ = [
    "EnvironmentProblem",
    "Options",
    "Watch",
    "blank_rules",
    "compile_for_gpu",
    "grade",
    "ordered_cases",
    "program_of",
    "regrade",
    "run_cases",
]
