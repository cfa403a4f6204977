"""Verdicts of one output: tolerances, NaN, infinities, dtype, shape, unwritten elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.arrays import HostArray, decode, encode
from graders.cases import poisoned, untouched
from graders.compare import broken_property, compare_output, number
from graders.lesson import Comparison, Property
from graders.spec import Words

EXACT = Comparison(kind="exact")
INF, NAN = np.inf, np.nan


def verdict(
    got: Any, wanted: Any, how: Comparison = EXACT, dtype: Any = "fp32", env: dict[str, Any] | None = None
) -> bool:
    values = np.asarray(got, dtype=np.float64)
    with np.errstate(all="ignore"):
        array = HostArray.dense(dtype, values)
    declared = poisoned(dtype, values.shape)
    return compare_output("out", array, declared, np.asarray(wanted), how, env or {}) is None


@pytest.mark.parametrize(
    ("got", "wanted", "right"),
    [
        ([1.0], [1.0], True), ([0.0], [-0.0], True), ([NAN], [NAN], True), ([INF], [INF], True), ([-INF], [INF], False),
        ([NAN], [1.0], False), ([1.0], [NAN], False), ([INF], [NAN], False), ([INF], [3e38], False), ([3e38], [INF], False),
        ([1e-9], [0.0], False), ([1.0, 2.0], [1.0, 3.0], False), ([INF], [1e39], True),
    ],
)  # fmt: skip
def test_exact(got: list[float], wanted: list[float], right: bool) -> None:
    assert verdict(got, wanted) is right


def test_nan_counts_as_equal_only_where_it_is_said() -> None:
    assert not verdict([NAN], [NAN], Comparison(kind="exact", nan="forbidden"))


def test_close_is_relative_plus_one_unit_in_the_last_place() -> None:
    how = Comparison(kind="close", rtol=1e-4)
    assert verdict([1.00009], [1.0], how) and not verdict([1.00011], [1.0], how)
    assert not verdict([0.0], [1 / 4096], how), "zeros must fail on wide softmax rows"
    assert verdict([2.0**-149], [0.0], how), "one unit in the last place of a denormal"


def test_conditioned_grows_with_the_condition_not_with_the_result() -> None:
    how = Comparison(kind="conditioned", condition="abs(x).sum(1)", factor=8)
    env = {"x": np.array([[1e8, -1e8, 1.0]])}
    assert verdict([1.0 + 100], [1.0], how, env=env), "8 * 2**-23 * 2e8 = 190"
    assert not verdict([1.0 + 300], [1.0], how, env=env)
    assert not verdict([1.001], [1.0], how, env={"x": np.array([[0.5, 0.5]])})


def test_a_condition_that_is_not_finite_allows_nothing() -> None:
    how = Comparison(kind="conditioned", condition="abs(x).sum(1)")
    assert not verdict([5.0], [1.0], how, env={"x": np.array([[INF, 1.0]])})


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_one_unit_in_the_last_place_of_narrow_types(dtype: Any) -> None:
    how = Comparison(kind="close", rtol=1e-9)
    step = {"fp16": 2.0**-10, "bf16": 2.0**-7}[dtype]
    assert verdict([1.0 + step], [1.0 + step / 2], how, dtype)
    assert not verdict([1.0 + 2 * step], [1.0], how, dtype)
    assert verdict([1.0 + step], [1.0 + step * 0.9], EXACT, dtype), "exact after rounding to the output's type"


def test_integers_are_compared_exactly() -> None:
    assert verdict([3], [3], dtype="int32") and not verdict([3], [4], Comparison(kind="close", rtol=1.0), "int32")


def test_dtype_and_shape_are_part_of_the_contract() -> None:
    wanted, declared = np.zeros(2), poisoned("fp32", (2,))
    for got in (
        HostArray.dense("fp16", np.zeros(2)),
        HostArray.dense("fp32", np.zeros((2, 1))),
        HostArray.dense("fp32", np.zeros(3)),
        None,
    ):
        found = compare_output("out", got, declared, wanted, EXACT, {})
        assert found is not None and found.text.en and found.text.zh


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "int32"])
def test_an_element_that_was_never_written_is_named(dtype: Any) -> None:
    declared = poisoned(dtype, (3,))
    raw = declared.storage.copy()
    raw[0] = encode(np.zeros(1), dtype)[0]
    got = HostArray(dtype, (3,), (1,), 0, raw)
    assert untouched(got).tolist() == [False, True, True]
    found = compare_output("out", got, declared, np.zeros(3), EXACT, {})
    assert found is not None and found.index == (1,) and "never written" in found.text.en and found.count == 2


def test_poison_is_told_from_a_nan_that_a_kernel_computed() -> None:
    declared = poisoned("fp32", (1,))
    got = HostArray.dense("fp32", np.array([NAN]))
    assert not untouched(got)[0]
    assert compare_output("out", got, declared, np.array([NAN]), EXACT, {}) is None
    assert compare_output("out", declared, declared, np.array([1.0]), EXACT, {}) is not None


def test_properties() -> None:
    rule = Property(check="abs(out.sum(1) - 1) < 1e-3", says=Words(en="rows sum to 1", zh="每行之和为 1"))
    assert broken_property(rule, {"out": np.array([[0.5, 0.5]])}) is None
    words = broken_property(rule, {"out": np.array([[0.5, 0.6]])})
    assert words is not None and words.zh == "每行之和为 1"
    assert broken_property(rule, {}) is not None, "an expression that fails is no pass"


@given(st.lists(st.floats(width=32), min_size=1, max_size=20))
def test_a_value_is_always_equal_to_itself(values: list[float]) -> None:
    assert verdict(values, values)


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8),
    st.integers(0, 7),
    st.sampled_from([1.5, -1.0, 0.99]),
)
def test_scaling_one_element_is_always_seen(values: list[float], at: int, factor: float) -> None:
    at %= len(values)
    if abs(values[at]) < 1e-30 or abs(values[at]) > 1e38:
        return
    got = list(values)
    got[at] = values[at] * factor
    assert not verdict(got, values) and not verdict(got, values, Comparison(kind="close", rtol=1e-5))


@given(st.floats(width=32), st.sampled_from(["fp32", "fp16", "bf16"]))
def test_rounding_to_a_type_is_idempotent(value: float, dtype: Any) -> None:
    with np.errstate(all="ignore"):
        once = decode(encode(np.array([value]), dtype), dtype)
        twice = decode(encode(once, dtype), dtype)
    assert np.array_equal(once, twice, equal_nan=True)


@pytest.mark.parametrize(
    ("value", "words"),
    [(3, "3"), (2.0, "2.0"), (0.123456, "0.1235"), (NAN, "nan"), (-INF, "-inf"), (1e30, "1e+30"), (1e-9, "1e-09")],
)
def test_numbers_as_people_read_them(value: Any, words: str) -> None:
    assert number(value) == words
