"""The shared lexicon: concepts and how people say them, in YAML, compiled to matchers on first use.
How a spelling is matched is said in spellings.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from graders.errors import BadInput, Where
from graders.prose.clauses import NEGATION, Clause, Reading, negations_before
from graders.prose.source import Source
from graders.prose.spellings import Matcher, spelling_pattern
from graders.text import Text

_F = re.IGNORECASE | re.ASCII
_KEYS = {"zh", "en", "any", "re", "guard", "about"}


class Concept:
    """A concept and its spellings."""

    def __init__(self, name: str, spellings: list[str], guards: list[str] | None = None) -> None:
        self.name = name
        self.spellings = spellings
        self.guards = guards or []
        self._matcher = Matcher(spellings)
        self._guard = Matcher(self.guards)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the concept is named in a plain text; matches inside a guard are dropped."""
        found = self._matcher.spans(text)
        if found and self.guards:
            barred = self._guard.spans(text)
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


MOST_MENTIONS = 60  # of one concept: an answer that says more of it is no answer


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
        for start, end in concept.spans(self.reading.text)[:MOST_MENTIONS]:
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
