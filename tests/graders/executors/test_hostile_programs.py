"""A program that attacks its worker costs the case in which it does so, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from graders.executors import worker
from graders.executors.base import Limits
from graders.executors.triton_interpreter import TritonInterpreter
from graders.observation import Observation


@pytest.fixture
def jobs(job):
    def make(*deeds: int):
        x = np.arange(5.0)
        return [job(f"{n}", {"x": x}, {"out": ("fp32", (5,))}, what=deed) for n, deed in enumerate(deeds)]

    return make


@pytest.fixture
def three(interpreter, program, jobs):
    """Observations of a sound case, the attack, and a sound case after it, on one process."""

    def run(deed: str, deadline_s: float = 5.0) -> list[Observation]:
        made = jobs(0, 1, 0)
        # the case's argument order is that of the entry: x, out, what
        with interpreter.open(program("hostile", deed)) as session:
            return [session.run(each, deadline_s) for each in made]

    return run


def sound(seen: Observation) -> bool:
    return seen.status == "ok" and not seen.findings and bool((seen.outputs["out"].values() == 2 * np.arange(5)).all())


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("os._exit(0)", "exit status 0"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("ctypes.string_at(0)", "SIGSEGV"),
        ("os.abort()", "SIGABRT"),
        ("os.closerange(3, 200)", ""),
        ("[os.write(fd, b'PASS' * 99) for fd in range(3, 40) if os.path.exists(f'/proc/self/fd/{fd}')]", "protocol"),
        ("sys._getframe(3).f_locals['channel'].send({'event': 'ran', 'id': 99})", "protocol"),
        ("sys._getframe(3).f_locals['channel'].send({'event': 'ran'}, [b'1' * 10**7])", "protocol"),
    ],
)
def test_a_process_that_ends_or_lies_costs_one_case(three, deed, words):
    before, attack, after = three(deed)
    assert sound(before) and sound(after), (before, after)
    assert attack.status == "crash" and attack.detail is not None and not attack.outputs
    assert words in attack.detail.en


@pytest.mark.parametrize("deed", ["while True: pass", "time.sleep(60)", "os.kill(os.getpid(), 19)"])
def test_a_hang_costs_one_case_and_the_deadline(three, deed):
    started = time.monotonic()
    before, attack, after = three(deed, deadline_s=1.0)
    assert sound(before) and sound(after)
    assert attack.status == "timeout" and attack.detail is not None and "1 s" in attack.detail.en
    assert time.monotonic() - started < 15.0


@pytest.mark.parametrize(
    ("deed", "type_"),
    [
        ("sys.exit(0)", "SystemExit"),
        ("bytearray(10**11)", "MemoryError"),
        ("[print('PASS' * 5000) for _ in range(10**6)]", "OSError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise type('E', (Exception,), {'__str__': lambda s: 1 / 0})", "E"),
    ],
)
def test_what_the_host_function_raises_is_reported(three, deed, type_):
    before, attack, after = three(deed, deadline_s=20.0)
    assert sound(before) and sound(after)
    assert attack.status == "raised" and attack.raised is not None and attack.raised.type == type_


def test_a_forked_copy_cannot_answer_for_the_next_case(three):
    # The copy goes on like the original and answers too; its answer must not be taken for the next case's.
    before, attack, after = three("os.fork()")
    assert sound(before)
    assert not after.outputs or sound(after)
    assert {attack.status, after.status} <= {"ok", "crash", "raised"}


def test_survivors_are_ended_with_the_program(interpreter, program, jobs, tmp_path):
    mark = tmp_path / "pid"
    mark.touch()
    mark.chmod(0o666)
    tmp_path.chmod(0o755)
    deed = (
        f"os.fork() or (os.setsid(), os.fork() and os._exit(0), "
        f"open({str(mark)!r}, 'w').write(str(os.getpid())), os.closerange(0, 200), time.sleep(600))"
    )
    with interpreter.open(program("hostile", deed)) as session:
        seen = session.run(jobs(1)[0], 3.0)
        if seen.status == "raised":  # not root: the limit lets it start no process at all
            assert seen.raised is not None and seen.raised.type == "BlockingIOError"
            return
        for _ in range(50):
            text = mark.read_text()
            if text:
                break
            time.sleep(0.1)
    assert text
    for _ in range(50):
        if not _alive(int(text)):
            return
        time.sleep(0.1)
    raise AssertionError("a process outlived its program")


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_nothing_of_the_parents_environment_or_files_is_inherited(three, monkeypatch):
    monkeypatch.setenv("COURSE_SECRET", "expected values")
    _, seen, _ = three("raise ValueError(repr(sorted(os.environ)) + repr(os.listdir('/proc/self/fd')))")
    assert seen.raised is not None and "COURSE_SECRET" not in seen.raised.message
    assert len(seen.raised.message.rsplit("[", 1)[1].split(",")) <= 8


def test_restarts_are_capped(program, jobs):
    executor = TritonInterpreter(Limits(total_s=60.0, restarts=2), processes=1)
    try:
        with executor.open(program("hostile", "os._exit(3)")) as session:
            seen = list(session.run_all(jobs(1, 1, 1, 1, 1), 5.0))
    finally:
        executor.close()
    assert [each.status for each in seen] == ["crash"] * 5
    assert "exit status 3" in seen[2].detail.en and "not run" in seen[3].detail.en


def test_total_time_is_capped(program, jobs):
    executor = TritonInterpreter(Limits(total_s=1.5, restarts=9), processes=1)
    try:
        with executor.open(program("hostile", "time.sleep(60)")) as session:
            seen = list(session.run_all(jobs(1, 1, 1, 0), 1.0))
    finally:
        executor.close()
    assert [each.status for each in seen] == ["timeout"] * 4
    assert "not run" in seen[3].detail.en


def test_the_workers_root_process_may_be_killed(three):
    before, attack, after = three("os.kill(os.getppid(), 9)")
    assert sound(before) and sound(after), after
    assert attack.status in ("crash", "raised", "ok")


@pytest.mark.parametrize(
    "deed",
    [
        "os.chmod(os.path.dirname(os.getcwd()), 0)",
        "__import__('shutil').rmtree(os.path.dirname(os.getcwd()))",
        "[os.mkdir(f'../run{n}') for n in range(1, 500) if not os.path.exists(f'../run{n}')]",
    ],
)
def test_a_spoilt_work_folder_is_no_harm_to_the_next_program(interpreter, program, jobs, deed):
    with interpreter.open(program("hostile", deed)) as session:
        session.run(jobs(1)[0], 5.0)
    with interpreter.open(program("hostile", "pass")) as session:
        assert [sound(seen) for seen in session.run_all(jobs(0, 1, 0), 5.0)] == [True] * 3


def test_closing_leaves_no_process_and_no_folder(program, jobs):
    executor = TritonInterpreter(processes=1)
    with executor.open(program("hostile", "pass")) as session:
        assert sound(session.run(jobs(1)[0], 5.0))
        zygote = session._lanes[0].run.zygote
    pid, work = zygote._process.pid, zygote.work
    executor.close()
    assert not _alive(pid) and not Path(work).exists()
    assert zygote not in worker._open_zygotes


def test_a_worker_outlives_the_thread_that_started_it(program, jobs):
    executor = TritonInterpreter(processes=1)
    starter = threading.Thread(target=executor.prestart)
    starter.start()
    starter.join()
    try:
        for _ in range(2):
            with executor.open(program("hostile", "pass")) as session:
                assert sound(session.run(jobs(1)[0], 5.0))
                zygote = session._lanes[0].run.zygote
                assert zygote.alive
    finally:
        executor.close()


def test_closing_one_executor_leaves_the_sessions_of_another_alone(program, jobs):
    one, other = TritonInterpreter(processes=1), TritonInterpreter(processes=1)
    try:
        with one.open(program("hostile", "pass")) as session:
            other.close()
            assert sound(session.run(jobs(1)[0], 5.0))
    finally:
        one.close()
    assert not worker._open_zygotes


def test_nothing_survives_a_parent_that_is_killed(tmp_path):
    code = (
        "import os, signal\n"
        "from graders.executors import worker\n"
        "worker.warm('interpret')\n"
        "run = worker.take('interpret', 'light', 1)[0]\n"
        "run.request(None, seconds=60)\n"
        "print(run.zygote._process.pid, run.zygote.work, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=False)
    pid, work = done.stdout.split()
    for _ in range(50):
        if not _alive(int(pid)):
            assert not Path(work).exists()
            return
        time.sleep(0.1)
    raise AssertionError("the worker outlived its parent")
