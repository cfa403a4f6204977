"""Role `compile`: a Triton program to PTX and cubin for named GPUs, with no GPU and no torch.

The host function runs with tensors that have shapes, strides and types but no memory; launching a kernel records which
kernel is specialised how. Each specialisation is then compiled for each target with the ptxas that Triton brings.
"""

from __future__ import annotations

import os
import time
from types import ModuleType
from typing import Any

from graders.child import compile_errors
from graders.child import program as programs
from graders.child.cubin import resources_of
from graders.child.tensors import NeedsTorch, Tensor, install_light_torch

Launch = tuple[Any, tuple[Any, ...], dict[str, Any]]  # kernel, arguments, keyword arguments

FAR_APART = 1 << 32  # addresses of the tensors: as aligned as real ones, never dereferenced


def preload(flavour: str) -> None:
    """Import Triton's compiler; the stand-in takes torch's name."""
    os.nice(5)  # the cases of the interpreter go first
    install_light_torch()
    import triton.backends.nvidia.compiler
    import triton.compiler
    import triton.language  # noqa: F401

    compile_errors.skip_installation_hash()
    programs.first_config_only()


class Runner:
    """Compiles one program in a process of its own."""

    def __init__(self, settings: dict[str, Any]) -> None:
        from triton.runtime.jit import JITFunction

        self.work: str = settings["work"]
        self.launches: list[Launch] = []
        self.module: ModuleType | None = None
        self.path = ""
        recorder = self

        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
            recorder.launches.append((kernel, args, kwargs))

        JITFunction.run = run

    def facts(self) -> dict[str, Any]:
        import triton

        return {"device": "none", "toolchain": {"triton": triton.__version__, "ptxas": _ptxas_version()}}

    def canary(self) -> str:
        """A known-good kernel must compile for the first target."""
        from graders.child import canary

        try:
            self.launches.clear()
            x = Tensor(FAR_APART, "fp32", (5,), (1,), 0, None)
            canary.good_sum(x, Tensor(2 * FAR_APART, "fp32", (1,), (1,), 0, None))
            compiled = self._compile(*self._specialised(self.launches[0], 80), 80)
            return "" if compiled["cubin_bytes"] > 0 else "no cubin for a known-good kernel"
        except Exception as error:
            return f"a known-good kernel does not compile: {type(error).__name__}: {error}"

    def open(self, header: dict[str, Any]) -> dict[str, Any]:
        """Load the program's file."""
        self.path = programs.write_program(self.work, header["filename"], header["source"])
        try:
            self.module = programs.load_program(self.path)
            self.entry = getattr(self.module, header["function"])
        except BaseException as error:  # whatever a program raises is told
            return programs.load_error(self.path, error)
        return {"event": "opened"}

    def run(self, header: dict[str, Any], blobs: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        """Compile what the host function launches for one job; no arrays come in and none go out."""
        self.launches.clear()
        arguments: list[Any] = []
        for number, name in enumerate(header["arguments"]):
            form = header["arrays"].get(name)
            if form is None:
                arguments.append(header["scalars"].get(name))
                continue
            shape, strides = tuple(form["shape"]), tuple(form["strides"])
            tensor = Tensor(FAR_APART * (number + 1), form["dtype"], shape, strides, form["offset"], None)
            arguments.append(tensor.moved_by_offset())
        reply: dict[str, Any] = {"event": "ran", "findings": [], "targets": []}
        assert self.module is not None
        try:
            self.entry(*arguments)
        except NeedsTorch as need:
            return {"event": "needs-torch", "what": str(need)}, []
        except BaseException as error:
            return {**reply, "event": "raised", **programs.told(error)}, []
        for target in header["targets"]:
            started = time.monotonic()
            parts = []
            try:
                for launch in _distinct(self.launches):
                    parts.append(self._compile(*self._specialised(launch, target), target))
            except BaseException as error:
                reply["findings"].append(compile_errors.describe(error, self.module, self.path))
                break  # the same words for every target help nobody
            reply["targets"].append(
                {
                    "target": f"sm_{target}",
                    "seconds": time.monotonic() - started,
                    "ptx_bytes": sum(part["ptx_bytes"] for part in parts),
                    "cubin_bytes": sum(part["cubin_bytes"] for part in parts),
                    "registers": max((part["registers"] for part in parts), default=0),
                    "stack_bytes": max((part["stack_bytes"] for part in parts), default=0),
                    "shared_bytes": max((part["shared_bytes"] for part in parts), default=0),
                }
            )
        return reply, []

    def _specialised(self, launch: Launch, target: int) -> tuple[Any, Any]:
        """Source and options of one launch, as Triton's own launcher would specialise it."""
        kernel, args, kwargs = launch
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource, make_backend
        from triton.runtime.jit import create_function_from_signature

        backend = make_backend(GPUTarget("cuda", target, 32))
        kwargs = {**kwargs, "debug": False}
        binder = create_function_from_signature(kernel.signature, kernel.params, backend)
        bound, specialization, _ = binder(*args, **kwargs)
        options, signature, constants, attributes = kernel._pack_args(backend, kwargs, bound, specialization, None)
        return ASTSource(kernel, signature, constants, attributes), options.__dict__

    def _compile(self, source: Any, options: dict[str, Any], target: int) -> dict[str, int]:
        import triton
        from triton.backends.compiler import GPUTarget

        compiled = triton.compile(source, target=GPUTarget("cuda", target, 32), options=options)
        cubin = compiled.asm["cubin"]
        return {
            "ptx_bytes": len(compiled.asm["ptx"]),
            "cubin_bytes": len(cubin),
            "shared_bytes": int(compiled.metadata.shared),
            **resources_of(cubin),
        }


def _distinct(launches: list[Launch]) -> list[Launch]:
    """Launches whose specialisation may differ (Triton's cache catches what is still equal)."""
    seen: set[str] = set()
    found = []
    for kernel, args, kwargs in launches:
        key = f"{kernel.__name__} {[_form(a) for a in args]} {sorted((k, _form(v)) for k, v in kwargs.items())}"
        if key not in seen:
            seen.add(key)
            found.append((kernel, args, kwargs))
    return found


def _form(value: Any) -> str:
    return f"{value!r}@{value.data_ptr() % 16}" if isinstance(value, Tensor) else repr(value)


def _ptxas_version() -> str:
    try:
        from triton.backends.nvidia.compiler import get_ptxas

        return str(get_ptxas(80).version)
    except Exception:
        return "not found"
