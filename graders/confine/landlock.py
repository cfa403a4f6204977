"""Layer L1: Landlock, by system call. What is not named cannot be opened; no TCP; no signal or socket out of the domain.

Landlock rules follow the kernel's objects, not names: symbolic links and `..` lead nowhere new. Rights hold for everything
below a folder. `stat` and `readlink` are not covered: that a file exists, and its size, can be seen.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from graders.confine.syscalls import call, number

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_CHAR = 1 << 6
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
MAKE_SOCK = 1 << 9
MAKE_FIFO = 1 << 10
MAKE_BLOCK = 1 << 11
MAKE_SYM = 1 << 12
REFER = 1 << 13  # ABI 2
TRUNCATE = 1 << 14  # ABI 3
IOCTL_DEV = 1 << 15  # ABI 5

READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | TRUNCATE | REFER | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM
DEVICE = READ | WRITE_FILE | IOCTL_DEV
_FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

_NET_TCP = 0b11  # bind, connect: ABI 4
_SCOPED = 0b11  # abstract unix sockets, signals: ABI 6
_RULE_PATH_BENEATH = 1
_GET_VERSION = 1


def abi() -> int:
    """Version of the kernel's Landlock; 0 where there is none."""
    found = call("landlock_create_ruleset", None, 0, _GET_VERSION)
    return max(found, 0)


def handled(version: int) -> int:
    """Every file right that this version can take away."""
    rights = (1 << 13) - 1
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        if version >= since:
            rights |= right
    return rights


def ruleset(rules: Iterable[tuple[str, int]], version: int | None = None) -> int:
    """A descriptor of a set of rules (path, rights), to be handed to `restrict`. Paths that are not there are left out.

    Raises OSError where the kernel refuses.
    """
    version = abi() if version is None else version
    if version < 1:
        raise OSError(38, "no Landlock in this kernel")
    rights = handled(version)
    attribute = struct.pack("=QQQ", rights, _NET_TCP if version >= 4 else 0, _SCOPED if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    descriptor = call("landlock_create_ruleset", ctypes.c_char_p(attribute), size, 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        for path, wanted in rules:
            _add(descriptor, path, wanted & rights)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _add(descriptor: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _FOR_FILES
        if rights:
            rule = struct.pack("=Qi", rights, place)
            if call("landlock_add_rule", descriptor, _RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0) < 0:
                raise OSError(ctypes.get_errno(), f"landlock_add_rule {path}")
    finally:
        os.close(place)


def restrict(descriptor: int) -> None:
    """Apply to the calling thread and everything it starts, for good. Needs no_new_privs. Raises OSError."""
    if call("landlock_restrict_self", descriptor, 0) < 0:
        raise OSError(ctypes.get_errno(), "landlock_restrict_self")


def carve(paths: Iterable[str], hidden: Iterable[str]) -> list[str]:
    """`paths` without what lies below `hidden`: a folder that holds a hidden one is replaced by its other entries."""
    secret = sorted({os.path.realpath(each) for each in hidden})
    result: list[str] = []
    for path in dict.fromkeys(os.path.realpath(each) for each in paths):
        result += _carve(path, secret)
    return result


def _carve(path: str, secret: list[str]) -> list[str]:
    if any(path == each or path.startswith(each + "/") for each in secret):
        return []
    inside = [each for each in secret if each.startswith(path.rstrip("/") + "/")]
    if not inside:
        return [path]
    try:
        entries = list(os.scandir(path))
    except OSError:
        return []
    return [part for entry in entries if not entry.is_symlink() for part in _carve(entry.path, inside)]


def supported() -> bool:
    """Whether this kernel and architecture know the calls at all."""
    return number("landlock_create_ruleset") is not None and abi() > 0
