"""From the cells of a notebook to what is graded: the exercise's code and the answers.

Doubled, missing, converted and reordered parts are named; as much as can be read is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

from graders.answers import SECTIONS, TITLES, Answers, Section, parse, section_of
from graders.blank_base import BLANK
from graders.text import Text

CellKind = Literal["code", "text"]
MAX_NOTES = 30
EXPECTED: tuple[Section, ...] = ("q1", "q2", "q3", "impl")
NO_EXERCISE = Text("no cell holds the exercise", "没有找到练习代码单元格")
_ROLES = {
    "exercise": "exercise",
    "code": "exercise",
    "练习": "exercise",
    "填空": "exercise",
    "answer": "answer",
    "答案": "answer",
    "回答": "answer",
    "作答": "answer",
    "solution": "solution",
    "参考答案": "solution",
    "question": "question",
    "prompt": "question",
    "问题": "question",
    "题目": "question",
    "text": "text",
    "正文": "text",
    "check": "check",
    "检查": "check",
    "setup": "setup",
    "准备": "setup",
    "hint": "hint",
    "hints": "hint",
    "提示": "hint",
}
_OPTION = re.compile(r"^\s*(?:#|//)\|\s*([\w-]+)\s*:\s*(.*?)\s*$")
_COMMENTED = re.compile(r"^\s*<!--\s*course_role\s*:\s*([^\s;,]+)(?:[\s;,]+(?:course_)?id\s*:\s*([^\s;,]+))?\s*-->")
_WRITEFILE = re.compile(r"^\s*%%writefile\s+(?:-a\s+)?(\S+)\s*$")
_MAGIC = re.compile(r"^\s*%%\w+")
_MARKER = re.compile(r"^[ \t]*(?:#|//|/\*)[ \t]*course:[ \t]*[A-Za-z0-9]", re.MULTILINE)
_YOUR_ANSWER = re.compile(
    r"^\W*(?:你的答案|您的答案|你的回答|我的答案|答案|your answer|my answer|answer)\W*$", re.IGNORECASE
)
_YOUR_ANSWER_HERE = re.compile(r"^\W*(?:你的答案|您的答案|your answer)\W*[:：]\W*(?=\S)", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(slots=True)
class Cell:
    """One cell: its kind, its source, its role and section where they are said, its stored output as text.

    `line` is its number in a notebook, its first line in a Quarto file; `cut` the size of stored output that was not read.
    """

    kind: CellKind
    source: str
    role: str = ""
    section: Section | None = None
    output: str = ""
    count: int | None = None
    line: int = 0
    converted: bool = False
    cut: int = 0


@dataclass(slots=True)
class Parts:
    """What a notebook hands in. `code` is None where no cell holds the exercise; `lesson` is what its metadata names.

    `exercise` is the cell that `code` was taken from; `pristine` the code cells of the lesson's own export, by role and language.
    """

    code: str | None = None
    suffix: str = ".py"
    answers: Answers = field(default_factory=Answers)
    notes: list[Text] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    lesson: str = ""
    exercise: Cell | None = None
    told: tuple[Text, ...] = ()  # what reading the file said, before its cells were looked at
    pristine: dict[str, str] = field(default_factory=dict)


def canonical_role(words: object) -> str:
    """The role that a word in either language names; empty for any other word."""
    return _ROLES.get(words.strip().lower(), "") if isinstance(words, str) else ""


def with_options(cell: Cell) -> Cell:
    """Roles from `#| key: value` lines (a cell magic may stand first) or a comment of the same kind at the top of a cell."""
    for line in cell.source.split("\n"):
        if _MAGIC.match(line):
            continue
        comment = _COMMENTED.match(line)
        if comment:
            cell.role = cell.role or canonical_role(comment.group(1))
            cell.section = cell.section or section_of(comment.group(2) or "")
        option = _OPTION.match(line)
        if not option:
            if line.strip():
                break
            continue
        key, value = option.group(1), option.group(2).strip("\"' ")
        if key == "course_role":
            cell.role = canonical_role(value) or cell.role
        elif key in ("id", "course_id", "label") and cell.section is None:
            cell.section = section_of(value.removeprefix("answer-"))
    return cell


def assemble(cells: Iterable[Cell], notes: list[Text], place: Text) -> Parts:
    """Code and answers from cells in their order; `place` names a cell by its number or line in messages."""
    parts = Parts(notes=notes, cells=list(cells), told=tuple(notes))
    exercises = [c for c in parts.cells if _is_exercise(c)]
    if exercises:
        _choose(parts, exercises, place)
    else:
        parts.notes.append(NO_EXERCISE)
    parts.answers = _answers(parts, exercises, place)
    parts.notes += parts.answers.notes
    _name_order(parts, place)
    if len(parts.notes) > MAX_NOTES:
        more = Text("{n} further remarks were left out", "另有 {n} 条说明从略").fill(n=len(parts.notes) - MAX_NOTES)
        parts.notes = [*parts.notes[:MAX_NOTES], more]
    return parts


def without_lesson_cells(parts: Parts, known: Collection[str], place: Text) -> Parts:
    """The parts again without cells that are the lesson's own text; `known` holds such texts, their white space folded."""
    found = [c for c in parts.cells if c.kind == "text" and not c.role and " ".join(c.source.split()) in known]
    if not found:
        return parts
    for cell in found:
        cell.role, cell.section = "text", None
    again = assemble(parts.cells, list(parts.told), place)
    again.lesson = parts.lesson
    return again


