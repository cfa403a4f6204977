"""Notebooks (.ipynb) and Quarto files (.qmd) as cells: each with its role, its section and its stored output.

Roles come from cell metadata (`course_role`, `course_id`), tags, `#| course_role:` lines, Quarto divs or headings, in either
language. Nothing of a notebook is executed here. What is read is bounded: stored outputs of any size are cut before the file
is parsed, and a file whose rest is still too large or too deeply nested is refused with one line.
"""

from __future__ import annotations

import json
import re
from typing import Any

from graders.answers import Section, section_of
from graders.errors import BadInput, Where
from graders.notebook_parts import Cell, CellKind, Parts, assemble, canonical_role, with_options
from graders.text import Text

MAX_NOTEBOOK_BYTES = 96_000_000  # outputs included
MAX_CELLS = 5_000
MAX_SOURCE = 2_000_000  # characters of all cells together, outputs not counted
KEPT_OUTPUT = 20_000  # characters of stored output that are kept of one cell
SMALL_FILE = 4_000_000  # characters: a file up to here is parsed as it is
LARGE_OUTPUT = 1_000_000  # characters of the stored outputs of one cell that are still parsed in a larger file
MAX_REST = 32_000_000  # characters of a file without its large outputs
MAX_CONTAINERS = 500_000
MAX_VALUES = 4_000_000
CUT = "course-cut"

