"""The check cell of an exported notebook: the lesson's visible cases on the learner's blank, one line a case.

The blank is taken from the cell that defined the learner's function (or from the file that `%%writefile` wrote) and run as
everywhere else: in the pristine template, in a worker of its own, with the grader's comparison. What is printed depends on
the blank alone, so that a notebook that is run again prints the same.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graders.errors import CourseError
from graders.scorecard import CaseResult
from graders.text import Lang, Text

_SIGNS = {"pass": "pass", "fail": "FAIL", "error": "ERROR", "timeout": "TIMEOUT", "not-run": "-"}


def check(lesson: str, what: Callable[..., Any] | str, lang: Lang = "en") -> None:
    """Print one line for each visible case. `what` is the learner's function, or the name of the learner's file."""
    try:
        for line in _check(lesson, what):
            print(line.pick(lang))
    except CourseError as error:
        print(error.message(lang))


def _check(name: str, what: Callable[..., Any] | str) -> Iterator[Text]:
    from graders.blank import Refused, check_fill, inject
    from graders.course import open_course
    from graders.executors.base import CompileProblem
    from graders.executors.pick import pick
    from graders.grade import Options, blank_rules, program_of, run_cases
    from graders.template_diff import compare
    from graders.verdict import failed_to_compile

    lesson = open_course().lesson(name)
    found = compare(lesson.template, _source(what), lesson.spec.language)
    if found.unfilled:
        yield Text(
            "the blank is not filled yet: replace the six underscores by your expression",
            "填空还没有填：请把六个下划线换成你的表达式",
        )
        return
    if found.translated is None or not found.fits:
        why = found.stops_fitting_at.words if found.stops_fitting_at else Text("the blank is not there", "找不到填空")
        yield Text("this does not fit the template: {w}", "与模板不符：{w}").fill(w=why)
        return
    try:
        fill = check_fill(found.translated, lesson.template, blank_rules(lesson))
    except Refused as problem:
        text = Text("the blank is refused (line {l}, column {c}): {w}", "填空被拒绝（第 {l} 行第 {c} 列）：{w}")
        yield text.fill(l=problem.line, c=problem.column, w=problem.reason)
        return
    chosen = [case for case in lesson.spec.cases if case.visible and not case.gpu_only]
    executor = pick(lesson.spec.language, "cpu").executor
    assert executor is not None  # a backend that is named and not there raises
    results: list[CaseResult] = []
    try:
        for result in run_cases(lesson, program_of(lesson, inject(lesson.template, fill)), executor, chosen, Options()):
            results.append(result)
            yield _line(result)
    except CompileProblem as problem:
        results = [failed_to_compile(case, problem.findings, problem.text) for case in chosen]
        yield from (_line(result) for result in results)
    text = Text(
        "{p} of {n} visible cases pass (executed on the CPU, {e})", "{n} 个公开用例中 {p} 个通过（在 CPU 上执行，{e}）"
    )
    yield text.fill(p=sum(r.outcome == "pass" for r in results), n=len(results), e=executor.name)


def _line(result: CaseResult) -> Text:
    """`pass  name` or `FAIL  name  (why)`: the form in which pasted output is read again."""
    head = f"{_SIGNS[result.outcome]:<7} {result.name}"
    if result.outcome == "pass":
        return Text(head, head)
    return Text("{h}  ({w})", "{h}  （{w}）").fill(h=head, w=result.detail)


def _source(what: Callable[..., Any] | str) -> str:
    """The whole cell that defined the function, or the file's text; raises CourseError."""
    from graders.submission import read_bytes
    from graders.textfile import read_text

    if isinstance(what, str):
        return read_text(read_bytes(Path(what)), what)
    code = getattr(inspect.unwrap(what), "__code__", None)
    lines = linecache.getlines(code.co_filename) if code is not None else []
    if not lines:
        raise CourseError(
            Text("run the cell with the blank first, then this one", "请先运行带填空的单元格，再运行此单元格")
        )
    return "".join(lines)