def take(parts: Parts, cell: Cell) -> None:
    """Let a cell be the exercise."""
    parts.exercise = cell
    parts.code, parts.suffix = _code_of(cell)


def _choose(parts: Parts, exercises: list[Cell], place: Text) -> None:
    """The last exercise whose blank is filled, else the last one."""
    filled = [c for c in exercises if BLANK not in c.source]
    chosen = (filled or exercises)[-1]
    take(parts, chosen)
    here = place.fill(n=chosen.line)
    if len(exercises) > 1:
        where = ", ".join(str(c.line) for c in exercises[:20])
        text = Text(
            "the exercise stands in several cells ({w}): the last one that is filled was graded ({p})",
            "练习代码出现在多个单元格（{w}）：以最后一个已填写的评分（{p}）",
        )
        parts.notes.append(text.fill(w=where, p=here))
    if chosen.converted or chosen.kind == "text":
        text = Text(
            "{p}: the exercise was turned into a text cell; its text was graded",
            "{p}：练习单元格被改成了文本；已按其文字评分",
        )
        parts.notes.append(text.fill(p=here))


def missing_answers(answers: Answers) -> tuple[Text, ...]:
    """A note that names the questions without an answer, where there are any."""
    missing = [s for s in EXPECTED if not answers.get(s)]
    words = Text(", ".join(TITLES[s].en for s in missing), "、".join(TITLES[s].zh for s in missing))
    return (Text("no answer found for: {w}", "没有找到答案：{w}").fill(w=words),) if missing else ()


def _name_order(parts: Parts, place: Text) -> None:
    """Parts in another order than the lesson's are read all the same."""
    order = [(parts.answers.lines[s], s) for s in EXPECTED if s in parts.answers.lines]
    lines = [line for line, _ in order]
    turned = next((s for (a, s), b in zip(order, lines[1:], strict=False) if a > b), None)
    exercise = parts.exercise.line if parts.exercise else 0
    if turned is not None:
        text = Text("the answers stand in another order than the questions ({s})", "答案的次序与题目不同（{s}）")
        parts.notes.append(text.fill(s=TITLES[turned]))
    elif lines and exercise > min(lines):
        text = Text("{p}: the exercise stands after the answers", "{p}：练习代码排在答案之后")
        parts.notes.append(text.fill(p=place.fill(n=exercise)))


