"""The prose of a submission as the pipeline needs it: points of each text part, vetoes, the condition on sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from graders.answers import Section
from graders.lesson import Lesson
from graders.rubric import RubricSpec
from graders.scorecard import AnswerResult, CaseResult, GradedBy, LinkResult, Part, Veto
from graders.submission import Submission
from graders.text import Text

if TYPE_CHECKING:
    from graders.mutants import Mutants
    from graders.prose.followups import FollowUp, Settled
    from graders.prose.judge import Judge
    from graders.prose.reader import AnswerReading, ReadContext
    from graders.prose.rubric import ProseRubric

# Which section of answers.md earns which part of the rubric; questions carry the section's name in the prose rubric.
SECTION_OF: dict[Part, Section] = {"explanation": "impl", "q1": "q1", "q2": "q2", "q3": "q3"}
_NOBODY = Text(
    "not graded: this lesson has no prose rubric; an instructor reads it", "未评分：本课没有文字评分规则；等待教师批阅"
)


@dataclass(frozen=True, slots=True)
class ProseReading:
    """What the prose earns; `boundary_and_tradeoff` None means that nobody has read it yet."""

    answers: dict[str, AnswerResult]
    vetoes: tuple[Veto, ...] = ()
    boundary_and_tradeoff: bool | None = None
    missing: tuple[str, ...] = ()  # of "boundary" and "tradeoff", what nobody could read
    needs_review: tuple[str, ...] = ()


def read(
    lesson: Lesson,
    submission: Submission,
    cases: Sequence[CaseResult],
    rubric: RubricSpec,
    judge: Judge | None = None,
) -> ProseReading:
    """Read every text part of a submission; a judge's verdicts on links stand in place of the rules', never over their vetoes."""
    if not any(text.strip() for text in submission.answers.sections.values()):  # nothing to read, so nothing is loaded
        none = {part: AnswerResult(0.0, float(getattr(rubric.points, part)), "none") for part in SECTION_OF}
        return ProseReading(
            {str(part): answer for part, answer in none.items()},
            boundary_and_tradeoff=False,
            missing=("boundary", "tradeoff"),
        )
    prose = rubric_of(lesson)
    answers: dict[str, AnswerResult] = {}
    vetoes: list[Veto] = []
    settled = settled_of(lesson, submission.answers.get("follow_ups")) if prose is not None else {}
    for part, section in SECTION_OF.items():
        text = submission.answers.get(section)
        maximum = float(getattr(rubric.points, part))
        if not text.strip():
            answers[part] = AnswerResult(0.0, maximum, "none")
        elif prose is None or section not in prose.questions:
            answers[part] = AnswerResult(0.0, maximum, "none", needs_review=True, feedback=(_NOBODY,))
        else:
            reading = read_one(lesson, section, text, facts_of(lesson, cases), settled.get(section, ()), judge)
            answers[part] = _result(reading, maximum, "llm" if judge is not None else "rules")
            vetoes += [Veto(rule, part, words) for rule, words in reading.vetoes]
    review = tuple(part for part, answer in answers.items() if answer.needs_review)
    named = _sections(prose, submission)
    missing = (
        () if named is None else tuple(n for n, holds in zip(("boundary", "tradeoff"), named, strict=True) if not holds)
    )
    return ProseReading(answers, tuple(vetoes), None if named is None else all(named), missing, review)


def rubric_of(lesson: Lesson) -> ProseRubric | None:
    """The lesson's prose rubric, or None where it has none."""
    if lesson.spec.prose is None or not (lesson.folder / lesson.spec.prose).is_file():
        return None
    return _loaded(lesson.folder)


