"""The trusted end of the workers: start, ask with a deadline, kill, start again.

A `Zygote` is a process that has done the slow imports; each `Run` is a process forked from it for one program. Only the
standard library is imported here, so that `warm()` can start a worker before the parent has loaded anything else.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from graders import confine, hidden, sandbox
from graders.child.wire import MAX_BLOBS, Channel, WireClosed, WireError, WireTimeout

Role = Literal["interpret", "compile", "gpu", "native"]
Flavour = Literal["light", "torch"]

BOOTSTRAP = (
    "import sys, json; s = json.loads(sys.argv[1]); sys.path += s['path']; "
    "from graders.child.zygote import main; main(sys.argv[1])"
)
OUTPUT_KEPT = 4000  # bytes of a program's own output kept at either end, for error details

LIMITS: dict[tuple[Role, Flavour], sandbox.ResourceLimits] = {
    ("interpret", "light"): sandbox.ResourceLimits(address_space=3 * sandbox.GIB, processes=0),
    ("interpret", "torch"): sandbox.ResourceLimits(address_space=8 * sandbox.GIB, processes=0),
    ("compile", "light"): sandbox.ResourceLimits(address_space=8 * sandbox.GIB),
    # CUDA reserves address space for all of the device's memory: 16 GiB is too little for cuInit to succeed.
    ("gpu", "torch"): sandbox.ResourceLimits(
        address_space=None, file_size=2 * sandbox.GIB, cpu_seconds=900, open_files=4096
    ),
    ("native", "light"): sandbox.ResourceLimits(
        address_space=None, file_size=64 * sandbox.MIB, cpu_seconds=900, open_files=4096
    ),
}
ENVIRONMENT: dict[Role, dict[str, str]] = {
    "interpret": {"TRITON_INTERPRET": "1"},
    "compile": {},
    "gpu": {},
    "native": {},
}
# Further files that a role's processes read: the libraries that `nvcc` made.
INPUTS: dict[Role, list[Path]] = {}


class RunEnded(Exception):
    """The process is gone. `status` is its exit status (negative: a signal), None when it is not known."""

    def __init__(self, status: int | None, before: bool = False, said: str = "") -> None:
        super().__init__(f"worker process ended with status {status}")
        self.status = status
        self.said = said  # what the zygote printed before it ended, where that explains it
        self.before = before  # it was gone before anything was asked: the request is not to blame


class RunLate(Exception):
    """The deadline passed; the process has been killed."""


class RunBroken(Exception):
    """The process broke the protocol; it has been killed."""


class Zygote:
    """One worker root process and its private folder."""

    def __init__(self, role: Role, flavour: Flavour) -> None:
        self.role = role
        self.flavour = flavour
        self.work = tempfile.mkdtemp(prefix="course-worker-")
        self._lock = threading.Lock()
        self._count = 0
        self.open_runs = 0
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self.log = _output_file()
        settings = {
            "role": role,
            "flavour": flavour,
            "parent": os.getpid(),
            "control": theirs.fileno(),
            "work": self.work,
            "limits": LIMITS[role, flavour].as_json(),
            "path": module_path(),
            "inputs": [str(place) for place in INPUTS.get(role, ())],
            "hidden": hidden.places(),
            "without": list(confine.LAYERS) if confine.given_up() else [],
        }
        command = [sys.executable, "-I", "-S", "-c", BOOTSTRAP, json.dumps(settings)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=sandbox.minimal_environment(self.work, ENVIRONMENT[role]),
            pass_fds=(theirs.fileno(),),
            cwd=self.work,
            start_new_session=True,
        )
        theirs.close()
        _open_zygotes.add(self)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fork(self) -> Run:
        """A new process for one program; returns at once. Raises RunEnded when the zygote is gone."""
        ours, theirs = socket.socketpair()
        output = _output_file()
        read, write = os.pipe2(os.O_CLOEXEC)
        with self._lock:
            self._count += 1
            number = self._count
            try:
                order = json.dumps({"op": "fork", "run": number}).encode()
                socket.send_fds(self._control, [order], [theirs.fileno(), output, write])
            except OSError:
                os.close(read)
                os.close(output)
                ours.close()
                raise RunEnded(self._process.poll(), said=self.words()) from None
            finally:
                theirs.close()
                os.close(write)
            self.open_runs += 1
        return Run(self, number, Channel(ours), output, read)

    def kill_run(self, number: int) -> None:
        """Ask for the end of one process; no harm where it or the zygote is gone."""
        with self._lock, contextlib.suppress(OSError):
            self._control.send(json.dumps({"op": "kill", "run": number}).encode())

    def forget_run(self) -> None:
        with self._lock:
            self.open_runs -= 1

    def words(self) -> str:
        """What the zygote itself printed: import errors and the like."""
        return _read_ends(self.log)

    def close(self) -> None:
        """End the zygote and everything below it, remove its folder."""
        if self not in _open_zygotes:
            return
        _open_zygotes.discard(self)
        with self._lock:
            self._control.close()  # it kills its runs and ends
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self.log)
        shutil.rmtree(self.work, ignore_errors=True)


class Run:
    """One forked process: requests and replies, each with a deadline."""

    def __init__(self, zygote: Zygote, number: int, channel: Channel, output: int, report: int) -> None:
        self.zygote = zygote
        self.number = number
        self._channel = channel
        self._output = output
        self._report = report
        self._request = 0

    def request(
        self,
        header: dict[str, Any] | None,
        blobs: Sequence[bytes | memoryview] = (),
        seconds: float = 10.0,
        max_reply: int = MAX_BLOBS,
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Send (if there is something to send) and wait for one reply; raises RunEnded, RunLate, RunBroken."""
        deadline = time.monotonic() + seconds
        try:
            if header is not None:
                if self._channel.pending():  # nothing was asked yet: a forked copy or a thread talks as well
                    self._refuse_unasked()
                self._request += 1
                self._channel.send({**header, "id": self._request}, blobs, deadline)
            self._await_reply(deadline)
            reply, out = self._channel.receive(deadline, max_reply)
            if reply.pop("id", None) != self._request:
                raise WireError("the reply belongs to no request")
            return reply, out
        except WireTimeout:
            self.kill()
            raise RunLate from None
        except WireClosed:
            status = self._end_status()
            raise RunEnded(status, before=not self.zygote.alive) from None
        except WireError as error:
            self.kill()
            raise RunBroken(str(error)) from None

    def _refuse_unasked(self) -> None:
        """Something can be read although nothing was asked: the end of the process, or words that nobody wants."""
        try:
            self._channel.receive(time.monotonic() + 1.0, 0)
        except WireClosed:
            raise RunEnded(self._end_status(), before=True) from None
        except WireTimeout:
            pass
        raise WireError("unasked words before the request")

    def _await_reply(self, deadline: float) -> None:
        """Wait for the channel, or for the news that the process ended (a survivor may hold the channel open)."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(self._report, select.POLLIN)
        left = (deadline - time.monotonic()) * 1000
        ready = {descriptor for descriptor, _ in poll.poll(max(left, 0))}
        if not ready:
            raise WireTimeout
        if self._channel.fileno() not in ready:
            raise RunEnded(self._end_status(), before=not self.zygote.alive)

    def _end_status(self) -> int | None:
        """Exit status from the zygote's report; kills the process if it is still there."""
        self.zygote.kill_run(self.number)
        poll = select.poll()
        poll.register(self._report, select.POLLIN)
        if not poll.poll(2000):
            return None
        try:
            status = json.loads(os.read(self._report, 200))["status"]
        except (ValueError, KeyError, OSError):
            return None
        return status if isinstance(status, int) else None

    def kill(self) -> None:
        self.zygote.kill_run(self.number)

    @property
    def closed(self) -> bool:
        return self._output < 0

    def words(self) -> str:
        """The first and last bytes of what the process printed. They prove nothing; they only help to explain."""
        return _read_ends(self._output)

    def close(self) -> None:
        """Kill the process and give back the descriptors; may be called twice."""
        if self._output < 0:
            return
        self.kill()
        self.zygote.forget_run()
        self._channel.close()
        os.close(self._output)
        os.close(self._report)
        self._output = self._report = -1


