"""The score card: what was run, points by part, vetoes, conditions, what would raise it."""

from __future__ import annotations

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.signs import Sign, sign, style
from course_cli.views.layout import hanging, indented
from graders.scorecard import Evidence, ScoreCard
from graders.text import Text


def evidence_line(evidence: Evidence) -> Styled:
    """What was really run: never more than that."""
    if evidence.tier == "gpu":
        tools = ", ".join(f"{k} {v}" for k, v in evidence.toolchain.items())
        return Styled(say("measured on {d} ({w})", "在 {d} 上实测（{w}）", d=evidence.device, w=tools))
    if evidence.tier == "emulated":
        words = say("executed on the CPU ({e})", "在 CPU 上执行（{e}）", e=evidence.executor)
        if evidence.compiled:
            words += " · " + say("compiled for {c}", "已为 {c} 编译", c=" ".join(evidence.compiled))
        if not evidence.pending and evidence.note is not None:
            return Styled(words + " · " + t(evidence.note))
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
    """The card: evidence, vetoes above the points, points by part, the total with its conditions, what would raise it."""
    parts: list[RenderableType] = [
        Styled(f"{card.lesson} · {t(title)}", style="head"),
        indented(evidence_line(card.evidence)),
    ]
    if card.refused is not None:
        place = say("line {l}, column {c}", "第 {l} 行第 {c} 列", l=card.refused.line, c=card.refused.column)
        words = say("blank refused at {p}: {r}", "填空被拒绝（{p}）：{r}", p=place, r=t(card.refused.reason))
        parts.append(hanging("fail", Styled(words, style="bad"), indent=2))
    for veto in card.vetoes:
        words = say("VETO {r} ({w})", "一票否决 {r}（{w}）", r=_veto_name(veto.rule), w=veto.where)
        parts.append(hanging("fail", Styled(f'{words}   "{veto.words}"', style="bad"), indent=2))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for part, most in card.maximum.items():
        got = card.points[part]
        shown = "–" if got is None else f"{got:.1f}"
        table.add_row(t(PART_NAMES[part]), f"{shown} / {most:g}", _part_note(card, part))
    table.add_row("", "", "")
    table.add_row(
        Styled(say("total", "总分"), style="head"),
        Styled(f"{card.total:.1f} / {card.max_total:g}", style="head"),
        _outcome(card),
    )
    parts += [_points_in_words(card) if settings.plain else indented(table), indented(_conditions(card))]
    for advice in card.advice:
        parts.append(hanging("next", Styled(t(advice)), indent=2))
    for note in card.submission.notes:
        parts.append(hanging("warn", Styled(t(note)), indent=2))
    return Group(*parts)


def _points_in_words(card: ScoreCard) -> RenderableType:
    """The table of points as lines."""
    lines = []
    for part, most in card.maximum.items():
        got = card.points[part]
        points = (
            say("not run", "未运行")
            if got is None
            else say("{g} of {m} points", "{g} / {m} 分", g=f"{got:g}", m=f"{most:g}")
        )
        lines.append(Styled(f"{t(PART_NAMES[part])}: {points}, {_part_note(card, part).plain}"))
    total = say("total: {g} of {m}", "总分：{g} / {m}", g=f"{card.total:g}", m=f"{card.max_total:g}")
    return Group(*lines, Styled(f"{total}, {_outcome(card).plain}"))


def _veto_name(rule: str) -> str:
    return t(_VETOES[rule]) if rule in _VETOES else rule


_VETOES = {
    "wrong-causal-chain": Text("wrong causal chain", "因果链错误"),
    "boundary-check-removed": Text("a check was removed", "删去了边界检查"),
    "unrun-claimed-as-measured": Text("called measured, but not run", "没有运行却称为实测"),
}


def _part_note(card: ScoreCard, part: str) -> Styled:
    if part in ("normal", "boundary"):
        group = [c for c in card.cases if c.group == part and c.outcome != "not-run"]
        if not group:
            return Styled(say("not run", "未运行"), style="quiet")
        passing = sum(c.outcome == "pass" for c in group)
        return Styled(say("{p} of {n}", "{p}/{n}", p=passing, n=len(group)), style="quiet")
    answer = card.answers.get(part)
    if answer is None or (answer.graded_by == "none" and not answer.needs_review):
        return Styled(say("no answer", "未作答"), style="quiet")
    out = Styled(style="quiet")
    if answer.links:
        stated = sum(link.state in ("stated", "shown") for link in answer.links)
        out.append(say("{k} of {n} steps explained", "说清 {k}/{n} 个环节", k=stated, n=len(answer.links)))
        against = sum(link.state == "contradicted" for link in answer.links)
        if against:
            words = say("{n} contradicted", "{n} 个相反", n=against)
            out.append(f"  {words}", style="bad")
    if answer.needs_review:
        out.append(("  " if answer.links else "") + say("waits for review", "等待批阅"), style="warn")
    return out


def _outcome(card: ScoreCard) -> Styled:
    if card.passed is None:
        return Styled(say("NOT DECIDED: could not be run here", "未定：此机器无法运行"), style="warn")
    if card.passed:
        return Styled(say("PASSED", "通过"), style="good")
    return Styled(say("NOT PASSED", "未通过"), style="bad")


def _conditions(card: ScoreCard) -> RenderableType:
    """Every condition of passing with its state."""
    parts: list[Styled] = []
    for name, state in card.conditions.items():
        kind: Sign = "unknown" if state is None else ("pass" if state else "fail")
        label = t(CONDITION_NAMES[name])
        if settings.plain:
            word = {True: say("met", "满足"), False: say("not met", "不满足"), None: say("not known", "未知")}[state]
            parts.append(Styled(f"{label}: {word}."))
        else:
            parts.append(Styled.assemble((sign(kind), style(kind)), " ", label))
    return Styled(" ").join(parts) if settings.plain else Columns(parts, padding=(0, 3, 0, 0))
