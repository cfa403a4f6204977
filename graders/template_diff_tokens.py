"""Find a learner's fill in a submitted file, exactly as typed, even where the file is not valid or other lines moved.

Works on tokens, because a wrong fill may keep the file from parsing. The place is the one whose surroundings look most
like the template's; the fill ends where the template goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from graders.blank_base import BLANK, Language

WINDOW = 40  # tokens compared on each side of the blank
MAX_PLACES = 500  # that look like the one of the blank
_ENOUGH = 0.35  # how alike the surroundings must be at least

_PYTHON = re.compile(
    r"(?P<skip>[ \t\f]+|\\\n|#[^\n]*)|(?P<line>\n)|(?P<word>[rRbBuUfF]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|\d[\w.]*|\w+|\S)",
    re.S,
)
_CUDA = re.compile(
    r"(?P<skip>[ \t\f\v\n]+|\\\n|//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<word>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'"
    r"|\d[\w.]*|\w+|\S)",
    re.S,
)
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    start: int
    end: int


def tokens(source: str, language: Language) -> list[Token]:
    """Words and signs without comments and white space. In Python a line end outside of brackets is a token as well."""
    found: list[Token] = []
    depth = 0
    for match in (_PYTHON if language == "triton" else _CUDA).finditer(source):
        if match.lastgroup == "word":
            text = match.group()
            depth = max(depth + (text in _OPEN) - (text in _CLOSE), 0)
            found.append(Token(text, match.start(), match.end()))
        elif match.lastgroup == "line" and not depth and found and found[-1].text != "\n":
            found.append(Token("\n", match.start(), match.end()))
    return found


def locate(template: str, submitted: str, language: Language) -> tuple[int, int] | None:
    """The span (start, end) in `submitted` of what stands in the place of the blank; None where no place fits."""
    before, after = tokens(template, language), tokens(submitted, language)
    at = next((i for i, token in enumerate(before) if token.text == BLANK), None)
    if at is None or at == 0:
        return None
    wanted = [t.text for t in before]
    texts = [t.text for t in after]
    left, right = wanted[max(at - WINDOW, 0) : at], wanted[at + 1 : at + 1 + WINDOW]
    best: tuple[float, int, int] | None = None
    places = [
        i
        for i in range(1, len(texts) + 1)
        if texts[i - 1] == left[-1] and (len(left) < 2 or i < 2 or texts[i - 2] == left[-2])
    ]
    for i in places[:MAX_PLACES]:
        j = _end(after, i, right, submitted, language)
        score = 2 * _alike(left, texts[max(i - WINDOW, 0) : i]) + _alike(right, texts[j : j + WINDOW])
        if best is None or score > best[0]:
            best = (score, i, j)
    if best is None or best[0] < 3 * _ENOUGH:
        return None
    _, i, j = best
    if j <= i:  # nothing was typed
        place = after[i - 1].end
        return place, place
    return after[i].start, after[j - 1].end


def without_comments(text: str, language: Language) -> str:
    """The text with each comment replaced by spaces, so that lines and columns stay."""
    made = list(text)
    for match in (_PYTHON if language == "triton" else _CUDA).finditer(text):
        if match.lastgroup == "skip" and match.group()[0] in "#/":
            for at in range(match.start(), match.end()):
                made[at] = "\n" if made[at] == "\n" else " "
    return "".join(made).rstrip(" \n")


def _alike(a: list[str], b: list[str]) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _end(after: list[Token], start: int, right: list[str], submitted: str, language: Language) -> int:
    """Index after the last token of a fill that begins at `start`: where the template goes on with `right`."""
    follows = right[0] if right else ""
    found = _closed(after, start, follows, braces=True)
    if found is not None and (language == "triton" or [t.text for t in after[found : found + 2]] == right[:2]):
        # A comma before the closing bracket is a matter of format, not of the fill.
        return found - 1 if found > start and after[found - 1].text == "," and follows in _CLOSE else found
    if language == "cuda":
        found = _closed(after, start, follows, braces=False)
        if found is not None:
            return found
    # The brackets of the fill never close: it ends with its line.
    for at in range(start + 1, len(after)):
        if "\n" in submitted[after[at - 1].end : after[at].end]:
            return at
    return len(after)


def _closed(after: list[Token], start: int, follows: str, braces: bool) -> int | None:
    """Where `follows` stands outside of all brackets opened since `start`, or where more are closed than were opened.

    Without `braces` a brace or semicolon outside of brackets ends the fill as well.
    """
    depth = 0
    for at in range(start, len(after)):
        text = after[at].text
        if depth == 0 and (text == follows or (not braces and text in ("{", ";"))):
            return at
        depth += (text in _OPEN) - (text in _CLOSE)
        if depth < 0:
            return None if braces else at
    return None
