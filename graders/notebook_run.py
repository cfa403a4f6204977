"""Execute a notebook by nbclient in a child process with limits of time, memory and output; name what goes wrong.

What is executed is always the pristine export of a lesson with the learner's blank, which has passed the gate; never a cell of
the learner's. A dead kernel, an endless cell and a huge output are failures with a name, never a pass.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_cache_dir

from graders import sandbox
from graders.executors.worker import module_path
from graders.lesson import Lesson
from graders.notebook_export import to_ipynb
from graders.text import Lang, Text

Status = Literal["ok", "late", "dead", "huge", "broken", "missing"]
NEEDED = ("nbformat", "nbclient", "ipykernel")
LONGEST_FOLDER = 70
MAX_REPLY = 32_000_000
BOOTSTRAP = "import sys; sys.path[:0] = sys.argv[3].split(':'); from graders.notebook_child import main; main(int(sys.argv[1]), sys.argv[2])"


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Seconds for one cell, for the start of the kernel and for everything; characters of output in all; memory in bytes."""

    cell_seconds: int = 60
    start_seconds: int = 60
    total_seconds: float = 150
    output: int = 1_000_000
    kept: int = 20_000
    memory: int = 16 * sandbox.GIB  # address space of the kernel
    file_size: int = 256 * sandbox.MIB
    cpu_seconds: int = 300

    def resources(self) -> dict[str, int]:
        """Names of the module `resource` and their soft limits."""
        return {
            "RLIMIT_AS": self.memory,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_CORE": 0,
        }


@dataclass(frozen=True, slots=True)
class NotebookRun:
    """How it ended, in which cell (from 1), and the output of each cell as text. `problem` is None only for `ok`."""

    status: Status
    outputs: tuple[str, ...] = ()
    cell: int = 0
    problem: Text | None = None
    seconds: float = 0.0


def missing_packages() -> tuple[str, ...]:
    """What has to be installed before a notebook can be executed."""
    return tuple(name for name in NEEDED if importlib.util.find_spec(name) is None)


def run_lesson(
    lesson: Lesson, fill: str, lang: Lang, limits: RunLimits | None = None
) -> tuple[NotebookRun, dict[str, str]]:
    """The pristine export with a blank in it, from top to bottom: the run, and each code cell's output by its role.

    `fill` must have passed the gate (`check_fill`).
    """
    notebook = to_ipynb(lesson, lang, fill)
    done = run_notebook(notebook, limits, course=lesson.folder.parent)
    roles = [c["metadata"]["course_role"] if c["cell_type"] == "code" else "" for c in notebook["cells"]]
    return done, {role: out for role, out in zip(roles, done.outputs, strict=False) if role}


def run_notebook(notebook: dict[str, Any], limits: RunLimits | None = None, course: Path | None = None) -> NotebookRun:
    """Execute a notebook (nbformat 4 as plain values). `course` is the folder of the lessons that its cells ask for."""
    limits = limits or RunLimits()
    lacking = missing_packages()
    if lacking:
        text = Text(
            "{p} is not installed: pip install {a} (the extra `notebook`)",
            "没有安装 {p}：pip install {a}（可选依赖 `notebook`）",
        )
        return NotebookRun("missing", problem=text.fill(p=", ".join(lacking), a=" ".join(NEEDED)))
    begin = time.monotonic()
    with _folder(course) as work, _started(work) as child:
        order = {
            "notebook": notebook,
            "limits": limits.resources(),
            "cell_seconds": limits.cell_seconds,
            "start_seconds": limits.start_seconds,
            "most": limits.output,
            "kept": limits.kept,
        }
        reply = _ask(child, json.dumps(order).encode(), begin + limits.total_seconds)
    return _judged(reply, limits, time.monotonic() - begin)


