"""Notebooks (.ipynb) and Quarto files (.qmd) as submissions: which cell is the code, which text answers what.

Roles come from cell metadata (`course_role`, `id`), tags, `#| course_role:` lines, or headings, in either language. Doubled, missing and
converted parts are named; as much as can be read is read. Nothing of a notebook is executed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from graders.answers import SECTIONS, Answers, Section, parse, section_of
from graders.errors import BadInput, Where
from graders.text import Text

MAX_NOTEBOOK_BYTES = 96_000_000  # outputs included; they are cut to KEPT_OUTPUT at once
MAX_CELLS = 5_000
KEPT_OUTPUT = 20_000  # characters of stored output that are kept of one cell

CellKind = Literal["code", "text"]
_OPTION = re.compile(r"^\s*(?:#|//)\|\s*([\w-]+)\s*:\s*(.*?)\s*$")
_WRITEFILE = re.compile(r"^\s*%%writefile\s+(?:-a\s+)?(\S+)\s*$")
_MAGIC = re.compile(r"^\s*%%\w+")
_MARKER = re.compile(r"^[ \t]*(?:#|//|/\*)[ \t]*course:[ \t]*[A-Za-z0-9]", re.MULTILINE)
_YOUR_ANSWER = re.compile(
    r"^\W*(?:你的答案|您的答案|你的回答|我的答案|答案|your answer|my answer|answer)\W*$", re.IGNORECASE
)
_QMD_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*\{?\s*(?:\.?)([A-Za-z+]*)[^}\n]*\}?\s*$")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_EXERCISE = {"exercise", "code", "练习"}
_IGNORED = {"solution", "question", "prompt", "text", "check", "setup", "hint", "hints"}


@dataclass(slots=True)
class Cell:
    """One cell: its kind, its source, its role and section where they are said, its stored output as text."""

    kind: CellKind
    source: str
    role: str = ""
    section: Section | None = None
    output: str = ""
    count: int | None = None
    line: int = 0
    converted: bool = False


@dataclass(slots=True)
class Parts:
    """What a notebook hands in. `code` is None where no cell holds the exercise; `output` is the exercise's stored output."""

    code: str | None = None
    suffix: str = ".py"
    answers: Answers = field(default_factory=Answers)
    notes: list[Text] = field(default_factory=list)
    output: str = ""
    cells: list[Cell] = field(default_factory=list)


