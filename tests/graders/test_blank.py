"""The gate of the blank: right and merely wrong spellings pass, places map back, and nothing else ever changes."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path

import pytest
from blank_samples import RULES, TEMPLATES
from hypothesis import given, settings
from hypothesis import strategies as st

from graders import cuda_tree
from graders.blank import BLANK, BlankRules, Injected, Language, Refused, check_fill, find_blank, guess_language, inject
from graders.errors import CourseError

# Spellings that must pass the gate, whatever the verdict of the cases is.
TRITON = [
    "0.0", "0", "-0.0", "+0", "0.", ".0", "0e0", "0x0", "0b0", "0_0", "00", "(0.0)", "((0.0))", "0.0 + 0.0", "0*1",
    "  0.0  ", "\n0.0\n", "\t0.0", "(\n    0.0\n)", "(0.0\r\n)", "0.0 if N else 0.0", "1.0 if N % 2 else 0.0", "N - N",
    "BLOCK - N", "N * 0", "N // 7", "1/0", "1 % 0", "0.0 if N == 100 else 1.0", "0 if N < BLOCK <= 4096 else 1", "N", "tl",
    "None", "True", "False", "not N", "not True", "~0", "N and 0.0", "N or 0.0", "1e-9", "-1e30", "-100.0", "1e400", "-1e999",
    "-3.4028234663852886e38", "2**31", "-2.0**127", "-(2**128)", "10**38", "-10**400", "1 << 20", "2.0**N", "0**N",
    "float('-inf')", 'float("-inf")', "float('-Infinity')", "float('-INFINITY')", "float(' -inf ')", "-float('inf')", "-float(\n'inf'\n)",
    "float('nan')", "float(0)", "float(N)", "float()", "float(1, 2)", "float('1_0')", "float('-' 'inf')", "float(float('inf'))",
    "tl.cast(0, tl.float32)", "tl.cast(0.0, dtype=tl.float32)", "tl.full((), 0.0, tl.float32)", "tl.full([BLOCK], 0.0, tl.float32)",
    "tl.full(shape=(BLOCK,), value=0, dtype=tl.float32)", "tl.float32", "1if N else 0", "N is None", "0.0 if N is not None else 1",
]  # fmt: skip
PAIR = "other_val > vi.val || (vi.val == other_val && 0 <= other_idx && (vi.idx < 0 || vi.idx > other_idx))"
CUDA = [
    PAIR, PAIR.replace("||", "or").replace("&&", "and"), PAIR.replace(" ", ""), PAIR.replace(" ", "\n"), f"({PAIR})", f"!!({PAIR})",
    PAIR.replace("other_val > vi.val", "vi.val < other_val"), f"!(!({PAIR}))", f"not not ({PAIR})", f"  {PAIR}\r\n",
    "other_idx >= 0 && (vi.idx < 0 || other_val > vi.val || (other_val == vi.val && other_idx < vi.idx))",
    "other_idx >= 0 ? vi.idx < 0 ? true : other_val > vi.val || other_val == vi.val && other_idx < vi.idx : false",
    "other_val > vi.val || (other_val == vi.val && (unsigned)other_idx < (unsigned)vi.idx)",
    "other_val > vi.val || (other_val == vi.val && unsigned(other_idx) < unsigned(vi.idx))",
    "other_val > vi.val | (other_val == vi.val & static_cast<unsigned>(other_idx) < static_cast<unsigned int>(vi.idx))",
    "other_val<vi.val&&vi.idx>(other_idx)", "vi.val < other_val > (other_idx)", "vi.idx<other_idx&&vi.idx<(other_idx)>>(1)",
    "isnan(other_val) ? !isnan(vi.val) || other_idx < vi.idx : !isnan(vi.val) && other_val > vi.val", "std::isnan(other_val)",
    "__float_as_int(other_val) > __float_as_int(vi.val)", "fabsf(other_val - vi.val) < 1e-6f", "other_val - vi.val > 0", "true", "false", "1", "0",
    "other_val", "- -other_idx > 0", "+other_val > -vi.val", "~other_idx", "compl other_idx", "other_idx not_eq vi.idx", "other_idx bitand 1",
    "other_idx xor vi.idx", "other_idx % 2 == 0", "other_idx / 2 > vi.idx >> 1", "other_idx << 3 > 1", "float(other_idx) > 1.5f",
    "int(other_val) > 0", "double(other_val) > 1e300", "bool(other_idx)", "(long long)other_idx > 1ll", "(float)(other_idx) > .5f",
    "(unsigned long long)other_idx > 1ULL", "(double)other_val > (double)vi.val", "(int)-1.0f < other_idx", "(uint32_t)other_idx > 0xffffffffu",
    "size_t(other_idx) > 1", "(float(other_idx))", "(unsigned(other_idx)) < (unsigned(vi.idx))", "(int)(float(other_idx))", "long(other_idx) > 1L", "1'000 < other_idx", "0x1p-3f < other_val", "0b101 > other_idx", "017 > other_idx",
    "1.f < other_val", "1e5 < other_val", "1.5E+3F > other_val", "other_idx > 18446744073709551615u", "other_val > vi . val", "isinf(other_val)",
    "other_idx&1", "other_idx&&1", "other_idx & -1", "other_idx- -1", "(other_idx) + 1", "(other_idx) & 1", "(other_idx) * 2", "(other_idx) - 1",
    "a" * 0 + "vi.idx < 0", "fabsf(1, 2)", "isnan()",
]  # fmt: skip


@pytest.mark.parametrize(("language", "typed"), [("triton", t) for t in TRITON] + [("cuda", t) for t in CUDA])
def test_passes(language: Language, typed: str) -> None:
    template = TEMPLATES[language]
    fill = check_fill(typed, template, RULES[language])
    made = inject(template, fill)
    assert fill.text == typed.replace("\r\n", "\n").strip()
    assert len(made.source.split("\n")) == len(template.split("\n"))
    assert_only_the_blank_differs(language, made)
    again = check_fill(fill.text, template, RULES[language])
    assert (again.normalised, again.sha256) == (fill.normalised, fill.sha256)


def assert_only_the_blank_differs(language: Language, made: Injected) -> None:
    """An account of its own: text around the span, and the syntax tree with what fills the span put back."""
    template = TEMPLATES[language]
    line = made.source.split("\n")[made.line - 1]
    inserted = line[made.column - 1 : made.end_column - 1]
    start = len("\n".join([*made.source.split("\n")[: made.line - 1], ""])) + made.column - 1
    assert made.source[:start] + BLANK + made.source[start + len(inserted) :] == template
    if language == "triton":
        tree = ast.parse(made.source)
        call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call) and any(k.arg == "other" for k in n.keywords))
        keyword = next(k for k in call.keywords if k.arg == "other")
        first = len(line[: made.column - 1].encode())
        assert first <= keyword.value.col_offset and keyword.value.end_col_offset <= first + len(inserted)
        keyword.value = ast.Name(BLANK, ast.Load())
        assert ast.dump(tree) == ast.dump(ast.parse(template))
    else:
        at = len(made.source[:start].encode())
        root = cuda_tree.parse(made.source).root_node
        assert not root.has_error
        node = root.descendant_for_byte_range(at, at + len(inserted))
        assert node is not None and (node.start_byte, node.end_byte) == (at, at + len(inserted))
        assert node.parent is not None and node.parent.type == "condition_clause"
        shape = [n.type for n in cuda_tree.nodes(root) if not at <= n.start_byte < n.end_byte <= at + len(inserted)]
        blank = cuda_tree.parse(template).root_node
        span = (at, at + len(BLANK))
        assert shape == [n.type for n in cuda_tree.nodes(blank) if not span[0] <= n.start_byte < n.end_byte <= span[1]]


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_compiler_reads_every_accepted_fill_as_one_expression(tmp_path: Path) -> None:
    """g++ takes the injected text where one argument may stand; only complaints about types are allowed."""
    head = (
        "#include <cmath>\n#include <cstdint>\nusing std::isnan; using std::isinf;\nstruct P { float val; int idx; };\n"
        "int __float_as_int(float); unsigned __float_as_uint(float);\ntemplate <class T> bool one(T);\n"
    )
    rows = []
    for typed in CUDA:
        made = inject(TEMPLATES["cuda"], check_fill(typed, TEMPLATES["cuda"], RULES["cuda"]))
        text = made.source.split("\n")[made.line - 1][made.column - 1 : made.end_column - 1]
        rows.append(f"void f{len(rows)}(float other_val, int other_idx, P vi) {{ one({text}); }}")
    source = tmp_path / "fills.cpp"
    source.write_text(head + "\n".join(rows) + "\n")
    command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-fmax-errors=0", str(source)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stderr
    errors = [line for line in told.split("\n") if ": error:" in line]
    assert {line.split(":")[1] for line in errors} == {
        str(head.count("\n") + 1 + CUDA.index(t)) for t in ("fabsf(1, 2)", "isnan()")
    }, errors


def test_white_space_does_not_change_the_hash() -> None:
    template, rules = TEMPLATES["cuda"], RULES["cuda"]
    one, two, three = (check_fill(t, template, rules) for t in ("vi.idx<0", " vi . idx\n < 0 ", "vi.idx<=0"))
    assert one.sha256 == two.sha256 != three.sha256
    template, rules = TEMPLATES["triton"], RULES["triton"]
    one, two, three = (check_fill(t, template, rules) for t in ("float('inf')", '(float( "inf" ))', "float('-inf')"))
    assert one.sha256 == two.sha256 != three.sha256


def test_brackets_where_the_place_needs_them() -> None:
    rules = BlankRules(frozenset({"a", "b"}), frozenset(), frozenset(), "triton")
    made = inject("x = 2 * ______ ** 3\n", check_fill(" a +\tb", "x = 2 * ______ ** 3\n", rules))
    assert made.source == "x = 2 * (a +\tb) ** 3\n"
    place = made.to_learner(1, 13)  # the `b` may be reached through the brackets, too
    assert (place.where, place.line, place.column) == ("blank", 1, 5)
    rules = BlankRules(frozenset({"a", "b"}), frozenset(), frozenset(), "cuda")
    template = "int f(int a, int b) { return a * ______ - 1; }\n"
    made = inject(template, check_fill("a + b", template, rules))
    assert "a * (a + b) - 1" in made.source
    assert inject(template, check_fill("a", template, rules)).source == template.replace(BLANK, "a")


def test_places_map_back_to_what_was_typed() -> None:
    template = TEMPLATES["triton"]
    made = inject(template, check_fill("\n  (\n N +\n   1)", template, RULES["triton"]))
    row = made.source.split("\n")[made.line - 1]
    for word, line, column in (("N +", 3, 2), ("1)", 4, 4), ("(  N", 2, 3)):
        place = made.to_learner(made.line, row.index(word, made.column - 1) + 1)
        assert (place.where, place.line, place.column) == ("blank", line, column)
    assert made.to_learner(made.line, 3) == made.to_learner(made.line, 3).__class__("template", made.line, 3)
    after = made.to_learner(made.line, row.index("# 单位元") + 1)
    blank_row = template.split("\n")[made.line - 1]
    assert (after.where, after.column) == ("template", blank_row.index("# 单位元") + 1)
    assert made.to_learner(made.line + 1, 5).where == "template"
    assert made.to_learner(made.line, 0).column == 0


def test_the_blank_stands_exactly_once() -> None:
    for language in ("triton", "cuda"):
        place = find_blank(TEMPLATES[language])
        assert TEMPLATES[language][place.offset :].startswith(BLANK)
        assert guess_language(TEMPLATES[language]) == language
    bad: list[tuple[Language, str]] = [
        ("triton", "x = 1  # ______\n"),
        ("triton", "x = '______'\n"),
        ("triton", "x = ______ + ______\n"),
        ("triton", "______ = 1\n"),
        ("triton", "def ______(): pass\n"),
        ("triton", "x.______\n"),
        ("triton", "f(______=1)\n"),
        ("triton", "x = _______\n"),
        ("triton", "x = (\n"),
        ("cuda", "// ______\nint x;\n"),
        ("cuda", 'const char* s = "______";\n'),
        ("cuda", "int x = ______ + ______;\n"),
        ("cuda", "int ______;\n"),
        ("cuda", "______ x;\n"),
        ("cuda", "#define X ______\n"),
        ("cuda", "int x = a.______;\n"),
        ("cuda", "int x = _______;\n"),
    ]
    for language, template in bad:
        with pytest.raises(CourseError) as caught:
            find_blank(template, language)
        assert not isinstance(caught.value, Refused) and caught.value.text.zh


# ---- random expressions of the grammar pass, random damage never gets through ----

python_leaf = st.one_of(
    st.sampled_from(["N", "BLOCK", "tl.float32", "float('-inf')", "None", "True", "0.0", "1e-9"]),
    st.integers(0, 10**9).map(str),
    st.floats(0, allow_nan=False, allow_infinity=False).map(repr),
)
python_expression = st.recursive(
    python_leaf,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">", ">=", "and", "or"]
            ),
            inner,
        ).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["-", "+", "~", "not "]), inner).map(lambda t: f"({t[0]}{t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        inner.map(lambda t: f"float({t})"),
        inner.map(lambda t: f"tl.cast({t}, tl.float32)"),
    ),
    max_leaves=12,
)
cpp_leaf = st.one_of(
    st.sampled_from(["other_val", "other_idx", "vi.val", "vi.idx", "true", "1.5f", "0xffu", ".5", "1e-6f"]),
    st.integers(0, 2**31 - 1).map(str),
)
cpp_expression = st.recursive(
    cpp_leaf,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                ["+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "and", "or"]
            ),
            inner,
        ).map(lambda t: f"{t[0]} {t[1]} {t[2]}"),
        st.tuples(inner, st.sampled_from(["<", ">", "&&", "||"]), inner).map(lambda t: f"{t[0]}{t[1]}({t[2]})"),
        st.tuples(st.sampled_from(["!", "~", "+", "not ", "(float)", "(unsigned)"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
        st.tuples(st.sampled_from(["isnan", "fabsf", "float", "unsigned", "static_cast<int>"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(python_expression)
def test_random_python_expressions_pass(text: str) -> None:
    assert_only_the_blank_differs(
        "triton", inject(TEMPLATES["triton"], check_fill(text, TEMPLATES["triton"], RULES["triton"]))
    )


@settings(max_examples=150, deadline=None)
@given(cpp_expression)
def test_random_cpp_expressions_pass(text: str) -> None:
    assert_only_the_blank_differs("cuda", inject(TEMPLATES["cuda"], check_fill(text, TEMPLATES["cuda"], RULES["cuda"])))


PIECES = [
    "(", ")", "[", "]", "{", "}", ",", ";", ":", "#", "\\", "\n", "\r", "\t", "'", '"', "'''", "//", "/*", "*/", "=", ":=", "->", ".", "..", "*", "**",
    "&", "<", ">", "<<", "<%", "%:", "??)", "@", "$", "`", "!", "\x00", "\x0c", "\u200b", "\u202e", "０", "＋", "\ud800", "lambda: ", "yield ", "for ",
    "f'", "R\"(", "asm(", "#define x\n", "if ", "else ", "0", "9**9", "__class__", "N", "vi", "other_val", ", mask=None", ") + (", "float(", "::", "++",
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["triton", "cuda"]), st.data())
def test_random_damage_is_refused_or_stays_inside(language: Language, data: st.DataObject) -> None:
    """Pieces of hostile text put into a good fill: refused at a place inside of it, or a file that differs nowhere else."""
    text = data.draw(st.sampled_from(TRITON if language == "triton" else CUDA))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at + data.draw(st.integers(0, 2)) :]
    try:
        fill = check_fill(text, TEMPLATES[language], RULES[language])
    except Refused as refused:
        rows = text.replace("\r\n", "\n").split("\n")
        assert 1 <= refused.line <= len(rows) and 1 <= refused.column <= len(rows[refused.line - 1]) + 1
        assert refused.reason.en and refused.reason.zh
        refused.message("zh").encode()  # can be printed
        return
    assert_only_the_blank_differs(language, inject(TEMPLATES[language], fill))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["triton", "cuda"]), st.text(max_size=60))
def test_any_text_is_refused_or_stays_inside(language: Language, text: str) -> None:
    try:
        fill = check_fill(text, TEMPLATES[language], RULES[language])
    except Refused as refused:
        refused.message("en").encode()
        return
    assert_only_the_blank_differs(language, inject(TEMPLATES[language], fill))
