"""Input, expected and got in numbers, around the first difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say
from graders.compare import number
from graders.scorecard import CaseView

LABEL_WIDTH = 12


def columns_that_fit(width: int, cell: int) -> int:
    """How many number columns fit beside the label and the remark at the end of the line."""
    return max(3, min(9, (width - LABEL_WIDTH - 16) // (cell + 1)))


def value_table(view: CaseView, width: int = 80) -> RenderableType | None:
    """Input, expected and got around the first difference, one column an element; None where there are no numbers.

    The first difference stands in brackets as well, so that it is seen without colours.
    """
    name = view.output or next(iter(view.got), None)
    if name is None or name not in view.expected:
        return None
    got = np.asarray(view.got.get(name, np.zeros(0)))
    expected = np.broadcast_to(np.asarray(view.expected[name]), got.shape)
    index = view.index or (0,) * got.ndim
    rows: list[tuple[str, Any, int]] = []
    for input_name, values in view.inputs.items():
        array = np.asarray(values)
        row, at = row_of(array, index, got)
        label = input_name + (f"[{index[0]}]" if array.ndim == 2 and index else "")
        rows.append((label, row, at))
    out_row, out_at = row_of(expected, index, got)
    got_row, _ = row_of(got, index, got)
    rows += [(say("expected", "期望"), out_row, out_at), (say("got", "得到"), got_row, out_at)]
    differs = view.index is not None
    if settings.plain:
        return Group(*(_sentence(label, row, at) for label, row, at in rows))
    return _table(rows, width, differs)


def _table(rows: list[tuple[str, Any, int]], width: int, differs: bool) -> Table:
    cell = max((len(number(v)) for _, row, at in rows for v in row[max(0, at - 9) : at + 10]), default=6) + 1
    most = columns_that_fit(width, cell)
    half = most // 2
    shown = max(min(len(row), most) for _, row, _ in rows)
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(style="quiet", no_wrap=True)
    for _ in range(shown):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(style="quiet")
    for i, (label, row, at) in enumerate(rows):
        low = max(0, min(at - half, len(row) - most))
        words = [Styled(number(v)) for v in row[low : low + most]]
        outputs = i >= len(rows) - 2
        if outputs and differs and 0 <= at - low < len(words):
            last = i == len(rows) - 1
            words[at - low] = Styled(f"[{words[at - low].plain}]", style="bad" if last else "good")
        left = len(row) - len(words)
        more = say("… {n} more", "… 另有 {n} 个", n=left) if left > 0 else ""
        table.add_row(Styled(label), *words, *[Styled("")] * (shown - len(words)), Styled(more))
    return table


def _sentence(label: str, row: Any, at: int) -> Styled:
    """One line for a screen reader: at most seven numbers from around the spot."""
    low = max(0, min(at - 3, len(row) - 7))
    words = ", ".join(number(v) for v in row[low : low + 7])
    left = len(row) - min(len(row) - low, 7)
    more = say(" and {n} more", "，另有 {n} 个", n=left) if left > 0 else ""
    start = say(" from position {n}", "（从第 {n} 个起）", n=low) if low else ""
    return Styled(f"{label}{start}: {words}{more}")


def row_of(array: Any, index: tuple[int, ...], got: Any) -> tuple[Any, int]:
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
