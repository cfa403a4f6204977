"""A source file as tokens, and the edits that are to be made in it."""

from __future__ import annotations

import bisect

from graders.emulator.lexer import Token, angle_closing, closing, opening, tokenize
from graders.errors import EnvironmentProblem, Where
from graders.observation import Finding
from graders.text import Text

WITH_PARENS = {
    "__align__",
    "alignas",
    "__attribute__",
    "__launch_bounds__",
    "__maxnreg__",
    "__cluster_dims__",
    "decltype",
}


class Unsupported(EnvironmentProblem):
    """The emulator does not cover something that the program uses (exit 3)."""

    def __init__(self, what: str, line: int, filename: str = "") -> None:
        self.what = what
        self.line = line
        place = f" (line {line})" if line else ""
        zh = f"（第 {line} 行）" if line else ""
        text = Text(f"not supported by the emulator: {what}{place}", f"模拟器不支持：{what}{zh}")
        super().__init__(text, Where(filename, line) if filename else None)


class SourceEdits:
    """What all parts of the rewriter share: places, edits, declarations."""

    def __init__(self, source: str, filename: str) -> None:
        self.source = source
        self.filename = filename
        self.tokens = tokenize(source)
        self.starts = [0] + [i + 1 for i, c in enumerate(source) if c == "\n"]
        self.edits: list[tuple[int, int, str]] = []
        self.templates: dict[str, int | None] = {}  # kernel templates: number of parameters, None if it may vary
        self.kernels: dict[str, int] = {}
        self.overloads: dict[str, int] = {}
        self.defaults: set[str] = set()
        self.findings: list[Finding] = []
        self.has_main = False

    def line(self, token: Token) -> int:
        return bisect.bisect_right(self.starts, token.at)

    def refuse(self, what: str, token: Token) -> Unsupported:
        return Unsupported(what, self.line(token), self.filename)

    def edit(self, at: int, removed: int, text: str) -> None:
        self.edits.append((at, removed, text))

    def blank(self, first: Token, last: Token | None = None) -> None:
        """Replace by spaces, line breaks kept."""
        stop = (last or first).end
        self.edit(first.at, stop - first.at, "".join("\n" if c == "\n" else " " for c in self.source[first.at : stop]))

    def _statement(self, i: int) -> tuple[int, int]:
        """First and last token of the declaration around token `i`; the last is its semicolon, or -1."""
        tokens = self.tokens
        start = i
        while start > 0 and (tokens[start - 1].kind == "name" or tokens[start - 1].text == ")"):
            if tokens[start - 1].text == ")":
                j = opening(tokens, start - 1)
                if j < 1 or tokens[j - 1].text not in WITH_PARENS:
                    break
                start = j - 1
                continue
            if tokens[start - 1].text in ("else", "do", "private", "public", "protected", "return"):
                break
            start -= 1
        while start < i and self._on_directive(tokens[start]) and not self._on_directive(tokens[i]):
            start += 1
        j = i
        while j < len(tokens):
            text = tokens[j].text
            if tokens[j].kind == "mark":
                if text in "([{":
                    j = closing(tokens, j)
                    if j < 0:
                        return start, -1
                elif text == ";":
                    return start, j
                elif text in ")}]":
                    return start, -1
            j += 1
        return start, -1

    def _on_directive(self, token: Token) -> bool:
        line = self.source[self.starts[self.line(token) - 1] : token.at]
        return line.lstrip().startswith("#")

    def _declarators(self, first: int, last: int) -> list[Token]:
        """The declared names between the tokens; `last` is the semicolon."""
        tokens = self.tokens
        names = []
        candidate: Token | None = None
        done = False
        i = first
        while i <= last:
            text = tokens[i].text
            if tokens[i].kind == "name" and not done:
                if text in WITH_PARENS and tokens[i + 1].text == "(":
                    i = closing(tokens, i + 1) + 1
                    continue
                candidate = tokens[i]
            elif (
                text == "<" and not done and candidate is not None and (j := angle_closing(tokens, i)) > 0 and j < last
            ):
                i = j
            elif text == "(" and not done:
                raise self.refuse("a declarator with parentheses in a shared or device variable", tokens[i])
            elif text == "{" and not done and opens_type(tokens, i):
                i = closing(tokens, i)
            elif text in ("[", "=", "{"):
                done = True
                if text in "[{":
                    i = closing(tokens, i)
            elif text in (",", ";"):
                if candidate is not None:
                    names.append(candidate)
                candidate, done = None, False
            elif text in "([{":
                i = closing(tokens, i)
            i += 1
        return names

    def _depth(self, i: int) -> int:
        """How many braces that are no namespace or extern "C" stand open at token `i`."""
        stack: list[bool] = []
        for j in range(i):
            text = self.tokens[j].text
            if text == "{" and self.tokens[j].kind == "mark":
                before = [t.text for t in self.tokens[max(0, j - 6) : j]]
                stack.append("namespace" not in before and not (before and before[-1].startswith('"C')))
            elif text == "}" and self.tokens[j].kind == "mark" and stack:
                stack.pop()
        return sum(stack)


def parameter_count(tokens: list[Token]) -> int | None:
    """Number of comma-separated parts; None with a pack or a default, where fewer may be written."""
    if not tokens:
        return 0
    count, depth, i = 1, 0, 0
    while i < len(tokens):
        text = tokens[i].text
        if tokens[i].kind == "mark":
            if text in "([{<":
                depth += 1
            elif text in ")]}>":
                depth -= 1
            elif text == "," and depth == 0:
                count += 1
            elif (text == "=" and depth == 0) or text == ".":
                return None
        i += 1
    return count


def opens_type(tokens: list[Token], i: int) -> bool:
    """Whether the brace at `i` is the body of a struct or union written in place."""
    for j in range(i - 1, max(i - 4, -1), -1):
        if tokens[j].text in ("struct", "union", "class", "enum"):
            return True
        if tokens[j].kind != "name":
            return False
    return False
