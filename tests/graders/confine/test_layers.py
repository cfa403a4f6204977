"""The layers themselves: what they refuse, what happens where one is missing or harms a known-good program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from graders import confine, hidden
from graders.arrays import HostArray
from graders.confine import landlock, probe, profiles, seccomp
from graders.emulator import build
from graders.emulator.program import emulate_program
from graders.errors import EnvironmentProblem
from graders.executors import worker
from graders.executors.base import Program, TritonEntry
from graders.executors.triton_compile import TritonCompile
from graders.observation import Job

ROOT = Path(__file__).resolve().parents[3]
needs_landlock = pytest.mark.skipif("landlock" not in confine.usable(), reason="no Landlock here")
needs_all = pytest.mark.skipif(
    set(confine.usable()) < {"landlock", "namespaces", "seccomp"}, reason="not every layer works here"
)


@pytest.fixture
def fresh() -> Iterator[None]:
    """State of this process as it was, and no warm worker that was started under another one."""
    kept = set(hidden._places)
    worker.close_warm("compile")
    yield
    confine.require_strict(False)
    confine.take_back()
    hidden._places.clear()
    hidden._places.update(kept)
    worker.close_warm("compile")


def test_a_folder_with_hidden_ones_is_replaced_by_its_other_entries(tmp_path):
    for name in ("a/keys/deep", "a/open", "a/b/keys2", "a/b/open2", "c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a/link").symlink_to(tmp_path / "a/keys")
    carved = landlock.carve(
        [str(tmp_path / "a"), str(tmp_path / "c")], [str(tmp_path / "a/keys"), str(tmp_path / "a/b/keys2")]
    )
    assert sorted(carved) == [str(tmp_path / name) for name in ("a/b/open2", "a/open", "c")]
    assert landlock.carve([str(tmp_path / "a/keys/deep")], [str(tmp_path / "a/keys")]) == []
    assert landlock.carve([str(tmp_path / "c")], [str(tmp_path / "a")]) == [str(tmp_path / "c")]


def test_the_answer_key_is_in_no_profile(fresh, tmp_path):
    hidden.hide(tmp_path / "keys")
    (tmp_path / "keys").mkdir()
    made = [
        profiles.for_worker("gpu", "/work-folder", [*worker.module_path(), str(tmp_path)]),
        profiles.for_compiler([sys.executable, f"-I{tmp_path}"], "/work-folder"),
        profiles.for_program(sys.executable, "/work-folder"),
    ]
    for confinement in made:
        readable = [path for path, rights in confinement.files if rights & landlock.READ_FILE]
        for secret in (ROOT / "solutions", ROOT / "lessons", ROOT / "course_cli", tmp_path / "keys", Path.home()):
            ancestors = {str(secret), *map(str, secret.parents)}
            assert not ancestors & set(readable), secret


def test_the_filter_is_short_and_refused_where_the_architecture_is_unknown(monkeypatch):
    assert len(seccomp.build(seccomp.Rules("none", False, False, False, 1))) // 8 < 4096
    monkeypatch.setattr(seccomp, "MACHINE", "riscv64")
    with pytest.raises(OSError, match="riscv64"):
        seccomp.build(seccomp.Rules())


def test_a_probe_says_why_and_ends(monkeypatch):
    def dies() -> str:
        os._exit(3)

    def fails() -> str:
        raise OSError(1, "not on this machine")

    monkeypatch.setattr(probe, "CHECKS", {"landlock": fails, "seccomp": dies, "namespaces": lambda: ""})
    found = probe.by_forks(["landlock", "seccomp", "namespaces"])
    assert "not on this machine" in found["landlock"] and found["seccomp"] and found["namespaces"] == ""


@pytest.mark.parametrize(
    ("active", "missing"),
    [
        (("landlock", "seccomp"), ()),
        (("namespaces", "seccomp"), ()),
        (("landlock", "namespaces"), ("seccomp",)),
        (("seccomp",), ("landlock", "namespaces")),
        ((), ("landlock", "namespaces", "seccomp")),
    ],
)
def test_what_strict_misses(fresh, active, missing):
    assert confine.missing_for_strict(active) == missing
    confine.check_strict(active)
    confine.require_strict()
    if missing:
        with pytest.raises(EnvironmentProblem, match=missing[0]) as caught:
            confine.check_strict(active)
        assert caught.value.exit_code == 3
    else:
        confine.check_strict(active)


@needs_all
@pytest.mark.skipif(os.getuid() != 0, reason="already not root")
def test_every_layer_works_for_a_user_who_is_not_root(tmp_path):
    code = (
        "import json, os, sys\n"
        f"sys.path.append({str(ROOT)!r})\n"
        "from graders import confine, sandbox\n"
        "from graders.confine import probe\n"
        "os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)\n"
        "sandbox.prctl(sandbox.PR_SET_DUMPABLE, 1)\n"
        "found = probe.by_forks(confine.LAYERS)\n"
        "sandbox.prctl(sandbox.PR_SET_NO_NEW_PRIVS, 1)\n"
        f"os.chdir({str(tmp_path)!r})\n"
        f"active = confine.enter(confine.for_worker('interpret', {str(tmp_path)!r}, sys.path), confine.usable())\n"
        "def tried(deed):\n"
        "    try: return repr(deed())\n"
        "    except OSError as error: return type(error).__name__\n"
        "print(json.dumps([found, active, os.getuid(), tried(os.fork), tried(lambda: os.kill(-1, 9)),\n"
        f"    tried(lambda: open({str(ROOT / 'pyproject.toml')!r})), tried(lambda: open('mine', 'w').write('x'))]))\n"
    )
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:3]:
        if str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, active, user, *deeds = json.loads(done.stdout)
    assert set(found.values()) == {""} and active == ["namespaces", "landlock", "seccomp"] and user == 65534
    assert deeds == ["BlockingIOError", "PermissionError", "PermissionError", "1"]


SOURCE = """
import triton, triton.language as tl
@triton.jit
def k(x, out, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out + lane, tl.load(x + lane))
def copy(x, out):
    k[(1,)](x, out, BLOCK=8)
