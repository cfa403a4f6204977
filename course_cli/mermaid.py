"""Mermaid flowcharts as box drawings for the terminal: nodes in layers, edges routed between the layers.

Only what lessons use is read: `flowchart LR|TD|TB`, nodes in [ ], ( ), { }, edges `-->`, `---`, `-.->`, `==>`, edge labels, chains,
`A & B`. Anything else stays as it is, as a code block: a diagram is never dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from rich.cells import cell_len

from course_cli.i18n import say

_FENCE = re.compile(r"^```mermaid[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
_HEAD = re.compile(r"^\s*(?:flowchart|graph)\s+(LR|RL|TD|TB|BT)\s*;?\s*$")
_NODE = re.compile(
    r"\s*([A-Za-z_][\w-]*?)\s*(?:\(\[(.+?)\]\)|\[\((.+?)\)\]|\(\((.+?)\)\)|\[\[(.+?)\]\]|\[(.+?)\]|\((.+?)\)|\{\{(.+?)\}\}|\{(.+?)\})?\s*(?=$|&|--|-\.|==|;)"
)
_EDGE = re.compile(r"\s*(?:--\s*([^->|][^>|]*?)\s*-->|(?:-->|---|-\.->|==>))\s*(?:\|([^|]*)\|)?")
_SKIP = re.compile(r"^\s*(?:%%|classDef|class |style |linkStyle|subgraph|end\b|direction)")
GAP = 3


@dataclass(slots=True)
class Chart:
    """Nodes by id with their label lines, edges with their label."""

    across: bool
    labels: dict[str, list[str]] = field(default_factory=dict)
    edges: list[tuple[str, str, str]] = field(default_factory=list)


def draw_diagrams(markdown: str, width: int) -> str:
    """Markdown with every Mermaid block that can be drawn in `width` columns replaced by a drawing."""

    def replace(match: re.Match[str]) -> str:
        chart = parse(match.group(1))
        drawing = draw(chart, max(width - 4, 30)) if chart else None
        return f"```text\n{drawing}\n```" if drawing else match.group(0)

    return _FENCE.sub(replace, markdown)


def describe_diagrams(markdown: str) -> str:
    """Markdown with every Mermaid block that is understood replaced by a list of its arrows in words."""

    def replace(match: re.Match[str]) -> str:
        chart = parse(match.group(1))
        return "\n".join(f"- {line}" for line in sentences(chart)) if chart else match.group(0)

    return _FENCE.sub(replace, markdown)


def sentences(chart: Chart) -> list[str]:
    """One line an arrow: 'from A to B: label'; a node without arrows is named alone."""
    lines = []
    for a, b, label in chart.edges:
        ends = {"a": " ".join(chart.labels[a]), "b": " ".join(chart.labels[b])}
        line = say("from “{a}” to “{b}”", "从“{a}”到“{b}”", **ends)
        lines.append(line + (say(": {l}", "：{l}", l=label) if label else ""))
    joined = {name for a, b, _ in chart.edges for name in (a, b)}
    return lines + [" ".join(words) for name, words in chart.labels.items() if name not in joined]


def parse(source: str) -> Chart | None:
    """The chart, or None where the source is not understood."""
    lines = [line for line in source.splitlines() if line.strip()]
    head = _HEAD.match(lines[0]) if lines else None
    if head is None:
        return None
    chart = Chart(across=head.group(1) in ("LR", "RL"))
    for line in lines[1:]:
        if _SKIP.match(line):
            continue
        if not _statement(chart, line.strip().rstrip(";")):
            return None
    return chart if chart.labels else None


def _statement(chart: Chart, line: str) -> bool:
    at = 0
    left: list[str] = []
    label = ""
    while True:
        group: list[str] = []
        while True:
            node = _NODE.match(line, at)
            if not node:
                return False
            words = next((g for g in node.groups()[1:] if g is not None), None)
            _add(chart, node.group(1), words)
            group.append(node.group(1))
            at = node.end()
            if at < len(line) and line[at] == "&":
                at += 1
                continue
            break
        chart.edges += [(a, b, label) for a in left for b in group]
        if at >= len(line):
            return True
        edge = _EDGE.match(line, at)
        if not edge:
            return False
        label = (edge.group(1) or edge.group(2) or "").strip().strip('"')
        left, at = group, edge.end()


def _add(chart: Chart, name: str, words: str | None) -> None:
    if words is None:
        chart.labels.setdefault(name, [name])
        return
    clean = re.sub(r"<br\s*/?>|\\n", "\n", words.strip().strip('"'))
    clean = clean.replace("#quot;", '"').replace("&lt;", "<").replace("&gt;", ">")
    chart.labels[name] = [part.strip() for part in clean.split("\n")]


def _layers(chart: Chart) -> list[list[str]]:
    """Nodes by longest path from a source; an edge back (a cycle) does not push anything down."""
    rank = dict.fromkeys(chart.labels, 0)
    order = list(chart.labels)
    for _ in range(len(order)):
        changed = False
        for a, b, _label in chart.edges:
            if order.index(a) < order.index(b) and rank[b] < rank[a] + 1:
                rank[b] = rank[a] + 1
                changed = True
        if not changed:
            break
    layers: list[list[str]] = [[] for _ in range(max(rank.values()) + 1)]
    for name in order:
        layers[rank[name]].append(name)
    return layers


def draw(chart: Chart, width: int) -> str | None:
    """The drawing, or None where it does not fit."""
    layers = _layers(chart)
    forward = {(a, b): label for a, b, label in chart.edges}
    if chart.across and all(len(layer) == 1 for layer in layers):
        drawing = _chain([layer[0] for layer in layers], chart, forward)
        if max(cell_len(line) for line in drawing.splitlines()) <= width:
            return drawing
    return _stacked(layers, chart, width)


def _box(lines: list[str]) -> list[str]:
    inner = max(cell_len(line) for line in lines)
    body = [f"│ {line}{' ' * (inner - cell_len(line))} │" for line in lines]
    return [f"┌{'─' * (inner + 2)}┐", *body, f"└{'─' * (inner + 2)}┘"]


def _chain(names: list[str], chart: Chart, labels: dict[tuple[str, str], str]) -> str:
    """Boxes from left to right, arrows at the middle line."""
    boxes = [_box(chart.labels[n]) for n in names]
    height = max(len(b) for b in boxes)
    rows = [""] * height
    for i, box in enumerate(boxes):
        top = (height - len(box)) // 2
        wide = cell_len(box[0])
        for r in range(height):
            rows[r] += box[r - top] if 0 <= r - top < len(box) else " " * wide
        if i + 1 < len(boxes):
            label = labels.get((names[i], names[i + 1]), "")
            arrow = f"─{label}─▶" if label else "──▶"
            for r in range(height):
                rows[r] += arrow if r == height // 2 else " " * cell_len(arrow)
    return "\n".join(row.rstrip() for row in rows)


def _wrapped(lines: list[str], width: int) -> list[str]:
    """Label lines broken to at most `width` columns, at spaces where there are some."""
    out = []
    for line in lines:
        current = ""
        for piece in re.findall(r"[^\s\u2e80-\uffff]+\s*|[\u2e80-\uffff]|\s+", line):
            if current and cell_len(current + piece.rstrip()) > width:
                out.append(current.rstrip())
                current = ""
            current += piece
        out.append(current.rstrip())
    return out or [""]


class _Canvas:
    """Cells of one column each; a wide character is followed by an empty cell."""

    _JOIN: ClassVar[dict[frozenset[str], str]] = {
        frozenset(pair): joined
        for pair, joined in zip(
            ("│─", "└─", "┘─", "┌─", "┐─", "└│", "┘│", "┌│", "┐│", "┘└", "┐┌"), "┼┴┴┬┬├┤├┤┴┬", strict=True
        )
    }

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[list[str]] = []

    def put(self, row: int, column: int, words: str) -> None:
        while len(self.rows) <= row:
            self.rows.append([" "] * self.width)
        for char in words:
            size = cell_len(char)
            if 0 <= column < self.width:
                self.rows[row][column] = char
                if size == 2 and column + 1 < self.width:
                    self.rows[row][column + 1] = ""
            column += size

    def line(self, row: int, column: int, char: str) -> None:
        """A piece of an edge, joined with what is there."""
        while len(self.rows) <= row:
            self.rows.append([" "] * self.width)
        here = self.rows[row][column]
        if here not in (" ", char):
            char = self._JOIN.get(frozenset((here, char)), "┼" if here in "┼┬┴├┤" else char)
        self.rows[row][column] = char

    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.rows)


def _stacked(layers: list[list[str]], chart: Chart, width: int) -> str | None:
    """Layers from top to bottom, boxes of a layer side by side, edges routed in the rows between."""
    canvas = _Canvas(width)
    centre: dict[str, int] = {}
    bottom: dict[str, int] = {}
    top: dict[str, int] = {}
    row = 0
    for depth, layer in enumerate(layers):
        most = (width - GAP * (len(layer) - 1)) // len(layer) - 4
        if most < 6:
            return None
        boxes = {n: _box(_wrapped(chart.labels[n], min(most, 46))) for n in layer}
        total = sum(cell_len(b[0]) for b in boxes.values()) + GAP * (len(layer) - 1)
        column = max(0, (min(width, 72) - total) // 2)
        height = max(len(b) for b in boxes.values())
        for name, box in boxes.items():
            for i, line in enumerate(box):
                canvas.put(row + i, column, line)
            centre[name] = column + cell_len(box[0]) // 2
            top[name], bottom[name] = row, row + len(box)
            column += cell_len(box[0]) + GAP
        row += height
        if depth + 1 < len(layers):
            row += 3
    for a, b, label in chart.edges:
        if top[b] < bottom[a]:
            continue  # an edge back: named below
        _route(canvas, centre[a], bottom[a], centre[b], top[b], label)
    drawing = canvas.text()
    back = [(a, b, label) for a, b, label in chart.edges if top[b] < bottom[a]]
    for a, b, label in back:
        words = f"↺ {' '.join(chart.labels[a])} → {' '.join(chart.labels[b])}" + (f" ({label})" if label else "")
        drawing += "\n" + words
    return drawing


def _route(canvas: _Canvas, x1: int, y1: int, x2: int, y2: int, label: str) -> None:
    """From below the source to the arrow head above the target; the turn lies right above the target."""
    turn = y2 - 2
    for y in range(y1, turn):
        canvas.line(y, x1, "│")
    if x1 == x2:
        canvas.line(turn, x1, "│")
    else:
        step = 1 if x2 > x1 else -1
        canvas.line(turn, x1, "└" if step > 0 else "┘")
        for x in range(x1 + step, x2, step):
            canvas.line(turn, x, "─")
        canvas.line(turn, x2, "┐" if step > 0 else "┌")
    canvas.put(y2 - 1, x2, "▼")
    if label:
        canvas.put(y2 - 1, x2 + 2, label)
