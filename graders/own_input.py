"""A learner's own input as a case: `--shape 5,300 --values 1,nan,-inf`."""

from __future__ import annotations

import re
from typing import Any

from graders.arrays import STORAGE
from graders.errors import BadInput
from graders.lesson import Case, InputSpec, Lesson
from graders.spec import Words
from graders.text import Text

MAX_OWN_ELEMENTS = 1 << 20


def own_case(lesson: Lesson, shape: str, values: str | None, dtype: str) -> Case:
    """The case for a learner's own input; every other input keeps a small default. Raises BadInput."""
    name, argument = next(iter(lesson.spec.inputs.items()))
    lengths = _numbers(shape, "--shape")
    if len(lengths) != argument.rank or any(n < 0 or not n.is_integer() for n in lengths):
        text = Text(
            "--shape needs {n} whole numbers with commas, such as {e}", "--shape 需要 {n} 个以逗号分隔的整数，例如 {e}"
        )
        raise BadInput(text.fill(n=argument.rank, e=",".join(["5", "300"][: argument.rank])))
    sizes = [int(n) for n in lengths]
    total = 1
    for n in sizes:
        total *= n
    if total > MAX_OWN_ELEMENTS:
        raise BadInput(Text("at most {n} elements", "最多 {n} 个元素").fill(n=MAX_OWN_ELEMENTS))
    if dtype not in STORAGE:
        raise BadInput(
            Text("--dtype is one of {d}, not {g}", "--dtype 须为 {d} 之一，而不是 {g}").fill(
                d=", ".join(STORAGE), g=repr(dtype)
            )
        )
    given: dict[str, Any] = {"shape": tuple(sizes), "dtype": dtype}
    if values is None:
        given.update(fill="normal", seed=0)
    else:
        numbers = _numbers(values, "--values")
        if len(numbers) != total:
            text = Text("--values has {g} numbers, the shape needs {w}", "--values 给出 {g} 个数，形状需要 {w} 个")
            raise BadInput(text.fill(g=len(numbers), w=total))
        given.update(fill="values", values=_nested(numbers, sizes))
    return Case(
        name="own input",
        group="normal",
        visible=True,
        about=Words(en="your own input", zh="你自己的输入"),
        inputs={name: InputSpec(**given)},
    )


def _numbers(text: str, option: str) -> list[float]:
    out = []
    for word in re.split(r"[,\s]+", text.strip().strip("[]()")):
        try:
            out.append(float(word))
        except ValueError:
            raise BadInput(Text("{o}: {w} is not a number", "{o}：{w} 不是数字").fill(o=option, w=repr(word))) from None
    return out


def _nested(numbers: list[float], shape: list[int]) -> list[Any]:
    if len(shape) <= 1:
        return list(numbers)
    step = len(numbers) // shape[0] if shape[0] else 0
    return [_nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
