"""CUDA C++ by nvcc: compiled for and run on a GPU of this machine, or compiled only, for GPUs that need not be there.

nvcc is found on PATH, in CUDA_HOME, or in the pip packages of the extra `cuda`. The target is always named (`-arch=native` without a GPU
only warns). What goes wrong with the toolchain itself (no host compiler, one that nvcc refuses, a driver that is too old) is this
machine's fault: EnvironmentProblem with its fix, never a verdict.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graders import confine, sandbox
from graders.errors import EnvironmentProblem
from graders.executors import worker
from graders.executors.base import CompileProblem, Facts, Limits, Program
from graders.executors.cuda_entry import CudaEntry
from graders.executors.triton_compile import CompileReport
from graders.executors.triton_session import TritonSession
from graders.observation import Finding, Job, Tier
from graders.text import Text, same

TARGETS = (80, 90, 100)
COMPILE_S = 120.0
# Of each process that nvcc starts; its messages are a file, so `file_size` bounds them too.
COMPILE_LIMITS = sandbox.ResourceLimits(
    address_space=8 * sandbox.GIB, file_size=256 * sandbox.MIB, cpu_seconds=120, open_files=1024
)
STANDARD = "-std=c++17"
_MESSAGE = re.compile(
    r"^(?P<file>[^()\n]+)\((?P<line>\d+)\)(?:\([^)]*\))?:\s*(?:catastrophic )?error\s*(?:#\S+)?:?\s*(?P<words>.*)$",
    re.MULTILINE,
)
_GCC_MESSAGE = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<words>.*)$", re.MULTILINE
)
_OURS = re.compile(
    r"unsupported GNU version|unsupported clang version|host compiler|No such file or directory|cannot find -l|ptxas fatal.*(?:Unsupported|Version)|"
    r"nvcc fatal|Permission denied|No space left",
)

_NO_NVCC = Text(
    "nvcc was not found: pip install 'gpu-kernel-course[cuda]', or install the CUDA toolkit and set CUDA_HOME",
    "找不到 nvcc：pip install 'gpu-kernel-course[cuda]'，或安装 CUDA 工具包并设置 CUDA_HOME",
)
_NO_GXX = Text(
    "nvcc needs g++: install it (Debian, Ubuntu, WSL2: sudo apt install g++)",
    "nvcc 需要 g++：请安装（Debian、Ubuntu、WSL2：sudo apt install g++）",
)
_NO_DEVICE = Text(
    "there is no NVIDIA GPU on this machine (no /dev/nvidia0)", "本机没有 NVIDIA GPU（找不到 /dev/nvidia0）"
)
_TOOLCHAIN = Text(
    "nvcc failed because of this machine's toolchain: {words} (course doctor)",
    "nvcc 因本机工具链问题失败：{words}（course doctor）",
)
_REFUSED = Text("nvcc refuses the program: {words}", "nvcc 不接受此程序：{words}")
_SICK = Text(
    "the check of this machine's GPU failed before the program ran: {words}. The program was not judged",
    "在运行程序之前，本机 GPU 的自检失败：{words}。程序未被评判",
)
_SLOW = Text("nvcc did not end within {s:g} s and was stopped", "nvcc 未在 {s:g} 秒内结束，已被终止")

CANARY = r"""
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
__global__ void course_canary_kernel(int* out) { atomicAdd(out, (int)threadIdx.x); }
extern "C" int course_device(char* name, int size, int* versions) {
    cudaDeviceProp properties;
    cudaError_t status = cudaGetDeviceProperties(&properties, 0);
    if (status != cudaSuccess) return status;
    std::strncpy(name, properties.name, size - 1);
    cudaDriverGetVersion(&versions[0]);
    cudaRuntimeGetVersion(&versions[1]);
    versions[2] = properties.major * 10 + properties.minor;
    return cudaSuccess;
}
extern "C" int course_canary(int* out) {
    int* device = nullptr;
    cudaError_t status = cudaMalloc(&device, sizeof(int));
    if (status == cudaSuccess) status = cudaMemset(device, 0, sizeof(int));
    if (status == cudaSuccess) { course_canary_kernel<<<1, 10>>>(device); status = cudaGetLastError(); }
    if (status == cudaSuccess) status = cudaMemcpy(out, device, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return status;
}
extern "C" const char* course_error_name(int status) { return cudaGetErrorName((cudaError_t)status); }
"""


def find_nvcc() -> Path | None:
    """nvcc on PATH, in CUDA_HOME or CUDA_PATH, or in the pip packages; starts nothing."""
    found = shutil.which("nvcc")
    if found:
        return Path(found)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        root = os.environ.get(variable)
        if root and (Path(root) / "bin" / "nvcc").is_file():
            return Path(root) / "bin" / "nvcc"
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec("nvidia")
        for place in spec.submodule_search_locations if spec and spec.submodule_search_locations else ():
            for candidate in sorted(Path(place).glob("cu1*/bin/nvcc"), reverse=True):
                return candidate
    return None


def toolchain_missing() -> Text | None:
    """What compile needs and is not there."""
    if find_nvcc() is None:
        return _NO_NVCC
    if shutil.which("g++") is None:
        return _NO_GXX
    return None


def run_nvcc(source: str, filename: str, arguments: Sequence[str], output: Path) -> None:
    """Compile one file with nvcc in a limited child; raises CompileProblem (the learner's) or EnvironmentProblem (ours)."""
    nvcc = find_nvcc()
    if nvcc is None:
        raise EnvironmentProblem(_NO_NVCC)
    folder = Path(tempfile.mkdtemp(prefix="course-nvcc-"))
    try:
        path = folder / Path(filename).name
        path.write_text(source, encoding="utf-8")
        libraries = nvcc.parent.parent / "lib"
        extra = [f"-L{libraries}"] if libraries.is_dir() and not shutil.which("nvcc") else []
        command = [str(nvcc), STANDARD, *arguments, *extra, path.name, "-o", "made"]
        words = _run_limited(command, folder)
        if words is not None and isinstance(_problem(words, path.name), EnvironmentProblem) and _layers_to_blame(nvcc):
            words = _run_limited(command, folder)
        if words is not None:
            raise _problem(words, path.name)
        shutil.copy(folder / "made", output)  # with its mode: a program must stay executable
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _layers_to_blame(nvcc: Path) -> bool:
    """Whether a known-good file fails inside the sandbox's layers and compiles without; they are given up then.

    Never decided by the learner's file: it could be written to make nvcc fail.
    """
    folder = Path(tempfile.mkdtemp(prefix="course-nvcc-"))
    try:
        (folder / "known.cu").write_text("__global__ void known(int* x) { *x = 1; }\n", encoding="utf-8")
        command = [str(nvcc), STANDARD, f"-arch=sm_{TARGETS[0]}", "-cubin", "known.cu", "-o", "made"]
        if _run_limited(command, folder) is None or not confine.give_up("nvcc fails inside them"):
            return False
        if _run_limited(command, folder) is None:
            return True
        confine.take_back()
        return False
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_limited(command: list[str], folder: Path) -> str | None:
    """None on success, else what the compiler said."""
    environment = sandbox.minimal_environment(str(folder), {})
    rules = confine.for_compiler(command, str(folder))
    with tempfile.TemporaryFile() as messages, confine.Prepared(rules) as further:

        def setup() -> None:
            sandbox.enter_base_layer(COMPILE_LIMITS)
            further.enter()

        process = further.started(
            lambda: subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=messages,
                start_new_session=True,
                preexec_fn=setup,
            )
        )
        try:
            process.wait(timeout=COMPILE_S)
        except subprocess.TimeoutExpired:
            text = _SLOW.fill(s=COMPILE_S)
            raise CompileProblem(text, [Finding("compile-error", text)]) from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, 9)  # nvcc starts a compiler for the host, cicc and ptxas
            process.wait()
        messages.seek(0)
        return None if process.returncode == 0 else messages.read(20000).decode("utf-8", "replace")


