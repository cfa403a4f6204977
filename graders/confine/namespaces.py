"""Layer L2: namespaces of its own for users (no privilege outside), network (not even loopback), IPC, and processes.

A process namespace dies with its first process: whatever a program left behind, a fork bomb included, ends at once. The one
who enters it stays outside and waits, so that the parent sees the same exit status as without.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct
from pathlib import Path

from graders.confine.syscalls import call, mount, prctl, unshare

NEW_USER = 0x10000000
NEW_MOUNT = 0x00020000
NEW_PID = 0x20000000
NEW_NET = 0x40000000
NEW_IPC = 0x08000000

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 63
_NOBODY = 65534
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 1 << 14, 1 << 18


def enter(*, processes: bool) -> None:
    """Enter new namespaces and give up every privilege in them; raises OSError.

    With `processes` the caller goes on as another process: the first one of a process namespace, with a /proc of its own
    (CUDA looks itself up there); the caller itself stays outside as a waiter and never returns.
    """
    user, group = os.geteuid(), os.getegid()
    unshare(NEW_USER | NEW_NET | NEW_IPC | (NEW_PID | NEW_MOUNT if processes else 0))
    # Not root inside either: a program started as root would be given the namespace's capabilities back.
    inside_user, inside_group = user or _NOBODY, group or _NOBODY
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{inside_user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{inside_group} {group} 1")
    if processes:
        mount("none", "/", "", _MS_REC | _MS_PRIVATE)
        _fork_first()
        mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    drop_capabilities()


def drop_capabilities() -> None:
    """No capability now, and none through a program started later. No harm where there are none to drop."""
    for number in range(_MOST_CAPABILITIES + 1):
        if prctl(_PR_CAPBSET_DROP, number) != 0:
            break
    head = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    call("capset", ctypes.c_char_p(head), ctypes.c_char_p(bytes(24)))


def _fork_first() -> None:
    """Go on as the first process of the namespace; the caller waits outside for its end and ends the same way."""
    outside = os.getpid()
    pid = os.fork()
    if pid == 0:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # getppid() is 0 in here, whether the waiter lives or not; its own signal covers the moment before this line.
        return
    with contextlib.suppress(BaseException):
        os.closerange(0, 1 << 16)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(number, signal.SIG_DFL)
            os.kill(outside, number)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    os._exit(70)
