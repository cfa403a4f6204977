"""Compile and run the corpus on a machine with a GPU.

Usage: python run_on_gpu.py SUMMARY.json [--arch sm_90] [--nvcc PATH] [--jobs N] [--only WORD]

Every sound program must compile, end within its time and exit with 0. Of the planted ones only those marked
`gpu_safe: true` are run, and what they exit with is recorded, not judged: a bug that the GPU happens to hide is why the
emulator exists. Prints one line a program; writes a JSON summary to the path given. Needs nvcc, a GPU and pyyaml.

Exit status: 0 all sound programs fine; 1 some sound program failed or some program did not compile; 2 usage;
3 no nvcc found.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
COMPILE_LIMIT_S = 180
RUN_LIMIT_S = 20


def find_nvcc(given: str | None) -> tuple[str, list[str]] | None:
    """nvcc and the flags that it needs to link: as given, on PATH, in CUDA_HOME, in /usr/local, in the pip packages."""
    candidates: list[str | None] = [given] if given else [shutil.which("nvcc")]
    if not given:
        for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
            candidates.append(f"{root}/bin/nvcc" if root else None)
        candidates += [str(p) for base in sys.path for p in Path(base).glob("nvidia/cu*/bin/nvcc")]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            library = Path(candidate).resolve().parent.parent / "lib"
            return candidate, [f"-L{library}"] if library.is_dir() else []
    return None


def tail(data: bytes | str | None, limit: int = 400) -> str:
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data or ""
    return text[-limit:]


def compile_one(source: Path, binary: Path, command: list[str], extra: list[str]) -> str | None:
    """None if it compiled, else the end of what nvcc said."""
    try:
        done = subprocess.run(
            [*command, *extra, str(source), "-o", str(binary)],
            capture_output=True,
            timeout=COMPILE_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"nvcc took longer than {COMPILE_LIMIT_S} s"
    return None if done.returncode == 0 else tail(done.stderr or done.stdout, 1500)


def run_one(binary: Path) -> dict[str, Any]:
    """Run a program: `exit` (negative: ended by that signal; null: ran past the limit), `seconds` and its output's end."""
    start = time.perf_counter()
    try:
        done = subprocess.run([str(binary)], capture_output=True, timeout=RUN_LIMIT_S, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        code, out, err = None, late.stdout or b"", late.stderr or b""
    seconds = round(time.perf_counter() - start, 3)
    return {"exit": code, "seconds": seconds, "stdout": tail(out), "stderr": tail(err)}


def chosen(only: str) -> list[tuple[str, Path, dict[str, Any]]]:
    """(kind, source, yaml) of every program to run."""
    rows = []
    for kind in ("sound", "planted"):
        for source in sorted((HERE / kind).glob("*.cu")):
            facts = yaml.safe_load(source.with_suffix(".yaml").read_text(encoding="utf-8"))
            if only in f"{kind}/{source.stem}" and (kind == "sound" or facts.get("gpu_safe") is True):
                rows.append((kind, source, facts))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("summary", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--only", default="", help="run only programs whose kind/name contains this")
    options = parser.parse_args()
    found = find_nvcc(options.nvcc)
    if found is None:
        print("nvcc not found", file=sys.stderr)
        return 3
    nvcc, link = found
    command = [nvcc, "-std=c++17", f"-arch={options.arch}", *link]
    rows = chosen(options.only)
    results: list[dict[str, Any]] = []
    bad = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        # Compiling in parallel and running one after another: a fault of one program must not disturb the next.
        builds = []
        for kind, source, facts in rows:
            binary = Path(folder) / f"{kind}-{source.stem}"
            builds.append((binary, pool.submit(compile_one, source, binary, command, facts.get("nvcc_flags", []))))
        for (kind, source, _facts), (binary, build) in zip(rows, builds, strict=True):
            said = build.result()
            result: dict[str, Any] = {"program": f"{kind}/{source.stem}", "compiled": said is None}
            if said is None:
                result |= run_one(binary)
            else:
                result |= {"exit": None, "seconds": 0.0, "stdout": "", "stderr": said}
            failed = said is not None or (kind == "sound" and result["exit"] != 0)
            bad += failed
            result["ok"] = not failed
            word = "timeout" if result["exit"] is None else f"exit {result['exit']}"
            if said is not None:
                word = "no-compile"
            mark, name, seconds = "FAIL" if failed else "ok", result["program"], result["seconds"]
            print(f"{mark:4} {name:45} {word:10} {seconds:7.2f} s", flush=True)
            if failed:
                print("     " + (result["stderr"] or result["stdout"]).strip().replace("\n", "\n     "), flush=True)
            results.append(result)
    summary = {"arch": options.arch, "programs": len(results), "failed": bad, "results": results}
    options.summary.write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(results)} programs, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
