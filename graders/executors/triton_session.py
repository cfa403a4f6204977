"""One Triton program in workers: opening, cases on several processes, restarts, caps."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from graders import confine
from graders.errors import EnvironmentProblem
from graders.executors import triton_findings as words
from graders.executors import worker
from graders.executors.base import CompileProblem, Facts, Limits, Program, SessionBase, TritonEntry
from graders.observation import Finding, Job, Observation
from graders.text import Text

START_S = 90.0  # imports and canary of a worker on a slow disk
OPEN_S = 20.0  # loading the program's file
SPARE_REPLY = 1 << 16
MOST_RUNS = 6  # executions of one case with its variants

_NO_START = Text(
    "the worker for Triton did not start on this machine ({what}). Check the installation: course doctor",
    "本机的 Triton 工作进程未能启动（{what}）。请检查安装：course doctor",
)
_CANARY = Text(
    "the check of this machine's Triton failed before the program ran: {what}. The program was not judged",
    "在运行程序之前，本机 Triton 的自检失败：{what}。程序未被评判",
)
_NEEDS_TORCH = Text(
    "this program uses {what}, so it needs PyTorch, which is not installed: pip install torch",
    "此程序用到 {what}，因此需要 PyTorch，但尚未安装：pip install torch",
)
_NOT_LOADED = Text("the program does not load: {type}: {message}", "程序无法载入：{type}：{message}")
_LATE = Text("the case did not end within {seconds:g} s and was stopped", "用例未在 {seconds:g} 秒内结束，已被终止")
_SPENT = Text(
    "not run: the cases of this program used up the total of {seconds:g} s",
    "未运行：此程序的用例已用完总时限 {seconds:g} 秒",
)
_NO_RESTARTS = Text(
    "not run: the program ended or hung its process {count} times, no further process is started",
    "未运行：程序已 {count} 次使进程结束或挂起，不再启动新进程",
)
_BREACH = Text(
    "the process broke the protocol ({what}) and was stopped; no output is taken from it",
    "进程违反协议（{what}），已被终止；不采用它的任何输出",
)

_torch_needed: set[tuple[str, str]] = set()  # (file name, function) of templates that need the real torch


class TritonSession(SessionBase):
    """A session of the roles `interpret` and `gpu`."""

    def __init__(
        self, role: worker.Role, flavour: worker.Flavour, program: Program, limits: Limits, processes: int
    ) -> None:
        self.role: worker.Role = role
        self.program = program
        self.order = self.open_order()
        self.limits = limits
        self.flavour: worker.Flavour = flavour
        if self._template in _torch_needed:
            self.flavour = "torch"
        self._lock = threading.Lock()
        self._spent = 0.0
        self._restarts = 0
        self._stop = False
        self._facts: Facts | None = None
        self._lanes = [_Lane(self, run) for run in _taken(role, self.flavour, processes)]
        try:
            self._lanes[0].open()
        except BaseException:
            self.close()
            raise

    @property
    def _template(self) -> tuple[str, str]:
        return self.program.filename, str(self.order.get("function", ""))

    def open_order(self) -> dict[str, Any]:
        """What a worker is told to load: the source and the host function."""
        entry = self.program.entry
        if not isinstance(entry, TritonEntry):
            raise TypeError("a Triton executor needs a TritonEntry")
        return {
            "op": "open",
            "source": self.program.source,
            "filename": self.program.filename,
            "function": entry.function,
        }

    def facts(self) -> Facts:
        assert self._facts is not None
        return self._facts

    def run(self, job: Job, deadline_s: float) -> Observation:
        return self._lanes[0].observe(job, deadline_s)

    def run_all(self, jobs: Sequence[Job], deadline_s: float) -> Iterator[Observation]:
        """Cases on all processes side by side; yields in the order of `jobs`."""
        if len(self._lanes) == 1 or len(jobs) < 2:
            yield from super().run_all(jobs, deadline_s)
            return
        done: dict[int, Observation | BaseException] = {}
        news = threading.Condition()
        todo = iter(range(len(jobs)))

        def work(lane: _Lane) -> None:
            while not self._stop:
                with news:
                    index = next(todo, None)
                if index is None:
                    return
                result: Observation | BaseException
                try:
                    result = lane.observe(jobs[index], deadline_s)
                except BaseException as error:  # raised again in the caller's thread
                    result = error
                with news:
                    done[index] = result
                    news.notify_all()

        threads = [threading.Thread(target=work, args=(lane,), daemon=True) for lane in self._lanes]
        for thread in threads:
            thread.start()
        try:
            for index in range(len(jobs)):
                with news:
                    news.wait_for(lambda index=index: index in done)  # type: ignore[misc]
                result = done[index]
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            if len(done) < len(jobs):  # the caller stopped early
                self._stop = True
                for lane in self._lanes:
                    lane.run.kill()
            for thread in threads:
                thread.join(timeout=10)

    def close(self) -> None:
        """End this program's processes and let the worker prepare the next ones."""
        self._stop = True
        for lane in self._lanes:
            lane.run.close()

    # --- for the lanes --------------------------------------------------------------------------------------------

    def may_restart(self) -> bool:
        with self._lock:
            if self._restarts >= self.limits.restarts:
                return False
            self._restarts += 1
            return True

    def left(self) -> float:
        """Seconds that are left of the session's total."""
        return self.limits.total_s - self._spent

    def spend(self, seconds: float) -> None:
        with self._lock:
            self._spent += seconds

    def need_torch(self, what: str) -> None:
        """From now on this template runs with the real torch."""
        if not worker.installed("torch"):
            raise EnvironmentProblem(_NEEDS_TORCH.fill(what=what[:200]))
        _torch_needed.add(self._template)
        self.flavour = "torch"

    def note_facts(self, reply: dict[str, Any]) -> None:
        facts = reply["facts"]
        confine.check_strict([str(each) for each in reply["sandbox"]])
        self._facts = Facts(
            str(facts["device"]),
            {str(key): str(value) for key, value in facts["toolchain"].items()},
            tuple(str(each) for each in reply["sandbox"]),
        )


