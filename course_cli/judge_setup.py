"""The optional judge of the command line: `--judge URL --judge-model NAME`, admitted only after it has proven itself.

Before a judge grades anything, it reads the lesson's gold answers and must agree with their labels as well as the threshold says; the
figures are kept in the cache by server, model and lesson, so that this is paid once.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_cli.context import settings
from course_cli.store import write_file
from graders.errors import BadInput, EnvironmentProblem
from graders.text import Text

if TYPE_CHECKING:
    from graders.lesson import Lesson
    from graders.prose.judge import Judge


def chosen_judge() -> Judge | None:
    """The judge that the options name, or None; raises BadInput where they do not fit together."""
    if settings.judge is None:
        if settings.judge_model:
            raise BadInput(Text("--judge-model needs --judge URL", "--judge-model 需要 --judge URL"))
        return None
    if not settings.judge_model:
        raise BadInput(Text("--judge needs --judge-model NAME", "--judge 需要 --judge-model NAME"))
    from graders.prose.judge import Judge, JudgeSettings

    return Judge(JudgeSettings(settings.judge, settings.judge_model, settings.judge_remote))


def admitted_judge(lesson: Lesson) -> Judge | None:
    """The judge, once it has reached the threshold on the gold answers of this lesson; raises EnvironmentProblem with its figures."""
    judge = chosen_judge()
    if judge is None:
        return None
    from graders.prose.judge import qualify
    from graders.selftest_prose import gold_rows

    kept = _kept(judge, lesson)
    summary = _read(kept)
    if summary is None:
        rows = gold_rows(lesson)
        if not rows:
            raise EnvironmentProblem(
                Text(
                    "the judge cannot prove itself: {l} has no gold answers here",
                    "无法检验评审：此处没有 {l} 的标注答案",
                ).fill(l=lesson.id)
            )
        summary = measure(judge, {lesson.id: lesson}, rows)["summary"]
        write_file(kept, json.dumps(summary))
    refusal = qualify(summary)
    if refusal is not None:
        raise EnvironmentProblem(refusal)
    return judge


def measure(judge: Judge, lessons: dict[str, Lesson], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Items and summary of labelled answers, read with the judge."""
    from graders.prose.evaluate import evaluate_rows
    from graders.prose_part import read_one, rubric_of

    rubrics = {name: prose for name, lesson in lessons.items() if (prose := rubric_of(lesson)) is not None}
    return evaluate_rows(
        rows, rubrics, read=lambda row: read_one(lessons[row["lesson"]], row["question"], row["answer"], judge=judge)
    )


def _kept(judge: Judge, lesson: Lesson) -> Path:
    from graders.executors.nvcc import cache_folder

    name = "\0".join((judge.settings.url, judge.settings.model, str(judge.settings.votes), lesson.id))
    return cache_folder() / "judge" / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None
