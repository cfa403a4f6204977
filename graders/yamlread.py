"""Strict YAML: read as meant, never as YAML 1.1 guesses, with every problem at its line.

PyYAML parses; this module resolves scalars by the YAML 1.2 core schema: `1e-3` is a number, `no`, `on` and
`12:30` are strings, `nan`, `inf` and `-inf` are floats. What has no single meaning is an error with its fix: a leading zero
(`010`), a doubled key, a tag, an alias that would blow up. All problems of a file are reported together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from graders.errors import BadInput, Where
from graders.text import Text

MAX_BYTES = 4_000_000
MAX_VALUES = 200_000  # after aliases are expanded; a lesson has some thousands
MAX_DEPTH = 60

Path_ = tuple[str | int, ...]

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$")
_HEX = re.compile(r"0[xob][0-9a-fA-F_]+$")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+$")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9_]*)?\.[0-9_]+|(?:0|[1-9][0-9_]*)\.?)(?:[eE][-+]?[0-9]+)?$")
_SPECIAL = {
    "nan": math.nan, ".nan": math.nan, ".NaN": math.nan, "NaN": math.nan,
    "inf": math.inf, ".inf": math.inf, "+inf": math.inf, "+.inf": math.inf,
    "-inf": -math.inf, "-.inf": -math.inf,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file: where, at which path inside it, what, and the fix."""

    where: Where
    path: str
    text: Text

    def message(self, lang: str) -> str:
        place = f"{self.where}: " + (f"{self.path}: " if self.path else "")
        return place + self.text.pick(lang)


class FileProblems(BadInput):
    """All problems of one file at once; one line each."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__(
            Text("\n".join(p.message("en") for p in problems), "\n".join(p.message("zh") for p in problems))
        )

    def message(self, lang: str) -> str:
        return "\n".join(p.message(lang) for p in self.problems)


@dataclass(slots=True)
class Document:
    """Plain data plus the line and column of every key, value and item."""

    path: Path
    data: Any
    marks: dict[Path_, tuple[int, int]] = field(default_factory=dict)

    def where(self, path: Path_) -> Where:
        """The place of the value at `path`, or of the nearest enclosing one."""
        while path and path not in self.marks:
            path = path[:-1]
        line, column = self.marks.get(path, (1, 1))
        return Where(str(self.path), line, column)

    def problem(self, path: Path_, text: Text) -> Problem:
        return Problem(self.where(path), dotted(path), text)


def dotted(path: Path_) -> str:
    """`cases[3].inputs.x`"""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else (f".{part}" if out else str(part))
    return out


def load(path: Path) -> Document:
    """Read one YAML file; raises FileProblems with every problem found, BadInput when it cannot be read."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise BadInput(
            Text("cannot be read: {why}", "无法读取：{why}").fill(why=error.strerror or error), Where(str(path))
        ) from None
    if len(raw) > MAX_BYTES:
        raise BadInput(Text("is larger than {n} bytes", "超过 {n} 字节").fill(n=MAX_BYTES), Where(str(path)))
    try:
        words = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadInput(
            Text("is not UTF-8: save it as UTF-8", "不是 UTF-8 编码：请另存为 UTF-8"), Where(str(path), line)
        ) from None
    return loads(words, path)


def load_keys(path: Path, keys: set[str]) -> dict[str, Any]:
    """Only some top-level keys of a file, for quick listings; `load` says what is wrong with the rest."""
    document = Document(path, None)
    try:
        root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        load(path)  # tells the problem
        raise
    if not isinstance(root, yaml.MappingNode):
        return {}
    root.value = [pair for pair in root.value if pair[0].value in keys]
    found = _Builder(document).build(root, (), 0)
    return found if isinstance(found, dict) else {}