def read_one(
    lesson: Lesson,
    section: Section,
    text: str,
    facts: Mapping[str, str] | None = None,
    settled: Sequence[tuple[FollowUp, Settled]] = (),
    judge: Judge | None = None,
) -> AnswerReading:
    """One answer by the lesson's prose rubric, with everything that it may have been copied from and its follow-ups at hand."""
    from graders.prose.asking import with_follow_ups
    from graders.prose.reader import read_answer

    prose = rubric_of(lesson)
    assert prose is not None
    context = context_of(lesson, section, facts)
    reading = read_answer(prose, section, text, context=context)
    if judge is not None:
        from graders.prose.judge import with_judgement

        reading = with_judgement(prose, reading, judge.judge(prose.questions[section], text, context.question))
    return with_follow_ups(prose, reading, settled) if settled else reading


def settled_of(lesson: Lesson, records: str) -> dict[str, list[tuple[FollowUp, Settled]]]:
    """The replies recorded in the section Follow-ups, by question, each settled again by recomputing.

    Where the kernel cannot be run here, predictions are left out: they neither help nor harm.
    """
    from graders.errors import EnvironmentProblem
    from graders.prose.followups import parse_records, settle_all

    prose = rubric_of(lesson)
    replies = [r for r in parse_records(records) if r.reply.strip()]
    if prose is None or not replies:
        return {}
    try:
        return settle_all(prose, replies, mutants_of(lesson).run)
    except EnvironmentProblem:
        kinds = {spec.id: spec.kind for spec in prose.follow_ups}
        return settle_all(prose, [r for r in replies if kinds.get(r.id) != "prediction"], None)


@lru_cache(maxsize=8)
def mutants_of(lesson: Lesson) -> Mutants:
    """The runs by which this lesson's predictions are settled; kept while the process lives."""
    from graders.mutants import Mutants

    return Mutants(lesson)


def context_of(lesson: Lesson, section: Section, facts: Mapping[str, str] | None = None) -> ReadContext:
    """What the reader may know beside the answer: the prompt, the lesson's text, the reference, facts of the run."""
    from graders.prose.reader import ReadContext

    prompts = [q.prompt for q in lesson.spec.questions if q.id == section]
    solution = lesson.solution()
    reference = getattr(solution.reference, section, None) if solution else None
    return ReadContext(
        question=" ".join(f"{p.zh} {p.en}" for p in prompts),
        lesson_texts={"zh": lesson.text("zh"), "en": lesson.text("en")},
        reference={"zh": reference.zh, "en": reference.en} if reference else {},
        evidence=dict(facts or {}),
    )


def facts_of(lesson: Lesson, cases: Sequence[CaseResult]) -> dict[str, str]:
    """What the run showed, for claims about 'my kernel': the lesson's facts where every case passed, else nothing."""
    ran = [c for c in cases if c.outcome != "not-run"]
    return dict(lesson.spec.facts) if ran and all(c.outcome == "pass" for c in ran) else {}


def _sections(prose: ProseRubric | None, submission: Submission) -> tuple[bool, bool] | None:
    """Whether a correctness boundary and a performance trade-off are named; None where nobody can read them."""
    if prose is None:
        return None
    from graders.prose.reader import read_sections

    answers: dict[str, str] = {s: submission.answers.get(s) for s in SECTION_OF.values()}
    found = read_sections(prose, submission.answers.get("boundary"), submission.answers.get("tradeoff"), answers)
    return found.boundary, found.tradeoff


def _result(reading: AnswerReading, maximum: float, graded_by: GradedBy) -> AnswerResult:
    scale = maximum / reading.maximum if reading.maximum else 0.0
    links = tuple(LinkResult(link.id, link.state, link.words, link.follow_up) for link in reading.links)
    return AnswerResult(
        points=reading.points * scale,
        maximum=maximum,
        graded_by=graded_by,
        confidence=min(max(reading.confidence, 0.0), 1.0),
        links=links,
        needs_review=reading.needs_review,
        feedback=(*reading.feedback, *(c.says for c in reading.claims if not c.holds)),
    )


@lru_cache(maxsize=16)
def _loaded(folder: Path) -> ProseRubric:
    from graders.prose.rubric import load_rubric

    return load_rubric(folder)
