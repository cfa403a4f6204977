"""Typed access to a YAML file of the prose grader: every problem is told with file and line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders import yamlread
from graders.errors import BadInput
from graders.text import Text

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed file and the questions asked of it."""

    document: yamlread.Document

    @classmethod
    def load(cls, path: Path) -> Source:
        """Parse a file strictly; BadInput with its line where it is not YAML."""
        return cls(yamlread.load(path))

    def error(self, place: Place, text: Text) -> BadInput:
        """A problem at a place of the file."""
        return BadInput(text, self.document.where(place))

    def at(self, place: Place) -> Any:
        """The value at a place; None where there is none."""
        value: Any = self.document.data
        for key in place:
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                return None
        return value

    def mapping(self, place: Place, keys: set[str] | None, required: tuple[str, ...] = ()) -> dict[str, Any]:
        """A mapping with known keys only (any keys where `keys` is None)."""
        value = self.at(place)
        if not isinstance(value, dict):
            name = ".".join(map(str, place)) or "file"
            raise self.error(place, Text(f"{name} must be a mapping", f"{name} 必须是映射"))
        for key in value:
            if keys is not None and key not in keys:
                known = ", ".join(sorted(keys))
                raise self.error(
                    (*place, key), Text(f"unknown key {key!r}; known: {known}", f"未知的键 {key!r}；可用：{known}")
                )
        for key in required:
            if key not in value:
                raise self.error(place, Text(f"key {key!r} is missing", f"缺少键 {key!r}"))
        return value

    def items(self, place: Place) -> list[Any]:
        """A list; an absent one is empty."""
        value = self.at(place)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(place, Text("this must be a list", "这里必须是列表"))
        return value

    def strings(self, place: Place, value: Any) -> list[str]:
        """A list of strings, or one string with entries parted by semicolons or line ends."""
        if value is None:
            return []
        if isinstance(value, str):
            return [part.strip() for part in value.replace("\n", ";").split(";") if part.strip()]
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return [v.strip() for v in value if v.strip()]
        raise self.error(place, Text("this must be a list of strings", "这里必须是字符串列表"))

    def text(self, place: Place) -> Text:
        """A sentence in both languages: {en: ..., zh: ...}."""
        value = self.mapping(place, {"en", "zh"}, ("en", "zh"))
        if not all(isinstance(v, str) and v.strip() for v in value.values()):
            raise self.error(place, Text("en and zh must be sentences", "en 与 zh 都必须是句子"))
        return Text(value["en"].strip(), value["zh"].strip())

    def maybe_text(self, place: Place) -> Text | None:
        """A sentence in both languages where there is one."""
        return self.text(place) if self.at(place) is not None else None

    def number(self, place: Place, default: float) -> float:
        """A finite number."""
        value = self.at(place)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise self.error(place, Text("this must be a number", "这里必须是数字"))
        return float(value)

    def flag(self, place: Place, default: bool) -> bool:
        """true or false."""
        value = self.at(place)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(place, Text("this must be true or false", "这里必须是 true 或 false"))
        return value

    def string(self, place: Place, default: str | None = None) -> str:
        """A string; required where no default is given."""
        value = self.at(place)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.error(place, Text(f"{place[-1]} must be a string", f"{place[-1]} 必须是字符串"))
        return value
