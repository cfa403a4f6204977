"""A source file as a tree of statements: what the comparison with the template works on, in either language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from graders.terms import Term, names, normal, rename

EXITS = frozenset({"return", "raise", "break", "continue", "throw"})


@dataclass(slots=True)
class Unit:
    """One statement or definition. `head` is the term of what is not in `children`; offsets count characters.

    Kinds: function, class, macro, include, import, scope, if, else, for, while, with, try, except, switch, case, block,
    assign, expr, return, raise, assert, break, continue, pass, error, other.
    """

    kind: str
    head: Term
    start: int
    end: int
    name: str = ""
    children: list[Unit] = field(default_factory=list)
    _key: str = ""

    @property
    def key(self) -> str:
        """Equal for units that mean the same by syntax."""
        if not self._key:
            self._key = repr((self.kind, self.name, normal(self.head), [child.key for child in self.children]))
        return self._key

    @property
    def head_end(self) -> int:
        return self.children[0].start if self.children else self.end

    def walk(self) -> Iterator[Unit]:
        """This unit and all below it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()

    def renamed(self, words: dict[str, str]) -> Unit:
        """A copy with plain names replaced everywhere."""
        children = [child.renamed(words) for child in self.children]
        return Unit(self.kind, rename(self.head, words), self.start, self.end, self.name, children)

    def names(self) -> list[str]:
        """Every plain name in it, in order."""
        return [word for unit in self.walk() for word in names(unit.head)]

    def exits(self) -> bool:
        """Whether its body always ends by leaving (return, raise, break, continue)."""
        body = [child for child in self.children if child.kind not in ("else", "except")]
        return bool(body) and body[-1].kind in EXITS


class Unreadable(Exception):
    """The parser gave up at `offset`; `words` are its own."""

    def __init__(self, offset: int, words: str) -> None:
        self.offset = offset
        self.words = words
        super().__init__(words)
