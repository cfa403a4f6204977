"""Whole programs: what they print and return, how they are ended, what a mistake looks like."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from graders.emulator.build import CompileProblem, availability
from graders.emulator.findings import TooSlow
from graders.emulator.program import ProgramReport, emulate_program
from graders.emulator.rewriter import Unsupported
from graders.errors import BadInput, EnvironmentProblem

pytestmark = pytest.mark.skipif(availability() is not None, reason="needs g++")


def run(body: str, *args: str, deadline: float = 20.0, orders: tuple[str, ...] = ("ascending",)) -> ProgramReport:
    source = "#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n" + body
    return emulate_program(source, "case.cu", args, deadline_s=deadline, orders=orders)


def test_arguments_output_and_exit_status() -> None:
    seen = run(
        'int main(int n, char** a) { printf("%d %s\\n", n, a[n - 1]); fprintf(stderr, "e"); return 7; }', "one", "two"
    )
    assert (seen.stdout, seen.stderr, seen.exit_code) == ("3 two\n", "e", 7)
    assert not seen.findings


@pytest.mark.parametrize(("ending", "status"), [("exit(3);", 3), ("abort();", 134), ("return 0;", 0)])
def test_every_way_to_end(ending: str, status: int) -> None:
    seen = run(f'int main() {{ printf("before"); fflush(stdout); {ending} }}')
    assert (seen.stdout, seen.exit_code) == ("before", status)


def test_no_main_is_bad_input() -> None:
    with pytest.raises(BadInput):
        run("__global__ void k() {}")


def test_a_syntax_error_is_told_at_its_place() -> None:
    line = "int main() { int* p = 0; k<<<1, 2>>>(p, oops); }"
    with pytest.raises(CompileProblem) as caught:
        run("__global__ void k(int* p) {}\n" + line)
    assert [(f.kind, f.line, f.column) for f in caught.value.findings] == [("compile-error", 5, line.index("oops") + 1)]


def test_an_endless_kernel_is_ended_and_its_line_told() -> None:
    started = time.monotonic()
    seen = run(
        "__global__ void k(int* p) {\n  for (;;)\n    p[0] += 1;\n}\n"
        "int main() { int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); k<<<1, 1>>>(p); }",
        deadline=2.0,
    )
    assert time.monotonic() - started < 15
    assert [f.kind for f in seen.findings] == ["no-progress"]
    assert seen.findings[0].line in (5, 6)
    assert seen.findings[0].thread == (0, 0, 0)


def test_an_endless_loop_without_memory_access_is_ended_too() -> None:
    seen = run(
        "__global__ void k() { volatile int x = 0; while (x == 0) {} }\nint main() { k<<<1, 1>>>(); }", deadline=2.0
    )
    assert [f.kind for f in seen.findings] == ["no-progress"]


def test_output_without_end_is_cut() -> None:
    seen = run('int main() { for (;;) puts("0123456789012345678901234567890123456789"); }', deadline=2.0)
    assert len(seen.stdout) < 6 << 20


def test_a_huge_allocation_gives_the_error_of_cuda() -> None:
    seen = run(
        'int main() { void* p; cudaError_t e = cudaMalloc(&p, 100ull << 30); printf("%s", cudaGetErrorString(e)); }'
    )
    assert seen.stdout == "out of memory" and not seen.findings


def test_a_crash_of_host_code_keeps_the_findings_before_it() -> None:
    seen = run(
        "__global__ void k(int* p) { p[4] = 1; }\n"
        "int main() { int* p; cudaMalloc(&p, 16); k<<<1, 1>>>(p); volatile int* q = (int*)16; return *q; }"
    )
    assert [f.kind for f in seen.findings][:1] == ["out-of-bounds"]
    assert seen.exit_code == 139


def test_recursion_without_end_uses_up_the_stack() -> None:
    seen = run(
        "__device__ int f(volatile int* n) { int x[64]; x[n[0] & 63] = 1; return n[0] ? f(n) + x[3] : 0; }\n"
        "__global__ void k(int* p) { p[1] = f(p); }\n"
        "int main() { int* p; cudaMalloc(&p, 8); cudaMemset(p, 1, 8); k<<<1, 1>>>(p); cudaDeviceSynchronize(); }"
    )
    assert any("stack" in f.text.en for f in seen.findings), [f.text.en for f in seen.findings]


def test_half_precision_agrees_with_numpy_on_every_value() -> None:
    body = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(const float* f, unsigned short* h, unsigned short* b, float* back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  h[i] = __half_as_ushort(__float2half(f[i]));
  b[i] = __bfloat16_as_ushort(__float2bfloat16(f[i]));
  back[i] = __half2float(__ushort_as_half((unsigned short)i));
}
int main() {
  const int n = 65536;
  float *f, *back; unsigned short *h, *b;
  cudaMallocManaged(&f, n * 4); cudaMallocManaged(&back, n * 4); cudaMallocManaged(&h, n * 2); cudaMallocManaged(&b, n * 2);
  for (int i = 0; i < n; i++) { unsigned bits = (unsigned)i << 16 | (unsigned)(i * 40503u & 0xffff); memcpy(&f[i], &bits, 4); }
  k<<<256, 256>>>(f, h, b, back, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) { unsigned x; memcpy(&x, &back[i], 4); printf("%u %u %u\\n", h[i], b[i], x); }
}
"""
    seen = run("#include <cstring>\n" + body)
    assert not seen.findings
    got = np.array([line.split() for line in seen.stdout.split("\n") if line], dtype=np.uint32)
    i = np.arange(65536, dtype=np.uint32)
    given = ((i << 16) | (i * np.uint32(40503) & np.uint32(0xFFFF))).view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        half = given.astype(np.float16)
    number = ~np.isnan(given)
    assert np.array_equal(got[number, 0], half.view(np.uint16)[number].astype(np.uint32))
    assert np.all(np.isnan(got[~number, 0].astype(np.uint16).view(np.float16)))
    from graders.arrays import encode

    assert np.array_equal(got[number, 1], encode(given, "bf16")[number].astype(np.uint32))
    every = i.astype(np.uint16).view(np.float16).astype(np.float32)
    assert np.array_equal(got[~np.isnan(every), 2], every.view(np.uint32)[~np.isnan(every)])


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("k<<<1, 2048>>>(p);", "launch-configuration"),
        ("k<<<0, 32>>>(p);", "launch-configuration"),
        ("k<<<1, 32, 64 << 10>>>(p);", "launch-configuration"),
        ("cudaMemcpy(p, &n, 8, cudaMemcpyHostToDevice);", "out-of-bounds"),
        ("cudaFree(p); cudaFree(p);", "use-after-free"),
        ("cudaFree(&n);", "api-error"),
        ("cudaMemset(&n, 0, 4);", "wrong-space"),
        ("cudaMemcpy(&n, p, 4, cudaMemcpyHostToDevice);", "wrong-space"),
        ('printf("%d", *p);', "wrong-space"),
    ],
)
def test_calls_of_the_runtime_are_checked(code: str, kind: str) -> None:
    seen = run(
        "__global__ void k(int* p) { if (threadIdx.x == 0) p[0] = 1; }\n"
        f"int main() {{ int n = 0; int* p; cudaMalloc(&p, 4); k<<<1, 1>>>(p);\n{code}\n return 0; }}"
    )
    assert [(f.kind, f.line) for f in seen.findings] == [(kind, 6)]


