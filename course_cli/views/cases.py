"""Cases as lines: each with its reason where it failed, equal ones folded into one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from rich.console import Group, RenderableType
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.signs import Sign
from course_cli.views.layout import first_few, hanging, indented
from course_cli.views.numbers import value_table
from graders.scorecard import CaseResult, RefusedBlank
from graders.text import Text

OUTCOMES = {
    "pass": Text("right", "正确"),
    "fail": Text("wrong", "结果错误"),
    "error": Text("error", "运行出错"),
    "timeout": Text("timed out", "超时"),
    "not-run": Text("not run", "未运行"),
}
GROUPS = {"normal": Text("normal", "正常"), "boundary": Text("boundary", "边界")}
FAILING = ("fail", "error", "timeout")
_SIGNS: dict[str, Sign] = {"pass": "pass", "fail": "fail", "error": "fail", "timeout": "fail", "not-run": "not-run"}
ALIKE = 2  # lines of the same kind that are printed before the rest is folded


def case_title(case: CaseResult) -> str:
    """The name of a case as a learner reads it."""
    return t(case.title) if case.title is not None else case.name


def kind_of(case: CaseResult) -> str:
    """'boundary · hidden'."""
    return t(GROUPS[case.group]) + ("" if case.visible else " · " + say("hidden", "隐藏"))


def short_reason(case: CaseResult) -> str:
    """Why a case did not pass, as far as the learner may know it; empty for one that passed.

    The numbers of a hidden case stay with the grader: what it is about stands in their place.
    """
    if case.outcome == "pass":
        return ""
    if case.visible or case.outcome == "not-run":
        return t(case.detail)
    words = t(case.about)
    return words if case.outcome == "fail" else f"{t(OUTCOMES[case.outcome])}: {words}"


def case_line(case: CaseResult) -> RenderableType:
    """One case on one line (it wraps under itself): sign, title, group, reason."""
    line = Styled(case_title(case))
    line.append(f" ({kind_of(case)})" if settings.plain else f"  {kind_of(case)}", style="quiet")
    reason = short_reason(case)
    if reason and case.outcome != "not-run":
        line.append((". " if settings.plain else "  ") + reason)
    return hanging(_SIGNS[case.outcome], line)


def finding_lines(case: CaseResult, most: int = 3) -> list[RenderableType]:
    """What the instruments saw, at the lines of the template."""
    lines: list[RenderableType] = []
    for finding in case.findings[:most]:
        place = f"{finding.line}" + (f":{finding.column}" if finding.column else "")
        words = t(finding.text)
        if finding.line:
            words = say("template line {p}: {w}", "模板第 {p} 行：{w}", p=place, w=words)
        lines.append(hanging("warn", Styled(words, style="warn")))
    left = len(case.findings) - most
    if left > 0:
        lines.append(Styled(say("… {n} more findings", "… 另有 {n} 条发现", n=left), style="quiet"))
    return lines


def failure(case: CaseResult, picture: RenderableType | None = None) -> RenderableType:
    """A case that did not pass: what it is about, the reason, and its picture or a small table of numbers."""
    title = Styled(case_title(case), style="head")
    title.append(f"   {kind_of(case)}", style="quiet")
    body: list[RenderableType] = [Styled(t(case.about), style="quiet")]
    if case.visible and not (case.findings and t(case.findings[0].text) in t(case.detail)):
        body.append(Styled(t(case.detail)))
    body += finding_lines(case)
    if picture is not None:
        body.append(picture)
    elif case.visible and case.view is not None:
        table = value_table(case.view, settings.console.width - 6)
        if table is not None:
            body.append(table)
    return Group(hanging(_SIGNS[case.outcome], title), indented(*body, by=4))


def refusal(refused: RefusedBlank, typed: str) -> RenderableType:
    """Why the blank's text was not accepted, with a mark under the place in what was typed."""
    place = say("line {l}, column {c}", "第 {l} 行第 {c} 列", l=refused.line, c=refused.column)
    words = say("not run: {p}: {r}", "未运行：{p}：{r}", p=place, r=t(refused.reason))
    parts: list[RenderableType] = []
    lines = typed.split("\n")
    if not settings.plain and 0 < refused.line <= len(lines) and len(lines[refused.line - 1]) < 200:
        line = lines[refused.line - 1]
        before = Styled(line[: max(refused.column - 1, 0)])
        parts += [Styled(line), Styled(" " * before.cell_len + "^", style="bad")]
    return Group(hanging("fail", Styled(words, style="bad")), indented(*parts, by=4))


