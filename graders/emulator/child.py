"""How the emulator's children (compiler, learner's program) are started: bounded, alone, with an empty environment."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders import confine

_MIB = 1 << 20
_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_DUMPABLE = 1, 38, 4


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one child; bytes and seconds. `data` bounds memory really used, `address_space` what is mapped."""

    cpu_seconds: int = 3700  # the wall clock of a case or a program bites long before
    data: int = 3 * 1024 * _MIB
    address_space: int = 64 * 1024 * _MIB
    file_size: int = 16 * _MIB
    processes: int | None = 0  # how many the user may have started while this one starts another; None: no bound


# The emulated memory's address range is reserved up front (40 GiB of it, untouched), so only `data` bites.
RUN = Limits()
COMPILE = Limits(cpu_seconds=60, data=2048 * _MIB, address_space=4096 * _MIB, file_size=256 * _MIB, processes=None)


def child_setup(limits: Limits, further: confine.Prepared) -> Callable[[], None]:
    """What runs in the child between fork and exec."""

    def setup() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (limits.data, limits.data))
        resource.setrlimit(resource.RLIMIT_AS, (limits.address_space, limits.address_space))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        if limits.processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        further.enter()

    return setup


class WorkFolder:
    """A private folder that is also the child's TMPDIR and working directory."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="course-emulator-"))

    def environment(self) -> dict[str, str]:
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TMPDIR": str(self.path),
            "HOME": str(self.path),
        }

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def start(arguments: list[str], folder: WorkFolder, limits: Limits, **pipes: Any) -> subprocess.Popen[bytes]:
    """Start a bounded child in its own session; `pipes` are Popen's stdin, stdout, stderr, pass_fds.

    Raises EnvironmentProblem where a layer of the sandbox fails between fork and exec.
    """
    work = str(folder.path)
    rules = confine.for_compiler(arguments, work) if limits == COMPILE else confine.for_program(arguments[0], work)
    with confine.Prepared(rules) as further:
        return further.started(
            lambda: subprocess.Popen(
                arguments,
                cwd=folder.path,
                env=folder.environment(),
                start_new_session=True,
                close_fds=True,
                preexec_fn=child_setup(limits, further),
                **pipes,
            )
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Kill the child's whole process group and reap it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=5)
