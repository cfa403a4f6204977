"""Role `native`: a compiled CUDA program (a shared library with one C entry) loaded and called on the device.

The library was compiled by the parent from the pristine template with the checked blank in it. The canary, another library
built the same way, runs first in the same process. Host arrays lie between guard pages' worth of sentinel bytes, which are
compared afterwards; what the entry returns is its cudaError_t, and a sticky one costs this process.
"""

from __future__ import annotations

import ctypes
import platform
from typing import Any

import numpy as np

from graders.arrays import HostArray

GUARD = 4096  # bytes on either side of each host array
GUARD_BYTE = 0xA5
CANARY_SUM = 45

C_TYPES: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "long long": ctypes.c_longlong,
}


def preload(flavour: str) -> None:
    """Nothing slow to import: the CUDA runtime comes with the library, after the fork."""


class Guarded:
    """One host array between two guard zones, 256-byte aligned as cudaMallocHost would have it."""

    def __init__(self, array: HostArray) -> None:
        self.size = array.storage.nbytes
        self._raw = np.empty(self.size + 2 * GUARD + 256, dtype=np.uint8)
        self._start = GUARD + (-(self._raw.ctypes.data + GUARD) % 256)
        self.fresh = array.storage.tobytes()
        self._raw[:] = GUARD_BYTE
        self._raw[self._start : self._start + self.size] = np.frombuffer(self.fresh, dtype=np.uint8)

    @property
    def address(self) -> int:
        return int(self._raw.ctypes.data) + self._start

    def content(self) -> bytes:
        return self._raw[self._start : self._start + self.size].tobytes()

    def intact(self) -> bool:
        low, high = self._raw[: self._start], self._raw[self._start + self.size :]
        return bool((low == GUARD_BYTE).all() and (high == GUARD_BYTE).all())


class Runner:
    """One library in its own process."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.work: str = settings["work"]
        self.entry: Any = None
        self.describe: Any = None
        self.parameters: list[dict[str, Any]] = []
        self._facts = {"device": "unknown", "toolchain": {"python": platform.python_version()}}

    def facts(self) -> dict[str, Any]:
        return self._facts

    def canary(self) -> str:
        """Nothing to check before a library is named: `open` runs the canary library first."""
        return ""

    def open(self, header: dict[str, Any]) -> dict[str, Any]:
        """Load the canary, run it, then load the program."""
        try:
            canary = ctypes.CDLL(header["canary"])
            device = ctypes.create_string_buffer(256)
            versions = (ctypes.c_int * 3)()
            status = int(canary.course_device(device, 256, versions))
            if status != 0:
                return self._sick(canary, status, "no usable device")
            got = ctypes.c_int(0)
            status = int(canary.course_canary(ctypes.byref(got)))
            if status != 0:
                return self._sick(canary, status, "the canary kernel failed")
            if got.value != CANARY_SUM:
                return {"event": "sick", "message": f"the canary kernel gave {got.value}, not {CANARY_SUM}"}
            library = ctypes.CDLL(header["library"])
            self.entry = getattr(library, header["function"])
            self.describe = canary.course_error_name
            self.describe.restype = ctypes.c_char_p
            self.parameters = header["parameters"]
        except (OSError, AttributeError) as error:
            return {"event": "failed", "type": type(error).__name__, "message": str(error)[:1000]}
        name = device.value.decode("utf-8", "replace")
        major = versions[2]
        toolchain = {
            "driver_api": f"{versions[0] // 1000}.{versions[0] % 1000 // 10}",
            "cuda": f"{versions[1] // 1000}.{versions[1] % 1000 // 10}",
            "arch": f"sm_{major}",
        }
        self._facts = {"device": name, "toolchain": {**self._facts["toolchain"], **toolchain}}  # type: ignore[dict-item]
        return {"event": "opened", "facts": self._facts}

    def _sick(self, canary: Any, status: int, what: str) -> dict[str, Any]:
        canary.course_error_name.restype = ctypes.c_char_p
        name = canary.course_error_name(status)
        return {"event": "sick", "message": f"{what}: {name.decode() if name else status}"}

    def run(self, header: dict[str, Any], blobs: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        """One call of the entry."""
        reply: dict[str, Any] = {"event": "ran", "status": "ok", "runs": [""], "changed": [], "findings": []}
        arrays = {
            name: Guarded(HostArray.from_header(form, blob))
            for (name, form), blob in zip(header["arrays"].items(), blobs, strict=True)
        }
        values: list[Any] = []
        for parameter in self.parameters:
            name = parameter["name"]
            if parameter["pointer"]:
                values.append(ctypes.c_void_p(arrays[name].address))
            else:
                values.append(C_TYPES[parameter["type"]](header["scalars"][name]))
        status = int(self.entry(*values))
        for name, array in arrays.items():
            if not array.intact():
                reply["findings"].append({"kind": "out-of-bounds", "argument": name, "detail": "guard"})
            if name not in header["outputs"] and array.content() != array.fresh:
                reply["changed"].append(name)
        if status != 0:
            words = self.describe(status)
            text = words.decode("utf-8", "replace") if words else str(status)
            reply.update(status="raised", runs=[], fatal=_sticky(status))
            reply["raised"] = {"type": "cudaError", "message": text, "line": 0, "launched": True}
            return reply, []
        return reply, [arrays[name].content() for name in header["outputs"]]


def _sticky(status: int) -> bool:
    """Errors after which the context of this process is lost (illegal address, misaligned, launch failure, assert ...)."""
    return 214 <= status <= 226 or 700 <= status <= 720 or status == 999
