"""What a person sees of results: a line a case, a picture of the first failure, the score card. Rich renderables only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Styled

from course_cli.i18n import say, t
from graders.compare import number
from graders.scorecard import CaseResult, CaseView, Evidence, ScoreCard
from graders.text import Text

SIGNS = {
    "pass": ("✓", "good"),
    "fail": ("✗", "bad"),
    "error": ("✗", "bad"),
    "timeout": ("✗", "bad"),
    "not-run": ("·", "quiet"),
}
OUTCOMES = {
    "pass": Text("pass", "通过"),
    "fail": Text("wrong", "错误"),
    "error": Text("error", "出错"),
    "timeout": Text("timed out", "超时"),
    "not-run": Text("not run", "未运行"),
}
GROUPS = {"normal": Text("normal", "正常"), "boundary": Text("boundary", "边界")}
WINDOW = 4  # elements shown on either side of the first difference


def case_line(case: CaseResult) -> Styled:
    """One case on one line: sign, name, group, whether hidden; the reason only where it did not pass."""
    sign, style = SIGNS[case.outcome]
    line = Styled(f"{sign} ", style=style)
    line.append(case.name)
    kind = t(GROUPS[case.group]) + ("" if case.visible else " · " + say("hidden", "隐藏"))
    line.append(f"  {kind}", style="quiet")
    if case.outcome not in ("pass", "not-run"):
        line.append("  " + t(OUTCOMES[case.outcome]), style=style)
    return line


def failure(case: CaseResult) -> RenderableType:
    """A case that did not pass: what it is about, the reason, and for a visible case a small table of numbers."""
    parts: list[RenderableType] = [case_line(case)]
    body: list[RenderableType] = [Styled(t(case.about), style="quiet")]
    if case.visible:
        body.append(Styled(t(case.detail)))
        if case.view is not None:
            table = value_table(case.view)
            if table is not None:
                body.append(table)
    for finding in case.findings[:3]:
        place = f"{finding.line}" + (f":{finding.column}" if finding.column else "")
        body.append(Styled(say("line {p}: {w}", "第 {p} 行：{w}", p=place, w=t(finding.text)), style="warn"))
    parts.append(Padding(Group(*body), (0, 0, 0, 4)))
    return Group(*parts)


def value_table(view: CaseView) -> Table | None:
    """Input, expected and got around the first difference, one column an element."""
    name = view.output or next(iter(view.got), None)
    if name is None or name not in view.expected:
        return None
    got = np.asarray(view.got.get(name, np.zeros(0)))
    expected = np.broadcast_to(np.asarray(view.expected[name]), got.shape)
    index = view.index or (0,) * got.ndim
    table = Table(box=None, pad_edge=False, show_header=True, header_style="quiet")
    table.add_column("")
    rows: list[tuple[str, Any, int]] = []
    for input_name, values in view.inputs.items():
        array = np.asarray(values)
        row, at = _row_of(array, index, got)
        label = input_name + (f"[{index[0]}]" if array.ndim == 2 and index else "")
        rows.append((label, row, at))
    out_row, out_at = _row_of(expected, index, got)
    got_row, _ = _row_of(got, index, got)
    rows.append((say("expected", "期望"), out_row, out_at))
    rows.append((say("got", "得到"), got_row, out_at))
    width = max(min(len(row), 2 * WINDOW + 1) for _, row, _ in rows)
    for _ in range(width + 1):
        table.add_column("", justify="right", no_wrap=True)
    for i, (label, row, at) in enumerate(rows):
        low = max(0, min(at - WINDOW, len(row) - (2 * WINDOW + 1)))
        cells = [number(v) for v in row[low : low + 2 * WINDOW + 1]]
        style = "bad" if i == len(rows) - 1 else None
        if 0 <= at - low < len(cells) and i >= len(rows) - 2:
            cells[at - low] = f"[{'bad' if style else 'good'}]{cells[at - low]}[/]"
        left = len(row) - low - len(cells) + low
        more = say("… {n} more", "… 另有 {n} 个", n=left) if left > 0 else ""
        table.add_row(label, *cells, *[""] * (width - len(cells)), f"[quiet]{more}[/]")
    return table


def _row_of(array: Any, index: tuple[int, ...], got: Any) -> tuple[Any, int]:
    """The row of `array` that belongs to the output's index, and the position in it."""
    array = np.asarray(array)
    if array.ndim <= 1:
        flat = array.reshape(-1)
        at = index[0] if index and array.shape == np.asarray(got).shape else 0
        return flat, min(at, max(len(flat) - 1, 0))
    row = index[0] if index and index[0] < array.shape[0] else 0
    at = index[1] if len(index) > 1 else 0
    flat = array[row].reshape(-1) if array.shape[0] else array.reshape(-1)
    return flat, min(at, max(len(flat) - 1, 0))


def evidence_line(evidence: Evidence) -> Styled:
    """What was really run: never more than that."""
    if evidence.tier == "gpu":
        tools = ", ".join(f"{k} {v}" for k, v in evidence.toolchain.items())
        return Styled(say("measured on {d} ({w})", "在 {d} 上实测（{w}）", d=evidence.device, w=tools))
    if evidence.tier == "emulated":
        words = say("executed on the CPU ({e})", "在 CPU 上执行（{e}）", e=evidence.executor)
        if evidence.compiled:
            words += " · " + say("compiled for {c}", "已为 {c} 编译", c=" ".join(evidence.compiled))
        return Styled(words + " · " + say("GPU run pending", "等待 GPU 验证"))
    words = say("static review only: nothing was executed", "仅静态审查：没有执行任何代码")
    if evidence.compiled:
        words += " · " + say("compiled for {c}", "已为 {c} 编译", c=" ".join(evidence.compiled))
    if evidence.pending:
        words += " · " + say("run pending", "等待运行")
    return Styled(words)


