"""How long a learner waits: commands, the first page of a lesson, Enter to verdict; beside an empty Python, in one run.

    .venv/bin/python benchmarks/startup.py [--rounds 5] [--json]

Each figure is the median of the rounds. On a busy machine look at the ratios: the empty Python was as slow as the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {  # seconds on an idle machine
    "course --version": 0.15,
    "course list": 0.30,
    "course status": 0.30,
    "run: first page": 0.50,
    "run: wrong fill to its first case": 0.50,
    "run: wrong fill to the picture": 1.00,
    "run: right fill to the verdict": 0.50,
}


def main() -> int:
    """Measure, print, exit 1 where a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="course-bench-") as home:
        for _ in range(options.rounds):
            for name, words in (
                ("python -c pass", ["-c", "pass"]),
                *((f"course {word}", ["-m", "course_cli", word]) for word in ("--version", "list", "status")),
            ):
                wall, processor = _seconds(home, words)
                found.setdefault(name, []).append(wall)
                cpu.setdefault(name, []).append(processor)
            for name, seconds in _lesson(home).items():
                found.setdefault(name, []).append(seconds)
    medians = {name: statistics.median(values) for name, values in found.items()}
    base = medians["python -c pass"]
    if options.json:
        print(json.dumps({"load": os.getloadavg()[0], "seconds": medians, "limits": LIMITS}, indent=2))
    else:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, median of {options.rounds}")
        for name, seconds in medians.items():
            limit = LIMITS.get(name)
            mark = "" if limit is None else f"limit {limit:.2f}" + ("" if seconds <= limit else "  OVER")
            used = f"cpu {statistics.median(cpu[name]):.3f} s" if name in cpu else ""
            print(f"  {name:36}{seconds:7.3f} s  {seconds / base:6.1f} x  {used:12}  {mark}".rstrip())
    return int(any(medians[name] > limit for name, limit in LIMITS.items()))


def _environment(home: str) -> dict[str, str]:
    return {
        **os.environ,
        "COURSE_HOME": home,
        "COURSE_LANG": "en",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }


def _seconds(home: str, words: list[str]) -> tuple[float, float]:
    """Wall-clock and processor seconds of one command; the latter hardly depend on what else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run([sys.executable, *words], env=_environment(home), stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _lesson(home: str) -> dict[str, float]:
    """One sitting with lesson05 in a pseudo-terminal."""
    with tempfile.TemporaryDirectory(dir=home) as fresh:
        begin = time.perf_counter()
        child: Any = pexpect.spawn(
            sys.executable,
            ["-m", "course_cli", "run", "lesson05"],
            env=_environment(fresh),
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=60,
        )
        child.delaybeforesend = 0
        try:
            waited: dict[str, float] = {}

            def until(name: str, pattern: str, act: Callable[[], Any] = lambda: None) -> None:
                start = time.perf_counter() if name != "run: first page" else begin
                act()
                child.expect(pattern)
                if name:
                    waited[name] = time.perf_counter() - start

            until("run: first page", re.escape("[s] exercise"))
            time.sleep(2.0)  # the learner reads
            until("", "blank > ", lambda: child.send("s"))
            until("run: wrong fill to its first case", "four rows of 100", lambda: child.send("1.0\r"))
            start = time.perf_counter()
            until("", "Which number can be added")
            waited["run: wrong fill to the picture"] = (
                waited["run: wrong fill to its first case"] + time.perf_counter() - start
            )
            until("", "blank > ")
            until("run: right fill to the verdict", "all 41 cases are right", lambda: child.send("0.0\r"))
            return waited
        finally:
            child.close(force=True)


if __name__ == "__main__":
    sys.exit(main())
