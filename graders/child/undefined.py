"""Undefined lanes in compiled kernels: a masked load without `other` gets a poison instead.

Triton compiles `other=None` to whatever the hardware leaves in the register. The wrap puts in a constant of the element
type, so one wrong assumption shows with at least one of the poisons. Compiled products of different poisons must not
share a cache: the caller gives each a TRITON_CACHE_DIR and a module of its own.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

POISONS = ("nan", "max", "-max")  # a maximum skips NaN, a softmax absorbs -max: one value is not enough

_MOST = {"fp16": 65504.0, "bf16": 3.3895313892515355e38, "fp32": 3.4028234663852886e38, "fp64": sys.float_info.max}


@dataclass
class Filler:
    """Which poison goes in now, and which loads needed one: line and column in the file (0 unknown)."""

    poison: str = "nan"
    seen: dict[tuple[int, int], int] = field(default_factory=dict)


def poison_value(dtype: str, poison: str) -> float | int | None:
    """The constant for an element type by Triton's name (fp32, bf16, int32, uint8 ...); None for types without one."""
    if dtype in _MOST:
        most = _MOST[dtype]
        return float("nan") if poison == "nan" else most if poison == "max" else -most
    signed = dtype.startswith("int")
    if not signed and not dtype.startswith("uint"):
        return None
    bits = int(dtype[3:] if signed else dtype[4:])
    largest = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    smallest = -largest - 1 if signed else 0
    return min(largest // 2, 23130) if poison == "nan" else largest if poison == "max" else smallest


def install(filler: Filler) -> None:
    """Wrap `TritonSemantic._load_legacy`. Once for a process."""
    import triton.language as tl
    from triton.language.semantic import TritonSemantic

    plain = TritonSemantic._load_legacy

    def load(self: Any, ptr: Any, mask: Any, other: Any, *rest: Any) -> Any:
        if mask is not None and other is None and ptr.type.scalar.is_ptr():
            element = ptr.type.scalar.element_ty
            if element == tl.int1:  # loaded as bytes
                element = tl.int8
            value = poison_value(str(element), filler.poison)
            if value is not None:
                filler.seen[_place()] = 1
                other = self.scalar_constant(value, element)
        return plain(self, ptr, mask, other, *rest)

    TritonSemantic._load_legacy = load


def _place() -> tuple[int, int]:
    """The node that the code generator is visiting, as line and column of the kernel's file."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        owner: Any = frame.f_locals.get("self")
        if type(owner).__name__ == "CodeGenerator":
            node = owner.cur_node
            return (int(owner.begin_line) + int(node.lineno), int(node.col_offset) + 1) if node is not None else (0, 0)
        frame = frame.f_back
    return 0, 0