PART_NAMES = {
    "normal": Text("normal cases", "正常用例"),
    "boundary": Text("boundary cases", "边界用例"),
    "explanation": Text("explanation", "解释实现"),
    "q1": Text("q1", "q1"),
    "q2": Text("q2", "q2"),
    "q3": Text("q3", "q3"),
}
CONDITION_NAMES = {
    "checks": Text("all cases", "全部用例"),
    "total": Text("points", "总分"),
    "no_veto": Text("no veto", "无一票否决"),
    "causal_chains": Text("causal chains", "因果链"),
    "boundary_and_tradeoff": Text("boundary and trade-off", "边界与取舍"),
    "independent": Text("on your own", "独立完成"),
}


def score_card(card: ScoreCard, title: Text) -> RenderableType:
    """The card: evidence, points by part, vetoes above the total, conditions, what would raise it."""
    parts: list[RenderableType] = [
        Styled.assemble((f"{card.lesson} · {t(title)}", "head")),
        Padding(evidence_line(card.evidence), (0, 0, 0, 2)),
    ]
    if card.refused is not None:
        place = say("line {l}, column {c}", "第 {l} 行第 {c} 列", l=card.refused.line, c=card.refused.column)
        parts.append(
            Padding(
                Styled(
                    say("blank refused at {p}: ", "填空被拒绝（{p}）：", p=place) + t(card.refused.reason), style="bad"
                ),
                (0, 0, 0, 2),
            )
        )
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(min_width=16)
    table.add_column(justify="right")
    table.add_column()
    for part, most in card.maximum.items():
        got = card.points[part]
        shown = "–" if got is None else f"{got:.1f}"
        table.add_row(t(PART_NAMES[part]), f"{shown} / {most:g}", _part_note(card, part))
    parts.append(Padding(table, (0, 0, 0, 2)))
    for veto in card.vetoes:
        parts.append(
            Padding(
                Styled(
                    say("VETO {r} ({w})", "一票否决 {r}（{w}）", r=veto.rule, w=veto.where) + f'   "{veto.words}"',
                    style="bad",
                ),
                (0, 0, 0, 2),
            )
        )
    parts.append(Padding(_total_line(card), (0, 0, 0, 2)))
    for advice in card.advice:
        parts.append(Padding(Styled("→ " + t(advice), style="accent"), (0, 0, 0, 2)))
    for note in card.submission.notes:
        parts.append(Padding(Styled("! " + t(note), style="warn"), (0, 0, 0, 2)))
    return Group(*parts)


def _part_note(card: ScoreCard, part: str) -> Styled:
    if part in GROUPS:
        group = [c for c in card.cases if c.group == part and c.outcome != "not-run"]
        if not group:
            return Styled(say("not run", "未运行"), style="quiet")
        passing = sum(c.outcome == "pass" for c in group)
        return Styled(say("{p} of {n}", "{p}/{n}", p=passing, n=len(group)), style="quiet")
    answer = card.answers.get(part)
    if answer is None or (answer.graded_by == "none" and not answer.needs_review):
        return Styled(say("no answer", "未作答"), style="quiet")
    out = Styled("  ".join(f"{link.id} {_STATE[link.state]}" for link in answer.links), style="quiet")
    if answer.needs_review:
        out.append(("  " if answer.links else "") + say("waits for review", "等待批阅"), style="warn")
    return out


_STATE = {"stated": "✓", "shown": "✓", "missing": "–", "contradicted": "✗", "uncertain": "?"}


def _total_line(card: ScoreCard) -> Styled:
    line = Styled(f"{card.total:.1f} / {card.max_total:g}   ")
    if card.passed is None:
        line.append(say("NOT DECIDED: could not be run here", "未定：此机器无法运行"), style="warn")
    elif card.passed:
        line.append(say("PASSED", "通过"), style="good")
    else:
        line.append(say("NOT PASSED", "未通过"), style="bad")
    for name, state in card.conditions.items():
        sign, style = {True: ("✓", "good"), False: ("✗", "bad"), None: ("?", "quiet")}[state]
        line.append(f"   {t(CONDITION_NAMES[name])} ")
        line.append(sign, style=style)
    return line


def case_list(cases: Iterable[CaseResult]) -> RenderableType:
    """Every case as one line."""
    return Group(*(case_line(c) for c in cases))


def own_run(case: CaseResult, tier: str) -> RenderableType:
    """A learner's own input: the numbers, whether they agree, and what ran it."""
    parts: list[RenderableType] = [case_line(case)]
    if case.outcome != "pass":
        parts.append(Padding(Styled(t(case.detail)), (0, 0, 0, 4)))
    table = value_table(case.view) if case.view is not None else None
    if table is not None:
        parts.append(Padding(table, (0, 0, 0, 4)))
    where = {
        "gpu": say("measured on the GPU", "在 GPU 上实测"),
        "emulated": say("executed on the CPU", "在 CPU 上执行"),
    }
    parts.append(Styled(where.get(tier, tier), style="quiet"))
    return Group(*parts)
