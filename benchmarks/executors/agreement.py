"""Do the interpreter and the GPU agree? Every fill of the answer keys on both, case by case, as a Markdown table.

    python benchmarks/executors/agreement.py [--lessons lesson05,lesson12] [--backends cpu,gpu] [--out FILE.json]

Exit status 1 when the verdicts differ somewhere, 3 when a backend is not there. Extra fills: --fills FILE.yaml, a list
of {lesson, fill}. Cases marked `gpu_only` run on the GPU alone and do not enter the comparison.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from graders.blank import Refused, check_fill, inject
from graders.errors import CourseError, EnvironmentProblem
from graders.executors.base import CompileProblem, Executor, Limits
from graders.executors.emulator import EmulatorExecutor
from graders.executors.nvcc import NvccGpu
from graders.executors.triton_gpu import TritonGpu
from graders.executors.triton_interpreter import TritonInterpreter
from graders.fills import read_right, read_wrong
from graders.grade import Options, blank_rules, ordered_cases, program_of, run_cases
from graders.lesson import Language, Lesson, load_lesson
from graders.yamlread import load

ROOT = Path(__file__).resolve().parents[2]
GRADER_SEED = "agreement"


@dataclass
class Row:
    """One fill of one lesson; `failing` lists the failing cases of each backend."""

    lesson: str
    fill: str
    expected: str  # pass, fail or ?
    failing: dict[str, list[str]] = field(default_factory=dict)
    failing_gpu_only: list[str] = field(default_factory=list)

    def agrees(self) -> bool:
        return len({tuple(cases) for cases in self.failing.values()}) == 1


def fills_of(lesson: str, extra: list[dict[str, Any]]) -> list[Row]:
    key = ROOT / "solutions" / lesson
    rows = [Row(lesson, each.fill, "pass") for each in read_right(key / "right_fills.yaml")]
    rows += [Row(lesson, each.fill, "fail") for each in read_wrong(key / "wrong_fills.yaml") if not each.refused]
    return rows + [Row(lesson, str(each["fill"]), "?") for each in extra if each["lesson"] == lesson]


def run(row: Row, lesson: Lesson, backend: str, executor: Executor) -> None:
    """Fill in which cases fail on one backend."""
    try:
        fill = check_fill(row.fill, lesson.template, blank_rules(lesson))
    except Refused as refused:
        row.failing[backend] = [f"refused: {refused.reason.en}"]
        return
    program = program_of(lesson, inject(lesson.template, fill))
    cases = [case for case in ordered_cases(lesson) if backend == "gpu" or not case.gpu_only]
    options = Options(grader_seed=GRADER_SEED, compile_targets=False, case_deadline_s=60.0)
    try:
        results = list(run_cases(lesson, program, executor, cases, options))
    except CompileProblem as problem:
        row.failing[backend] = [f"does not compile: {problem.message('en')}"]
        return
    only_gpu = {case.name for case in lesson.spec.cases if case.gpu_only}
    failing = sorted(result.name for result in results if result.outcome != "pass")
    row.failing[backend] = [name for name in failing if name not in only_gpu]
    row.failing_gpu_only += [name for name in failing if name in only_gpu]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lessons", default="lesson05,lesson07,lesson12,lesson12-nan")
    parser.add_argument("--backends", default="cpu,gpu")
    parser.add_argument("--fills", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--programs", type=int, default=4, help="programs at the same time on the GPU")
    given = parser.parse_args()
    extra = load(given.fills).data if given.fills else []
    lessons = {name: load_lesson(ROOT / "lessons" / name) for name in given.lessons.split(",")}
    rows = [row for name in lessons for row in fills_of(name, extra)]
    facts: dict[str, Any] = {}
    languages = list(dict.fromkeys(lesson.spec.language for lesson in lessons.values()))
    for backend in given.backends.split(","):
        for language in languages:
            mine = [row for row in rows if lessons[row.lesson].spec.language == language]
            try:
                executor = executor_of(language, backend)
                executor.prestart()
                started = time.monotonic()
                alone = language == "triton" and backend == "cpu"  # it already uses several processes a program
                with ThreadPoolExecutor(1 if alone else given.programs) as pool:
                    list(pool.map(lambda row, b=backend, e=executor: run(row, lessons[row.lesson], b, e), mine))
            except CourseError as error:
                print(error.message("en"), file=sys.stderr)
                return 3
            seen = executor.facts()
            seconds = time.monotonic() - started
            name = f"{backend} ({executor.name})"
            facts[name] = {
                "device": seen.device,
                "toolchain": seen.toolchain,
                "seconds": round(seconds, 1),
                "fills": len(mine),
            }
            executor.close()
    report(rows, facts)
    if given.out:
        document = {"date": str(datetime.date.today()), "facts": facts, "rows": [vars(row) for row in rows]}
        given.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return 0 if all(row.agrees() and as_expected(row) for row in rows) else 1


def executor_of(language: Language, backend: str) -> Executor:
    """The executor of a backend, with limits for a long run; raises EnvironmentProblem where it is not there."""
    if language == "triton":
        made: Executor = TritonInterpreter(Limits(600.0)) if backend == "cpu" else TritonGpu(Limits(900.0), processes=3)
    else:
        made = EmulatorExecutor() if backend == "cpu" else NvccGpu()
    missing = made.availability()
    if missing is not None:
        raise EnvironmentProblem(missing)
    return made


def as_expected(row: Row) -> bool:
    failed = any(row.failing.values()) or bool(row.failing_gpu_only)
    return row.expected == "?" or failed == (row.expected == "fail")


def report(rows: list[Row], facts: dict[str, Any]) -> None:
    """The table on standard output."""
    print(f"# Agreement of executors, {datetime.date.today()}\n")
    for backend, seen in facts.items():
        tools = ", ".join(f"{name} {version}" for name, version in seen["toolchain"].items())
        print(f"- {backend}: {seen['device']}; {tools}; {seen['fills']} fills in {seen['seconds']} s")
    backends = list(rows[0].failing)
    agreed = sum(row.agrees() for row in rows)
    print(f"\n{agreed} of {len(rows)} fills: the same verdict with the same failing cases.\n")
    print("| lesson | fill | key says | " + " | ".join(f"{b}: failing cases" for b in backends) + " | same |")
    print("|---|---|---|" + "---|" * len(backends) + "---|")
    for row in rows:
        cells = " | ".join(shown(row.failing[backend]) for backend in backends)
        fill = row.fill.replace("|", "\\|")
        mark = "yes" if row.agrees() and as_expected(row) else "**NO**"
        print(f"| {row.lesson} | `{fill}` | {row.expected} | {cells} | {mark} |")
        if not row.agrees():
            print(f"<!-- {row.fill}: {row.failing} -->")


def shown(failing: list[str]) -> str:
    if not failing:
        return "none"
    return f"{len(failing)}: {failing[0]}".replace("|", "\\|") + (" ..." if len(failing) > 1 else "")


if __name__ == "__main__":
    sys.exit(main())
