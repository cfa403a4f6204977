"""Text in both languages of the course.

Every sentence that a person may read is a `Text`: both languages stand side by side in the
source, so a half-translated message cannot be written. The front end picks one at the end.

A further language is a catalogue from the English sentence to its translation, handed over with `install`; what the
catalogue lacks appears in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Lang = Literal["en", "zh"]

_catalogues: dict[str, Mapping[str, str]] = {}


def install(lang: str, catalogue: Mapping[str, str]) -> None:
    """Make a language beside en and zh known: `catalogue` maps English sentences, before `fill`, to translations."""
    _catalogues[lang] = catalogue


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence (or block) in English and in Chinese."""

    en: str
    zh: str
    # What `fill` made it of: the sentence before and the values, for languages that come from a catalogue.
    made_of: tuple[Text, dict[str, Any]] | None = field(default=None, compare=False, repr=False)

    def fill(self, **values: Any) -> Text:
        """Return the text with `{name}` replaced; a value that is a Text is picked per language."""
        return Text(
            self.en.format(**{k: _picked(v, "en") for k, v in values.items()}),
            self.zh.format(**{k: _picked(v, "zh") for k, v in values.items()}),
            (self, values),
        )

    def pick(self, lang: str) -> str:
        """The sentence in one language; English where a catalogue has no translation."""
        if lang == "zh":
            return self.zh
        catalogue = _catalogues.get(lang)
        return self.en if catalogue is None else self._from(catalogue, lang)

    def _from(self, catalogue: Mapping[str, str], lang: str) -> str:
        if self.made_of is None:
            return catalogue.get(self.en) or self.en
        sentence, values = self.made_of
        try:
            return sentence._from(catalogue, lang).format(**{k: _picked(v, lang) for k, v in values.items()})
        except (KeyError, IndexError, ValueError):  # a translation with a wrong `{name}`
            return self.en

    def as_json(self) -> dict[str, str]:
        """Plain form, for pipes between processes."""
        return {"en": self.en, "zh": self.zh}

    @classmethod
    def from_json(cls, value: Any) -> Text:
        """Inverse of `as_json`; a bare string stands for both languages (a compiler's own words)."""
        if isinstance(value, dict):
            return cls(str(value.get("en", "")), str(value.get("zh", "")))
        return same(str(value))


def same(words: str) -> Text:
    """Words that are the same in both languages: code, names, a compiler's own message."""
    return Text(words, words)


def _picked(value: Any, lang: str) -> Any:
    return value.pick(lang) if isinstance(value, Text) else value
