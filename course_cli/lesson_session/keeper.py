"""What a session remembers: place, stage, time, drafts. Every change is on disk before the next question."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from course_cli.drafts import Drafts
from course_cli.store import Progress, Store

LONGEST_PAUSE_S = 900.0  # a longer pause between two steps does not count as time spent on the lesson


class Keeper:
    """The memory of one lesson. All calls come from the main thread, except the drafts' own writer."""

    def __init__(self, store: Store, lesson_id: str) -> None:
        self.store = store
        self.lesson_id = lesson_id
        self.drafts = Drafts(store.folder / "drafts" / lesson_id)
        self._before = time.monotonic()

    @property
    def progress(self) -> Progress:
        return self.store.progress(self.lesson_id)

    @property
    def folder(self) -> Path:
        """Where the learner's own files of this lesson lie."""
        return self.store.work_folder(self.lesson_id)

    def save(self, **changes: Any) -> None:
        """Store changes of the progress, and the time since the last step."""
        now = time.monotonic()
        spent = min(now - self._before, LONGEST_PAUSE_S)
        self._before = now
        self.store.save(self.lesson_id, seconds=self.progress.seconds + spent, **changes)

    @contextmanager
    def safe(self) -> Iterator[None]:
        """Drafts are written whatever ends the block; a closed terminal and a polite kill end it in order."""

        def ended(number: int, frame: object) -> NoReturn:
            self.drafts.flush()
            raise SystemExit(128 + number)

        before = {number: signal.signal(number, ended) for number in (signal.SIGHUP, signal.SIGTERM)}
        try:
            yield
        finally:
            self.drafts.flush()
            for number, handler in before.items():
                signal.signal(number, handler)
