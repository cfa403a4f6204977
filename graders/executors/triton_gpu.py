"""Triton on a CUDA device of this machine (tier `gpu`)."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path

from graders.executors import worker
from graders.executors.base import Facts, Limits, Program
from graders.executors.triton_interpreter import MISSING
from graders.executors.triton_session import TritonSession
from graders.observation import Tier
from graders.text import Text

_NO_DEVICE = Text(
    "there is no NVIDIA GPU on this machine (no /dev/nvidia0)", "本机没有 NVIDIA GPU（找不到 /dev/nvidia0）"
)
_NO_TORCH = Text(
    "PyTorch with CUDA is needed to run Triton on a GPU: pip install torch",
    "在 GPU 上运行 Triton 需要带 CUDA 的 PyTorch：pip install torch",
)
_CPU_TORCH = Text(
    "the installed PyTorch is built for the CPU only; install a build with CUDA: pip install --force-reinstall torch",
    "已安装的 PyTorch 仅支持 CPU；请安装带 CUDA 的版本：pip install --force-reinstall torch",
)
_NO_GCC = Text(
    "Triton needs a C compiler to launch kernels on a GPU: apt install gcc",
    "Triton 在 GPU 上启动内核需要 C 编译器：apt install gcc",
)


class TritonGpu:
    """Executor `triton-gpu`. `processes`: how many compile and run cases side by side in one session."""

    name = "triton-gpu"
    tier: Tier = "gpu"

    def __init__(self, limits: Limits | None = None, processes: int | None = None) -> None:
        self.limits = limits or Limits(total_s=900.0)
        self.processes = processes or max(1, min(4, (os.cpu_count() or 2) // 2))
        self._facts = Facts("unknown")

    def availability(self) -> Text | None:
        """Whether the parts are there; whether they work together is what the canary shows."""
        if not (any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()):
            return _NO_DEVICE
        if not worker.installed("triton"):
            return MISSING
        if not worker.installed("torch"):
            return _NO_TORCH
        if _torch_is_cpu_only():
            return _CPU_TORCH
        if not any(shutil.which(name) for name in (os.environ.get("CC", "cc"), "gcc", "clang")):
            return _NO_GCC
        return None

    def prestart(self) -> None:
        if self.availability() is None:
            worker.warm("gpu", "torch", self.processes)

    def open(self, program: Program) -> TritonSession:
        session = TritonSession("gpu", "torch", program, self.limits, self.processes)
        self._facts = session.facts()
        return session

    def facts(self) -> Facts:
        """Of the session that was opened last."""
        return self._facts

    def close(self) -> None:
        worker.close_warm("gpu")


def _torch_is_cpu_only() -> bool:
    """Read from torch/version.py, since importing torch takes seconds."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return False
    try:
        text = (Path(spec.origin).parent / "version.py").read_text()
    except OSError:
        return False
    found = re.search(r"^cuda\b[^=]*=\s*(.+)$", text, re.MULTILINE)
    return found is not None and found.group(1).strip() == "None"