def _judged(reply: dict[str, Any] | None, limits: RunLimits, seconds: float) -> NotebookRun:
    if reply is None:
        late = seconds >= limits.total_seconds
        text = _PROBLEMS["late"] if late else _PROBLEMS["broken"]
        told = text.fill(n=round(limits.total_seconds), c="?", w="no reply")
        return NotebookRun("late" if late else "broken", problem=told, seconds=seconds)
    status, cell = reply["status"], int(reply["cell"])
    outputs = tuple(str(each) for each in reply["outputs"])
    if status == "ok":
        return NotebookRun("ok", outputs, cell, seconds=seconds)
    known: Status = status if status in _PROBLEMS else "broken"
    numbers = {"late": limits.cell_seconds, "huge": limits.output}
    told = _PROBLEMS[known].fill(c=cell, n=numbers.get(known, 0), w=str(reply["words"])[:200])
    return NotebookRun(known, outputs, cell, told, seconds)


_PROBLEMS: dict[str, Text] = {
    "late": Text("cell {c} did not end within {n} s", "第 {c} 个单元格在 {n} 秒内没有结束"),
    "dead": Text("the kernel died in cell {c}", "内核在第 {c} 个单元格中崩溃"),
    "huge": Text("cell {c} put out more than {n} characters", "第 {c} 个单元格输出超过 {n} 个字符"),
    "broken": Text("the notebook could not be executed ({w})", "无法执行 notebook（{w}）"),
}


@contextmanager
def _folder(course: Path | None) -> Iterator[str]:
    """A private folder: the home of the kernel, its working folder, and the course beside it."""
    # The name of a Unix socket has at most 107 characters.
    base = tempfile.gettempdir()
    work = tempfile.mkdtemp(prefix="course-nb-", dir=base if len(base) < LONGEST_FOLDER else "/tmp")
    try:
        (Path(work) / "notebook").mkdir()
        if course is not None:
            (Path(work) / "notebook" / "lessons").symlink_to(course.resolve())
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _started(work: str) -> Iterator[subprocess.Popen[bytes]]:
    path = os.pathsep.join(module_path())
    extra = {
        "PYTHONPATH": path,
        "COURSE_HOME": f"{work}/course",
        # Compiled parts of the course's own emulator: made once, used by every run.
        "COURSE_CACHE_DIR": os.environ.get("COURSE_CACHE_DIR") or user_cache_dir("course"),
        "IPYTHONDIR": f"{work}/ipython",
        "JUPYTER_RUNTIME_DIR": f"{work}/runtime",
        "JUPYTER_DATA_DIR": f"{work}/data",
        "JUPYTER_CONFIG_DIR": f"{work}/config",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    command = [sys.executable, "-I", "-c", BOOTSTRAP, str(os.getpid()), work, path]
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=sandbox.minimal_environment(work, extra),
        cwd=work,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _kill_tree(child)
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _ask(child: subprocess.Popen[bytes], order: bytes, deadline: float) -> dict[str, Any] | None:
    """Send the order and read one line of JSON; None where the child ended or was late."""
    assert child.stdin is not None and child.stdout is not None
    try:
        child.stdin.write(order)  # the child reads everything before it does anything else
        child.stdin.close()
    except BrokenPipeError:
        return None
    said = bytearray()
    while not said.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or len(said) > MAX_REPLY or not select.select([child.stdout], [], [], left)[0]:
            return None
        piece = os.read(child.stdout.fileno(), 1 << 16)
        if not piece:
            return None
        said += piece
    try:
        reply = json.loads(said)
    except ValueError:
        return None
    return reply if isinstance(reply, dict) else None


def _kill_tree(child: subprocess.Popen[bytes]) -> None:
    """End the child and all of its descendants: it adopts what its own children leave behind, so none is missed."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGSTOP)
    for _ in range(50):
        found = _descendants(child.pid)
        if not found:
            break
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        child.kill()
    child.wait()


def _descendants(pid: int) -> list[int]:
    """Living processes below `pid` (those that wait to be collected by their stopped parent are gone already)."""
    found: list[int] = []
    todo = [pid]
    while todo:
        for each in sandbox.children_of(todo.pop()):
            todo.append(each)
            try:
                state = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[0]
            except (OSError, IndexError):
                continue
            if state != "Z":
                found.append(each)
    return found
