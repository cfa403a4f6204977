"""One row of a kernel drawn lane by lane: the row's own lanes, the padding behind a bar, and what the padding did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.pictures.probe import RowRun
from course_cli.views.layout import hanging
from graders.compare import number
from graders.lesson import PictureSpec

LABEL = 10
REMARK = 22  # least width of the remarks beside the numbers; below it they stand under their line
BAR = "│"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the drawing: cells for the lanes that are shown, by lane number; `remark` says what it means."""

    label: str
    cells: dict[int, str]
    remark: str = ""
    bad: bool = False


def row_picture(run: RowRun, spec: PictureSpec, fill: str) -> RenderableType:
    """The drawing, then the question that the lesson asks."""
    lines = sum_lines(run, fill) if spec.kind == "row-sum" else softmax_lines(run, fill)
    parts: list[RenderableType] = []
    if run.twin:
        words = say(
            "(a small example of the same kind; the hidden numbers stay hidden)",
            "（同类的小例子；隐藏用例的数据不会显示）",
        )
        parts.append(Styled(words, style="quiet"))
    parts.append(_sentences(run, lines) if settings.plain else _grid(run, lines, settings.console.width - 4))
    if spec.question is not None:
        parts.append(hanging("next", Styled(t(spec.question.text))))
    return Group(*parts)


# --- what is said -------------------------------------------------------------------------------------------------


def sum_lines(run: RowRun, fill: str) -> list[Line]:
    """The lanes of a row sum."""
    loaded = run.stages[0]
    pad = loaded[run.length :]
    added = float(np.sum(pad))
    if run.undefined:
        remark = say("no value was given: undefined", "没有给出值：未定义")
        effect = say("the sum takes whatever lies there", "求和取到的是那里碰巧存着的东西")
    else:
        remark = say("your blank: other = {f}", "你的填空：other = {f}", f=" ".join(fill.split()))
        if np.isnan(added):
            effect = say("one NaN makes the sum NaN", "一个 NaN 就使和成为 NaN")
        elif run.padding == 1:
            effect = say("the padding adds {a}", "填充车道加进了 {a}", a=number(added))
        else:
            effect = say(
                "{k} padding lanes add {a} in all", "{k} 个填充车道一共加进 {a}", k=run.padding, a=number(added)
            )
    return [
        _loaded(run, remark),
        Line(say("expected", "期望"), {0: number(run.expected[0])}),
        Line(say("got", "得到"), {0: number(run.got[0])}, effect, bad=True),
    ]


def softmax_lines(run: RowRun, fill: str) -> list[Line]:
    """The lanes of a softmax row: load, maximum, exp, the shares."""
    loaded, weight = run.stages[0], run.stages[1]
    real, pad = loaded[: run.length], loaded[run.length :]
    if run.undefined:
        words = say("undefined: anything may lie in the padding", "未定义：填充车道里可能是任何值")
        return [_loaded(run, words), *_outputs(run, words)]
    lines = [_loaded(run, say("your blank: other = {f}", "你的填空：other = {f}", f=" ".join(fill.split())))]
    top = _max(loaded)
    wins = not np.isnan(top) and (len(pad) > 0) and float(np.max(pad)) > _max(real)
    at = run.length if wins else int(np.argmax(np.where(np.isnan(real), np.inf, real)))
    if wins and np.isneginf(_max(real)):
        remark = say("the padding wins: the row itself is all -inf", "填充胜出：这一行本身全是 -inf")
    elif wins:
        remark = say("the padding wins: no real value is this large", "填充胜出：真实的值都没有这么大")
    elif np.isnan(top):
        remark = say("a NaN in the padding makes the maximum NaN", "填充里的 NaN 使最大值成为 NaN")
    else:
        remark = say("the row's own: {v} in lane {n}", "这一行自己的：{n} 号车道的 {v}", v=number(top), n=at)
    lines.append(Line(say("row max", "行最大值"), {at: number(top)}, remark, bad=wins))
    extra = float(np.sum(weight[run.length :]))
    if run.padding == 1:
        words = say("the padding adds {a} to the sum", "填充给分母加了 {a}", a=number(extra))
    else:
        words = say(
            "{k} padding lanes add {a} to the sum", "{k} 个填充车道给分母加了 {a}", k=run.padding, a=number(extra)
        )
    if extra == 0:
        words = say("the padding adds nothing to the sum", "填充没有给分母加任何东西")
    lines.append(Line("exp(x-max)", _cells(weight), words, bad=extra != 0))
    return [*lines, *_outputs(run, "")]


