"""Casts of the interpreter from and to bfloat16: values, not bit patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

from triton import language as tl
from triton.runtime import interpreter

from graders.arrays import decode
from graders.child.instruments import cast


def to_bf16(values: Any, dtype: Any) -> list[float]:
    made = cast(None, interpreter.TensorHandle(np.asarray(values), dtype), tl.bfloat16)
    assert made.dtype == tl.bfloat16 and made.data.dtype == np.uint16
    return [float(v) for v in decode(made.data, "bf16")]


def test_integers_and_wide_floats_become_their_value() -> None:
    assert to_bf16(np.array([127, -1, 0], dtype=np.int32), tl.int32) == [127.0, -1.0, 0.0]
    assert to_bf16(np.array([True, False]), tl.int1) == [1.0, 0.0]
    assert to_bf16(np.array([-1e39, 1e300, 0.5]), tl.float64) == [-np.inf, np.inf, 0.5]
    assert to_bf16(np.array([3.0, -np.inf], dtype=np.float16), tl.float16) == [3.0, -np.inf]


def test_rounding_is_to_nearest_even_as_on_a_gpu() -> None:
    step = 2.0**-7
    values = np.array([1 + step * 0.5, 1 + step * 1.5, 1 + step * 0.51, 1 + step * 0.49], dtype=np.float32)
    assert to_bf16(values, tl.float32) == [1.0, 1 + 2 * step, 1 + step, 1.0]
    assert np.isnan(to_bf16(np.array([np.nan], dtype=np.float32), tl.float32)[0])


def test_bf16_becomes_other_types_by_value() -> None:
    source = interpreter.TensorHandle(np.array([0x42FE, 0xC000, 0x7F80], dtype=np.uint16), tl.bfloat16)
    assert cast(None, source, tl.float64).data.tolist() == [127.0, -2.0, np.inf]
    assert cast(None, source, tl.float32).data.dtype == np.float32
    whole = interpreter.TensorHandle(np.array([0x42FE], dtype=np.uint16), tl.bfloat16)
    assert cast(None, whole, tl.int32).data.tolist() == [127]
