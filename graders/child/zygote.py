"""The worker's root process: imports what is slow once, then forks one process for each program.

The zygote never runs a learner's code. It is started by `graders.executors.worker` as
`python -I -S -c BOOTSTRAP`, talks over one control socket and obeys three orders: `fork` (with three descriptors: the
new process's channel, its output file, the pipe on which its end is reported), `kill`, and the end of the socket.
It is a subreaper: whatever a program leaves behind becomes its child and is ended with the program.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from graders import confine, hidden, sandbox
from graders.child.wire import Channel

ORPHAN_CHECK_MS = 2000

ROLES = {
    "interpret": "graders.child.interpret",
    "compile": "graders.child.compile",
    "gpu": "graders.child.gpu",
    "native": "graders.child.native",
}


def main(settings_text: str) -> None:
    """Entry of the worker process; `settings_text` is the JSON written by `worker.Zygote`."""
    settings: dict[str, Any] = json.loads(settings_text)
    sandbox.prctl(sandbox.PR_SET_CHILD_SUBREAPER, 1)
    control = socket.socket(fileno=settings["control"])
    hidden.hide(*settings["hidden"])
    layers = confine.usable(
        processes=settings["role"] != "interpret"
    )  # found out in forks: cheap while this process is small
    settings["layers"] = [name for name in layers if name not in settings["without"]]
    role = importlib.import_module(ROLES[settings["role"]])
    role.preload(settings["flavour"])
    gc.collect()
    gc.freeze()
    _Zygote(control, role, settings).serve()


class _Zygote:
    def __init__(self, control: socket.socket, role: Any, settings: dict[str, Any]) -> None:
        self.control = control
        self.role = role
        self.settings = settings
        self.running: dict[int, tuple[int, int]] = {}  # number of the run -> (pid, report descriptor)
        self.wake_read, self.wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.wake_read, select.POLLIN)
        # No PDEATHSIG here: the kernel sends it when the thread that started us ends, not the process.
        while os.getppid() == self.settings["parent"]:
            for descriptor, _ in poll.poll(ORPHAN_CHECK_MS):
                if descriptor == self.wake_read:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wake_read, 4096)
                elif not self._order():
                    self._end()
            self._reap()
        self._end()

    def _order(self) -> bool:
        """Obey one order; False at the end of the control socket. Orders are one datagram each."""
        data, ancillary, _, _ = self.control.recvmsg(4096, socket.CMSG_SPACE(3 * 4))
        descriptors = array.array("i")
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(payload[: len(payload) - len(payload) % 4])
        if not data:
            return False
        order = json.loads(data)
        if order["op"] == "fork":
            self._fork(int(order["run"]), *descriptors)
        elif order["op"] == "kill" and int(order["run"]) in self.running:
            _kill(self.running[int(order["run"])][0])
        return True

    def _fork(self, number: int, channel: int, output: int, report: int) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self.running[number] = (pid, report)
            os.close(channel)
            os.close(output)
            return
        status = 70
        try:
            self._become_run(parent, number, output, report)
            serve_program(Channel(socket.socket(fileno=channel)), self.role, self.settings)
            status = 0
        except BaseException:  # the last words go to the capped output file, then this process ends
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)

    def _become_run(self, parent: int, number: int, output: int, report: int) -> None:
        """Turn a fresh fork into a separate, limited process that holds nothing of the zygote's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        sandbox.die_with_parent(parent)
        for descriptor in (self.wake_read, self.wake_write, report, *(r for _, r in self.running.values())):
            os.close(descriptor)
        self.control.close()
        with Path("/dev/null").open("rb") as null:
            os.dup2(null.fileno(), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        # A name that nobody can take beforehand: programs of one user can write into this folder.
        work = Path(tempfile.mkdtemp(prefix=f"run{number}-", dir=self.settings["work"]))
        os.chdir(work)
        os.environ.update(TMPDIR=str(work), HOME=str(work), TRITON_CACHE_DIR=str(work / "triton"))
        self.settings["work"] = str(work)
        settings = self.settings
        active = sandbox.enter_base_layer(sandbox.ResourceLimits.from_json(settings["limits"]))
        rules = confine.for_worker(settings["role"], str(work), settings["path"], settings["inputs"])
        settings["sandbox"] = active + confine.enter(rules, settings["layers"])

    def _reap(self) -> None:
        """Report processes that ended, and end what they left behind."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            for number, (run, report) in list(self.running.items()):
                if run == pid:
                    _kill(pid)  # the rest of its process group
                    del self.running[number]
                    with contextlib.suppress(OSError):
                        os.write(report, json.dumps({"status": os.waitstatus_to_exitcode(status)}).encode())
                    os.close(report)
                    for folder in Path(self.settings["work"]).glob(f"run{number}-*"):
                        shutil.rmtree(folder, ignore_errors=True)
        known = {pid for pid, _ in self.running.values()}
        for pid in sandbox.children_of(os.getpid()):
            if pid not in known:  # adopted: its own parent, a program's process, is gone
                _kill(pid)

    def _end(self) -> None:
        for pid, _ in self.running.values():
            _kill(pid)
        for _ in range(1000):  # adopted processes appear as their parents end
            left = sandbox.children_of(os.getpid())
            if not left:
                break
            for pid in left:
                _kill(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, 0)
        shutil.rmtree(self.settings["work"], ignore_errors=True)  # the parent may be gone already
        os._exit(0)


def _kill(pid: int) -> None:
    """SIGKILL to a process and to the group it leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def serve_program(channel: Channel, role: Any, settings: dict[str, Any]) -> None:
    """Life of one forked process: canary, one program, its cases."""
    runner = role.Runner(settings)
    problem = runner.canary()
    ready = {"event": "ready", "problem": problem, "facts": runner.facts(), "sandbox": settings["sandbox"]}
    channel.send({**ready, "id": 0})  # each later reply carries the number of its request
    while True:
        header, blobs = channel.receive()
        operation = header.get("op")
        if operation == "open":
            channel.send({**runner.open(header), "id": header["id"]})
        elif operation == "run":
            reply, out = runner.run(header, blobs)
            channel.send({**reply, "id": header["id"]}, out)
        else:
            return
