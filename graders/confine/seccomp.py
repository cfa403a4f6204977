"""Layer L3: a seccomp filter, a small BPF program over the number and arguments of each system call.

What a program has no need of fails with EPERM (not by a kill, so that a library's harmless probe stays harmless): other
processes' memory, sockets, kernel keys, bpf, io_uring, mounts and namespaces, kernel modules, clocks. Where a role needs no
further process, starting one fails as an exhausted process limit would (EAGAIN), for root as well.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from dataclasses import dataclass
from typing import Literal

from graders.confine.syscalls import AARCH64, MACHINE, NUMBERS, X86_64, call, number, prctl

Processes = Literal["none", "threads", "any"]

NEVER = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"),
    *("bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open"),
    *("keyctl", "add_key", "request_key"),
    *("mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree"),
    *("move_mount", "mount_setattr", "setns", "unshare", "open_by_handle_at", "name_to_handle_at", "lookup_dcookie"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "acct"),
    *("swapon", "swapoff", "quotactl", "quotactl_fd", "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt"),
    *("clock_settime", "settimeofday", "clock_adjtime", "adjtimex", "vhangup", "uselib", "fanotify_init", "nfsservctl"),
    *("shmget", "semget", "msgget", "mq_open", "capset"),
)
# Landlock does not cover these: a program could lock the user out of every file that the user owns.
ATTRIBUTES = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "truncate"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
_ARCHITECTURES = {X86_64: 0xC000003E, AARCH64: 0xC00000B7}
_X32_BIT = 0x40000000

_LOAD_WORD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_OR_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

_CLONE_THREAD = 0x00010000
_PR_SET_PDEATHSIG, _PR_SET_MM, _PR_SET_PTRACER = 1, 35, 0x59616D61
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX = 1

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_SET_MODE_FILTER, _FLAG_SPEC_ALLOW = 1, 4


@dataclass(frozen=True, slots=True)
class Rules:
    """What differs by role. `attributes`: modes, owners and times of files may be changed. `own_pid`: signals, limits and priorities reach this process only (0: no such rule)."""

    processes: Processes = "any"
    execute: bool = True
    attributes: bool = False
    unix_sockets: bool = False
    own_pid: int = 0


def _one(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value & 0xFFFFFFFF)


def _refuse(name: str, error: int) -> bytes:
    found = number(name)
    return b"" if found is None else _one(_JUMP_EQUAL, found, 0, 1) + _one(_RETURN, _ERROR | error)


def _by_argument(name: str, argument: int, values: tuple[int, ...], *, listed_are_allowed: bool, error: int) -> bytes:
    """For one call: compare the low word of an argument with `values`; the listed ones (or all others) are allowed."""
    found = number(name)
    if found is None:
        return b""
    listed, others = (_ALLOW, _ERROR | error) if listed_are_allowed else (_ERROR | error, _ALLOW)
    body = _one(_LOAD_WORD, _ARGUMENTS_AT + 8 * argument)
    for index, value in enumerate(values):
        body += _one(_JUMP_EQUAL, value, len(values) - index, 0)
    body += _one(_RETURN, others) + _one(_RETURN, listed)
    return _one(_JUMP_EQUAL, found, 0, len(body) // 8) + body


def _no_processes(rules: Rules) -> bytes:
    """fork and its kin; clone3 hides its flags in memory, so it is said not to exist and libraries fall back to clone."""
    program = _refuse("fork", errno.EAGAIN) + _refuse("vfork", errno.EAGAIN) + _refuse("clone3", errno.ENOSYS)
    clone = number("clone")
    assert clone is not None
    if rules.processes == "none":
        return program + _refuse("clone", errno.EAGAIN)
    body = _one(_LOAD_WORD, _ARGUMENTS_AT) + _one(_JUMP_ANY_BIT, _CLONE_THREAD, 1, 0)
    body += _one(_RETURN, _ERROR | errno.EAGAIN) + _one(_RETURN, _ALLOW)
    return program + _one(_JUMP_EQUAL, clone, 0, len(body) // 8) + body


def build(rules: Rules) -> bytes:
    """The filter's instructions, 8 bytes each, for this machine. Raises OSError on an architecture not known here."""
    if MACHINE not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no filter for {MACHINE}")
    program = _one(_LOAD_WORD, _ARCHITECTURE_AT)
    program += _one(_JUMP_EQUAL, _ARCHITECTURES[MACHINE], 1, 0) + _one(_RETURN, _KILL)  # 32-bit calls
    program += _one(_LOAD_WORD, _NUMBER_AT)
    if MACHINE == X86_64:
        program += _one(_JUMP_GREATER_OR_EQUAL, _X32_BIT, 0, 1) + _one(_RETURN, _ERROR | errno.ENOSYS)
    for name in NEVER:
        program += _refuse(name, errno.EPERM)
    if rules.processes != "any":
        program += _no_processes(rules)
    if not rules.execute:
        program += _refuse("execve", errno.EPERM) + _refuse("execveat", errno.EPERM)
    if not rules.attributes:
        for name in ATTRIBUTES:
            program += _refuse(name, errno.EPERM)
    if rules.own_pid:
        own = (rules.own_pid,)
        for name in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            program += _by_argument(name, 0, own, listed_are_allowed=True, error=errno.EPERM)
        for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
            program += _by_argument(name, 0, (0, *own), listed_are_allowed=True, error=errno.EPERM)
        program += _refuse("pidfd_send_signal", errno.EPERM) + _refuse("ioprio_set", errno.EPERM)
        program += _refuse("setpriority", errno.EPERM)  # its 0 means all of a user's processes as well
        if rules.processes == "none":
            program += _by_argument("tkill", 0, own, listed_are_allowed=True, error=errno.EPERM)
    for name, argument, values in (
        ("prctl", 0, (_PR_SET_PDEATHSIG, _PR_SET_MM, _PR_SET_PTRACER)),
        ("ioctl", 1, (_TIOCSTI, _TIOCLINUX)),
    ):
        program += _by_argument(name, argument, values, listed_are_allowed=False, error=errno.EPERM)
    if rules.unix_sockets:
        program += _by_argument("socket", 0, (_AF_UNIX,), listed_are_allowed=True, error=errno.EPERM)
    else:
        program += _refuse("socket", errno.EPERM)
    program += _by_argument("socketpair", 0, (_AF_UNIX,), listed_are_allowed=True, error=errno.EPERM)
    return program + _one(_RETURN, _ALLOW)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(program: bytes) -> None:
    """Apply to the calling thread and everything it starts, for good. Needs no_new_privs. Raises OSError."""
    form = _Program(len(program) // 8, program)
    # Without SPEC_ALLOW older kernels slow the process down against Spectre v4, which no other process gains from here.
    if call("seccomp", _SET_MODE_FILTER, _FLAG_SPEC_ALLOW, ctypes.byref(form)) == 0:
        return
    if prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(form)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


assert all(name in NUMBERS for name in (*NEVER, *ATTRIBUTES))
