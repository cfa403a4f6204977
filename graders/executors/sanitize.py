"""compute-sanitizer over a CUDA lesson: memcheck and racecheck on the GPU, where the tool is installed (`--sanitize`).

The program is compiled with line tables into an executable of its own that reads one case from files, so that the sanitizer sees the
whole process. It is slow, and it looks where the emulator looks already; its findings are added to the case that was run.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from graders import sandbox
from graders.errors import EnvironmentProblem
from graders.executors.base import Program
from graders.executors.cuda_entry import CudaEntry, Parameter
from graders.executors.nvcc import device_arch, find_nvcc, product
from graders.observation import Finding, Job
from graders.text import Text, same

TOOLS = ("memcheck", "racecheck")
RUN_S = 120.0
_MISSING = Text(
    "compute-sanitizer was not found: it comes with the CUDA toolkit (CUDA_HOME/bin)",
    "找不到 compute-sanitizer：它随 CUDA 工具包提供（CUDA_HOME/bin）",
)
_BLOCK = re.compile(
    r"^=========\s+(?P<words>(?:Invalid|Error|Potential|Race|Uninitialized|Misaligned|Program hit|Device|Fatal|Barrier)[^\n]*)$",
    re.MULTILINE,
)
_PLACE = re.compile(r"(?P<file>[\w.-]+\.cu):(?P<line>\d+)")
_THREAD = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_KINDS = (
    ("misaligned", "misaligned"),
    ("race", "race"),
    ("hazard", "race"),
    ("uninitialized", "uninitialised"),
    ("barrier", "divergent-barrier"),
    ("invalid", "out-of-bounds"),
)


def find_sanitizer() -> Path | None:
    """The tool on PATH, in CUDA_HOME, or beside nvcc."""
    found = shutil.which("compute-sanitizer")
    if found:
        return Path(found)
    places = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    nvcc = find_nvcc()
    if nvcc is not None:
        places.append(str(nvcc.resolve().parent.parent))
    for place in places:
        candidate = Path(place or "/nonexistent") / "bin" / "compute-sanitizer"
        if candidate.is_file():
            return candidate
    return None


def sanitize(program: Program, jobs: list[Job]) -> tuple[Finding, ...]:
    """Run each job under memcheck and racecheck; raises EnvironmentProblem where the tool is missing."""
    tool = find_sanitizer()
    if tool is None:
        raise EnvironmentProblem(_MISSING)
    entry = program.entry
    if not isinstance(entry, CudaEntry):
        raise TypeError("only CUDA programs can be sanitized")
    source = program.source + entry.wrapper() + _main(entry)
    executable = product(source, program.filename, [f"-arch=sm_{device_arch()}", "-O1", "-lineinfo"], ".run")
    found: list[Finding] = []
    for job in jobs:
        for name in TOOLS:
            found += read_report(_run(tool, name, executable, entry, job), program.filename)
    return tuple(dict.fromkeys(found))


def read_report(said: str, filename: str) -> list[Finding]:
    """Findings from the tool's words, each at the learner's line where the tool names one."""
    out = []
    starts = list(_BLOCK.finditer(said))
    for i, match in enumerate(starts):
        block = said[match.start() : starts[i + 1].start() if i + 1 < len(starts) else len(said)]
        words = match["words"].strip()
        kind = next((k for w, k in _KINDS if w in words.lower()), "api-error")
        places = [int(p["line"]) for p in _PLACE.finditer(block) if p["file"] == Path(filename).name]
        where = _THREAD.search(block)
        numbers = tuple(int(n) for n in where.groups()) if where else ()
        out.append(
            Finding(
                kind,
                same(f"compute-sanitizer: {words}"),
                line=places[0] if places else 0,
                thread=(numbers[0], numbers[1], numbers[2]) if numbers else None,
                block=(numbers[3], numbers[4], numbers[5]) if numbers else None,
                other_line=places[1] if len(places) > 1 else 0,
            )
        )
    return out


def _run(tool: Path, name: str, executable: Path, entry: CudaEntry, job: Job) -> str:
    folder = Path(tempfile.mkdtemp(prefix="course-sanitize-"))
    try:
        (folder / "case.bin").write_bytes(_case(entry.parameters(), job))
        command = [str(tool), "--tool", name, str(executable), "case.bin"]
        done = subprocess.run(
            command, cwd=folder, env=sandbox.minimal_environment(str(folder), {}), capture_output=True, timeout=RUN_S, check=False,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        return (done.stdout + done.stderr).decode("utf-8", "replace")[:200_000]
    except subprocess.TimeoutExpired:
        return ""
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)


def _case(parameters: tuple[Parameter, ...], job: Job) -> bytes:
    """One record a parameter: size in bytes (8 bytes, little endian), then the bytes."""
    out = bytearray()
    arrays = {**job.inputs, **job.outputs}
    for parameter in parameters:
        if parameter.pointer:
            raw = arrays[parameter.name].storage.tobytes()
        else:
            form = {"float": "<f", "double": "<d", "long long": "<q", "unsigned": "<I"}.get(parameter.type, "<i")
            raw = struct.pack(form, job.scalars[parameter.name])
        out += struct.pack("<Q", len(raw)) + raw
    return bytes(out)


def _main(entry: CudaEntry) -> str:
    """A `main` that reads a case and calls the entry once; its exit code is the error of the entry."""
    reads, calls = [], []
    for p in entry.parameters():
        reads.append(f"    std::vector<char> {p.name}_raw = course_read(stream);")
        constant = "const " if p.constant else ""
        value = f"reinterpret_cast<{constant}{p.type}*>({p.name}_raw.data())"
        calls.append(value if p.pointer else f"*{value}")
    return (
        "\n#include <cstdio>\n#include <vector>\n"
        "static std::vector<char> course_read(std::FILE* stream) {\n"
        "    unsigned long long size = 0;\n    if (std::fread(&size, 8, 1, stream) != 1) return {};\n"
        "    std::vector<char> raw(size);\n    if (size && std::fread(raw.data(), 1, size, stream) != size) raw.clear();\n    return raw;\n}\n"
        'int main(int, char** argv) {\n    std::FILE* stream = std::fopen(argv[1], "rb");\n    if (!stream) return 99;\n'
        + "\n".join(reads)
        + f"\n    std::fclose(stream);\n    return {entry.function}({', '.join(calls)});\n}}\n"
    )
