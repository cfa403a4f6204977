"""Text in both languages of the course.

Every sentence that a person may read is a `Text`: both languages stand side by side in the
source, so a half-translated message cannot be written. The front end picks one at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Lang = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence (or block) in English and in Chinese."""

    en: str
    zh: str

    def fill(self, **values: Any) -> Text:
        """Return the text with `{name}` replaced; a value that is a Text is picked per language."""
        return Text(
            self.en.format(**{k: _picked(v, "en") for k, v in values.items()}),
            self.zh.format(**{k: _picked(v, "zh") for k, v in values.items()}),
        )

    def pick(self, lang: Lang) -> str:
        """The sentence in one language."""
        return self.zh if lang == "zh" else self.en

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


def _picked(value: Any, lang: Lang) -> Any:
    return value.pick(lang) if isinstance(value, Text) else value
