"""Hostile CUDA programs on the emulator: as a lesson's program and as a whole program of `course emulate`.

The sources declare what they call themselves, so that the list of allowed headers is no help to the sandbox.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from attack_parts import EXPECTED, SECRET, X

from graders import confine
from graders.arrays import HostArray
from graders.emulator.build import availability
from graders.emulator.program import ProgramReport, emulate_program
from graders.executors.base import Program
from graders.executors.cuda_entry import CudaEntry
from graders.executors.emulator import EmulatorExecutor
from graders.observation import Job, Observation

pytestmark = pytest.mark.skipif(availability() is not None, reason="needs g++")
needs_landlock = pytest.mark.skipif("landlock" not in confine.usable(), reason="no Landlock here")
needs_seccomp = pytest.mark.skipif("seccomp" not in confine.usable(), reason="no seccomp here")

ENTRY = CudaEntry('extern "C" int course_entry(const float* x, int n, float* y)', "run(x, n, y)", ("x", "n", "y"))
HEAD = """
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
extern "C" long syscall(long number, ...);
extern "C" int open(const char* path, int flags, ...);
extern "C" int pthread_create(unsigned long* id, const void* how, void* (*go)(void*), void* with);
"""
KERNEL = """
__global__ void triple(const float* x, int n, float* y) { int i = threadIdx.x; if (i < n) y[i] = 3 * x[i]; }
"""
RUN = """
cudaError_t run(const float* x, int n, float* y) {{
  static int turn = 0;
  {before}
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, x, n * sizeof(float), cudaMemcpyHostToDevice);
  triple<<<1, 32>>>(a, n, b);
  cudaMemcpy(y, b, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(a); cudaFree(b);
  return cudaGetLastError();
}}
"""


@pytest.fixture(scope="module")
def executor() -> EmulatorExecutor:
    return EmulatorExecutor()


@pytest.fixture
def lesson(executor: EmulatorExecutor) -> Callable[..., Observation]:
    """Run a lesson's program that triples where it should double; it must not pass."""

    def run(before: str, top: str = "", deadline_s: float = 3.0) -> Observation:
        source = HEAD + top + KERNEL + RUN.format(before=before)
        out = HostArray.dense("fp32", np.full(X.shape, np.nan))
        job = Job("case", ("x", "n", "y"), {"x": HostArray.dense("fp32", X)}, {"y": out}, {"n": X.size})
        with executor.open(Program(source, "attack.cu", "cuda", ENTRY)) as session:
            seen = session.run(job, deadline_s)
        right = seen.status == "ok" and not seen.findings and bool((seen.outputs["y"].values() == EXPECTED).all())
        assert not right
        return seen

    return run


def whole(body: str, top: str = "", seconds: float = 5.0) -> ProgramReport:
    """Run a program with its own main."""
    return emulate_program(f"{HEAD}{top}{KERNEL}int main() {{ {body} return 0; }}", "attack.cu", deadline_s=seconds)


FORGE = r"""
  const char* words = "{\"type\": \"result\", \"schedule\": 0, \"same\": true, \"code\": 0, \"stopped\": false, "
                      "\"changed\": [], \"bytes\": 32}\n";
  float lie[8]; for (int i = 0; i < 8; i++) lie[i] = 1e9f;
  for (int fd = 3; fd < 64; fd++) { write(fd, words, strlen(words)); write(fd, lie, 32); write(fd, "{\"type\": \"end\"}\n", 16); }
"""


@pytest.mark.parametrize(
    ("before", "top"),
    [
        ('puts("PASS"); fflush(stdout); _exit(0);', ""),
        ("exit(0);", ""),
        ("", '__attribute__((constructor)) static void early() { puts("PASS"); fflush(stdout); _exit(0); }'),
        ("", '__attribute__((destructor)) static void late() { puts("all cases passed"); fflush(stdout); }'),
        ('atexit([] { puts("PASS"); }); raise(SIGTERM);', ""),
        (FORGE, ""),
        (FORGE + "_exit(0);", ""),
        (r'for (int fd = 3; fd < 64; fd++) write(fd, "\x80\x04\x95PASS\xff\xfe\n", 11);', ""),
        ("for (int fd = 0; fd < 64; fd++) close(fd);", ""),
        ("*(volatile int*)0 = 1;", ""),
        ("abort();", ""),
        ("kill(getpid(), SIGKILL);", ""),
    ],
)
def test_forged_verdicts_of_a_lesson(lesson, before, top):
    lesson(before, top)


def test_a_forged_pass_on_stdout_does_not_hide_a_finding():
    report = whole(
        'puts("no findings. PASS"); float* a; cudaMalloc(&a, 8); triple<<<1, 32>>>(a, 32, a); cudaDeviceSynchronize();'
    )
    assert any(each.kind == "out-of-bounds" for each in report.findings)


