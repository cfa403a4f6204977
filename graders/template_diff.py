"""Compare a submitted file with the pristine template: take the blank out of it and list every other edit.

Nothing of a submitted file but the blank is ever executed. White space, comments, line ends, byte order marks and moved
lines do not count; an edit that weakens a guard is a veto, with its line and words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from graders import template_diff_cpp, template_diff_python
from graders.blank import guess_language
from graders.blank_base import BLANK, Language, line_column
from graders.template_diff_align import Aligner, Difference, missing, outline
from graders.template_diff_rules import Severity, guarded, words
from graders.template_diff_tokens import locate, tokens, without_comments
from graders.terms import Term, names, normal
from graders.text import Text, same
from graders.textfile import read_text
from graders.units import Unit, Unreadable

__all__ = ["Comparison", "Edit", "StopsFitting", "compare", "marker", "read_text", "similarity", "weakened_by_fill"]

MAX_EDITS = 200
ANOTHER_FILE = 0.25  # below this similarity a file without a place for the blank is no version of the template
MAX_CHARACTERS = 200_000  # of a submitted source file
_MARKER = re.compile(r"^[ \t]*(?:#|//|/\*)[ \t]*course:[ \t]*([A-Za-z0-9][\w-]*)", re.M)


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit outside of the blank. `line` and `column` (from 1) lie in the submitted file, `template_line` in the template
    (0 where it has none); `before` and `after` are the first words of the template's and the submitted statement.

    Kinds: changed, added, removed, moved, renamed, reordered.
    """

    kind: str
    line: int
    column: int
    before: str
    after: str
    severity: Severity
    words: Text
    template_line: int = 0


@dataclass(frozen=True, slots=True)
class StopsFitting:
    """The place in the submitted file from which on it does not fit the template."""

    line: int
    column: int
    words: Text


@dataclass(frozen=True, slots=True)
class Comparison:
    """`fill` is the blank's text as typed (comments in it blanked out), at `line` and `column` of the submitted file.

    `fill` is None where the blank is unfilled or no place for it was found. `renames` maps names that the learner gave
    to locals of the function around the blank to the template's; `translated` is the fill in the template's names.
    """

    fill: str | None
    line: int
    column: int
    unfilled: bool
    edits: tuple[Edit, ...]
    fits: bool
    stops_fitting_at: StopsFitting | None
    renames: dict[str, str] = field(default_factory=dict)

    @property
    def vetoes(self) -> tuple[Edit, ...]:
        return tuple(edit for edit in self.edits if edit.severity == "veto")

    @property
    def translated(self) -> str | None:
        """The fill with the learner's names for locals replaced by the template's."""
        if self.fill is None or not self.renames:
            return self.fill
        return re.sub(r"(?<![\w.])[A-Za-z_]\w*", lambda m: self.renames.get(m.group(), m.group()), self.fill)


def compare(template: str, submitted: str, language: Language) -> Comparison:
    """The blank's text and all edits outside of it. Never raises for whatever was submitted."""
    submitted = submitted.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(submitted) > MAX_CHARACTERS:
        stop = StopsFitting(1, 1, Text("the file is far larger than the template", "文件远大于模板"))
        return Comparison(None, 0, 0, False, (), False, stop)
    try:
        return _compare(template.replace("\r\n", "\n"), submitted, language)
    except RecursionError:
        stop = StopsFitting(1, 1, Text("the file is nested too deeply to be compared", "文件嵌套过深，无法比较"))
        return Comparison(None, 0, 0, False, (), False, stop)


def _compare(template: str, submitted: str, language: Language) -> Comparison:
    wanted = _units(template, language)
    span = locate(template, submitted, language)
    if span is None:
        return _no_place(template, submitted, language, wanted)
    start, end = span
    marked = submitted[:start] + f" {BLANK} " + submitted[end:]
    fill = without_comments(submitted[start:end], language)
    line, column = line_column(submitted, start)
    unfilled = not fill or BLANK in {token.text for token in tokens(fill, language)}

    def original(at: int) -> int:
        """An offset in the submitted file of an offset in the marked one."""
        if at <= start:
            return at
        return max(at - len(BLANK) - 2 + end - start, start)

    try:
        got = _units(marked, language)
    except Unreadable as error:
        at = original(error.offset)
        stop = StopsFitting(*line_column(submitted, at), _unreadable(error.words, template, submitted, at, wanted))
        return Comparison(None if unfilled else fill, line, column, unfilled, (), False, stop)
    aligner = Aligner(wanted, got)
    aligner.run(len(marked))
    edits = [_edit(d, template, marked, submitted, original(d.at)) for d in aligner.found[:MAX_EDITS]]
    stops = _broken(wanted, got, template, submitted, original)
    if aligner.blank_lost is not None:
        if stops is None:  # the file can be read: what looked most like the place of the blank is another one
            return _no_place(template, submitted, language, wanted)
        unit, at = aligner.blank_lost
        stops = StopsFitting(*line_column(submitted, original(at)), missing(unit, template))
    return Comparison(
        None if unfilled else fill, line, column, unfilled, tuple(edits), stops is None, stops, aligner.renames
    )


