"""Points, conditions, vetoes: the ten-point card by its rules."""

from __future__ import annotations

from typing import Any

import pytest

from graders.rubric import Judgement, RubricSpec, judge
from graders.scorecard import AnswerResult, CaseResult, Outcome, Veto
from graders.text import Text

RUBRIC = RubricSpec()


def case(name: str, group: Any, outcome: Outcome = "pass") -> CaseResult:
    return CaseResult(name, group, True, outcome, Text("a", "a"), Text("d", "d"))


def cases(normal: list[Outcome], boundary: list[Outcome]) -> list[CaseResult]:
    return [case(f"n{i}", "normal", o) for i, o in enumerate(normal)] + [
        case(f"b{i}", "boundary", o) for i, o in enumerate(boundary)
    ]


def answers(explanation: float = 1.0, q1: float = 2.0, q2: float = 2.0, q3: float = 2.0) -> dict[str, AnswerResult]:
    given = {"explanation": explanation, "q1": q1, "q2": q2, "q3": q3}
    return {k: AnswerResult(v, 1.0 if k == "explanation" else 2.0, "rules") for k, v in given.items()}


def card(
    normal: list[Outcome] | None = None,
    boundary: list[Outcome] | None = None,
    text: dict[str, AnswerResult] | None = None,
    vetoes: tuple[Veto, ...] = (),
    rubric: RubricSpec = RUBRIC,
    **state: Any,
) -> Judgement:
    options: dict[str, Any] = {
        "executed": True,
        "refused": False,
        "boundary_and_tradeoff": True,
        "independent": True,
        **state,
    }
    return judge(
        rubric, cases(normal or ["pass"], boundary or ["pass"]), answers() if text is None else text, vetoes, **options
    )


def test_full_marks() -> None:
    got = card()
    assert (got.total, got.max_total, got.passed, got.advice) == (10.0, 10.0, True, ())


def test_one_failing_boundary_case_costs_its_point_and_the_pass() -> None:
    got = card(boundary=["pass", "fail"])
    assert (got.points["normal"], got.points["boundary"], got.total) == (2.0, 0.0, 9.0)
    assert got.conditions["checks"] is False and got.passed is False, (
        "a wrong kernel never passes, whatever the prose earns"
    )


@pytest.mark.parametrize("outcome", ["fail", "error", "timeout"])
def test_every_kind_of_failure_counts(outcome: Outcome) -> None:
    assert card(normal=[outcome]).points["normal"] == 0.0 and card(normal=[outcome]).passed is False


def test_cases_that_were_not_run_do_not_count_either_way() -> None:
    got = card(normal=["pass", "not-run"])
    assert got.points["normal"] == 2.0 and got.conditions["checks"] is True


def test_nothing_run_at_all_is_no_pass_of_checks() -> None:
    got = card(normal=["not-run"], boundary=["not-run"])
    assert got.conditions["checks"] is False and got.passed is False


def test_static_review_decides_nothing() -> None:
    got = card(normal=["not-run"], boundary=["not-run"], executed=False)
    assert (
        got.points["normal"] is None
        and got.points["boundary"] is None
        and got.passed is None
        and got.conditions["checks"] is None
    )


def test_a_refused_blank_is_zero_points_and_a_decided_no() -> None:
    got = card(normal=["not-run"], boundary=["not-run"], executed=False, refused=True)
    assert (got.points["normal"], got.points["boundary"], got.passed) == (0.0, 0.0, False)


def test_each_condition_alone_stops_the_pass_and_gives_advice() -> None:
    for got in (
        card(text=answers(q1=0.5, q2=2.0)),
        card(text=answers(explanation=0.0, q1=1.0, q2=1.0, q3=1.0)),
        card(vetoes=(Veto("wrong-causal-chain", "q2", "words"),)),
        card(boundary_and_tradeoff=False),
        card(boundary_and_tradeoff=None),
        card(independent=False),
    ):
        assert got.passed is False and got.advice and all(a.en and a.zh for a in got.advice)


def test_unknown_history_does_not_block() -> None:
    assert card(independent=None).passed is True


def test_a_veto_leaves_the_points_and_fails_the_lesson() -> None:
    got = card(vetoes=(Veto("boundary-check-removed", "template:41", "mask"),))
    assert got.total == 10.0 and got.passed is False and got.conditions["no_veto"] is False


def test_points_go_down_to_half_steps_never_up() -> None:
    assert card(text=answers(q1=1.99)).points["q1"] == 1.5
    assert card(text=answers(q1=5.0)).points["q1"] == 2.0


def test_eight_points_are_enough_and_seven_and_a_half_are_not() -> None:
    assert card(text=answers(explanation=0.0, q1=2.0, q2=2.0, q3=1.0)).passed is True
    assert card(text=answers(explanation=0.0, q1=2.0, q2=1.5, q3=1.0)).passed is False


def test_proportional_credit_where_a_lesson_asks_for_it() -> None:
    rubric = RUBRIC.merged({"credit": "proportional"})
    assert card(normal=["pass", "pass", "pass", "fail"], rubric=rubric).points["normal"] == 1.5
    assert card(normal=["fail", "fail"], rubric=rubric).points["normal"] == 0.0


def test_a_lesson_may_move_points_and_the_rest_stays() -> None:
    rubric = RUBRIC.merged({"points": {"q3": 1.0}})
    assert rubric.points.q3 == 1.0 and rubric.points.normal == 2.0
    assert card(rubric=rubric).max_total == 9.0


def test_unknown_keys_of_a_rubric_are_errors() -> None:
    with pytest.raises(ValueError, match="pionts"):
        RUBRIC.merged({"pionts": {}})
