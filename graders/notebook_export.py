"""A lesson as a notebook (.ipynb) or a Quarto file (.qmd): text, template with its blank, check, questions, folded hints.

Both are written from one list of parts. Every part says its role (`course_role`) and, for questions and answers, its id, so
that the reader finds them again however the notebook was edited. The answer key is never part of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graders.answers import TITLES, Section, section_of
from graders.blank_base import BLANK
from graders.evidence import lesson_hashes
from graders.lesson import Lesson
from graders.text import Lang, Text

LANGS: tuple[Lang, ...] = ("en", "zh")
NOTEBOOK_FORMAT = "course-notebook/1"
Role = Literal["text", "setup", "exercise", "check", "hint", "question", "answer"]
ASKED: tuple[Section, ...] = ("q1", "q2", "q3", "impl", "boundary", "tradeoff", "run_output", "failures")
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*$")
_FENCE = re.compile(r"^\s*(```+|~~~+)")

PROMPTS: dict[Section, Text] = {
    "boundary": Text(
        "Name one input on which a careless kernel goes wrong, and say why yours does not.",
        "举出一个粗心的 kernel 会算错的输入，并说明你的为什么不会。",
    ),
    "tradeoff": Text(
        "Name one choice of this kernel that costs something, and say what it buys.",
        "说出这个 kernel 的一个取舍：付出了什么，换来了什么。",
    ),
    "run_output": Text(
        "Paste what your run printed. Where nothing was run, write: static review only.",
        "粘贴你的实际运行输出；没有运行过就写：仅静态审查。",
    ),
    "failures": Text("Which cases failed on the way, and why?", "途中有哪些用例失败过，为什么？"),
}
YOUR_ANSWER = Text("Your answer:", "你的答案：")
_HINT = Text("Hint {n} of {m}", "提示 {n}/{m}")
_EXERCISE = Text(
    "### The blank\n\nReplace the six underscores by one expression and run the cells from the top. Everything else stays as it is: "
    "only the blank is graded.\n\nYour own inputs: `course try {l} --fill ... --shape {s}` in a terminal.",
    "### 填空\n\n把六个下划线换成一个表达式，然后从头依次运行各单元格。其余代码保持原样：评分时只取填空。\n\n"
    "想用自己的输入试一试，可在终端运行 `course try {l} --fill ... --shape {s}`。",
)
_HAND_IN = Text(
    "### Handing in\n\nSave the notebook with its outputs and hand in the file. `course grade` reads the blank and your answers; it never runs "
    "your cells, but runs your blank in a fresh copy of this notebook and compares the stored outputs.",
    "### 提交\n\n连同输出一起保存并提交此文件。`course grade` 读取填空和答案；它从不运行你的单元格，而是把你的填空放进全新的同一 "
    "notebook 里运行，再与保存的输出比较。",
)
_SETUP = Text(
    "# Triton's interpreter runs kernels on the CPU. For a GPU of this machine: delete these lines, restart the kernel.",
    "# 让 Triton 解释器在 CPU 上运行 kernel。如要使用本机 GPU：删去这几行并重启内核。",
)
_CHECK = Text(
    "# The visible cases, run by the course on your blank: one line a case.",
    "# 用课程自带的公开用例检查你的填空：每个用例一行。",
)
_NO_COURSE = Text(
    "the package gpu-kernel-course is not installed for this kernel: pip install it, or grade the file with `course grade`",
    "此内核没有安装 gpu-kernel-course：请用 pip 安装，或用 `course grade` 评分此文件",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One cell: Markdown or code, with its role; `id` is unique, `section` the question that it belongs to."""

    role: Role
    id: str
    text: str
    code: bool = False
    section: Section | None = None
    title: str = ""


def file_name(lesson: Lesson) -> str:
    """What `%%writefile` calls the learner's file."""
    return lesson.id.replace("-", "_") + Path(lesson.spec.template).suffix


