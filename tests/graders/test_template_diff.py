"""A submitted file against its template: the fill as typed, and which edits are harmless, noted or a veto."""

from __future__ import annotations

import ast
import re
import time
from random import Random

import pytest
from blank_samples import TEMPLATES
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.blank import BLANK, Language
from graders.errors import BadInput
from graders.template_diff import Comparison, compare, marker, read_text, similarity, weakened_by_fill
from graders.template_diff_tokens import tokens

FILLS: dict[Language, str] = {
    "triton": "0.0",
    "cuda": "other_val > vi.val || (other_val == vi.val && other_idx < vi.idx)",
}


def filled(language: Language, fill: str | None = None) -> str:
    """The template with a fill in the blank that stands in the code (comments keep their mention of it)."""
    template = TEMPLATES[language]
    around = ("other=", ")") if language == "triton" else ("if (", ")")
    spot = f"{around[0]}{BLANK}{around[1]}"
    assert template.count(spot) == 1
    return template.replace(spot, f"{around[0]}{FILLS[language] if fill is None else fill}{around[1]}")


def edited(language: Language, *changes: tuple[str, str]) -> Comparison:
    """Compare a filled template in which each old text, which must stand there once, is replaced."""
    text = filled(language)
    for old, new in changes:
        assert text.count(old) == 1, (text.count(old), old)
        text = text.replace(old, new)
    made = compare(TEMPLATES[language], text, language)
    for edit in made.edits:
        lines = text.split("\n")
        assert 1 <= edit.line <= len(lines) and 1 <= edit.column <= len(lines[edit.line - 1]) + 1
        assert edit.words.en and edit.words.zh
    return made


GUARD = """    if n == 0:
        raise ValueError("rows are empty")
"""
STATUS = """        if (status != cudaSuccess) {    \\
            return status;              \\
        }                               \\
"""
BOUNDS = """        if (mine.idx < 0 || x[i] > mine.val) {
            mine = Pair{x[i], i};
        }
"""
SIZES = """    if (n <= 0 || blocks <= 0 || threads <= 0) {
        return cudaErrorInvalidValue;
    }
"""

