"""Drawings of the first failing case: what the lanes held, what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from graders.executors.base import Executor
    from graders.grade import Options
    from graders.lesson import Lesson
    from graders.scorecard import CaseResult, ScoreCard


def draw(
    lesson: Lesson, case: CaseResult, fill: str, executor: Executor | None, options: Options
) -> RenderableType | None:
    """The picture of a failing case, or None where the lesson declares none or it would show nothing."""
    from graders.errors import CourseError

    if lesson.spec.picture is None or executor is None:
        return None
    try:
        if lesson.spec.picture.kind == "argmax-tree":
            from course_cli.pictures.tree import run_tree
            from course_cli.pictures.tree_view import tree_picture

            tree = run_tree(lesson, case, fill, executor, options)
            return None if tree is None else tree_picture(tree, lesson.spec.picture)
        from course_cli.pictures.probe import run_row
        from course_cli.pictures.rows import row_picture

        run = run_row(lesson, case, fill, executor, options)
        return None if run is None or not run.padding else row_picture(run, lesson.spec.picture, fill)
    except CourseError:  # a picture helps to understand a verdict; without one the verdict stands
        return None


def draw_first(
    lesson: Lesson, card: ScoreCard, fill: str, executor: Executor | None, options: Options
) -> RenderableType | None:
    """The first failing case, a visible one if there is one, with its picture; None where every case passed."""
    from course_cli import views

    failing = [c for c in card.cases if c.outcome in views.FAILING]
    if not failing:
        return None
    first = next((c for c in failing if c.visible), failing[0])
    return views.failure(first, draw(lesson, first, fill, executor, options))
