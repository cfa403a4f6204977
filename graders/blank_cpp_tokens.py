"""The tokens of a C++ fill, and what is refused before any grammar: comments, digraphs, quotes, preprocessor signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from graders.blank_base import Refused, Typed, shown

MAX_TOKENS = 400
Kind = Literal["name", "number", "sign", "end"]

_TOKEN = re.compile(
    r"(?P<space>[ \t\n]+)|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?[0-9](?:[eEpP][+-]|'?[A-Za-z0-9_]|\.)*)|(?P<sign>"
    r"<<<|>>>|<<=|>>=|<=>|->\*|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|->|::|\.\*|[-+*/%&|^]=|[-+*/%<>=!&|^~?:(),.])",
    re.ASCII,
)
INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F](?:'?[0-9a-fA-F])*)|0[bB](?P<binary>[01](?:'?[01])*)|(?P<octal>0(?:'?[0-7])*)"
    r"|(?P<decimal>[1-9](?:'?[0-9])*))(?:[uU](?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU]?)?"
)
_DIGITS = r"[0-9](?:'?[0-9])*"
_HEX = r"[0-9a-fA-F](?:'?[0-9a-fA-F])*"
_FLOAT = re.compile(
    rf"(?:(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?|{_DIGITS}[eE][+-]?{_DIGITS}"
    rf"|0[xX](?:{_HEX}\.?(?:{_HEX})?|\.{_HEX})[pP][+-]?{_DIGITS})[fF]?"
)
_DIGRAPHS = ("<%", "%>", "<:", ":>", "%:")
_TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
# Only for a better message: whatever the allow-list does not hold is refused anyway.
# fmt: off
_FORBIDDEN_WORDS = frozenset({
    "alignas", "alignof", "asm", "__asm", "__asm__", "auto", "break", "case", "catch", "class", "co_await",
    "co_return", "co_yield", "const", "const_cast", "constexpr", "continue", "decltype", "default", "delete", "do",
    "dynamic_cast", "else", "enum", "extern", "for", "goto", "if", "new", "noexcept", "nullptr", "operator",
    "reinterpret_cast", "requires", "return", "sizeof", "static", "static_assert", "struct", "switch", "template",
    "this", "throw", "try", "typedef", "typeid", "typename", "typeof", "__typeof__", "union", "using", "volatile",
    "while", "__attribute__", "__builtin_offsetof",
})
# fmt: on


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def tokens(fill: Typed) -> list[Token]:
    """Split into tokens; refuses comments, digraphs, quotes, preprocessor signs and malformed numbers."""
    text = fill.text
    found: list[Token] = []
    at = 0
    while at < len(text):
        pair = text[at : at + 2]
        if pair in ("//", "/*", "*/"):
            raise fill.refuse(at, "a comment cannot stand in the blank", "填空里不能有注释")
        if pair in _DIGRAPHS or _TRIGRAPH.match(text, at):
            words = text[at : at + (2 if pair in _DIGRAPHS else 3)]
            raise fill.refuse(
                at, "'{w}' is an alternative spelling of another sign", "'{w}' 是别的符号的替代写法，不能使用", w=words
            )
        match = _TOKEN.match(text, at)
        if match is None:
            raise _bad_character(fill, at)
        kind = match.lastgroup
        if kind == "number":
            _number(fill, match.group(), at)
        if kind == "name" and match.group() in _FORBIDDEN_WORDS:
            en, zh = (
                "`{word}` cannot stand in the blank: type one expression",
                "填空里不能有 `{word}`：请只输入一个表达式",
            )
            raise fill.refuse(at, en, zh, word=match.group())
        if kind in ("name", "number", "sign"):
            found.append(Token(kind, match.group(), at))  # type: ignore[arg-type]
        at = match.end()
        if len(found) > MAX_TOKENS:
            en, zh = (
                "more than {most} words and signs: far too long for this blank",
                "超过 {most} 个记号：填空不需要这么长",
            )
            raise fill.refuse(found[-1].at, en, zh, most=MAX_TOKENS)
    found.append(Token("end", "", len(text)))
    return found


def _bad_character(fill: Typed, at: int) -> Refused:
    char = fill.text[at]
    if char in "\"'":
        return fill.refuse(at, "a text or character literal cannot stand here", "这里不能有字符串或字符字面量")
    if char == "\\":
        return fill.refuse(at, "a backslash cannot stand in the blank", "填空里不能有反斜杠")
    if char == "#":
        return fill.refuse(at, "a preprocessor sign cannot stand in the blank", "填空里不能有预处理符号 #")
    if char in "{};":
        en, zh = "'{char}' cannot stand here: the blank is one expression", "这里不能有 '{char}'：填空是一个表达式"
        return fill.refuse(at, en, zh, char=char)
    if char in "[]":
        en, zh = "'{char}' cannot stand here: no subscript and no lambda", "这里不能有 '{char}'：不能用下标或 lambda"
        return fill.refuse(at, en, zh, char=char)
    return fill.refuse(at, "'{char}' cannot stand in an expression", "表达式里不能有 '{char}'", char=char)


def _number(fill: Typed, words: str, at: int) -> None:
    match = INTEGER.fullmatch(words)
    if match:
        digits, base = next(
            (match[g], b) for g, b in (("hex", 16), ("binary", 2), ("octal", 8), ("decimal", 10)) if match[g]
        )
        if int(digits.replace("'", ""), base) >= 1 << 64:
            raise fill.refuse(at, "this whole number does not fit into 64 bits", "这个整数超出 64 位")
    elif not _FLOAT.fullmatch(words):
        en, zh = "'{words}' is not a number of C++", "'{words}' 不是合法的 C++ 数字"
        raise fill.refuse(at, en, zh, words=shown(words))
