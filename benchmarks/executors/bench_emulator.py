"""lesson12 on the CUDA emulator against `nvcc -c` of the same file, in one run, as ratios.

    python benchmarks/executors/bench_emulator.py [--repeat 3]

"Edit to verdict" is what a learner waits for in a session: the blank checked, compiled by g++, all CPU cases run and
compared. "Whole command" adds the start of a process and the static compile for three GPU targets, which the JSON report
waits for. Targets: cold <= 1.5 x `nvcc -c`; a blank seen before <= 0.5 s; 2^20 elements <= 0.25 s.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from graders.blank import check_fill, inject  # noqa: E402
from graders.executors.emulator import EmulatorExecutor  # noqa: E402
from graders.grade import Options, blank_rules, ordered_cases, program_of, run_cases  # noqa: E402
from graders.lesson import load_lesson  # noqa: E402

FILL = "other_val > vi.val || (other_val == vi.val && other_idx >= 0 && (vi.idx < {n} - {n} || other_idx < vi.idx))"


def fresh() -> str:
    """A right fill that no cache has seen."""
    return FILL.format(n=random.randrange(2, 10**9))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    if shutil.which("g++") is None or shutil.which("nvcc") is None:
        print("needs g++ and nvcc", file=sys.stderr)
        return 3
    lesson = load_lesson(ROOT / "lessons" / "lesson12")
    cases = [case for case in ordered_cases(lesson) if not case.gpu_only]
    executor = EmulatorExecutor()

    def verdict(fill: str, chosen: str | None = None) -> None:
        checked = check_fill(fill, lesson.template, blank_rules(lesson))
        program = program_of(lesson, inject(lesson.template, checked))
        mine = [case for case in cases if chosen in (None, case.name)]
        results = list(run_cases(lesson, program, executor, mine, Options()))
        assert results and all(r.outcome == "pass" for r in results), [r.name for r in results if r.outcome != "pass"]

    def command(fill: str, home: str) -> None:
        call = [str(ROOT / "bin/course"), "run", "lesson12", "--fill", fill, "--no-input", "--json"]
        subprocess.run(call, capture_output=True, env={**os.environ, "COURSE_HOME": home}, check=False)

    def nvcc(folder: Path) -> None:
        source = folder / "argmax.cu"
        source.write_text(lesson.template.replace("______", fresh()))
        subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90", "-c", source, "-o", folder / "argmax.o"], check=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        verdict(fresh())  # canary, headers and runtime are built once a machine
        command(fresh(), name)
        seen = fresh()
        verdict(seen)
        command(seen, name)
        rows: dict[str, tuple[Callable[[], None], list[float]]] = {
            "nvcc -c": (lambda: nvcc(folder), []),
            "edit to verdict, new blank": (lambda: verdict(fresh()), []),
            "edit to verdict, seen before": (lambda: verdict(seen), []),
            "2^20 elements": (lambda: verdict(seen, "2^20 numbers"), []),
            "whole command, new blank": (lambda: command(fresh(), name), []),
            "whole command, seen before": (lambda: command(seen, name), []),
        }
        for _ in range(repeat):
            for action, times in rows.values():
                started = time.monotonic()
                action()
                times.append(time.monotonic() - started)
    base = statistics.median(rows["nvcc -c"][1])
    print(f"{len(cases)} CPU cases, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, median of {repeat}")
    for label, (_, times) in rows.items():
        middle = statistics.median(times)
        print(f"  {label:32} {middle:6.3f} s  {middle / base:5.2f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
