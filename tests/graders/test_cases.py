"""Inputs from their declarations: fills, places, strides, gaps, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from graders.arrays import HostArray
from graders.cases import build_input, seed_of
from graders.errors import BadInput
from graders.lesson import Case, InputSpec
from graders.spec import Words


def made(dtype: Any = "fp32", number: int = 1, **spec: Any) -> HostArray:
    return build_input(InputSpec(**spec), dtype, number)


def test_every_fill_gives_what_it_says() -> None:
    assert made(shape=[2, 3], fill="zeros").values().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert made(shape=[2], fill="constant", value=2.5).values().tolist() == [2.5, 2.5]
    assert made(shape=[3], fill="arange", start=5.0, step=-1.0).values().tolist() == [5, 4, 3]
    assert made(shape=[2], fill=float("-inf")).values().tolist() == [-np.inf, -np.inf]
    assert made(shape=[4], fill="signed-zeros").storage.view(np.uint32).tolist() == [0, 0x80000000, 0, 0x80000000]
    assert (made(shape=[500], fill="negative", seed=3).values() < 0).all()
    integers = made(shape=[500], fill="integers", low=-2.0, high=2.0, seed=3).values()
    assert set(integers.tolist()) == {-2, -1, 0, 1, 2}
    denormal = made(shape=[500], fill="denormal", seed=3).values()
    assert (np.abs(denormal) < 2.0**-126).all() and (denormal != 0).any()
    uniform = made(shape=[500], fill="uniform", low=2.0, high=3.0, seed=3).values()
    assert (uniform >= 2).all() and (uniform <= 3).all()
    assert np.abs(made(shape=[50], fill="huge", seed=3).values()).max() > 1e37
    assert made(shape=[1, 2], fill="values", values=[[1.0, float("nan")]]).values()[0, 0] == 1.0


def test_places_are_set_in_order() -> None:
    got = made(
        shape=[2, 3], fill="zeros", at=[{"row": 1, "value": 7.0}, {"index": [1, -1], "value": float("nan")}]
    ).values()
    assert got[0].tolist() == [0, 0, 0] and got[1, :2].tolist() == [7, 7] and np.isnan(got[1, 2])
    with pytest.raises(BadInput, match="outside the shape"):
        made(shape=[2], fill="zeros", at=[{"index": [2], "value": 1.0}])


def test_strides_offset_and_sentinel_gap() -> None:
    got = made(shape=[3, 4], fill="arange", strides=[10, 1], offset=5, gap=1e30)
    assert got.values().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    inside = {5 + 10 * r + c for r in range(3) for c in range(4)}
    outside = [v for i, v in enumerate(got.storage.tolist()) if i not in inside]
    assert len(outside) >= 6 * 2 + 5 and all(v == np.float32(1e30) for v in outside)


def test_a_transposed_view_and_an_empty_one() -> None:
    assert made(shape=[2, 3], fill="arange", strides=[1, 2]).view().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert made(shape=[2, 0], fill="zeros").values().shape == (2, 0)
    assert made(shape=[2, 0], fill="zeros", strides=[4, 1]).values().shape == (2, 0)


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "int32"])
def test_the_same_seed_gives_the_same_bytes(dtype: Any) -> None:
    a, b, c = (made(dtype, number, shape=[64], fill="integers", low=-100, high=100.0, seed=1) for number in (1, 1, 2))
    assert a.storage.tobytes() == b.storage.tobytes() != c.storage.tobytes()


def test_grader_seeds_differ_by_secret_lesson_case_and_input() -> None:
    spec = InputSpec(shape=[2], fill="normal", seed="grader")
    case = Case(name="a", group="normal", about=Words(en="a", zh="a"), inputs={"x": spec})
    other = case.model_copy(update={"name": "b"})
    seeds = {
        seed_of(case, "x", spec, "lesson05", "secret"), seed_of(case, "x", spec, "lesson05", "other"),
        seed_of(case, "x", spec, "lesson07", "secret"), seed_of(other, "x", spec, "lesson05", "secret"),
        seed_of(case, "y", spec, "lesson05", "secret"),
    }  # fmt: skip
    assert len(seeds) == 5
    assert seed_of(case, "x", InputSpec(shape=[2], fill="normal", seed=9), "lesson05", "secret") == 9


@pytest.mark.parametrize(
    "spec",
    [
        {"shape": [2], "fill": "normal"},
        {"shape": [2], "fill": "zeros", "seed": 1},
        {"shape": [2], "fill": "constant"},
        {"shape": [-1], "fill": "zeros"},
        {"shape": [2, 2], "fill": "zeros", "strides": [1]},
        {"shape": [2], "fill": "zeros", "strides": [-1]},
        {"shape": [2], "fill": "zeros", "at": [{"value": 1.0}]},
        {"shape": [1 << 26], "fill": "zeros"},
        {"shape": [2], "fill": "gauss"},
        {"shape": [2], "fill": "zeros", "colour": 1},
    ],
)
def test_declarations_that_do_not_fit_are_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        InputSpec(**spec)
