"""The learner's own files of a lesson: the template with its blank, and answers.md. Never overwritten."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from course_cli.store import write_file
from graders.answers import SECTIONS, TITLES, Section, parse, render
from graders.errors import BadInput, CourseError, Where
from graders.lesson import Lesson
from graders.text import Lang, Text

ANSWERS = "answers.md"

_PROMPTS: dict[Section, Text] = {
    "boundary": Text(
        "One input on which a careless kernel goes wrong, and why yours does not.",
        "举出一个粗心的 kernel 会出错的输入，并说明你的为什么不会。",
    ),
    "tradeoff": Text(
        "One choice of this kernel that costs something, and what it buys.",
        "说出此 kernel 的一个取舍：付出什么，换来什么。",
    ),
    "run_output": Text("What your run printed; or: static review only", "粘贴实际运行输出；没有运行则写：仅静态审查"),
    "failures": Text("Cases that failed on the way, and why.", "途中失败的用例及其原因。"),
    "follow_ups": Text("Written by `course run`.", "由 `course run` 写入。"),
}


def code_name(lesson: Lesson) -> str:
    """The learner's file: named after the lesson, with the template's ending."""
    return lesson.id.replace("-", "_") + Path(lesson.spec.template).suffix


def _prompts(lesson: Lesson) -> dict[Section, Text]:
    """What each section of answers.md asks."""
    return {**_PROMPTS, **{q.id: q.prompt.text for q in lesson.spec.questions}}


def write_start(lesson: Lesson, folder: Path, lang: Lang) -> tuple[list[Path], list[Path]]:
    """Write what is missing of the learner's files; returns (written, kept)."""
    prompts = _prompts(lesson)
    files = {code_name(lesson): lesson.template, ANSWERS: render(lesson.id, {}, lang, prompts)}
    written, kept = [], []
    for name, text in files.items():
        path = folder / name
        if path.exists():
            kept.append(path)
        else:
            write_file(path, text)
            written.append(path)
    return written, kept


def question_prompt(section: Section, lesson: Lesson) -> Text:
    """What the learner is asked for one section."""
    return _prompts(lesson)[section]


def save_answer(
    path: Path, lesson: Lesson, section: Section, text: str, lang: Lang, seen: str | None = None
) -> Path | None:
    """Put one answer into answers.md, keeping everything else that stands there, CRLF line ends too.

    `seen` is what stood in the section when the question was asked: where the file has changed since, a copy of the file
    is kept and its path returned.
    """
    raw = _read(path)
    old = raw.replace("\r\n", "\n")
    found = parse(old)
    kept = None
    if seen is not None and found.get(section) not in ("", seen, text):
        kept = keep_copy(path)
    text = without_headings(text)
    if not old.strip():
        new = render(lesson.id, {section: text}, lang, _prompts(lesson))
    elif section not in found.lines:
        new = old.rstrip("\n") + f"\n\n## {TITLES[section].pick(lang)}\n\n{text}\n"
    else:
        lines = old.split("\n")
        begin = found.lines[section]
        following = [n for s, n in found.lines.items() if n > begin]
        end = min(following) - 1 if following else len(lines)
        head = [x for x in lines[begin:end] if x.strip().startswith("<!--") and x.strip().endswith("-->")]
        block = ["", *head, *([""] if head else []), text, ""]
        new = "\n".join([*lines[:begin], *block, *lines[end:]]).rstrip("\n") + "\n"
    write_file(path, new.replace("\n", "\r\n") if "\r\n" in raw else new)
    return kept


def keep_copy(path: Path) -> Path:
    """A copy of a learner's file beside it, in `kept/`, with the time in its name."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = path.parent / "kept" / f"{path.stem}-{stamp}{path.suffix}"
    number = 1
    while target.exists():
        number += 1
        target = target.with_name(f"{path.stem}-{stamp}-{number}{path.suffix}")
    write_file(target, _read(path))
    return target


@dataclass(frozen=True, slots=True)
class CodeState:
    """What the learner's code file holds: `fill` None where the blank is empty or cannot be found (`problem` says why)."""

    fill: str | None
    problem: Text | None = None


class CodeFile:
    """The learner's template with its blank: read after every edit, written only in the blank."""

    def __init__(self, lesson: Lesson, folder: Path) -> None:
        self.lesson = lesson
        self.path = folder / code_name(lesson)

    def read(self) -> CodeState:
        """The blank as it stands in the file now."""
        from graders.template_diff import compare, read_text

        if not self.path.is_file():
            return CodeState(None)
        try:
            text = read_text(self.path.read_bytes(), self.path.name)
        except CourseError as problem:
            return CodeState(None, problem.text)
        except OSError as error:
            return CodeState(None, Text("cannot be read: {e}", "无法读取：{e}").fill(e=error.strerror or error))
        found = compare(self.lesson.template, text, self.lesson.spec.language)
        if not found.fits and not found.unfilled:
            why = found.stops_fitting_at.words if found.stops_fitting_at else Text("no blank", "没有填空")
            return CodeState(None, why)
        return CodeState(found.translated)

    def put(self, fill: str, seen: str | None) -> tuple[bool, Path | None]:
        """Write `fill` into the blank. Returns whether it stands there now, and the copy that was kept.

        `seen` is the blank as it was last read: where the file holds something else by now, a copy of it is kept first.
        A file in which the blank cannot be found is left alone.
        """
        from graders.template_diff_tokens import locate

        if not self.path.is_file():
            write_start_code(self.lesson, self.path)
        raw = _read(self.path)
        text = raw.replace("\r\n", "\n")
        span = locate(self.lesson.template, text, self.lesson.spec.language)
        if span is None or self.read().problem is not None:
            return False, None
        now = self.read().fill
        if now == fill:
            return True, None
        kept = keep_copy(self.path) if now is not None and now != seen else None
        start, end = span
        old = text[start:end]
        lead = old[: len(old) - len(old.lstrip())]
        trail = old[len(old.rstrip()) :]
        new = text[:start] + lead + fill + trail + text[end:]
        write_file(self.path, new.replace("\n", "\r\n") if "\r\n" in raw else new)
        return True, kept


def write_start_code(lesson: Lesson, path: Path) -> None:
    """The pristine template, where the file is not there."""
    write_file(path, lesson.template)


def without_headings(text: str) -> str:
    """Lines that Markdown would take for a heading are indented, so that they stay part of the answer."""
    fence = False
    out = []
    for line in text.split("\n"):
        if re.match(r" {0,3}(```|~~~)", line):
            fence = not fence
        out.append("    " + line.lstrip() if not fence and re.match(r" {0,3}#{1,6}\s", line) else line)
    return "\n".join(out)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig") if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(Text("cannot be read: {e}", "无法读取：{e}").fill(e=error), Where(str(path))) from None


__all__ = ["ANSWERS", "SECTIONS", "CodeFile", "CodeState", "code_name", "keep_copy", "save_answer", "write_start"]