"""


def compile_once():
    x = HostArray.dense("fp32", np.zeros(8))
    job = Job("case", ("x", "out"), {"x": x}, {"out": x}, {})
    program = Program(SOURCE, "copy.py", "triton", TritonEntry("copy", ("x", "out")))
    return TritonCompile((80,)).begin(program, [job]).result(60)


@needs_landlock
@pytest.mark.skipif(TritonCompile().availability() is not None, reason="needs Triton")
def test_layers_in_which_our_own_kernel_fails_are_given_up_and_strict_refuses(fresh):
    import triton

    hidden.hide(Path(triton.__file__).parent / "backends" / "nvidia" / "bin")
    confine.require_strict()
    assert compile_once().compiled == ()  # a note, and nothing of the learner's was run without layers
    assert not confine.given_up()
    confine.require_strict(False)
    worker.close_warm("compile")
    report = compile_once()
    assert report.compiled == ("sm_80",), report
    assert "does not compile" in confine.given_up()
    assert all("does not compile" in reason for reason in confine.findings().values())


@needs_landlock
@pytest.mark.skipif(build.availability() is not None, reason="needs g++")
def test_a_compiler_that_fails_inside_the_layers_is_not_the_learners_fault(fresh, monkeypatch, tmp_path):
    home = build.prepare()
    for mark in home.glob("works*"):
        mark.unlink()
    source = f'// {tmp_path}\n#include <cstdio>\nint main() {{ puts("it ran"); return 0; }}\n'
    hidden.hide("/usr/lib/gcc", "/usr/libexec/gcc")
    confine.require_strict()
    with pytest.raises(EnvironmentProblem):
        emulate_program(source, "a.cu")
    confine.require_strict(False)
    report = emulate_program(source, "a.cu")
    assert report.stdout == "it ran\n" and "g++" in confine.given_up()


@pytest.mark.parametrize(
    ("without", "arguments", "code"),
    [
        ("", ["run", "lesson05", "--fill", "1.0", "--no-input", "--json"], (0, 1)),
        ("seccomp", ["run", "lesson05", "--fill", "1.0", "--no-input", "--json"], (3,)),
        ("landlock,namespaces", ["grade", "--lesson", "lesson05", "--fill", "1.0"], (3,)),
        ("seccomp", ["emulate", "{file}"], (3,)),
    ],
)
def test_the_option_of_the_command_line(tmp_path, without, arguments, code):
    if not without and confine.missing_for_strict(confine.usable()):
        pytest.skip("not every layer works here")
    file = tmp_path / "a.cu"
    file.write_text("int main() { return 0; }\n")
    words = [each.replace("{file}", str(file)) for each in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "course_cli", *words, "--require-sandbox", "strict"],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "COURSE_SANDBOX_WITHOUT": without},
    )  # fmt: skip
    assert done.returncode in code, done.stderr
    assert all(name in done.stderr for name in without.split(",")), done.stderr
    assert not without or not done.stdout


@needs_landlock
@pytest.mark.skipif(build.availability() is not None, reason="needs g++")
def test_a_program_that_cannot_start_inside_the_layers_is_run_without_them(fresh, monkeypatch, tmp_path):
    source = f'// {tmp_path}\n#include <cstdio>\nint main() {{ puts("it ran"); return 0; }}\n'
    monkeypatch.setattr(profiles, "SYSTEM", ("/nowhere",))
    monkeypatch.setattr(profiles, "_toolchains", lambda: [])
    anything = profiles.Confinement((("/", landlock.handled(landlock.abi())),), attributes=True, signals=True)
    monkeypatch.setattr(confine, "for_compiler", lambda command, work: anything)
    confine.require_strict()
    with pytest.raises(EnvironmentProblem):
        emulate_program(source, "a.cu")
    confine.require_strict(False)
    assert emulate_program(source, "a.cu").stdout == "it ran\n"
    assert "fails inside them" in confine.given_up()
