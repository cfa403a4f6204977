"""The way of the right pair through the tree, drawn line by line: who met whom, who was kept, where it went wrong."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.pictures.tree import Node, Pair, TreeRun, groups_of
from course_cli.views.layout import hanging
from graders.compare import number
from graders.lesson import PictureSpec

MOST_LAUNCHES = 3
LAST_MEETINGS = 3
NARROW = 76


def tree_picture(run: TreeRun, spec: PictureSpec) -> RenderableType:
    """The path, the answers of other grids, the question that the lesson asks."""
    parts: list[RenderableType] = []
    if run.twin:
        words = say(
            "(an example of the same kind; the hidden numbers stay hidden)", "（同类的例子；隐藏用例的数据不会显示）"
        )
        parts.append(Styled(words, style="quiet"))
    parts.append(_sentences(run) if settings.plain else _grid(run))
    lost = run.path[-1]
    parts.append(Styled(reason(lost), style="bad"))
    blocks, threads = run.launch
    words = say(
        "expected {e}   got {g}   on a grid of {b} × {t} threads",
        "期望 {e}   得到 {g}   网格为 {b} × {t} 个线程",
        e=_index(run.expected),
        g=_index(run.got),
        b=blocks,
        t=threads,
    )
    parts.append(Styled(words))
    if len({answer for _, answer in run.answers}) > 1:
        each = [f"{_index(a)}: {_launches(launches)}" for a, launches in groups_of(run.answers)]
        words = say("the same input on other grids: {w}", "同样的输入换别的网格：{w}", w="   ".join(each))
        parts.append(Styled(words))
        parts.append(Styled(say("so the answer depends on the grid", "可见答案取决于网格"), style="warn"))
    if spec.question is not None:
        parts.append(hanging("next", Styled(t(spec.question.text))))
    return Group(*parts)


def reason(node: Node) -> str:
    """Why the kept pair should have lost."""
    kept, dropped = node.kept, node.dropped
    if kept.index < 0:
        return say("an empty candidate is kept, a real one is dropped", "留下了空候选，丢掉了真实的候选")
    if math.isnan(dropped.value) and not math.isnan(kept.value):
        return say("a number is kept, the NaN is dropped", "留下了普通的数，丢掉了 NaN")
    if math.isnan(dropped.value):
        what = say("both are NaN", "两个都是 NaN")
    elif kept.value == dropped.value:
        what = say("equal values", "值相等")
    else:
        return say("the smaller value is kept", "留下了较小的值")
    return say(
        "{w}: kept {a}, the smaller index is {b}",
        "{w}：留下了 {a}，较小的下标是 {b}",
        w=what,
        a=_index(kept.index),
        b=_index(dropped.index),
    )


def place(node: Node) -> str:
    """Where in the two passes a node stands."""
    if node.stage == "warp":
        return say("block {b} warp {w}", "block {b} warp {w}", b=node.block, w=node.warp)
    if node.stage == "block":
        return say("block {b}, its warps", "block {b} 的各 warp", b=node.block)
    if node.stage == "last-warp":
        return say("pass 2 warp {w}", "第 2 遍 warp {w}", w=node.warp)
    return say("pass 2, its warps", "第 2 遍的各 warp")


def _grid(run: TreeRun) -> RenderableType:
    """Stages that the right pair wins take one line each; the stage in which it loses shows its last meetings."""
    narrow = settings.console.width < NARROW
    grid = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(4 if narrow else 5):
        grid.add_column(no_wrap=True)
    stages = _stages(run)
    parts: list[RenderableType] = []
    for at, nodes in enumerate(stages):
        if at < len(stages) - 1:
            won = nodes[-1].kept
            words = say("{w}: {p} wins", "{w}：{p} 胜出", w=place(nodes[0]), p=_pair(won))
            parts.append(Styled(words, style="quiet"))
            continue
        shown = nodes[-LAST_MEETINGS:]
        if narrow or len(shown) < len(nodes):
            parts.append(Styled(place(nodes[0]) + (" …" if len(shown) < len(nodes) else ""), style="quiet"))
        for node in shown:
            bad = node is run.path[-1]
            kept = say("keeps {i}", "留下 {i}", i=_index(node.kept.index))
            cells = [
                _lane(node.lane, node.mine, run),
                Styled(f"◄─{node.step:─<2}─", style="quiet"),
                _lane(node.lane + node.step, node.other, run),
                Styled(f"✗ {kept}" if bad and not narrow else kept, style="bad" if bad else "quiet"),
            ]
            if not narrow:
                first = node is shown[0] and len(shown) == len(nodes)
                cells.insert(0, Styled(place(node) if first else "", style="quiet"))
            grid.add_row(*cells)
    return Group(*parts, grid)


def _stages(run: TreeRun) -> list[list[Node]]:
    """The path cut where the pair moves on to another reduction."""
    out: list[list[Node]] = []
    for node in run.path:
        if out and place(out[-1][0]) == place(node):
            out[-1].append(node)
        else:
            out.append([node])
    return out


def _lane(lane: int, pair: Pair, run: TreeRun) -> Styled:
    words = say("lane {n} {p}", "lane {n} {p}", n=lane, p=_pair(pair))
    return Styled(words, style="good" if pair.index == run.expected else "")


def _sentences(run: TreeRun) -> RenderableType:
    lines = []
    for node in run.path:
        words = say(
            "{w}: lane {a} holds {p}, lane {b} holds {q}; it keeps {i}",
            "{w}：lane {a} 拿着 {p}，lane {b} 拿着 {q}；留下 {i}",
            w=place(node),
            a=node.lane,
            p=_pair(node.mine),
            b=node.lane + node.step,
            q=_pair(node.other),
            i=_index(node.kept.index),
        )
        lines.append(Styled(words))
    return Group(*lines)


def _pair(pair: Pair) -> str:
    return say("(empty)", "（空）") if pair.index < 0 else f"({number(pair.value)}, #{pair.index})"


def _index(index: int) -> str:
    return f"#{index}" if index >= 0 else "-1"


def _launches(launches: list[tuple[int, int]]) -> str:
    shown = ", ".join(f"{b} × {t_}" for b, t_ in launches[:MOST_LAUNCHES])
    return shown + (" …" if len(launches) > MOST_LAUNCHES else "")
