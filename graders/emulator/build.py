"""Compiling for the emulator: precompiled header and runtime once a machine, each program once.

Everything is kept by content: a folder a toolchain (compiler, flags, our headers), in it a folder a program.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders import confine
from graders.emulator import child
from graders.emulator.includes import RUNTIME
from graders.emulator.rewriter import Rewritten, rewrite
from graders.errors import EnvironmentProblem
from graders.observation import Finding
from graders.text import Text, same

_COMMON = ["-std=c++17", "-fno-omit-frame-pointer", "-fcf-protection=none", "-fno-pie", "-pipe"]
_LEARNER = [
    "-O1",
    "-g1",
    "-fsanitize=thread",
    "--param=tsan-distinguish-volatile=1",
    "--param=tsan-instrument-func-entry-exit=0",
    "-fsanitize=float-cast-overflow,alignment",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-builtin-memcmp",
    "-w",
    "-fmax-errors=8",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-color=never",
    "-ftemplate-depth=256",
    "-fconstexpr-ops-limit=20000000",
]
_MISSING = Text(
    "the CUDA emulator needs g++ (11 or newer): install it with `apt install g++` (Debian, Ubuntu), "
    "`dnf install gcc-c++` (Fedora) or `pacman -S gcc` (Arch)",
    "CUDA 模拟器需要 g++（11 或更新版本）：用 `apt install g++`（Debian、Ubuntu）、"
    "`dnf install gcc-c++`（Fedora）或 `pacman -S gcc`（Arch）安装",
)
_TOO_OLD = Text(
    "the CUDA emulator needs g++ 11 or newer, and finds {found}: install a newer one and name it, COURSE_CXX=g++-12",
    "CUDA 模拟器需要 g++ 11 或更新版本，而找到的是 {found}：请安装更新的版本，并用 COURSE_CXX=g++-12 指定",
)
OLDEST_GCC = 11  # the first whose -fsanitize=thread tells volatile accesses apart
COMPILE_SECONDS = 60
MAX_PROGRAMS, MAX_TOOLCHAINS = 300, 4
MAX_MESSAGES = 1 << 20  # bytes of the compiler's messages that are read


class CompileProblem(Exception):
    """The learner's file does not compile; `findings` name the places."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        first = findings[0] if findings else None
        super().__init__(f"line {first.line}: {first.text.en}" if first else "does not compile")


@dataclass(frozen=True, slots=True)
class Program:
    """A linked program: `executable` runs it, `filename` is the name its line table uses for the learner's file."""

    executable: Path
    filename: str


def compiler() -> str | None:
    """Path of the host compiler; COURSE_CXX overrides."""
    return shutil.which(os.environ.get("COURSE_CXX", "g++"))


def availability() -> Text | None:
    """None when programs can be built here, else what is missing and how to get it."""
    if not compiler() or not _version():
        return _MISSING
    release = re.search(r"\) (\d+)\.", _version())  # "g++ (Debian 12.2.0-14) 12.2.0"
    if release is None or int(release.group(1)) < OLDEST_GCC:
        return _TOO_OLD.fill(found=_version())
    return None


def cache_folder() -> Path:
    """Where compiled parts are kept: COURSE_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get("COURSE_CACHE_DIR")
    if chosen:
        return Path(chosen) / "emulator"
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("course")) / "emulator"


@functools.lru_cache(maxsize=4)
def _version_of(path: str) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").split("\n")[0] if done.returncode == 0 else ""


def _version() -> str:
    path = compiler()
    return _version_of(path) if path else ""


@functools.lru_cache(maxsize=4)
def _toolchain_key(path: str) -> str:
    digest = hashlib.sha256()
    digest.update("\0".join([path, _version_of(path), *_COMMON, *_LEARNER]).encode())
    for file in sorted(RUNTIME.rglob("*")):
        if file.suffix in (".h", ".cpp"):
            digest.update(str(file.relative_to(RUNTIME)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:24]


def toolchain_name() -> str:
    """Compiler and version, for a report's evidence."""
    return _version()