def parts_of(
    lesson: Lesson, lang: Lang, fill: str | None = None, answers: Mapping[Section, str] | None = None
) -> list[Part]:
    """The lesson in order. `fill` goes into the blank (else it stays), `answers` below the questions."""
    before, after = _blocks(lesson.text(lang))
    out = [Part("text", f"text-{i}", block) for i, block in enumerate(before, 1)]
    shape = ",".join(["5", "300"][: next(iter(lesson.spec.inputs.values())).rank])
    out.append(Part("text", "how-to", _EXERCISE.fill(l=lesson.id, s=shape).pick(lang)))
    out += _code_parts(lesson, lang, fill)
    hints = lesson.spec.hints
    for i, hint in enumerate(hints, 1):
        title = _HINT.fill(n=i, m=len(hints)).pick(lang)
        out.append(Part("hint", f"hint-{i}", hint.text.pick(lang), title=title))
    prompts: dict[Section, Text] = {**PROMPTS}
    prompts.update({q.id: q.prompt.text for q in lesson.spec.questions})
    for section in ASKED:
        if section not in prompts:
            continue
        title = TITLES[section].pick(lang)
        out.append(Part("question", f"question-{section}", prompts[section].pick(lang), section=section, title=title))
        written = (answers or {}).get(section, "")
        out.append(Part("answer", f"answer-{section}", written, section=section, title=title))
    out.append(Part("text", "hand-in", _HAND_IN.pick(lang)))
    out += [Part("text", f"after-{i}", block) for i, block in enumerate(after, 1)]
    return out


def _code_parts(lesson: Lesson, lang: Lang, fill: str | None) -> list[Part]:
    code = lesson.template.rstrip("\n")
    if fill is not None:
        code = code.replace(BLANK, fill, 1)
    missing = json.dumps(_NO_COURSE.pick(lang), ensure_ascii=False)
    if lesson.spec.language == "triton":
        setup = f'{_SETUP.pick(lang)}\nimport os\n\nos.environ["TRITON_INTERPRET"] = "1"'
        what = lesson.spec.entry.function
        first = [Part("setup", "setup", setup, code=True), Part("exercise", "exercise", code, code=True)]
    else:
        what = json.dumps(file_name(lesson))
        first = [Part("exercise", "exercise", f"%%writefile {file_name(lesson)}\n{code}", code=True)]
    check = (
        f"{_CHECK.pick(lang)}\ntry:\n    from graders.notebook_check import check\nexcept ImportError:\n    print({missing})\n"
        f'else:\n    check("{lesson.id}", {what}, lang="{lang}")'
    )
    return [*first, Part("check", "check", check, code=True)]