# Edits that weaken a guard: (what to replace, line of the edit in the submitted file or 0, part of the words)
VETOES: list[tuple[Language, list[tuple[str, str]], int, str]] = [
    ("triton", [("mask=inside, ", "")], 14, "mask was removed"),
    ("triton", [("mask=inside", "mask=None")], 14, "mask was replaced"),
    ("triton", [("mask=inside", "mask=cols >= 0")], 14, "mask was replaced"),
    ("triton", [("cols < N", "cols <= N")], 13, "mask was loosened"),
    ("triton", [("cols < N", "cols < N + 1")], 13, "mask was loosened"),
    ("triton", [("cols < N", "cols < BLOCK")], 13, "mask was replaced"),
    ("triton", [("cols < N", "True")], 13, "mask was replaced"),
    ("triton", [("cols < N", "(cols < N) | (cols >= N)")], 13, "mask was loosened"),
    ("triton", [("inside = cols < N\n", "inside = cols < N\n    inside = cols < BLOCK\n")], 14, "mask was defined anew"),
    ("triton", [("    inside = cols < N\n", ""), ("mask=inside", "mask=cols < 2 * N")], 0, "mask was re"),
    ("triton", [(GUARD, "")], 28, "was removed"),
    ("triton", [("if n == 0:", "if n < 0:")], 28, "loosened"),
    ("triton", [("if n == 0:", "if False:")], 28, "replaced"),
    ("triton", [("if n == 0:", "if n == 0 and rows == 0:")], 28, "loosened"),
    ("triton", [('        raise ValueError("rows are empty")', "        pass")], 0, "removed"),
    ("triton", [('        raise ValueError("rows are empty")', "        return out")], 0, "removed"),
    ("triton", [(GUARD, "    if rows > 9:\n" + GUARD.replace("    ", "        ").replace("                raise", "            raise"))],
     28, "was replaced"),
    ("triton", [(GUARD, "    try:\n        if n == 0:\n            raise ValueError\n    except ValueError:\n        pass\n")],
     28, "condition of its own"),
    ("triton", [("    rows, n = x.shape\n", "    rows, n = x.shape\n    return out\n")], 28, "no longer be reached"),
    ("triton", [("    assert x.ndim == 2 and x.stride(1) == 1\n", "")], 26, "assertion was removed"),
    ("triton", [("assert x.ndim == 2 and x.stride(1) == 1", "assert x.ndim == 2")], 26, "assertion was loosened"),
    ("triton", [("assert x.ndim == 2 and x.stride(1) == 1", "assert x.ndim == 2 or x.stride(1) == 1")], 26, "loosened"),
    ("triton", [("assert x.ndim == 2 and x.stride(1) == 1", "assert True")], 27, "removed"),
    ("triton", [("assert x.ndim == 2 and x.stride(1) == 1", "print(x.ndim)")], 27, "assertion was removed"),
    ("triton", [("atol=1e-5", "atol=1e-2")], 40, "tolerance was loosened"),
    ("triton", [("rtol=1e-5", "rtol=1.0")], 40, "tolerance was loosened"),
    ("triton", [("rtol=1e-5", 'rtol=float("inf")')], 40, "tolerance was replaced"),
    ("triton", [("torch.testing.assert_close(row_sum(x, out), x.sum(1), atol=1e-5, rtol=1e-5)", "row_sum(x, out)")],
     40, "assertion was removed"),
    ("triton", [("(4, 100), ", "")], 37, "cases that are tried"),
    ("triton", [("((1, 1), (4, 100), (7, 257))", "[(1, 1)]")], 37, "cases that are tried"),
    ("triton", [("(7, 257)", "(7, 256)")], 37, "cases that are tried"),
        ("triton", [("limit = 4096", "limit = 1000000")], 19, "loosened"),
    ("triton", [("> limit", "> limit + 5")], 20, "loosened"),
    ("triton", [("def check():\n", "torch.testing.assert_close = print\n\n\ndef check():\n")], 36, "defined anew"),
    ("cuda", [("i < n; i +=", "i <= n; i +=")], 40, "bounds check was loosened"),
    ("cuda", [("i < n; i +=", "i < n + 1; i +=")], 40, "bounds check was loosened"),
    ("cuda", [("i < n; i +=", "true; i +=")], 40, "replaced"),
    ("cuda", [("i < n; i +=", "; i +=")], 40, "replaced"),
    ("cuda", [("i < n; i +=", "i < 2 * n; i +=")], 40, "replaced"),
    ("cuda", [(BOUNDS, "        mine = Pair{x[i], i};\n")], 42, "bounds check was removed"),
    ("cuda", [(SIZES, "")], 0, "removed"),
    ("cuda", [("n <= 0 || blocks <= 0 ||", "n <= 0 ||")], 58, "loosened"),
    ("cuda", [("n <= 0 ||", "n < 0 ||")], 58, "loosened"),
    ("cuda", [("return cudaErrorInvalidValue", "return cudaSuccess")], 59, "CUDA errors was removed"),
    ("cuda", [("    CHECK(cudaGetLastError());\n", "")], 0, "CUDA errors was removed"),
    ("cuda", [("CHECK(cudaDeviceSynchronize());", "cudaDeviceSynchronize();")], 66, "CUDA errors was removed"),
    ("cuda", [("CHECK(cudaMalloc(&device_x, n * sizeof(float)));", "cudaMalloc(&device_x, n * sizeof(float));")],
     62, "CUDA errors was removed"),
    ("triton", [("if out.shape != (rows,):", "if out.shape == (rows,):")], 30, "replaced"),
    ("triton", [("x.ndim == 2 and", "x.ndim != 2 and")], 26, "assertion was replaced"),
    ("cuda", [("        return cudaErrorInvalidValue;\n", "")], 0, "removed"),
    ("cuda", [("if (status != cudaSuccess) {    \\", "if (status == cudaSuccess) {    \\")], 6, "defined anew"),
    ("cuda", [("i < n; i +=", "i - 1 < n; i +=")], 40, "loosened"),
    ("cuda", [(STATUS, "")], 6, "CUDA errors was defined anew"),
    ("cuda", [("constexpr int kWarp = 32;", "#undef CHECK\n#define CHECK(x) x\nconstexpr int kWarp = 32;")], 15, "defined anew"),
    ("cuda", [(SIZES, "#if 0\n" + SIZES + "#endif\n")], 58, "condition of its own"),
    ("cuda", [("    float* device_x = nullptr;\n", "    return cudaSuccess;\n    float* device_x = nullptr;\n")], 61, "no longer be reached"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "changes", "line", "part"), VETOES)
