"""Around Triton's compiler: its words at the learner's line, and a start without needless work."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from graders.child import program as programs


def skip_installation_hash() -> None:
    """Name compiled products by Triton's version alone.

    Triton hashes its whole installation (hundreds of MB, about a second) to tell products of different builds apart in
    a cache that builds share. A worker's cache is private and ends with it.
    """
    import triton
    from triton.runtime import cache

    cache.triton_key = lambda: triton.__version__


def kernels_of(module: ModuleType) -> list[Any]:
    """The @triton.jit functions of a program (unwrapped from autotune and heuristics)."""
    from triton.runtime.jit import JITFunction

    found = []
    for value in vars(module).values():
        for _ in range(8):
            if isinstance(value, JITFunction):
                found.append(value)
                break
            value = getattr(value, "fn", None)
    return found


def first_line(kernel: Any) -> int:
    """Line of the file where the kernel's `def` stands; node positions count from there."""
    from triton.runtime.jit import get_jit_fn_file_line

    return int(get_jit_fn_file_line(kernel)[1])


def is_compile_error(error: BaseException) -> bool:
    """Whether the compiler (or ptxas) refused the kernel, as opposed to a failure of the host function."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import OutOfResources, PTXASError

    return isinstance(error, (CompilationError, OutOfResources, PTXASError)) or "PassManager" in str(error)


def describe(error: BaseException, module: ModuleType, path: str) -> dict[str, Any]:
    """A finding `compile-error` for the parent, with the innermost place in the program that is known."""
    from triton.compiler.errors import CompilationError

    lines = {kernel.src: first_line(kernel) for kernel in kernels_of(module)}
    line, column, message = 0, 0, ""
    current: BaseException | None = error
    for _ in range(20):
        if current is None:
            break
        if isinstance(current, CompilationError):
            node = current.node
            if current.src in lines and hasattr(node, "lineno"):
                line = lines[current.src] + node.lineno - 1
                column = node.col_offset + 1
            message = str(current.error_message or message)
        else:
            message = message or f"{type(current).__name__}: {current}"
        current = current.__cause__
    if not line:
        line, column = programs.place_of_error(path, error)
    return {"kind": "compile-error", "line": line, "column": column, "detail": (message or str(error))[:2000]}
