"""The learner's own files of a lesson: the template with its blank, and answers.md. Never overwritten."""

from __future__ import annotations

from pathlib import Path

from course_cli.store import write_file
from graders.answers import SECTIONS, Section, parse, render
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


def save_answer(path: Path, lesson: Lesson, section: Section, text: str, lang: Lang) -> None:
    """Put one answer into answers.md, keeping everything else that stands there."""
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = parse(old)
    if section not in found.lines or not old:
        if not old:
            write_file(path, render(lesson.id, {section: text}, lang, _prompts(lesson)))
            return
        from graders.answers import TITLES

        write_file(path, old.rstrip("\n") + f"\n\n## {TITLES[section].pick(lang)}\n\n{text}\n")
        return
    lines = old.replace("\r\n", "\n").split("\n")
    begin = found.lines[section]
    following = [n for s, n in found.lines.items() if n > begin]
    end = min(following) - 1 if following else len(lines)
    head = [x for x in lines[begin:end] if x.strip().startswith("<!--") and x.strip().endswith("-->")]
    block = ["", *head, *([""] if head else []), text, ""]
    write_file(path, "\n".join([*lines[:begin], *block, *lines[end:]]).rstrip("\n") + "\n")


__all__ = ["ANSWERS", "SECTIONS", "code_name", "save_answer", "write_start"]
