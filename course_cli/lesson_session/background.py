"""What goes on behind the page that is being read: the worker starts, the lesson is loaded, a passing blank is compiled."""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Any

from course_cli.context import settings

if TYPE_CHECKING:
    from graders.executors.base import Executor
    from graders.executors.pick import Backend
    from graders.executors.triton_compile import CompileReport
    from graders.grade import Options
    from graders.lesson import Lesson


class Loader:
    """Loads a lesson and starts its executor in a thread; `lesson` and `executor` wait for it."""

    def __init__(self, lesson_id: str, backend: Backend) -> None:
        self._lesson_id = lesson_id
        self._backend: Backend = backend
        self._lesson: Lesson | None = None
        self._executor: Executor | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless that was done before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        from course_cli.commands.run import prestart

        try:
            self._executor = prestart(self._lesson_id, self._backend)  # first: the worker imports on another core
            self._lesson = settings.course.lesson(self._lesson_id)
            # What the next step needs, loaded while the learner still reads.
            for name in ("prompt_toolkit", "course_cli.views", "graders.grade", "graders.template_diff"):
                importlib.import_module(name)
        except BaseException as error:  # raised again where it is asked for
            self._error = error

    def _wait(self) -> None:
        self.start()
        assert self._thread is not None
        self._thread.join()
        if self._error is not None:
            raise self._error

    @property
    def lesson(self) -> Lesson:
        self._wait()
        assert self._lesson is not None
        return self._lesson

    @property
    def executor(self) -> Executor | None:
        self._wait()
        return self._executor


class CompileBehind:
    """PTX and cubin of a blank that passed its cases, made while the questions are answered."""

    def __init__(self) -> None:
        self._fill = ""
        self._compiling: Any = None
        self._report: CompileReport | None = None
        self._told = False

    def start(self, fill: str, lesson: Lesson, options: Options) -> None:
        """Compile `fill`, unless it is being compiled already; what was begun for another blank is given up."""
        from graders.blank import Refused
        from graders.grade import compile_for_gpu

        if fill == self._fill:
            return
        if self._compiling is not None:
            self._compiling.cancel()
        self._fill, self._report, self._told = fill, None, False
        try:
            compiling = self._compiling = compile_for_gpu(fill, lesson, options)
        except Refused:
            self._compiling = None
            return
        if compiling is not None:
            threading.Thread(target=self._wait, args=(compiling,), daemon=True).start()

    def _wait(self, compiling: Any) -> None:
        report = compiling.result()
        if compiling is self._compiling:
            self._report = report

    @property
    def running(self) -> bool:
        return self._compiling is not None and self._report is None

    def report(self) -> CompileReport | None:
        """The report, where it has arrived."""
        return self._report

    def news(self) -> CompileReport | None:
        """The report once, at the first question for it after its arrival."""
        if self._report is None or self._told:
            return None
        self._told = True
        return self._report

    def wait(self, seconds: float) -> CompileReport | None:
        """The report, waited for at most `seconds`."""
        import time

        end = time.monotonic() + seconds
        while self.running and time.monotonic() < end:
            time.sleep(0.05)
        return self._report
