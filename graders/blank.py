"""The gate through which a learner's text reaches a machine: find the blank, check the fill, put it in.

Only what `check_fill` returns can be injected. Everything here raises CourseError (the lesson is at fault) or Refused
(the fill is), and nothing else. A verdict is never taken from the text of a fill: the executor decides by behaviour.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from graders import blank_cpp, blank_python
from graders.blank_base import BLANK, BlankRules, Language, Refused, Typed, line_column, line_offset, typed
from graders.errors import CourseError
from graders.text import Text

__all__ = [
    "BLANK",
    "BlankPlace",
    "BlankRules",
    "Fill",
    "Injected",
    "Language",
    "LearnerPlace",
    "Refused",
    "check_fill",
    "find_blank",
    "guess_language",
    "inject",
]


@dataclass(frozen=True, slots=True)
class BlankPlace:
    """Where the blank stands in a template: offset in characters from 0, line and column from 1."""

    offset: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Fill:
    """A fill that passed the gate.

    `text` is what was typed without the white space around it; `line` and `column` say where its first character
    stood in what was typed. `normalised` is the same for spellings that differ in white space (and, in Python, in
    redundant brackets and quotes); `sha256` is the hash of `normalised`.
    """

    text: str
    normalised: str
    sha256: str
    language: Language
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class LearnerPlace:
    """A place as a learner knows it: in what was typed into the blank, or in the template."""

    where: Literal["blank", "template"]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Injected:
    """The template with the fill in place. The fill takes up part of one line, so later lines keep their numbers.

    `line`, `column` and `end_column` (exclusive) are the span of what replaced the blank in `source`, from 1, in
    characters; `offsets` says which character of `fill.text` each character of the span stands for.
    """

    source: str
    line: int
    column: int
    end_column: int
    offsets: tuple[int, ...]
    fill: Fill

    def to_learner(self, line: int, column: int) -> LearnerPlace:
        """Where a place in `source` lies for the learner; a column of 0 (unknown) stays 0."""
        if line != self.line or column < self.column:
            return LearnerPlace("template", line, column)
        if column >= self.end_column:
            return LearnerPlace("template", line, column - (self.end_column - self.column) + len(BLANK))
        offset = self.offsets[column - self.column]
        return LearnerPlace("blank", *Typed(self.fill.text, self.fill.line, self.fill.column).place(offset))


def find_blank(template: str, language: Language | None = None) -> BlankPlace:
    """The one blank of a template; raises CourseError unless it stands in the code exactly once.

    Mentions in comments and strings do not count. The language is guessed where it is not given.
    """
    language = language or guess_language(template)
    offset = blank_python.find(template) if language == "triton" else blank_cpp.find(template)
    return BlankPlace(offset, *line_column(template, offset))


def guess_language(source: str) -> Language:
    """Triton where the text reads as Python, CUDA otherwise."""
    return "triton" if blank_python.parse(source) is not None else "cuda"


def check_fill(fill: str, template: str, rules: BlankRules) -> Fill:
    """The gate: raises Refused with reason, line and column (in what was typed) or returns the checked fill."""
    made = typed(fill)
    check = blank_python.check if rules.language == "triton" else blank_cpp.check
    try:
        normalised = check(made, template, rules)
    except RecursionError:  # the callers' own stack was nearly used up
        raise made.refuse(0, "nested too deeply", "嵌套太深") from None
    sha256 = hashlib.sha256(normalised.encode()).hexdigest()
    return Fill(made.text, normalised, sha256, rules.language, made.line, made.column)


def inject(template: str, fill: Fill) -> Injected:
    """Put a checked fill into the template. Line breaks in it become spaces, which means the same in both languages."""
    place = find_blank(template, fill.language)
    language = blank_python if fill.language == "triton" else blank_cpp
    placed = language.place(fill.text, template, place.offset)
    if placed is None:
        en, zh = "this fill was checked against another template", "这个填空是针对另一个模板检查的"
        raise CourseError(Text(en, zh))
    source = template[: place.offset] + placed.text + template[place.offset + len(BLANK) :]
    return Injected(source, place.line, place.column, place.column + len(placed.text), placed.offsets, fill)


def blank_line(template: str, place: BlankPlace) -> str:
    """The template's line that holds the blank, for display."""
    start = line_offset(template, place.line)
    return template[start:].split("\n", 1)[0].rstrip("\r")
