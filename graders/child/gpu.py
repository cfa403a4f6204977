"""Role `gpu`: a Triton program compiled and run on a CUDA device.

Each argument lies in device memory of its own between guard zones, which are compared after the run. Undefined lanes
of masked loads are filled (`undefined.py`) and the case runs once for each poison. CUDA starts after the fork, never in
the zygote. After a CUDA error the context is lost: the reply says `fatal` and the parent takes another process.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from graders.arrays import HostArray
from graders.child import compile_errors, undefined
from graders.child import program as programs
from graders.child.tensors import TORCH_NAMES

DEVICE = "cuda"
GUARD = 1 << 20  # bytes on either side; a multiple of every alignment that Triton asks about
CANARY_SUM = 31.0


def preload(flavour: str) -> None:
    """Import torch and Triton without starting CUDA."""
    import torch  # noqa: F401
    import triton.language  # noqa: F401

    compile_errors.skip_installation_hash()


class DeviceArena:
    """Guard, storage, guard in device memory.

    The guards of a float type are NaNs, so a value read from outside is seen; each argument (`number`) has another bit
    pattern, so a copy that runs past the end of both is seen as well.
    """

    def __init__(self, name: str, array: HostArray, number: int) -> None:
        import torch

        self.name = name
        self.array = array
        self.size = array.storage.nbytes
        word, pattern = {
            "fp32": (torch.int32, 0xFFC00001 - (1 << 32)),
            "int32": (torch.int32, 0xA5A5A501 - (1 << 32)),
            "fp16": (torch.int16, 0xFFC1 - (1 << 16)),
            "bf16": (torch.int16, 0xFFC1 - (1 << 16)),
        }[array.dtype]
        self._pattern = pattern + number % 32
        self._bytes = torch.empty(2 * GUARD + self.size, dtype=torch.uint8, device=DEVICE)
        self._guards = self._bytes[:GUARD].view(word), self._bytes[GUARD + self.size :].view(word)
        self._fresh = torch.from_numpy(array.storage.view(np.uint8).copy())

    def reset(self) -> None:
        """Bytes of the job again, guards fresh."""
        for guard in self._guards:
            guard.fill_(self._pattern)
        self._bytes[GUARD : GUARD + self.size].copy_(self._fresh)

    def guards_intact(self) -> bool:
        low, high = ((guard == self._pattern).all() for guard in self._guards)
        return bool((low & high).item())

    def tensor(self) -> Any:
        """The argument."""
        import torch

        array = self.array
        dtype = getattr(torch, TORCH_NAMES[array.dtype])
        if self.size == 0:
            return torch.empty_strided(array.shape, array.strides, dtype=dtype, device=DEVICE)
        flat = self._bytes[GUARD : GUARD + self.size].view(dtype)
        return flat.as_strided(array.shape, array.strides, GUARD // flat.element_size() + array.offset)

    def content(self) -> bytes:
        return bytes(self._bytes[GUARD : GUARD + self.size].cpu().numpy().tobytes())

    def changed(self) -> bool:
        return self.content() != self.array.storage.tobytes()


class Runner:
    """One program in its own process, with a CUDA context of its own."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.work: str = settings["work"]
        self.path = ""
        self.function = ""
        self.modules: dict[str, ModuleType] = {}
        self.filler = undefined.Filler()
        self.launches = 0
        self.kernel_error: BaseException | None = None
        undefined.install(self.filler)
        self._count_launches()

    def _count_launches(self) -> None:
        from triton.runtime.jit import JITFunction

        plain = JITFunction.run
        runner = self

        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            runner.launches += 1
            try:
                return plain(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            except Exception as error:
                runner.kernel_error = error
                raise

        JITFunction.run = run

    def facts(self) -> dict[str, Any]:
        import torch
        import triton

        toolchain = {
            "triton": triton.__version__,
            "torch": str(torch.__version__),
            "cuda": str(torch.version.cuda),
            "driver": _driver_version(),
            "python": platform.python_version(),
        }
        try:
            return {"device": torch.cuda.get_device_name(), "toolchain": toolchain}
        except Exception as error:  # the canary says it too, in the place where it is read
            return {"device": f"none ({type(error).__name__})", "toolchain": toolchain}

    def canary(self) -> str:
        """Empty when the device computes and the instruments see what they must see."""
        from graders.child import canary

        try:
            import torch

            if not torch.cuda.is_available():
                return "PyTorch finds no CUDA device"
            self._use_cache("canary")
            arenas = [
                DeviceArena("x", HostArray("fp32", (5,), (1,), 0, np.array([1, 2, 4, 8, 16], dtype=np.float32)), 0),
                DeviceArena("out", HostArray("fp32", (1,), (1,), 0, np.array([-7], dtype=np.float32)), 1),
            ]

            def go(function: Any) -> float:
                for arena in arenas:
                    arena.reset()
                function(*(arena.tensor() for arena in arenas))
                torch.cuda.synchronize()
                return float(np.frombuffer(arenas[1].content(), dtype=np.float32)[0])

            value = go(canary.good_sum)
            if value != CANARY_SUM:
                return f"a known-good kernel gave {value}, not {CANARY_SUM}"
            self.filler.seen.clear()
            value = go(canary.undefined_lanes)
            if not self.filler.seen or value == CANARY_SUM:
                return "a load without `other` was not seen as undefined"
            go(canary.outside_store)
            if arenas[1].guards_intact():
                return "an out-of-bounds store was not caught"
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:1000]
        self.filler.seen.clear()
        return ""

    def _use_cache(self, name: str) -> None:
        """Compiled products of different poisons must not meet."""
        os.environ["TRITON_CACHE_DIR"] = str(Path(self.work) / f"triton-{name}")

    def open(self, header: dict[str, Any]) -> dict[str, Any]:
        """Write and load the program."""
        self.path = programs.write_program(self.work, header["filename"], header["source"])
        self.function = header["function"]
        try:
            getattr(self._module("nan"), self.function)
        except BaseException as error:  # whatever a program raises is told
            return programs.load_error(self.path, error)
        return {"event": "opened"}

    def _module(self, poison: str) -> ModuleType:
        """The program as a module of its own for each poison: Triton caches compiled kernels in the function object."""
        if poison not in self.modules:
            self.modules[poison] = programs.load_program(self.path)
        return self.modules[poison]

    def run(self, header: dict[str, Any], blobs: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        """One case: the host function, and again for each further poison where lanes were undefined."""
        reply: dict[str, Any] = {"event": "ran", "status": "ok", "runs": [], "changed": [], "findings": []}
        out: list[bytes] = []
        arenas: dict[str, DeviceArena] = {}
        plan = [("", "nan")]
        while plan:
            label, poison = plan.pop(0)
            try:
                if not arenas:
                    for number, ((name, form), blob) in enumerate(zip(header["arrays"].items(), blobs, strict=True)):
                        arenas[name] = DeviceArena(name, HostArray.from_header(form, blob), number)
                error = self._execute(poison, arenas, header)
                if error is None:
                    contents = [arenas[name].content() for name in header["outputs"]]
                    self._collect(reply, arenas, header["outputs"], label)
            except Exception as device_error:
                error = device_error
            if error is not None:
                reply.update(self._failed(error, label, reply["findings"]))
                break
            reply["runs"].append(label)
            out += contents
            if not label and self.filler.seen:
                plan = [(f"poison:{other}", other) for other in undefined.POISONS[1:]]
        if reply["status"] == "ok":
            reply["undefined"] = [{"line": line, "column": column, "lanes": 0} for line, column in self.filler.seen]
        reply["launches"] = self.launches
        return reply, out

    def _execute(self, poison: str, arenas: dict[str, DeviceArena], header: dict[str, Any]) -> BaseException | None:
        """Fresh memory, one call of the host function, wait for the device; returns what the function raised."""
        import torch

        for arena in arenas.values():
            arena.reset()
        torch.cuda.synchronize()
        self.filler.poison = poison
        self._use_cache(poison)
        self.launches = 0
        self.kernel_error = None
        scalars = header["scalars"]
        values = [arenas[name].tensor() if name in arenas else scalars.get(name) for name in header["arguments"]]
        try:
            getattr(self._module(poison), self.function)(*values)
        except BaseException as error:
            return error
        torch.cuda.synchronize()
        return None

    def _failed(self, error: BaseException, label: str, findings: list[dict[str, Any]]) -> dict[str, Any]:
        """`raised`: the host function's own exception; `error`: the compiler, the launch or the device."""
        line, column = programs.place_of_error(self.path, error)
        told = {**programs.told(error), "line": line, "column": column, "launched": self.launches > 0}
        if compile_errors.is_compile_error(error):
            found = compile_errors.describe(error, self.modules["nan"], self.path)
            findings.append(found)
            told.update(message=found["detail"], line=found["line"], column=found["column"], launched=False)
            return {"status": "error", "raised": told, "variant": label}
        if _is_device_error(error):
            kind = "out-of-bounds" if "illegal memory access" in str(error) else "api-error"
            findings.append({"kind": kind, "detail": str(error).splitlines()[0][:500], "device": True})
            return {"status": "error", "raised": told, "variant": label, "fatal": True}
        status = "error" if error is self.kernel_error else "raised"
        return {"status": status, "raised": told, "variant": label}

    def _collect(self, reply: dict[str, Any], arenas: dict[str, DeviceArena], outputs: list[str], label: str) -> None:
        known = {each.get("argument") for each in reply["findings"]}
        for name, arena in arenas.items():
            if name not in known and not arena.guards_intact():
                reply["findings"].append(
                    {"kind": "out-of-bounds", "argument": name, "detail": "guard", "lanes": 0, "variant": label}
                )
            if name not in outputs and name not in reply["changed"] and arena.changed():
                reply["changed"].append(name)


def _is_device_error(error: BaseException) -> bool:
    """Errors after which a CUDA context cannot be trusted."""
    name, words = type(error).__name__, str(error)
    return name == "AcceleratorError" or "CUDA error" in words or "Triton Error [CUDA]" in words


def _driver_version() -> str:
    try:
        text = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return "unknown"
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", text)
    return found.group(1) if found else "unknown"
