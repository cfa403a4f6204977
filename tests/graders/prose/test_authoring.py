"""What authors and instructors are shown, and learning from marks."""

from __future__ import annotations

from collections.abc import Callable

from graders.prose.inspection import gaps, try_answer
from graders.prose.learning import Mark, learned
from graders.prose.reader import ReadContext, read_answer
from graders.prose.rubric import ProseRubric
from graders.prose.second import load_second

Get = Callable[[str], ProseRubric]


def test_a_trial_shows_clauses_concepts_and_follow_ups(rubric: Get) -> None:
    trial = try_answer(rubric("lesson05"), "q1", "有人以为补位会被跳过，其实补位的 0 也加进去，总和不变。")
    assert trial.clauses[0].scopes == ("quoted",)
    assert any("+zero" in c.concepts for c in trial.clauses)
    assert [f for f in trial.follow_ups if f.link == "output"]
    assert trial.reading.points == 1.0


def test_gaps_are_clauses_that_nothing_reads(rubric: Get) -> None:
    rows = [
        {"id": "a", "question": "q1", "answer": "补的 0 不改变总和。天气晴朗，万里乌云。", "score": 2},
        {"id": "b", "question": "q1", "answer": "天气晴朗，万里乌云。", "score": 0},
    ]
    found = gaps(rubric("lesson05"), rows)
    assert {name for name, _ in found} == {"a"}
    assert not any("总和" in words for _, words in found)


def test_marks_move_the_second_reading_of_like_answers(rubric: Get) -> None:
    r, second = rubric("lesson05"), load_second()
    odd = "凑份子时空座位放的信封不装钱，最后数出来的正好是到场的人给的，记在这一桌的账上。"
    like = "凑份子的时候空座位放的信封不装钱，数出来的正好是到场那些人给的，记到这一桌的账上。"
    before = read_answer(r, "q1", like)
    taught = learned(r, second, [Mark("q1", odd, 2.0)] * 2)
    after = read_answer(r, "q1", like, context=ReadContext(second=taught))
    assert after.second[2] > before.second[2] + 0.1
    assert learned(r, second, []) is second
    assert load_second().joint.weights == second.joint.weights
