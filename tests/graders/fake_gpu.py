"""An executor that says it is a GPU, for machines without one: it sums rows in NumPy, so the settling can be tested.

It runs lesson05 only; `broken` names cases for which it gives a wrong sum.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graders.arrays import HostArray
from graders.errors import EnvironmentProblem
from graders.executors.base import Facts, Program, SessionBase
from graders.observation import Job, Observation, Raised
from graders.text import Text


class _Session(SessionBase):
    def __init__(self, broken: Collection[str]) -> None:
        self.broken = broken

    def run(self, job: Job, deadline_s: float) -> Observation:
        x = job.inputs["x"]
        if x.shape[1] < 1 or (x.shape[1] > 1 and x.strides[1] != 1):
            return Observation("raised", raised=Raised("ValueError", "refused"))
        with np.errstate(all="ignore"):
            total = x.values().astype(np.float64).sum(1)
        if job.case in self.broken:
            total = total + 1.0
        return Observation("ok", {"out": HostArray.dense(job.outputs["out"].dtype, total)}, seconds=0.001)


@dataclass
class FakeGpu:
    """`tier` and `name` can be set to what an executor on the CPU would say."""

    broken: Collection[str] = ()
    tier: Any = "gpu"
    name: str = "triton-gpu"
    faulty: bool = False
    faults: int = 0  # how often opening fails before it works
    opened: int = field(default=0, init=False)

    def availability(self) -> Text | None:
        return None

    def prestart(self) -> None:
        return None

    def open(self, program: Program) -> _Session:
        self.faults -= 1
        if self.faulty or self.faults >= 0:
            raise EnvironmentProblem(Text("the device fell off the bus", "设备掉线"))
        self.opened += 1
        return _Session(self.broken)

    def facts(self) -> Facts:
        return Facts("Test GPU", {"driver": "0.0"})

    def close(self) -> None:
        return None
