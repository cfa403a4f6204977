"""Learners of known understanding, from the free answer through follow-ups to the points, live and from answers.md.

The learners, what they believe and what they reply are data (tests/data/answers/followup_*.yaml) and come from somebody
who decided by the beliefs alone; benchmarks/prose/simulate_learners.py runs them and prints the same figures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from graders.prose.followups import make
from tests.beside import module_at

pytest.importorskip("triton")


S = module_at("benchmarks/prose/simulate_learners.py")
LESSONS = ("lesson05", "lesson07", "lesson12", "lesson12-nan")

# Share of runs (126 learners of two sets, seeds 1 to 3) within half a point of what the learner deserves: measured
# 0.952, less four learners. The goal is 0.90. (The second set came out at 0.899 before its misses were looked at.)
FLOOR = 0.92
# Learners who do not always get what they deserve, and why. Whoever else misses is news.
KNOWN_MISSES = {
    "f05-03": "partial: one choice, guessed right, makes it whole",
    "f05-13": "follow-up does not separate: the row's maximum is right for whoever thinks that infinities are skipped",
    "f07-11": "partial: a choice guessed at the second try makes it whole",
    "f07-18": "follow-up does not separate: who lets the masked store repair the sum answers the experiment right",
    "f12-04": "follow-up does not separate: the full condition returns the smallest index for an ascending order too",
    "f12-07": "partial: who knows that the receiver stays guesses one of two indices",
    "s05-06": "partial: a prediction and a choice, both guessed right, make it whole",
    "s07-06": "partial: the second reading takes the half that was said for nothing; guesses at the rest",
    "s07-10": "a slip in the text that no pattern knows; all follow-ups answered right",
    "s12-05": "partial: guesses right at the second tries",
    "s12n-06": "partial: guesses right at the second tries",
}


@pytest.fixture(scope="module")
def runs() -> list[Any]:
    found: list[Any] = S.simulate()
    return found


def _askable(lesson: str, question: str) -> list[Any]:
    """The follow-ups that may be asked in a question: by their links, and as experiments."""
    rubric = S._rubric(lesson)
    experiments = {m.experiment for m in rubric.misconceptions_of(question)}
    return [f for f in rubric.follow_ups if f.id in experiments or any(q == question for q, _ in f.links)]


def test_there_are_learners_of_every_kind() -> None:
    kinds = Counter(learner.kind for learner in S.learners("both"))
    assert sum(kinds.values()) >= 40
    assert set(kinds) == {"right", "partial", "misconception", "guesser", "term-lister"}
    for which, lessons in (("first", LESSONS[:3]), ("more", LESSONS), ("both", LESSONS)):
        asked = {(learner.lesson, learner.question) for learner in S.learners(which)}
        assert asked == {(lesson, q) for lesson in lessons for q in ("q1", "q2", "q3", "impl")}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_reply_is_decided_for_every_follow_up_that_may_be_asked(lesson: str) -> None:
    """Also: every option and number that a rule or a guess names exists, for every learner and several seeds."""
    rubric = S._rubric(lesson)
    undecided = []
    for question in rubric.questions:
        known = S.replies_data()[lesson][question]["replies"]
        for spec in _askable(lesson, question):
            if spec.id not in known:
                undecided.append(f"{question}: {spec.id}")
                continue
            link = next((name for q, name in spec.links if q == question), "")
            for seed in S.SEEDS:
                made = make(rubric, spec, question, link, seed)
                if made.kind == "prediction":
                    assert all(S._one(made, name) for name in S.replies_data()[lesson]["guesses"][spec.id])
                for learner in S.learners("both"):
                    if (learner.lesson, learner.question) == (lesson, question):
                        assert len(S.replies_of(learner, made)) == 2
    assert undecided == []


def test_points_are_within_half_a_point_of_what_is_known(runs: list[Any]) -> None:
    missed = {run.learner.id for run in runs if not run.near}
    assert S.share(runs) >= FLOOR, S.report(runs)
    assert missed <= set(KNOWN_MISSES), missed - set(KNOWN_MISSES)


def test_who_knows_it_all_gets_it_all(runs: list[Any]) -> None:
    right = [run for run in runs if run.learner.kind == "right"]
    assert all(run.near and not run.final.vetoes for run in right), [S.line(r) for r in right if not r.near]


def test_no_veto_for_one_who_answers_the_follow_up_right(runs: list[Any]) -> None:
    asserted = [run for run in runs if run.read.misconceptions and run.answered_right]
    assert asserted, "nobody to test it with"
    assert [S.line(run) for run in asserted if run.final.vetoes] == []
    # Nor for anybody who holds no misconception, whatever was read.
    assert [S.line(run) for run in runs if run.final.vetoes and not run.learner.veto] == []


def test_guessing_earns_a_quarter_at_most(runs: list[Any]) -> None:
    earned = defaultdict(list)
    for run in runs:
        if run.learner.kind in S.GUESSING:
            earned[run.learner.id].append(run.final.points / run.final.maximum)
    assert len(earned) >= 6
    assert {name: values for name, values in earned.items() if sum(values) / len(values) > 0.25} == {}
    assert max(max(values) for values in earned.values()) <= 0.5


def test_a_misconception_that_is_repeated_is_a_veto(runs: list[Any]) -> None:
    """Asserted in the answer and repeated in its experiment: veto and no points, in the session and from answers.md."""
    repeated = 0
    for run in runs:
        asserted = {m.id: m.experiment for m in run.read.misconceptions if m.veto and m.force == "asserted"}
        outcomes = [(f.id, s) for f, s in run.settled]
        for name, experiment in asserted.items():
            tried = [s for where, s in outcomes if where == experiment]
            if tried and not any(s.right for s in tried) and any(s.misconception == name for s in tried):
                repeated += 1
                assert run.final.vetoes, S.line(run)
                assert run.final.points == run.recorded.points == 0, S.line(run)
    assert repeated >= 15  # the rule above was really put to the test


def test_answers_md_is_graded_as_the_session_was(runs: list[Any]) -> None:
    different = [S.line(run) for run in runs if not run.same_recorded]
    assert different == []
