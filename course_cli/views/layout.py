"""Small building blocks: a sign with text that wraps under itself, headings, lists that name only the first few."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say
from course_cli.signs import Sign, sign, style
from course_cli.signs import heading as plain_heading

INDENT = 2


def hanging(kind: Sign, words: Styled | str, indent: int = 0) -> RenderableType:
    """A sign, then words whose further lines stand under the first."""
    text = words if isinstance(words, Styled) else Styled(words)
    if settings.plain:
        return Styled.assemble(sign(kind), " ", text)
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style=style(kind))
    grid.add_column(overflow="fold")
    grid.add_row(sign(kind), text)
    return Padding(grid, (0, 0, 0, indent), expand=False) if indent else grid


def indented(*parts: RenderableType, by: int = INDENT) -> RenderableType:
    """Parts moved to the right; in plain mode they stay at the margin."""
    return Group(*parts) if settings.plain else Padding(Group(*parts), (0, 0, 0, by), expand=False)


def heading(words: str) -> RenderableType:
    """A rule with words, or a plain line."""
    return Styled(plain_heading(words)) if settings.plain else Rule(words, align="left", style="quiet")


def first_few(names: Sequence[str], most: int = 3) -> str:
    """'a; b; c …'."""
    shown = say("; ", "；").join(names[:most])
    return shown if len(names) <= most else f"{shown} …"
