"""What several test modules share."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example_course(folder: Path) -> None:
    """Write the course of docs/formats.md into a folder."""
    for name, text in _BLOCK.findall((ROOT / "docs" / "formats.md").read_text(encoding="utf-8")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