def weakened_by_fill(template: str, fill: str, language: Language) -> Text | None:
    """What a checked fill defeats by its form alone: a guard whose condition it turns into a constant.

    Only where the blank is (part of) a mask, an assertion, a loop's bound or the test of a check that leaves early. All
    other ways in which a fill can be wrong are behaviour, which the cases find.
    """
    try:
        wanted, got = (_units(text, language) for text in (template, template.replace(BLANK, f"({fill})")))
    except (Unreadable, RecursionError):
        return None
    pairs = zip((u for t in wanted for u in t.walk()), (u for t in got for u in t.walk()), strict=False)
    for a, b in pairs:
        for what, old, new in guarded(a, b):
            value = _in_place(old, new)
            if value is not None and not set(names(value)) - {"True", "False", "None"}:
                return words(what, "replaced")
    return None


def _in_place(old: Term, new: Term) -> Term | None:
    """The term of `new` that stands where `old` has the blank; None where the blank is not in it."""
    if old == ("name", BLANK):
        return new
    for a, b in zip(old[1:], new[1:], strict=False):
        if isinstance(a, tuple) and isinstance(b, tuple) and (found := _in_place(a, b)) is not None:
            return found
    return None


def similarity(template: str, submitted: str, language: Language | None = None) -> float:
    """0..1: how much of both files is the same, statement by statement (by words where a file cannot be parsed)."""
    language = language or guess_language(template)
    try:
        parts = [_weights(_units(text, language)) for text in (template, submitted)]
    except (Unreadable, RecursionError):
        texts = [[t.text for t in tokens(text, language)] for text in (template, submitted)]
        parts = [Counter(zip(w, w[1:], w[2:], strict=False)) for w in texts]
    total = sum(parts[0].values()) + sum(parts[1].values())
    return 2 * sum((parts[0] & parts[1]).values()) / total if total else 0.0


def marker(text: str) -> str | None:
    """The lesson that a comment such as `# course: lesson05` or `// course: lesson12` names; None without one."""
    found = _MARKER.search(text)
    return found.group(1) if found else None


def _units(source: str, language: Language) -> list[Unit]:
    return template_diff_python.units(source) if language == "triton" else template_diff_cpp.units(source)


def _weights(units: list[Unit]) -> Counter[object]:
    return Counter(repr((u.kind, u.name, normal(u.head))) for top in units for u in top.walk() if u.kind != "error")


def _edit(found: Difference, template: str, marked: str, submitted: str, at: int) -> Edit:
    line, column = line_column(submitted, at)
    template_line = line_column(template, found.before.start)[0] if found.before else 0
    before, after = outline(found.before, template), outline(found.after, marked)
    return Edit(found.kind, line, column, before, after, found.severity, found.words, template_line)


def _broken(
    wanted: list[Unit], got: list[Unit], template: str, submitted: str, original: Callable[[int], int]
) -> StopsFitting | None:
    """Where the submitted file cannot be read although the template can (tree-sitter goes on after errors)."""

    def errors(units: list[Unit]) -> list[Unit]:
        return [u for top in units for u in top.walk() if u.kind == "error" or "'error'" in repr(u.head)]

    found = errors(got)
    if len(found) <= len(errors(wanted)):
        return None
    at = original(found[0].start)
    why = Text("it cannot be read as CUDA C++", "无法按 CUDA C++ 读取")
    return StopsFitting(*line_column(submitted, at), _unreadable(why, template, submitted, at, wanted))


def _unreadable(why: Text | str, template: str, submitted: str, at: int, wanted: list[Unit]) -> Text:
    """Why a file cannot be read from a place on, and what the template has there."""
    en = "your file stops fitting the template here ({words}); the template has `{there}` there"
    zh = "你的文件从这里开始与模板不符（{words}）；模板在这里是 `{there}`"
    told = why if isinstance(why, Text) else same(why)
    return Text(en, zh).fill(words=told, there=_there(template, submitted, at))


def _there(template: str, submitted: str, at: int) -> str:
    """The template's line that follows the last line before `at` that both files share."""
    lines = [" ".join(text.split()) for text in template.split("\n")]
    before = [" ".join(text.split()) for text in submitted[:at].split("\n")][:-1]
    for text in reversed(before):
        if len(text) > 3 and lines.count(text) == 1:
            rest = [line for line in lines[lines.index(text) + 1 :] if line]
            return rest[0] if rest else lines[-1]
    return next((line for line in lines if line), "")


def _no_place(template: str, submitted: str, language: Language, wanted: list[Unit]) -> Comparison:
    """No place for the blank: say where the file stops fitting, if it can be read at all."""
    holder = next((u for top in wanted for u in top.walk() if f"'{BLANK}'" in repr(u.head)), None)
    try:
        got = _units(submitted, language)
    except Unreadable as error:
        at = min(error.offset, len(submitted))
        stop = StopsFitting(*line_column(submitted, at), _unreadable(error.words, template, submitted, at, wanted))
        return Comparison(None, 0, 0, False, (), False, stop)
    if similarity(template, submitted, language) < ANOTHER_FILE:
        told = Text("this file has little in common with the template", "这个文件与模板几乎没有共同之处")
        return Comparison(None, 0, 0, False, (), False, StopsFitting(1, 1, told))
    aligner = Aligner(wanted, got)
    aligner.run(len(submitted))
    at = aligner.blank_lost[1] if aligner.blank_lost else 0
    unit = aligner.blank_lost[0] if aligner.blank_lost else holder
    told = missing(unit, template) if unit else Text("the template has no blank", "模板中没有填空")
    edits = tuple(_edit(d, template, submitted, submitted, d.at) for d in aligner.found[:MAX_EDITS])
    return Comparison(None, 0, 0, False, edits, False, StopsFitting(*line_column(submitted, at), told))