_open_zygotes: set[Zygote] = set()
_pool = threading.RLock()  # guards _warm
_warm: dict[tuple[Role, Flavour], tuple[Zygote, list[Run]]] = {}


def warm(role: Role, flavour: Flavour = "light", runs: int = 2) -> None:
    """Start a zygote and fork `runs` processes that wait for a program (imports done, canary run). Returns at once."""
    with _pool:
        if (role, flavour) not in _warm:
            zygote = Zygote(role, flavour)
            ready: list[Run] = []
            _warm[role, flavour] = (zygote, ready)
            with contextlib.suppress(RunEnded):  # whoever takes a process will see it
                for _ in range(runs):
                    ready.append(zygote.fork())


def take(role: Role, flavour: Flavour, runs: int) -> list[Run]:
    """Processes for one program: warm ones where there are any, else new ones. Raises RunEnded where none will start."""
    with _pool:
        return _take(role, flavour, runs)


def _take(role: Role, flavour: Flavour, runs: int) -> list[Run]:
    for attempt in (1, 2, 3):
        taken: list[Run] = []
        try:
            zygote, ready = _warm.get((role, flavour), (None, []))
            if zygote is None or not zygote.alive:
                discard(role, flavour)
                warm(role, flavour, runs)
                zygote, ready = _warm[role, flavour]
            taken += [ready.pop(0) for _ in range(min(runs, len(ready)))]
            while len(taken) < runs:
                taken.append(zygote.fork())
            return taken
        except RunEnded:  # the zygote ended a moment ago (a program killed it), or never came up
            for run in taken:
                run.close()
            discard(role, flavour)
            if attempt == 3:
                raise
    raise AssertionError("unreachable")