def test_weakened_guard_is_a_veto(language: Language, changes: list[tuple[str, str]], line: int, part: str) -> None:
    made = edited(language, *changes)
    assert made.fill == FILLS[language]
    assert any(part in edit.words.en and line in (0, edit.line) for edit in made.vetoes), made.edits


LOCALS = [
    ("cols = tl.arange", "lane = tl.arange"),
    ("inside = cols < N", "inside = lane < N"),
    ("step + cols,", "step + lane,"),
]

# Edits that must not be a veto: near misses, and what every editor does to a file.
HARMLESS: list[tuple[Language, list[tuple[str, str]], str]] = [
    ("triton", [], ""),
    ("triton", [("    line = tl.program_id(0)\n", "    # my row\n    line = tl.program_id(0)  # here\n\n")], ""),
    ("triton", [("mask=inside,", "mask=(inside),")], ""),
    ("triton", [("src + line * step + cols, mask=inside, other=0.0)", "\n        src + line * step + cols,\n        mask=inside,\n        other=0.0,\n    )")], ""),
    ("triton", [("cols < N", "N > cols")], ""),
    ("triton", [("cols < N", "(cols < N)")], ""),
    ("triton", [("    inside = cols < N\n", ""), ("mask=inside", "mask=cols < N")], "harmless"),
    ("triton", LOCALS, "harmless"),
    ("triton", [("if n == 0:", "if not n:")], ""),
    ("triton", [("if n == 0:", "if 0 == n:")], ""),
    ("triton", [("if n == 0:", "if n == 0 or rows == 0:")], "noted"),
    ("triton", [("if out.shape != (rows,):", "if tuple(out.shape) != (rows,):")], ""),
    ("triton", [("assert x.ndim == 2 and", "assert len(x.shape) == 2 and")], ""),
    ("triton", [("assert x.ndim == 2 and x.stride(1) == 1", "assert x.stride(1) == 1 and x.ndim == 2, 'shape'")], ""),
    ("triton", [('raise ValueError("rows are empty")', 'raise ValueError("nothing to add up")')], ""),
    ("triton", [("atol=1e-5", "atol=1e-6")], "noted"),
    ("triton", [("(7, 257))", "(7, 257), (3, 3))")], "noted"),
    ("triton", [("    return out\n\n\ndef check", "    print(out)\n    return out\n\n\ndef check")], "harmless"),
    ("triton", [("import torch\n", "import math\nimport torch\n")], "harmless"),
    ("triton", [("limit = 4096", "limit = 1024")], "noted"),
    ("triton", [("axis=0", "axis=-1")], "noted"),
    ("triton", [("x.sum(1), atol", "x.sum(dim=1), atol")], "noted"),
    ("triton", [("    line = tl.program_id(0)\n    cols = tl.arange(0, BLOCK)\n", "    cols = tl.arange(0, BLOCK)\n    line = tl.program_id(0)\n")], "noted"),
    ("triton", [('    """一行一个 program：Each program adds up one row."""\n', "")], ""),
    ("cuda", [], ""),
    ("cuda", [("    int lane = threadIdx.x % kWarp;\n", "    int lane = threadIdx.x % kWarp;  // 0..31\n\n    /* warp */\n")], ""),
    ("cuda", [("i < n; i +=", "n > i; i +=")], ""),
    ("cuda", [("n <= 0 || blocks <= 0 ||", "n < 1 || blocks < 1 ||")], ""),
    ("cuda", [("    if (lane == 0) {\n", "    if (0 == lane)\n    {\n")], ""),
    ("cuda", [(SIZES, "    if (n <= 0 || threads <= 0 || blocks <= 0) return cudaErrorInvalidValue;\n")], ""),
    ("cuda", [("    Pair mine{-INFINITY, -1};\n", "    Pair mine{-INFINITY, -1};\n    if (i_am_curious) printf(\"x\");\n")], "noted"),
    ("cuda", [("    cudaFree(device_x);\n", "    cudaFree(device_x);\n    printf(\"done\\n\");\n")], "harmless"),
    ("cuda", [("float* device_x = nullptr", "float* device_x = NULL")], ""),
    ("cuda", [("0xffffffffu, vi.val", "0xFFFFFFFF, vi.val")], ""),
    ("cuda", [("#include <math.h>\n", "#include <math.h>\n#include <stdio.h>\n")], "harmless"),
    ("cuda", [("    __syncthreads();\n", "")], "noted"),
    ("cuda", [("n <= 0 ||", "n <= 0 || n > 1000000 ||")], "noted"),
    ("cuda", [("step >>= 1", "step /= 2")], "noted"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "changes", "worst"), HARMLESS)