def test_a_program_that_launches_nothing_is_told_so() -> None:
    seen = run("__global__ void k() {}\nint main() { return 0; }")
    assert [f.kind for f in seen.findings] == ["missing-launch"]


def test_float_to_int_out_of_range_is_reported_in_kernels_only() -> None:
    seen = run(
        "__global__ void k(float* f, int* i) { *i = (int)*f; }\n"
        "int main() { float h = 1e20f, *f; int* i; volatile int x = (int)h; cudaMalloc(&f, 4); cudaMalloc(&i, 4);\n"
        "cudaMemcpy(f, &h, 4, cudaMemcpyHostToDevice); k<<<1, 1>>>(f, i); return x == 1; }"
    )
    assert [(f.kind, f.line) for f in seen.findings] == [("float-cast", 4)]
    assert seen.findings[0].column > 0


def test_a_lane_read_in_vain_is_no_finding() -> None:
    """A shuffle past the mask gives an undefined value; only a program that uses it has a mistake."""
    body = """__global__ void k(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    int other = __shfl_down_sync(0xffffu, v, 8);
    if (threadIdx.x < LIMIT) v += other;
  }
  out[threadIdx.x] = v;
}
int main() { int h[32], *d; cudaMalloc(&d, 128); k<<<1, 32>>>(d); cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); return 0; }"""
    assert not run("#define LIMIT 8\n" + body).findings
    assert [f.kind for f in run("#define LIMIT 9\n" + body).findings] == ["inactive-lane"]


