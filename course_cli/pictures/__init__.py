"""Drawings of the first failing case: what the lanes held, what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from graders.executors.base import Executor
    from graders.grade import Options
    from graders.lesson import Lesson
    from graders.scorecard import CaseResult


def draw(
    lesson: Lesson, case: CaseResult, fill: str, executor: Executor | None, options: Options
) -> RenderableType | None:
    """The picture of a failing case, or None where the lesson declares none or it would show nothing."""
    return None
