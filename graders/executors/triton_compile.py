"""Triton compile-only: PTX and cubin for GPUs that need not be there (tier `static`), beside what runs the cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graders import confine
from graders.errors import EnvironmentProblem
from graders.executors import worker
from graders.executors.base import Program, TritonEntry
from graders.executors.triton_interpreter import MISSING
from graders.observation import Finding, Job, Tier
from graders.text import Text, same

TARGETS = (80, 90, 100)
START_S = 90.0
DEADLINE_S = 120.0
MOST_FINDINGS = 20

_LATE = Text("compiling did not end within {seconds:g} s", "编译未在 {seconds:g} 秒内结束")
_ENDED = Text("the compiler process ended early ({what})", "编译进程提前结束（{what}）")
_NEEDS_TORCH = Text(
    "not compiled: the host function uses {what}, which needs PyTorch", "未编译：主机函数用到 {what}，需要 PyTorch"
)
_RAISED = Text("not compiled: the host function raised {type}: {message}", "未编译：主机函数抛出 {type}：{message}")
_NOTHING = Text("not compiled: the host function launched no kernel", "未编译：主机函数没有启动内核")


@dataclass(frozen=True, slots=True)
class TargetReport:
    """One GPU target: seconds to compile, sizes of what came out.

    Registers and stack (above 0: spills) are for one thread, shared memory for one block: the largest of all kernels.
    """

    target: str
    seconds: float
    ptx_bytes: int
    cubin_bytes: int
    registers: int
    stack_bytes: int
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class CompileReport:
    """`compiled` lists the targets that gave a cubin; `findings` hold the compiler's words at the learner's line.

    `note` says why nothing was compiled where neither the program nor the compiler is known to be at fault.
    """

    compiled: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    targets: tuple[TargetReport, ...] = ()
    seconds: float = 0.0
    toolchain: dict[str, str] = field(default_factory=dict)
    note: Text | None = None


class PendingCompile:
    """A compilation under way."""

    def __init__(self, program: Program, jobs: Sequence[Job], targets: Sequence[int]) -> None:
        self._report: CompileReport | None = None
        self._thread = threading.Thread(target=self._work, args=(program, list(jobs), list(targets)), daemon=True)
        self._run: worker.Run | None = None
        self._thread.start()

    def done(self) -> bool:
        return not self._thread.is_alive()

    def result(self, timeout_s: float | None = None) -> CompileReport:
        """Wait for the report; past `timeout_s` the compilation is given up and a note says so."""
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self.cancel()
            return CompileReport(note=_LATE.fill(seconds=timeout_s or 0.0))
        assert self._report is not None
        return self._report

    def cancel(self) -> None:
        """Give it up."""
        if self._run is not None:
            self._run.kill()

    def _work(self, program: Program, jobs: list[Job], targets: list[int]) -> None:
        started = time.monotonic()
        try:
            self._report = self._compile(program, jobs, targets, started)
        except worker.RunLate:
            self._report = CompileReport(note=_LATE.fill(seconds=DEADLINE_S), seconds=time.monotonic() - started)
        except EnvironmentProblem as problem:
            self._report = CompileReport(note=problem.text, seconds=time.monotonic() - started)
        except (worker.RunEnded, worker.RunBroken, KeyError, TypeError, ValueError) as error:
            self._report = CompileReport(note=_ENDED.fill(what=error), seconds=time.monotonic() - started)
        finally:
            if self._run is not None:
                self._run.close()

    def _compile(self, program: Program, jobs: list[Job], targets: list[int], started: float) -> CompileReport:
        assert isinstance(program.entry, TritonEntry)
        run = self._run = worker.take("compile", "light", 1)[0]
        ready, _ = run.request(None, seconds=START_S)
        if ready["problem"] and confine.give_up(str(ready["problem"])):
            # Our own kernel does not compile inside the sandbox's further layers: once without them.
            worker.distrust(run.zygote)
            run.close()
            run = self._run = worker.take("compile", "light", 1)[0]
            ready, _ = run.request(None, seconds=START_S)
            if ready["problem"]:
                confine.take_back()
        confine.check_strict([str(each) for each in ready["sandbox"]])
        toolchain = {str(k): str(v) for k, v in ready["facts"]["toolchain"].items()}
        if ready["problem"]:
            return CompileReport(note=same(str(ready["problem"])[:1000]), toolchain=toolchain)
        started = time.monotonic()
        order = {"op": "open", "source": program.source, "filename": program.filename}
        reply, _ = run.request({**order, "function": program.entry.function}, seconds=DEADLINE_S)
        if reply["event"] != "opened":
            text = same(f"{str(reply['type'])[:200]}: {str(reply['message'])[:2000]}")
            finding = Finding("compile-error", text, line=int(reply["line"]), column=int(reply["column"]))
            return CompileReport(findings=(finding,), toolchain=toolchain)
        found: list[Finding] = []
        done: list[TargetReport] = []
        note: Text | None = None
        for job in jobs:
            reply, _ = run.request(_order(job, targets), seconds=DEADLINE_S, max_reply=0)
            note = note or _note_of(reply)
            found += [_finding(each) for each in reply.get("findings", [])[:MOST_FINDINGS]]
            done += [_target(each) for each in reply.get("targets", [])[: len(targets)]]
        names = [f"sm_{target}" for target in targets]
        compiled = tuple(n for n in names if done and sum(t.target == n for t in done) == len(jobs))
        return CompileReport(
            compiled if not found else (),
            tuple(dict.fromkeys(found)),
            tuple(done),
            time.monotonic() - started,
            toolchain,
            note,
        )


class TritonCompile:
    """`triton-compile`: `begin` returns at once, the report arrives later."""

    name = "triton-compile"
    tier: Tier = "static"

    def __init__(self, targets: Sequence[int] = TARGETS) -> None:
        self.targets = tuple(targets)

    def availability(self) -> Text | None:
        return None if worker.installed("triton") else MISSING

    def prestart(self) -> None:
        if self.availability() is None:
            worker.warm("compile", "light", 1)

    def begin(self, program: Program, jobs: Sequence[Job]) -> PendingCompile:
        """Compile what the host function launches for each of `jobs` (shapes and types count, not the values)."""
        return PendingCompile(program, jobs, self.targets)

    def close(self) -> None:
        worker.close_warm("compile")


def _order(job: Job, targets: list[int]) -> dict[str, Any]:
    arrays = {**job.inputs, **job.outputs}
    return {
        "op": "run",
        "arguments": list(job.arguments),
        "arrays": {name: array.header() for name, array in arrays.items()},
        "scalars": job.scalars,
        "targets": targets,
    }


def _note_of(reply: dict[str, Any]) -> Text | None:
    if reply["event"] == "needs-torch":
        return _NEEDS_TORCH.fill(what=str(reply["what"])[:200])
    if reply["event"] == "raised":
        return _RAISED.fill(type=str(reply["type"])[:200], message=str(reply["message"])[:1000])
    if not reply["targets"] and not reply["findings"]:
        return _NOTHING
    return None


def _finding(value: dict[str, Any]) -> Finding:
    words = same(str(value["detail"])[:2000])
    return Finding("compile-error", words, line=int(value["line"]), column=int(value["column"]))


def _target(value: dict[str, Any]) -> TargetReport:
    return TargetReport(
        str(value["target"])[:20],
        float(value["seconds"]),
        *(int(value[key]) for key in ("ptx_bytes", "cubin_bytes", "registers", "stack_bytes", "shared_bytes")),
    )