def loads(words: str, path: Path) -> Document:
    """As `load`, from text; `path` names it in messages."""
    try:
        root = yaml.compose(words, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        where = Where(str(path), mark.line + 1, mark.column + 1) if mark else Where(str(path))
        said = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise FileProblems([Problem(where, "", Text("YAML: {said}", "YAML 语法：{said}").fill(said=said))]) from None
    except RecursionError:
        raise FileProblems([Problem(Where(str(path)), "", Text("YAML: nested too deeply", "YAML：嵌套过深"))]) from None
    document = Document(path, None)
    builder = _Builder(document)
    document.data = builder.build(root, (), 0) if root is not None else None
    if builder.problems:
        raise FileProblems(builder.problems)
    return document


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Composes nodes only; every plain scalar keeps the tag str and is resolved by `_scalar`."""

    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012  (PyYAML's own name)


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.values = 0

    def complain(self, node: yaml.Node, path: Path_, text: Text) -> None:
        where = Where(str(self.document.path), node.start_mark.line + 1, node.start_mark.column + 1)
        self.problems.append(Problem(where, dotted(path), text))

    def build(self, node: yaml.Node, path: Path_, depth: int) -> Any:
        self.values += 1
        if self.values > MAX_VALUES or depth > MAX_DEPTH:
            if not any(p.path == "" for p in self.problems):
                self.complain(node, (), Text("too many values (an alias bomb?)", "值过多（别名炸弹？）"))
            return None
        self.document.marks[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if node.tag and not node.tag.startswith("tag:yaml.org,2002:"):
            self.complain(
                node, path, Text("tag {tag} is not allowed: remove it", "不允许标签 {tag}：请删去").fill(tag=node.tag)
            )
            return None
        kind = node.tag.rsplit(":", 1)[-1] if node.tag else ""
        if isinstance(node, yaml.ScalarNode):
            if kind != "str":
                self.complain(
                    node, path, Text("tag !!{k} is not allowed: remove it", "不允许标签 !!{k}：请删去").fill(k=kind)
                )
            return self.scalar(node, path)
        if isinstance(node, yaml.SequenceNode):
            if kind != "seq":
                self.complain(
                    node, path, Text("tag !!{k} is not allowed: remove it", "不允许标签 !!{k}：请删去").fill(k=kind)
                )
            return [self.build(item, (*path, i), depth + 1) for i, item in enumerate(node.value)]
        if kind != "map":
            self.complain(
                node, path, Text("tag !!{k} is not allowed: remove it", "不允许标签 !!{k}：请删去").fill(k=kind)
            )
        return self.mapping(node, path, depth)

    def mapping(self, node: yaml.Node, path: Path_, depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.complain(key_node, path, Text("a key must be a plain word", "键必须是普通单词"))
                continue
            key = str(key_node.value)
            if key == "<<":
                self.complain(
                    key_node,
                    path,
                    Text("merge keys (<<) are not read: write the keys out", "不支持合并键 (<<)：请逐一写出"),
                )
                continue
            if key in first:
                text = Text(
                    "key {key} stands twice (first at line {line}): remove one",
                    "键 {key} 重复（先见于第 {line} 行）：请删去一个",
                )
                self.complain(key_node, (*path, key), text.fill(key=repr(key), line=first[key]))
                continue
            first[key] = key_node.start_mark.line + 1
            out[key] = self.build(value_node, (*path, key), depth + 1)
            self.document.marks[(*path, key)] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        return out

    def scalar(self, node: yaml.ScalarNode, path: Path_) -> Any:
        words = str(node.value)
        if node.style in ("'", '"', "|", ">"):
            return words
        if words in ("", "~", "null"):
            return None
        if words in ("true", "false"):
            return words == "true"
        if words in _SPECIAL:
            return _SPECIAL[words]
        if _LEADING_ZERO.match(words):
            plain = words.replace("_", "").lstrip("+")
            number = str(int(plain))
            text = Text(
                "{w} begins with a zero: write {n}, 0o{o} for octal, or '{w}' for text",
                "{w} 以零开头：十进制写 {n}，八进制写 0o{o}，文本写 '{w}'",
            )
            self.complain(node, path, text.fill(w=words, n=number, o=plain.lstrip("-0") or "0"))
            return None
        if _INT.match(words):
            return int(words.replace("_", ""))
        if _HEX.match(words):
            try:
                return int(words.replace("_", ""), 0)
            except ValueError:
                return words
        if _FLOAT.match(words) and words not in (".", "-", "+"):
            return float(words.replace("_", ""))
        return words


def walk(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every value of a document with its path, the containers first."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from walk(item, (*path, i))
