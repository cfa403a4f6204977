"""Colours and signs: one accent for what to do next, red only for what is wrong."""

from __future__ import annotations

import os
from typing import IO

from rich.console import Console
from rich.theme import Theme

THEME = Theme(
    {
        "accent": "bold cyan",
        "good": "green",
        "bad": "bold red",
        "warn": "yellow",
        "quiet": "dim",
        "head": "bold",
    }
)


def make_console(*, no_color: bool, file: IO[str], width: int | None = None) -> Console:
    """A console that is plain on a pipe, obeys NO_COLOR and COLUMNS, and never wraps words inside a sign."""
    if width is None and not file.isatty():
        given = os.environ.get("COLUMNS", "")
        width = int(given) if given.isdigit() and int(given) >= 40 else 100
    return Console(file=file, theme=THEME, no_color=no_color, highlight=False, width=width, soft_wrap=False)
