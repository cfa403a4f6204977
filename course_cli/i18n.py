"""The language of this run: `--lang`, else COURSE_LANG, else the locale. Decided before help texts are built.

English and Chinese stand in the source. A further language is a catalogue, `locale/LANG/LC_MESSAGES/course.po` in this package
or below COURSE_LOCALE_DIR; what it lacks appears in English, and so do the lessons' texts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from graders.text import Lang, Text, install

_current: str = "en"


@cache
def languages() -> tuple[str, ...]:
    """Codes that `--lang` takes."""
    return ("zh", "en", *sorted(_catalogues().keys() - {"en", "zh"}))


def detect(argv: Sequence[str] = ()) -> str:
    """The language that a command line and the environment ask for."""
    for i, word in enumerate(argv):
        if word == "--":
            break
        value = (
            word[7:] if word.startswith("--lang=") else (argv[i + 1] if word == "--lang" and i + 1 < len(argv) else "")
        )
        if value in ("en", "zh") or (value and value in languages()):
            return value
    for name in ("COURSE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "").lower()
        if value:
            if value.startswith("zh"):
                return "zh"
            short = value.split(".")[0].split("_")[0]
            if short in ("en", "c", "posix"):
                return "en"
            return short if short in languages() else "en"
    return "en"


def use(lang: str) -> None:
    """Set the language of everything that is said from now on."""
    global _current
    _current = lang
    if lang not in ("en", "zh"):
        from course_cli.catalogue import read_po

        install(lang, read_po(_catalogues()[lang]))


def code() -> str:
    """The language of this run, also one of a catalogue."""
    return _current


def lang() -> Lang:
    """The language of content that exists in two languages only, such as the lessons' texts."""
    return "zh" if _current == "zh" else "en"


def t(text: Text) -> str:
    """A text in the language of this run."""
    return text.pick(_current)


def say(en: str, zh: str, **values: object) -> str:
    """Both languages at the place of use; `{name}` is replaced by the values."""
    text = Text(en, zh)
    return t(text.fill(**values) if values else text)


@cache
def _catalogues() -> dict[str, Path]:
    """Language codes with their catalogue; a folder of the user's comes before the package's own."""
    found: dict[str, Path] = {}
    own = os.environ.get("COURSE_LOCALE_DIR")
    for root in (Path(__file__).parent / "locale", *([Path(own)] if own else [])):
        for path in root.glob("*/LC_MESSAGES/course.po"):
            found[path.parent.parent.name] = path
    return found
