"""The answers of a submission from where they stand: answers.md, a notebook, both; without the lesson's own words, within bounds."""

from __future__ import annotations

from dataclasses import replace

from graders.answers import TITLES, Answers, Section, section_of
from graders.lesson import Lesson
from graders.notebook_export import parts_of
from graders.notebook_parts import Parts
from graders.submission import Submission
from graders.text import Text

LESSON_LINE = 16  # bytes from which on a line that stands in the lesson is the lesson's
MAX_ANSWER = 20_000  # characters of one section that are read: ten pages, and reading them takes seconds


def with_answers(submission: Submission, found: Answers) -> Submission:
    """answers.md beside what a notebook answers: its sections come first, the notebook fills the others."""
    notes = (*submission.notes, *found.notes)
    kept = {s: t for s, t in submission.answers.sections.items() if t and not found.get(s)}
    if not kept:
        return replace(submission, answers=found, notes=notes)
    text = Text("from the notebook, where answers.md says nothing: {s}", "answers.md 中没有、取自 notebook：{s}")
    names = Text(", ".join(TITLES[s].en for s in kept), "、".join(TITLES[s].zh for s in kept))
    both = replace(found, sections={**found.sections, **kept})
    return replace(submission, answers=both, notes=(*notes, text.fill(s=names)))


def with_bounded_answers(submission: Submission) -> Submission:
    """Sections of more than MAX_ANSWER characters are cut, which is told: a page of prose is quick to read, a book is not."""
    sections: dict[Section, str] = {}
    notes = []
    for section, text in submission.answers.sections.items():
        sections[section] = text[:MAX_ANSWER]
        if len(text) > MAX_ANSWER:
            told = Text(
                "section '{s}' has {n} characters: the first {m} were read", "“{s}”一节有 {n} 个字符：只读取了前 {m} 个"
            )
            notes.append(told.fill(s=TITLES[section], n=len(text), m=MAX_ANSWER))
    if not notes:
        return submission
    answers = replace(submission.answers, sections=sections)
    return replace(submission, answers=answers, notes=(*submission.notes, *notes))


def with_answers_in_questions(parts: Parts, lesson: Lesson, place: Text) -> None:
    """Words that somebody wrote into the cell of a question count as the answer where there is none elsewhere."""
    own = _lesson_lines(lesson)
    for cell in parts.cells:
        section = cell.section
        if cell.role != "question" or section is None or parts.answers.get(section):
            continue
        lines = (line for line in cell.source.split("\n") if line.strip() not in own)
        words = "\n".join(line for line in lines if section_of(line.strip("# ")) != section).strip()
        if words:
            parts.answers.sections[section] = words
            parts.answers.lines[section] = cell.line
            text = Text(
                "{p}: the answer {s} stands in the cell of the question; it was read",
                "{p}：答案 {s} 写在题目单元格中；已阅读",
            )
            parts.notes.append(text.fill(p=place.fill(n=cell.line), s=TITLES[section]))


def _lesson_lines(lesson: Lesson) -> set[str]:
    """Lines of the lesson's text, prompts and hints in both languages; short ones are anybody's, unless they are headings."""
    own: set[str] = set()
    for part in (*parts_of(lesson, "en"), *parts_of(lesson, "zh")):
        if not part.code:
            lines = (line.strip() for line in part.text.split("\n"))
            own |= {line for line in lines if len(line.encode()) >= LESSON_LINE or line.startswith("#")}
    return own


def without_lesson_words(answers: Answers, lesson: Lesson) -> None:
    """Take lines of the lesson itself (text, prompts, hints) out of the answers: they are nobody's own words."""
    if not any(answers.sections.values()):
        return
    own = _lesson_lines(lesson)
    for section, text in answers.sections.items():
        found = text.split("\n")
        kept = [line for line in found if line.strip() not in own]
        if len(kept) < len(found):
            answers.sections[section] = "\n".join(kept).strip()
