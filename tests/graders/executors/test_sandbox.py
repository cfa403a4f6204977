"""Layer L0: what a worker's process may use, and what it inherits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graders import sandbox

ROOT = Path(__file__).resolve().parents[3]


def in_a_child(code: str) -> dict:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_limits_are_set_soft_and_hard_and_privileges_cannot_grow():
    seen = in_a_child(
        "import json, resource as r\n"
        "from pathlib import Path\n"
        "from graders import sandbox\n"
        "given = sandbox.ResourceLimits(address_space=2 << 30, file_size=1 << 20, cpu_seconds=7, open_files=40)\n"
        "layers = sandbox.enter_base_layer(sandbox.ResourceLimits.from_json(given.as_json()))\n"
        "status = Path('/proc/self/status').read_text()\n"
        "kinds = ('AS', 'FSIZE', 'CPU', 'NOFILE', 'CORE')\n"
        "print(json.dumps({'layers': layers, 'nnp': 'NoNewPrivs:\\t1' in status,\n"
        "    **{k: r.getrlimit(getattr(r, 'RLIMIT_' + k)) for k in kinds}}))\n"
    )
    assert seen == {
        "layers": ["rlimits", "no-new-privs"],
        "nnp": True,
        "AS": [2 << 30, 2 << 30],
        "FSIZE": [1 << 20, 1 << 20],
        "CPU": [7, 7],
        "NOFILE": [40, 40],
        "CORE": [0, 0],
    }


def test_a_limit_never_rises_above_the_hard_limit():
    seen = in_a_child(
        "import json, resource as r\n"
        "from graders import sandbox\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (50, 60))\n"
        "sandbox.ResourceLimits(open_files=4096).apply()\n"
        "print(json.dumps({'n': r.getrlimit(r.RLIMIT_NOFILE)}))\n"
    )
    assert seen["n"] == [60, 60]


def test_the_environment_is_made_from_nothing(monkeypatch):
    monkeypatch.setenv("COURSE_GRADER_SEED", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("LD_PRELOAD", "/somewhere/lib.so")
    made = sandbox.minimal_environment("/work-folder", {"TRITON_INTERPRET": "1"})
    assert not {"COURSE_GRADER_SEED", "PYTHONPATH", "LD_PRELOAD"} & set(made)
    assert made["TMPDIR"] == made["HOME"] == "/work-folder" and made["TRITON_INTERPRET"] == "1"
    assert made["TRITON_CACHE_DIR"].startswith("/work-folder/")


def test_a_worker_in_a_folder_of_shadowing_files_takes_none_of_them(tmp_path):
    for name in ("json", "numpy", "triton", "torch", "sitecustomize", "graders", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    code = (
        f"import sys; sys.path.append({str(ROOT)!r})\n"
        "from graders.executors import worker\n"
        f"import os; os.chdir({str(tmp_path)!r}); sys.path.insert(0, ''); sys.path.insert(0, {str(tmp_path)!r})\n"
        "run = worker.take('interpret', 'light', 1)[0]\n"
        "print(run.request(None, seconds=60)[0]['problem'] == '')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False, timeout=90
    )
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize("count", [2])
def test_children_are_found(count):
    sleepers = [subprocess.Popen(["sleep", "30"]) for _ in range(count)]
    try:
        assert {each.pid for each in sleepers} <= set(sandbox.children_of(os.getpid()))
    finally:
        for each in sleepers:
            each.kill()
            each.wait()
