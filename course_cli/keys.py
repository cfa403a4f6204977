"""Single keys from the terminal, without a line editor: quick to load, for paging."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

# What terminals send for the keys that move; the rest of an escape sequence is read and ignored.
_SEQUENCES = {
    "[A": "up",
    "[B": "down",
    "[5~": "back",
    "[6~": "on",
    "[D": "back",
    "[C": "on",
    "OA": "up",
    "OB": "down",
    "[H": "home",
    "[1~": "home",
}


@contextmanager
def single_keys() -> Iterator[None]:
    """Keys arrive one by one and are not echoed; Ctrl-C still interrupts."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSANOW)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def read_key() -> str:
    """The next key: a character, or enter, back, on, up, down, home, escape. Raises EOFError at the end of input."""
    descriptor = sys.stdin.fileno()
    with single_keys():
        first = os.read(descriptor, 1)
        if not first or first == b"\x04":
            raise EOFError
        if first in (b"\r", b"\n"):
            return "enter"
        if first == b"\x7f":
            return "back"
        if first == b"\x1b":
            rest = ""
            while len(rest) < 6 and select.select([descriptor], [], [], 0.03)[0]:
                rest += os.read(descriptor, 1).decode("latin-1")
                if rest[1:] and (rest[-1].isalpha() or rest[-1] == "~"):
                    break
            return _SEQUENCES.get(rest, "escape")
        length = next((n for mark, n in ((0xF0, 4), (0xE0, 3), (0xC0, 2)) if first[0] >= mark), 1)
        raw = first + b"".join(os.read(descriptor, 1) for _ in range(length - 1))
        return raw.decode("utf-8", "replace")
