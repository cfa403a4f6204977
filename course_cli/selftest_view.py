"""The self-test as an instructor sees it: one line of figures a lesson, then every problem with what to do."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Styled

from course_cli.i18n import say, t
from graders.selftest import SelftestResult, fills_of


def render(result: SelftestResult, *, table: bool = False) -> RenderableType:
    """The summary of one lesson; with `table` the verdict of every fill."""
    counts = {kind: fills_of(result, [kind]) for kind in ("reference", "skeleton", "right", "wrong", "refused")}
    line = Styled(f"{result.lesson}  ", style="head")
    line.append(f"{result.executor}  ", style="quiet")
    names = {
        "reference": say("reference", "参考答案"),
        "skeleton": say("skeleton fails", "骨架失败"),
        "right": say("right spellings", "正确写法"),
        "wrong": say("wrong fills caught", "错误填空被抓"),
        "refused": say("refused", "语法拒绝"),
    }
    for kind, verdicts in counts.items():
        good = sum(v.ok for v in verdicts)
        line.append(f"{names[kind]} {good}/{len(verdicts)}   ", style="good" if good == len(verdicts) else "bad")
    if result.prose.agreement is not None:
        words = say(
            "gold answers {a} ({n})", "标注答案 {a}（{n}）", a=f"{result.prose.agreement:.2f}", n=result.prose.answers
        )
        line.append(f"{words}   {say('follow-ups', '追问')} {result.prose.follow_ups}", style="quiet")
    parts: list[RenderableType] = [line]
    for problem in result.problems:
        parts.append(Padding(Styled("✗ " + t(problem), style="bad"), (0, 0, 0, 2)))
    for remark in result.remarks:
        parts.append(Padding(Styled("· " + t(remark), style="quiet"), (0, 0, 0, 2)))
    if table:
        rows = Table(box=None, pad_edge=False, header_style="quiet")
        for name in (say("fill", "填空"), say("kind", "类别"), say("fails", "未通过的用例")):
            rows.add_column(name, overflow="fold")
        for v in result.verdicts:
            failed = t(v.refused) if v.refused else ", ".join(v.failed)
            rows.add_row(Styled(v.fill), v.kind, Styled(failed))
        parts.append(rows)
    return Group(*parts)