def _taken(role: worker.Role, flavour: worker.Flavour, runs: int) -> list[worker.Run]:
    """Processes for a session; where none will start it is the machine's fault, and its words say why."""
    try:
        return worker.take(role, flavour, runs)
    except worker.RunEnded as end:
        said = (end.said.strip() or str(end)).splitlines()
        raise EnvironmentProblem(_NO_START.fill(what=said[-1])) from None


class _Lane:
    """One process at a time for one session."""

    def __init__(self, session: TritonSession, run: worker.Run) -> None:
        self.session = session
        self.run = run
        self.flavour = session.flavour
        self.opened = False

    def open(self, again: bool = True) -> None:
        """Wait for the process, check its canary, load the program into it."""
        session = self.session
        if self.flavour != session.flavour:
            self._replace()
        try:
            ready, _ = self.run.request(None, seconds=START_S)
            if ready["problem"]:
                if self._without_layers(str(ready["problem"])):
                    return
                raise EnvironmentProblem(_CANARY.fill(what=str(ready["problem"])))
            session.note_facts(ready)
        except worker.RunEnded as end:
            if not again:
                if self._without_layers(self._last_words(end)):
                    return
                raise self._no_start(end) from None
            worker.distrust(self.run.zygote)  # killed or spoilt, perhaps by the program before this one
            self._replace()
            self.open(again=False)
            return
        except (worker.RunLate, worker.RunBroken, KeyError, TypeError) as error:
            raise self._no_start(error) from None
        try:
            reply, _ = self.run.request(session.order, seconds=OPEN_S)
        except (worker.RunEnded, worker.RunLate, worker.RunBroken) as error:
            text = _NOT_LOADED.fill(type=type(error).__name__, message=self.run.words()[-500:])
            raise CompileProblem(text, [Finding("compile-error", text)]) from None
        if reply.get("event") == "needs-torch":
            session.need_torch(str(reply.get("what", "torch")))
            self.open()
            return
        if reply.get("event") == "sick":  # the native worker's canary runs once a library is named
            raise EnvironmentProblem(_CANARY.fill(what=str(reply.get("message"))[:500]))
        if reply.get("event") != "opened":
            text = _NOT_LOADED.fill(type=str(reply.get("type"))[:200], message=str(reply.get("message"))[:2000])
            line, column = (n if isinstance(n, int) else 0 for n in (reply.get("line"), reply.get("column")))
            raise CompileProblem(text, [Finding("compile-error", text, line=line, column=column)])
        if "facts" in reply:  # and only then does it know its device
            session.note_facts({**ready, **reply})
        self.opened = True

    def _without_layers(self, reason: str) -> bool:
        """Our own kernel fails inside the further layers: once a process, try without them. Never in strict mode."""
        if not confine.give_up(reason):
            return False
        worker.distrust(self.run.zygote)
        self._replace()
        try:
            self.open(again=False)
        except EnvironmentProblem:
            confine.take_back()  # the layers were not to blame
            raise
        return True

    def _no_start(self, error: Exception) -> EnvironmentProblem:
        return EnvironmentProblem(_NO_START.fill(what=self._last_words(error)))

    def _last_words(self, error: Exception) -> str:
        said = (self.run.words().strip() or self.run.zygote.words().strip() or str(error)).splitlines()
        return said[-1] if said else type(error).__name__

    def _replace(self) -> None:
        """Another process in place of this one."""
        self.run.close()
        self.flavour = self.session.flavour
        self.run = _taken(self.session.role, self.flavour, 1)[0]
        self.opened = False

    def observe(self, job: Job, deadline_s: float, again: bool = True) -> Observation:
        """Run one case; a case that costs the process gets its own verdict and nothing else."""
        session = self.session
        seconds = min(deadline_s, session.left())
        if seconds <= 0:
            return Observation("timeout", detail=_SPENT.fill(seconds=session.limits.total_s))
        if not self.opened:
            if self.run.closed and not self._revive():
                return Observation("crash", detail=_NO_RESTARTS.fill(count=session.limits.restarts + 1))
            self.open()
        started = time.monotonic()
        try:
            return self._ask(job, seconds, started)
        except worker.RunLate:
            late = words.with_words(_LATE.fill(seconds=seconds), self._said())
            return self._lost(Observation("timeout", detail=late))
        except worker.RunEnded as end:
            lost = self._lost(Observation("crash", detail=words.ended(end.status, self._said())))
            if not end.before or not again:
                return lost
        except (worker.RunBroken, words.Malformed) as error:
            return self._lost(Observation("crash", detail=_BREACH.fill(what=str(error)[:200])))
        finally:
            session.spend(time.monotonic() - started)
        return self.observe(job, deadline_s, again=False)  # the process had been lost before this case began

    def _said(self) -> str:
        return self.run.words()

    def _lost(self, observation: Observation) -> Observation:
        self.run.close()
        self.opened = False
        return observation

    def _revive(self) -> bool:
        if not self.session.may_restart():
            return False
        self._replace()
        return True

    def _ask(self, job: Job, seconds: float, started: float) -> Observation:
        arrays = {**job.inputs, **job.outputs}
        order = {
            "op": "run",
            "case": job.case,
            "arguments": list(job.arguments),
            "arrays": {name: array.header() for name, array in arrays.items()},
            "outputs": list(job.outputs),
            "scalars": job.scalars,
        }
        size = sum(array.storage.nbytes for array in job.outputs.values())
        blobs = [array.storage.tobytes() for array in arrays.values()]
        reply, out = self.run.request(order, blobs, seconds, MOST_RUNS * size + SPARE_REPLY)
        if reply.get("event") == "needs-torch":
            self.session.need_torch(str(reply.get("what", "torch")))
            self.open()
            return self._ask(job, seconds, started)
        if reply.get("event") != "ran":
            raise words.Malformed("unexpected reply")
        seen = words.observation(job, reply, out, time.monotonic() - started)
        if reply.get("fatal") is True:  # the device context is lost with this process; the next case gets another
            self.run.close()
            self.opened = False
        return seen
