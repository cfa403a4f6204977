"""CUDA lessons on the CPU: the learner's program under the checking emulator, one child for all cases of a program."""

from __future__ import annotations

import contextlib
import platform
import queue
import re
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graders import confine
from graders.arrays import HostArray
from graders.emulator import build as builder
from graders.emulator.build import CompileProblem, Program
from graders.emulator.findings import TooSlow, from_records
from graders.emulator.process import ASCENDING, DESCENDING, SEEDED, CaseProcess, Lost
from graders.emulator.rewriter import Unsupported, rewrite
from graders.errors import EnvironmentProblem
from graders.executors import base
from graders.executors.base import Facts, SessionBase
from graders.executors.cuda_entry import CudaEntry
from graders.observation import Finding, Job, Observation, Raised
from graders.text import Text, same

# (order of threads, warps and blocks; seed; poison of undefined shuffle values). The last one runs only where such a
# value was read. The orders after the first run where the case is small, or where order can matter at all: a program
# without races, atomics and polls gives the same result in every order.
SCHEDULES = ((ASCENDING, 1, 0), (DESCENDING, 1, 0), (SEEDED, 7, 0), (ASCENDING, 1, 1))
SCHEDULE_NAMES = ("ascending order", "descending order", "seeded order", "other undefined values")
TOTAL_S = 180.0  # seconds of all cases of one process together
WORTH_TWO = 8  # jobs from which on a second process pays for its start
SMALL = 1024  # threads over all launches of a case


@dataclass(frozen=True, slots=True)
class _Parameter:
    type: str
    name: str

    @property
    def is_pointer(self) -> bool:
        return "*" in self.type

    def pack(self, value: int | float) -> int:
        """The value's bytes as an unsigned 64-bit number, in the place where the entry reads its type."""
        kind = re.sub(r"\b(const|volatile)\b", "", self.type).strip()
        if kind == "float":
            return int(struct.unpack("<I", struct.pack("<f", value))[0])
        if kind == "double":
            return int(struct.unpack("<Q", struct.pack("<d", value))[0])
        return int(value) & 0xFFFFFFFFFFFFFFFF


