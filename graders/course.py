"""A course: the folder with course.yaml, its lessons in order, and where the answer key lies.

Listing reads a few keys only; a lesson is read and checked in full when it is opened.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graders import hidden
from graders.errors import BadInput, Where
from graders.text import Text
from graders.yamlread import FileProblems, load, load_keys

if TYPE_CHECKING:
    from graders.lesson import Lesson
    from graders.rubric import RubricSpec

COURSE_FORMAT = "course/1"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the route."""

    id: str
    number: int
    aliases: tuple[str, ...]
    language: str
    title: Text
    summary: Text
    minutes: int


class Course:
    """Lessons in the order of course.yaml. `root` is the folder that holds it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        hidden.hide(root, self.solutions)
        data = load_keys(root / "course.yaml", {"format", "title", "lessons"})
        where = Where(str(root / "course.yaml"), 1, 1)
        lessons = data.get("lessons")
        if data.get("format") != COURSE_FORMAT:
            raise BadInput(
                Text("write `format: {f}` at the top", "请在开头写 `format: {f}`").fill(f=COURSE_FORMAT), where
            )
        if not isinstance(lessons, list) or not all(isinstance(x, str) for x in lessons):
            raise BadInput(Text("`lessons:` must list the lesson folders", "`lessons:` 须列出各课的文件夹"), where)
        self.ids: tuple[str, ...] = tuple(lessons)
        self.title = _words(data.get("title"), root.name)
        self._entries: dict[str, Entry] = {}

    @property
    def solutions(self) -> Path | None:
        """The folder of answer keys, or None in a learner's bundle."""
        for folder in (self.root.parent / "solutions", self.root / "solutions"):
            if folder.is_dir():
                return folder
        return None

    def entry(self, lesson_id: str) -> Entry:
        """What a listing shows of one lesson."""
        if lesson_id not in self._entries:
            path = self.root / lesson_id / "lesson.yaml"
            keys = {"id", "number", "aliases", "language", "title", "summary", "minutes"}
            data = load_keys(path, keys)
            self._entries[lesson_id] = Entry(
                id=lesson_id,
                number=int(data.get("number", 0) or 0),
                aliases=tuple(str(a) for a in data.get("aliases", None) or ()),
                language=str(data.get("language", "")),
                title=_words(data.get("title"), lesson_id),
                summary=_words(data.get("summary"), ""),
                minutes=int(data.get("minutes", 45) or 45),
            )
        return self._entries[lesson_id]

    def text(self, lesson_id: str, lang: str) -> str:
        """A lesson's Markdown text without opening the lesson: the first page need not wait for the rest."""
        folder = self.root / lesson_id
        names = load_keys(folder / "lesson.yaml", {"text"}).get("text")
        name = names.get("zh" if lang == "zh" else "en") if isinstance(names, dict) else None
        path = folder / str(name)
        try:
            return path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(Text("cannot be read: {e}", "无法读取：{e}").fill(e=error), Where(str(path))) from None

    def entries(self) -> list[Entry]:
        """Every lesson of the route whose folder is there, in order."""
        return [self.entry(i) for i in self.ids]

    def find(self, name: str) -> str:
        """The lesson id for `lesson12`, `12`, or an alias; raises BadInput with the nearest names."""
        wanted = name.strip().lower()
        names: dict[str, str] = {}
        for entry in self.entries():
            for spelling in (entry.id, *entry.aliases):
                names.setdefault(spelling.lower(), entry.id)
            # Variants (lesson12-nan) do not take the number from the lesson they vary.
            if entry.id.removeprefix("lesson").lstrip("0") == str(entry.number):
                names.setdefault(str(entry.number), entry.id)
                names.setdefault(f"{entry.number:02d}", entry.id)
                names.setdefault(f"lesson{entry.number}", entry.id)
        if wanted in names:
            return names[wanted]
        near = list(dict.fromkeys(names[n] for n in difflib.get_close_matches(wanted, names, n=5, cutoff=0.5)))[:3]
        text = Text(
            "there is no lesson {n}; nearest: {near} (course list shows all)",
            "没有课程 {n}；最接近的是：{near}（course list 列出全部）",
        )
        raise BadInput(text.fill(n=repr(name), near=", ".join(near or self.ids)))

    def lesson(self, name: str) -> Lesson:
        """Open a lesson by any of its names; raises BadInput."""
        from graders.lesson import load_lesson

        lesson_id = self.find(name)
        lesson = load_lesson(self.root / lesson_id, self.solutions / lesson_id if self.solutions else None)
        if lesson.id != lesson_id:
            where = Where(str(self.root / lesson_id / "lesson.yaml"))
            raise BadInput(
                Text("id is {g}, the folder is {w}: make them equal", "id 是 {g}，文件夹是 {w}：请改为一致").fill(
                    g=lesson.id, w=lesson_id
                ),
                where,
            )
        return lesson

    def rubric(self) -> RubricSpec:
        """The course's rubric: rubric.yaml beside course.yaml, else the defaults."""
        from graders.rubric import RUBRIC_FORMAT, RubricSpec
        from graders.spec import read

        path = self.root / "rubric.yaml"
        return read(RubricSpec, path, RUBRIC_FORMAT) if path.is_file() else RubricSpec()

    def grader_seed(self) -> str:
        """The secret that seeds hidden random inputs; a learner's bundle has a public one of its own."""
        from graders.cases import PUBLIC_SEED

        path = self.solutions / "grader.yaml" if self.solutions else None
        if path is None or not path.is_file():
            return PUBLIC_SEED
        document = load(path)
        seed = document.data.get("seed") if isinstance(document.data, dict) else None
        if seed is None:
            raise FileProblems([document.problem((), Text("`seed:` is missing", "缺少 `seed:`"))])
        return str(seed)


def open_course(folder: Path | None = None, start: Path | None = None) -> Course:
    """The course at `folder`; without one the nearest course.yaml from `start` upward, else the built-in course."""
    if folder is not None:
        for root in (folder, folder / "lessons"):
            if (root / "course.yaml").is_file():
                return Course(root)
        raise BadInput(Text("no course.yaml in {d}", "{d} 中没有 course.yaml").fill(d=folder))
    here = (start or Path.cwd()).resolve()
    for place in (here, *here.parents):
        for root in (place, place / "lessons"):
            if (root / "course.yaml").is_file():
                return Course(root)
    return Course(builtin_root())


def builtin_root() -> Path:
    """Where the course that ships with this installation lies: a checkout's lessons/, or the wheel's data."""
    package = Path(__file__).resolve().parent
    for root in (package.parent / "course_cli" / "data" / "lessons", package.parent / "lessons"):
        if (root / "course.yaml").is_file():
            return root
    raise BadInput(Text("this installation has no lessons: install it again", "此安装缺少课程数据：请重新安装"))


def _words(value: object, fallback: str) -> Text:
    if isinstance(value, dict) and isinstance(value.get("en"), str) and isinstance(value.get("zh"), str):
        return Text(value["en"], value["zh"])
    return Text(fallback, fallback)
