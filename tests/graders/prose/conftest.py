"""Rubrics of the course, loaded once for all tests of the prose grader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graders.prose.rubric import ProseRubric, load_rubric

LESSONS = Path(__file__).resolve().parents[3] / "lessons"
NAMES = ("lesson05", "lesson07", "lesson12", "lesson12-nan")


@pytest.fixture(scope="session")
def rubric() -> Callable[[str], ProseRubric]:
    loaded: dict[str, ProseRubric] = {}

    def get(name: str) -> ProseRubric:
        if name not in loaded:
            loaded[name] = load_rubric(LESSONS / name)
        return loaded[name]

    return get
