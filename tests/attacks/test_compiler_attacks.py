"""Hostile sources for g++ and nvcc: no hidden file in a message or a product, no bomb without an end."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from attack_parts import SECRET

from graders import confine
from graders.emulator import build, child
from graders.emulator.build import availability
from graders.emulator.program import emulate_program
from graders.errors import CourseError
from graders.executors import nvcc

ROOT = Path(__file__).resolve().parents[2]
needs_gxx = pytest.mark.skipif(availability() is not None, reason="needs g++")
needs_nvcc = pytest.mark.skipif(nvcc.toolchain_missing() is not None, reason="needs nvcc")
needs_landlock = pytest.mark.skipif("landlock" not in confine.usable(), reason="no Landlock here")

LEAKS = {
    "include": '#include "{path}"\nint main() {{ return 0; }}\n',
    "macro": '#define HERE "{path}"\n#include HERE\nint main() {{ return 0; }}\n',
    "include in a string": 'const char text[] =\n#include "{path}"\n;\nint main() {{ return 0; }}\n',
    "incbin": '__asm__(".section .rodata\\n.global t\\nt: .incbin \\"{path}\\"\\n.byte 0\\n.text");\n#include <cstdio>\n'
    "extern const char t[];\nint main() {{ puts(t); return 0; }}\n",
    "assembler include": '__asm__(".include \\"{path}\\"");\nint main() {{ return 0; }}\n',
    "embed": '#include <cstdio>\nconst char t[] = {{\n#embed "{path}"\n, 0}};\nint main() {{ puts(t); return 0; }}\n',
    "precompiled": '#pragma GCC pch_preprocess "{path}"\nint main() {{ return 0; }}\n',
    "dependency": '#pragma GCC dependency "{path}" look\nint main() {{ return 0; }}\n',
}


def told(source: str) -> str:
    """Everything that `course emulate` would show of it."""
    try:
        report = emulate_program(source, "attack.cu", deadline_s=5.0)
    except build.CompileProblem as problem:
        return "\n".join([str(problem), *(f"{f.text.en} {f.text.zh}" for f in problem.findings)])
    except CourseError as error:
        return error.message("en") + error.message("zh")
    return report.stdout + report.stderr + "".join(f.text.en for f in report.findings)


def compiled_raw(source: str) -> tuple[int, str, bytes]:
    """g++ as the emulator starts it, without the rewriter in front: exit status, messages, product."""
    folder = child.WorkFolder()
    try:
        (folder.path / "attack.cpp").write_text(source)
        compiler = build.compiler()
        assert compiler is not None
        code, words = build._run([compiler, "-std=c++17", "attack.cpp", "-o", "product"], folder)
        product = folder.path / "product"
        return code, words, product.read_bytes() if product.exists() else b""
    finally:
        folder.remove()


@needs_gxx
@pytest.mark.parametrize("how", LEAKS)
def test_the_emulator_shows_no_hidden_file(secret, how):
    assert SECRET not in told(LEAKS[how].format(path=secret))


@needs_gxx
@needs_landlock
@pytest.mark.parametrize("how", LEAKS)
def test_gxx_itself_cannot_read_a_hidden_file(secret, how):
    source = LEAKS[how].format(path=secret)
    code, words, product = compiled_raw(source)
    assert SECRET not in words and SECRET.encode() not in product
    assert code != 0 or how in ("precompiled", "dependency")
    for link in (f"../{secret.name}", f"/proc/self/root{secret}"):
        _, words, product = compiled_raw(LEAKS[how].format(path=link))
        assert SECRET not in words and SECRET.encode() not in product


@needs_gxx
@needs_landlock
def test_the_course_and_the_machine_stay_closed_to_gxx():
    paths = [Path("/etc/passwd"), Path("/proc/self/environ"), *sorted((ROOT / "solutions").rglob("*.yaml"))[:2]]
    for path in paths:
        code, words, _ = compiled_raw(f'#include "{path}"\nint main() {{ return 0; }}\n')
        assert code != 0 and ("denied" in words or "No such file" in words), words
    assert compiled_raw("#include <vector>\nint main() { return 0; }\n")[0] == 0


@needs_nvcc
@needs_landlock
@pytest.mark.parametrize("how", ["include", "incbin"])
def test_nvcc_cannot_read_a_hidden_file(secret, how, tmp_path):
    product = tmp_path / "product"
    with pytest.raises(CourseError) as caught:
        nvcc.run_nvcc(LEAKS[how].format(path=secret), "attack.cu", ["-arch=sm_80", "-c"], product)
    findings = getattr(caught.value, "findings", ())
    assert SECRET not in caught.value.message("en") + "".join(f.text.en for f in findings)
    assert not product.exists()
    assert not confine.given_up(), "a hostile file must not switch the layers off"


BOMBS = {
    "templates": "template <int A, int B> struct T {{ static const int v = T<A - 1, B>::v + T<A - 1, B + (1 << A)>::v; }};\n"
    "template <int B> struct T<0, B> {{ static const int v = 1; }};\nint main() {{ return T<28, 0>::v; }}\n",
    "recursion": "template <class P> struct T {{ using n = typename T<T<P>>::n; }};\nT<int>::n x;\nint main() {{ }}\n",
    "array": "char a[1ull << 40] = {{1}};\nint main() {{ return a[5]; }}\n",
    "constexpr": "constexpr long f(long n) {{ long s = 0; for (long i = 0; i < n; i++) s += i; return s; }}\n"
    "static_assert(f(1l << 60));\nint main() {{ }}\n",
    "include itself": "#include __FILE__\n#include __FILE__\nint main() {{ }}\n",
    "macros": "".join(f"#define A{n + 1} A{n} A{n} A{n} A{n}\n" for n in range(20)) + "#define A0 x+\nint main() {{ A20; }}\n",
    "messages": "#define M _Pragma(\"GCC warning \\\"{pad}\\\"\")\n" + "M\n" * 5000 + "int main() {{ return x; }}\n",
}  # fmt: skip


@needs_gxx
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_compile_bomb_ends_and_its_words_are_few(monkeypatch, bomb):
    monkeypatch.setattr(build, "COMPILE_SECONDS", 2)
    small = replace(child.COMPILE, cpu_seconds=2, data=512 << 20, address_space=2 << 30, file_size=16 << 20)
    monkeypatch.setattr(child, "COMPILE", small)
    started = time.monotonic()
    try:
        code, words, product = compiled_raw(BOMBS[bomb].format(pad="w" * 5000))
    except build.CompileProblem as problem:
        code, words, product = 1, str(problem), b""
    assert code != 0 and not product and len(words) <= build.MAX_MESSAGES
    assert time.monotonic() - started < 15
    assert compiled_raw("int main() { return 0; }\n")[0] == 0


@needs_nvcc
def test_a_compile_bomb_for_nvcc_ends(monkeypatch, tmp_path):
    monkeypatch.setattr(nvcc, "COMPILE_S", 2.0)
    started = time.monotonic()
    source = BOMBS["templates"].format() + "__global__ void k(int* x) { *x = T<28, 0>::v; }\n"
    with pytest.raises(CourseError):
        nvcc.run_nvcc(source, "attack.cu", ["-arch=sm_80", "-cubin"], tmp_path / "product")
    assert time.monotonic() - started < 20
