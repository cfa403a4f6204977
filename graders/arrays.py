"""Arrays as they cross a pipe: raw storage plus a view (shape, strides, offset), without torch.

NumPy has no bfloat16, so bf16 storage is kept as its 16-bit patterns (uint16).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

DType = Literal["fp32", "fp16", "bf16", "int32"]

STORAGE: dict[str, np.dtype[Any]] = {
    "fp32": np.dtype("<f4"),
    "fp16": np.dtype("<f2"),
    "bf16": np.dtype("<u2"),
    "int32": np.dtype("<i4"),
}
# Integers of the same width, for bit patterns.
UNSIGNED: dict[str, np.dtype[Any]] = {
    "fp32": np.dtype("<u4"),
    "fp16": np.dtype("<u2"),
    "bf16": np.dtype("<u2"),
    "int32": np.dtype("<u4"),
}
# Unit roundoff spacing at 1.0 (machine epsilon) of each float type.
EPSILON: dict[str, float] = {"fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7}


@dataclass(frozen=True, slots=True)
class HostArray:
    """`storage` is one-dimensional, of STORAGE[dtype]; strides and offset count elements."""

    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage: NDArray[Any]

    @classmethod
    def dense(cls, dtype: DType, values: NDArray[Any]) -> HostArray:
        """Row-major array of `values` (any numeric array), rounded to `dtype`."""
        shape = tuple(int(n) for n in values.shape)
        return cls(dtype, shape, row_major(shape), 0, encode(values, dtype).reshape(-1))

    def view(self) -> NDArray[Any]:
        """The elements that the view names, in STORAGE[dtype], as a NumPy view of `storage`."""
        size = self.storage.dtype.itemsize
        return np.lib.stride_tricks.as_strided(
            self.storage[self.offset :], self.shape, tuple(s * size for s in self.strides), writeable=False
        )

    def view_for_writing(self) -> NDArray[Any]:
        """As `view`, writable: only for whoever made the storage."""
        size = self.storage.dtype.itemsize
        return np.lib.stride_tricks.as_strided(
            self.storage[self.offset :], self.shape, tuple(s * size for s in self.strides)
        )

    def values(self) -> NDArray[Any]:
        """The elements as float64 (float types) or int64 (int32)."""
        return decode(np.ascontiguousarray(self.view()), self.dtype)

    def header(self) -> dict[str, Any]:
        """Everything but the bytes, as JSON values."""
        return {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "strides": list(self.strides),
            "offset": self.offset,
            "elements": int(self.storage.size),
        }

    @classmethod
    def from_header(cls, header: dict[str, Any], raw: bytes | memoryview) -> HostArray:
        """Rebuild from `header()` and the bytes; raises ValueError when they do not fit each other."""
        dtype = header["dtype"]
        if dtype not in STORAGE:
            raise ValueError(f"unknown dtype {dtype!r}")
        storage = np.frombuffer(raw, dtype=STORAGE[dtype])
        shape = tuple(int(n) for n in header["shape"])
        strides = tuple(int(n) for n in header["strides"])
        offset = int(header["offset"])
        if storage.size != int(header["elements"]) or len(shape) != len(strides) or offset < 0:
            raise ValueError("array header and bytes do not fit each other")
        if all(shape):
            reach = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
            if min(strides, default=0) < 0 or reach >= storage.size:
                raise ValueError("array view reaches outside its storage")
        return cls(dtype, shape, strides, offset, storage)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements of a dense row-major array."""
    strides = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def encode(values: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Round to `dtype` (nearest, ties to even) and return its storage type."""
    if dtype == "bf16":
        return _to_bf16(np.asarray(values, dtype=np.float32))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values).astype(STORAGE[dtype])


def decode(storage: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Exact values of storage: float64, or int64 for int32."""
    if dtype == "bf16":
        return (storage.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        return storage.astype(np.int64 if dtype == "int32" else np.float64)


def _to_bf16(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    bits = np.ascontiguousarray(values).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    out = (rounded >> np.uint32(16)).astype(np.uint16)
    quiet = ((bits >> np.uint32(16)) | np.uint32(0x40)).astype(np.uint16)
    return np.where(np.isnan(values), quiet, out).reshape(values.shape)
