"""Cells of a terminal to draw on: boxes, lines that join, words that may be wide."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len

from course_cli.wrapping import words

TAKEN = "\u00a0"  # a space that `put_if_empty` leaves alone


def box(lines: list[str]) -> list[str]:
    """Lines in a frame, all of the same width."""
    inner = max(cell_len(line) for line in lines)
    body = [f"│ {line}{' ' * (inner - cell_len(line))} │" for line in lines]
    return [f"┌{'─' * (inner + 2)}┐", *body, f"└{'─' * (inner + 2)}┘"]


def wrapped(lines: list[str], width: int) -> list[str]:
    """Label lines broken to at most `width` columns, at spaces where there are some."""
    out = []
    for line in lines:
        current = ""
        for _, _, piece in words(line):
            if current and cell_len(current + piece.rstrip()) > width:
                out.append(current.rstrip())
                current = ""
            current += piece
        out.append(current.rstrip())
    return out or [""]


class Canvas:
    """Cells of one column each; a wide character is followed by an empty cell."""

    _JOIN: ClassVar[dict[frozenset[str], str]] = {
        frozenset(pair): joined
        for pair, joined in zip(
            ("│─", "└─", "┘─", "┌─", "┐─", "└│", "┘│", "┌│", "┐│", "┘└", "┐┌"), "┼┴┴┬┬├┤├┤┴┬", strict=True
        )
    }

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[list[str]] = []

    def put(self, row: int, column: int, words: str) -> None:
        while len(self.rows) <= row:
            self.rows.append([" "] * self.width)
        for char in words:
            size = cell_len(char)
            if 0 <= column < self.width:
                self.rows[row][column] = char
                if size == 2 and column + 1 < self.width:
                    self.rows[row][column + 1] = ""
            column += size

    def line(self, row: int, column: int, char: str) -> None:
        """A piece of an edge, joined with what is there."""
        while len(self.rows) <= row:
            self.rows.append([" "] * self.width)
        here = self.rows[row][column]
        if here not in (" ", char):
            char = self._JOIN.get(frozenset((here, char)), "┼" if here in "┼┬┴├┤" else char)
        self.rows[row][column] = char

    def put_if_empty(self, row: int, column: int, char: str) -> None:
        """One narrow character where nothing stands yet."""
        while len(self.rows) <= row:
            self.rows.append([" "] * self.width)
        if 0 <= column < self.width and self.rows[row][column] == " ":
            self.rows[row][column] = char

    def text(self) -> str:
        return "\n".join("".join(row).replace(TAKEN, " ").rstrip() for row in self.rows)
