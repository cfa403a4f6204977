"""Instruments on Triton's interpreter: every access is checked before it happens.

`install(watch)` replaces the memory operations of `InterpreterBuilder` (the same in Triton 3.6 and 3.7). For each
launch the tensors passed to the kernel become regions. An active lane must point at an element of one of them (the gap
of a strided view is no element); a lane that does not is not accessed and is recorded. The writer of each element is
recorded: two programs that write one element, or one that reads what another wrote, depend on the order of programs.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.arrays import encode
from graders.child.program import place_of_frame
from graders.child.tensors import Arena, Tensor

MOST_FINDINGS = 20
# What fills lanes that a load leaves undefined. One value is not enough: a maximum skips NaN, a softmax absorbs -max.
POISONS = ("nan", "max", "-max")


@dataclass(slots=True)
class Region:
    """One tensor passed to the launch. `valid` and `writer` have one entry for each element of the storage."""

    name: str
    base: int
    size: int  # bytes
    itemsize: int
    start: int  # offset of the view's first element in the storage, in elements
    valid: NDArray[np.bool_]
    writer: NDArray[np.int64]


@dataclass(slots=True)
class Seen:
    """A finding as it travels to the parent."""

    kind: str
    argument: str
    line: int
    column: int
    program: tuple[int, int, int]
    lanes: int
    detail: str = ""
    index: int | None = None  # offset from the tensor's first element, in elements

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "argument": self.argument,
            "line": self.line,
            "column": self.column,
            "program": list(self.program),
            "lanes": self.lanes,
            "detail": self.detail,
            "index": self.index,
        }


@dataclass
class Watch:
    """State of the instruments during one execution of the host function."""

    path: str = ""
    poison: str = "nan"
    order: list[int] | None = None  # None: natural; else built for each launch by `shuffle`
    reorder: str = ""  # "", "reversed" or a seed for a permutation
    arenas: dict[int, Arena] = field(default_factory=dict)  # address of the first storage byte -> arena
    regions: list[Region] = field(default_factory=list)
    findings: dict[tuple[str, int, str], Seen] = field(default_factory=dict)
    undefined: dict[int, Seen] = field(default_factory=dict)
    grid: tuple[int, int, int] = (1, 1, 1)
    program: tuple[int, int, int] = (0, 0, 0)
    number: int = 0
    programs: int = 0
    launches: int = 0
    synchronised: set[int] = field(default_factory=set)  # programs that did an atomic operation in this launch

    def begin(self, path: str, arenas: list[Arena], poison: str, reorder: str) -> None:
        """Start of one execution."""
        self.path = path
        self.poison = poison
        self.reorder = reorder
        self.arenas = {arena.base: arena for arena in arenas}
        self.regions = []
        self.findings = {}
        self.undefined = {}
        self.launches = 0
        self.programs = 0

    # --- launches -------------------------------------------------------------------------------------------------

    def launch(self, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The tensors of one launch become regions."""
        self.regions = []
        self.synchronised = set()
        for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
            self._add_argument(name, value)

    def _add_argument(self, name: str, value: Any) -> None:
        if hasattr(value, "data_ptr"):
            self._add_region(name, value)
        elif isinstance(value, tuple):
            for each in value:
                self._add_argument(name, each)
        elif hasattr(value, "base") and hasattr(value, "block_shape"):  # a tensor descriptor
            self._add_argument(name, value.base)

    def _add_region(self, name: str, tensor: Any) -> None:
        itemsize = int(tensor.element_size())
        start = int(tensor.data_ptr()) - int(tensor.storage_offset()) * itemsize
        arena = self.arenas.get(start)
        if arena is not None:
            size, name = arena.size, arena.name
        elif isinstance(tensor, Tensor):
            raise RuntimeError("a tensor that belongs to no argument")
        else:
            start = int(tensor.untyped_storage().data_ptr())
            size = int(tensor.untyped_storage().nbytes())
        valid = np.zeros(size // itemsize, dtype=bool)
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        if all(shape) and valid.size:
            np.lib.stride_tricks.as_strided(valid[int(tensor.storage_offset()) :], shape, strides)[...] = True
        for region in self.regions:
            if region.base == start and region.itemsize == itemsize:
                region.valid |= valid
                return
        self.regions.append(
            Region(
                name,
                start,
                size,
                itemsize,
                int(tensor.storage_offset()),
                valid,
                np.full(valid.size, -1, dtype=np.int64),
            )
        )

    def start_grid(self, grid: tuple[int, int, int]) -> None:
        self.grid = grid
        self.launches += 1
        count = grid[0] * grid[1] * grid[2]
        self.programs += count
        self.order = None
        if self.reorder == "reversed":
            self.order = list(range(count - 1, -1, -1))
        elif self.reorder:
            self.order = [int(n) for n in np.random.default_rng(int(self.reorder)).permutation(count)]

    def reordered(self, x: int, y: int, z: int) -> tuple[int, int, int]:
        """The program that runs in the place of (x, y, z)."""
        _, ny, nz = self.grid
        number = (x * ny + y) * nz + z
        if self.order is not None:
            number = self.order[number]
        self.number = number
        self.program = (number // (ny * nz), number // nz % ny, number % nz)
        return self.program

    # --- accesses -------------------------------------------------------------------------------------------------

    def check(self, pointers: NDArray[Any], mask: NDArray[Any], width: int, action: str) -> NDArray[Any]:
        """The mask without lanes that point at no element; `action` is load, store or atomic."""
        active = pointers[mask]
        if active.size == 0:
            return mask
        first = int(active.reshape(-1)[0])
        for region in self.regions:
            if region.base <= first < region.base + region.size:
                offset = active - np.uint64(region.base)
                if int(offset.max()) + width <= region.size:
                    index = offset // np.uint64(region.itemsize)
                    aligned = width == region.itemsize and not (offset % np.uint64(width)).any()
                    if aligned and region.valid[index].all():
                        self._order_of(region, index, action)
                        return mask
                break
        return self._check_slowly(pointers, mask, width, action)

    def _check_slowly(self, pointers: NDArray[Any], mask: NDArray[Any], width: int, action: str) -> NDArray[Any]:
        """Lane by region: which lanes are good, and what is wrong with the others."""
        good = np.zeros(pointers.shape, dtype=bool)
        crooked = np.zeros(pointers.shape, dtype=bool)
        for region in self.regions:
            inside = (
                mask
                & (pointers >= np.uint64(region.base))
                & (pointers <= np.uint64(max(region.base + region.size - width, region.base)))
            )
            if region.size < width or not inside.any():
                continue
            offset = np.where(inside, pointers - np.uint64(region.base), np.uint64(0))
            low = offset // np.uint64(region.itemsize)
            high = (offset + np.uint64(width - 1)) // np.uint64(region.itemsize)
            here = inside & region.valid[low] & region.valid[high]
            crooked |= here & (offset % np.uint64(width) != 0)
            good |= here & (offset % np.uint64(width) == 0)
            if good.any():
                self._order_of(region, low[here], action)
        if crooked.any():
            self._record("misaligned", pointers, crooked, action)
        bad = mask & ~good & ~crooked
        if bad.any():
            self._record("out-of-bounds", pointers, bad, action)
        return mask & good

    def _order_of(self, region: Region, index: NDArray[Any], action: str) -> None:
        writers = region.writer[index]
        if action == "atomic":
            self.synchronised.add(self.number)
        # A program that has done an atomic operation may know that the other one is ready (the last block sums up).
        elif action == "store" or self.number not in self.synchronised:
            foreign = (writers != -1) & (writers != self.number)
            if foreign.any():
                kind = "double-write" if action == "store" else "race"
                other = int(writers[foreign].reshape(-1)[0])
                self._note(
                    kind, region.name, int(foreign.sum()), f"{other}", int(index[foreign].reshape(-1)[0]) - region.start
                )
        if action == "store":
            region.writer[index] = self.number

    def _record(self, kind: str, pointers: NDArray[Any], bad: NDArray[Any], action: str) -> None:
        pointer = int(pointers[bad].reshape(-1)[0])
        name, index = "", None
        if self.regions:
            near = min(self.regions, key=lambda r: min(abs(pointer - r.base), abs(pointer - r.base - r.size)))
            name = near.name
            index = (pointer - near.base) // near.itemsize - near.start
        self._note(kind, name, int(bad.sum()), action, index)

    def _note(self, kind: str, argument: str, lanes: int, detail: str, index: int | None) -> None:
        line, column = place_of_frame(self.path, sys._getframe())
        key = (kind, line, argument)
        if key in self.findings:
            self.findings[key].lanes += lanes
        elif len(self.findings) < MOST_FINDINGS:
            self.findings[key] = Seen(kind, argument, line, column, self.program, lanes, detail, index)

    def lanes_collide(self, pointers: NDArray[Any]) -> None:
        """Reading back gave something else than was stored: lanes wrote different values to one element."""
        first = int(pointers.reshape(-1)[0])
        name = next((r.name for r in self.regions if r.base <= first < r.base + r.size), "")
        self._note("race", name, int(pointers.size), "lanes", None)

    def undefined_load(self, pointers: NDArray[Any], mask: NDArray[Any]) -> None:
        """A load with inactive lanes and no `other`."""
        line, column = place_of_frame(self.path, sys._getframe())
        lanes = int(mask.size - np.count_nonzero(mask))
        if line in self.undefined:
            self.undefined[line].lanes += lanes
        elif len(self.undefined) < MOST_FINDINGS:
            name = ""
            if mask.any():
                pointer = int(pointers[mask].reshape(-1)[0])
                name = next((r.name for r in self.regions if r.base <= pointer < r.base + r.size), "")
            self.undefined[line] = Seen("uninitialised", name, line, column, self.program, lanes)

    def fill(self, dtype: Any, numpy_dtype: Any) -> Any:
        """The poison as a NumPy scalar of the element type (`dtype` is Triton's)."""
        numpy_dtype = np.dtype(numpy_dtype)
        if str(dtype) == "bf16":
            return np.uint16({"nan": 0x7FC1, "max": 0x7F7F, "-max": 0xFF7F}[self.poison])
        if numpy_dtype.kind == "f":
            most = np.finfo(numpy_dtype).max
            return numpy_dtype.type({"nan": np.nan, "max": most, "-max": -most}[self.poison])
        if numpy_dtype.kind == "b":
            return np.bool_(self.poison == "max")
        info = np.iinfo(numpy_dtype)
        return numpy_dtype.type({"nan": min(info.max // 2, 23130), "max": info.max, "-max": info.min}[self.poison])


def cast(builder: Any, src: Any, dst_type: Any) -> Any:
    """Casts from and to bfloat16 by value.

    Triton's interpreter keeps bf16 as 16-bit patterns and, of all casts, converts only those between fp32 and bf16 (and
    truncates); an integer, an fp16 or an fp64 value becomes a bit pattern there. A GPU converts, to nearest even.
    """
    from triton import language as tl
    from triton.runtime import interpreter

    source, target = src.dtype.scalar, dst_type.scalar
    if (source == tl.bfloat16) == (target == tl.bfloat16):
        return builder.plain_cast(src, dst_type)
    with np.errstate(all="ignore"):
        if target == tl.bfloat16:
            data = encode(np.asarray(src.data, dtype=np.float32), "bf16").reshape(np.shape(src.data))
        else:
            wide = (np.asarray(src.data).astype(np.uint32) << np.uint32(16)).view(np.float32)
            data = wide.astype(interpreter._get_np_dtype(dst_type))
    return interpreter.TensorHandle(data, target)


def install(watch: Watch) -> None:
    """Put the instruments in. Once for a process, after Triton's import in interpreter mode."""
    import triton.language as tl
    from triton.runtime import interpreter as ti

    builder = ti.InterpreterBuilder
    native = ti._interpreter
    builder.plain_cast, builder.cast_impl = builder.cast_impl, cast

    def handle(data: Any, dtype: Any) -> Any:
        return ti.TensorHandle(data, dtype)

    def data_of(mask: Any) -> Any:
        # Block pointers hand over a bare array in some versions, a TensorHandle in others.
        return mask.data if isinstance(mask, ti.TensorHandle) else mask

    def masked_load(self: Any, ptrs: Any, mask: Any, other: Any, *_: Any, **__: Any) -> Any:
        element = ptrs.get_element_ty()
        kind = ti._get_np_dtype(element)
        pointers = np.asarray(ptrs.data)
        lanes = np.broadcast_to(data_of(mask), pointers.shape)
        checked = watch.check(pointers, lanes, kind.itemsize, "load")
        if other is None or checked is not lanes:
            poison = np.full(pointers.shape, watch.fill(element, kind), dtype=kind)
            if other is None:
                if not lanes.all():
                    watch.undefined_load(pointers, lanes)
                values = poison
            else:
                values = np.where(lanes, poison, np.broadcast_to(other.data, pointers.shape)).astype(kind)
        else:
            values = other.data
        return handle(native.load(pointers, checked, values, kind), element)

    def masked_store(self: Any, ptrs: Any, value: Any, mask: Any, *_: Any, **__: Any) -> Any:
        pointers = np.asarray(ptrs.data)
        lanes = np.broadcast_to(data_of(mask), pointers.shape)
        kind = ti._get_np_dtype(ptrs.get_element_ty())
        checked = watch.check(pointers, lanes, kind.itemsize, "store")
        native.store(pointers, value.data, checked)
        if pointers.size > 1 and value.data.dtype == kind:
            stored = np.ascontiguousarray(np.broadcast_to(value.data, pointers.shape))
            if native.load(pointers, checked, stored, kind).tobytes() != stored.tobytes():
                watch.lanes_collide(pointers)

    plain_rmw, plain_cas = builder.create_atomic_rmw, builder.create_atomic_cas

    def atomic_rmw(self: Any, op: Any, ptr: Any, val: Any, mask: Any, sem: Any, scope: Any) -> Any:
        pointers = np.asarray(ptr.data)
        lanes = np.broadcast_to(data_of(mask), pointers.shape)
        checked = watch.check(pointers, lanes, val.data.dtype.itemsize, "atomic")
        return plain_rmw(self, op, ptr, val, handle(np.ascontiguousarray(checked), tl.int1), sem, scope)

    def atomic_cas(self: Any, ptr: Any, cmp: Any, val: Any, sem: Any, scope: Any) -> Any:
        pointers = np.asarray(ptr.data)
        lanes = np.ones(pointers.shape, dtype=bool)
        if watch.check(pointers, lanes, val.data.dtype.itemsize, "atomic") is not lanes:
            return handle(np.broadcast_to(cmp.data, pointers.shape).copy(), cmp.dtype.scalar)
        return plain_cas(self, ptr, cmp, val, sem, scope)

    plain_dim, plain_index = builder.set_grid_dim, builder.set_grid_idx

    def set_grid_dim(self: Any, nx: int, ny: int, nz: int) -> None:
        watch.start_grid((int(nx), int(ny), int(nz)))
        plain_dim(self, nx, ny, nz)

    def set_grid_idx(self: Any, x: int, y: int, z: int) -> None:
        plain_index(self, *watch.reordered(x, y, z))

    def arguments(self: Any, args: Any, kwargs: Any) -> Any:
        """In place of the copy to the host: the arguments are there already."""
        watch.launch(self.arg_names, args, kwargs)
        return args, kwargs

    builder.create_masked_load = masked_load
    builder.create_masked_store = masked_store
    builder.create_atomic_rmw = atomic_rmw
    builder.create_atomic_cas = atomic_cas
    builder.set_grid_dim = set_grid_dim
    builder.set_grid_idx = set_grid_idx
    ti.GridExecutor._init_args_hst = arguments
    ti.GridExecutor._restore_args_dev = lambda self, *_: None
