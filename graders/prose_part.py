"""The prose of a submission as the pipeline needs it: points of each text part, vetoes, the condition on sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.answers import Section
from graders.lesson import Lesson
from graders.rubric import RubricSpec
from graders.scorecard import AnswerResult, CaseResult, Part, Veto
from graders.submission import Submission
from graders.text import Text

# Which section of answers.md earns which part of the rubric.
SECTION_OF: dict[Part, Section] = {"explanation": "impl", "q1": "q1", "q2": "q2", "q3": "q3"}


@dataclass(frozen=True, slots=True)
class ProseReading:
    """What the prose earns; `boundary_and_tradeoff` None means that nobody has read it yet."""

    answers: dict[str, AnswerResult]
    vetoes: tuple[Veto, ...] = ()
    boundary_and_tradeoff: bool | None = None
    needs_review: tuple[str, ...] = ()


def read(lesson: Lesson, submission: Submission, cases: Sequence[CaseResult], rubric: RubricSpec) -> ProseReading:
    """Read every text part of a submission."""
    answers: dict[str, AnswerResult] = {}
    review = []
    for part, section in SECTION_OF.items():
        text = submission.answers.get(section)
        maximum = float(getattr(rubric.points, part))
        if not text:
            answers[part] = AnswerResult(0.0, maximum, "none")
            continue
        waiting = Text("not graded yet: an instructor reads it", "尚未评分：等待教师批阅")
        answers[part] = AnswerResult(0.0, maximum, "none", needs_review=True, feedback=(waiting,))
        review.append(part)
    return ProseReading(answers, needs_review=tuple(review))
