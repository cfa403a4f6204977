"""Long output screen by screen: nothing scrolls away unread. Used where a person sits at a terminal."""

from __future__ import annotations

import sys

from rich.console import Console, Group, RenderableType
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say
from course_cli.keys import read_key


def show_pages(console: Console, *parts: RenderableType) -> None:
    """Print everything; where it is longer than the screen, wait for a key after each page (q leaves)."""
    with console.capture() as caught:
        console.print(Group(*parts))
    lines = caught.get().rstrip("\n").split("\n")
    size = max(console.height - 2, 5)
    if settings.plain or not (console.is_terminal and sys.stdin.isatty()) or len(lines) <= size:
        _write(console, lines)
        return
    at = 0
    while at < len(lines):
        count = page_length(lines, at, size)
        _write(console, lines[at : at + count])
        at += count
        if at < len(lines) and not _go_on(console, at, len(lines)):
            return


def page_length(lines: list[str], start: int, size: int) -> int:
    """How many lines make the page from `start` on: full, or up to a gap in its second half, so that no drawing,
    table or paragraph that fits on one screen is cut."""
    end = start + size
    if end >= len(lines):
        return len(lines) - start
    for cut in range(end, start + size // 2, -1):
        if not lines[cut - 1].strip():
            return cut - start
    return size


def _go_on(console: Console, at: int, total: int) -> bool:
    line = Styled(f"{100 * at // total} %  ", style="accent")
    line.append(say("[Enter] on  [q] enough", "[回车] 继续  [q] 不看了"), style="quiet")
    console.print(line, end="")
    console.file.flush()
    try:
        return read_key().lower() not in ("q", "escape")
    finally:
        console.file.write("\r\x1b[2K")
        console.file.flush()


def _write(console: Console, lines: list[str]) -> None:
    console.file.write("\n".join(lines) + "\n")
    console.file.flush()