LATER = """__device__ volatile int flag = 0;
__global__ void k(int* out) {
  if (blockIdx.x == WAITS) { while (flag == 0); out[0] = 1; }
  else { out[1] = 2; __threadfence(); flag = SETS; }
}
int main() { int* d; cudaMalloc(&d, 8); k<<<2, 1>>>(d); return cudaDeviceSynchronize() != cudaSuccess; }"""


def test_a_block_that_waits_for_a_later_one_is_named_not_blamed() -> None:
    with pytest.raises(Unsupported) as caught:
        run("#define WAITS 0\n#define SETS 1\n" + LATER)
    assert "later block" in caught.value.text.en and caught.value.line == 8
    seen = run("#define WAITS 1\n#define SETS 1\n" + LATER, orders=("ascending", "descending"))
    assert not seen.findings and seen.orders == ("ascending",)


def test_a_wait_for_what_no_block_does_is_found() -> None:
    seen = run("#define WAITS 0\n#define SETS 0\n" + LATER)
    assert [(f.kind, f.line) for f in seen.findings] == [("no-progress", 8)]


def test_a_large_program_is_told_from_one_that_hangs() -> None:
    with pytest.raises(TooSlow) as caught:
        run(
            "__global__ void k(int* p) { for (int i = 0; i < 20000; i++) p[blockIdx.x] += i; }\n"
            "int main() { int* p; cudaMalloc(&p, 400000); cudaMemset(p, 0, 400000); k<<<100000, 1>>>(p); }",
            deadline=1.0,
        )
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("int s = 0; for (int i = 0; i <= 100; i++) s += v[i]; return s & 1;", "out-of-bounds"),
        ("int* q = (int*)malloc(400); int s = q[7]; free(q); return s & 1;", "uninitialised"),
        ('int* q = new int[100]; q[100] = 1; printf("%p", (void*)q); delete[] q;', "out-of-bounds"),
        (
            "int* q = (int*)calloc(100, 4); int s = q[99]; free(q); q = (int*)realloc(malloc(300), 800); free(q); return s;",
            None,
        ),
        (
            "std::vector<std::string> w; for (int i = 0; i < 900; i++) w.push_back(std::to_string(i)); return w.size() != 900;",
            None,
        ),
    ],
)
def test_the_heap_of_host_code_is_checked(code: str, kind: str | None) -> None:
    seen = run(
        "#include <string>\n#include <vector>\nint main() { std::vector<int> v(100, 1);\n" + code + "\nreturn 0; }"
    )
    assert [(f.kind, f.line) for f in seen.findings] == ([(kind, 7)] if kind else [])
    if kind is None:
        assert seen.exit_code == 0


def test_memory_that_a_kernel_allocates_is_checked() -> None:
    body = """struct Node { int v; Node* next; };
__global__ void k(int* o) {
  Node* n = (Node*)malloc(sizeof(Node)); n->v = 4; n->next = nullptr;
  Node* m = new Node; m->v = 1;
  o[0] = n->v + m->v;
  free(n); delete m;
  if (AFTER) o[0] = n->v;
}
int main() { int* o; int h = 0; cudaMalloc(&o, 4); k<<<1, 1>>>(o); cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost); return h != 5; }"""
    seen = run("#define AFTER 0\n" + body)
    assert (seen.findings, seen.exit_code) == ((), 0)
    assert [f.kind for f in run("#define AFTER 1\n" + body).findings] == ["use-after-free"]


def test_missing_compiler_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_CXX", "no-such-compiler")
    with pytest.raises(EnvironmentProblem) as caught:
        run("int main() {}")
    assert caught.value.exit_code == 3
    assert "apt install g++" in caught.value.text.en and "apt install g++" in caught.value.text.zh


def test_an_old_compiler_and_a_read_only_cache_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = tmp_path / "g++-old"
    old.write_text("#!/bin/sh\necho 'g++ (Ubuntu 9.4.0-1ubuntu1) 9.4.0'\n", encoding="utf-8")
    old.chmod(0o755)
    monkeypatch.setenv("COURSE_CXX", str(old))
    with pytest.raises(EnvironmentProblem) as caught:
        run("int main() {}")
    assert "9.4.0" in caught.value.text.en and "9.4.0" in caught.value.text.zh
    monkeypatch.delenv("COURSE_CXX")
    monkeypatch.setenv("COURSE_CACHE_DIR", str(old / "inside-a-file"))
    with pytest.raises(EnvironmentProblem) as caught:
        run("int main() {}")
    assert "COURSE_CACHE_DIR" in caught.value.text.en
