"""Follow-ups: made again from their seed, settled by a run, and what they change."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from graders.prose.asking import wanted, with_follow_ups
from graders.prose.followups import (
    LETTERS,
    Reply,
    Settled,
    expected_value,
    make,
    number_in,
    option_index,
    parse_records,
    record,
    settle,
    settle_all,
)
from graders.prose.reader import read_answer
from graders.prose.rubric import ProseRubric

Get = Callable[[str], ProseRubric]
NAMES = ("lesson05", "lesson07", "lesson12", "lesson12-nan")


def fake_kernel(lesson: str) -> Callable[[str, dict[str, Any]], dict[str, NDArray[Any]]]:
    """What the mutated kernel does, written a second time in NumPy."""

    def run(fill: str, inputs: dict[str, Any]) -> dict[str, NDArray[Any]]:
        x = np.asarray(inputs["x"], dtype=np.float64)
        if lesson in ("lesson05", "lesson07"):
            pad = -math.inf if "inf" in fill else float(fill)
            rows, n = x.shape
            block = 1 << max(0, (n - 1).bit_length())
            full = np.concatenate([x, np.full((rows, block - n), pad)], axis=1)
            if lesson == "lesson05":
                return {"out": full.sum(1)}
            e = np.exp(full - full.max(1, keepdims=True))
            return {"out": (e / e.sum(1, keepdims=True))[:, :n]}
        return {"out": np.array([0])}

    return run


@pytest.mark.parametrize("lesson", NAMES)
def test_every_question_has_two_and_every_link_one(rubric: Get, lesson: str) -> None:
    r = rubric(lesson)
    for question in r.questions.values():
        assert len(r.follow_ups_of(question.id)) >= 2
        for link in question.links:
            assert r.follow_ups_of(question.id, link.id), (question.id, link.id)


@pytest.mark.parametrize("lesson", NAMES)
def test_every_veto_misconception_has_an_experiment(rubric: Get, lesson: str) -> None:
    r = rubric(lesson)
    for misconception in r.misconceptions:
        if misconception.veto:
            assert misconception.experiment in {f.id for f in r.follow_ups}, misconception.id


@pytest.mark.parametrize("lesson", NAMES)
def test_a_seed_makes_the_same_follow_up_again(rubric: Get, lesson: str) -> None:
    r = rubric(lesson)
    for spec in r.follow_ups:
        question, link = spec.links[0]
        one, two = make(r, spec, question, link, 11), make(r, spec, question, link, 11)
        assert one.prompt == two.prompt
        assert one.options == two.options
        assert "{" not in one.prompt.en + one.prompt.zh
        if one.kind == "choice":
            assert settle(one, LETTERS[one.right], r).right
            assert not settle(one, LETTERS[(one.right + 1) % len(one.options)], r).right
            assert not settle(one, "no idea", r).right
    seeds = {make(r, r.follow_ups[0], *r.follow_ups[0].links[0], seed).prompt.en for seed in range(12)}
    assert len(seeds) > 3


@pytest.mark.parametrize("lesson", ["lesson05", "lesson07"])
def test_predictions_are_settled_by_the_run(rubric: Get, lesson: str) -> None:
    r = rubric(lesson)
    run = fake_kernel(lesson)
    for spec in r.follow_ups:
        if spec.kind != "prediction":
            continue
        for seed in range(6):
            made = make(r, spec, *spec.links[0], seed)
            value = expected_value(made, run)
            assert settle(made, f"我猜是 {value:.4g}", r, run).right
            assert not settle(made, "12345", r, run).right
            assert not settle(made, "", r, run).right
    pad_one = next(s for s in r.follow_ups if s.kind == "prediction" and s.traps)
    made = make(r, pad_one, *pad_one.links[0], 3)
    names = {"x": np.asarray(made.inputs["x"], dtype=np.float64)}
    if lesson == "lesson05":
        wrong = settle(made, str(int(names["x"].sum())), r, run)
        assert wrong.misconception == "padding-skipped"
        assert not wrong.right


def test_a_prediction_needs_its_run(rubric: Get) -> None:
    r = rubric("lesson05")
    spec = next(s for s in r.follow_ups if s.id == "pad-one")
    with pytest.raises(ValueError, match="run"):
        settle(make(r, spec, "q1", "neutral", 1), "3", r)


@pytest.mark.parametrize(
    ("reply", "value"),
    [("12", 12), ("= -3.5", -3.5), ("大约 0.25", 0.25), ("1/4", 0.25), ("-inf", -math.inf), ("负无穷", -math.inf), ("１２", 12),
     ("between 3 and 4", None), ("", None), ("none", None)],
)  # fmt: skip
def test_numbers_in_replies(reply: str, value: float | None) -> None:
    assert number_in(reply) == value


def test_nan_and_options_in_replies() -> None:
    found = number_in("NaN")
    assert found is not None
    assert math.isnan(found)
    assert [option_index(w, 4) for w in ("a", "B)", "3", "e", "", "ab")] == [0, 1, 2, None, None, None]


def test_records_survive_the_answers_file() -> None:
    replies = [Reply("pad-one", 7, "q1", '12 "x" {y}', "2026-01-02T03:04:05Z"), Reply("lane-value", -3, "q2", "b")]
    text = "\n".join(record(r) for r in replies) + "\n- rubbish\n- q1/pad-one seed=1 {broken} now\n"
    assert parse_records(text) == replies


def test_recomputed_replies_stop_after_two_tries_and_skip_foreign_ids(rubric: Get) -> None:
    r = rubric("lesson05")
    replies = [Reply("lane-value", 1, "q1", letter) for letter in "abcd"] + [
        Reply("nothing", 1, "q1", "a"),
        Reply("lane-value", 1, "q3", "a"),
    ]
    settled = settle_all(r, replies, None)
    assert list(settled) == ["q1"]
    assert len(settled["q1"]) == 2


def _settled(rubric: ProseRubric, question: str, follow_up: str, right: list[bool], trap: str = "") -> list[Any]:
    spec = next(s for s in rubric.follow_ups if s.id == follow_up)
    link = next(name for q, name in spec.links if q == question)
    made = make(rubric, spec, question, link, 1)
    return [(made, Settled(ok, made.prompt, made.prompt, "" if ok else trap)) for ok in right]


def test_a_link_shown_at_once_counts_fully_and_later_half(rubric: Get) -> None:
    r = rubric("lesson05")
    text = "越界的 lane 得到 0，求和把所有 lane 都加进去，加 0 不改变总和。"
    reading = read_answer(r, "q1", text)
    assert reading.points == 1.0
    first = with_follow_ups(r, reading, _settled(r, "q1", "what-leaves", [True]))
    second = with_follow_ups(r, reading, _settled(r, "q1", "what-leaves", [False, True]))
    never = with_follow_ups(r, reading, _settled(r, "q1", "what-leaves", [False, False]))
    assert (first.points, second.points, never.points) == (2.0, 1.5, 1.0)
    assert next(x for x in first.links if x.id == "output").state == "shown"
    assert next(x for x in first.links if x.id == "output").follow_up == "what-leaves"


def test_a_misconception_repeated_is_a_veto_and_one_corrected_is_none(rubric: Get) -> None:
    r = rubric("lesson05")
    text = "被 mask 掉的 lane 不参加求和，所以和是对的，一个数写到 out[row]。"
    reading = read_answer(r, "q1", text)
    assert any(f.id == "pad-one" for f in wanted(r, reading, 5))
    again = with_follow_ups(r, reading, _settled(r, "q1", "pad-one", [False], "padding-skipped"))
    assert again.points == 0
    assert again.vetoes
    assert again.vetoes[0][0] == "wrong-causal-chain"
    right = with_follow_ups(r, reading, _settled(r, "q1", "pad-one", [True]))
    assert right.vetoes == []


def test_an_empty_answer_is_not_made_whole_by_follow_ups(rubric: Get) -> None:
    r = rubric("lesson05")
    reading = read_answer(r, "q1", "不知道")
    shown = [
        pair
        for name in ("pad-one", "lane-value", "which-lanes", "what-leaves")
        for pair in _settled(r, "q1", name, [True])
    ]
    assert with_follow_ups(r, reading, shown).points <= 1.5
    assert with_follow_ups(r, reading, shown[:2]).points <= 1.0


def test_a_sure_full_answer_is_not_asked(rubric: Get) -> None:
    r = rubric("lesson05")
    text = (
        "One program takes one row. The lanes past N get 0 instead of memory. The sum adds every lane, and since x + 0 = x the "
        "padding leaves the total as it is. One number is stored at out[row]."
    )
    assert wanted(r, read_answer(r, "q1", text), 1) == []


def test_a_full_answer_in_few_words_keeps_its_points_and_is_asked_about(rubric: Get) -> None:
    r = rubric("lesson05")
    text = "每个 program 读一行，越界的 lane 得到 0，求和把全部 128 个 lane 都加进去，但加 0 不改变总和，最后一个标量写到 out[row]。"
    reading = read_answer(r, "q1", text)
    assert reading.points == 1.5
    assert reading.needs_review
    asked = wanted(r, reading, 1)
    assert {f.link for f in asked} == {"neutral"}