def _problem(words: str, filename: str) -> CompileProblem | EnvironmentProblem:
    """The compiler's words as findings at the learner's lines; toolchain trouble as what it is."""
    findings = []
    for pattern in (_MESSAGE, _GCC_MESSAGE):
        for match in pattern.finditer(words):
            if Path(match["file"]).name == filename:
                column = int(match.groupdict().get("column") or 0)
                findings.append(Finding("compile-error", same(match["words"].strip()), int(match["line"]), column))
    if not findings and _OURS.search(words):
        line = next((w.strip() for w in words.splitlines() if _OURS.search(w)), words[:300])
        return EnvironmentProblem(_TOOLCHAIN.fill(words=line[:300]))
    if not findings:
        first = next((w.strip() for w in words.splitlines() if w.strip()), "nvcc")
        return EnvironmentProblem(_TOOLCHAIN.fill(words=first[:300]))
    return CompileProblem(_REFUSED.fill(words=findings[0].text), findings)


class NvccGpu:
    """Executor `nvcc-gpu`: the template with its blank as a shared library, run on the GPU of this machine."""

    name = "nvcc-gpu"
    tier: Tier = "gpu"

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits(total_s=900.0)
        self._facts = Facts("unknown")

    def availability(self) -> Text | None:
        if not (any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()):
            return _NO_DEVICE
        return toolchain_missing()

    def prestart(self) -> None:
        if self.availability() is None:
            _let_read_cache()
            worker.warm("native", "light", 1)

    def open(self, program: Program) -> TritonSession:
        session = NvccSession("native", "light", program, self.limits, 1)
        self._facts = session.facts()
        return session

    def facts(self) -> Facts:
        return self._facts

    def close(self) -> None:
        worker.close_warm("native")


