"""Colours: one accent for what to do next, red only for what is wrong. All from the terminal's own palette.

COURSE_THEME is `dark`, `light` or `auto` (the default: what COLORFGBG says, else dark).
"""

from __future__ import annotations

import os
from typing import IO

from rich.console import Console
from rich.theme import Theme

from course_cli.wrapping import teach_rich

_DARK = {
    "accent": "bold cyan",
    "good": "green",
    "bad": "bold red",
    "warn": "yellow",
    "quiet": "bright_black",
    "head": "bold",
    "title": "bold cyan underline",
    "blank": "black on cyan",
    "markdown.code": "cyan",
    "markdown.code_block": "default",
    "markdown.h1": "bold",
    "markdown.h2": "bold",
    "markdown.h3": "bold underline",
    "markdown.table.header": "bold",
    "markdown.table.border": "bright_black",
    "markdown.block_quote": "italic",
    "markdown.link": "underline",
    "markdown.link_url": "underline",
}
_LIGHT = {
    **_DARK,
    "accent": "bold blue",
    "warn": "magenta",
    "title": "bold blue underline",
    "blank": "white on blue",
    "markdown.code": "blue",
}


def light() -> bool:
    """Whether the terminal has a light background, as far as the environment says."""
    wanted = os.environ.get("COURSE_THEME", "auto").lower()
    if wanted in ("light", "dark"):
        return wanted == "light"
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background.isdigit() and (int(background) == 7 or 9 <= int(background) <= 15)


def code_theme() -> str:
    """Rich's and Pygments' theme for code: of the terminal's palette, so that it is readable on any background."""
    return "ansi_light" if light() else "ansi_dark"


def make_console(*, no_color: bool, file: IO[str], width: int | None = None) -> Console:
    """A console that is plain on a pipe, obeys NO_COLOR and COLUMNS, and never wraps words inside a sign."""
    teach_rich()
    if width is None and not file.isatty():
        given = os.environ.get("COLUMNS", "")
        width = int(given) if given.isdigit() and int(given) >= 40 else 100
    theme = Theme(_LIGHT if light() else _DARK)
    return Console(file=file, theme=theme, no_color=no_color, highlight=False, width=width, soft_wrap=False)