def prepare() -> Path:
    """Build the precompiled header and the runtime if this machine has not got them yet; returns their folder."""
    missing = availability()
    path = compiler()
    if missing is not None or path is None:
        raise EnvironmentProblem(missing or _MISSING)
    home = cache_folder() / _toolchain_key(path)
    if (home / "runtime.o").exists():
        return home
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        words = f"{home.parent}: {error.strerror}"
        raise EnvironmentProblem(
            Text(
                f"cannot write to the cache folder ({words}); name another in COURSE_CACHE_DIR",
                f"无法写入缓存文件夹（{words}）；请用 COURSE_CACHE_DIR 指定另一个",
            )
        ) from None
    with _one_at_a_time(home.parent):
        if not (home / "runtime.o").exists():
            _make_toolchain(path, home)
    return home


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Only one thread of one process builds a toolchain; the others wait for it."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make_toolchain(path: str, home: Path) -> None:
    """The precompiled header and the runtime, built beside `home` and put in its place in one step."""
    staging = Path(tempfile.mkdtemp(prefix="new-", dir=home.parent))
    try:
        (staging / "cuemu").mkdir()
        header = [path, *_COMMON, *_LEARNER, "-x", "c++-header", str(RUNTIME / "cuemu" / "prelude.h")]
        runtime = [path, *_COMMON, "-O2", "-g1", "-w", "-c", str(RUNTIME / "runtime.cpp")]
        jobs = [
            subprocess.Popen([*header, "-o", str(staging / "cuemu" / "prelude.h.gch")], stderr=subprocess.PIPE),
            subprocess.Popen([*runtime, "-o", str(staging / "runtime.o")], stderr=subprocess.PIPE),
        ]
        for job in jobs:
            _, errors = job.communicate(timeout=300)
            if job.returncode != 0:
                words = errors.decode(errors="replace")[-2000:]
                raise EnvironmentProblem(
                    Text(f"g++ could not build the emulator's runtime: {words}", f"g++ 无法编译模拟器的运行库：{words}")
                )
        _prune(home.parent, MAX_TOOLCHAINS)
        try:
            staging.rename(home)
        except OSError:
            if not (home / "runtime.o").exists():
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def build(rewritten: Rewritten, filename: str, glue: str) -> Program:
    """Compile the rewritten file followed by `glue`; a program seen before comes from the cache.

    Raises CompileProblem for the learner's mistakes, EnvironmentProblem for the toolchain's.
    """
    if rewritten.findings:
        raise CompileProblem(rewritten.findings)
    home = prepare()
    # The compiler is given a file of the learner's own name: a #line directive alone leaves the line table with two.
    shown = re.sub(r"[^\w.]", "_", Path(filename).name).lstrip(".") or "program.cu"
    text = f'{rewritten.text}\n#line 1 "course_harness"\n{glue}\n'
    key = hashlib.sha256(f"{shown}\0{text}".encode()).hexdigest()[:32]
    place = home / "programs" / key
    executable = place / "program"
    if executable.exists():
        with contextlib.suppress(OSError):
            os.utime(place)
            os.utime(home)
        return Program(executable, shown)
    folder = child.WorkFolder()
    try:
        source = folder.path / shown
        source.write_text(text, encoding="utf-8")
        try:
            _compile(home, folder, source, rewritten, shown)
        except CompileProblem:
            if not _compiler_works(home):
                return _build_without_layers(home, rewritten, filename, glue)
            raise
        place.parent.mkdir(exist_ok=True)
        _prune(place.parent, MAX_PROGRAMS)
        staging = Path(tempfile.mkdtemp(prefix="new-", dir=place.parent))
        shutil.copy2(folder.path / "program", staging / "program")
        (staging / "about.json").write_text(json.dumps({"file": shown}), encoding="utf-8")
        try:
            staging.rename(place)
        except OSError:
            shutil.rmtree(staging, ignore_errors=True)
    finally:
        folder.remove()
    return Program(executable, shown)


_KNOWN_GOOD = "__global__ void known(int* x) { *x = 1; }\nint main() { return 0; }\n"
_KNOWN_GLUE = 'extern "C" int cuemu_program(int n, char** a) { return ::cuemu::call_main(cuemu_user_main, n, a); }'
_SICK = Text(
    "g++ cannot compile a known-good program for the emulator on this machine (course doctor)",
    "g++ 在本机无法为模拟器编译已知正确的程序（course doctor）",
)


def _compiler_works(home: Path) -> bool:
    """Whether a known-good program compiles inside the present layers of the sandbox: asked once a machine."""
    mark = home / "-".join(("works", *confine.usable()))
    if mark.exists():
        return True
    known = rewrite(_KNOWN_GOOD, "known.cu")
    folder = child.WorkFolder()
    try:
        source = folder.path / "known.cu"
        source.write_text(f"{known.text}\n{_KNOWN_GLUE}\n", encoding="utf-8")
        _compile(home, folder, source, known, source.name)
    except CompileProblem:
        return False
    finally:
        folder.remove()
    mark.touch()
    return True