def to_ipynb(
    lesson: Lesson, lang: Lang, fill: str | None = None, answers: Mapping[Section, str] | None = None
) -> dict[str, Any]:
    """The notebook as plain values of nbformat 4.5."""
    return {
        "cells": [_cell(part, lang) for part in parts_of(lesson, lang, fill, answers)],
        "metadata": {
            "course": {
                "format": NOTEBOOK_FORMAT,
                "lesson": lesson.id,
                "lang": lang,
                "template_sha256": lesson_hashes(lesson).template,
            },
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def dump_ipynb(
    lesson: Lesson, lang: Lang, fill: str | None = None, answers: Mapping[Section, str] | None = None
) -> str:
    """The text of the .ipynb file."""
    return json.dumps(to_ipynb(lesson, lang, fill, answers), ensure_ascii=False, indent=1) + "\n"


def _cell(part: Part, lang: Lang) -> dict[str, Any]:
    metadata: dict[str, Any] = {"course_role": part.role}
    if part.section is not None:
        metadata["course_id"] = part.section
    cell: dict[str, Any] = {
        "cell_type": "code" if part.code else "markdown",
        "id": part.id,
        "metadata": metadata,
        "source": _lines(_markdown(part, lang)),
    }
    if part.code:
        cell.update(execution_count=None, outputs=[])
    return cell


def _markdown(part: Part, lang: Lang) -> str:
    if part.role == "hint":
        return f"<details>\n<summary>{part.title}</summary>\n\n{part.text}\n\n</details>"
    if part.role == "question":
        return f"### {part.title}\n\n{part.text}"
    if part.role == "answer":
        return f"**{YOUR_ANSWER.pick(lang)}**\n\n{part.text}"
    return part.text


def _lines(text: str) -> list[str]:
    """nbformat's list of lines, each with its line feed but the last."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def to_qmd(lesson: Lesson, lang: Lang, fill: str | None = None, answers: Mapping[Section, str] | None = None) -> str:
    """The text of the .qmd file: for Quarto with the Jupyter engine."""
    title = json.dumps(lesson.spec.title.text.pick(lang), ensure_ascii=False)
    out = [
        f"---\ntitle: {title}\nlang: {lang}\njupyter: python3\nformat: html\ncourse:\n"
        f"  format: {NOTEBOOK_FORMAT}\n  lesson: {lesson.id}\n---"
    ]
    for part in parts_of(lesson, lang, fill, answers):
        if part.code:
            # A cell magic must stand first; the role of such a cell is seen from the magic itself.
            head = "" if part.text.startswith("%%") else f"#| course_role: {part.role}\n"
            fence = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`{3,}", part.text)), default=0))
            out.append(f"{fence}{{python}}\n{head}{part.text}\n{fence}")
        elif part.role == "hint":
            out.append(f'::: {{.callout-tip collapse="true"}}\n## {part.title}\n\n{part.text}\n:::')
        elif part.role == "answer":
            out.append(f"::: {{#{part.id} .course-answer}}\n**{YOUR_ANSWER.pick(lang)}**\n\n{part.text}\n\n:::")
        elif part.role == "question":
            out.append(f"### {part.title}\n\n::: {{#{part.id} .course-question}}\n{part.text}\n:::")
        else:
            body = re.sub(r"^(\s*```+)mermaid\s*$", r"\1{mermaid}", part.text, flags=re.MULTILINE)
            out.append(f"::: {{.course-text}}\n{body}\n:::")
    return "\n\n".join(out) + "\n"


def _blocks(text: str) -> tuple[list[str], list[str]]:
    """The lesson's text cut at its second-level headings, without the block of questions: (before it, after it)."""
    blocks: list[list[str]] = [[]]
    asks: list[bool] = [False]
    fence = ""
    for line in text.rstrip("\n").split("\n"):
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and line.strip().startswith(fence) else (fence or mark.group(1)[:3])
        heading = None if fence or mark else _HEADING.match(line)
        if heading and len(heading.group(1)) == 2:
            blocks.append([])
            asks.append(False)
        if heading and section_of(heading.group(2)) in ("q1", "q2", "q3"):
            asks[-1] = True
        blocks[-1].append(line)
    cut = asks.index(True) if True in asks else len(blocks)
    joined = ["\n".join(block).strip("\n") for block in blocks]
    kept = [(i, b) for i, b in enumerate(joined) if b.strip() and not asks[i]]
    return [b for i, b in kept if i < cut], [b for i, b in kept if i > cut]


def exported_text(lesson: Lesson) -> set[str]:
    """The text cells of the pristine export that are no questions and no answers, in both languages, white space folded."""
    out = set()
    for lang in LANGS:
        for part in parts_of(lesson, lang):
            if part.role in ("text", "hint"):
                out.add(" ".join(_markdown(part, lang).split()))
    return out


def exported_code(lesson: Lesson, fill: str | None = None) -> dict[str, str]:
    """The source of each code cell of the pristine export by role, in both languages of its comments (`check-en`, ...)."""
    out = {}
    for lang in LANGS:
        for part in _code_parts(lesson, lang, fill):
            out[f"{part.role}-{lang}"] = part.text
    return out