def parameters(signature: str) -> list[_Parameter]:
    """The parameters of a declaration such as `extern "C" int course_entry(const float* x, int n)`."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    found = []
    for part in inside.split(","):
        match = re.fullmatch(r"\s*(.*?)([A-Za-z_]\w*)\s*", part, re.DOTALL)
        if not match:
            raise ValueError(f"cannot read the parameter {part.strip()!r}")
        found.append(_Parameter(match.group(1).strip(), match.group(2)))
    return found


def glue(entry: CudaEntry) -> str:
    """The harness appended to the program: the entry, and how the host process calls it."""
    taken = parameters(entry.signature)
    arguments = ", ".join(f"*({p.type}*)a[{i}]" for i, p in enumerate(taken))
    name = re.findall(r"([A-Za-z_]\w*)\s*\(", entry.signature)[0]
    return (
        f"{entry.signature} {{ return ::cuemu::entry_result([&] {{ return {entry.call}; }}); }}\n"
        f'extern "C" int cuemu_entry(void** a) {{ return {name}({arguments}); }}\n'
    )


class Session(SessionBase):
    """One compiled program; cases run one after another, a crash or a hang costs that case only."""

    def __init__(self, program: Program, entry: CudaEntry) -> None:
        self.program = program
        self.entry = entry
        self.spent = 0.0
        self.parameters = parameters(entry.signature)
        self.process: CaseProcess | None = None
        self.restarts = 0

    def run(self, job: Job, deadline_s: float = 10.0) -> Observation:
        """Run one case under the schedules; the first one's outputs are the result, differing ones are variants."""
        started = time.monotonic()
        arguments = self._arguments(job)
        deadline_s = min(deadline_s, TOTAL_S - self.spent)
        if deadline_s <= 0:
            return Observation("timeout", detail=_SPENT.fill(s=TOTAL_S))
        try:
            if self.process is None:
                self.process = CaseProcess(self.program)
            records, results = self.process.run(arguments, list(SCHEDULES), deadline_s, SMALL)
        except Lost as lost:
            self.restarts += 1
            self._drop()
            return self._lost(lost, time.monotonic() - started)
        finally:
            self.spent += time.monotonic() - started
        return self._observation(job, records, results, time.monotonic() - started)

    def run_all(self, jobs: Sequence[Job], deadline_s: float) -> Iterator[Observation]:
        """Many cases on two processes side by side, in the order of `jobs`."""
        if len(jobs) < WORTH_TWO:
            yield from super().run_all(jobs, deadline_s)
            return
        twin = Session(self.program, self.entry)
        free: queue.SimpleQueue[Session] = queue.SimpleQueue()
        for lane in (self, twin):
            free.put(lane)

        def one(job: Job) -> Observation:
            lane = free.get()
            try:
                return lane.run(job, deadline_s)
            finally:
                free.put(lane)

        pool = ThreadPoolExecutor(2)
        try:
            yield from pool.map(one, jobs)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            twin.close()

    def _arguments(self, job: Job) -> list[tuple[str, int, bytes]]:
        if len(job.arguments) != len(self.parameters):
            raise ValueError(f"case {job.case}: {len(job.arguments)} arguments for {len(self.parameters)} parameters")
        out: list[tuple[str, int, bytes]] = []
        for name, parameter in zip(job.arguments, self.parameters, strict=True):
            if name in job.scalars:
                out.append(("v", parameter.pack(job.scalars[name]), b""))
                continue
            array = job.inputs.get(name) or job.outputs[name]
            data = np.ascontiguousarray(array.storage).tobytes()
            out.append(("o" if name in job.outputs else "i", len(data), data))
        return out

    def _observation(
        self, job: Job, records: list[dict[str, Any]], results: list[tuple[dict[str, Any], bytes]], seconds: float
    ) -> Observation:
        first, raw = results[0]
        poisoned = [r for r, _ in results if r["schedule"] == 3]
        harmless = bool(poisoned) and all(r["same"] and r["code"] == first["code"] for r in poisoned)
        findings = from_records(self.program, records, keep_tentative=not harmless)
        variants = tuple(
            (SCHEDULE_NAMES[int(r["schedule"])], self._outputs(job, data))
            for r, data in results[1:]
            if not r["same"] and not r["stopped"]
        )
        changed = sorted({job.arguments[int(i)] for r, _ in results for i in r["changed"]})
        failed = next((r for r, _ in results if r["code"]), None)
        if any(r["stopped"] for r, _ in results):
            text = findings[0].text if findings else Text("the program ended by itself", "程序自行结束")
            return Observation("crash", findings=findings, detail=text, seconds=seconds)
        raised = Raised("cudaError", str(failed["error"])) if failed else None
        return Observation(
            status="raised" if failed else "ok",
            outputs=self._outputs(job, raw),
            variants=variants,
            changed_inputs=tuple(changed),
            findings=findings,
            raised=raised,
            seconds=seconds,
        )

    def _outputs(self, job: Job, raw: bytes) -> dict[str, HostArray]:
        out = {}
        at = 0
        for name in job.arguments:
            if name not in job.outputs:
                continue
            array = job.outputs[name]
            size = array.storage.nbytes
            out[name] = HostArray.from_header(array.header(), raw[at : at + size])
            at += size
        return out

    def _lost(self, lost: Lost, seconds: float) -> Observation:
        try:
            findings = from_records(self.program, lost.records)
        except TooSlow as slow:
            return Observation("timeout", detail=slow.text, seconds=seconds)
        hung = lost.why == "silent" or any(r.get("type") == "timeout" for r in lost.records)
        broken = next((r for r in lost.records if r.get("type") == "broken"), None)
        if broken is not None:
            raise EnvironmentProblem(
                Text(f"the emulator failed: {broken.get('what')}", f"模拟器出错：{broken.get('what')}")
            )
        status: Literal["timeout", "crash"] = "timeout" if hung else "crash"
        text = (
            findings[-1].text
            if findings
            else (
                Text("the case did not end in time", "用例没有按时结束")
                if hung
                else Text("the program crashed", "程序崩溃")
            )
        )
        return Observation(status, findings=findings, detail=text, seconds=seconds)

    def _drop(self) -> None:
        if self.process is not None:
            self.process.close()
            self.process = None

    def facts(self) -> Facts:
        """Where it ran: the CPU, by which compiler."""
        return machine_facts()

    def close(self) -> None:
        """End the child; the session can not be used afterwards."""
        self._drop()


