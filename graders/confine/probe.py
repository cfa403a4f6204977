"""Whether each layer works here, found out by using it in a process that ends afterwards."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import warnings
from collections.abc import Callable, Collection
from pathlib import Path

from graders.confine import landlock, namespaces, seccomp
from graders.confine.syscalls import call, prctl

_PR_SET_NO_NEW_PRIVS = 38
_LONGEST_S = 5
_PTRACE_TRACEME = 0


def _landlock() -> str:
    """One folder is allowed, another file is not."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    rules = landlock.ruleset([("/usr", landlock.READ)])
    landlock.restrict(rules)
    list(Path("/usr").iterdir())
    try:
        Path("/proc/self/status").read_bytes()
    except PermissionError:
        return ""
    return "Landlock accepts its rules, but does not enforce them"


def _seccomp() -> str:
    """A refused call fails as it should, others work."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install(seccomp.build(seccomp.Rules("none", execute=False, own_pid=os.getpid())))
    if call("ptrace", _PTRACE_TRACEME, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
        return "the filter is accepted, but does not refuse ptrace"
    try:
        socket.socket().close()
    except PermissionError:
        Path("/").stat()
        return ""
    return "the filter is accepted, but does not refuse sockets"


def _namespaces() -> str:
    """No network but an unconfigured loopback."""
    namespaces.enter(processes=False)
    if [name for _, name in socket.if_nameindex() if name != "lo"]:
        return "the new network namespace has interfaces of the old one"
    return ""


def _pid_namespace() -> str:
    """The first process has number 1, and finds itself so in /proc."""
    namespaces.enter(processes=True)
    if os.getpid() != 1 or Path("/proc/self").readlink() != Path("1"):
        return "the new process namespace is not new"
    return ""


CHECKS: dict[str, Callable[[], str]] = {
    "namespaces": _namespaces,
    "pid-namespace": _pid_namespace,
    "landlock": _landlock,
    "seccomp": _seccomp,
}


def by_forks(names: Collection[str]) -> dict[str, str]:
    """Each layer of `names` and why it cannot be used (empty: it can), each in a fork that ends afterwards."""
    started = [(name, *_start(check)) for name, check in CHECKS.items() if name in names]
    return {name: _reason(pid, read) for name, pid, read in started}


def _start(check: Callable[[], str]) -> tuple[int, int]:
    """Process id, and the descriptor on which its finding arrives."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        # The fork of a process with threads may find a lock taken that nobody gives back; the alarm ends it then.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_LONGEST_S)
        reason = check()
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}"
    with contextlib.suppress(OSError):
        os.write(write, reason.encode()[:500] or b"\0")
    os._exit(0)


def _reason(pid: int, read: int) -> str:
    with open(read, "rb", buffering=0) as stream:
        said = stream.read(600) or b""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    return "" if said == b"\0" else said.decode("utf-8", "replace") or "the process that tried it was ended"
