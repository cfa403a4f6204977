"""Loading a program from a real file: `@triton.jit` reads its source, and lines are then the learner's lines."""

from __future__ import annotations

import importlib.util
import linecache
import re
import sys
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any

MODULE = "course_program"


def write_program(work: str, filename: str, source: str) -> str:
    """Write the source below `work` and return its path; the name is reduced to harmless characters."""
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(filename).name) or "program.py"
    folder = Path(work) / "program"
    folder.mkdir(exist_ok=True)
    path = folder / (name if name.endswith(".py") else f"{name}.py")
    path.write_text(source, encoding="utf-8", newline="")
    return str(path)


def load_program(path: str) -> ModuleType:
    """Execute the file as a module; raises whatever it raises."""
    spec = importlib.util.spec_from_file_location(MODULE, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module
    linecache.checkcache(path)
    spec.loader.exec_module(module)
    return module


def first_config_only() -> None:
    """Let `@triton.autotune` take its first configuration: there is no device to measure on."""
    from triton.runtime.autotuner import Autotuner

    plain = Autotuner.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        self.configs = self.configs[:1]

    Autotuner.__init__ = init


def place_of_frame(path: str, frame: FrameType | None) -> tuple[int, int]:
    """Line and column (from 1; 0 unknown) where the innermost frame of the file `path` stands."""
    while frame is not None:
        if frame.f_code.co_filename == path:
            return _position(frame.f_code, frame.f_lasti, frame.f_lineno)
        frame = frame.f_back
    return 0, 0


def place_of_error(path: str, error: BaseException) -> tuple[int, int]:
    """Line and column of the innermost frame of `path` in an exception, its cause and its context first."""
    seen: set[int] = set()
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        chain.append(current)
        current = current.__cause__ or current.__context__
    for each in reversed(chain):
        found = (0, 0)
        trace: TracebackType | None = each.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == path:
                found = _position(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)
            trace = trace.tb_next
        if found[0]:
            return found
    return 0, 0


def told(error: BaseException) -> dict[str, str]:
    """Type and message of an exception, cut to a sensible length; a message that cannot be formed is left empty."""
    try:
        message = str(error)
    except Exception:
        message = ""
    return {"type": type(error).__name__, "message": message[:2000]}


def load_error(path: str, error: BaseException) -> dict[str, Any]:
    """Reply for a program that does not load."""
    line, column = place_of_error(path, error)
    if isinstance(error, SyntaxError) and error.filename == path:
        line, column = error.lineno or 0, error.offset or 0
    return {"event": "load-error", **told(error), "line": line, "column": column}


def _position(code: Any, instruction: int, line: int | None) -> tuple[int, int]:
    for index, (start, _, column, _) in enumerate(code.co_positions()):
        if index == instruction // 2 and start == line and column is not None:
            return start or 0, column + 1
    return line or 0, 0
