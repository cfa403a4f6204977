"""Triton on the CPU: Triton's interpreter in a worker, with instruments (tier `emulated`)."""

from __future__ import annotations

from graders.executors import worker
from graders.executors.base import Facts, Limits, Program
from graders.executors.triton_session import TritonSession
from graders.observation import Tier
from graders.text import Text

MISSING = Text(
    "Triton is not installed, so Triton lessons cannot run here. Install it: pip install 'triton>=3.6,<3.8'",
    "没有安装 Triton，因此这里无法运行 Triton 课程。安装方法：pip install 'triton>=3.6,<3.8'",
)


class TritonInterpreter:
    """Executor `triton-interpreter`. `processes`: how many run cases side by side in one session."""

    name = "triton-interpreter"
    tier: Tier = "emulated"

    def __init__(self, limits: Limits | None = None, processes: int = 2) -> None:
        self.limits = limits or Limits()
        self.processes = processes
        self._facts = Facts("CPU")

    def availability(self) -> Text | None:
        return None if worker.installed("triton") else MISSING

    def prestart(self) -> None:
        """Start the worker now; it imports Triton while the parent does something else."""
        if self.availability() is None:
            worker.warm("interpret", "light", self.processes)

    def open(self, program: Program) -> TritonSession:
        session = TritonSession("interpret", "light", program, self.limits, self.processes)
        self._facts = session.facts()
        return session

    def facts(self) -> Facts:
        """Of the session that was opened last."""
        return self._facts

    def close(self) -> None:
        worker.close_warm("interpret")
