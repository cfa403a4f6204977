"""From paths to submissions: which lesson a file belongs to, what its blank holds, which answers lie beside it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from graders.archive import MAX_ALL, is_archive, unpacked
from graders.archive import SUFFIXES as ARCHIVE_SUFFIXES
from graders.collect_answers import with_answers, with_answers_in_questions, with_bounded_answers, without_lesson_words
from graders.course import Course
from graders.errors import BadInput, CourseError, Where
from graders.evidence import read_receipts
from graders.lesson import Lesson
from graders.notebook import MAX_NOTEBOOK_BYTES, read_ipynb, read_qmd
from graders.notebook_evidence import language_of, stored_of
from graders.notebook_export import exported_code, exported_text
from graders.notebook_parts import NO_EXERCISE, Cell, Parts, missing_answers, take, without_lesson_cells
from graders.submission import CODE_SUFFIXES, EditNote, Misfit, Submission, read_answers, read_bytes, sha256
from graders.template_diff import Edit, compare, marker, read_text, similarity
from graders.text import Text, same

ANSWERS = "answers.md"
CLOSE_ENOUGH = 0.5  # least similarity of syntax trees for a file to belong to a lesson
CLEARLY_CLOSER = 0.03  # lead over the next lesson for the choice to be clear
MOST_EDITS = 8  # harmless edits that are listed
NOTEBOOK_SUFFIXES = (".ipynb", ".qmd")


def batch_of(path: Path) -> list[Path]:
    """The members of a batch folder; empty for a file and for a folder that is one submission. Links are left out."""
    if not path.is_dir() or _is_submission(path):
        return []
    suffixes = (*CODE_SUFFIXES, *NOTEBOOK_SUFFIXES)
    members = [
        p
        for p in sorted(path.iterdir())
        if p.name[0] not in "._"
        and not p.is_symlink()
        and (_has_something(p) if p.is_dir() else p.is_file() and (p.suffix.lower() in suffixes or is_archive(p)))
    ]
    if not members:
        raise BadInput(
            Text(
                "holds no submission (.py, .cu, .ipynb, .qmd, answers.md)",
                "没有提交内容（.py、.cu、.ipynb、.qmd、answers.md）",
            ),
            Where(str(path)),
        )
    return members


def _has_something(folder: Path) -> bool:
    try:
        return any(not p.name.startswith(".") for p in folder.iterdir())
    except OSError:
        return True  # what is wrong with it is told when it is read


class Opened:
    """Paths as they are graded: an archive becomes a temporary folder, but what is said names the archive.

    All archives together may unpack to MAX_ALL bytes, so that archives inside of archives add up to no bomb.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._archives: dict[str, str] = {}
        self._left = MAX_ALL

    def enter(self, path: Path) -> Path:
        """The path itself, or the folder of an archive's members; raises BadInput."""
        if not (path.is_file() and is_archive(path)):
            return path
        try:
            folder, size = self._stack.enter_context(unpacked(path, self._left))
        except CourseError as error:
            raise self._named(error) from None
        self._left -= size
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
    """Read one submission (a code file, a notebook, or a folder with answers.md); raises BadInput.

    In a folder with code and a notebook the code file counts for the blank; answers.md, section by section, comes before what
    a notebook answers.
    """
    if path.is_dir():
        lesson, submission = _folder(course, path, lesson_name)
        submission = replace(submission, path=str(path))
        if answers is None and (path / ANSWERS).is_file():
            answers = path / ANSWERS
    else:
        lesson, submission = _file(course, path, lesson_name)
    if answers is not None:
        submission = with_answers(submission, read_answers(answers))
    submission = with_bounded_answers(submission)
    receipts, told = read_receipts(path if path.is_dir() else path.parent)
    return lesson, replace(submission, receipts=receipts, notes=(*submission.notes, *told))


