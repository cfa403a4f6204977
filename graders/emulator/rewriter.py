"""From CUDA C++ to C++ that g++ compiles: only launches, shared variables, device variables and `main` are touched.

Every line keeps its number, and `Rewritten.column` maps a column back, so that messages point into the learner's
own file. What cannot be rewritten faithfully is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graders.emulator import includes
from graders.emulator.declarations import Declarations
from graders.emulator.launches import Launches
from graders.emulator.lexer import adjacent
from graders.emulator.source_edits import Unsupported
from graders.observation import Finding
from graders.text import Text

_ASSEMBLY = {"asm", "__asm__", "__asm"}
_NOT_COVERED = {
    "cudaGraph_t": "CUDA graphs",
    "cudaGraphCreate": "CUDA graphs",
    "cudaStreamBeginCapture": "CUDA graphs",
    "cudaTextureObject_t": "textures",
    "cudaSurfaceObject_t": "surfaces",
    "cudaArray_t": "CUDA arrays",
    "cudaMallocArray": "CUDA arrays",
    "cudaMalloc3D": "cudaMalloc3D",
    "cudaMemcpy3D": "cudaMemcpy3D",
    "cudaLaunchCooperativeKernel": "cooperative launches (cudaLaunchCooperativeKernel)",
    "this_multi_grid": "cooperative launches of several devices",
    "cluster_group": "thread block clusters (cluster_group)",
    "this_cluster": "thread block clusters (this_cluster)",
    "memcpy_async": "asynchronous copies (memcpy_async)",
    "cudaLaunchKernelEx": "cudaLaunchKernelEx",
    "cudaMallocFromPoolAsync": "memory pools",
    "__cluster_dims__": "thread block clusters (__cluster_dims__)",
    "__nv_bfloat162_raw": "__nv_bfloat162_raw",
    "cuLaunchKernel": "the driver API",
    "cuInit": "the driver API",
}


@dataclass(slots=True)
class Rewritten:
    """`text` has as many lines as the source had; `findings` are mistakes that nvcc would refuse too."""

    text: str
    kernels: dict[str, int] = field(default_factory=dict)
    has_main: bool = False
    findings: tuple[Finding, ...] = ()
    edits: list[tuple[int, int, int]] = field(default_factory=list)  # (offset in the source, removed, inserted)
    starts: list[int] = field(default_factory=list)  # offset of each source line

    def column(self, line: int, column: int) -> int:
        """The column in the learner's file of a column in the rewritten text (both count from 1)."""
        if not 0 < line <= len(self.starts):
            return column
        start = self.starts[line - 1]
        stop = self.starts[line] if line < len(self.starts) else 1 << 60
        shift = 0
        for at, removed, inserted in self.edits:
            if at < start or at >= stop:
                continue
            place = at - start + 1 + shift
            if column < place:
                break
            if column < place + inserted:
                return at - start + 1
            shift += inserted - removed
        return max(column - shift, 1)


class _Rewriter(Launches, Declarations):
    def rewrite_words(self) -> None:
        """Early returns of kernels, casts that hide a kernel's type, and a word that the C++ library uses too."""
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.text == "__noinline__":
                self.edit(token.at, len(token.text), "__attribute__((noinline))")
            elif (
                token.text == "cudaLaunchKernel"
                and i + 2 < len(tokens)
                and tokens[i + 2].text in ("(", "reinterpret_cast")
            ):
                self._uncast(i + 2)
            elif token.text == "__global__":
                self._mark_returns(i)

    def check(self) -> None:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.kind != "name":
                if token.text == "%" and adjacent(tokens, i, "%:"):
                    raise self.refuse("digraphs", token)
                continue
            if token.text in _ASSEMBLY:
                raise self.refuse("inline assembly (asm)", token)
            if token.text in _NOT_COVERED:
                raise self.refuse(_NOT_COVERED[token.text], token)
            calls = token.text in self.kernels and i + 1 < len(tokens) and tokens[i + 1].text == "("
            if calls and i and tokens[i - 1].text in (";", "{", "}", "else") and not self._on_directive(token):
                text = Text(
                    f"the kernel {token.text} is called like a function: a launch needs <<<grid, block>>>",
                    f"内核 {token.text} 被当作普通函数调用：启动内核需要 <<<网格, 线程块>>>",
                )
                column = token.at - self.starts[self.line(token) - 1] + 1
                self.findings.append(Finding("missing-launch", text, self.line(token), column))

    def run(self) -> Rewritten:
        includes.check(self.source, self.filename)
        self.find_kernels()
        self.check()
        self.rewrite_launches()
        self.rewrite_words()
        self.rewrite_shared()
        self.rewrite_device_variables()
        self.rewrite_heap()
        self.rewrite_main()
        self.edits.sort(key=lambda e: (e[0], e[1]))
        out = []
        at = 0
        places = []
        for start, removed, text in self.edits:
            if start < at:
                continue  # inside something already replaced
            out.append(self.source[at:start])
            out.append(text)
            at = start + removed
            places.append((start, removed, len(text)))
        out.append(self.source[at:])
        return Rewritten("".join(out), self.kernels, self.has_main, tuple(self.findings), places, self.starts)


def rewrite(source: str, filename: str) -> Rewritten:
    """Rewrite one file; raises Unsupported, naming what the emulator does not cover and its line."""
    return _Rewriter(source.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"), filename).run()


__all__ = ["Rewritten", "Unsupported", "rewrite"]
