"""Role `interpret`: a Triton program on the CPU, through Triton's interpreter with instruments."""

from __future__ import annotations

import platform
import sys
import zlib
from typing import Any

import numpy as np

from graders.arrays import HostArray
from graders.child import instruments
from graders.child import program as programs
from graders.child.tensors import Arena, NeedsTorch, install_light_torch

CANARY_SUM = 31.0
_watch = instruments.Watch()  # of this process; each fork goes on with its own copy


def preload(flavour: str) -> None:
    """Import what is slow. `light`: without torch, a stand-in takes its name."""
    if flavour == "torch":
        import torch

        torch.set_num_threads(1)
    else:
        install_light_torch()
    import triton.language as tl

    instruments.install(_watch)
    programs.first_config_only()
    # The interpreter rewrites each function at its first use: done here once, every fork starts with it.
    Runner({"flavour": flavour, "work": ""}).canary()
    for function in (tl.max, tl.min):
        function.rewrite()


class Runner:
    """One program in its own process."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.light = settings["flavour"] == "light"
        self.work: str = settings["work"]
        self.watch = _watch
        self.entry: Any = None
        self.path = ""

    def facts(self) -> dict[str, Any]:
        import triton

        toolchain = {"triton": triton.__version__, "numpy": np.__version__, "python": platform.python_version()}
        if not self.light:
            toolchain["torch"] = str(sys.modules["torch"].__version__)
        return {"device": "CPU", "toolchain": toolchain}

    def canary(self) -> str:
        """Empty when the instruments see what they must see, else what they did not see."""
        from graders.child import canary

        path = canary.__file__
        x = np.array([1, 2, 4, 8, 16], dtype=np.float32)
        arenas = [
            Arena("x", HostArray("fp32", (5,), (1,), 0, x)),
            Arena("out", HostArray("fp32", (1,), (1,), 0, np.array([-7], dtype=np.float32))),
        ]

        def go(function: Any) -> tuple[float, str]:
            error = self._execute(path, function, arenas, [], "nan", "")
            return float(arenas[1].storage[0]), "" if error is None else repr(error)

        value, error = go(canary.good_sum)
        if error or value != CANARY_SUM:
            return f"a known-good kernel gave {value}, not {CANARY_SUM} {error}"
        value, error = go(canary.undefined_lanes)
        if error or not self.watch.undefined or value == CANARY_SUM:
            return f"a load without `other` was not seen as undefined {error}"
        _, error = go(canary.outside_store)
        seen = {each.kind for each in self.watch.findings.values()}
        if error or "out-of-bounds" not in seen or not arenas[1].guards_intact():
            return f"an out-of-bounds store was not caught {error}"
        return ""

    def open(self, header: dict[str, Any]) -> dict[str, Any]:
        """Load the program; `header` holds source, filename and function."""
        self.path = programs.write_program(self.work, header["filename"], header["source"])
        try:
            self.entry = getattr(programs.load_program(self.path), header["function"])
        except NeedsTorch as need:
            return {"event": "needs-torch", "what": str(need)}
        except BaseException as error:  # whatever a program raises is told, not suffered
            return programs.load_error(self.path, error)
        return {"event": "opened"}

    def run(self, header: dict[str, Any], blobs: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        """One case: the host function once for each variant."""
        arrays = {
            name: HostArray.from_header(each, blob)
            for (name, each), blob in zip(header["arrays"].items(), blobs, strict=True)
        }
        arenas = {name: Arena(name, array) for name, array in arrays.items()}
        arguments = [arenas.get(name, header["scalars"].get(name)) for name in header["arguments"]]
        reply: dict[str, Any] = {"event": "ran", "status": "ok", "runs": [], "changed": [], "findings": []}
        out: list[bytes] = []
        plan = [("", "nan", "")]
        while plan:
            label, poison, order = plan.pop(0)
            error = self._execute(self.path, self.entry, list(arenas.values()), arguments, poison, order)
            if isinstance(error, NeedsTorch):
                return {"event": "needs-torch", "what": str(error)}, []
            if error is not None and label.startswith("poison:"):
                reply["poison_failed"] = True  # with another value in the undefined lanes it does not even run
                continue
            if error is not None:
                reply.update(self._failed(error, label))
            self._collect(reply, arenas, header["outputs"], label)
            if error is not None:
                break
            reply["runs"].append(label)
            out += [arenas[name].storage.tobytes() for name in header["outputs"]]
            if not label:
                plan = self._variants(header["case"])
                reply["undefined"] = [each.as_json() for each in self.watch.undefined.values()]
                reply["launches"] = self.watch.launches
        return reply, out

    def _variants(self, case: str) -> list[tuple[str, str, str]]:
        """Further runs of the same case: another order of programs, other poisons of undefined lanes."""
        plan = []
        if self.watch.programs > 1:
            kind = "reversed" if self.watch.programs <= 3 else "permuted"
            order = kind if kind == "reversed" else str(zlib.crc32(case.encode()))
            plan.append((f"order:{kind}", "nan", order))
        if self.watch.undefined:
            plan += [("poison:max", "max", ""), ("poison:-max", "-max", "")]
        return plan

    def _execute(
        self, path: str, function: Any, arenas: list[Arena], arguments: list[Any], poison: str, order: str
    ) -> BaseException | None:
        """Fresh arenas, one call of the host function; returns what it raised."""
        for arena in arenas:
            arena.reset()
        self.watch.begin(path, arenas, poison, order)
        values = [
            (each.light() if self.light else each.torch()) if isinstance(each, Arena) else each
            for each in (arguments or arenas)
        ]
        try:
            with np.errstate(all="ignore"):
                function(*values)
        except BaseException as error:  # SystemExit and NeedsTorch too
            return error
        return None

    def _failed(self, error: BaseException, label: str) -> dict[str, Any]:
        """`raised` for the host function's own exception, `error` for one out of a kernel."""
        from triton.runtime.errors import InterpreterError

        line, column = programs.place_of_error(self.path, error)
        inner: BaseException = error
        while isinstance(inner, InterpreterError) and inner.__cause__ is not None:
            inner = inner.__cause__
        status = "error" if isinstance(error, InterpreterError) else "raised"
        told = {**programs.told(inner), "line": line, "column": column, "launched": self.watch.launches > 0}
        return {"status": status, "raised": told, "variant": label}

    def _collect(self, reply: dict[str, Any], arenas: dict[str, Arena], outputs: list[str], label: str) -> None:
        """Findings and changed inputs of one execution."""
        known = {(each["kind"], each["line"], each["argument"]) for each in reply["findings"]}
        for key, seen in self.watch.findings.items():
            if key not in known:
                reply["findings"].append(seen.as_json() | {"variant": label})
        for name, arena in arenas.items():
            if not arena.guards_intact():
                reply["findings"].append(
                    {"kind": "out-of-bounds", "argument": name, "detail": "guard", "lanes": 0, "variant": label}
                )
            if name not in outputs and name not in reply["changed"] and arena.changed():
                reply["changed"].append(name)
