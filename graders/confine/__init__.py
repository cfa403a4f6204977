"""Further layers between a stranger's program and the machine: L1 Landlock, L2 namespaces, L3 seccomp.

Used at two places::

    names = usable()                          # layers that a throw-away child has just used with success
    active = enter(confinement, names)        # in a Python worker, after its imports: applied to itself

    with Prepared(confinement) as child:      # in the parent, for a program that is started with Popen
        process = child.started(lambda: Popen(..., preexec_fn=child.enter))      # between fork and exec

Only the standard library is imported: workers load this first. What is missing never stops a run unless
`require_strict` was called; `missing_for_strict` says what is missing then.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Self

from graders.confine import landlock, namespaces, probe, seccomp
from graders.confine.profiles import Confinement, for_compiler, for_program, for_worker
from graders.errors import EnvironmentProblem
from graders.text import Text

if TYPE_CHECKING:
    import subprocess

_NOT_STRICT = Text(
    "--require-sandbox strict: nothing was run, because this machine lacks layers of the sandbox ({what}). "
    "course doctor says how to get them",
    "--require-sandbox strict：未运行任何程序，因为本机缺少沙箱层（{what}）。获取方法见 course doctor",
)
_NOT_ENTERED = Text(
    "a layer of the sandbox failed while a program was started; nothing was run. course doctor shows the layers; "
    "COURSE_SANDBOX_WITHOUT=NAME switches one off",
    "启动程序时有一层沙箱失败，未运行任何程序。各层见 course doctor；用 COURSE_SANDBOX_WITHOUT=名称 可关闭某一层",
)

LAYERS = ("namespaces", "pid-namespace", "landlock", "seccomp")
__all__ = [
    "LAYERS",
    "Confinement",
    "Prepared",
    "enter",
    "for_compiler",
    "for_program",
    "for_worker",
    "usable",
]

_found: dict[str, str] = {}
_dropped: dict[str, str] = {}
_strict = False


def findings(names: Collection[str] = LAYERS) -> dict[str, str]:
    """Each layer and why it cannot be used here (empty: it can). Probed once a process, by using it in another one."""
    unknown = [name for name in names if name not in _found]
    switched_off = os.environ.get("COURSE_SANDBOX_WITHOUT", "").replace(",", " ").split()
    _found.update(probe.by_forks([name for name in unknown if name not in switched_off]))
    _found.update({name: "COURSE_SANDBOX_WITHOUT" for name in unknown if name in switched_off})
    return {name: _dropped.get(name) or _found[name] for name in names}


def usable(*, processes: bool = False) -> tuple[str, ...]:
    """Names of the layers that work here and have not been given up; with `processes`, of a process namespace too."""
    names = LAYERS if processes else tuple(name for name in LAYERS if name != "pid-namespace")
    return tuple(name for name, reason in findings(names).items() if not reason)


def give_up(reason: str) -> bool:
    """Use no further layer in this process: known-good programs fail inside them. False in strict mode, or done before."""
    if _strict or len(_dropped) == len(LAYERS):
        return False
    _dropped.update(dict.fromkeys(LAYERS, reason))
    return True


def take_back() -> None:
    """Undo `give_up`: it did not help."""
    _dropped.clear()


def given_up() -> str:
    """Why `give_up` was called; empty when it was not."""
    return next(iter(_dropped.values()), "")


def require_strict(on: bool = True) -> None:
    """From now on this process starts no stranger's program without the layers that strict mode names."""
    global _strict
    _strict = on


def strict() -> bool:
    return _strict


def missing_for_strict(active: Collection[str]) -> tuple[str, ...]:
    """What strict mode misses in a list of active layers: one of Landlock and namespaces, and seccomp."""
    missing = () if "landlock" in active or "namespaces" in active else ("landlock", "namespaces")
    return (*missing, *(("seccomp",) if "seccomp" not in active else ()))


def check_strict(active: Collection[str]) -> None:
    """In strict mode raises EnvironmentProblem where a program would run without the layers that it names."""
    missing = missing_for_strict(active) if _strict else ()
    if not missing:
        return
    reasons = {**_found, **_dropped}
    what = "; ".join(f"{name}: {reasons.get(name) or 'not active'}" for name in missing)
    raise EnvironmentProblem(_NOT_STRICT.fill(what=what))


def enter(confinement: Confinement, layers: Collection[str]) -> list[str]:
    """Apply to the calling (single-threaded) process; returns the names of what is active now.

    With a process namespace the caller goes on as another process, its first one.
    """
    active = []
    if "namespaces" in layers:
        own_processes = confinement.process_namespace and "pid-namespace" in layers
        namespaces.enter(processes=own_processes)
        active += ["namespaces", "pid-namespace"] if own_processes else ["namespaces"]
    else:
        namespaces.drop_capabilities()
    if "landlock" in layers:
        with contextlib.suppress(OSError):
            rules = _ruleset(confinement)
            try:
                landlock.restrict(rules)
                active.append("landlock")
            finally:
                os.close(rules)
    if "seccomp" in layers:
        with contextlib.suppress(OSError):
            seccomp.install(seccomp.build(_rules(confinement)))
            active.append("seccomp")
    return active


class Prepared:
    """The same for a program that is started: rules are opened in the parent, applied between fork and exec.

    A layer that fails there makes Popen raise SubprocessError: the machine's fault, never the program's.
    """

    def __init__(self, confinement: Confinement, layers: Collection[str] | None = None) -> None:
        self.confinement = confinement
        self.layers = usable() if layers is None else tuple(layers)
        self._ruleset = -1
        if "landlock" in self.layers:
            try:
                self._ruleset = _ruleset(confinement)
            except OSError:
                self.layers = tuple(name for name in self.layers if name != "landlock")

    def enter(self) -> None:
        """Runs in the child; no_new_privs must be set."""
        if "namespaces" in self.layers:
            namespaces.enter(processes=False)
        else:
            namespaces.drop_capabilities()
        if self._ruleset >= 0:
            landlock.restrict(self._ruleset)
        if "seccomp" in self.layers:
            seccomp.install(seccomp.build(_rules(self.confinement)))

    def started(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Call `start`, which uses `enter`; a layer's failure is the machine's. Checks strict mode first."""
        from subprocess import SubprocessError

        check_strict(self.layers)
        try:
            return start()
        except (SubprocessError, PermissionError):
            if not give_up("a layer failed between fork and exec"):
                raise EnvironmentProblem(_NOT_ENTERED) from None
        self.close()
        self.layers = ()
        try:
            return start()
        except (SubprocessError, PermissionError):
            take_back()
            raise EnvironmentProblem(_NOT_ENTERED) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the rules' descriptor back; may be called twice."""
        if self._ruleset >= 0:
            os.close(self._ruleset)
            self._ruleset = -1


def _ruleset(confinement: Confinement) -> int:
    version = landlock.abi()
    if confinement.renames and version < 2:
        raise OSError(errno.ENOSYS, "this Landlock forbids every move between folders")
    return landlock.ruleset(confinement.files, version)


def _rules(confinement: Confinement) -> seccomp.Rules:
    own = 0 if confinement.signals else os.getpid()
    return seccomp.Rules(
        confinement.processes, confinement.execute, confinement.attributes, confinement.unix_sockets, own
    )