def case_list(cases: Iterable[CaseResult]) -> RenderableType:
    """Every case as one line."""
    return Group(*(case_line(c) for c in cases))


def own_run(case: CaseResult, tier: str) -> RenderableType:
    """A learner's own input: the numbers, whether they agree, and what ran it."""
    parts: list[RenderableType] = [
        hanging(_SIGNS[case.outcome], say("{a}: {o}", "{a}：{o}", a=t(case.about), o=t(OUTCOMES[case.outcome])))
    ]
    if case.outcome != "pass":
        parts.append(indented(Styled(t(case.detail)), by=4))
    table = value_table(case.view, settings.console.width - 6) if case.view is not None else None
    if table is not None:
        parts.append(indented(table, by=4))
    where = {
        "gpu": say("measured on the GPU", "在 GPU 上实测"),
        "emulated": say("executed on the CPU", "在 CPU 上执行"),
    }
    parts.append(Styled(where.get(tier, tier), style="quiet"))
    return Group(*parts)


class CaseStream:
    """Prints cases as they come. The first lines of a kind appear at once; `finish` folds the rest into one line a kind.

    A visible case that passes has its own line. Visible cases are alike when they failed for the same reason, whatever the
    numbers in it; hidden ones when they came out the same way.
    """

    def __init__(self, write: Callable[[RenderableType], None]) -> None:
        self._write = write
        self._printed: dict[tuple[str, ...], int] = {}
        self._folded: dict[tuple[str, ...], list[CaseResult]] = {}

    def add(self, case: CaseResult) -> None:
        """One more result."""
        key = _alike(case)
        count = self._printed.get(key, 0)
        always = case.visible and case.outcome == "pass"
        if always or (
            count < ALIKE and case.outcome != "not-run" and not (case.outcome == "pass" and not case.visible)
        ):
            self._printed[key] = count + 1
            self._write(case_line(case))
        else:
            self._folded.setdefault(key, []).append(case)

    def finish(self) -> None:
        """Print what was folded."""
        for key, cases in self._folded.items():
            self._write(self._fold(cases, shown=self._printed.get(key, 0)))
        self._folded.clear()

    def _fold(self, cases: list[CaseResult], shown: int) -> RenderableType:
        first = cases[0]
        if len(cases) == 1:
            return case_line(first)
        names = first_few([case_title(c) for c in cases])
        group = kind_of(first)
        if first.outcome == "pass":
            words = say("{n} cases, all right", "{n} 个用例，全部正确", n=len(cases))
        elif first.outcome == "not-run":
            words = say("{n} not run: {r}", "{n} 个未运行：{r}", n=len(cases), r=t(first.detail).split(": ", 1)[-1])
        elif shown:
            words = say("{n} more like this", "另有 {n} 个同类", n=len(cases))
        else:
            words = say("{n} like this: {r}", "{n} 个同类：{r}", n=len(cases), r=short_reason(first))
        line = Styled(words)
        line.append(f"  {group}", style="quiet")
        if first.outcome in FAILING:
            line.append(say("  ({n})", "（{n}）", n=names), style="quiet")
        return hanging(_SIGNS[first.outcome], line)


_NUMBER = re.compile(r"-?\b(?:inf|nan|\d[\d.]*(?:e[+-]?\d+)?)\b")


def _alike(case: CaseResult) -> tuple[str, ...]:
    """What two cases share when they came out alike."""
    reason = _NUMBER.sub("#", case.detail.en) if case.visible and case.outcome != "pass" else ""
    return (case.outcome, case.group, str(case.visible), reason)