def _build_without_layers(home: Path, rewritten: Rewritten, filename: str, glue: str) -> Program:
    """The compiler itself fails: without the sandbox's further layers, or as the machine's problem."""
    if not confine.give_up("g++ fails inside them"):
        raise EnvironmentProblem(_SICK)
    if not _compiler_works(home):
        confine.take_back()
        raise EnvironmentProblem(_SICK)
    return build(rewritten, filename, glue)


def _prune(folder: Path, keep: int) -> None:
    """Keep the cache small: beyond `keep` entries the ones not used for longest go."""
    with contextlib.suppress(OSError):  # another process may be at it too
        entries = sorted(
            (p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("new-")),
            key=lambda p: p.stat().st_mtime,
        )
        for old in entries[: max(len(entries) - keep, 0)]:
            shutil.rmtree(old, ignore_errors=True)


def _compile(home: Path, folder: child.WorkFolder, source: Path, rewritten: Rewritten, shown: str) -> None:
    path = compiler()
    assert path is not None
    command = [
        path,
        *_COMMON,
        *_LEARNER,
        "-Winvalid-pch",
        f"-I{home}",
        f"-I{RUNTIME}",
        "-include",
        "cuemu/prelude.h",
        "-x",
        "c++",
        "-c",
        source.name,
        "-o",
        str(folder.path / "program.o"),
    ]
    code, words = _run(command, folder)
    if "internal compiler error" in words:
        raise EnvironmentProblem(
            Text(f"g++ itself failed on this file: {words[:300]}", f"g++ 自身在编译此文件时出错：{words[:300]}")
        )
    if code != 0:
        raise CompileProblem(_compile_findings(words, rewritten, shown) or (_no_message(words),))
    renamer = shutil.which("objcopy")
    if renamer:
        renames = ["--redefine-sym=_Znwm=cuemu_new", "--redefine-sym=_Znam=cuemu_new_array"]
        code, words = _run([renamer, *renames, str(folder.path / "program.o")], folder)
        if code != 0:
            raise EnvironmentProblem(Text(f"objcopy failed: {words[-300:]}", f"objcopy 失败：{words[-300:]}"))
    link = [path, "-no-pie", str(home / "runtime.o"), str(folder.path / "program.o")]
    code, words = _run([*link, "-o", str(folder.path / "program")], folder)
    if code != 0:
        missing = re.findall(r"undefined reference to `([^']+)'", words)
        if missing:
            names = ", ".join(sorted(set(missing))[:4])
            text = Text(f"nothing with this name is defined: {names}", f"没有定义这些名字：{names}")
            raise CompileProblem((Finding("compile-error", text),))
        raise EnvironmentProblem(Text(f"g++ could not link: {words[-500:]}", f"g++ 链接失败：{words[-500:]}"))


def _run(command: list[str], folder: child.WorkFolder) -> tuple[int, str]:
    # Messages go to a file, whose size is limited: a bomb of messages cannot fill this process's memory.
    with tempfile.TemporaryFile() as messages:
        process = child.start(
            command, folder, child.COMPILE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages
        )
        try:
            process.wait(timeout=COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            text = Text(f"compiling took more than {COMPILE_SECONDS} s", f"编译超过 {COMPILE_SECONDS} 秒")
            raise CompileProblem((Finding("compile-error", text),)) from None
        finally:
            child.stop(process)  # whatever of the compiler is left
        messages.seek(0)
        return process.returncode, messages.read(MAX_MESSAGES).decode(errors="replace")


def _no_message(words: str) -> Finding:
    return Finding("compile-error", same(words.strip()[-400:] or "g++ failed without a message"))


def _compile_findings(words: str, rewritten: Rewritten, shown: str) -> tuple[Finding, ...]:
    """The compiler's errors at the learner's line and column, its own names for rewritten things taken out."""
    found = []
    for line in words.split("\n"):
        match = re.match(rf"{re.escape(shown)}:(\d+):(?:(\d+):)? (?:fatal )?error: (.*)", line)
        if not match:
            continue
        number, column, text = int(match.group(1)), int(match.group(2) or 0), match.group(3)
        text = re.sub(r"_cuemu_(?:t|k|image)\b", "", text).replace("cuemu_user_main", "main")
        found.append(Finding("compile-error", same(text), number, rewritten.column(number, column) if column else 0))
    return tuple(found)
