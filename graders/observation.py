"""What an executor is given and what it gives back: raw values, never a verdict.

A `Job` is one case for one program. An `Observation` is what was seen when it ran. The expected
values, the tolerances and the verdict live in the trusted parent (oracle.py, compare.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from graders.arrays import HostArray
from graders.text import Text

Tier = Literal["gpu", "emulated", "static"]
Status = Literal["ok", "raised", "error", "timeout", "crash", "unsupported"]

FINDING_KINDS = (
    "out-of-bounds",
    "use-after-free",
    "misaligned",
    "wrong-space",  # a host pointer in a kernel, a device pointer on the host, a wrong copy kind
    "uninitialised",
    "race",
    "divergent-barrier",
    "inactive-lane",  # a shuffle that reads a lane which has exited or is not in the mask
    "order-dependent",
    "double-write",
    "launch-configuration",
    "api-error",
    "missing-launch",
    "unwritten-output",
    "input-modified",
    "float-cast",  # float to int out of range: the GPU saturates, the CPU does not
    "no-progress",  # a spin loop or an endless loop, ended by the watchdog
    "leak",
    "compile-error",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something an instrument saw. A finding can only fail a case, never pass one.

    `line` and `column` count from 1 in the learner's file (0: unknown); `thread` and `block` are CUDA's
    indices or, for Triton, `block` is the program id.
    """

    kind: str
    text: Text
    line: int = 0
    column: int = 0
    thread: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    other_line: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "text": self.text.as_json(),
            "line": self.line,
            "column": self.column,
            "thread": list(self.thread) if self.thread else None,
            "block": list(self.block) if self.block else None,
            "other_line": self.other_line,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Finding:
        def triple(v: Any) -> tuple[int, int, int] | None:
            return (int(v[0]), int(v[1]), int(v[2])) if v else None

        return cls(
            kind=str(value["kind"]),
            text=Text.from_json(value.get("text", "")),
            line=int(value.get("line", 0)),
            column=int(value.get("column", 0)),
            thread=triple(value.get("thread")),
            block=triple(value.get("block")),
            other_line=int(value.get("other_line", 0)),
        )


@dataclass(frozen=True, slots=True)
class Job:
    """One case: the arrays that go in, the poisoned arrays that must come back, the scalars.

    `inputs` and `outputs` together hold every array argument of the entry; `scalars` the rest. `arguments` names them
    in the order in which the entry takes them.
    """

    case: str
    arguments: tuple[str, ...]
    inputs: dict[str, HostArray]
    outputs: dict[str, HostArray]
    scalars: dict[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of the host function (Triton) or a CUDA error returned by the entry."""

    type: str
    message: str
    line: int = 0
    launched: bool = False  # whether a kernel had been launched before
    column: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen when one job ran on one executor.

    `variants` holds the outputs of the further runs of the same case (other orders of programs or threads, other
    poisons of undefined lanes) as (label, outputs); each of them must be right as well.
    """

    status: Status
    outputs: dict[str, HostArray] = field(default_factory=dict)
    variants: tuple[tuple[str, dict[str, HostArray]], ...] = ()
    changed_inputs: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    raised: Raised | None = None
    detail: Text | None = None
    seconds: float = 0.0
