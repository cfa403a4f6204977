"""Simulated learners of known understanding, through their answer and its follow-ups.

What a learner replies follows from what the learner believes: the belief nearest in words to the follow-up decides.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from graders.prose.asking import wanted, with_follow_ups
from graders.prose.features import ngrams
from graders.prose.followups import FollowUp, Settled
from graders.prose.reader import AnswerReading, read_answer
from graders.prose.rubric import ProseRubric

Get = Callable[[str], ProseRubric]
FILE = Path(__file__).resolve().parents[2] / "data" / "answers" / "followup_learners.yaml"
LEARNERS: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
WITHIN_HALF = 0.85  # measured: see docs/prose.md


def _words(text: str) -> set[str]:
    return {g for g in ngrams(text.lower()) if g.startswith("w:") and len(g) > 4}


def _belief(rubric: ProseRubric, follow_up: FollowUp, learner: dict[str, Any]) -> dict[str, Any]:
    link = rubric.questions[follow_up.question].link(follow_up.link)
    target = _words(" ".join([follow_up.prompt.en, link.says.en if link else "", *(o.en for o in follow_up.options)]))

    def nearness(belief: dict[str, Any]) -> float:
        words = _words(belief["statement"])
        return len(words & target) / (len(words) ** 0.5 or 1)

    best: dict[str, Any] = max(learner["beliefs"], key=nearness)
    return best


def graded(rubric: ProseRubric, learner: dict[str, Any]) -> AnswerReading:
    reading = read_answer(rubric, learner["question"], learner["answer"])
    chance = random.Random(learner["id"])
    guessing = learner["understanding"] in ("guesser", "term-lister")
    settled: list[tuple[FollowUp, Settled]] = []
    for follow_up in wanted(rubric, reading, 5):
        belief = _belief(rubric, follow_up, learner)
        for _ in range(2):
            lucky = follow_up.kind == "choice" and chance.random() < 1 / len(follow_up.options)
            knows = belief["holds"] is not None and not guessing
            right = belief["holds"] == belief["correct"] if knows else lucky
            traps = [t for t in follow_up.traps if t] + [name for _, name in follow_up.traps_by_value]
            trap = traps[0] if traps and knows and not right else ""
            settled.append((follow_up, Settled(right, follow_up.prompt, follow_up.prompt, trap)))
            if right:
                break
    return with_follow_ups(rubric, reading, settled) if settled else reading


@pytest.fixture(scope="module")
def results(rubric: Get) -> list[tuple[dict[str, Any], AnswerReading]]:
    return [(learner, graded(rubric(learner["lesson"]), learner)) for learner in LEARNERS]


def test_scores_come_within_half_a_point(results: list[tuple[dict[str, Any], AnswerReading]]) -> None:
    assert len(results) >= 40
    far = [learner["id"] for learner, reading in results if abs(reading.points - learner["score"]) > 0.5]
    assert 1 - len(far) / len(results) >= WITHIN_HALF, far


def test_guessers_get_a_quarter_at_most(results: list[tuple[dict[str, Any], AnswerReading]]) -> None:
    guesses = [(x, r) for x, r in results if x["understanding"] in ("guesser", "term-lister")]
    assert guesses
    assert sum(r.points for _, r in guesses) <= sum(r.maximum for _, r in guesses) / 4


def test_nobody_who_is_right_is_vetoed(results: list[tuple[dict[str, Any], AnswerReading]]) -> None:
    assert [x["id"] for x, r in results if x["understanding"] == "right" and r.vetoes] == []
