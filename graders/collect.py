"""From paths to submissions: which lesson a file belongs to, what its blank holds, which answers lie beside it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from graders.archive import is_archive, unpacked
from graders.course import Course
from graders.errors import BadInput, CourseError, Where
from graders.evidence import read_receipts
from graders.lesson import Lesson
from graders.notebook import MAX_NOTEBOOK_BYTES, read_ipynb, read_qmd
from graders.submission import CODE_SUFFIXES, EditNote, Submission, read_answers, read_bytes, sha256
from graders.template_diff import compare, marker, read_text, similarity
from graders.text import Text

ANSWERS = "answers.md"
CLOSE_ENOUGH = 0.5  # least similarity of syntax trees for a file to belong to a lesson
CLEARLY_CLOSER = 0.03  # lead over the next lesson for the choice to be clear


NOTEBOOK_SUFFIXES = (".ipynb", ".qmd")


def batch_of(path: Path) -> list[Path]:
    """The members of a batch folder; empty for a file and for a folder that is one submission."""
    if not path.is_dir() or _is_submission(path):
        return []
    suffixes = (*CODE_SUFFIXES, *NOTEBOOK_SUFFIXES)
    members = [
        p
        for p in sorted(path.iterdir())
        if p.name[0] not in "._" and (p.is_dir() or p.suffix in suffixes or is_archive(p))
    ]
    members = [p for p in members if p.is_dir() is False or any(not q.name.startswith(".") for q in p.iterdir())]
    if not members:
        raise BadInput(
            Text(
                "holds no submission (.py, .cu, .ipynb, .qmd, answers.md)",
                "没有提交内容（.py、.cu、.ipynb、.qmd、answers.md）",
            ),
            Where(str(path)),
        )
    return members


class Opened:
    """Paths as they are graded: an archive becomes a temporary folder, but what is said names the archive."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._archives: dict[str, str] = {}

    def enter(self, path: Path) -> Path:
        """The path itself, or the folder of an archive's members; raises BadInput."""
        if not (path.is_file() and is_archive(path)):
            return path
        try:
            folder = self._stack.enter_context(unpacked(path))
        except CourseError as error:
            raise self._named(error) from None
        inner = [p for p in folder.iterdir() if not p.name.startswith((".", "__MACOSX"))]
        root = inner[0] if len(inner) == 1 and inner[0].is_dir() else folder
        self._archives[str(root)] = self.name(str(path))
        return root

    def collect(
        self, course: Course, path: Path, lesson_name: str | None, answers: Path | None
    ) -> tuple[Lesson, Submission]:
        """As `collect`, with the names of archives in what is said."""
        try:
            lesson, submission = collect(course, path, lesson_name, answers)
        except CourseError as error:
            raise self._named(error) from None
        return lesson, replace(submission, path=self.name(str(submission.path)))

    def name(self, path: str) -> str:
        """A path as a person knows it: inside of the archive that it came from."""
        for root, archive in self._archives.items():
            if path == root or path.startswith(root + "/"):
                return archive + path[len(root) :]
        return path

    def _named(self, error: CourseError) -> CourseError:
        if error.where is not None:
            error.where = replace(error.where, path=self.name(error.where.path))
        return error


def collect(course: Course, path: Path, lesson_name: str | None, answers: Path | None) -> tuple[Lesson, Submission]:
    """Read one submission (a code file, a notebook, or a folder with answers.md); raises BadInput."""
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
        lesson, submission = _file(course, codes[0], lesson_name)
        submission = replace(submission, path=str(path))
        if answers is None and beside.is_file():
            answers = beside
    else:
        lesson, submission = _file(course, path, lesson_name)
    if answers is not None:
        found = read_answers(answers)
        submission = replace(submission, answers=found, notes=(*submission.notes, *found.notes))
    receipts, told = read_receipts(path if path.is_dir() else path.parent)
    return lesson, replace(submission, receipts=receipts, notes=(*submission.notes, *told))


def _is_submission(folder: Path) -> bool:
    return (folder / ANSWERS).is_file() or len(_codes(folder)) == 1


def _codes(folder: Path) -> list[Path]:
    suffixes = (*CODE_SUFFIXES, *NOTEBOOK_SUFFIXES)
    return [p for p in sorted(folder.iterdir()) if p.suffix in suffixes and p.is_file() and not p.name.startswith(".")]


def _file(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    return (
        _notebook(course, path, lesson_name)
        if path.suffix in NOTEBOOK_SUFFIXES
        else _code_file(course, path, lesson_name)
    )


def _answers_only(course: Course, folder: Path, beside: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    if lesson_name is None:
        raise BadInput(Text("holds no code file: give --lesson", "没有代码文件：请给出 --lesson"), Where(str(folder)))
    found = read_answers(beside)
    return course.lesson(lesson_name), Submission(fill="", path=str(folder), answers=found, notes=tuple(found.notes))


def _code_file(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    raw = read_bytes(path)
    source = read_text(raw, str(path))
    lesson = course.lesson(lesson_name) if lesson_name else course.lesson(_which(course, path, source, path.suffix))
    fill, edits, notes = _compared(lesson, source, str(path))
    return lesson, Submission(fill, str(path), sha256(raw), edits=edits, notes=notes)


def _notebook(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    raw = read_bytes(path, MAX_NOTEBOOK_BYTES)
    words = read_text(raw, str(path), MAX_NOTEBOOK_BYTES)
    parts = read_ipynb(words, str(path)) if path.suffix == ".ipynb" else read_qmd(words)
    if parts.code is None and lesson_name is None:
        raise BadInput(
            Text(
                "no cell holds the exercise: give --lesson to grade the answers",
                "没有练习代码单元格：请用 --lesson 指定后只评答案",
            ),
            Where(str(path)),
        )
    name = lesson_name or _which(course, path, str(parts.code), parts.suffix)
    lesson = course.lesson(name)
    fill = ""
    edits: tuple[EditNote, ...] = ()
    notes: tuple[Text, ...] = ()
    if parts.code is not None:
        fill, edits, notes = _compared(lesson, parts.code, str(path))
    return lesson, Submission(
        fill,
        str(path),
        sha256(raw),
        answers=parts.answers,
        edits=edits,
        notes=(*parts.notes, *notes),
        output=parts.output,
    )


def _compared(lesson: Lesson, source: str, path: str) -> tuple[str, tuple[EditNote, ...], tuple[Text, ...]]:
    """The blank's text and the edits around it; raises BadInput where the source is no version of the template."""
    found = compare(lesson.template, source, lesson.spec.language)
    if not found.fits or (found.fill is None and not found.unfilled):
        place = found.stops_fitting_at
        where = Where(path, place.line, place.column) if place else Where(path)
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
    return found.translated or "", edits, notes


def _which(course: Course, path: Path, source: str, suffix: str) -> str:
    """The lesson by the marker comment, else by similarity of syntax trees; raises BadInput where it is not clear."""
    marked = marker(source)
    if marked is not None:
        if marked in course.ids:
            return marked
        text = Text("its marker names {m}, which this course does not have", "其标记为 {m}，本课程没有这一课")
        raise BadInput(text.fill(m=repr(marked)), Where(str(path)))
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
