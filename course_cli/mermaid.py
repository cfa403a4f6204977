"""Mermaid diagrams as box drawings for the terminal: flowcharts here, nodes in layers and edges between them.

Only what lessons use is read: `flowchart LR|TD|TB`, nodes in [ ], ( ), { }, edges `-->`, `---`, `-.->`, `==>`, edge labels, chains,
`A & B`. Anything else stays as it is, as a code block: a diagram is never dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.cells import cell_len

from course_cli.canvas import Canvas, box, wrapped
from course_cli.i18n import say
from course_cli.sequence import draw_sequence, parse_sequence, sequence_sentences

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
        room = max(width - 4, 30)
        chart, sequence = parse(match.group(1)), parse_sequence(match.group(1))
        drawing = draw(chart, room) if chart else (draw_sequence(sequence, room) if sequence else None)
        return f"```text\n{drawing}\n```" if drawing else match.group(0)

    return _FENCE.sub(replace, markdown)


def describe_diagrams(markdown: str) -> str:
    """Markdown with every Mermaid block that is understood replaced by a list of its arrows in words."""

    def replace(match: re.Match[str]) -> str:
        chart, sequence = parse(match.group(1)), parse_sequence(match.group(1))
        told = sentences(chart) if chart else (sequence_sentences(sequence) if sequence else None)
        return "\n".join(f"- {line}" for line in told) if told else match.group(0)

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


def _chain(names: list[str], chart: Chart, labels: dict[tuple[str, str], str]) -> str:
    """Boxes from left to right, arrows at the middle line."""
    boxes = [box(chart.labels[n]) for n in names]
    height = max(len(b) for b in boxes)
    rows = [""] * height
    for i, drawn in enumerate(boxes):
        top = (height - len(drawn)) // 2
        wide = cell_len(drawn[0])
        for r in range(height):
            rows[r] += drawn[r - top] if 0 <= r - top < len(drawn) else " " * wide
        if i + 1 < len(boxes):
            label = labels.get((names[i], names[i + 1]), "")
            arrow = f"─{label}─▶" if label else "──▶"
            for r in range(height):
                rows[r] += arrow if r == height // 2 else " " * cell_len(arrow)
    return "\n".join(row.rstrip() for row in rows)


def _stacked(layers: list[list[str]], chart: Chart, width: int) -> str | None:
    """Layers from top to bottom, boxes of a layer side by side, edges routed in the rows between."""
    boxes: dict[str, list[str]] = {}
    centre: dict[str, int] = {}
    for layer in layers:
        most = (width - GAP * (len(layer) - 1)) // len(layer) - 4
        if most < 6:
            return None
        boxes |= {n: box(wrapped(chart.labels[n], min(most, 46))) for n in layer}
        middle = min(width, 72) // 2
        if len(layer) == 1:  # on one line with the layers of one above and below
            centre[layer[0]] = middle
            continue
        column = max(0, middle - (sum(cell_len(boxes[n][0]) for n in layer) + GAP * (len(layer) - 1)) // 2)
        for name in layer:
            centre[name] = column + cell_len(boxes[name][0]) // 2
            column += cell_len(boxes[name][0]) + GAP
    depth = {name: i for i, layer in enumerate(layers) for name in layer}
    down = [(a, b, label) for a, b, label in chart.edges if depth[a] < depth[b]]
    tracks = [_tracks([(a, b) for a, b, _ in down if depth[b] == i], centre) for i in range(len(layers))]
    canvas = Canvas(width)
    top: dict[str, int] = {}
    row = 0
    for i, layer in enumerate(layers):
        row += 2 + max(tracks[i].values(), default=0) + 1 if i else 0
        for name in layer:
            top[name] = row
            for k, line in enumerate(boxes[name]):
                canvas.put(row + k, centre[name] - cell_len(boxes[name][0]) // 2, line)
        row += max(len(boxes[name]) for name in layer)
    for a, b, label in down:
        turn = top[b] - 2 - tracks[depth[b]][b]
        _route(canvas, (centre[a], top[a] + len(boxes[a])), (centre[b], top[b]), turn, label)
    drawing = canvas.text()
    for a, b, label in chart.edges:
        if depth[a] >= depth[b]:  # an edge back or aside: named below
            words = f"↺ {' '.join(chart.labels[a])} → {' '.join(chart.labels[b])}" + (f" ({label})" if label else "")
            drawing += "\n" + "\n  ".join(wrapped([words], width - 2))
    return drawing


def _tracks(edges: list[tuple[str, str]], centre: dict[str, int]) -> dict[str, int]:
    """For each target the row in which its edges turn, counted from the lowest: edges to different targets that would run
    over each other get rows of their own."""
    spans: dict[str, tuple[int, int]] = {}
    sources = {b: {a for a, other in edges if other == b} for _, b in edges}
    for a, b in edges:
        low, high = spans.get(b, (centre[b], centre[b]))
        spans[b] = min(low, centre[a]), max(high, centre[a])
    tracks: dict[str, int] = {}
    for target, (low, high) in spans.items():
        taken = {
            tracks[o]
            for o in tracks
            if spans[o][0] <= high and low <= spans[o][1] and (len(sources[o]) > 1 or sources[o] != sources[target])
        }
        tracks[target] = next(n for n in range(len(spans)) if n not in taken)
    return tracks


def _route(canvas: Canvas, begin: tuple[int, int], end: tuple[int, int], turn: int, label: str) -> None:
    """From below the source to the arrow head above the target, across in row `turn`."""
    (x1, y1), (x2, y2) = begin, end
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
    for y in range(turn + 1, y2 - 1):
        canvas.line(y, x2, "│")
    canvas.put(y2 - 1, x2, "▼")
    if label:
        canvas.put(y2 - 1, x2 + 2, label)
