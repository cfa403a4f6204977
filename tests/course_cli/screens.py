"""Helpers: print to a console of a given width, in either language, and look at the lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console, RenderableType

from course_cli import i18n
from course_cli.context import settings
from course_cli.theme import make_console


@contextmanager
def screen(lang: str = "en", width: int = 80, *, plain: bool = False) -> Iterator[Console]:
    """The settings of one run: language, width, plain mode; put back afterwards."""
    before = settings.plain, settings._console, i18n.code()
    i18n.use(lang)
    settings.plain = plain
    settings._console = make_console(no_color=True, file=io.StringIO(), width=width)
    try:
        yield settings._console
    finally:
        settings.plain, settings._console = before[0], before[1]
        i18n.use(before[2])


def lines_of(console: Console, *what: RenderableType) -> list[str]:
    """What printing gives, line by line, without trailing spaces."""
    with console.capture() as caught:
        for each in what:
            console.print(each)
    return [line.rstrip() for line in caught.get().rstrip("\n").split("\n")]


def widest(lines: list[str]) -> int:
    """Columns of the widest line; wide characters count two."""
    return max(cell_len(line) for line in lines)