def read_ipynb(words: str, path: str) -> Parts:
    """A notebook from its JSON text; raises BadInput with one clear line."""
    try:
        data = json.loads(words)
    except json.JSONDecodeError as error:
        text = Text("is not a notebook: broken JSON ({w})", "不是合法的 notebook：JSON 有误（{w}）").fill(w=error.msg)
        raise BadInput(text, Where(path, error.lineno, error.colno)) from None
    except RecursionError:
        raise BadInput(
            Text("is not a notebook: nested too deeply", "不是合法的 notebook：嵌套过深"), Where(path)
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat", 4), int):
        raise BadInput(Text("is not a notebook: no cells in it", "不是合法的 notebook：没有单元格"), Where(path))
    notes: list[Text] = []
    raw = data.get("cells")
    if raw is None and isinstance(data.get("worksheets"), list):
        notes.append(
            Text(
                "notebook format {v} was read as it is; save it in format 4",
                "notebook 格式为 {v}，已按原样读取；请另存为格式 4",
            ).fill(v=data.get("nbformat", 3))
        )
        raw = [c for sheet in data["worksheets"] if isinstance(sheet, dict) for c in sheet.get("cells", ())]
    if not isinstance(raw, list):
        raise BadInput(Text("is not a notebook: no cells in it", "不是合法的 notebook：没有单元格"), Where(path))
    if len(raw) > MAX_CELLS:
        raise BadInput(Text("has more than {n} cells", "单元格超过 {n} 个").fill(n=MAX_CELLS), Where(path))
    cells = [_cell(number, value) for number, value in enumerate(raw, 1) if isinstance(value, dict)]
    return assemble(cells, notes, Text("cell {n}", "第 {n} 个单元格"))


def read_qmd(words: str) -> Parts:
    """A Quarto file: front matter, code blocks with `#|` options, the rest Markdown."""
    lines = words.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    at = 0
    if lines and lines[0].strip() == "---":
        end = next((i for i in range(1, len(lines)) if lines[i].strip() in ("---", "...")), 0)
        at = end + 1 if end else 0
    cells: list[Cell] = []
    text: list[str] = []
    divs: list[bool] = []
    folded = False
    begin = at + 1
    while at < len(lines):
        fence = _QMD_FENCE.match(lines[at])
        if fence and ("{" in lines[at] or fence.group(3).lower() in ("python", "cuda", "cpp", "cu")):
            if any(x.strip() for x in text):
                cells.append(_located(Cell("text", "\n".join(text)), begin))
            text = []
            close = next(
                (
                    i
                    for i in range(at + 1, len(lines))
                    if lines[i].strip().startswith(fence.group(2)) and not lines[i].strip().strip(fence.group(2)[0])
                ),
                len(lines),
            )
            made = _located(_with_options(Cell("code", "\n".join(lines[at + 1 : close]))), at + 2)
            if folded and not made.role:
                made.role = "solution"
            cells.append(made)
            at = close + 1
            begin = at + 1
            continue
        div = re.match(r"^\s*:{3,}\s*(.*)$", lines[at])
        if div:  # a callout folds the reference answers away: what it holds is no answer of the learner's
            if div.group(1):
                divs.append("callout" in div.group(1))
            elif divs:
                divs.pop()
            folded = any(divs)
        elif not folded:
            text.append(lines[at])
        at += 1
    if any(x.strip() for x in text):
        cells.append(_located(Cell("text", "\n".join(text)), begin))
    return assemble(cells, [], Text("line {n}", "第 {n} 行"))


def assemble(cells: Iterable[Cell], notes: list[Text], place: Text) -> Parts:
    """Code and answers from cells in their order; `place` names a cell by its number or line in messages."""
    parts = Parts(notes=notes, cells=list(cells))
    exercises = [c for c in parts.cells if _is_exercise(c)]
    if exercises:
        if len(exercises) > 1:
            where = ", ".join(str(c.line) for c in exercises)
            text = Text(
                "the exercise stands in several cells ({w}): the last one was graded",
                "练习代码出现在多个单元格（{w}）：以最后一个评分",
            )
            parts.notes.append(text.fill(w=where))
        chosen = exercises[-1]
        parts.code, parts.suffix = _code_of(chosen)
        parts.output = chosen.output
        if chosen.converted or chosen.kind == "text":
            parts.notes.append(
                Text(
                    "{p}: the exercise was turned into a text cell; its text was graded",
                    "{p}：练习单元格被改成了文本；已按其文字评分",
                ).fill(p=place.fill(n=chosen.line))
            )
    else:
        parts.notes.append(Text("no cell holds the exercise", "没有找到练习代码单元格"))
    parts.answers = _answers(parts, exercises, place)
    parts.notes += parts.answers.notes
    return parts


def _answers(parts: Parts, exercises: list[Cell], place: Text) -> Answers:
    out = Answers()
    pieces: dict[Section, list[str]] = {}
    loose: list[str] = []
    told: set[Section] = set()

    def add(section: Section, text: str, line: int) -> None:
        if section in pieces and section not in told:
            told.add(section)
            out.notes.append(
                Text(
                    "section '{s}' stands in several cells: all were read", "“{s}”一节出现在多个单元格：已合并阅读"
                ).fill(s=section)
            )
        pieces.setdefault(section, []).append(text)
        out.lines.setdefault(section, line)

    for cell in parts.cells:
        if cell in exercises or (cell.role in _IGNORED and cell.section is None):
            continue
        if cell.role in _IGNORED:
            continue
        if cell.section is not None or cell.role == "answer":
            section = cell.section
            if section is None:
                section = next((s for s in map(section_of, _headings(cell.source)) if s), None)
            if section is None:
                out.notes.append(
                    Text("{p}: an answer without a name was not graded", "{p}：没有标明题号的答案未评分").fill(
                        p=place.fill(n=cell.line)
                    )
                )
                continue
            if cell.kind == "code" and not cell.source.strip().startswith(("%%markdown", "%%md")):
                out.notes.append(
                    Text(
                        "{p}: the answer {s} stands in a code cell; it was read as text",
                        "{p}：答案 {s} 写在代码单元格中；已按文字阅读",
                    ).fill(p=place.fill(n=cell.line), s=section)
                )
            text = _MAGIC.sub("", cell.source, count=1) if cell.kind == "code" else cell.source
            add(section, _own_words(_without_heading(text, section)), cell.line)
        elif cell.kind == "text":
            loose.append(cell.source)
        elif loose:
            loose.append("```\n" + cell.source + "\n```" + (f"\n\n```\n{cell.output}\n```" if cell.output else ""))
    found = parse("\n\n".join(loose))
    for section, text in found.sections.items():
        words = _own_words(text)
        if words and section not in pieces:
            pieces[section] = [words]
            out.lines.setdefault(section, found.lines[section])
    out.notes += [n for n in found.notes if "stands twice" in n.en]
    out.sections = {s: "\n\n".join(t for t in pieces[s] if t).strip() for s in SECTIONS if s in pieces}
    return out


def _is_exercise(cell: Cell) -> bool:
    if cell.role in _EXERCISE:
        return True
    if cell.role or cell.section is not None or cell.kind != "code":
        return False
    first = next((x for x in cell.source.splitlines() if x.strip()), "")
    written = _WRITEFILE.match(first)
    return bool(_MARKER.search(cell.source)) or bool(written and written.group(1).endswith((".cu", ".py")))


def _code_of(cell: Cell) -> tuple[str, str]:
    """The code without notebook magic, and the ending of the file it stands for."""
    source = cell.source
    if cell.kind == "text":
        fenced = re.search(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1", source, re.MULTILINE | re.DOTALL)
        source = fenced.group(2) if fenced else source
    lines = source.split("\n")
    suffix = ""
    while lines and (not lines[0].strip() or _OPTION.match(lines[0]) or _MAGIC.match(lines[0])):
        written = _WRITEFILE.match(lines[0])
        if written:
            suffix = ".cu" if written.group(1).endswith((".cu", ".cuh", ".cpp")) else ".py"
        lines.pop(0)
    code = "\n".join(lines)
    return code, suffix or (".cu" if re.search(r"__global__|#include", code) else ".py")


def _cell(number: int, value: dict[str, Any]) -> Cell:
    source = value.get("source", value.get("input", ""))
    source = "".join(str(s) for s in source) if isinstance(source, list) else str(source)
    kind: CellKind = "code" if value.get("cell_type") == "code" else "text"
    metadata = value.get("metadata") if isinstance(value.get("metadata"), dict) else {}
    assert isinstance(metadata, dict)
    cell = Cell(kind, source, line=number)
    cell.role = str(metadata.get("course_role", "")).strip().lower()
    for name in (metadata.get("course_id"), metadata.get("id"), *_tags(metadata)):
        words = str(name or "").strip()
        if words.lower() in _EXERCISE | _IGNORED | {"answer"} and not cell.role:
            cell.role = words.lower()
        elif cell.section is None and words:
            cell.section = section_of(words)
    cell = _with_options(cell)
    cell.converted = kind == "text" and cell.role in _EXERCISE
    cell.output = _output(value.get("outputs")) if kind == "code" else ""
    count = value.get("execution_count", value.get("prompt_number"))
    cell.count = count if isinstance(count, int) else None
    return cell


def _tags(metadata: dict[str, Any]) -> list[Any]:
    tags = metadata.get("tags")
    return tags if isinstance(tags, list) else []


def _with_options(cell: Cell) -> Cell:
    """Roles from `#| key: value` lines at the top of a cell."""
    for line in cell.source.split("\n"):
        option = _OPTION.match(line)
        if not option:
            if line.strip():
                break
            continue
        key, value = option.group(1), option.group(2).strip("\"' ")
        if key == "course_role":
            cell.role = value.lower()
        elif key in ("id", "course_id", "label") and cell.section is None:
            cell.section = section_of(value)
    return cell


def _located(cell: Cell, line: int) -> Cell:
    cell.line = line
    return cell


def _output(outputs: Any) -> str:
    """Stored outputs as text, cut to KEPT_OUTPUT characters."""
    kept: list[str] = []
    size = 0
    for item in outputs if isinstance(outputs, list) else ():
        if not isinstance(item, dict) or size > KEPT_OUTPUT:
            continue
        text = item.get("text", "")
        data = item.get("data")
        if not text and isinstance(data, dict):
            text = data.get("text/plain", "")
        if item.get("output_type") in ("error", "pyerr"):
            text = f"{item.get('ename', '')}: {item.get('evalue', '')}"
        words = "".join(str(t) for t in text) if isinstance(text, list) else str(text)
        kept.append(words[: KEPT_OUTPUT - size])
        size += len(words)
    return "".join(kept)


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
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines) if _YOUR_ANSWER.match(line)]
    if places:
        return "\n".join(lines[places[-1] + 1 :]).strip()
    inline = re.search(r"^\W*(?:你的答案|您的答案|your answer)\W*[:：]\W*(?=\S)", text, re.IGNORECASE | re.MULTILINE)
    return text[inline.end() :].strip() if inline else text.strip()