def test_harmless_edit_is_no_veto(language: Language, changes: list[tuple[str, str]], worst: str) -> None:
    made = edited(language, *changes)
    assert made.fits and made.fill == FILLS[language], made
    severities = {edit.severity for edit in made.edits}
    assert severities <= {"harmless", "noted"}, made.edits
    assert (worst in severities) if worst else not severities, made.edits


@pytest.mark.parametrize("language", ["triton", "cuda"])
def test_line_ends_and_marks_do_not_count(language: Language) -> None:
    text = filled(language)
    for raw in (text.encode(), text.replace("\n", "\r\n").encode("utf-8-sig"), text.encode("utf-16")):
        made = compare(TEMPLATES[language], read_text(raw), language)
        assert made.fits and made.edits == () and made.fill == FILLS[language]


@pytest.mark.parametrize("language", ["triton", "cuda"])
def test_unfilled(language: Language) -> None:
    for text in (TEMPLATES[language], filled(language, ""), filled(language, f" ( {BLANK} ) ")):
        made = compare(TEMPLATES[language], text, language)
        assert made.unfilled and made.fill is None and not made.vetoes
        assert made.line > 0


# A fill as typed comes back as typed, with its place, also where it keeps the file from parsing.
TYPED: list[tuple[Language, str]] = [
    ("triton", "float('-inf')"),
    ("triton", "-float(\n        'inf'\n    )"),
    ("triton", "tl.full((1,), 0.0, tl.float32)"),
    ("triton", "０.０"),
    ("triton", "0.0, mask=None"),
    ("triton", "0.0 +"),
    ("triton", "lambda: (1, 2)"),
    ("triton", "零 if N else 1"),
    ("triton", 'float(")")'),
    ("triton", "1.0 if N % 2 else 0.0"),
    ("cuda", "true"),
    ("cuda", "other_val\n    > vi.val\n    || isnan(other_val)"),
    ("cuda", "[&]{ return true; }()"),
    ("cuda", "other_val ＞ vi.val"),
    ("cuda", "other_val = 3, true"),
    ("cuda", 'system(")")'),
    ("cuda", "((other_val) > (vi.val))"),
    ("cuda", "unsigned(other_idx) < unsigned(vi.idx)"),
    ("cuda", "other_val<vi.val&&vi.idx>(other_idx)"),
]


@pytest.mark.parametrize(("language", "fill"), TYPED)
def test_fill_comes_back_as_typed(language: Language, fill: str) -> None:
    text = filled(language, fill)
    made = compare(TEMPLATES[language], text, language)
    assert made.fill == fill
    offset = sum(len(row) + 1 for row in text.split("\n")[: made.line - 1]) + made.column - 1
    assert text[offset:].startswith(fill)
    assert not made.vetoes and made.edits == ()


def test_comments_in_a_fill_are_blanked_out() -> None:
    made = compare(TEMPLATES["cuda"], filled("cuda", "true  // wins\n   || /* or */ false"), "cuda")
    assert made.fill == "true         \n   ||          false"
    made = compare(TEMPLATES["triton"], filled("triton", "(0.0  # zero\n  )"), "triton")
    assert made.fill == "(0.0        \n  )"


def test_fill_is_found_in_a_moved_and_edited_function() -> None:
    text = filled("cuda")
    start, end = text.index("__device__ __forceinline__ Pair warp_best"), text.index("__global__ void argmax_kernel")
    moved = text[:start] + text[end:].replace("i < n; i +=", "i <= n; i +=") + "\n\n" + text[start:end]
    made = compare(TEMPLATES["cuda"], moved, "cuda")
    assert made.fill == FILLS["cuda"] and made.fits
    assert [edit.words.en for edit in made.vetoes] == ["the bounds check was loosened"]
    assert any(edit.kind == "reordered" and edit.severity == "harmless" for edit in made.edits)


