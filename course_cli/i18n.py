"""The language of this run: `--lang`, else COURSE_LANG, else the locale. Decided before help texts are built."""

from __future__ import annotations

import os
from collections.abc import Sequence

from graders.text import Lang, Text

_current: Lang = "en"


def detect(argv: Sequence[str] = ()) -> Lang:
    """The language that a command line and the environment ask for."""
    for i, word in enumerate(argv):
        if word == "--":
            break
        value = (
            word[7:] if word.startswith("--lang=") else (argv[i + 1] if word == "--lang" and i + 1 < len(argv) else "")
        )
        if value in ("zh", "en"):
            return "zh" if value == "zh" else "en"
    for name in ("COURSE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def use(lang: Lang) -> None:
    """Set the language of everything that is said from now on."""
    global _current
    _current = lang


def lang() -> Lang:
    return _current


def t(text: Text) -> str:
    """A text in the language of this run."""
    return text.pick(_current)


def say(en: str, zh: str, **values: object) -> str:
    """Both languages at the place of use; `{name}` is replaced by the values."""
    text = Text(en, zh)
    return t(text.fill(**values) if values else text)