def _answers(parts: Parts, exercises: list[Cell], place: Text) -> Answers:
    out = Answers(place=place)
    pieces: dict[Section, list[str]] = {}
    loose: list[str] = []
    for cell in parts.cells:
        if cell in exercises or cell.role not in ("", "answer"):
            continue
        if cell.section is not None or cell.role == "answer":
            _named_answer(out, pieces, cell, place)
        elif cell.kind == "text":
            loose.append(cell.source)
        elif loose:
            loose.append("```\n" + cell.source + "\n```" + (f"\n\n```\n{cell.output}\n```" if cell.output else ""))
    for section, texts in pieces.items():
        if sum(1 for t in texts if t) > 1:
            text = Text("section '{s}' stands in several cells: all were read", "“{s}”一节出现在多个单元格：已合并阅读")
            out.notes.append(text.fill(s=TITLES[section]))
    found = parse("\n\n".join(loose))
    for section, written in found.sections.items():
        words = _own_words(written)
        if words and not any(pieces.get(section, ())):
            pieces[section] = [words]
            out.lines.pop(section, None)
    out.notes += [n for n in found.notes if "stands twice" in n.en]
    out.sections = {s: "\n\n".join(t for t in pieces[s] if t).strip() for s in SECTIONS if s in pieces}
    return out


def _named_answer(out: Answers, pieces: dict[Section, list[str]], cell: Cell, place: Text) -> None:
    section = cell.section or next((s for s in map(section_of, _headings(cell.source)) if s), None)
    here = place.fill(n=cell.line)
    if section is None:
        if _own_words(cell.source):
            text = Text("{p}: an answer without a name was not graded", "{p}：没有标明题号的答案未评分")
            out.notes.append(text.fill(p=here))
        return
    text_of = cell.source
    if cell.kind == "code":
        text_of = _MAGIC.sub("", cell.source, count=1)
        if not cell.source.strip().startswith(("%%markdown", "%%md")):
            text = Text(
                "{p}: the answer {s} stands in a code cell; it was read as text",
                "{p}：答案 {s} 写在代码单元格中；已按文字阅读",
            )
            out.notes.append(text.fill(p=here, s=TITLES[section]))
    elif cell.converted:
        text = Text("{p}: the answer {s} stands in a raw cell; it was read", "{p}：答案 {s} 写在原始单元格中；已阅读")
        out.notes.append(text.fill(p=here, s=TITLES[section]))
    pieces.setdefault(section, []).append(_own_words(_without_heading(text_of, section)))
    out.lines.setdefault(section, cell.line)


def _is_exercise(cell: Cell) -> bool:
    if cell.role == "exercise":
        return True
    if cell.role or cell.section is not None or cell.kind != "code":
        return False
    first = next((x for x in cell.source.splitlines() if x.strip()), "")
    written = _WRITEFILE.match(first)
    return bool(_MARKER.search(cell.source)) or bool(written and written.group(1).endswith((".cu", ".py")))


def _code_of(cell: Cell) -> tuple[str, str]:
    """The code without notebook magic, and the ending of the file it stands for. Lines keep their numbers in the cell."""
    source = cell.source
    if cell.kind == "text":
        fenced = re.search(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1", source, re.MULTILINE | re.DOTALL)
        source = fenced.group(2) if fenced else source
    lines = source.split("\n")
    suffix = ""
    for i, line in enumerate(lines):
        if line.strip() and not (_OPTION.match(line) or _MAGIC.match(line)):
            break
        written = _WRITEFILE.match(line)
        if written:
            suffix = ".cu" if written.group(1).endswith((".cu", ".cuh", ".cpp")) else ".py"
        lines[i] = ""
    code = "\n".join(lines)
    return code, suffix or (".cu" if re.search(r"__global__|#include", code) else ".py")


def _headings(text: str) -> list[str]:
    return [m.group(1) for m in map(_HEADING.match, text.split("\n")) if m]


def _without_heading(text: str, section: Section) -> str:
    lines = text.split("\n")
    while lines and (not lines[0].strip() or _OPTION.match(lines[0])):
        lines.pop(0)
    if lines:
        heading = _HEADING.match(lines[0])
        if heading and section_of(heading.group(1)) == section:
            lines.pop(0)
    return "\n".join(lines).strip()


def _own_words(text: str) -> str:
    """What stands below a line such as 'Your answer:', where there is one: above it stands the question."""
    text = _COMMENT.sub("", text)
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines) if len(line) < 80 and _YOUR_ANSWER.match(line)]
    if places:
        return "\n".join(lines[places[-1] + 1 :]).strip()
    inline = _YOUR_ANSWER_HERE.search(text)
    return text[inline.end() :].strip() if inline else text.strip()
