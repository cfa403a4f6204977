"""Signs on the screen: one character each, or a word in `--plain` mode, where a screen reader speaks them."""

from __future__ import annotations

from typing import Literal

from course_cli.context import settings
from course_cli.i18n import t
from graders.text import Text

Sign = Literal["pass", "fail", "not-run", "next", "warn", "started", "open", "unknown", "none"]

_GLYPHS: dict[Sign, tuple[str, str]] = {
    "pass": ("✓", "good"),
    "fail": ("✗", "bad"),
    "not-run": ("·", "quiet"),
    "next": ("→", "accent"),
    "warn": ("!", "warn"),
    "started": ("…", "warn"),
    "open": ("·", "quiet"),
    "unknown": ("?", "quiet"),
    "none": ("–", "quiet"),
}
_WORDS: dict[Sign, Text] = {
    "pass": Text("right:", "正确："),
    "fail": Text("WRONG:", "错误："),
    "not-run": Text("not run:", "未运行："),
    "next": Text("next:", "下一步："),
    "warn": Text("note:", "注意："),
    "started": Text("started:", "进行中："),
    "open": Text("not started:", "未开始："),
    "unknown": Text("not known:", "未知："),
    "none": Text("missing:", "缺少："),
}


def sign(kind: Sign) -> str:
    """The sign, or its word in plain mode."""
    return t(_WORDS[kind]) if settings.plain else _GLYPHS[kind][0]


def style(kind: Sign) -> str:
    """The theme's style for a sign."""
    return _GLYPHS[kind][1]


def heading(words: str) -> str:
    """A heading in a line of its own where no rule may be drawn."""
    return f"== {words} =="
