"""Errors that a person is told about: one line saying what is wrong, where, and what to do.

The exit codes are the contract of the command line:
0 graded and passed, 1 graded and not passed, 2 bad usage or bad input, 3 the environment could not run it.
"""

from __future__ import annotations

from dataclasses import dataclass

from graders.text import Text, same

EXIT_PASSED = 0
EXIT_NOT_PASSED = 1
EXIT_BAD_INPUT = 2
EXIT_ENVIRONMENT = 3
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a person's own file; `line` and `column` count from 1, 0 means unknown."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = self.path
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        return place


class CourseError(Exception):
    """A known problem, told without a traceback."""

    exit_code = EXIT_BAD_INPUT

    def __init__(self, text: Text | str, where: Where | None = None) -> None:
        self.text = text if isinstance(text, Text) else same(text)
        self.where = where
        super().__init__(self.message("en"))

    def message(self, lang: str) -> str:
        """The line for the person, with the place in front where one is known."""
        words = self.text.pick(lang)
        return f"{self.where}: {words}" if self.where else words


class BadInput(CourseError):
    """The command line or a file of the user's is at fault (exit 2)."""


class EnvironmentProblem(CourseError):
    """This machine cannot do it: something is missing or broken (exit 3, never a zero)."""

    exit_code = EXIT_ENVIRONMENT
