"""Mermaid sequence diagrams as drawings: who hands what to whom, from top to bottom.

Read are `participant ID as NAME`, messages `A->>B: words` (`-->>`, `->`, `-->` as well) and `Note over A,B: words`; a diagram with
anything else is not understood and stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.cells import cell_len

from course_cli.canvas import TAKEN, Canvas, box, wrapped
from course_cli.i18n import say

_PARTICIPANT = re.compile(r"^(?:participant|actor)\s+(\w+)(?:\s+as\s+(.+))?$")
_MESSAGE = re.compile(r"^(\w+)\s*(--?>>?|--?x)\s*[+-]?(\w+)\s*:\s*(.*)$")
_NOTE = re.compile(r"^[Nn]ote\s+(?:over|right of|left of)\s+([\w,\s]+?)\s*:\s*(.*)$")
_SKIP = re.compile(r"^(?:%%|autonumber|activate|deactivate)")


@dataclass(frozen=True, slots=True)
class Step:
    """A message from `ends[0]` to `ends[1]`, or a note over `ends`."""

    kind: str
    ends: tuple[str, ...]
    words: str


@dataclass(slots=True)
class Sequence:
    """Participants by id with their names, and what happens in order."""

    names: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)


def parse_sequence(source: str) -> Sequence | None:
    """The diagram, or None where the source is not understood."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    if not lines or lines[0] != "sequenceDiagram":
        return None
    found = Sequence()
    for line in lines[1:]:
        participant, message, note = _PARTICIPANT.match(line), _MESSAGE.match(line), _NOTE.match(line)
        if _SKIP.match(line):
            continue
        if participant:
            found.names[participant.group(1)] = participant.group(2) or participant.group(1)
        elif message:
            found.steps.append(Step("message", (message.group(1), message.group(3)), _clean(message.group(4))))
        elif note:
            ends = tuple(part.strip() for part in note.group(1).split(","))
            found.steps.append(Step("note", ends, _clean(note.group(2))))
        else:
            return None
    for step in found.steps:
        for end in step.ends:
            found.names.setdefault(end, end)
    return found if found.names and found.steps else None


def sequence_sentences(found: Sequence) -> list[str]:
    """One line a step, for a screen reader."""
    out = []
    for step in found.steps:
        names = [found.names[end] for end in step.ends]
        if step.kind == "message":
            out.append(say("from “{a}” to “{b}”: {w}", "从“{a}”到“{b}”：{w}", a=names[0], b=names[-1], w=step.words))
        else:
            out.append(say("at {n}: {w}", "在 {n}：{w}", n=say(", ", "、").join(names), w=step.words))
    return out


def draw_sequence(found: Sequence, width: int) -> str | None:
    """The drawing in `width` columns, or None where the participants do not fit side by side."""
    ids = list(found.names)
    step = min(width // len(ids), max(cell_len(name) for name in found.names.values()) + 8)
    if step < 8:
        return None
    centre = {name: i * step + step // 2 for i, name in enumerate(ids)}
    canvas = Canvas(width)
    heads = {name: box(wrapped([found.names[name]], step - 5)) for name in ids}
    height = max(len(head) for head in heads.values())
    for name, head in heads.items():
        left = centre[name] - cell_len(head[0]) // 2
        for i, line in enumerate(head):
            canvas.put(height - len(head) + i, left, line)
    row = height
    rows_of_life = []
    for each in found.steps:
        rows_of_life.append(row)
        row += 1
        columns = sorted(centre[end] for end in each.ends)
        row = (
            _note(canvas, row, columns, each, width)
            if each.kind == "note"
            else _message(canvas, row, centre, each, width)
        )
    for life in range(height, row):
        for column in centre.values():
            canvas.put_if_empty(life, column, "│")
    return canvas.text()


def _message(canvas: Canvas, row: int, centre: dict[str, int], step: Step, width: int) -> int:
    """The words above an arrow."""
    begin, end = centre[step.ends[0]], centre[step.ends[1]]
    left, right = min(begin, end), max(begin, end)
    lines = wrapped([step.words], max(width - left - 3, 12))
    for line in lines:
        canvas.put(row, left + 2, line.replace(" ", TAKEN))
        row += 1
    if begin == end:
        canvas.put(row, begin + 1, "↺")
        return row + 1
    for column in range(left + 1, right):
        canvas.put(row, column, "─")
    canvas.put(row, left, "├" if begin == left else "◀")
    canvas.put(row, right, "▶" if end == right else "┤")
    return row + 1


def _note(canvas: Canvas, row: int, columns: list[int], step: Step, width: int) -> int:
    """A box over its participants, wider than they are apart where the words need it."""
    room = max(columns[-1] - columns[0] - 2, min(46, width - 6))
    lines = box(wrapped(step.words.split("\n"), room))
    wide = cell_len(lines[0])
    left = max(0, min((columns[0] + columns[-1] - wide) // 2, width - wide))
    for line in lines:
        canvas.put(row, left, line.replace(" ", TAKEN))
        row += 1
    return row


def _clean(words: str) -> str:
    return re.sub(r"\s*<br\s*/?>\s*", "\n", words.strip().strip('"'))
