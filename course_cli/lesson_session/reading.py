"""Reading the text: section by section, screen by screen, with a place to return to. Nothing scrolls away unread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rich.console import Console

from course_cli.context import settings
from course_cli.i18n import say
from course_cli.keys import read_key
from course_cli.pager import page_length
from course_cli.reading_view import render_section, section_title, split_sections

Ended = Literal["end", "exercise", "stop"]


class Reader:
    """Shows a text from `place` on. `moved` is told every new place (sections read, plus the share of the next one)."""

    def __init__(self, console: Console, text: str, place: float, moved: Callable[[float], None]) -> None:
        self.console = console
        self.sections = split_sections(text)
        self.moved = moved
        self.at = min(int(place), len(self.sections))
        self.share = place - int(place)

    @property
    def finished(self) -> bool:
        return self.at >= len(self.sections)

    def run(self, first_shown: Callable[[], None] = lambda: None) -> Ended:
        """Read until the end, or until the learner leaves; `first_shown` is called once something stands on the screen."""
        if self.at or self.share:
            words = say("back in section {n} of {m}", "回到第 {n} 节（共 {m} 节）", n=self.at + 1, m=len(self.sections))
            self.console.print(f"({words})", style="quiet", markup=False)
        while not self.finished:
            lines = render_section(self.sections[self.at], self.console)
            size = self._page_size(len(lines))
            line = min(int(self.share * len(lines) + 0.5), max(len(lines) - 1, 0))
            self.share = 0.0
            while True:
                page = lines[line : line + page_length(lines, line, size)]
                self._write(page)
                first_shown()
                first_shown = _nothing
                read_to = line + len(page)
                self.moved(self.at + min(line / max(len(lines), 1), 0.999))
                wish = self._wish(read_to, len(lines))
                if wish == "on":
                    if read_to >= len(lines):
                        self._go(self.at + 1)
                        break
                    line = read_to
                elif wish == "back":
                    if line == 0:
                        self._go(max(self.at - 1, 0))
                        break
                    line = max(0, line - size)
                elif wish == "jump":
                    break
                else:
                    if wish == "exercise":
                        self._go(len(self.sections))
                    return "exercise" if wish == "exercise" else "stop"
        return "end"

    def _go(self, section: int) -> None:
        self.at = section
        self.moved(float(section))

    def _page_size(self, lines: int) -> int:
        """Lines of one screen; in plain mode a whole section, since a screen reader does its own paging."""
        return lines if settings.plain else max(self.console.height - 4, 4)

    def _write(self, lines: list[str]) -> None:
        file = self.console.file
        file.write("\n".join(lines) + "\n\n")
        file.flush()

    def _wish(self, read_to: int, lines: int) -> str:
        """What the learner wants next: on, back, jump (the place is set), exercise, stop."""
        while True:
            key = self._key(read_to, lines)
            if key in ("enter", " ", "on", "down", "n", ""):
                return "on"
            if key in ("back", "b", "up"):
                return "back"
            if key == "home":
                self._go(0)
                return "jump"
            if key == "s":
                return "exercise"
            if key == "q":
                return "stop"
            if key == "c":
                if self._contents():
                    return "jump"
            elif key.isdigit() and 0 < int(key) <= len(self.sections):
                self._go(int(key) - 1)
                return "jump"

    def _key(self, read_to: int, lines: int) -> str:
        part = "" if read_to >= lines else f" · {100 * read_to // lines} %"
        place = f"{self.at + 1}/{len(self.sections)}{part}"
        title = section_title(self.sections[self.at])
        if settings.plain:
            words = say(
                "Section {p}. Enter: go on. b: back. c: contents. s: to the exercise. q: stop. > ",
                "第 {p} 节。回车：继续。b：上一节。c：目录。s：去做练习。q：停止。> ",
                p=place,
            )
            return input(words).strip().lower()
        keys = say(
            "[Enter] on  [b] back  [c] contents  [s] exercise  [q] stop",
            "[回车]继续  [b]后退  [c]目录  [s]练习  [q]停止",
        )
        from rich.text import Text as Styled

        line = Styled(f"{place}  ", style="accent")
        line.append(keys, style="quiet")
        left = self.console.width - line.cell_len - 3
        if left > 8:
            name = Styled(title)
            name.truncate(left, overflow="ellipsis")
            line = Styled.assemble((f"{place} ", "accent"), name, "  ", (keys, "quiet"))
        line.truncate(self.console.width - 1, overflow="ellipsis")
        self.console.print(line, end="")
        self.console.file.flush()
        try:
            return read_key().lower()
        finally:
            self.console.file.write("\r\x1b[2K" if self.console.is_terminal else "\n")
            self.console.file.flush()

    def _contents(self) -> bool:
        """The list of sections; True when one was chosen and the place is set."""
        for i, section in enumerate(self.sections):
            mark = "→" if i == self.at and not settings.plain else " "
            self.console.print(f" {mark} {i + 1:2}  {section_title(section)}", markup=False)
        reply = input(say("section number (Enter: stay here) > ", "节号（回车：留在这里）> ")).strip()
        if reply.isdigit() and 0 < int(reply) <= len(self.sections):
            self._go(int(reply) - 1)
            return True
        return False


def _nothing() -> None:
    return None
