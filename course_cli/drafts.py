"""What is being typed, on disk within a third of a second: a kill loses a few keystrokes at most.

A thread of its own writes, so that typing never waits for a disk. A draft is dropped when its text has been handed in.
"""

from __future__ import annotations

import threading
from pathlib import Path

from course_cli.store import write_file
from graders.errors import EnvironmentProblem
from graders.text import Text

DELAY_S = 0.3
RETRY_S = 3.0


class Drafts:
    """Named drafts in one folder. `problem` says why the last write failed; it is None again after one that worked."""

    def __init__(self, folder: Path, delay: float = DELAY_S) -> None:
        self.folder = folder
        self.problem: Text | None = None
        self._delay = delay
        self._pending: dict[str, str] = {}
        self._wake = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None

    def get(self, name: str) -> str:
        """The draft, empty where there is none."""
        with self._wake:
            if name in self._pending:
                return self._pending[name]
        try:
            return self._path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def change(self, name: str, text: str) -> None:
        """The text changed: it is written after the delay, unless it changes again before."""
        with self._wake:
            self._pending[name] = text
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._wake.notify()

    def drop(self, name: str) -> None:
        """The text stands somewhere else now."""
        with self._writing:
            with self._wake:
                self._pending.pop(name, None)
            self._path(name).unlink(missing_ok=True)

    def flush(self) -> None:
        """Write what is pending now; a failure is kept in `problem`."""
        with self._writing:
            with self._wake:
                todo = dict(self._pending)
            for name, text in todo.items():
                self._write(name, text)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.txt"

    def _write(self, name: str, text: str) -> None:
        try:
            if text:
                write_file(self._path(name), text)
            else:
                self._path(name).unlink(missing_ok=True)
        except (EnvironmentProblem, OSError) as error:
            self.problem = error.text if isinstance(error, EnvironmentProblem) else Text(str(error), str(error))
            return
        self.problem = None
        with self._wake:
            if self._pending.get(name) == text:
                del self._pending[name]

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._pending:
                    self._wake.wait()
                # A pause in typing, or at most a few delays while typing goes on.
                for _ in range(4):
                    if not self._wake.wait(self._delay if self.problem is None else RETRY_S):
                        break
            self.flush()