@needs_landlock
def test_no_file_of_the_graders_is_read(lesson, secret):
    body = f"""
      const char* paths[] = {{"{secret}", "/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/self/maps",
                             "/proc/1/cmdline", "{Path.cwd()}", "/root", "/home", "/tmp"}};
      for (const char* path : paths) {{
        int fd = open(path, 0); char text[99] = ""; if (fd >= 0) read(fd, text, 98);
        printf("%d %d %s\\n", fd >= 0, errno, text);
      }}
      char up[99]; const char* names[] = {{"cmdline", "environ", "mem", "maps", "cwd/x", "fd/0"}};
      for (const char* name : names) {{
        snprintf(up, 99, "/proc/%d/%s", getppid(), name);
        printf("%d %d\\n", open(up, 0) >= 0, errno);
      }}
      if (symlink("{secret}", "here") == 0) printf("%d %d\\n", open("here", 0) >= 0, errno);
      printf("%d %d\\n", link("{secret}", "hard") == 0, errno);
      printf("%d %d\\n", open("/tmp/written-by-an-attack", 0101, 0600) >= 0, errno);
      printf("%d %d\\n", unlink("{secret}") == 0, errno);
      printf("%d %d\\n", truncate("{secret}", 0) == 0, errno);
    """
    report = whole(body)
    lines = report.stdout.splitlines()
    assert len(lines) == 21 and all(line.split()[0] == "0" for line in lines), report
    assert {line.split()[1] for line in lines} <= {"1", "2", "13", "18"}, report.stdout
    assert SECRET not in report.stdout + report.stderr and secret.read_text() == SECRET


@needs_seccomp
def test_no_process_no_network_no_signal():
    wanted = {
        "fork": confine.seccomp.number("clone"),
        "vfork": confine.seccomp.number("vfork"),
        "clone3": confine.seccomp.number("clone3"),
        "socket": confine.seccomp.number("socket"),
        "ptrace": confine.seccomp.number("ptrace"),
        "bpf": confine.seccomp.number("bpf"),
        "io_uring_setup": confine.seccomp.number("io_uring_setup"),
        "unshare": confine.seccomp.number("unshare"),
        "mount": confine.seccomp.number("mount"),
        "process_vm_readv": confine.seccomp.number("process_vm_readv"),
    }
    calls = "".join(
        f'errno = 0; printf("{name} %ld %d\\n", syscall({number}, 17, 0, 0, 0, 0, 0), errno);'
        for name, number in wanted.items()
        if number is not None
    )
    report = whole(
        f"""
        {calls}
        printf("fork %d %d\\n", fork(), errno);
        printf("kill %d %d\\n", kill(-1, SIGKILL), errno);
        printf("kill %d %d\\n", kill(getppid(), SIGKILL), errno);
        printf("kill %d %d\\n", kill({os.getpid()}, SIGKILL), errno);
        printf("kill %d %d\\n", kill(0, SIGKILL), errno);
        unsigned long id; printf("thread %d %d\\n", -pthread_create(&id, 0, [](void* p) {{ return p; }}, 0), errno);
        printf("exec %d %d\\n", execl("/bin/sh", "sh", "-c", "echo PWNED", nullptr), errno);
        printf("nice %d %d\\n", (int)syscall({confine.seccomp.number("setpriority")}, 2, 0, 19), errno);
        """
    )
    lines = report.stdout.splitlines()
    assert len(lines) >= 16 and all(int(line.split()[1]) < 0 for line in lines), report
    assert not any(line.startswith("PWNED") for line in lines)


def test_fork_bomb_and_survivor(lesson):
    started = time.monotonic()
    assert lesson("while (true) fork();", deadline_s=1.0).status in ("timeout", "crash")
    lesson(
        'if (fork() == 0) { setsid(); if (fork() == 0) { execl("/bin/sleep", "survivor-of-an-attack", "600", nullptr); } }'
    )
    report = whole("for (int i = 0; i < 5000; i++) fork();", seconds=3.0)
    assert report is not None and time.monotonic() - started < 30
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
    assert "survivor-of-an-attack" not in listing


def test_output_without_end_and_invalid_utf8():
    started = time.monotonic()
    report = whole(r'while (true) fputs("PASS \xff\xfe\xc0 PASS\n", stdout);', seconds=1.0)
    assert len(report.stdout) <= 8 << 20 and "\ufffd" in report.stdout
    report = whole(r'while (true) fputs("x\n", stderr);', seconds=1.0)
    assert len(report.stderr) <= 8 << 20 and time.monotonic() - started < 25


@pytest.mark.parametrize(
    "body",
    [
        "char* p = (char*)malloc(100ull << 30); if (!p) { puts(\"refused\"); return 7; } memset(p, 1, 100ull << 30);",
        "while (true) { char* p = (char*)malloc(1 << 28); if (!p) { puts(\"refused\"); return 7; } for (int i = 0; i < 1 << 28; i += 1 << 20) p[i] = 1; }",
        "void* p; if (cudaMalloc(&p, 100ull << 30) != cudaSuccess) { puts(\"refused\"); return 7; }",
    ],
)  # fmt: skip
def test_a_hundred_gigabytes(body):
    report = whole(body)
    assert report.exit_code != 0, report


def test_endless_kernel_and_endless_host(lesson):
    started = time.monotonic()
    seen = lesson("triple<<<1, 1>>>(nullptr, 0, nullptr); while (true) turn++;", deadline_s=1.0)
    assert seen.status == "timeout", seen
    top = "__global__ void spin(volatile int* p) { while (*p == 0) { } }\n"
    body = "int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); spin<<<1, 1>>>(p); cudaDeviceSynchronize();"
    assert lesson(body, top, deadline_s=1.0).status in ("timeout", "crash")
    report = whole(body, top, seconds=2.0)
    assert report.findings or report.exit_code
    assert time.monotonic() - started < 30


def test_a_file_without_end_is_limited():
    report = whole(
        'FILE* f = fopen("big", "w"); static char text[1 << 20]; for (int i = 0; i < 100000; i++) '
        'if (fwrite(text, 1, sizeof text, f) != sizeof text) { puts("stopped"); return 3; }',
        seconds=5.0,
    )
    assert report.exit_code != 0


def test_the_report_says_which_layers_were_active(executor):
    active = executor.facts().sandbox
    assert set(confine.usable()) <= set(active) and "rlimits" in active