def machine_facts() -> Facts:
    """The emulator is this machine's processor; its toolchain is the host compiler."""
    return Facts(
        "CPU",
        {"g++": builder.toolchain_name(), "python": platform.python_version()},
        ("rlimits", "no-new-privs", *confine.usable()),
    )


_CANARY = """
__global__ void canary(const int* x, int* y, int n) {
  __shared__ int buffer[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  buffer[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  int v = buffer[63 - threadIdx.x];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(y, v);
}
cudaError_t run(const int* x, int n, int* y) {
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, sizeof(int));
  cudaMemcpy(a, x, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, sizeof(int));
  canary<<<(n + 63) / 64, 64>>>(a, b, n);
  cudaMemcpy(y, b, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(b);
  return cudaGetLastError();
}
"""
_CANARY_ENTRY = CudaEntry('extern "C" int course_entry(const int* x, int n, int* y)', "run(x, n, y)", ("x", "n", "y"))


_SPENT = Text(
    "not run: the cases of this program used up the total of {s:g} s", "未运行：此程序的用例已用完总时限 {s:g} 秒"
)
_REFUSED = Text("the compiler refuses the program: {words}", "编译器不接受此程序：{words}")


def _prepare_quietly() -> None:
    """What goes wrong here is told when a program is opened."""
    with contextlib.suppress(EnvironmentProblem):
        builder.prepare()


class EmulatorExecutor:
    """Executor of CUDA lessons on any machine with g++."""

    name: Literal["cuda-emulator"] = "cuda-emulator"
    tier: Literal["emulated"] = "emulated"

    def __init__(self) -> None:
        self._canary_passed = False

    def availability(self) -> Text | None:
        """None when usable, else what is missing and how to get it."""
        return builder.availability()

    def prestart(self) -> None:
        """Build the header and the runtime where this machine has not got them yet, beside what the parent does."""
        if self.availability() is None:
            threading.Thread(target=_prepare_quietly, daemon=True).start()

    def facts(self) -> Facts:
        return machine_facts()

    def close(self) -> None:
        """Sessions end their own children."""

    def open(self, program: base.Program) -> Session:
        """Compile; raises CompileProblem (the learner's) or EnvironmentProblem (unsupported by the emulator, toolchain; exit 3)."""
        missing = self.availability()
        if missing is not None:
            raise EnvironmentProblem(missing)
        entry = program.entry
        if not isinstance(entry, CudaEntry):
            raise TypeError("the emulator needs a CudaEntry")
        self.canary()
        try:
            made = builder.build(rewrite(program.source, program.filename), program.filename, glue(entry))
        except CompileProblem as problem:
            words = problem.findings[0].text if problem.findings else same(str(problem))
            raise base.CompileProblem(_REFUSED.fill(words=words), problem.findings) from None
        return Session(made, entry)

    def canary(self) -> None:
        """Run a known-good kernel first, so that a fault of ours never becomes the learner's zero."""
        if self._canary_passed:
            return
        values = np.arange(200, dtype=np.int32)
        job = Job(
            "canary",
            ("x", "n", "y"),
            {"x": HostArray.dense("int32", values)},
            {"y": HostArray.dense("int32", np.array([-1]))},
            {"n": 200},
        )
        try:
            program = builder.build(rewrite(_CANARY, "canary.cu"), "canary.cu", glue(_CANARY_ENTRY))
            with Session(program, _CANARY_ENTRY) as session:
                seen = session.run(job, 20.0)
        except CompileProblem as problem:
            raise EnvironmentProblem(
                Text(
                    f"g++ cannot compile the emulator's own test: {problem}", f"g++ 无法编译模拟器的自检程序：{problem}"
                )
            ) from None
        right = seen.status == "ok" and not seen.findings and int(seen.outputs["y"].values()[0]) == int(values.sum())
        if not right and confine.give_up("the emulator's own test fails inside them"):
            try:
                self.canary()
            except EnvironmentProblem:
                confine.take_back()  # the layers were not to blame
                raise
            return
        if not right:
            raise EnvironmentProblem(
                Text(
                    "the CUDA emulator does not work on this machine: its own test failed",
                    "CUDA 模拟器在本机无法工作：自检没有通过",
                )
            )
        self._canary_passed = True


__all__ = ["CompileProblem", "CudaEntry", "EmulatorExecutor", "Finding", "Session", "Unsupported"]
