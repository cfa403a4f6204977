"""Layers between a submission and the machine. Only the standard library is imported: workers load it first.

L0 (always, here): own session, kill with the parent (PDEATHSIG), a subreaper that ends what was left behind, resource
limits, no_new_privs, an environment made from nothing, closed descriptors, private folders.
L1 Landlock, L2 namespaces and L3 seccomp are in `graders.confine`: applied in a worker after its imports and before the
program, and between fork and exec where a program is started.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36

MIB = 1 << 20
GIB = 1 << 30

# What a worker may learn from the parent's environment; everything else is left behind.
KEPT_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "CC",
    "CUDA_HOME",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "TRITON_LIBCUDA_PATH",
)


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Bytes, seconds and counts for one process; None leaves a limit as it is.

    `processes` limits nothing for root, and counts all processes of the user otherwise, so only 0 (no further process
    or thread at all) is a sharp limit.
    """

    address_space: int | None = 4 * GIB
    file_size: int | None = 64 * MIB
    cpu_seconds: int | None = 300
    processes: int | None = None
    open_files: int | None = 256

    def as_json(self) -> dict[str, int | None]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ResourceLimits:
        return cls(**value)

    def apply(self) -> None:
        """Set soft and hard limits of this process (never above a hard limit that is already there)."""
        for kind, value in (
            (resource.RLIMIT_AS, self.address_space),
            (resource.RLIMIT_FSIZE, self.file_size),
            (resource.RLIMIT_CPU, self.cpu_seconds),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_CORE, 0),
        ):
            if value is None:
                continue
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))


def minimal_environment(work: str, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a worker whose private folder is `work`."""
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    environment.update(
        HOME=work,
        TMPDIR=work,
        TRITON_CACHE_DIR=f"{work}/triton",
        TRITON_HOME=work,
        PYTHONDONTWRITEBYTECODE="1",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        MKL_NUM_THREADS="1",
    )
    environment.update(extra or {})
    return environment


def prctl(option: int, value: int) -> bool:
    """prctl(2); False where the kernel does not know the option."""
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) == 0)


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends; ends at once if that has happened already."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def enter_base_layer(limits: ResourceLimits) -> list[str]:
    """L0 for the calling process; returns the names of what is active now."""
    active = ["rlimits"]
    limits.apply()
    if prctl(PR_SET_NO_NEW_PRIVS, 1):
        active.append("no-new-privs")
    return active


def children_of(pid: int) -> list[int]:
    """Process ids of the direct children of `pid` (Linux)."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found
