"""What every command needs: the course, the language, where to write. Made once from the global options."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from graders.course import Course


@dataclass(slots=True)
class Settings:
    """The global options of this run."""

    course_dir: Path | None = None
    no_color: bool = False
    plain: bool = False
    debug: bool = False
    register: Path | None = None  # where grades are recorded; None: the user's data folder
    execute: bool | None = None  # run notebooks again; None: those that show outputs
    sanitize: bool = False  # CUDA cases again under compute-sanitizer
    judge: str | None = None  # base URL of an OpenAI-compatible server
    judge_model: str | None = None
    judge_remote: bool = False
    ask: Path | None = None  # where `grade` writes follow-up sheets
    _course: Course | None = None
    _console: Console | None = None

    @property
    def course(self) -> Course:
        """The course that is in use; opened at the first question for it."""
        if self._course is None:
            from graders.course import open_course

            self._course = open_course(self.course_dir)
        return self._course

    @property
    def console(self) -> Console:
        """Where people are talked to: colours only on a terminal and only where they are wanted."""
        if self._console is None:
            from course_cli.theme import make_console

            self._console = make_console(no_color=self.no_color or self.plain, file=sys.stdout)
        return self._console


settings = Settings()