def test_renamed_locals_are_translated() -> None:
    text = filled("cuda", "ov > vi.val || (ov == vi.val && other_idx < vi.idx)")
    text = text.replace("float other_val =", "float ov =").replace("vi.val = other_val;", "vi.val = ov;")
    made = compare(TEMPLATES["cuda"], text, "cuda")
    assert made.renames == {"ov": "other_val"} and made.translated == FILLS["cuda"]
    assert {edit.severity for edit in made.edits} == {"harmless"}


# (language, the submitted file, line where it stops fitting, part of the words)
BROKEN: list[tuple[Language, str, int, str]] = [
    ("triton", filled("triton").replace("if n == 0:", "if n == 0"), 28, "if n == 0:"),
    ("triton", filled("triton").replace(", other=0.0", ""), 14, "part = tl.load"),
    ("triton", filled("triton", "float('-inf'"), 14, "never closed"),
    ("triton", "print('hello')\n", 1, "little in common"),
    ("triton", "", 1, "little in common"),
    ("triton", "x" * 300_000, 1, "far larger"),
    ("triton", "a = " + "(" * 5000, 1, ""),
    ("triton", "a = " + "-" * 50_000 + "1", 1, ""),
    ("cuda", filled("cuda").replace("        if (other_val", "        while (other_val"), 0, "if (______)"),
    ("cuda", filled("cuda").replace("return vi;\n}", "return vi;\n"), 0, ""),
    ("cuda", filled("cuda", "true) { vi.idx = 3; } if (true"), 0, "______"),
    ("cuda", "int main() { return 0; }\n", 1, "little in common"),
    ("cuda", "%PDF-1.7 \x01\x02((((", 1, "little in common"),
    ("cuda", "int a = " + "(" * 20_000, 1, ""),
]


@pytest.mark.parametrize(("language", "text", "line", "part"), BROKEN)
def test_says_where_a_file_stops_fitting(language: Language, text: str, line: int, part: str) -> None:
    made = compare(TEMPLATES[language], text, language)
    assert not made.fits and made.stops_fitting_at is not None
    assert part in made.stops_fitting_at.words.en and made.stops_fitting_at.words.zh
    assert line in (0, made.stops_fitting_at.line)


def test_similarity_and_marker() -> None:
    for language in ("triton", "cuda"):
        assert similarity(TEMPLATES[language], filled(language)) > 0.9
        assert marker(filled(language)) == {"triton": "demo-rowsum", "cuda": "demo-argmax"}[language]
    assert similarity(TEMPLATES["triton"], TEMPLATES["cuda"]) < 0.2
    assert similarity(TEMPLATES["triton"], filled("triton").replace("if n == 0:", "if n == 0")) > 0.5
    assert similarity(TEMPLATES["triton"], "") == 0.0
    assert marker("%%writefile a.cu\n// course: lesson12-nan\nint x;") == "lesson12-nan"
    assert marker("print('# course: x')") is None and marker("") is None


def test_read_text_refuses_what_is_not_text() -> None:
    assert read_text("行\r\nb\r".encode("utf-16-be").join([b"\xfe\xff", b""])) == "行\nb\n"
    assert read_text("é".encode("utf-32")) == "é"
    for raw, part in (
        (b"\x00\x01\x02", "binary"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "binary"),
        ("行".encode("gb18030"), "UTF-8 (byte 1)"),
        (b"ok\xff", "byte 3"),
        (b"\xff\xfe\x00\xd8", "UTF-16"),
        (b"a" * 2_000_001, "2000001 bytes"),
    ):
        with pytest.raises(BadInput) as caught:
            read_text(raw, "answers.md")
        assert part in caught.value.text.en and str(caught.value.where) == "answers.md"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["triton", "cuda"]), st.data())
