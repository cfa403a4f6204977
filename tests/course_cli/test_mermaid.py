"""Mermaid flowcharts as drawings and as sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from course_cli.mermaid import describe_diagrams, draw, draw_diagrams, parse
from tests.course_cli.screens import screen

LESSONS = sorted((Path(__file__).resolve().parents[2] / "lessons").glob("*/text.*.md"))


def fenced(source: str) -> str:
    return f"before\n\n```mermaid\n{source}\n```\n\nafter\n"


def test_a_chain_is_drawn_in_one_row_where_it_fits() -> None:
    chart = parse("flowchart LR\n  A[load] --> B[sum] -- once --> C[store]")
    assert chart is not None
    drawing = draw(chart, 70)
    assert drawing is not None
    middle = next(line for line in drawing.splitlines() if "load" in line)
    assert middle == "│ load │──▶│ sum │─once─▶│ store │"
    narrow = draw(chart, 30)
    assert narrow is not None and "▼" in narrow
    assert max(map(cell_len, narrow.splitlines())) <= 30


def test_wide_characters_keep_the_boxes_straight() -> None:
    chart = parse("flowchart TD\n  A[第 i 行：N 个数] --> C[求和]\n  B[other] --> C")
    assert chart is not None
    drawing = draw(chart, 60)
    assert drawing is not None
    lines = drawing.splitlines()
    for top, body, bottom in zip(lines, lines[1:], lines[2:], strict=False):
        if "┌" in top and "┘" in bottom:
            assert cell_len(top.rstrip()) == cell_len(body.rstrip()) == cell_len(bottom.rstrip())


def test_ampersands_labels_and_breaks() -> None:
    chart = parse('flowchart TD\n  A["x<br/>y"] & B(two) -->|both| C{end?}\n  C -.-> A')
    assert chart is not None
    assert chart.labels == {"A": ["x", "y"], "B": ["two"], "C": ["end?"]}
    assert ("A", "C", "both") in chart.edges and ("B", "C", "both") in chart.edges
    drawing = draw(chart, 60)
    assert drawing is not None and "↺ end? → x y" in drawing


@pytest.mark.parametrize(
    "source", ["gantt\n title x", "flowchart TD\n A --", "flowchart XY\n A-->B", "sequenceDiagram\n loop x\n end", ""]
)
def test_what_is_not_understood_stays_as_it_is(source: str) -> None:
    text = fenced(source)
    assert draw_diagrams(text, 80) == text
    assert describe_diagrams(text) == text


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: f"{p.parent.name}-{p.suffixes[0][1:]}")
@pytest.mark.parametrize("width", [60, 80])
def test_every_diagram_of_the_lessons_is_drawn_within_the_width(path: Path, width: int) -> None:
    text = path.read_text(encoding="utf-8")
    drawn = draw_diagrams(text, width)
    assert "```mermaid" not in drawn
    blocks = drawn.split("```text\n")[1:]
    assert len(blocks) >= text.count("```mermaid")
    for block in blocks:
        assert max(map(cell_len, block.split("```")[0].splitlines())) <= max(width, 72)


def test_in_words_for_a_screen_reader() -> None:
    with screen("zh", plain=True):
        told = describe_diagrams(fenced("flowchart TD\n  A[加载] -->|掩码| B[求和]"))
    assert "- 从“加载”到“求和”：掩码" in told and "before" in told and "after" in told


def test_edges_to_different_targets_do_not_run_over_each_other() -> None:
    chart = parse("flowchart TD\n  A[left] --> D[right below]\n  B[right] --> C[left below]\n  A --> X[x]\n  B --> X")
    assert chart is not None
    drawing = draw(chart, 70)
    assert drawing is not None
    turns = [line for line in drawing.splitlines() if "─" in line and not set(line) & set("▼") and "┌──" not in line]
    assert len([line for line in turns if set(line) & set("└┘├┤┴┬┼")]) >= 3


def test_a_sequence_shows_every_message_and_note_in_order() -> None:
    source = "sequenceDiagram\n  participant A as 车道 0\n  participant B as 车道 16\n  Note over A,B: 步长 16\n  B->>A: （值，下标）\n  A-->>B: back"
    drawn = draw_diagrams(fenced(source), 60)
    lines = drawn.split("```text\n")[1].split("```")[0].splitlines()
    order = [
        next(i for i, line in enumerate(lines) if words in line)
        for words in ("车道 16", "步长 16", "（值，下标）", "◀", "back", "▶")
    ]
    assert order == sorted(order)
    assert max(map(cell_len, lines)) <= 60
    with screen("en", plain=True):
        assert "- from “车道 16” to “车道 0”: （值，下标）" in describe_diagrams(fenced(source))
