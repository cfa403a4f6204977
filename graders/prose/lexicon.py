"""The shared lexicon: concepts and how people say them, in YAML, compiled to matchers on first use.

A spelling is plain words with four marks: `(a|b)` alternatives, `?` after a group or a Chinese character makes it
optional, `*` after a Latin word stands for any ending (after a group: any number of times), ` .. ` for a short gap
inside the clause (`..8` sets its length); `[abc]`, `(?!...)` and `\\.` mean what they mean in expressions. `re: ` in front takes the rest as a regular expression. Latin words match at word boundaries only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from graders.errors import BadInput, Where
from graders.prose.clauses import NEGATION, Clause, Reading, negations_before
from graders.prose.source import Source
from graders.text import Text

_F = re.IGNORECASE | re.ASCII
_EDGE = r"(?:(?<![a-z0-9_])|(?![a-z0-9_]))"
_TOKEN = re.compile(
    r"(\(\?(?:<?[!=]|:)|\\.[*+]?|\[\^?[^\]]+\][*+]?|[*+](?<=\)[*+]))|\s*\.\.(\d*)\s*|([a-z0-9_']+)\*|([a-z](?:[a-z0-9_']*[a-z0-9_'])?\??)|(\()|(\))|(\|)|(\?)|(\s+)|(.)",
    _F | re.DOTALL,
)
# A gap never runs over a negation: 'the store does not remove' is not 'the store .. remove'.
_NO_NEGATION = r"(?!不(?!同|管|断)|没|未(?!来)|并非|\bnot\b|n't|\bnever\b|\bno\b|\bwithout\b|\bnothing\b)"
_CJK = re.compile(r"[\u4e00-\u9fff]")
_KEYS = {"zh", "en", "any", "re", "guard", "about"}


def spelling_pattern(spelling: str) -> str:
    """The regular expression of one spelling. Raises re.error where groups do not close."""
    if spelling.startswith("re:"):
        return f"(?:{spelling[3:].strip()})"
    out: list[str] = []
    chinese = bool(_CJK.search(spelling))
    spelling = spelling.strip().lower()
    for m in _TOKEN.finditer(spelling):
        raw, gap, stem, word, opening, closing, bar, optional, blank, char = m.groups()
        if raw:
            out.append(raw)
        elif gap is not None:
            length = int(gap) if gap else (13 if chinese else 40)
            out.append(rf"(?:{_NO_NEGATION}(?:[^,;.:。!?\n]|\.(?=\d))){{0,{length}}}?")
        elif stem:
            out.append(_word_start(spelling, m.start()) + re.escape(stem) + r"\w*")
        elif word:
            # Latin words stand alone, also inside alternatives; a final `?` belongs to the last letter.
            tail = "?" if word.endswith("?") else ""
            edge = "" if _goes_on(spelling, m.end()) else r"(?![a-z0-9_])"
            # Beside Chinese a blank may or may not stand: '剩下的lane', '剩下的 lane'.
            lead, trail = _blanks(spelling, m.start(), m.end()) if chinese else ("", "")
            out.append(lead + _word_start(spelling, m.start()) + re.escape(word.rstrip("?")) + tail + edge + trail)
        elif opening:
            out.append("(?:")
        elif closing or bar or optional:
            out.append(closing or bar or "?")
        elif blank:
            out.append(r"[\s-]*" if chinese else r"[\s-]+")
        else:
            out.append(re.escape(char))
    body = "".join(out)
    # Words carry their own boundaries; a digit at either end needs one of the whole.
    start = _EDGE if spelling[:1].isdigit() else ""
    end = _EDGE if spelling[-1:].isdigit() else ""
    return f"{start}(?:{body}){end}"


def _word_start(spelling: str, at: int) -> str:
    """The boundary in front of a Latin word, unless it goes on from what stands before it."""
    if spelling.startswith("n't", at):
        return ""
    before, i = spelling[at - 1 : at], at - 1
    if before in ("(", "|"):
        # The first word of an alternative: what counts is the character in front of the group.
        depth = 0
        while i >= 0 and not (spelling[i] == "(" and depth == 0):
            depth += {")": 1, "(": -1}.get(spelling[i], 0)
            i -= 1
        before = spelling[i - 1 : i] if i > 0 else ""
    if before == "?" and spelling[i - 1 : i] == ")" and i == at - 1:
        return ""
    joined = before and (before in ")]'\\" or (before.isalnum() and before.isascii()))
    return "" if joined else r"(?<![a-z0-9_])"


def _blanks(spelling: str, start: int, end: int) -> tuple[str, str]:
    """Optional blanks around a Latin word of a Chinese spelling, where a Chinese character or a group is its neighbour."""
    before, after = spelling[start - 1 : start] if start else "", spelling[end : end + 1]
    lead = " ?" if before and (before in "(|)?" or _CJK.match(before)) and start > 0 else ""
    trail = " ?" if after and (after in "()|" or _CJK.match(after)) else ""
    return lead, trail


def _goes_on(spelling: str, end: int) -> bool:
    """Whether letters follow a Latin word in its spelling, directly or behind the group that it ends."""
    after, i = spelling[end : end + 1], end
    if after in ("|", ")"):
        depth = 0
        while i < len(spelling) and not (spelling[i] == ")" and depth == 0):
            depth += {"(": 1, ")": -1}.get(spelling[i], 0)
            i += 1
        i += 1
        if spelling[i : i + 1] == "?":
            i += 1
        after = spelling[i : i + 1]
    return bool(after) and (after in "(*[\\'" or (after.isalnum() and after.isascii()))


@dataclass(slots=True)
class Concept:
    """A concept and its spellings; the matcher is compiled when it is first needed."""

    name: str
    spellings: list[str]
    guards: list[str] = field(default_factory=list)
    _matcher: re.Pattern[str] | None = None
    _guard: re.Pattern[str] | None = None

    def matcher(self) -> re.Pattern[str]:
        """All spellings, longest first, as one expression."""
        if self._matcher is None:
            ordered = sorted(self.spellings, key=len, reverse=True)
            self._matcher = re.compile("|".join(spelling_pattern(s) for s in ordered), _F)
        return self._matcher

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the concept is named in a plain text; matches inside a guard are dropped."""
        found = [m.span() for m in self.matcher().finditer(text) if m.end() > m.start()]
        if found and self.guards:
            if self._guard is None:
                self._guard = re.compile("|".join(spelling_pattern(s) for s in self.guards), _F)
            barred = [m.span() for m in self._guard.finditer(text)]
            found = [(a, b) for a, b in found if not any(x < b and a < y for x, y in barred)]
        return found


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept named in an answer. `sign` is -1 where it is denied."""

    start: int
    end: int
    clause: int
    sign: int


class Lexicon:
    """Concepts by name, and the inline spellings of rubrics."""

    def __init__(self, concepts: dict[str, Concept]) -> None:
        self.concepts = concepts
        self._inline: dict[str, Concept] = {}

    def get(self, name: str) -> Concept | None:
        """A concept of the lexicon, or an inline one: `'spelling'`."""
        if name[:1] in "'\"":
            if name not in self._inline:
                self._inline[name] = Concept(name, [part for part in name.strip("'\"").split("//") if part])
            return self._inline[name]
        return self.concepts.get(name)


def load_lexicon(path: Path) -> Lexicon:
    """Read a lexicon; BadInput names file and line of what is wrong with it."""
    source = Source.load(path)
    data = source.mapping((), {"format", "concepts"})
    if data.get("format") != "course-lexicon/1":
        raise source.error((), Text("format must be course-lexicon/1", "format 必须是 course-lexicon/1"))
    concepts: dict[str, Concept] = {}
    for name in source.mapping(("concepts",), None):
        entry = source.mapping(("concepts", name), _KEYS)
        spellings: list[str] = []
        for key in ("any", "zh", "en"):
            spellings += source.strings(("concepts", name, key), entry.get(key))
        spellings += ["re:" + p for p in source.strings(("concepts", name, "re"), entry.get("re"))]
        guards = source.strings(("concepts", name, "guard"), entry.get("guard"))
        if not spellings:
            raise source.error(("concepts", name), Text(f"concept {name} has no spelling", f"概念 {name} 没有任何写法"))
        concepts[str(name)] = Concept(str(name), spellings, guards)
    return Lexicon(concepts)


def check_lexicon(lexicon: Lexicon, path: Path) -> None:
    """Compile every spelling; used by lint and the tests, since loading leaves that for later."""
    for concept in lexicon.concepts.values():
        for spelling in [*concept.spellings, *concept.guards]:
            try:
                re.compile(spelling_pattern(spelling), _F)
            except re.error as error:
                problem = Text(
                    f"concept {concept.name}: spelling {spelling!r}: {error}",
                    f"概念 {concept.name}：写法 {spelling!r}：{error}",
                )
                raise BadInput(problem, Where(str(path))) from None


class Mentions:
    """The concepts named in one answer, found when asked for."""

    def __init__(self, reading: Reading, lexicon: Lexicon) -> None:
        self.reading = reading
        self.lexicon = lexicon
        self._found: dict[str, list[Mention]] = {}

    def of(self, name: str) -> list[Mention]:
        """All mentions of one concept, in order, with their polarity."""
        if name not in self._found:
            concept = self.lexicon.get(name)
            self._found[name] = self._find(concept) if concept else []
        return self._found[name]

    def _find(self, concept: Concept) -> list[Mention]:
        found: list[Mention] = []
        clauses = self.reading.clauses
        if not clauses:
            return found
        for start, end in concept.spans(self.reading.text):
            index = self.reading.clause_at(start)
            clause = clauses[index]
            negative = _negative(clause, start - clause.start, clauses, index)
            last = found[-1] if found else None
            if negative and not clause.denied and last and last.clause == index and last.sign > 0 and last.end <= start:
                # The negation may be part of the same concept just named: '不多不少', 'changes nothing, adds nothing'.
                own = NEGATION.search(self.reading.text, last.start, last.end)
                negative = not (own and not NEGATION.search(self.reading.text, last.end, start))
            found.append(Mention(start, end, index, -1 if negative else 1))
        return found


_NOT_BUT = re.compile(r"(?:不是|并非|而不是|不在于|不靠|\bnot\b|n't\b)", _F)


def _negative(clause: Clause, at: int, clauses: list[Clause], index: int) -> bool:
    """Whether an odd number of negations holds for the words at an offset of a clause."""
    count = negations_before(clause, max(0, at))
    following = (
        clauses[index + 1].text if index + 1 < len(clauses) and clauses[index + 1].sentence == clause.sentence else ""
    )
    if (
        count == 0
        and _NOT_BUT.search(clause.text[: max(0, at)])
        and ("而是" in clause.text[at:] or following.lstrip().startswith(("而是", "but ")))
    ):
        count = 1
    return bool((count + clause.denied) % 2)


@lru_cache(maxsize=8)
def cached_lexicon(path: Path, stamp: int) -> Lexicon:
    """One lexicon per file and modification time, so that compiled matchers are kept between answers."""
    return load_lexicon(path)


def lexicon_at(path: Path) -> Lexicon:
    """The lexicon of a file, read once."""
    if not path.is_file():
        raise BadInput(Text("the lexicon is missing", "缺少词库文件"), Where(str(path)))
    return cached_lexicon(path, path.stat().st_mtime_ns)


def atom_names(atom: str) -> list[Any]:
    """Split `a|!b|'text'` into (sign, name): 1 as said, -1 denied, 0 either way."""
    parts: list[str] = []
    current, quote = "", ""
    for at, char in enumerate(atom):
        if quote:
            current += char
            # An apostrophe inside the spelling does not close it; only a quote before `|` or the end does.
            if char == quote and atom[at + 1 :].lstrip()[:1] in ("", "|"):
                quote = ""
        elif char in "'\"" and not current.strip("!~ "):
            quote = char
            current += char
        elif char == "|":
            parts.append(current)
            current = ""
        else:
            current += char
    parts.append(current)
    out = []
    for part in parts:
        part = part.strip()
        sign = -1 if part.startswith("!") else 0 if part.startswith("~") else 1
        out.append((sign, part.lstrip("!~").strip()))
    return out
