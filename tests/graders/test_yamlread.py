"""Strict YAML: what is read as meant, what is refused, and where the message points."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from graders.errors import BadInput
from graders.yamlread import FileProblems, load, loads

HERE = Path("lesson.yaml")


def problems(words: str) -> list[tuple[int, int, str]]:
    with pytest.raises(FileProblems) as caught:
        loads(words, HERE)
    assert all(p.text.en and p.text.zh for p in caught.value.problems)
    return [(p.where.line, p.where.column, p.path) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("1e-3", 0.001), ("1E5", 1e5), ("-2.5e+3", -2500.0), (".5", 0.5), ("5.", 5.0), ("1_000", 1000), ("0x1F", 31), ("0o17", 15),
        ("0", 0), ("-0", 0), ("+7", 7), ("true", True), ("false", False), ("null", None), ("~", None), ("", None),
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("Off", "Off"), ("y", "y"), ("True", "True"), ("12:30", "12:30"),
        ("1:2:3", "1:2:3"), ("2001-01-01", "2001-01-01"), ("'1e-3'", "1e-3"), ('"no"', "no"), ("'010'", "010"), ("1e", "1e"),
        ("=", "="), (".", "."), ("1.2.3", "1.2.3"), ("-", [None]),
    ],
)  # fmt: skip
def test_scalars_are_read_as_meant(words: str, value: object) -> None:
    got = loads(f"a: {words}\n" if words != "-" else "a:\n-\n", HERE).data["a"]
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize("words", ["nan", ".nan", "NaN"])
def test_nan_is_a_number(words: str) -> None:
    assert math.isnan(loads(f"a: {words}", HERE).data["a"])


@pytest.mark.parametrize(
    ("words", "value"), [("inf", math.inf), ("-inf", -math.inf), (".inf", math.inf), ("-.inf", -math.inf)]
)
def test_infinities(words: str, value: float) -> None:
    assert loads(f"a: {words}", HERE).data["a"] == value


def test_leading_zero_is_an_error_with_its_fix() -> None:
    with pytest.raises(FileProblems, match="write 10, 0o10 for octal, or '010' for text") as caught:
        loads("a: 1\nb: 010\n", HERE)
    assert caught.value.problems[0].where.line == 2


def test_all_problems_at_once_with_line_and_column() -> None:
    found = problems("a: 1\na: 2\nb:\n  c: 007\n  c: 3\nd: !!python/object:os.system {}\n")
    assert found == [(2, 1, "a"), (4, 6, "b.c"), (5, 3, "b.c"), (6, 4, "d")]


@pytest.mark.parametrize(
    "tag",
    ["!!python/object/apply:os.system ['x']", "!!python/name:os.system", "!custom 1", "!!binary aGk=", "!!set {a}"],
)
def test_tags_are_refused(tag: str) -> None:
    assert problems(f"a: {tag}\n")[0][0] == 1


def test_alias_bomb_is_refused_quickly() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    assert problems("\n".join(lines))


def test_aliases_in_moderation_are_read() -> None:
    assert loads("a: &x {n: 1}\nb: *x\n", HERE).data == {"a": {"n": 1}, "b": {"n": 1}}


@pytest.mark.parametrize(
    "words", ["<<: {a: 1}", "? [a]\n: 1", "a: [1,\nb: 2", "a: 'x", "\t a: 1", "a: 1\n b: 2", "[" * 200]
)
def test_what_cannot_be_read_names_a_line(words: str) -> None:
    assert problems(words)[0][0] >= 1


def test_marks_point_at_keys_values_and_items() -> None:
    document = loads("cases:\n  - name: x\n    n: [1, 2]\n", HERE)
    assert str(document.where(("cases", 0, "n"))) == "lesson.yaml:3:5"
    assert str(document.where(("cases", 0, "n", 1))) == "lesson.yaml:3:12"
    assert str(document.where(("cases", 0, "absent", "deep"))) == "lesson.yaml:2:5"


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\nb: \xff\xfe\n")
    with pytest.raises(BadInput, match=r"a\.yaml:2: is not UTF-8"):
        load(path)
    with pytest.raises(BadInput, match="cannot be read"):
        load(tmp_path / "absent.yaml")
    path.write_bytes(b"# " + b"x" * 5_000_000)
    with pytest.raises(BadInput, match="larger"):
        load(path)


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("\ufeffa: 1\r\nb: 文\r\n".encode())
    assert load(path).data == {"a": 1, "b": "文"}


words_ = st.text(
    st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\u2028\u2029\x85\ufeff"), max_size=12
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | words_,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words_.filter(bool), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(words_.filter(lambda k: k not in ("", "<<")), plain, max_size=4))
def test_what_pyyaml_writes_is_read_back(value: dict[str, object]) -> None:
    words = yaml.safe_dump(value, allow_unicode=True)
    try:
        got = loads(words, HERE).data
    except FileProblems as problem:
        assert "<<" in words or "begins with a zero" in problem.message("en") or "YAML" in problem.message("en")
        return
    assert got == (value or {}) or _only_spelled_differently(got, value)


def _only_spelled_differently(got: object, value: object) -> bool:
    """PyYAML leaves words such as 1e3 unquoted, which YAML 1.2 reads as numbers; nothing else may differ."""
    if isinstance(value, dict) and isinstance(got, dict):
        return got.keys() == value.keys() and all(_only_spelled_differently(got[k], v) for k, v in value.items())
    if isinstance(value, list) and isinstance(got, list):
        return len(got) == len(value) and all(_only_spelled_differently(g, v) for g, v in zip(got, value, strict=True))
    return (
        got == value
        or (isinstance(value, str) and isinstance(got, (int, float)) and float(value.replace("_", "")) == float(got))
        or (isinstance(value, str) and got != got)
    )


@given(st.text(max_size=200))
def test_no_other_exception_ever_leaves(words: str) -> None:
    with contextlib.suppress(FileProblems):
        loads(words, HERE)