def discard(role: Role, flavour: Flavour) -> None:
    """Forget a zygote that is gone, with the processes that waited in it."""
    zygote, ready = _warm.pop((role, flavour), (None, []))
    for run in ready:
        run.close()
    if zygote is not None:
        zygote.close()


def distrust(zygote: Zygote) -> None:
    """Take no further processes from this zygote: one that it forked did not come up."""
    with _pool:
        for key, (warm_one, _) in list(_warm.items()):
            if warm_one is zygote:
                discard(*key)


def close_warm(role: Role) -> None:
    """End the warm workers of one role, except where a session still uses one (it then ends with this process)."""
    with _pool:
        for key in [key for key in _warm if key[0] == role]:
            zygote, ready = _warm[key]
            if zygote.open_runs == len(ready):
                discard(*key)


@atexit.register
def _close_all() -> None:
    _warm.clear()
    for zygote in list(_open_zygotes):
        zygote.close()


def module_path() -> list[str]:
    """sys.path of a worker: the installed packages and the folder that holds `graders`, never the current folder."""
    root = str(Path(__file__).resolve().parents[2])
    here = os.path.realpath(Path.cwd())
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    kept = []
    for entry in sys.path:
        if not entry or not Path(entry).is_absolute() or entry in standard or entry.endswith("lib-dynload"):
            continue
        if os.path.realpath(entry) in (here, root) or not Path(entry).is_dir():
            continue
        kept.append(entry)
    return [*kept, root]


def installed(module: str) -> bool:
    """Whether a top-level module can be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _output_file() -> int:
    """A file without a name: a program can write to it, but cannot swap it for another."""
    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())


def _read_ends(descriptor: int) -> str:
    if descriptor < 0:
        return ""
    size = os.fstat(descriptor).st_size
    data = os.pread(descriptor, OUTPUT_KEPT, 0)
    if size > 2 * OUTPUT_KEPT:
        data += b"\n...\n"
    if size > OUTPUT_KEPT:
        data += os.pread(descriptor, OUTPUT_KEPT, max(OUTPUT_KEPT, size - OUTPUT_KEPT))
    return data.decode("utf-8", "replace")