def test_random_damage_never_escapes(language: Language, data: st.DataObject) -> None:
    """Whatever is cut out of or put into a file, the comparison returns, and its places lie in the file."""
    text = filled(language)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 60, len(text))))
        put = data.draw(
            st.sampled_from(
                ["", "(", ")", "{", "}", '"', "'''", "#", "/*", "\n", "\\", ",", ";", "０", "\x01", "if ", BLANK]
            )
        )
        text = text[:start] + put + text[end:]
    made = compare(TEMPLATES[language], text, language)
    lines = text.replace("\r", "\n").split("\n")
    for line, column in [(e.line, e.column) for e in made.edits] + ([(made.line, made.column)] if made.line else []):
        assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1
    if made.fill is not None:
        assert not re.search(rf"\b{BLANK}\b", made.fill)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("triton", "other=0.0)\n" * 15_000),
        ("triton", "x = 1\n" * 30_000),
        ("triton", "if n == 0:\n    pass\n" * 9_000),
        ("cuda", "if (a) { b = 1; }\n" * 10_000),
        ("cuda", "(" * 190_000),
        ("cuda", "/*" * 90_000),
        ("triton", "'" * 190_000),
    ],
)
def test_a_huge_file_takes_seconds_at_most(language: Language, text: str) -> None:
    start = time.monotonic()
    compare(TEMPLATES[language], text, language)
    assert time.monotonic() - start < 10


def test_python_written_anew_by_a_formatter() -> None:
    """ast.unparse drops every comment, docstring quote, bracket and line break that it can."""
    made = compare(TEMPLATES["triton"], ast.unparse(ast.parse(filled("triton"))), "triton")
    assert made.fits and made.fill == "0.0" and made.edits == ()


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_cuda_written_anew_by_a_formatter(random: Random) -> None:
    """Any white space and comments between the tokens, outside of preprocessor lines."""
    rows = filled("cuda").split("\n")
    first = next(i for i, row in enumerate(rows) if row.startswith("constexpr"))
    text = "\n".join(rows[first:]).replace("#pragma unroll\n", "")
    parts = [t.text for t in tokens(text, "cuda")]
    glue = [" ", "\n", "\t ", "  // note\n", " /* note */ ", "\n\n"]
    body = ""
    for before, after in zip(parts, [*parts[1:], ""], strict=True):
        signs = not (before[-1].isalnum() or before[-1] in "_\"'" or after[:1].isalnum() or after[:1] in "_\"'")
        body += before + ("" if signs and f"{before}{after}" in JOINED else random.choice(glue))
    made = compare(TEMPLATES["cuda"], "\n".join(rows[:first]) + "\n" + body, "cuda")
    assert made.fits, made.stops_fitting_at
    assert made.fill is not None and "".join(made.fill.split()) == "".join(FILLS["cuda"].split())
    assert [edit.before for edit in made.edits] == ["#pragma unroll"]


# Signs of two characters, which the words of the tokens split.
JOINED = {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "/=", "++", "--", "->", "::", "<<<", ">>>"}


WEAK: list[tuple[Language, str, str, str]] = [
    ("triton", "x = tl.load(p, mask=______, other=0.0)\n", "True", "mask"),
    ("triton", "x = tl.load(p, mask=______, other=0.0)\n", "1 < 2", "mask"),
    ("triton", "x = tl.load(p, mask=______, other=0.0)\n", "cols < N", ""),
    ("triton", "x = tl.load(p, mask=m & (______), other=0.0)\n", "True", "mask"),
    ("triton", "x = tl.load(p, mask=m, other=______)\n", "0.0", ""),
    ("triton", "assert ______\n", "True", "assertion"),
    ("triton", "if ______:\n    raise ValueError\n", "False", "refuses"),
    ("triton", "if ______:\n    raise ValueError\n", "n < 1", ""),
    ("cuda", "void f(int n) { for (int i = 0; ______; ++i) { g(i); } }\n", "true", "bounds"),
    ("cuda", "void f(int n) { if (______) { return; } g(n); }\n", "0", "refuses"),
    ("cuda", "void f(int n) { if (______) { g(n); } }\n", "true", ""),
]


@pytest.mark.parametrize(("language", "template", "fill", "part"), WEAK)
def test_a_fill_that_makes_a_guard_constant(language: Language, template: str, fill: str, part: str) -> None:
    told = weakened_by_fill(template, fill, language)
    assert (told is not None) == bool(part)
    assert told is None or part in told.en
