"""Line breaks in Chinese text: between any two characters, but not before closing or after opening punctuation.

Rich breaks at white space only, so that a Chinese sentence moves to the next line as a whole. Its way of finding words is
replaced by one that knows both scripts; where a later version of Rich works otherwise, its own way stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HAN = "\u2e80-\u2fff\u3005-\u3007\u3040-\u9fff\uf900-\ufaff"
_OPEN = "“‘《（「『【〔"
_CLOSE = "”’》）」』】〕，。、；：！？…"
_PIECE = re.compile(
    rf"\s*(?:[{_OPEN}]*(?:[{_HAN}]|[^\s{_HAN}{_OPEN}{_CLOSE}]+)[{_CLOSE}]*|[{_OPEN}]+[{_CLOSE}]*|[{_CLOSE}]+)\s*"
)


def words(text: str) -> Iterator[tuple[int, int, str]]:
    """Pieces of a line that must not be broken: (start, end, piece with the white space around it)."""
    at = 0
    while found := _PIECE.match(text, at):
        yield found.start(), found.end(), found.group()
        at = found.end()


def teach_rich() -> None:
    """Let Rich wrap with `words`."""
    import rich._wrap as wrap

    if hasattr(wrap, "words") and hasattr(wrap, "divide_line"):
        wrap.words = words
