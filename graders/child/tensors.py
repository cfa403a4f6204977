"""Arguments of the entry inside a worker: arenas with guard zones, and a small tensor that needs no torch.

Importing torch takes over a second; a host function that only asks for shapes, strides and types and launches a kernel
does not need it. `install_light_torch` puts a module named `torch` in place that holds the names such a function may
use; anything else raises `NeedsTorch`, and the parent starts a worker with the real torch.
"""

from __future__ import annotations

import mmap
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.arrays import STORAGE, HostArray, row_major

GUARD = 1 << 20  # bytes before and after each arena: so far apart that no near miss lands in another argument
WATCHED = 4096  # bytes of each guard that are compared after the run
GUARD_BYTE = 0xA5

TORCH_NAMES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "int32": "int32"}


class NeedsTorch(BaseException):
    """The program uses something of torch that the small stand-in has not. Not an Exception: nothing swallows it."""


class Arena:
    """Memory of its own for one argument: guard, storage, guard."""

    def __init__(self, name: str, array: HostArray) -> None:
        self.name = name
        self.array = array
        self.size = array.storage.nbytes
        self._map = mmap.mmap(-1, 2 * GUARD + self.size)
        self._bytes = np.frombuffer(self._map, dtype=np.uint8)
        self.base = int(self._bytes.ctypes.data) + GUARD
        self.storage: NDArray[Any] = self._bytes[GUARD : GUARD + self.size].view(STORAGE[array.dtype])
        self.valid = self._valid()
        self.reset()

    def _valid(self) -> NDArray[np.bool_]:
        """For each element of the storage: whether it belongs to the view."""
        valid = np.zeros(self.storage.size, dtype=bool)
        if all(self.array.shape):
            view = np.lib.stride_tricks.as_strided(valid[self.array.offset :], self.array.shape, self.array.strides)
            view[...] = True
        return valid

    def reset(self) -> None:
        """Bytes of the job again, guards fresh."""
        self.storage[...] = self.array.storage
        self._bytes[GUARD - WATCHED : GUARD] = GUARD_BYTE
        self._bytes[GUARD + self.size : GUARD + self.size + WATCHED] = GUARD_BYTE

    def guards_intact(self) -> bool:
        low = self._bytes[GUARD - WATCHED : GUARD]
        high = self._bytes[GUARD + self.size : GUARD + self.size + WATCHED]
        return bool((low == GUARD_BYTE).all() and (high == GUARD_BYTE).all())

    def changed(self) -> bool:
        """Whether any byte of the storage differs from the job's."""
        return self.storage.tobytes() != self.array.storage.tobytes()

    def light(self) -> Tensor:
        """The argument without torch."""
        array = self.array
        size = self.storage.dtype.itemsize
        return Tensor(self.base + array.offset * size, array.dtype, array.shape, array.strides, array.offset, self)

    def torch(self) -> Any:
        """The argument as a torch tensor on the CPU over the same memory."""
        import torch

        dtype = getattr(torch, TORCH_NAMES[self.array.dtype])
        if self.storage.size == 0:
            flat = torch.empty(0, dtype=dtype)
        else:
            flat = torch.frombuffer(self._map, dtype=dtype, count=self.storage.size, offset=GUARD)
        return flat.as_strided(self.array.shape, self.array.strides, self.array.offset)


class LightDType:
    """Prints like torch's dtype, which is what Triton looks at."""

    def __init__(self, name: str, itemsize: int, floating: bool) -> None:
        self.name = name
        self.itemsize = itemsize
        self.is_floating_point = floating

    def __repr__(self) -> str:
        return f"torch.{self.name}"


LIGHT_DTYPES = {
    "float32": LightDType("float32", 4, True),
    "float16": LightDType("float16", 2, True),
    "bfloat16": LightDType("bfloat16", 2, True),
    "int32": LightDType("int32", 4, False),
}


class LightDevice:
    """Prints like torch.device('cpu')."""

    type = "cpu"
    index = None

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"


CPU = LightDevice()


class Size(tuple[int, ...]):
    """A tuple with torch.Size's one extra method."""

    def numel(self) -> int:
        product = 1
        for n in self:
            product *= n
        return product


class Tensor:
    """What a host function may ask of a tensor without computing with it; `data_ptr` is real in the interpreter."""

    __slots__ = ("_dtype", "_offset", "_owner", "_pointer", "_strides", "dtype", "shape")

    def __init__(
        self,
        pointer: int,
        dtype: str,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
        owner: Arena | None,
    ) -> None:
        self._pointer = pointer
        self._dtype = dtype
        self._strides = strides
        self._offset = offset
        self._owner = owner
        self.shape = Size(shape)
        self.dtype = LIGHT_DTYPES[TORCH_NAMES[dtype]]

    def data_ptr(self) -> int:
        return self._pointer

    def stride(self, dim: int | None = None) -> Any:
        return self._strides if dim is None else self._strides[dim]

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        return len(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def numel(self) -> int:
        return self.shape.numel()

    nelement = numel

    def element_size(self) -> int:
        return self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    def storage_offset(self) -> int:
        return self._offset

    def is_contiguous(self) -> bool:
        expected = row_major(tuple(self.shape))
        return self.numel() == 0 or all(
            n == 1 or a == b for n, a, b in zip(self.shape, self._strides, expected, strict=True)
        )

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    @property
    def device(self) -> LightDevice:
        return CPU

    @property
    def is_cuda(self) -> bool:
        return False

    @property
    def requires_grad(self) -> bool:
        return False

    def ptr_range(self) -> int:
        """Bytes from the first to after the last element; Triton's launcher asks for it."""
        last = sum((n - 1) * s for n, s in zip(self.shape, self._strides, strict=True)) if all(self.shape) else -1
        return (last + 1) * self.dtype.itemsize

    def moved_by_offset(self) -> Tensor:
        """The same view with its address at the first element (for tensors without memory)."""
        pointer = self._pointer + self._offset * self.dtype.itemsize
        return Tensor(pointer, self._dtype, tuple(self.shape), self._strides, self._offset, None)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"tensor(shape={tuple(self.shape)}, dtype={self.dtype})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NeedsTorch(f"Tensor.{name}")

    def _computes(self, *_: Any) -> Any:
        raise NeedsTorch("arithmetic on a tensor")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __getitem__ = __setitem__ = _computes
    __lt__ = __gt__ = __le__ = __ge__ = __neg__ = __matmul__ = __bool__ = __float__ = __int__ = _computes

    def __iter__(self) -> Iterator[Any]:
        raise NeedsTorch("iteration over a tensor")


class _LightTorch(types.ModuleType):
    """`torch` with types only."""

    def __init__(self) -> None:
        super().__init__("torch")
        self.__path__: list[str] = []
        self.__dict__.update(LIGHT_DTYPES)
        self.__dict__.update(Tensor=Tensor, dtype=LightDType, device=LightDevice, Size=Size, __version__="0 (stand-in)")
        self.__dict__.update(half=LIGHT_DTYPES["float16"], float=LIGHT_DTYPES["float32"], int=LIGHT_DTYPES["int32"])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NeedsTorch(f"torch.{name}")


class _NoSubmodules:
    """An import finder: `import torch.nn` asks for the real torch as well."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.startswith("torch."):
            raise NeedsTorch(name)


def install_light_torch() -> None:
    """Make `import torch` give the stand-in. Called once, before Triton is imported."""
    sys.modules["torch"] = _LightTorch()
    sys.meta_path.insert(0, _NoSubmodules())
