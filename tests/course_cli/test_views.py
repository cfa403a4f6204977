"""Lines of cases, tables of numbers, the card: what they say, and that they fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from course_cli import views
from graders.observation import Finding
from graders.scorecard import (
    CONDITIONS,
    AnswerResult,
    CaseResult,
    CaseView,
    Evidence,
    LinkResult,
    RefusedBlank,
    ScoreCard,
    SubmissionInfo,
    Veto,
)
from graders.text import Text
from tests.course_cli.screens import lines_of, screen, widest

ABOUT = Text("A row of zeros sums to exactly 0.", "全零的行，和必须恰好是 0。")


def case(name: str, outcome: Any = "pass", **more: Any) -> CaseResult:
    values: dict[str, Any] = {
        "group": "normal",
        "visible": True,
        "about": ABOUT,
        "detail": Text("out[0]: expected 1.0, got 2.0", "out[0]：期望 1.0，得到 2.0"),
        **more,
    }
    return CaseResult(name=name, outcome=outcome, **values)


def stream(cases: list[CaseResult], lang: str = "en", width: int = 80) -> list[str]:
    with screen(lang, width) as console, console.capture() as caught:
        lines = views.CaseStream(console.print)
        for each in cases:
            lines.add(each)
        lines.finish()
    return [line.rstrip() for line in caught.get().rstrip("\n").split("\n")]


def test_visible_passes_have_a_line_each_and_hidden_ones_are_counted() -> None:
    lines = stream([case("a"), case("b"), *(case(f"h{i}", visible=False) for i in range(9))])
    assert lines[:2] == ["✓ a  normal", "✓ b  normal"]
    assert lines[2].startswith("✓ 9 cases, all right") and len(lines) == 3


def test_equal_failures_are_folded_after_two_and_named() -> None:
    cases = [case(f"zeros, N = {n}", "fail", visible=False, group="boundary") for n in range(15)]
    lines = stream(cases)
    assert sum(line.startswith("✗ zeros") for line in lines) == 2
    assert any("13 more like this" in line for line in lines)
    assert "zeros,N=2;zeros,N=3;zeros,N=4…" in "".join(lines).replace(" ", "")


def test_failures_with_different_numbers_are_alike_and_with_different_reasons_are_not() -> None:
    same = [case(f"c{i}", "fail", detail=Text(f"out[{i}]: got {i}.5", "x")) for i in range(4)]
    other = case("z", "fail", detail=Text("the input x was changed by the kernel", "y"))
    lines = stream([*same, other])
    assert any("2 more like this" in line for line in lines)
    assert any(line.startswith("✗ z") and "was changed" in line for line in lines)


def test_hidden_numbers_never_appear() -> None:
    view = CaseView(
        {"x": np.array([[123.25, 4.0]])}, {}, {"out": np.array([127.25])}, {"out": np.array([9.5])}, "out", (0,)
    )
    secret = case("h", "fail", visible=False, view=view, detail=Text("out[0]: expected 127.2, got 9.5", "…127.2…"))
    for lang in ("en", "zh"):
        with screen(lang) as console:
            shown = "\n".join(lines_of(console, views.case_line(secret), views.failure(secret)))
        assert "123.25" not in shown and "127.2" not in shown and "9.5" not in shown
        assert ABOUT.pick(lang) in shown


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_shows_a_window_around_the_first_difference(lang: str, width: int) -> None:
    x = np.arange(1000.0).reshape(1, 1000)
    got = x.copy()
    got[0, 500] = -1
    view = CaseView({"x": x}, {}, {"out": x}, {"out": got}, "out", (0, 500))
    with screen(lang, width) as console:
        table = views.value_table(view, width)
        assert table is not None
        lines = lines_of(console, table)
    assert widest(lines) <= width
    assert "[500.0]" in lines[-2] and "[-1.0]" in lines[-1]
    assert ("more" if lang == "en" else "另有") in lines[0]


def test_a_refusal_points_into_what_was_typed() -> None:
    refused = RefusedBlank(Text("this name is not allowed here", "此处不允许该名称"), 2, 3)
    with screen() as console:
        lines = lines_of(console, views.refusal(refused, "0.0 +\n  os"))
    assert "line 2, column 3" in lines[0]
    assert lines[1].strip() == "os" and lines[2].index("^") == lines[1].index("os")


def card(**more: Any) -> ScoreCard:
    answer = AnswerResult(1.5, 2.0, "rules", 0.9, (LinkResult("a", "stated"), LinkResult("b", "missing")))
    values: dict[str, Any] = {
        "lesson": "lesson05",
        "submission": SubmissionInfo(None, None, "0" * 64),
        "evidence": Evidence("emulated", "triton-interpreter", compiled=("sm_80", "sm_90", "sm_100")),
        "cases": (case("a"), case("b", "fail", group="boundary", visible=False)),
        "points": {"normal": 2.0, "boundary": 0.0, "explanation": 1.0, "q1": 1.5, "q2": 0.0, "q3": None},
        "maximum": {"normal": 2.0, "boundary": 1.0, "explanation": 1.0, "q1": 2.0, "q2": 2.0, "q3": 2.0},
        "answers": {"q1": answer, "q2": AnswerResult(0.0, 2.0, "none", needs_review=True)},
        "vetoes": (Veto("wrong-causal-chain", "q2", "线程执行顺序固定，所以不会不同"),),
        "conditions": dict(zip(CONDITIONS, (True, False, None, True, False, True), strict=True)),
        "total": 4.5,
        "max_total": 10.0,
        "passed": False,
        "needs_review": ("q2",),
        "advice": (Text("reach 8 points: 3.5 more are needed", "达到 8 分：还差 3.5 分"),),
        **more,
    }
    return ScoreCard(**values)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 60, 80, 140])
@pytest.mark.parametrize("plain", [False, True])
def test_the_card_fits_and_says_everything(lang: str, width: int, plain: bool) -> None:
    with screen(lang, width, plain=plain) as console:
        lines = lines_of(console, views.score_card(card(), Text("Row sum", "行求和")))
    assert widest(lines) <= width
    text = "".join(line.strip() for line in lines).replace(" ", "").replace("\u00a0", "")
    of = "of" if plain and lang == "en" else "/"
    for words in (f"4.5{of}10", "线程执行顺序固定", f"1.5{of}2"):
        assert words in text
    for words in {
        "en": ("GPUrunpending", "1of2stepsexplained", "waitsforreview"),
        "zh": ("等待GPU验证", "说清1/2个环节", "等待批阅"),
    }[lang]:
        assert words in text
    veto = next(i for i, line in enumerate(lines) if ("VETO" if lang == "en" else "否决") in line)
    total = next(i for i, line in enumerate(lines) if line.strip().startswith("total" if lang == "en" else "总分"))
    assert veto < total
    if plain:
        assert not set("".join(lines)) & set("✓✗→│─")


def test_a_card_that_was_not_run_never_says_measured() -> None:
    with screen() as console:
        shown = "\n".join(
            lines_of(
                console,
                views.score_card(card(evidence=Evidence("static", "triton-compile"), passed=None), Text("x", "x")),
            )
        )
    assert "measured" not in shown and "nothing was executed" in shown and "NOT DECIDED" in shown


def test_findings_come_with_their_line() -> None:
    found = case(
        "a", "fail", findings=(Finding("out-of-bounds", Text("reads outside of x", "越界读取 x"), line=23, column=5),)
    )
    with screen("zh") as console:
        shown = "\n".join(lines_of(console, views.failure(found)))
    assert "模板第 23:5 行：越界读取 x" in shown
