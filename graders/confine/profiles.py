"""What each kind of child may reach: files by Landlock rights, processes and programs by the filter."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders import hidden
from graders.confine import landlock
from graders.confine.seccomp import Processes

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
# Of /etc only what the loader, the compilers and the C library need: it may hold more than a learner should read.
CONFIGURATION = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"),
    *("/etc/nsswitch.conf", "/etc/locale.alias", "/etc/nvidia", "/etc/nvidia-container-runtime"),
)
PLAIN_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
GPU_DEVICES = ("/dev/nvidia*", "/dev/nvidia-caps", "/dev/dxg")
LOADERS = ("/lib*/ld-linux*.so.*", "/lib/*/ld-linux*.so.*", "/lib/ld-musl-*.so.1", "/usr/lib*/ld-linux*.so.*")
SEARCHED = ("LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "TRITON_LIBCUDA_PATH")
HIDDEN_BESIDE = ("course_cli", "lessons", "solutions", "tests")  # next to `graders`, installed or in a checkout


@dataclass(frozen=True, slots=True)
class Confinement:
    """Rules of one child. `files` are (path, Landlock rights); `renames`: it moves files between folders (ABI 2)."""

    files: tuple[tuple[str, int], ...]
    processes: Processes = "any"
    execute: bool = True
    process_namespace: bool = False
    renames: bool = False
    attributes: bool = False  # whether it may change modes, owners and times of files
    unix_sockets: bool = False
    signals: bool = False  # whether it may signal other processes than itself (inside its namespace)


def for_worker(role: str, work: str, modules: Sequence[str], inputs: Sequence[str] = ()) -> Confinement:
    """A Python worker of `graders.child`; `modules` is its sys.path, `inputs` are further files to read."""
    root = str(Path(__file__).resolve().parents[2])
    trees = [*SYSTEM, sys.prefix, sys.base_prefix, *(each for each in modules if each != root)]
    trees += [str(Path(__file__).resolve().parents[1]), *_searched(), *inputs]
    programs = 0 if role == "interpret" else landlock.EXECUTE
    files = [*_readable(trees, programs), *_common(work)]
    if role in ("gpu", "native"):
        # Tried on an H200: without writing to /proc (truncating included), without a socket of the family AF_UNIX, or
        # with a /proc of another process namespace, cuInit fails with 304; a program that ignores errors prints zeros.
        files += [("/proc", landlock.READ | landlock.WRITE_FILE | landlock.TRUNCATE)]
        files += [("/sys", landlock.READ), ("/dev/shm", landlock.WRITE)]
        files += [(path, landlock.DEVICE) for pattern in GPU_DEVICES for path in _matching(pattern)]
    if role == "interpret":
        return Confinement(tuple(files), processes="none", execute=False)
    sockets = role in ("gpu", "native")
    return Confinement(tuple(files), process_namespace=True, renames=True, unix_sockets=sockets, signals=True)


def for_compiler(command: Sequence[str], work: str) -> Confinement:
    """g++ or nvcc on a stranger's file: it reads the system's headers and what the command line names."""
    programs = landlock.EXECUTE
    prefix = Path(os.path.realpath(command[0])).parent.parent
    trees = [*SYSTEM, str(prefix), *_searched()]
    # ccache, distribution wrappers and pip packages keep the real programs elsewhere; the command line is ours.
    named = [part.removeprefix("-I").removeprefix("-L") for part in command[1:]]
    trees += [path for path in named if path.startswith("/") and Path(path).exists()]
    return Confinement((*_readable(trees, programs), *_common(work)), attributes=True, signals=True)


def for_program(executable: str, work: str) -> Confinement:
    """A compiled program of a stranger: itself, the loader and the system's libraries; no other program."""
    loaders = {os.path.realpath(path) for pattern in LOADERS for path in _matching(pattern)}
    only = [(path, landlock.READ_FILE | landlock.EXECUTE) for path in (executable, *sorted(loaders))]
    trees = [*SYSTEM, *_searched()]
    return Confinement((*_readable(trees, 0), *only, *_common(work)), processes="none")


def _matching(pattern: str) -> list[str]:
    """Absolute paths that fit a pattern which begins with a slash."""
    return sorted(str(path) for path in Path("/").glob(pattern.lstrip("/")))


def _common(work: str) -> list[tuple[str, int]]:
    files = [(path, landlock.READ_FILE) for path in CONFIGURATION if Path(path).is_file()]
    files += [(path, landlock.READ) for path in CONFIGURATION if Path(path).is_dir()]
    files += [(path, landlock.READ_FILE | landlock.WRITE_FILE) for path in PLAIN_DEVICES]
    return [*files, (work, landlock.WRITE)]


def _searched() -> list[str]:
    """Folders that the environment names for libraries and CUDA."""
    found = [part for name in SEARCHED for part in os.environ.get(name, "").split(":")]
    return [path for path in found if path.startswith("/") and path != "/"] + _toolchains()


def _toolchains() -> list[str]:
    """Where the compilers on PATH are installed: Triton's launcher and nvcc call one of them."""
    found = [shutil.which(name) for name in (os.environ.get("CC", ""), "gcc", "g++", "clang", "nvcc") if name]
    places = {Path(os.path.realpath(path)).parent.parent for path in found if path}
    home = Path.home()
    return sorted(str(place) for place in places if place != home and place not in home.parents)


def _readable(trees: Iterable[str], further: int) -> list[tuple[str, int]]:
    """Trees to read (and execute), without the course's own folders where they lie inside."""
    package = Path(__file__).resolve().parents[1]
    secret = [*(str(package.parent / name) for name in HIDDEN_BESIDE), *hidden.places()]
    files: list[tuple[str, int]] = []
    for tree in dict.fromkeys(os.path.realpath(each) for each in trees):
        parts = landlock.carve([tree], secret)
        files += [(part, landlock.READ | further) for part in parts]
        if parts and parts != [tree]:
            files.append((tree, landlock.READ_DIR))  # names can be listed, contents of what is hidden not read
    return list(dict.fromkeys(files))
