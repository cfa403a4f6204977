"""What authors and instructors are shown."""

from __future__ import annotations

from collections.abc import Callable

from graders.prose.inspection import clause_views, gaps
from graders.prose.rubric import ProseRubric

Get = Callable[[str], ProseRubric]


def test_clauses_show_scopes_and_concepts(rubric: Get) -> None:
    views = clause_views(rubric("lesson05"), "q1", "有人以为补位会被跳过，其实补位的 0 也加进去，总和不变。")
    assert views[0].scopes == ("quoted",)
    assert any("+zero" in v.concepts for v in views)


def test_gaps_are_clauses_that_nothing_reads(rubric: Get) -> None:
    rows = [
        {"id": "a", "question": "q1", "answer": "补的 0 不改变总和。天气晴朗，万里乌云。", "score": 2},
        {"id": "b", "question": "q1", "answer": "天气晴朗，万里乌云。", "score": 0},
    ]
    found = gaps(rubric("lesson05"), rows)
    assert {name for name, _ in found} == {"a"}
    assert not any("总和" in words for _, words in found)
