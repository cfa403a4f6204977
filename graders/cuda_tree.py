"""CUDA C++ syntax trees (tree-sitter): parsing and places in characters instead of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Language, Node, Parser, Tree


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter_cuda

    return Parser(Language(tree_sitter_cuda.language()))


@lru_cache(maxsize=8)  # the same template is read several times for one fill
def parse(source: str) -> Tree:
    """The tree of a source text. It never fails: what cannot be read becomes ERROR and MISSING nodes."""
    return _parser().parse(source.encode("utf-8", "replace"))


def nodes(node: Node) -> Iterator[Node]:
    """`node` and everything below it, in the order of the text, without recursion."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children))


def words(node: Node) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def characters(source: bytes, byte: int) -> int:
    """Offset in characters of an offset in bytes."""
    return len(source[:byte].decode("utf-8", "replace"))


def same_outside(left: Node, left_span: tuple[int, int], right: Node, right_span: tuple[int, int]) -> Node | None:
    """Compare two trees that should differ in one place only: spans are byte ranges (start, end).

    Returns the node of `right` that fills `right_span` exactly where `left` has one that fills `left_span` and
    everything else is the same, kind by kind and leaf by leaf; None otherwise.
    """
    found: Node | None = None
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if (a.start_byte, a.end_byte) == left_span and a.child_count == 0:
            if (b.start_byte, b.end_byte) != right_span or b.is_missing or b.has_error:
                return None
            found = b
            continue
        if a.type != b.type or a.child_count != b.child_count or a.is_missing != b.is_missing:
            return None
        if a.child_count == 0 and a.text != b.text:
            return None
        stack.extend(zip(a.children, b.children, strict=True))
    return found
