"""From a case's declaration to arrays: fills, seeds, strides, sentinel gaps, poisoned outputs."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders import expression
from graders.arrays import STORAGE, UNSIGNED, DType, HostArray, encode, row_major
from graders.errors import BadInput
from graders.lesson import At, Case, InputSpec, Lesson
from graders.observation import Job
from graders.text import Text

# Smallest positive denormal and smallest normal number of each type, as steps for `denormal`.
_DENORMAL_STEP = {"fp32": 2.0**-149, "fp16": 2.0**-24, "bf16": 2.0**-133, "int32": 1.0}
_HUGE = {"fp32": 1e38, "fp16": 6e4, "bf16": 1e38, "int32": 2e9}
PUBLIC_SEED = "public"


def seed_of(case: Case, name: str, spec: InputSpec, lesson_id: str, grader_seed: str) -> int:
    """The number that seeds one input; `grader` mixes the grader-side secret with lesson, case and input."""
    if isinstance(spec.seed, int):
        return spec.seed
    mixed = "\0".join((grader_seed, lesson_id, case.name, name))
    return int.from_bytes(hashlib.sha256(mixed.encode()).digest()[:8], "big")


def build_input(spec: InputSpec, dtype: DType, seed: int) -> HostArray:
    """One input array: values rounded to `dtype`, placed in a storage of sentinel `gap` values where strides say so."""
    values = _fill(spec, dtype, np.random.default_rng(seed))
    for at in spec.at:
        if at.value is not None:
            _assign(values, at, at.value)
    made = _placed(spec, dtype, values)
    for at in spec.at:
        if at.bits is not None:  # behind the rounding: a NaN's sign and payload would not outlive it
            _assign(
                made.view_for_writing(),
                at,
                np.array(at.bits, dtype=np.uint32).astype(UNSIGNED[dtype]).view(STORAGE[dtype]),
            )
    return made


def _placed(spec: InputSpec, dtype: DType, values: NDArray[np.float64]) -> HostArray:
    shape = tuple(spec.shape)
    if spec.strides is None and spec.offset == 0:
        return HostArray.dense(dtype, values.reshape(shape))
    strides = tuple(spec.strides) if spec.strides is not None else row_major(shape)
    reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1 if all(shape) else 0
    size = spec.offset + reach + max(8, (strides[0] if strides else 0) - (shape[-1] if shape else 0))
    storage = np.empty(size, dtype=STORAGE[dtype])
    storage[:] = encode(np.array([_gap(spec.gap, dtype)]), dtype)[0]
    if all(shape):
        item = storage.dtype.itemsize
        view = np.lib.stride_tricks.as_strided(storage[spec.offset :], shape, tuple(s * item for s in strides))
        view[...] = encode(values.reshape(shape), dtype)
    return HostArray(dtype, shape, strides, spec.offset, storage)


def build_job(
    lesson: Lesson, case: Case, grader_seed: str, launch: tuple[int, int] | None = None
) -> tuple[Job, dict[str, Any]]:
    """One run of a case: the job for the executor, and the names that expressions of this case may use.

    The names are the inputs as float64 (int64 for int32) arrays after rounding to their dtype, and the scalars.
    """
    spec = lesson.spec
    inputs = {}
    for name, given in case.inputs.items():
        inputs[name] = build_input(
            given, lesson.dtype_of(case, name), seed_of(case, name, given, lesson.id, grader_seed)
        )
    env: dict[str, Any] = {name: array.values() for name, array in inputs.items()}
    scalars: dict[str, int | float] = {}
    for name, text in spec.scalars.items():
        value = expression.evaluate(text, env)
        scalars[name] = int(value) if float(value).is_integer() else float(value)
    if launch is not None:
        scalars["blocks"], scalars["threads"] = launch
    outputs = {}
    for name, out in spec.outputs.items():
        wanted = out.dtype
        dtype: Any = lesson.dtype_of(case, wanted[5:]) if wanted.startswith("like ") else wanted
        if dtype not in STORAGE:
            raise BadInput(Text("output {n}: unknown dtype {d}", "输出 {n}：未知的 dtype {d}").fill(n=name, d=dtype))
        shape = tuple(int(p if isinstance(p, int) else expression.evaluate(p, env)) for p in out.shape)
        outputs[name] = poisoned(dtype, shape)
    job = Job(case.name, tuple(spec.entry.arguments), inputs, outputs, scalars)
    return job, env


def launches_of(lesson: Lesson, case: Case) -> list[tuple[int, int] | None]:
    """The launch configurations (blocks, threads) of a case; one None for a lesson without launches."""
    given = case.launches or lesson.spec.launches
    if given is None:
        return [None]
    return [(b, t) for b in given.blocks for t in given.threads]


def poisoned(dtype: DType, shape: tuple[int, ...]) -> HostArray:
    """An output filled with values that no sound kernel writes: a marked NaN for floats, a marked integer."""
    pattern: Any
    if dtype == "fp32":
        pattern = np.array([0x7FC0BEEF], dtype=np.uint32).view(np.float32)[0]
    elif dtype == "fp16":
        pattern = np.array([0x7E5A], dtype=np.uint16).view(np.float16)[0]
    elif dtype == "bf16":
        pattern = np.uint16(0x7FDA)
    else:
        pattern = np.int32(-1414812757)  # 0xABABABAB
    size = int(np.prod(shape, dtype=np.int64))
    return HostArray(dtype, shape, row_major(shape), 0, np.full(size, pattern, dtype=STORAGE[dtype]))


def untouched(output: HostArray) -> NDArray[np.bool_]:
    """Where an output still holds its poison, bit for bit."""
    fresh = poisoned(output.dtype, (1,)).storage.view(np.uint8)
    size = output.storage.dtype.itemsize
    raw = np.ascontiguousarray(output.view()).reshape(-1).view(np.uint8).reshape(-1, size)
    return np.asarray((raw == fresh.reshape(1, size)).all(axis=1).reshape(output.shape))


def _gap(value: float, dtype: DType) -> float:
    return -1.0 if dtype == "int32" and not np.isfinite(value) else value


def _assign(values: NDArray[Any], at: At, value: Any) -> None:
    try:
        if at.row is not None:
            values[at.row] = value
        else:
            assert at.index is not None
            values[tuple(at.index)] = value
    except IndexError:
        raise BadInput(
            Text("`at` names a place outside the shape {s}", "`at` 指向形状 {s} 之外").fill(s=list(values.shape))
        ) from None


def _fill(spec: InputSpec, dtype: DType, rng: np.random.Generator) -> NDArray[np.float64]:
    """Values before rounding, of spec.shape, float64."""
    shape = tuple(spec.shape)
    if not isinstance(spec.fill, str):
        return np.full(shape, float(spec.fill))
    mean = 0.0 if spec.mean is None else spec.mean
    scale = 1.0 if spec.scale is None else spec.scale
    low = 0.0 if spec.low is None else spec.low
    high = 1.0 if spec.high is None else spec.high
    match spec.fill:
        case "normal":
            return np.asarray(rng.normal(mean, scale, shape))
        case "uniform":
            return np.asarray(rng.uniform(low, high, shape))
        case "integers":
            return np.asarray(rng.integers(int(low), int(high) + 1, shape), dtype=np.float64)
        case "zeros":
            return np.zeros(shape)
        case "constant":
            return np.full(shape, spec.value, dtype=np.float64)
        case "arange":
            start = 0.0 if spec.start is None else spec.start
            step = 1.0 if spec.step is None else spec.step
            return start + step * np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)
        case "negative":
            return np.asarray(-np.abs(rng.normal(0.0, scale, shape)) - scale * 2.0**-6)
        case "denormal":
            return np.asarray(rng.integers(-1000, 1001, shape) * _DENORMAL_STEP[dtype], dtype=np.float64)
        case "huge":
            return np.asarray(rng.uniform(-1.0, 1.0, shape) * (_HUGE[dtype] if spec.scale is None else spec.scale))
        case "signed-zeros":
            return np.where(np.arange(int(np.prod(shape))).reshape(shape) % 2 == 0, 0.0, -0.0)
        case "values":
            values = np.asarray(spec.values, dtype=np.float64)
            if values.shape != shape:
                raise BadInput(
                    Text("`values` has shape {g}, not {s}", "`values` 的形状是 {g}，应为 {s}").fill(
                        g=list(values.shape), s=list(shape)
                    )
                )
            return values.copy()
    raise AssertionError(spec.fill)
