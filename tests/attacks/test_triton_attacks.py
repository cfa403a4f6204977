"""Hostile Triton programs: no pass, no leak, no harm to the next one (`attack` runs a sound one after each)."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
from attack_parts import EXPECTED, SECRET, X, triton_program

from graders import confine
from graders.executors.base import CompileProblem

ROOT = Path(__file__).resolve().parents[2]
FRAME = "b'GW01' + struct.pack('!IQ', len(h), 0) + h"
FORGED = """{'event': 'ran', 'status': 'ok', 'runs': [''], 'changed': [], 'findings': [], 'blobs': [], 'id': 2}"""

needs_landlock = pytest.mark.skipif("landlock" not in confine.usable(), reason="no Landlock here")
needs_seccomp = pytest.mark.skipif("seccomp" not in confine.usable(), reason="no seccomp here")


@pytest.mark.parametrize(
    "deed",
    [
        "print('PASS'); os._exit(0)",
        "print('PASS'); sys.exit(0)",
        "atexit.register(print, 'all cases passed'); os._exit(0)",
        "sys.stdout.write(json.dumps({'event': 'ran', 'status': 'ok'})); raise SystemExit(0)",
        "threading.Thread(target=lambda: (time.sleep(0.05), os._exit(0))).start(); time.sleep(1)",
        f"h = json.dumps({FORGED}).encode()\nfor fd in range(3, 64):\n    try: os.write(fd, {FRAME})\n    except OSError: pass",
        "class Deed:\n    def __reduce__(self): return (print, ('unpickled',))\n"
        "for fd in range(3, 64):\n    try: os.write(fd, pickle.dumps(Deed()))\n    except OSError: pass",
        "for fd in range(3, 64):\n    try: os.close(fd)\n    except OSError: pass",
        "sys._getframe(4).f_locals['channel'].send({'event': 'ran', 'status': 'ok', 'id': 2})",
    ],
)
def test_forged_verdicts(attack, deed):
    seen = attack(before=deed)
    assert seen.status in ("crash", "raised", "ok")
    assert not seen.outputs or seen.status == "ok"  # `ok` with the kernel's wrong values: `attack` has seen no pass


@pytest.mark.parametrize(
    "deed",
    [
        "np.allclose = np.array_equal = np.isclose = lambda *a, **k: True",
        "np.ndarray.__eq__ = lambda a, b: True",
        "import builtins; builtins.all = builtins.any = builtins.isinstance = lambda *a: True",
        "type(sys.modules['graders.arrays']).__getattr__ = lambda *a: None",
        "sys.modules['graders.arrays'].HostArray.values = lambda self: [2.0 * n for n in range(1, 9)]",
        "sys.modules['graders.child.tensors'].Arena.guards_intact = lambda self: True",
        "time.monotonic = time.perf_counter = time.time = lambda: 0.0",
        "json.dumps = lambda *a, **k: '{}'",
        "class Always:\n    def __eq__(self, other): return True\nsys.modules[__name__].twice = Always()",
        "gc.disable(); [o.clear() for o in gc.get_objects() if type(o) is dict and 'findings' in o]",
    ],
)
def test_tampering_with_the_workers_own_code_reaches_no_verdict(attack, deed):
    attack(after=deed)


def test_expected_values_are_not_in_the_worker(attack):
    look = """
        found = []
        for o in gc.get_objects():
            for v in gc.get_referents(o):
                if isinstance(v, np.ndarray) and v.dtype.kind == 'f' and v.size < 100:
                    found += v.astype(float).ravel().tolist()
                if isinstance(v, (float, int)) and 0.5 < v < 20:
                    found.append(float(v))
        raise ValueError(sorted(set(found)))
    """
    seen = attack(before=look)
    assert seen.raised is not None and "1.0" in seen.raised.message, seen  # the walk works: it sees the input
    seen_values = {float(word) for word in seen.raised.message.strip("[]").split(",")}
    assert {float(each) for each in X} <= seen_values
    assert not {float(each) for each in EXPECTED if each > X.max()} <= seen_values


@needs_landlock
@pytest.mark.parametrize(
    "expression",
    [
        "open({s!r}).read()",
        "os.open({s!r}, os.O_RDONLY)",
        "os.symlink({s!r}, 'here') or open('here').read()",
        "os.link({s!r}, 'here') or open('here').read()",
        "os.rename({s!r}, 'here') or open('here').read()",
        "np.fromfile({s!r}, 'u1')",
        "open('/proc/self/root' + {s!r}).read()",
        "open('../../..' + {s!r}).read()",
        "ctypes.CDLL(None).fopen({s!r}.encode(), b'r') and 1 / 0",
    ],
)
def test_no_file_of_the_graders_can_be_read(tell, secret, expression):
    told = tell(expression.replace("{s!r}", repr(str(secret))))
    assert SECRET not in told and ("PermissionError" in told or "OSError" in told or told == "ValueError: told 0"), told
    assert secret.read_text() == SECRET


@needs_landlock
@pytest.mark.parametrize("name", ["solutions", "lessons", "tests", "course_cli", ".git", ""])
def test_no_folder_of_the_course_can_be_listed_or_read(tell, name):
    place = ROOT / name
    if not place.exists():
        pytest.skip("not in this installation")
    told = tell(f"os.listdir({str(place)!r})")
    assert told.startswith("PermissionError"), told
    for path in sorted(place.rglob("grader.yaml"))[:3]:
        assert tell(f"open({str(path)!r}).read()").startswith("PermissionError")


@needs_landlock
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "~"]
)
def test_the_machines_own_files_stay_closed(tell, path):
    told = tell(f"open(os.path.expanduser({path!r})).read()" if path != "~" else f"os.listdir({str(Path.home())!r})")
    assert told.startswith(("PermissionError", "FileNotFoundError")), told


@needs_landlock
@pytest.mark.parametrize(
    "name", ["cmdline", "environ", "maps", "mem", "status", "fd", "cwd/x", "root/etc/passwd", "task"]
)
def test_the_parents_processes_cannot_be_read(tell, name):
    for pid in ("os.getppid()", str(os.getpid())):
        told = tell(f"open('/proc/%d/{name}' % {pid}, 'rb').read(99)")
        assert told.startswith(("PermissionError", "FileNotFoundError", "IsADirectoryError")), told


@needs_landlock
def test_nothing_is_written_outside_the_work_folder(tell, secret):
    folder = str(secret.parent)
    for expression in (
        f"open({folder!r} + '/result.json', 'w').write('PASS')",
        f"open({str(secret)!r}, 'w')",
        f"os.truncate({str(secret)!r}, 0)",
        f"os.chmod({str(secret)!r}, 0o777)",
        f"os.utime({str(secret)!r}, (0, 0))",
        f"os.unlink({str(secret)!r})",
        f"os.mkdir({folder!r} + '/x')",
        "open('/dev/shm/x', 'w')",
        "open('/tmp/x-of-an-attack', 'w')",
    ):
        assert tell(expression).startswith("PermissionError"), expression
    assert [each.name for each in secret.parent.iterdir()] == [secret.name] and secret.read_text() == SECRET
    assert tell("open('mine', 'w').write('x')") == "ValueError: told 1"


def test_files_that_shadow_modules_are_not_imported_by_the_next_program(attack):
    attack(
        before="""
        for name in ('torch', 'sitecustomize', 'usercustomize', 'numpy', 'triton', 'json', 'graders'):
            for place in ('.', '..', os.environ['HOME']):
                try:
                    open(f'{place}/{name}.py', 'w').write('raise SystemExit("shadowed")')
                except OSError:
                    pass
        """
    )


@needs_seccomp
@pytest.mark.parametrize(
    "expression",
    [
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socket(17, socket.SOCK_RAW)",
        "socket.create_connection(('127.0.0.1', {port}), 1)",
        "os.execv('/bin/true', ['true'])",
        "os.kill(-1, 9)",
        "os.kill(os.getppid(), 9)",
        "os.kill({pid}, 9)",
        "os.killpg({pid}, 9)",
        "os.kill(1, 9)",
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "os.sched_setaffinity(os.getppid(), [0])",
        "__import__('resource').prlimit({pid}, 0, (1, 1))",
    ],
)
def test_no_network_no_program_no_signal(tell, expression):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.01)
        told = tell(expression.replace("{port}", str(server.getsockname()[1])).replace("{pid}", str(os.getpid())))
        assert told.startswith("PermissionError"), told
        with pytest.raises(TimeoutError):
            server.accept()


@needs_seccomp
@pytest.mark.parametrize("expression", ["os.fork()", "subprocess.run(['true'])", "os.forkpty()", "os.system('true')"])
def test_no_further_process(tell, expression):
    told = tell(expression)
    assert told.startswith(("BlockingIOError", "PermissionError", "ValueError: told -1")) or told.endswith(
        ("-1", "32512")
    ), told


@needs_seccomp
def test_system_calls_that_nobody_here_needs_are_refused(tell):
    numbers = [confine.seccomp.number(name) for name in confine.seccomp.NEVER]
    known = [number for number in numbers if number is not None]
    code = f"[(n, ctypes.get_errno()) for n in {known} if (ctypes.set_errno(0), libc.syscall(n, 0, 0, 0, 0, 0, 0))[1] != -1 or ctypes.get_errno() != 1]"
    assert tell(f"(lambda libc: {code})(ctypes.CDLL(None, use_errno=True))") == "ValueError: told []"


@needs_seccomp
def test_layers_cannot_be_taken_off_again(tell):
    assert "Seccomp" not in tell("ctypes.CDLL(None).prctl(22, 0, 0, 0, 0)")
    assert tell("ctypes.CDLL(None).prctl(22, 0, 0, 0, 0)") == "ValueError: told -1"  # no other seccomp mode
    assert tell("ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)") == "ValueError: told -1"  # PDEATHSIG stays
    assert tell("ctypes.CDLL(None).prctl(38, 0, 0, 0, 0)") == "ValueError: told -1"  # no_new_privs stays
    assert tell("ctypes.CDLL(None).unshare(0x10000000)") == "ValueError: told -1"
    assert tell("os.setgroups([0])").startswith(("PermissionError", "OSError"))


def test_fork_bomb_and_survivors(attack):
    bomb = "while True:\n    try: os.fork()\n    except OSError: time.sleep(0.001)"
    started = time.monotonic()
    assert attack(before=bomb, deadline_s=1.0).status == "timeout"
    assert time.monotonic() - started < 10
    attack(before="os.fork() or (os.setsid(), os.fork() or time.sleep(600))", deadline_s=1.0)
    mark = "survivor-of-the-attack-suite"
    attack(
        before=f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', {mark!r}], start_new_session=True)"
    )
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
    assert mark not in listing


@pytest.mark.parametrize(
    ("deed", "statuses"),
    [
        ("while True: print('x' * 99999)", ("raised",)),
        ("while True: os.write(1, b'\\xff\\xfe\\x80' * 9999)", ("raised",)),
        ("os.write(2, b'\\xff\\xc0 PASS'); os._exit(0)", ("crash",)),
        ("bytearray(100 * 10**9)", ("raised",)),
        ("np.zeros(25 * 10**9, 'f4')", ("raised",)),
        ("keep = []\nwhile True: keep.append(bytearray(10**8))", ("raised", "crash", "timeout")),
        ("while True: open(str(time.time_ns()), 'wb').write(b'x' * 10**8)", ("raised",)),
        ("sys.setrecursionlimit(10**9)\ndef deep(): deep()\ndeep()", ("raised", "crash", "timeout")),
        (
            "threading.stack_size(1 << 20)\nwhile True: threading.Thread(target=time.sleep, args=(9,)).start()",
            ("raised",),
        ),
        ("while True: pass", ("timeout",)),
    ],
)
def test_resources(attack, deed, statuses):
    started = time.monotonic()
    seen = attack(before=deed, deadline_s=1.0 if "timeout" in statuses else 8.0)
    assert seen.status in statuses, seen
    assert time.monotonic() - started < 20
    for text in (seen.detail, seen.raised and seen.raised.message):
        assert len(getattr(text, "en", text) or "") < 20_000


def test_an_endless_kernel_ends_with_its_case(attack):
    program = """
        @triton.jit
        def endless(x_ptr):
            n = 0
            while n >= 0:
                n = n * 0
    """
    seen = attack(before="endless[(1,)](sys._getframe(1).f_locals['x'])", top=program, deadline_s=1.0)
    assert seen.status == "timeout", seen


def test_a_hostile_module_body_does_not_load(interpreter):
    for top in ("os._exit(0)", "raise SystemExit('PASS')", "open('/etc/passwd')"):
        with pytest.raises(CompileProblem), interpreter.open(triton_program(top=top)):
            pass