class NvccSession(TritonSession):
    """A session whose worker loads a library instead of a Python file."""

    def open_order(self) -> dict[str, Any]:
        entry = self.program.entry
        if not isinstance(entry, CudaEntry):
            raise TypeError("a CUDA executor needs a CudaEntry")
        _let_read_cache()
        arch = f"-arch=sm_{device_arch()}"
        library = compiled(self.program.source + entry.wrapper(), self.program.filename, arch)
        canary = compiled(CANARY, "canary.cu", arch)
        return {
            "op": "open",
            "library": str(library),
            "canary": str(canary),
            "function": entry.function,
            "parameters": [{"name": p.name, "type": p.type, "pointer": p.pointer} for p in entry.parameters()],
        }


def compiled(source: str, filename: str, arch: str) -> Path:
    """The shared library of a source."""
    return product(source, filename, [arch, "-O2", "--shared", "-Xcompiler", "-fPIC"], ".so")


def product(source: str, filename: str, arguments: Sequence[str], suffix: str) -> Path:
    """What nvcc makes of a source, from the cache where the same source was compiled by the same nvcc before."""
    key = hashlib.sha256("\0".join((str(find_nvcc()), STANDARD, *arguments, filename, source)).encode()).hexdigest()[
        :32
    ]
    folder = cache_folder() / "nvcc"
    made = folder / f"{key}{suffix}"
    if made.is_file():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{key}.{os.getpid()}.{threading.get_ident()}{suffix}"
    try:
        run_nvcc(source, filename, arguments, fresh)
        fresh.replace(made)
    finally:
        fresh.unlink(missing_ok=True)
    return made


def cache_folder() -> Path:
    """Where compiled products lie: COURSE_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("COURSE_CACHE_DIR")
    if given:
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_cache_dir("course", appauthor=False))


def _let_read_cache() -> None:
    """The native worker loads its libraries from there; the folder must be there before its rules are made."""
    place = cache_folder() / "nvcc"
    place.mkdir(parents=True, exist_ok=True)
    worker.INPUTS["native"] = [place]


def device_arch() -> int:
    """Compute capability of the first GPU as two digits (90); raises EnvironmentProblem when the driver cannot say."""
    try:
        said = subprocess.run(
            ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True, timeout=30, check=True
        ).stdout  # fmt: skip
        major, minor = said.splitlines()[0].strip().split(".")
        return int(major) * 10 + int(minor)
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise EnvironmentProblem(_SICK.fill(words=f"nvidia-smi: {error}")) from None


class PendingNvcc:
    """Device code compiled for each target in a thread of its own; the host part is the emulator's business."""

    def __init__(self, program: Program, targets: Sequence[int]) -> None:
        self._program = program
        self._targets = tuple(targets)
        self._report = CompileReport()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        begin = time.monotonic()
        done: list[str] = []
        findings: tuple[Finding, ...] = ()
        note: Text | None = None
        for target in self._targets:
            try:
                _cubin(self._program, target)
                done.append(f"sm_{target}")
            except CompileProblem as problem:
                findings = problem.findings
                break
            except EnvironmentProblem as problem:
                note = problem.text
                break
        self._report = CompileReport(tuple(done), findings, seconds=time.monotonic() - begin, note=note)

    def result(self, timeout_s: float | None = None) -> CompileReport:
        self._thread.join(timeout_s)
        return self._report

    def cancel(self) -> None:
        """The compiler ends by itself; its report is not waited for."""


def _cubin(program: Program, target: int) -> None:
    """Compile the device code for one target, or remember that it was."""
    product(program.source, program.filename, [f"-arch=sm_{target}", "-cubin"], ".cubin")


class NvccCompile:
    """Executor `nvcc-compile`: for GPU targets without a GPU."""

    name = "nvcc-compile"
    tier: Tier = "static"

    def __init__(self, targets: Sequence[int] = TARGETS) -> None:
        self.targets = tuple(targets)

    def availability(self) -> Text | None:
        return toolchain_missing()

    def begin(self, program: Program, jobs: Sequence[Job]) -> PendingNvcc:
        """Start compiling at once; the report arrives later."""
        return PendingNvcc(program, self.targets)
