"""Markdown of a lesson as terminal lines: diagrams drawn, tables in columns; in plain mode sentences without drawings."""

from __future__ import annotations

import re

from rich.console import Console, RenderableType
from rich.constrain import Constrain
from rich.markdown import Markdown
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say
from course_cli.mermaid import describe_diagrams, draw_diagrams
from course_cli.signs import heading as plain_heading
from course_cli.theme import code_theme

WIDEST = 100  # columns of running text: longer lines are hard to read
_SECTION = re.compile(r"^## ", re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~)")
_CODE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULER = re.compile(r"^\s*\|[\s:|-]+\|\s*$")


def split_sections(markdown: str) -> list[str]:
    """The text cut at its second-level headings outside of code; what stands before the first is a section of its own."""
    pieces: list[list[str]] = [[]]
    fenced = False
    for line in markdown.splitlines():
        if _FENCED.match(line):
            fenced = not fenced
        if not fenced and _SECTION.match(line):
            pieces.append([])
        pieces[-1].append(line)
    return [text for text in ("\n".join(piece).strip() for piece in pieces) if text]


def section_title(section: str) -> str:
    """The first heading of a section, without marks."""
    for line in section.splitlines():
        if line.startswith("#"):
            return line.lstrip("#").strip().replace("`", "")
    return section.splitlines()[0][:40]


def render_section(section: str, console: Console) -> list[str]:
    """The lines of one section, with colours where the console has them."""
    first, _, rest = section.partition("\n")
    title, body = (section_title(section), rest) if first.startswith("#") else ("", section)
    with console.capture() as caught:
        if title:
            console.print(Styled(plain_heading(title) if settings.plain else title, style="title"))
            console.print()
        console.print(_body(body.strip(), console))
    lines = caught.get().rstrip("\n").split("\n")
    return [line.rstrip() for line in lines]


def _body(markdown: str, console: Console) -> RenderableType:
    if settings.plain:
        return Styled(plain_words(markdown))
    width = min(console.width, WIDEST)
    return Constrain(Markdown(draw_diagrams(markdown, width), code_theme=code_theme(), hyperlinks=False), width)


def plain_words(markdown: str) -> str:
    """Markdown without marks, drawings and column layout: what a screen reader should speak."""
    out: list[str] = []
    head: list[str] = []
    fenced = False
    parts = _CODE.split(describe_diagrams(markdown))
    parts[::2] = [
        re.sub(r"\*\*(.+?)\*\*", r"\1", part, flags=re.DOTALL) for part in parts[::2]
    ]  # also over a line break
    joined = "".join(parts)
    for line in joined.split("\n"):
        if _FENCED.match(line):
            fenced = not fenced
            out.append(say("code:", "代码：") if fenced else say("end of code", "代码结束"))
        elif fenced:
            out.append(line)
        elif _ROW.match(line):
            if _RULER.match(line):
                continue
            cells = [_unmarked(cell.strip()) for cell in line.strip().strip("|").split("|")]
            if not head:
                head = cells
                out.append(say("table with the columns: {c}", "表格，各列为：{c}", c=", ".join(c for c in head if c)))
            else:
                pairs = zip(head, cells, strict=False)
                out.append("- " + "; ".join(f"{h}: {c}" if h else c for h, c in pairs if c))
        else:
            head = []
            out.append(plain_heading(_unmarked(line.lstrip("#").strip())) if line.startswith("#") else _unmarked(line))
    return "\n".join(out)


def _unmarked(line: str) -> str:
    line = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1 (\2)", line)
    line = re.sub(r"(\*\*|__)(.+?)\1", r"\2", line)
    line = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"\1", line)
    return line.replace("`", "")