_OUTPUTS = re.compile(r'"outputs"\s*+:\s*+\[')
_TO_BRACKET = re.compile(r'(?:[^\[\]{}"]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_QMD_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*\{?\s*(?:\.?)([A-Za-z+]*)[^}\n]*\}?\s*$")
_QMD_CODE = ("python", "cuda", "cpp", "cu", "c++")
_HEADING_ATTRIBUTES = re.compile(r"^( {0,3}#{1,6}\s.*?)\s*\{[#.][^{}]*\}\s*$")
_DIV = re.compile(r"^\s*:{3,}\s*(.*?)\s*:*\s*$")
_DIV_ID = re.compile(r"#(?:answer-|question-)?([\w-]+)|course_id\s*=\s*[\"']?([\w-]+)")
_FRONT_LESSON = re.compile(r"^\s+lesson:\s*[\"']?([\w-]+)", re.MULTILINE)


def read_ipynb(words: str, path: str) -> Parts:
    """A notebook from its JSON text; raises BadInput with one clear line."""
    data = _parsed(words, path)
    notes: list[Text] = []
    raw = data.get("cells")
    if raw is None and isinstance(data.get("worksheets"), list):
        text = Text(
            "notebook format {v} was read as it is; save it in format 4",
            "notebook 格式为 {v}，已按原样读取；请另存为格式 4",
        )
        version = data.get("nbformat", 3)
        notes.append(text.fill(v=version if isinstance(version, int) else "?"))
        sheets = [s["cells"] for s in data["worksheets"] if isinstance(s, dict) and isinstance(s.get("cells"), list)]
        raw = [cell for sheet in sheets for cell in sheet]
    if not isinstance(raw, list):
        raise BadInput(Text("is not a notebook: no cells in it", "不是合法的 notebook：没有单元格"), Where(path))
    if len(raw) > MAX_CELLS:
        raise BadInput(Text("has more than {n} cells", "单元格超过 {n} 个").fill(n=MAX_CELLS), Where(path))
    cells = [_cell(number, value) for number, value in enumerate(raw, 1) if isinstance(value, dict)]
    if len(cells) < len(raw):
        text = Text("{n} entries of `cells` are no cells and were skipped", "`cells` 中有 {n} 项不是单元格，已跳过")
        notes.append(text.fill(n=len(raw) - len(cells)))
    _bounded(cells, path)
    for cell in cells:
        if cell.cut:
            text = Text(
                "cell {n}: its stored output ({m} MB) was too large to be read",
                "第 {n} 个单元格：保存的输出（{m} MB）过大，未读取",
            )
            notes.append(text.fill(n=cell.line, m=f"{cell.cut / 1e6:.1f}"))
    parts = assemble(cells, notes, Text("cell {n}", "第 {n} 个单元格"))
    metadata = data.get("metadata")
    about = metadata.get("course") if isinstance(metadata, dict) else None
    if isinstance(about, dict) and isinstance(about.get("lesson"), str):
        parts.lesson = about["lesson"][:80]
    return parts


def read_qmd(words: str, path: str = "") -> Parts:
    """A Quarto file: front matter, code blocks with `#|` options, divs, the rest Markdown. Raises BadInput for its size only."""
    lines = words.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    reading = _Quarto()
    at, lesson = 0, ""
    if lines and lines[0].strip() == "---":
        end = next((i for i in range(1, len(lines)) if lines[i].strip() in ("---", "...")), 0)
        at = end + 1 if end else 0
        found = _FRONT_LESSON.search("\n".join(lines[:at]))
        lesson = found.group(1) if found else ""
    reading.begin = at + 1
    while at < len(lines):
        fence = _QMD_FENCE.match(lines[at])
        if fence and ("{" in lines[at] or fence.group(3).lower() in _QMD_CODE):
            mark = fence.group(2)
            close = at + 1
            while close < len(lines) and not _closes(lines[close], mark):
                close += 1
            reading.code("\n".join(lines[at + 1 : close]), lines[at], at + 2)
            at = close + 1
            reading.begin = at + 1
            continue
        reading.line(lines[at], at + 1)
        at += 1
    reading.end_text()
    _bounded(reading.cells, path)
    parts = assemble(reading.cells, [], Text("line {n}", "第 {n} 行"))
    parts.lesson = lesson
    return parts


class _Quarto:
    """Lines and code blocks of a Quarto file, collected into cells. Divs say what their text is."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.begin = 1
        self._text: list[str] = []
        self._divs: list[tuple[str, Section | None]] = []

    def _inside(self) -> tuple[str, Section | None]:
        """Role and section of the innermost div that has one."""
        return next((d for d in reversed(self._divs) if d[0] or d[1]), ("", None))

    def line(self, line: str, number: int) -> None:
        div = _DIV.match(line)
        if div is None:
            self._text.append(_HEADING_ATTRIBUTES.sub(r"\1", line))
            return
        self.end_text()
        self.begin = number + 1
        if div.group(1):
            self._divs.append(_div(div.group(1)))
        elif self._divs:
            self._divs.pop()

    def end_text(self) -> None:
        """What was collected becomes a text cell."""
        if any(x.strip() for x in self._text):
            role, section = self._inside()
            self.cells.append(Cell("text", _clean("\n".join(self._text)), role, section, line=self.begin))
        self._text = []

    def code(self, source: str, head: str, number: int) -> None:
        self.end_text()
        cell = with_options(Cell("code", _clean(source), line=number))
        said = re.search(r"course_role\s*=\s*[\"']?([\w-]+)", head)
        if said and not cell.role:
            cell.role = canonical_role(said.group(1))
        role, section = self._inside()
        if not cell.role and cell.section is None:
            # A callout folds a reference answer away; a block inside of an answer is part of that answer.
            cell.role, cell.section = role, section
        self.cells.append(cell)


def _div(head: str) -> tuple[str, Section | None]:
    """Role and section of a div from its classes, its identifier and its attributes."""
    role = next((r for r in ("answer", "question", "text") if re.search(rf"\.course-{r}\b|\.{r}\b", head)), "")
    said = re.search(r"course_role\s*=\s*[\"']?([\w-]+)", head)
    if said:
        role = canonical_role(said.group(1)) or role
    if not role and "callout" in head:
        role = "solution"
    name = _DIV_ID.search(head)
    section = section_of(name.group(1) or name.group(2)) if name and role in ("", "answer", "question") else None
    return role, section


def _closes(line: str, mark: str) -> bool:
    words = line.strip()
    return words.startswith(mark) and not words.strip(mark[0])


def _parsed(words: str, path: str) -> dict[str, Any]:
    """The JSON value of a notebook, without outputs that are too large to be kept."""
    if len(words) > SMALL_FILE:
        words = _without_large_outputs(words, path)
        containers = words.count("[") + words.count("{")
        if len(words) > MAX_REST or containers > MAX_CONTAINERS or words.count(",") > MAX_VALUES:
            raise _too_large(path)
    try:
        data = json.loads(words)
    except json.JSONDecodeError as error:
        text = Text("is not a notebook: broken JSON ({w})", "不是合法的 notebook：JSON 有误（{w}）").fill(w=error.msg)
        raise BadInput(text, Where(path, error.lineno, error.colno)) from None
    except RecursionError:
        raise BadInput(
            Text("is not a notebook: nested too deeply", "不是合法的 notebook：嵌套过深"), Where(path)
        ) from None
    except ValueError as error:  # a number of thousands of digits
        text = Text("is not a notebook: broken JSON ({w})", "不是合法的 notebook：JSON 有误（{w}）").fill(
            w=str(error)[:80]
        )
        raise BadInput(text, Where(path)) from None
    if not isinstance(data, dict):
        raise BadInput(Text("is not a notebook: no cells in it", "不是合法的 notebook：没有单元格"), Where(path))
    return data


def _too_large(path: str) -> BadInput:
    text = Text("is too large to be read: clear the outputs and save it again", "过大，无法读取：请清除输出后重新保存")
    return BadInput(text, Where(path))


def _without_large_outputs(words: str, path: str) -> str:
    """The JSON text with large `outputs` lists replaced by a mark that holds their size; broken text comes back as it is.

    Inside a JSON string a quotation mark is escaped, so `"outputs"` followed by a colon is always a key.
    """
    pieces: list[str] = []
    at = steps = 0
    while found := _OUTPUTS.search(words, at):
        begin = i = found.end() - 1
        depth = 0
        while True:
            if i >= len(words) or words[i] == '"':
                return words
            depth += 1 if words[i] in "[{" else -1
            i += 1
            steps += 1
            if depth == 0:
                break
            if steps > MAX_CONTAINERS:
                raise _too_large(path)
            step = _TO_BRACKET.match(words, i)
            i = step.end() if step else len(words)
        large = i - begin > LARGE_OUTPUT
        pieces += [words[at:begin], f'[{{"output_type": "{CUT}", "size": {i - begin}}}]' if large else words[begin:i]]
        at = i
    return "".join([*pieces, words[at:]])


def _bounded(cells: list[Cell], path: str) -> None:
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE:
        text = Text("holds more than {n} characters of text and code", "文字与代码超过 {n} 个字符")
        raise BadInput(text.fill(n=MAX_SOURCE), Where(path))


def _cell(number: int, value: dict[str, Any]) -> Cell:
    source = value.get("source", value.get("input", ""))
    source = "".join(s for s in source if isinstance(s, str)) if isinstance(source, list) else source
    type_ = value.get("cell_type")
    kind: CellKind = "code" if type_ == "code" else "text"
    cell = Cell(kind, _clean(source) if isinstance(source, str) else "", line=number)
    if type_ == "heading":  # format 3
        level = value.get("level")
        cell.source = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + cell.source
    metadata = value.get("metadata")
    _roles(cell, metadata if isinstance(metadata, dict) else {}, value.get("id"))
    cell = with_options(cell)
    cell.converted = (kind == "text" and cell.role in ("exercise", "setup", "check")) or type_ == "raw"
    if kind == "code":
        outputs = value.get("outputs")
        cell.output = _output(outputs)
        cell.cut = _cut_size(outputs)
    count = value.get("execution_count", value.get("prompt_number"))
    cell.count = count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 31 else None
    return cell


def _roles(cell: Cell, metadata: dict[str, Any], cell_id: object) -> None:
    """Role and section from metadata and tags; the cell's own id counts only where it is one that the export gives."""
    cell.role = canonical_role(metadata.get("course_role"))
    tags = metadata.get("tags")
    names = [metadata.get("course_id"), metadata.get("id"), *(tags if isinstance(tags, list) else [])]
    if isinstance(cell_id, str) and cell_id.startswith("answer-"):
        names.append(cell_id)
    for name in names:
        words = name.strip()[:80] if isinstance(name, str) else ""
        role, _, rest = words.partition("-") if "-" in words else words.partition(":")
        plain = canonical_role(words) or (canonical_role(role) if rest else "")
        if plain and not cell.role:
            cell.role = plain
        if cell.section is None and words:
            cell.section = section_of(words) or (section_of(rest) if plain == "answer" else None)


def _output(outputs: Any) -> str:
    """Stored outputs as text, cut to KEPT_OUTPUT characters."""
    kept: list[str] = []
    size = 0
    for item in outputs if isinstance(outputs, list) else ():
        if not isinstance(item, dict) or size > KEPT_OUTPUT or _warnings(item):
            continue
        text = item.get("text", "")
        data = item.get("data")
        if not text and isinstance(data, dict):
            text = data.get("text/plain", "")
        if item.get("output_type") in ("error", "pyerr"):
            text = f"{item.get('ename', '')}: {item.get('evalue', '')}\n"
        words = "".join(t for t in text if isinstance(t, str)) if isinstance(text, list) else text
        if not isinstance(words, str):
            continue
        kept.append(words[: max(0, KEPT_OUTPUT - size)])
        size += len(words)
    return _clean("".join(kept))


def _warnings(item: dict[str, Any]) -> bool:
    """The error stream holds the words of a machine (warnings of libraries), no result."""
    return "stderr" in (item.get("name"), item.get("stream"))


def _cut_size(outputs: Any) -> int:
    """Characters of stored output that were not read."""
    for item in outputs if isinstance(outputs, list) else ():
        if isinstance(item, dict) and item.get("output_type") == CUT and isinstance(item.get("size"), int):
            return int(item["size"])
    return 0


def _clean(text: str) -> str:
    """Without what no text file can hold: half surrogates and NUL, which JSON can write."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text.encode("utf-8", "replace").decode("utf-8")
