"""The real program in a pseudo-terminal: type, wait for words on the screen, kill."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pexpect = pytest.importorskip("pexpect")  # not on every machine that has a GPU

ROOT = Path(__file__).resolve().parents[2]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[=>]|\x1b\][^\x07]*\x07|[\r\x07]")
PATIENCE_S = 60.0


class Terminal:
    """One run of `course` with a person at the keys. Words are looked for in what appeared since the last match."""

    def __init__(self, home: Path, *words: str, size: tuple[int, int] = (40, 80), **env: str) -> None:
        environment = {
            **os.environ,
            "COURSE_HOME": str(home),
            "COURSE_LANG": "en",
            "TERM": "xterm-256color",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "PYTHONPATH": str(ROOT),
            **env,
        }
        self.child: Any = pexpect.spawn(
            sys.executable,
            ["-m", "course_cli", *words],
            env=environment,
            cwd=str(home),
            dimensions=size,
            encoding="utf-8",
            codec_errors="replace",  # the echo of keys may fall between the bytes of a character
            timeout=PATIENCE_S,
            preexec_fn=_as_from_a_shell,
        )
        self.child.delaybeforesend = 0.0
        self.text = ""
        self._from = 0

    def see(self, *wanted: str, within: float = PATIENCE_S) -> str:
        """Wait until all the words stood on the screen in this order; returns the text up to them."""
        begin = self._from
        for words in wanted:
            self._wait(lambda words=words: _squeezed(words) in _squeezed(self.text[self._from :]), words, within)  # type: ignore[misc]
            self._from += _end_of(words, self.text[self._from :])
        return self.text[begin : self._from]

    def see_one_of(self, *wanted: str, within: float = PATIENCE_S) -> str:
        """Wait until one of the words stood on the screen; returns the one that came first."""

        def first() -> str | None:
            seen = _squeezed(self.text[self._from :])
            places = {words: seen.find(_squeezed(words)) for words in wanted}
            found = [words for words in wanted if places[words] >= 0]
            return min(found, key=lambda words: places[words]) if found else None

        self._wait(lambda: first() is not None, " or ".join(wanted), within)
        came = first()
        assert came is not None
        self._from += _end_of(came, self.text[self._from :])
        return came

    def type(self, keys: str) -> None:
        """Type without Enter."""
        self.child.send(keys)

    def enter(self, keys: str = "") -> None:
        """Type, then press Enter."""
        self.child.send(keys + "\r")

    def paste(self, words: str) -> None:
        """Paste as a terminal does: in brackets, so that line breaks do not press Enter."""
        self.child.send(f"\x1b[200~{words}\x1b[201~")

    def kill(self) -> None:
        """kill -9, then wait for the end."""
        os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait()

    def hang_up(self) -> None:
        """The terminal is closed."""
        self.child.close(force=False)

    def leaves(self) -> int:
        """Wait for the end; the exit code."""
        self._wait(lambda: not self.child.isalive(), "the end", PATIENCE_S)
        return int(self.child.exitstatus if self.child.exitstatus is not None else 128 + (self.child.signalstatus or 0))

    def _wait(self, done: Callable[[], bool], what: str, within: float) -> None:
        end = time.monotonic() + within
        while not done():
            try:
                self.text += _ESCAPES.sub("", self.child.read_nonblocking(65536, timeout=0.05))
            except pexpect.TIMEOUT:
                pass
            except pexpect.EOF:
                self.child.isalive()
                if done():
                    return
                raise AssertionError(f"the program ended before {what!r} came:\n{self.text[-3000:]}") from None
            if time.monotonic() > end:
                raise AssertionError(f"{what!r} did not come within {within} s:\n{self.text[-3000:]}")


def _squeezed(text: str) -> str:
    """Without white space: where a line wraps does not matter."""
    return re.sub(r"\s+", "", text)


def _end_of(words: str, text: str) -> int:
    """Where the words end in a text that may wrap them."""
    at = _squeezed(text).index(_squeezed(words)) + len(_squeezed(words))
    for position, char in enumerate(text):
        if not char.isspace():
            at -= 1
            if at == 0:
                return position + 1
    return len(text)


def wait_for(done: Callable[[], bool], within: float = 10.0) -> None:
    """Wait until something outside of the terminal has happened."""
    end = time.monotonic() + within
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def _as_from_a_shell() -> None:
    """An interactive shell starts programs with Ctrl-C in force; tests that run in the background inherit it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