def _outputs(run: RowRun, effect: str) -> list[Line]:
    expected = Line(
        say("expected", "期望"), _cells(run.expected), say("sum {s}", "和为 {s}", s=number(float(np.sum(run.expected))))
    )
    total = float(np.sum(run.got))
    words = say("sum {s}", "和为 {s}", s=number(total))
    with np.errstate(all="ignore"):
        factors = run.got / run.expected
    if (
        not effect
        and np.all(np.isfinite(factors))
        and np.ptp(factors) < 1e-3 * abs(factors[0])
        and abs(factors[0] - 1) > 1e-3
    ):
        words += say(": all wrong by the same factor", "：全都差同一个倍数")
    elif np.all(np.isnan(run.expected)) and not np.any(np.isnan(run.got)):
        words += say(": a row of -inf alone must be NaN", "：全是 -inf 的行应得 NaN")
    return [expected, Line(say("got", "得到"), _cells(run.got), words, bad=True)]


def _loaded(run: RowRun, remark: str) -> Line:
    cells = _cells(run.stages[0])
    if run.undefined:
        cells.update(dict.fromkeys(range(run.length, run.length + run.padding), "?"))
    return Line(say("loaded", "加载后"), cells, remark)


def _cells(values: NDArray[np.float64]) -> dict[int, str]:
    return {lane: number(value) for lane, value in enumerate(values)}


def _max(values: NDArray[np.float64]) -> float:
    return float(np.max(values)) if len(values) else float("-inf")


# --- how it is drawn ----------------------------------------------------------------------------------------------


def lanes_shown(run: RowRun, most: int) -> tuple[list[int], list[int]]:
    """Which of the row's lanes and which padding lanes are drawn; both ends of what is too long."""
    padding = list(range(run.length, run.length + min(run.padding, 2 if most > 5 else 1)))
    room = max(most - len(padding), 2)
    if run.length <= room:
        return list(range(run.length)), padding
    head = (room + 1) // 2
    return [*range(head), *range(run.length - (room - head), run.length)], padding


def _grid(run: RowRun, lines: Sequence[Line], width: int) -> RenderableType:
    cell = max(
        [6, *(len(text) for line in lines for lane, text in line.cells.items() if lane < 64 or lane >= run.length)]
    )
    beside = width - LABEL - 4 * (cell + 1) - 2 >= REMARK
    most = (width - LABEL - 4 - (REMARK if beside else 0)) // (cell + 1)
    real, padding = lanes_shown(run, max(most, 3))
    gap_at = next((i for i in range(1, len(real)) if real[i] != real[i - 1] + 1), None)
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(style="quiet", no_wrap=True)
    for _ in range(len(real) + (gap_at is not None)):
        grid.add_column(justify="right", no_wrap=True)
    grid.add_column(style="quiet", no_wrap=True)
    for _ in padding:
        grid.add_column(justify="right", no_wrap=True)
    if beside:
        grid.add_column(style="quiet", overflow="fold")

    header = say("lane", "车道")

    def row(label: str, cells: dict[int, str], style: str, remark: str, dots: str, remark_style: str = "quiet") -> None:
        words = [Styled(cells.get(lane, ""), style=style) for lane in real]
        if gap_at is not None:
            words.insert(gap_at, Styled(dots, style="quiet"))
        tail = [Styled(cells.get(lane, ""), style="quiet" if label == header else "warn") for lane in padding]
        grid.add_row(
            Styled(label), *words, Styled(BAR), *tail, *([Styled(remark, style=remark_style)] if beside else [])
        )

    left = run.padding - len(padding)
    note = say("padding", "填充") + (say(" ({n} lanes)", "（{n} 个车道）", n=run.padding) if left else "")
    row(header, {lane: str(lane) for lane in [*real, *padding]}, "", note, "…")
    under: list[RenderableType] = []
    for line in lines:
        many = len(line.cells) > 1
        remark = f"← {line.remark}" if line.remark else ""
        row(
            line.label,
            line.cells,
            "bad" if line.bad and line.label == say("got", "得到") else "",
            remark,
            "…" if many else "",
            "warn" if line.bad else "quiet",
        )
        if line.remark and not beside:
            words = say("{a}: {b}", "{a}：{b}", a=line.label, b=line.remark)
            under.append(Styled(words, style="warn" if line.bad else "quiet"))
    if not beside:
        under.insert(0, Styled(say("right of the bar: {n}", "竖线右侧：{n}", n=note), style="quiet"))
    return Group(grid, *under)


def _sentences(run: RowRun, lines: Sequence[Line]) -> RenderableType:
    """The drawing in words."""
    head = say(
        "{n} lanes hold the row, {k} lanes are padding.",
        "{n} 个车道是这一行的数据，{k} 个车道是填充。",
        n=run.length,
        k=run.padding,
    )
    out: list[RenderableType] = [Styled(head)]
    real, padding = lanes_shown(run, 9)
    for line in lines:
        words = [line.cells[lane] for lane in real if lane in line.cells]
        tail = [line.cells[lane] for lane in padding if lane in line.cells]
        text = f"{line.label}: {', '.join(words)}" if words or tail else f"{line.label}:"
        if tail:
            text += say("; padding: {p}", "；填充：{p}", p=", ".join(tail))
        if line.remark:
            text += f". {line.remark}" if words or tail else f" {line.remark}"
        out.append(Styled(text))
    return Group(*out)
