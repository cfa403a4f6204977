"""Tokens of C++ as the rewriter needs them: identifiers and single punctuation marks, with their places.

A hand-written lexer instead of a syntax tree where text is rewritten: launches and declarations also stand in the
bodies of macros, which a grammar sees as opaque text, and a file that does not parse must still reach the compiler,
whose message is the one a learner needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|\\\r?\n)
      | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
      | (?P<string>(?:u8|u|U|L)?R"(?P<delim>[^()\\\s]{0,16})\(.*?\)(?P=delim)"
                  |(?:u8|u|U|L)?"(?:\\.|[^"\\\n])*"
                  |(?:u8|u|U|L)?'(?:\\.|[^'\\\n])+')
      | (?P<number>\.?\d(?:[eEpP][+-]|'[0-9A-Fa-f]|[\w.])*)
      | (?P<name>[A-Za-z_$]\w*)
      | (?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {v: k for k, v in _PAIRS.items()}


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is name, number, string or mark (one character); `at` is the offset in the source."""

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def tokenize(source: str) -> list[Token]:
    """All tokens but white space and comments, in order."""
    out = []
    for match in _TOKEN.finditer(source):
        kind = match.lastgroup or "mark"
        if kind == "delim":
            kind = "string"
        if kind not in ("space", "comment"):
            out.append(Token(kind, match.group(), match.start()))
    return out


def blank_comments(source: str) -> str:
    """The source with every comment replaced by spaces, line breaks kept."""
    out = []
    for match in _TOKEN.finditer(source):
        text = match.group()
        out.append(re.sub(r"[^\n]", " ", text) if match.lastgroup == "comment" else text)
    return "".join(out)


def closing(tokens: list[Token], i: int) -> int:
    """Index of the bracket that closes the one at `i`, or -1."""
    stack = []
    for j in range(i, len(tokens)):
        text = tokens[j].text
        if tokens[j].kind != "mark":
            continue
        if text in _PAIRS:
            stack.append(_PAIRS[text])
        elif text in _CLOSING:
            if not stack or stack.pop() != text:
                return -1
            if not stack:
                return j
    return -1


def opening(tokens: list[Token], i: int) -> int:
    """Index of the bracket that opens the one closed at `i`, or -1."""
    stack = []
    for j in range(i, -1, -1):
        text = tokens[j].text
        if tokens[j].kind != "mark":
            continue
        if text in _CLOSING:
            stack.append(_CLOSING[text])
        elif text in _PAIRS:
            if not stack or stack.pop() != text:
                return -1
            if not stack:
                return j
    return -1


def angle_opening(tokens: list[Token], i: int) -> int:
    """Index of the `<` that matches the `>` at `i`, skipping bracketed parts, or -1."""
    depth = 0
    j = i
    while j >= 0:
        text = tokens[j].text
        if tokens[j].kind == "mark":
            if text in _CLOSING:
                j = opening(tokens, j)
                if j < 0:
                    return -1
            elif text == ">" and not (j and tokens[j - 1].text == "-"):
                depth += 1
            elif text == "<":
                depth -= 1
                if depth == 0:
                    return j
            elif text in ";{(":
                return -1
        j -= 1
    return -1


def angle_closing(tokens: list[Token], i: int) -> int:
    """Index of the `>` that matches the `<` at `i`, or -1."""
    depth = 0
    j = i
    while 0 <= j < len(tokens):
        text = tokens[j].text
        if tokens[j].kind == "mark":
            if text in _PAIRS:
                j = closing(tokens, j)
                if j < 0:
                    return -1
            elif text == "<":
                depth += 1
            elif text == ">" and tokens[j - 1].text != "-":
                depth -= 1
                if depth == 0:
                    return j
            elif text in ";})":
                return -1
        j += 1
    return -1


def adjacent(tokens: list[Token], i: int, marks: str) -> bool:
    """Whether the characters `marks` stand at `i` without a gap."""
    if i + len(marks) > len(tokens):
        return False
    return all(
        tokens[i + k].text == mark and tokens[i + k].at == tokens[i].at + k and tokens[i + k].kind == "mark"
        for k, mark in enumerate(marks)
    )
