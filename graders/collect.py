"""From paths to submissions: which lesson a file belongs to, what its blank holds, which answers lie beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from graders.course import Course
from graders.errors import BadInput, Where
from graders.evidence import read_receipts
from graders.lesson import Lesson
from graders.submission import CODE_SUFFIXES, EditNote, Submission, read_answers, read_bytes, sha256
from graders.template_diff import compare, marker, read_text, similarity
from graders.text import Text

ANSWERS = "answers.md"
CLOSE_ENOUGH = 0.5  # least similarity of syntax trees for a file to belong to a lesson
CLEARLY_CLOSER = 0.03  # lead over the next lesson for the choice to be clear


def batch_of(path: Path) -> list[Path]:
    """The members of a batch folder; empty for a file and for a folder that is one submission."""
    if not path.is_dir() or _is_submission(path):
        return []
    members = [
        p for p in sorted(path.iterdir()) if not p.name.startswith(".") and (p.is_dir() or p.suffix in CODE_SUFFIXES)
    ]
    if not members:
        raise BadInput(
            Text("holds no submission (.py, .cu, answers.md)", "没有提交内容（.py、.cu、answers.md）"), Where(str(path))
        )
    return members


def collect(course: Course, path: Path, lesson_name: str | None, answers: Path | None) -> tuple[Lesson, Submission]:
    """Read one submission (a code file, or a folder with code and answers.md); raises BadInput."""
    if path.is_dir():
        codes = _codes(path)
        beside = path / ANSWERS
        if len(codes) > 1:
            names = ", ".join(c.name for c in codes)
            raise BadInput(
                Text("holds several code files: {n}", "含有多个代码文件：{n}").fill(n=names), Where(str(path))
            )
        if not codes:
            return _answers_only(course, path, beside, lesson_name)
        lesson, submission = _code_file(course, codes[0], lesson_name)
        submission = replace(submission, path=str(path))
        if answers is None and beside.is_file():
            answers = beside
    else:
        lesson, submission = _code_file(course, path, lesson_name)
    if answers is not None:
        found = read_answers(answers)
        submission = replace(submission, answers=found, notes=(*submission.notes, *found.notes))
    receipts, notes = read_receipts(path if path.is_dir() else path.parent)
    return lesson, replace(submission, receipts=receipts, notes=(*submission.notes, *notes))


def _is_submission(folder: Path) -> bool:
    return (folder / ANSWERS).is_file() or len(_codes(folder)) == 1


def _codes(folder: Path) -> list[Path]:
    return [
        p for p in sorted(folder.iterdir()) if p.suffix in CODE_SUFFIXES and p.is_file() and not p.name.startswith(".")
    ]


def _answers_only(course: Course, folder: Path, beside: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    if lesson_name is None:
        raise BadInput(Text("holds no code file: give --lesson", "没有代码文件：请给出 --lesson"), Where(str(folder)))
    found = read_answers(beside)
    return course.lesson(lesson_name), Submission(fill="", path=str(folder), answers=found, notes=tuple(found.notes))


def _code_file(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    raw = read_bytes(path)
    source = read_text(raw, str(path))
    lesson = course.lesson(lesson_name) if lesson_name else course.lesson(_which(course, path, source))
    found = compare(lesson.template, source, lesson.spec.language)
    if not found.fits or found.fill is None:
        place = found.stops_fitting_at
        where = Where(str(path), place.line, place.column) if place else Where(str(path))
        why = place.words if place else Text("the blank is not there", "找不到填空")
        text = Text("this file does not fit the template of {l}: {w}", "此文件与 {l} 的模板不符：{w}")
        raise BadInput(text.fill(l=lesson.id, w=why), where)
    edits = tuple(
        EditNote(f"template:{e.template_line or e.line}", e.words, e.before or e.after, e.severity == "veto")
        for e in found.edits
    )
    notes = tuple(
        Text("line {n}: {w}", "第 {n} 行：{w}").fill(n=e.line, w=e.words)
        for e in found.edits
        if e.severity != "harmless"
    )
    return lesson, Submission(found.fill, str(path), sha256(raw), edits=edits, notes=notes)


def _which(course: Course, path: Path, source: str) -> str:
    """The lesson by the marker comment, else by similarity of syntax trees; raises BadInput where it is not clear."""
    marked = marker(source)
    if marked is not None:
        if marked in course.ids:
            return marked
        text = Text("its marker names {m}, which this course does not have", "其标记为 {m}，本课程没有这一课")
        raise BadInput(text.fill(m=repr(marked)), Where(str(path)))
    suffix = path.suffix
    scores = []
    for lesson_id in course.ids:
        lesson = course.lesson(lesson_id)
        if Path(lesson.spec.template).suffix == suffix:
            scores.append((similarity(lesson.template, source), lesson_id))
    scores.sort(reverse=True)
    if not scores or scores[0][0] < CLOSE_ENOUGH:
        raise BadInput(
            Text("belongs to no lesson of this course: give --lesson", "不属于本课程的任何一课：请给出 --lesson"),
            Where(str(path)),
        )
    close = [i for s, i in scores if scores[0][0] - s < CLEARLY_CLOSER]
    if len(close) > 1:
        text = Text("may belong to {c}: give --lesson", "可能属于 {c}：请用 --lesson 指定")
        raise BadInput(text.fill(c=", ".join(close)), Where(str(path)))
    return scores[0][1]
