"""What every executor offers. An executor runs programs and reports what it saw; it never judges.

Use, from the trusted parent (pipeline)::

    executor = TritonInterpreter()                  # or TritonGpu(), the CUDA executors ...
    missing = executor.availability()               # None: usable; else a Text: what is missing, how to get it
    executor.prestart()                             # optional: start the worker now, while the parent does other things
    with executor.open(program) as session:         # CompileProblem(findings) | EnvironmentProblem
        for observation in session.run_all(jobs, deadline_s=10.0):   # in the order of `jobs`
            ...
        observation = session.run(job, deadline_s=10.0)              # or one at a time
        session.facts()                             # device, toolchain versions, active sandbox layers
    executor.facts()                                # the same, of the session that was opened last
    executor.close()                                # ends the warm workers (also done at exit)

A crash, a hang or a protocol breach costs the case it happened in: the session kills that process, starts another
(canary first) and goes on. Restarts and the total time of a session are capped (`Limits`); cases after the cap come
back with status `timeout` or `crash` and a detail that says so. `EnvironmentProblem` means that this machine is at
fault, never the learner.

Statuses of an `Observation` from here: `ok` outputs are there; `raised` the host function raised (`raised` holds type,
message, line and whether a kernel had been launched before); `error` the kernel itself failed (`detail`, findings);
`timeout`, `crash` as they say; `unsupported` this executor cannot run the job.

Not an `Executor` but beside it: `triton_compile.TritonCompile`, whose `begin(program, jobs)` returns at once and whose
`CompileReport` arrives later (PTX and cubin for GPUs that need not be there).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self, runtime_checkable

from graders.errors import CourseError, EnvironmentProblem
from graders.observation import Finding, Job, Observation, Tier
from graders.text import Text

__all__ = [
    "BlankSpan",
    "CompileProblem",
    "EnvironmentProblem",
    "Executor",
    "Facts",
    "Limits",
    "Program",
    "Session",
    "SessionBase",
    "TritonEntry",
]


@dataclass(frozen=True, slots=True)
class BlankSpan:
    """Where the learner's text stands in `Program.source`: from (line, column) up to, not including, the end.

    Lines and columns count from 1, columns in characters.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, line: int, column: int = 0) -> bool:
        """Whether a place lies in the blank; column 0 asks about the line only."""
        if not self.line <= line <= self.end_line:
            return False
        if column == 0:
            return True
        return (line, column) >= (self.line, self.column) and (line, column) < (self.end_line, self.end_column)


class Entry(Protocol):
    """How a program is called. `arguments` are the names of arrays and scalars in call order."""

    @property
    def arguments(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class TritonEntry:
    """A host function of the template, called as `function(*arguments)`."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A pristine template with the learner's blank injected.

    `filename` is the name shown in messages (a bare file name). Lines of findings are lines of `source`.
    """

    source: str
    filename: str
    language: Literal["triton", "cuda"]
    entry: Entry
    blank: BlankSpan | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Where something was run: for the report's `evidence`."""

    device: str
    toolchain: dict[str, str] = field(default_factory=dict)
    sandbox: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps of one session: wall-clock seconds over all cases, and new processes after a crash or a hang."""

    total_s: float = 120.0
    restarts: int = 4


class CompileProblem(CourseError):
    """The learner's program does not compile (or does not load); `findings` hold the compiler's words and place."""

    def __init__(self, text: Text | str, findings: Sequence[Finding]) -> None:
        super().__init__(text)
        self.findings = tuple(findings)


@runtime_checkable
class Session(Protocol):
    """One program, ready to run."""

    def run(self, job: Job, deadline_s: float) -> Observation:
        """Run one case; never raises for what the learner's code does."""
        ...

    def run_all(self, jobs: Sequence[Job], deadline_s: float) -> Iterator[Observation]:
        """Run cases, yielding in the order of `jobs`; `deadline_s` holds for each case."""
        ...

    def facts(self) -> Facts: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class Executor(Protocol):
    """Where programs can run. `name` is the report's `executor`."""

    @property
    def name(self) -> str: ...

    @property
    def tier(self) -> Tier: ...

    def availability(self) -> Text | None:
        """None when usable; else what is missing and how to get it. Cheap: starts nothing."""
        ...

    def prestart(self) -> None:
        """Start what can be started before the program is known. Does nothing where there is nothing to gain."""
        ...

    def open(self, program: Program) -> Session: ...

    def facts(self) -> Facts:
        """Of the session that was opened last."""
        ...

    def close(self) -> None: ...


class SessionBase:
    """The parts of a session that are the same everywhere: sequential `run_all`, use in a `with` statement."""

    def run(self, job: Job, deadline_s: float) -> Observation:
        raise NotImplementedError

    def run_all(self, jobs: Sequence[Job], deadline_s: float) -> Iterator[Observation]:
        for job in jobs:
            yield self.run(job, deadline_s)

    def close(self) -> None:
        """Give back what the session holds; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
