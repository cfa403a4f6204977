"""What both languages of a blank share: the rules, the refusal, the limits and the check of characters.

Places count from 1 and columns count characters (a full-width character is one), in what the learner typed.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from graders.errors import CourseError
from graders.text import Text

Language = Literal["triton", "cuda"]

BLANK = "______"
MAX_CHARACTERS = 2000
MAX_NODES = 300  # nodes of the syntax tree (Python) or tokens (C++)
MAX_DEPTH = 32  # of brackets, and of the tree
WHITE = " \t\r\n"  # what may surround a fill and is not counted as part of it


@dataclass(frozen=True, slots=True)
class BlankRules:
    """The allow-list of one blank: identifiers, callables and dotted names that may be read."""

    names: frozenset[str]
    calls: frozenset[str]
    attributes: frozenset[str]
    language: Language

    def listing(self) -> str:
        """The allow-list as a learner reads it, such as `N, BLOCK, float(...), tl.float32`."""
        plain = sorted(self.names - self.calls)
        calls = [f"{name}(...)" for name in sorted(self.calls)]
        return ", ".join(plain + calls + sorted(self.attributes - self.names))


class Refused(CourseError):
    """The fill is not one expression of the allowed kind; `line` and `column` point into what was typed."""

    def __init__(self, reason: Text, line: int, column: int) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        en = "the blank is refused at line {line}, column {column}: {reason}"
        zh = "填空被拒绝（第 {line} 行第 {column} 列）：{reason}"
        super().__init__(Text(en, zh).fill(line=line, column=column, reason=reason))


@dataclass(frozen=True, slots=True)
class Typed:
    """A fill without the white space around it, and where its first character stood in what was typed."""

    text: str
    line: int
    column: int

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column) in what was typed of the character at `offset` in `text`."""
        line, column = line_column(self.text, offset)
        return self.line + line - 1, column + (self.column - 1 if line == 1 else 0)

    def refuse(self, offset: int, en: str, zh: str, **values: object) -> Refused:
        """The refusal that points at `offset`; `{name}` in the words is replaced by the values."""
        return Refused(Text(en, zh).fill(**values), *self.place(offset))


@dataclass(frozen=True, slots=True)
class Placed:
    """A fill as it stands in the file; `offsets[i]` is the offset in the fill of the i-th character of `text`."""

    text: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, fill: str, insertions: list[tuple[int, str]] | None = None) -> Placed:
        """The fill on one line, with each (offset, words) of `insertions` put in front of the character there."""
        parts: list[str] = []
        offsets: list[int] = []
        rest = sorted(insertions or [], key=lambda item: item[0])
        for offset in range(len(fill) + 1):
            while rest and rest[0][0] == offset:
                words = rest.pop(0)[1]
                parts.append(words)
                offsets += [min(offset, len(fill) - 1)] * len(words)
            if offset < len(fill):
                parts.append(" " if fill[offset] == "\n" else fill[offset])
                offsets.append(offset)
        return cls("".join(parts), tuple(offsets))

    def bracketed(self) -> Placed:
        """The same in brackets."""
        return Placed(f"({self.text})", (self.offsets[0], *self.offsets, self.offsets[-1]))


def line_column(text: str, offset: int) -> tuple[int, int]:
    """1-based (line, column) of the character at `offset`; lines end at a line feed."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


def line_offset(text: str, line: int) -> int:
    """Offset of the first character of a 1-based line (the end of the text when there is no such line)."""
    at = 0
    for _ in range(line - 1):
        found = text.find("\n", at)
        if found < 0:
            return len(text)
        at = found + 1
    return at


def shown(words: str, limit: int = 40) -> str:
    """A learner's words, cut to a length that fits one line of a message."""
    return words if len(words) <= limit else words[: limit - 1] + "…"


def typed(fill: str) -> Typed:
    """Strip the surrounding white space and refuse what can never be a fill of either language.

    Raises Refused for an empty or unfilled blank, an over-long one, and any character outside printable ASCII.
    """
    fill = fill.replace("\r\n", "\n")
    body = fill.lstrip(WHITE)
    start = len(fill) - len(body)
    body = body.rstrip(WHITE)
    made = Typed(body, *line_column(fill, start))
    if not body:
        raise Refused(Text("the blank is empty: type one expression", "填空是空的：请输入一个表达式"), 1, 1)
    if len(body) > MAX_CHARACTERS:
        raise made.refuse(
            MAX_CHARACTERS,
            "the fill has {n} characters; at most {most} are accepted",
            "填入的内容有 {n} 个字符，最多允许 {most} 个",
            n=len(body),
            most=MAX_CHARACTERS,
        )
    for offset, char in enumerate(body):
        if not (" " <= char <= "~" or char in "\t\n"):
            raise Refused(_stranger(char), *made.place(offset))
    if body == BLANK:
        raise made.refuse(0, "the blank is not filled yet", "填空还没有填")
    return made


def _stranger(char: str) -> Text:
    """Why a character cannot stand in a fill, with its code point and name."""
    code = f"U+{ord(char):04X}"
    name = unicodedata.name(char, "")
    code = f"{code} {name}" if name else code
    kind = unicodedata.category(char)
    plain = _PLAIN.get(char) or unicodedata.normalize("NFKC", char)
    if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        en, zh = "invisible or control character {code}: delete it", "不可见字符或控制字符 {code}：请删除"
    elif kind == "Zs":
        en, zh = "{code} is not an ordinary space: type a half-width space", "{code} 不是普通空格：请输入半角空格"
    elif len(plain) == 1 and "!" <= plain <= "~":
        en = "'{char}' ({code}) is not ASCII: type the half-width '{plain}'"
        zh = "'{char}'（{code}）不是 ASCII 字符：请改用半角的 '{plain}'"
    else:
        en = "'{char}' ({code}) is not ASCII: code is written in ASCII letters, digits and signs"
        zh = "'{char}'（{code}）不是 ASCII 字符：代码只能用半角的字母、数字和符号"
    return Text(en, zh).fill(char=char, code=code, plain=plain)


# Characters that an input method or a word processor puts in the place of a plain one and that NFKC leaves alone.
_PLAIN = {"−": "-", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "×": "*", "÷": "/", "。": "."}
