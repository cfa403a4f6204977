"""gettext catalogues: every sentence of the program, collected from the source; further languages without touching code.

    python -m course_cli.catalogue            write locale/course.pot and the catalogues of en and zh
    python -m course_cli.catalogue fr         the same, and start (or bring up to date) locale/fr/LC_MESSAGES/course.po
    python -m course_cli.catalogue --check    exit 1 where the catalogues are not what the source says

The message id is the English sentence with its `{names}`. Collected are `Text(en, zh)`, `say(en, zh)` and every `{en, zh}` pair
of the lessons' YAML files.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graders.yamlread import load

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent
LOCALE = PACKAGE / "locale"
CALLS = ("Text", "say")
_HEADER = (
    "Project-Id-Version: gpu-kernel-course\\n"
    "Content-Type: text/plain; charset=UTF-8\\n"
    "Content-Transfer-Encoding: 8bit\\n"
    "Language: {lang}\\n"
)


@dataclass(slots=True)
class Message:
    """One sentence: English, Chinese, and where it stands."""

    en: str
    zh: str
    places: list[str] = field(default_factory=list)


def collect(root: Path = ROOT) -> dict[str, Message]:
    """Every sentence of the packages and of the lessons, by its English form, in the order of the files."""
    found: dict[str, Message] = {}
    for path in sources(root):
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, en, zh in pairs(tree):
            _add(found, en, zh, f"{path.relative_to(root).as_posix()}:{line}")
    for path in sorted((root / "lessons").rglob("*.yaml")):
        for en, zh in _yaml_pairs(load(path).data):
            _add(found, en, zh, path.relative_to(root).as_posix())
    return found


def sources(root: Path = ROOT) -> list[Path]:
    """Python files that may speak to a person."""
    return sorted(p for name in ("graders", "course_cli") for p in (root / name).rglob("*.py"))


def pairs(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """`Text("…", "…")`, `say("…", "…")` and a pair of names `en = …`, `zh = …` used by one, with their lines."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in CALLS:
            continue
        words = {k.arg: k.value for k in node.keywords}
        en = node.args[0] if node.args else words.get("en")
        zh = node.args[1] if len(node.args) > 1 else words.get("zh")
        if _constant(en) and _constant(zh):
            yield node.lineno, en.value, zh.value  # type: ignore[union-attr]
    for block in ast.walk(tree):
        for first, second in _following(getattr(block, "body", [])):
            names = {_target(first): first, _target(second): second}
            if names.keys() == {"en", "zh"}:
                yield first.lineno, names["en"].value.value, names["zh"].value.value  # type: ignore[attr-defined]


def _following(body: Any) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    if isinstance(body, list):
        yield from itertools.pairwise(body)


def _target(node: ast.stmt) -> str:
    """The name that a statement gives a constant string, else nothing."""
    if isinstance(node, ast.Assign) and _constant(node.value) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _constant(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _yaml_pairs(data: Any) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        if data.keys() == {"en", "zh"} and all(isinstance(v, str) for v in data.values()):
            if not data["en"].endswith(".md"):
                yield data["en"], data["zh"]
            return
        for value in data.values():
            yield from _yaml_pairs(value)
    elif isinstance(data, list):
        for value in data:
            yield from _yaml_pairs(value)


def _add(found: dict[str, Message], en: str, zh: str, place: str) -> None:
    if en.strip():
        found.setdefault(en, Message(en, zh)).places.append(place)


# --- files --------------------------------------------------------------------------------------------------------


def render_po(messages: dict[str, Message], lang: str, translations: dict[str, str]) -> str:
    """A catalogue; places without line numbers, so that an edit elsewhere in a file changes nothing here."""
    parts = ['msgid ""\nmsgstr ""\n' + "\n".join(f'"{line}\\n"' for line in _header(lang)) + "\n"]
    for message in messages.values():
        files = sorted({place.split(":")[0] for place in message.places})
        lines = [f"#: {file}" for file in files]
        if "{" in message.en:
            lines.append("#, python-brace-format")
        lines += [f"msgid {_quoted(message.en)}", f"msgstr {_quoted(translations.get(message.en, ''))}"]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _header(lang: str) -> list[str]:
    return [line for line in _HEADER.format(lang=lang).replace("\\n", "\n").split("\n") if line]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    if "\n" not in text:
        return f'"{escaped}"'
    lines = escaped.split("\n")
    return '""\n' + "\n".join(f'"{line}\\n"' for line in lines[:-1]) + (f'\n"{lines[-1]}"' if lines[-1] else "")


def read_po(path: Path) -> dict[str, str]:
    """The translations of a catalogue; entries that are marked fuzzy or empty are left out."""
    out: dict[str, str] = {}
    key: list[str] = []
    value: list[str] = []
    into = key
    fuzzy = False

    def done() -> None:
        if "".join(key) and "".join(value) and not fuzzy:
            out["".join(key)] = "".join(value)

    for line in [*path.read_text(encoding="utf-8").splitlines(), "msgid"]:
        line = line.strip()
        if line.startswith("#,"):
            done()
            key, value = [], []
            into = key
            fuzzy = "fuzzy" in line
        elif line.startswith("msgid"):
            if into is value:
                done()
                fuzzy = False if key or value else fuzzy
            key, value = [], []
            into = key
            line = line.removeprefix("msgid").strip()
        elif line.startswith("msgstr"):
            into = value
            line = line.removeprefix("msgstr").strip()
        if line.startswith('"'):
            into.append(ast.literal_eval(line))
    return out


def write_all(extra: list[str], *, check: bool) -> list[Path]:
    """Write the template and the catalogues; returns those that changed (with `check` nothing is written)."""
    messages = collect()
    files = {
        LOCALE / "course.pot": render_po(messages, "", {}),
        LOCALE / "en" / "LC_MESSAGES" / "course.po": render_po(messages, "en", {m: m for m in messages}),
        LOCALE / "zh" / "LC_MESSAGES" / "course.po": render_po(messages, "zh", {m.en: m.zh for m in messages.values()}),
    }
    others = {p.parent.parent.name for p in LOCALE.glob("*/LC_MESSAGES/course.po")} - {"en", "zh"}
    for lang in sorted(others | set(extra)):
        path = LOCALE / lang / "LC_MESSAGES" / "course.po"
        files[path] = render_po(messages, lang, read_po(path) if path.is_file() else {})
    changed = [p for p, text in files.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
    if not check:
        for path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
    return changed


def main(argv: list[str]) -> int:
    check = "--check" in argv
    changed = write_all([a for a in argv if not a.startswith("-")], check=check)
    for path in changed:
        print(("not up to date: " if check else "wrote ") + str(path.relative_to(ROOT)))
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
