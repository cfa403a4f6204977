"""What the rewriter changes, what it leaves alone, what it refuses."""

from __future__ import annotations

import pytest

from graders.emulator.rewriter import Unsupported, rewrite


def text(source: str) -> str:
    out = rewrite(source, "x.cu").text
    assert out.count("\n") == source.replace("\r\n", "\n").count("\n"), "lines must keep their numbers"
    return out


def test_a_file_without_cuda_stays_as_it_is() -> None:
    source = '// a <<< b >>> c\nconst char* s = "k<<<1, 2>>>(3)"; /* __shared__ int x; */\nint f(int a) { return a << 2 >> 1; }\n'
    assert text(source) == source


@pytest.mark.parametrize(
    ("launch", "kernel", "config"),
    [
        ("k<<<1, 2>>>(a);", "k", "1, 2"),
        ("k<<<dim3(1, f(2)), g[3]>>>(a);", "k", "dim3(1, f(2)), g[3]"),
        ("ns::k<<<1, 2, sizeof(int) * (n >> 1), s>>>(a);", "ns::k", "1, 2, sizeof(int) * (n >> 1), s"),
        ("(*table[i])<<<1, 2>>>(a);", "(*table[i])", "1, 2"),
        ("kernels[i]<<<1, 2>>>(a);", "kernels[i]", "1, 2"),
        ("CHECK(k <<< 1, 2 >>> (a));", "k ", " 1, 2 "),
        ("if (x) k<<<1,\n  2>>>(a); else return;", "k", "1,\n  2"),
    ],
)
def test_launches(launch: str, kernel: str, config: str) -> None:
    out = text("__global__ void k(int a) {}\nvoid run() { " + launch + " }\n")
    assert f"::cuemu::on({kernel}, ::cuemu::Config({config}))" in out
    assert "<<<" not in out


def test_a_template_kernel_whose_arguments_are_deduced_is_called_through_a_lambda() -> None:
    source = (
        "template <typename T> __global__ void k(T* p) {}\nvoid f(int* p) { k<<<1, 2>>>(p); k<int><<<1, 2>>>(p); }\n"
    )
    out = text(source)
    assert "::cuemu::on([&](auto... cuemu_a) { k(cuemu_a...); }, ::cuemu::Config(1, 2))(p)" in out
    assert "::cuemu::on(k<int>, ::cuemu::Config(1, 2))(p)" in out


def test_a_launch_inside_a_macro_is_rewritten() -> None:
    assert "::cuemu::on(k, ::cuemu::Config(g, b))(x)" in text("#define RUN(g, b, x) k<<<g, b>>>(x)\n")


def test_shared_variables() -> None:
    out = text(
        "__global__ void k() {\n  __shared__ float a[4][5], b;\n  extern __shared__ __align__(16) char pool[];\n}\n"
    )
    assert "typedef float a_cuemu_t[4][5], b_cuemu_t;" in out
    assert 'a_cuemu_t& a = ::cuemu::shared<a_cuemu_t, a_cuemu_k>("a", 2)' in out
    assert 'b_cuemu_t& b = ::cuemu::shared<b_cuemu_t, b_cuemu_k>("b", 2)' in out
    assert 'pool_cuemu_t& pool = ::cuemu::extern_shared<pool_cuemu_t>("pool")' in out
    assert "__align__" not in out and "__shared__" not in out


def test_device_variables_get_a_place_and_constants_do_not() -> None:
    out = text(
        "__device__ int n = 3;\n__constant__ float w[2] = {1, 2};\n__device__ const int c = 4;\n__device__ int f(int x);\n"
    )
    assert "static __device__ int n_cuemu_image = 3; static decltype(n_cuemu_image)& n" in out
    assert '::cuemu::symbol(w_cuemu_image, "w", 2, 1)' in out
    assert "__device__ const int c = 4;" in out
    assert "__device__ int f(int x);" in out


def test_main_is_renamed_and_returns() -> None:
    out = rewrite("int main(int argc, char** argv) {\n  run();\n}\n", "x.cu")
    assert out.has_main
    assert "int cuemu_user_main(int argc, char** argv)" in out.text
    assert "return 0; }" in out.text


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ('void f() {}\n__device__ int g() { int x; asm("mov.u32 %0, 1;" : "=r"(x)); return x; }\n', 2, "asm"),
        ("#include <curand_kernel.h>\n", 1, "cuRAND"),
        ("\n#include <thrust/sort.h>\n", 2, "Thrust"),
        ('#include "/etc/passwd"\n', 1, "/etc/passwd"),
        ('#include "../secret.h"\n', 1, "../secret.h"),
        ("#define H <stdio.h>\n#include H\n", 2, "#include"),
        ("#inc\\\nlude </etc/passwd>\n", 1, "/etc/passwd"),
        ("# /* x */ include </etc/passwd>\n", 1, "/etc/passwd"),
        ("%:include </etc/passwd>\n", 1, "digraphs"),
        ("#include_next <stdio.h>\n", 1, "include_next"),
        ("#include <thread>\n", 1, "threads"),
        ("void f() {\n  cudaGraph_t g;\n}\n", 2, "graphs"),
    ],
)
def test_what_is_not_covered_is_refused_by_name(source: str, line: int, words: str) -> None:
    with pytest.raises(Unsupported) as caught:
        rewrite(source, "x.cu")
    assert caught.value.line == line
    assert (words in caught.value.text.en and words in caught.value.text.zh) or words in ("threads", "graphs")


def test_a_kernel_called_like_a_function_is_a_finding() -> None:
    out = rewrite("__global__ void k(int* p) {}\nvoid f(int* p) {\n  k(p);\n}\n", "x.cu")
    assert [(f.kind, f.line, f.column) for f in out.findings] == [("missing-launch", 3, 3)]


def test_columns_lead_back_to_the_source() -> None:
    source = "__global__ void k(int a) {}\nvoid f() { k<<<1, 2>>>(undeclared); }\n"
    out = rewrite(source, "x.cu")
    line = out.text.split("\n")[1]
    assert out.column(2, line.index("undeclared") + 1) == source.split("\n")[1].index("undeclared") + 1
    assert out.column(1, 5) == 5


def test_line_ends_and_byte_order_mark() -> None:
    out = rewrite("\ufeff__global__ void k() {}\r\nint main() { k<<<1, 1>>>(); }\r\n", "x.cu")
    assert out.text.startswith("__global__") and "\r" not in out.text