def _folder(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    codes, notebooks = _codes(path), _notebooks(path)
    for each in (*codes, *notebooks, path / ANSWERS):
        if each.is_symlink():
            raise _link(each)
    several = codes if len(codes) > 1 else notebooks if not codes and len(notebooks) > 1 else []
    if several:
        names = ", ".join(c.name for c in several)
        raise BadInput(
            Text("holds several code files: {n}", "含有多个代码文件：{n}").fill(n=names[:200]), Where(str(path))
        )
    if not codes and not notebooks:
        return _answers_only(course, path, path / ANSWERS, lesson_name)
    lesson, submission = _file(course, (codes or notebooks)[0], lesson_name)
    if codes and notebooks:
        submission = _beside(course, submission, lesson, codes[0], notebooks)
    return lesson, submission


def _beside(
    course: Course, submission: Submission, lesson: Lesson, code: Path, notebooks: Sequence[Path]
) -> Submission:
    """Code and notebook in one folder: the code counts; a single notebook of the same lesson may add answers."""
    names = ", ".join(n.name for n in notebooks)[:200]
    text = Text("{c} and {n} lie side by side: the blank of {c} counts", "{c} 与 {n} 同时存在：以 {c} 的填空为准").fill(
        c=code.name, n=names
    )
    submission = replace(submission, notes=(*submission.notes, text))
    if len(notebooks) > 1:
        return submission
    try:
        _, found = _file(course, notebooks[0], lesson.id)
    except BadInput as problem:
        text = Text("{n} was not read: {w}", "{n} 未读取：{w}").fill(n=notebooks[0].name, w=problem.text)
        return replace(submission, notes=(*submission.notes, text))
    notes = list(submission.notes)
    if found.fill != submission.fill:
        text = Text("the blank of {n} is another one: it was not graded", "{n} 中的填空与此不同：未评分")
        notes.append(text.fill(n=notebooks[0].name))
    told = (n for n in found.notes if n not in notes)
    return replace(submission, answers=found.answers, stored=(), notes=(*notes, *told))


def _is_submission(folder: Path) -> bool:
    codes, notebooks = _codes(folder), _notebooks(folder)
    if (folder / ANSWERS).exists() or (len(codes) == 1 and not notebooks):
        return True
    if not codes and len(notebooks) == 1:
        # One loose notebook among other people's archives and folders is a member of a batch as they are.
        return not any(is_archive(p) or (p.is_dir() and (p / ANSWERS).exists()) for p in folder.iterdir())
    # Code and notebook of the same name are one person's work; of different names they may be two people's.
    return len(codes) == 1 and len(notebooks) == 1 and codes[0].stem == notebooks[0].stem


def _codes(folder: Path) -> list[Path]:
    return _files(folder, CODE_SUFFIXES)


def _notebooks(folder: Path) -> list[Path]:
    return _files(folder, NOTEBOOK_SUFFIXES)


def _files(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise BadInput(
            Text("cannot be read: {e}", "无法读取：{e}").fill(e=error.strerror or error), Where(str(folder))
        ) from None
    return [p for p in found if p.suffix.lower() in suffixes and p.is_file() and not p.name.startswith(".")]


def _link(path: Path) -> BadInput:
    """A link inside of a folder that was handed in could show the grader's own files."""
    return BadInput(Text("is a symbolic link: refused", "是符号链接：已拒绝"), Where(str(path)))


def _file(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    suffix = path.suffix.lower()
    if suffix not in (*CODE_SUFFIXES, *NOTEBOOK_SUFFIXES) and path.exists() and not path.is_dir():
        text = Text("is no submission: {s} are read", "不是可评分的提交：可读取 {s}")
        names = ", ".join((*CODE_SUFFIXES, *NOTEBOOK_SUFFIXES, *ARCHIVE_SUFFIXES))
        raise BadInput(text.fill(s=names), Where(str(path)))
    return (
        _notebook(course, path, lesson_name) if suffix in NOTEBOOK_SUFFIXES else _code_file(course, path, lesson_name)
    )


def _answers_only(course: Course, folder: Path, beside: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    if lesson_name is None:
        raise BadInput(Text("holds no code file: give --lesson", "没有代码文件：请给出 --lesson"), Where(str(folder)))
    return course.lesson(lesson_name), Submission(fill="", path=str(folder))


def _code_file(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    raw = read_bytes(path)
    source = read_text(raw, str(path))
    suffix = path.suffix.lower()
    lesson = course.lesson(lesson_name) if lesson_name else course.lesson(_which(course, path, source, suffix))
    fill, edits, notes = _compared(lesson, source, str(path))
    return lesson, Submission(fill, str(path), sha256(raw), edits=edits, notes=notes)


def _notebook(course: Course, path: Path, lesson_name: str | None) -> tuple[Lesson, Submission]:
    raw = read_bytes(path, MAX_NOTEBOOK_BYTES)
    digest = sha256(raw)
    words = read_text(raw, str(path), MAX_NOTEBOOK_BYTES)
    del raw
    quarto = path.suffix.lower() == ".qmd"
    parts = read_qmd(words, str(path)) if quarto else read_ipynb(words, str(path))
    del words
    place = Text("line {n}", "第 {n} 行") if quarto else Text("cell {n}", "第 {n} 个单元格")
    lesson = _lesson_of(course, path, parts, lesson_name)
    parts = without_lesson_cells(parts, exported_text(lesson), place)
    if parts.code is None:
        _find_exercise(lesson, parts, place)
    parts.pristine = exported_code(lesson)
    fill: str = ""
    edits: tuple[EditNote, ...] = ()
    notes: tuple[Text, ...] = ()
    misfit: Misfit | None = None
    if parts.code is not None and parts.exercise is not None:
        where = f"{path} ({place.fill(n=parts.exercise.line).en})"
        try:
            fill, edits, notes = _compared(lesson, parts.code, where)
        except BadInput as problem:
            if not any(parts.answers.sections.values()):
                raise
            # As much as can be graded is graded: the answers, with the blank refused.
            misfit = Misfit(
                problem.text, problem.where.line if problem.where else 0, problem.where.column if problem.where else 0
            )
    without_lesson_words(parts.answers, lesson)
    with_answers_in_questions(parts, lesson, place)
    stored, about = stored_of(parts, place, pristine_exercise=not edits and bool(fill))
    return lesson, Submission(
        fill,
        str(path),
        digest,
        answers=parts.answers,
        edits=edits,
        notes=(*parts.notes, *missing_answers(parts.answers), *notes, *about),
        stored=stored,
        misfit=misfit,
        notebook_lang=None if quarto else language_of(parts),
    )


def _lesson_of(course: Course, path: Path, parts: Parts, lesson_name: str | None) -> Lesson:
    """The lesson of a notebook: as given, by the marker in its code, by its metadata, by the likeness of its code."""
    if lesson_name is not None:
        return course.lesson(lesson_name)
    if parts.code is not None and (marker(parts.code) is not None or parts.lesson not in course.ids):
        return course.lesson(_which(course, path, parts.code, parts.suffix))
    if parts.lesson in course.ids:
        return course.lesson(parts.lesson)
    for cell in _likely(parts):
        with suppress(BadInput):
            return course.lesson(_which(course, path, cell.source, ".cu" if "__global__" in cell.source else ".py"))
    raise BadInput(
        Text(
            "no cell holds the exercise: give --lesson to grade the answers",
            "没有练习代码单元格：请用 --lesson 指定后只评答案",
        ),
        Where(str(path)),
    )


def _likely(parts: Parts) -> list[Cell]:
    """Cells that may be the exercise although nothing says so; code comes first."""
    found = [c for c in parts.cells if c.role == "" and c.section is None and 200 <= len(c.source) <= 50_000]
    return sorted(found, key=lambda c: c.kind != "code")[:20]


def _find_exercise(lesson: Lesson, parts: Parts, place: Text) -> None:
    """A cell that lost its role and its marker is known by its code."""
    scored = [(similarity(lesson.template, c.source, lesson.spec.language), c) for c in _likely(parts)]
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if best[1] is None or best[0] < CLOSE_ENOUGH:
        return
    take(parts, best[1])
    parts.notes = [n for n in parts.notes if n != NO_EXERCISE]
    text = Text("{p} was taken for the exercise, by its code", "{p}按其代码被认作练习")
    parts.notes.append(text.fill(p=place.fill(n=best[1].line)))


def _remedy(lesson: Lesson, source: str) -> Text:
    """What to do about a file that does not fit."""
    named = marker(source)
    if named is not None and named != lesson.id:
        return Text("its marker names {m}: give --lesson {m}, or none", "其标记为 {m}：请用 --lesson {m}，或不写").fill(
            m=named
        )
    text = Text(
        "`course start {l} DIR` writes the template afresh, to put your blank into",
        "`course start {l} 目录` 会写出新的模板，可把你的填空放进去",
    )
    return text.fill(l=lesson.id)


def _compared(lesson: Lesson, source: str, path: str) -> tuple[str, tuple[EditNote, ...], tuple[Text, ...]]:
    """The blank's text (empty where it is unfilled) and the edits around it; raises BadInput for what is no such template."""
    found = compare(lesson.template, source, lesson.spec.language)
    if not found.fits or (found.fill is None and not found.unfilled):
        place = found.stops_fitting_at
        where = Where(path, place.line, place.column) if place else Where(path)
        why = place.words if place else Text("the blank is not there", "找不到填空")
        text = Text("this file does not fit the template of {l}: {w}; {d}", "此文件与 {l} 的模板不符：{w}；{d}")
        raise BadInput(text.fill(l=lesson.id, w=why, d=_remedy(lesson, source)), where)
    edits = tuple(
        EditNote(f"template:{e.template_line or e.line}", e.words, e.before or e.after, e.severity == "veto")
        for e in found.edits
    )
    notes = [
        Text("line {n}: {w}", "第 {n} 行：{w}").fill(n=e.line, w=e.words)
        for e in found.edits
        if e.severity != "harmless"
    ]
    harmless = [e for e in found.edits if e.severity == "harmless"]
    if harmless:
        text = Text("harmless edits outside of the blank: {w}", "填空之外的无害改动：{w}")
        notes.append(text.fill(w=_listed(harmless)))
    return found.translated or "", edits, tuple(notes)


def _listed(edits: Sequence[Edit]) -> Text:
    """Edits by line and kind, the first ones where there are many."""
    shown = [(e.line, _KINDS.get(e.kind, same(e.kind))) for e in edits[:MOST_EDITS]]
    more = "" if len(edits) <= MOST_EDITS else " ..."
    en = ", ".join(f"line {line} ({kind.en})" for line, kind in shown)
    zh = "、".join(f"第 {line} 行（{kind.zh}）" for line, kind in shown)
    return Text(en + more, zh + more)


_KINDS = {
    "changed": Text("changed", "修改"),
    "added": Text("added", "增加"),
    "removed": Text("removed", "删除"),
    "moved": Text("moved", "移动"),
    "renamed": Text("renamed", "改名"),
    "reordered": Text("reordered", "调换次序"),
}


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
