"""The verdict of one run: got against wanted, in float64, with the first difference named.

NaN equals NaN only where the comparison says so; infinities match exactly; dtype and shape are always checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders import cases, expression
from graders.arrays import EPSILON, HostArray, decode, encode
from graders.lesson import Comparison, Property
from graders.text import Text

_SMALLEST = {"fp32": 2.0**-149, "fp16": 2.0**-24, "bf16": 2.0**-133}
_SMALLEST_NORMAL = {"fp32": 2.0**-126, "fp16": 2.0**-14, "bf16": 2.0**-126}


@dataclass(frozen=True, slots=True)
class Difference:
    """Why one output is not right. `index` is the first wrong element; `count` of `total` elements differ."""

    output: str
    text: Text
    index: tuple[int, ...] | None = None
    expected: float | None = None
    got: float | None = None
    count: int = 0
    total: int = 0


def compare_output(
    name: str, got: HostArray | None, declared: HostArray, wanted: Any, how: Comparison, env: dict[str, Any]
) -> Difference | None:
    """None when `got` is right, else the first difference.

    `declared` is the poisoned output of the job (its dtype and shape are the contract), `wanted` the oracle's value in
    float64 (or int64), `env` the names that a condition may use.
    """
    if got is None:
        return Difference(name, Text("no output came back", "没有返回输出"))
    if got.dtype != declared.dtype or got.shape != declared.shape:
        text = Text("output is {g}, must be {w}", "输出是 {g}，应为 {w}")
        return Difference(name, text.fill(g=_kind(got), w=_kind(declared)))
    expected = np.broadcast_to(np.asarray(wanted), declared.shape)
    values = got.values()
    wrong = ~_right(values, expected, how, declared, env)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    count, total = int(wrong.sum()), int(wrong.size)
    if cases.untouched(got)[index]:
        text = Text("{n} was never written", "{n} 从未被写入")
    else:
        text = Text("{n}: expected {e}, got {g}", "{n}：期望 {e}，得到 {g}")
    place = name + (f"[{', '.join(map(str, index))}]" if index else "")
    text = text.fill(n=place, e=number(expected[index]), g=number(values[index]))
    if count > 1:
        more = Text("{t} ({c} of {n} elements differ)", "{t}（{n} 个元素中有 {c} 个不同）")
        text = more.fill(t=text, c=count, n=total)
    return Difference(name, text, index, float(expected[index]), float(values[index]), count, total)


def broken_property(rule: Property, env: dict[str, Any]) -> Text | None:
    """None when the property holds over inputs and outputs, else its words."""
    try:
        holds = bool(np.all(expression.evaluate(rule.check, env)))
    except expression.ExpressionError as error:
        return error.text
    return None if holds else rule.says.text


def tolerance(expected: NDArray[Any], how: Comparison, dtype: str, env: dict[str, Any]) -> NDArray[np.float64]:
    """The allowed |got - want| of each element, before infinities and NaN are dealt with."""
    if how.kind == "exact" or dtype == "int32":
        return np.zeros(expected.shape)
    magnitude = np.abs(np.where(np.isfinite(expected), expected, 0.0))
    allowed = how.atol + how.rtol * magnitude
    if how.kind == "conditioned":
        condition = np.broadcast_to(
            np.asarray(expression.evaluate(str(how.condition), env), dtype=np.float64), expected.shape
        )
        allowed = allowed + how.factor * EPSILON["fp32"] * np.where(np.isfinite(condition), condition, 0.0)
    ulp = np.maximum(
        EPSILON[dtype] * 2.0 ** np.floor(np.log2(np.maximum(magnitude, _SMALLEST_NORMAL[dtype]))), _SMALLEST[dtype]
    )
    return np.asarray(allowed + ulp)


def _right(
    values: NDArray[Any], expected: NDArray[Any], how: Comparison, declared: HostArray, env: dict[str, Any]
) -> NDArray[np.bool_]:
    if declared.dtype == "int32":
        return np.asarray(values == expected)
    target = expected.astype(np.float64)
    rounded = decode(encode(target, declared.dtype), declared.dtype).reshape(target.shape)
    allowed = tolerance(target, how, declared.dtype, env)
    with np.errstate(invalid="ignore"):
        near = np.abs(values - target) <= allowed
    finite = np.isfinite(values) & np.isfinite(target)
    # What overflows the output's type is right as the infinity that rounding gives.
    same_infinity = ~np.isnan(values) & ~np.isnan(target) & (values == rounded)
    both_nan = np.isnan(values) & np.isnan(target) & (how.nan == "equal")
    return np.asarray((finite & near) | same_infinity | both_nan)


def number(value: Any) -> str:
    """A number as a person reads it: 4 significant digits for floats unless more are needed to be exact."""
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{float(value):.1f}"
    return f"{float(value):.4g}"


def _kind(array: HostArray) -> str:
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"
