"""Help pages and usage errors in the language of this run, with columns that count wide characters as two."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from typer.core import TyperCommand, TyperGroup

from course_cli.i18n import say, t
from course_cli.wrapping import words
from graders.text import Text

WIDEST = 88
_INDENT = "  "

# The framework's own words. Patterns match its English messages; groups keep their names in the translation.
_ERRORS: tuple[tuple[str, Text], ...] = (
    (
        r"No such command '(?P<x>.*?)'\. Did you mean '(?P<y>.*)'\?",
        Text("there is no command {x}; did you mean {y}?", "没有命令 {x}；是否想用 {y}？"),
    ),
    (r"No such command '(?P<x>.*?)'\.?(?: .*)?", Text("there is no command {x}", "没有命令 {x}")),
    (
        r"No such option: (?P<x>--lang|--course|--no-color|--plain|--debug)\b.*",
        Text("{x} goes before the command: `course {x} ...`", "{x} 要写在命令之前：`course {x} ...`"),
    ),
    (r"No such option: (?P<x>\S+)(?: .*)?", Text("there is no option {x}", "没有选项 {x}")),
    (r"Missing argument '(?P<x>[^']*)'\.?.*", Text("{x} is missing", "缺少 {x}")),
    (r"Missing option '(?P<x>[^']*)'\.?.*", Text("option {x} is missing", "缺少选项 {x}")),
    (r"Option '(?P<x>[^']*)' requires an? .*", Text("option {x} needs a value", "选项 {x} 需要一个值")),
    (r"Option '(?P<x>[^']*)' does not take a value\.?", Text("option {x} takes no value", "选项 {x} 不带值")),
    (r"Got unexpected extra arguments? \((?P<x>.*)\)", Text("too many arguments: {x}", "多余的参数：{x}")),
    (
        r"Invalid value for '?(?P<x>[^:']*)'?: (?P<v>.*) (?:is not one of|must be one of) (?P<w>.*?)\.?",
        Text("{x} is one of {w}, not {v}", "{x} 须为 {w} 之一，而不是 {v}"),
    ),
    (r"Invalid value for '?(?P<x>[^:']*)'?: (?P<v>.*)", Text("{x}: {v}", "{x}：{v}")),
)
_RECORD: tuple[tuple[str, Text], ...] = (
    (r"\[required\]", Text("[required]", "[必填]")),
    (r"\[default: (?P<x>[^\]]*)\]", Text("[default: {x}]", "[默认：{x}]")),
    (r"Show this message and exit\.", Text("show this help", "显示此帮助")),
    (
        r"Install completion for the current shell\.",
        Text("install completion for your shell (bash, zsh, fish)", "为当前 shell 安装自动补全（bash、zsh、fish）"),
    ),
    (
        r"Show completion for the current shell, .*",
        Text("print the completion script instead", "只输出自动补全脚本"),
    ),
)


def translated(message: str) -> str:
    """A usage error of the framework as a sentence of ours; unknown ones stay as they are."""
    message = message.replace("Value error, ", "")
    for pattern, text in _ERRORS:
        match = re.fullmatch(pattern, message)
        if match:
            return t(text.fill(**match.groupdict()))
    return message


class CourseCommand(TyperCommand):
    """A command whose help page is ours."""

    def get_help(self, ctx: Any) -> str:
        return page(self, ctx)


class CourseGroup(TyperGroup):
    """The root command, likewise."""

    def get_help(self, ctx: Any) -> str:
        return page(self, ctx)


def page(command: Any, ctx: Any) -> str:
    """The help page: usage, description, arguments, options, commands."""
    width = max(min(shutil.get_terminal_size((80, 24)).columns, WIDEST), 40)
    usage = " ".join([ctx.command_path, *(_piece(p) for p in command.collect_usage_pieces(ctx))])
    lines = [f"{say('Usage', '用法')}: {usage}", ""]
    for paragraph in _paragraphs(command.help or ""):
        lines += [*_wrapped(paragraph, width, _INDENT), ""]
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, str]] = []
    for param in command.get_params(ctx):
        record = param.get_help_record(ctx)
        if record is not None:
            row = (_metavar(record[0]), _words(record[1]))
            (arguments if param.param_type_name == "argument" else options).append(row)
    commands = []
    for name in getattr(command, "commands", {}):
        sub = command.commands[name]
        if not sub.hidden:
            commands.append((name, sub.short_help or _first_sentence(sub.help or "")))
    for title, rows in (
        (say("Arguments", "参数"), arguments),
        (say("Options", "选项"), options),
        (say("Commands", "命令"), commands),
    ):
        if rows:
            lines += [f"{title}:", *_columns(rows, width), ""]
    return "\n".join(lines).rstrip()


def _piece(piece: str) -> str:
    words = {"[OPTIONS]": say("[OPTIONS]", "[选项]"), "COMMAND [ARGS]...": say("COMMAND ...", "命令 ...")}
    if piece in words:
        return words[piece]
    if piece.startswith("{"):
        return piece.strip("{}")
    return re.sub(r"^\[(\[.*\])\]$", r"\1", piece)  # an optional argument that is already written so


def _metavar(left: str) -> str:
    """`--fill <str>` as `--fill TEXT`."""
    left = re.sub(r"^([A-Z\[\]]+) <\w+>$", r"\1", left)
    kinds = {
        "str": say("TEXT", "文本"),
        "path": say("PATH", "路径"),
        "int": say("NUMBER", "数字"),
        "float": say("NUMBER", "数字"),
    }
    return re.sub(r"<(\w+)>", lambda m: kinds.get(m.group(1), m.group()), left).replace("<", "").replace(">", "")


def _words(right: str) -> str:
    for pattern, text in _RECORD:
        right = re.sub(pattern, lambda m, text=text: t(text.fill(**m.groupdict())), right)  # type: ignore[misc]
    return " ".join(right.split())


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s|(?<=。)|\n", text.strip(), maxsplit=1)[0].rstrip(".。:：；")


def _paragraphs(text: str) -> list[str]:
    return [p.strip("\n") for p in text.split("\n\n") if p.strip()]


def _columns(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Two columns; a left part that is too long has a line of its own."""
    left = min(max(cell_len(a) for a, _ in rows), 24)
    out = []
    for a, b in rows:
        inner = _wrapped(b, width, " " * (left + 4))
        if cell_len(a) <= left and inner:
            out += [_INDENT + a + " " * (left + 2 - cell_len(a)) + inner[0].lstrip(), *inner[1:]]
        else:
            out += [_INDENT + a, *inner]
    return out


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """Lines of at most `width` columns; a line of the text that begins with a space is an example and stays whole."""
    out = []
    for line in text.split("\n"):
        if line.startswith(" "):
            out.append(indent + line.rstrip())
            continue
        current = ""
        for _, _, piece in words(line):
            if current and cell_len(indent + current + piece.rstrip()) > width:
                out.append(indent + current.rstrip())
                current = ""
            current += piece
        if current.strip():
            out.append(indent + current.rstrip())
    return out
