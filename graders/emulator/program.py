"""Whole programs with their own `main`: compile, run under several orders, gather what was found and printed."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any

from graders import confine
from graders.emulator import child
from graders.emulator.build import Program, build
from graders.emulator.findings import from_records
from graders.emulator.process import ASCENDING, DESCENDING, SEEDED, Reports
from graders.emulator.rewriter import Rewritten, rewrite
from graders.errors import BadInput, EnvironmentProblem, Where
from graders.observation import Finding
from graders.text import Text

# (order, seed, poison of undefined shuffle values)
ORDERS = {"ascending": (ASCENDING, 1, 0), "descending": (DESCENDING, 1, 0), "seeded": (SEEDED, 7, 0)}
OTHER_POISON = (ASCENDING, 1, 1)
MAX_STDOUT = 4 << 20
_GLUE = 'extern "C" int cuemu_program(int n, char** a) { return ::cuemu::call_main(cuemu_user_main, n, a); }'


@dataclass(frozen=True, slots=True)
class ProgramReport:
    """What happened. `stdout` and `exit_code` are those of the run in ascending order (128 + n: ended by signal n)."""

    findings: tuple[Finding, ...]
    stdout: str
    exit_code: int
    stderr: str = ""
    orders: tuple[str, ...] = ()
    seconds: float = 0.0
    launches: int = 0


@dataclass(slots=True)
class _Run:
    records: list[dict[str, Any]] = field(default_factory=list)
    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    seconds: float = 0.0

    @property
    def end(self) -> dict[str, Any]:
        return next((r for r in self.records if r.get("type") == "end"), {})


def emulate_program(
    source: str,
    filename: str,
    args: tuple[str, ...] = (),
    deadline_s: float = 60.0,
    orders: tuple[str, ...] = ("ascending", "descending", "seeded"),
) -> ProgramReport:
    """Run a single-file program. Raises CompileProblem, Unsupported or EnvironmentProblem, BadInput without a main.

    Later orders run only if the order can matter (atomics, polls) or the run was short, and a program is small enough
    for it; `deadline_s` bounds all runs together.
    """
    started = time.monotonic()
    rewritten = rewrite(source, filename)
    if not rewritten.has_main:
        raise BadInput(Text("the file has no main function", "文件里没有 main 函数"), Where(filename))
    program = build(rewritten, filename, _GLUE)
    left = deadline_s
    runs: list[tuple[str, _Run]] = []
    for name in orders:
        if runs and not _worth_another(runs[0][1], left):
            break
        run = _run(program, ORDERS[name], args, left)
        if not runs and not run.records and _layers_to_blame():
            run = _run(program, ORDERS[name], args, left)
        left -= run.seconds
        if runs and any(r.get("type") == "order-not-possible" for r in run.records):
            continue  # blocks wait for earlier ones: this order of blocks can not be
        runs.append((name, run))
    first = runs[0][1]
    harmless = True
    if any(r.end.get("poison_used", 1) for _, r in runs) and left > 0:
        other = _run(program, OTHER_POISON, args, left)
        harmless = _same_result(first, other)
    records = [r for _, run in runs for r in run.records]
    findings = list(from_records(program, records, keep_tentative=not harmless))
    findings += _whole_program_findings(rewritten, runs)
    return ProgramReport(
        tuple(findings),
        first.stdout.decode("utf-8", errors="replace"),
        first.exit_code,
        first.stderr.decode("utf-8", errors="replace"),
        tuple(name for name, _ in runs),
        time.monotonic() - started,
        int(first.end.get("launches", 0)),
    )


def _layers_to_blame() -> bool:
    """A program ended without a word: whether a known-good one does as well, inside the sandbox's further layers only.

    Raises EnvironmentProblem where that one fails without them too.
    """
    from graders.executors.emulator import EmulatorExecutor

    before = confine.given_up()
    EmulatorExecutor().canary()
    return confine.given_up() != before


def _worth_another(first: _Run, left: float) -> bool:
    end = first.end
    if not end:
        return False  # it crashed or ran out of time: the next order would too
    if first.seconds * 1.5 > left:
        return False
    return bool(end.get("order_sensitive")) or first.seconds < 1.0


def _same_result(a: _Run, b: _Run) -> bool:
    return a.exit_code == b.exit_code and a.end.get("copies") == b.end.get("copies")


def _whole_program_findings(rewritten: Rewritten, runs: list[tuple[str, _Run]]) -> list[Finding]:
    first = runs[0][1]
    if (
        not rewritten.kernels
        or not first.end
        or int(first.end.get("attempts", 0))
        or first.end.get("error") != "cudaSuccess"
    ):
        return []
    if first.exit_code != 0:
        return []  # it gave up before the launch, and says so itself
    text = Text("the program has a kernel, but launches none", "程序定义了内核，却没有启动任何内核")
    return [Finding("missing-launch", text, min(rewritten.kernels.values()))]


def _run(program: Program, order: tuple[int, int, int], args: tuple[str, ...], seconds: float) -> _Run:
    folder = child.WorkFolder()
    read_end, write_end = os.pipe()
    reports = Reports(read_end)
    started = time.monotonic()
    process: subprocess.Popen[bytes] | None = None
    out = _Run()
    try:
        try:
            command = [str(program.executable), "program", str(write_end), *(str(n) for n in order), f"{seconds:.3f}"]
            process = child.start(
                [*command, program.filename.removesuffix(".cu"), *args],
                folder,
                child.RUN,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(write_end,),
            )
        finally:
            os.close(write_end)
        _drain(process, reports, out, time.monotonic() + seconds + 3)
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(timeout=2)
            out.exit_code = code if code >= 0 else 128 - code
    finally:
        if process is not None:
            child.stop(process)
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        reports.close()
        folder.remove()
    out.seconds = time.monotonic() - started
    broken = next((r for r in out.records if r.get("type") == "broken"), None)
    if broken is not None:
        raise EnvironmentProblem(
            Text(f"the emulator failed: {broken.get('what')}", f"模拟器出错：{broken.get('what')}")
        )
    return out


def _drain(process: subprocess.Popen[bytes], reports: Reports, out: _Run, until: float) -> None:
    """Read all three pipes until they end, the clock runs out or the program prints without end."""
    assert process.stdout is not None and process.stderr is not None
    streams = {
        process.stdout.fileno(): bytearray(),
        process.stderr.fileno(): bytearray(),
        reports.descriptor: reports.buffer,
    }
    open_ones = set(streams)
    while open_ones:
        wait = until - time.monotonic()
        ready = select.select(list(open_ones), [], [], wait)[0] if wait > 0 else []
        if not ready:
            break
        for descriptor in ready:
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                open_ones.discard(descriptor)
            elif len(streams[descriptor]) < MAX_STDOUT:
                streams[descriptor] += piece
    out.stdout = bytes(streams[process.stdout.fileno()])
    out.stderr = bytes(streams[process.stderr.fileno()])
    with contextlib.suppress(TimeoutError, ValueError):
        while (record := reports.line(time.monotonic())) is not None:
            out.records.append(record)
