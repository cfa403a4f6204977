"""How a CUDA program is entered: one C function, the same for nvcc and for the emulator, generated behind the template."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PARAMETER = re.compile(
    r"^\s*(const\s+)?(float|int|double|unsigned|long long|half|__half|__nv_bfloat16)\s*(\*?)\s*(\w+)\s*$"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the entry: C type, whether it is a pointer, whether what it points to is read only."""

    name: str
    type: str
    pointer: bool
    constant: bool


@dataclass(frozen=True, slots=True)
class CudaEntry:
    """`signature` declares the entry, `call` is the expression in it that returns a cudaError_t.

    Example: CudaEntry('extern "C" int course_entry(const float* x, int n, int blocks, int threads, int* out)',
    'argmax(x, n, blocks, threads, out)', ('x', 'n', 'blocks', 'threads', 'out')). Pointers are host pointers.
    """

    signature: str
    call: str
    arguments: tuple[str, ...]

    @property
    def function(self) -> str:
        """The name of the entry."""
        found = re.search(r"(\w+)\s*\(", self.signature)
        if not found:
            raise ValueError(f"not a function declaration: {self.signature}")
        return found.group(1)

    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order; raises ValueError for a declaration that this course cannot call."""
        inside = self.signature[self.signature.index("(") + 1 : self.signature.rindex(")")]
        out = []
        for piece in inside.split(","):
            match = _PARAMETER.match(piece)
            if not match:
                raise ValueError(f"not a parameter that can be passed: {piece.strip()}")
            out.append(Parameter(match.group(4), match.group(2), bool(match.group(3)), bool(match.group(1))))
        return tuple(out)

    def wrapper(self) -> str:
        """The C++ text appended behind the template."""
        return f"\n{self.signature} {{ return static_cast<int>({self.call}); }}\n"
