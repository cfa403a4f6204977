"""Cold start of a whole lesson against `import torch, triton`, in one run, as ratios.

    python benchmarks/executors/bench_cold.py [--lesson lesson05] [--fill 0.0] [--repeat 5]

Each figure is the median of fresh processes, interleaved, so that a machine that gets slower does so for all of them.
The run with compile-only counts the PTX and cubin for three GPU targets as well; the target is about the run without.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CASES_ONLY = """
import sys
from graders.executors import worker
worker.warm("interpret")
from pathlib import Path
from graders.executors.triton_interpreter import TritonInterpreter
from graders.grade import Options, blank_rules, ordered_cases, program_of, run_cases
from graders.blank import check_fill, inject
from graders.lesson import load_lesson
lesson = load_lesson(Path("lessons") / sys.argv[1])
fill = check_fill(sys.argv[2], lesson.template, blank_rules(lesson))
program = program_of(lesson, inject(lesson.template, fill))
cases = [case for case in ordered_cases(lesson) if not case.gpu_only]
results = list(run_cases(lesson, program, TritonInterpreter(), cases, Options()))
print(sum(r.outcome == "pass" for r in results), len(results))
"""


def timed(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall-clock seconds and peak resident MiB of the process itself and of its largest descendant."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: graded, not passed (no prose answers were given)
            out.seek(0)
            sys.exit(f"{command} failed:\n{out.read().decode()}")
    return seconds, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lesson", default="lesson05")
    parser.add_argument("--fill", default="0.0")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    python = sys.executable
    course = [python, "-m", "course_cli", "run", given.lesson, "--fill", given.fill, "--no-input", "--json"]
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "import torch, triton": [python, "-c", "import torch, triton"],
        "import triton": [python, "-c", "import triton"],
        "all CPU cases, without the command line": [python, "-c", CASES_ONLY, given.lesson, given.fill],
        "course run, with compile-only": course,
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, float] = dict.fromkeys(commands, 0.0)
    for _ in range(given.repeat):
        for name, command in commands.items():
            seconds, peak = timed(command, environment)
            times[name].append(seconds)
            memory[name] = max(memory[name], peak)
    base = statistics.median(times["import torch, triton"])
    rows = {
        name: {
            "seconds": round(statistics.median(each), 3),
            "fastest": round(min(each), 3),
            "ratio": round(statistics.median(each) / base, 2),
            "peak_mib": round(memory[name]),
        }
        for name, each in times.items()
    }
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"{'':42}{'median s':>10}{'fastest s':>11}{'ratio':>8}{'peak MiB':>10}")
    for name, row in rows.items():
        print(f"{name:42}{row['seconds']:10}{row['fastest']:11}{row['ratio']:8}{row['peak_mib']:10}")
    print("\nratio: to `import torch, triton` of this run; target for a cold run with all CPU cases: <= 1.5")


if __name__ == "__main__":
    main()
