"""`course emulate FILE.cu [-- ARGS]`: any single-file CUDA program on the checking emulator."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from course_cli.i18n import say, t
from course_cli.options import JsonOption, SandboxOption
from graders.errors import EXIT_BAD_INPUT, EXIT_NOT_PASSED, EXIT_PASSED, BadInput, Where
from graders.text import Text

if TYPE_CHECKING:
    from graders.emulator.program import ProgramReport

if TYPE_CHECKING:
    from graders.observation import Finding

MAX_SOURCE = 4 << 20  # bytes


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "emulate",
        help=say(
            "Run a single-file CUDA program on the CPU and report what is wrong with it. Needs g++, no GPU.\n\n"
            "Examples: course emulate vector_add.cu · course emulate reduce.cu -- 1048576",
            "在 CPU 上运行单文件 CUDA 程序并报告其中的错误。需要 g++，不需要 GPU。\n\n"
            "示例：course emulate vector_add.cu · course emulate reduce.cu -- 1048576",
        ),
    )(_command)


def _command(
    file: Annotated[Path, typer.Argument(metavar="FILE.cu", help=say("the program", "程序文件"), show_default=False)],
    args: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- ARGS]", help=say("what the program's main gets", "传给程序 main 的参数"), show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=1, max=3600, help=say("time for all runs together", "全部运行的总时间"))
    ] = 60.0,
    json_: JsonOption = False,
    require_sandbox: SandboxOption = "auto",
) -> None:
    raise typer.Exit(emulate(file, tuple(args or ()), seconds=seconds, as_json=json_))


def emulate(file: Path, args: tuple[str, ...] = (), *, seconds: float = 60.0, as_json: bool = False) -> int:
    """Run `file`, print its output and the findings; returns the exit code.

    0: no finding and the program returned 0; 1: findings, or the program returned something else; 2: the file cannot
    be read or does not compile. What the emulator does not cover, or a missing g++, is an EnvironmentProblem (exit 3).
    """
    from graders.emulator.build import CompileProblem
    from graders.emulator.program import emulate_program

    source = _read(file)
    try:
        report = emulate_program(source, file.name, args, deadline_s=seconds)
    except CompileProblem as problem:
        if as_json:
            _print_json(problem.findings, None)
        else:
            for finding in problem.findings:
                _print_finding(finding, file.name, source)
        return EXIT_BAD_INPUT
    if as_json:
        _print_json(report.findings, report)
    else:
        _print_report(report, file.name, source)
    return EXIT_NOT_PASSED if report.findings or report.exit_code else EXIT_PASSED


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_SOURCE:
            raise BadInput(Text("the file is too large for a source file", "文件过大，不像源文件"), Where(str(file)))
        return file.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        words = error.strerror or str(error)
        raise BadInput(Text(f"cannot be read: {words}", f"无法读取：{words}"), Where(str(file))) from None


def _print_report(report: ProgramReport, name: str, source: str) -> None:
    if report.stdout:
        sys.stdout.write(report.stdout if report.stdout.endswith("\n") else report.stdout + "\n")
    if report.stderr:
        sys.stderr.write(report.stderr if report.stderr.endswith("\n") else report.stderr + "\n")
    sys.stdout.flush()
    if report.stdout and report.findings:
        print()
    for finding in report.findings:
        _print_finding(finding, name, source)
    orders = len(report.orders)
    print(
        say(
            "{f} · the program returned {c} · {l} · {o} · executed on the CPU, not measured",
            "{f} · 程序返回 {c} · {l} · {o} · 在 CPU 上执行，非性能测量",
            f=_counted(len(report.findings), "finding", "处发现"),
            c=report.exit_code,
            l=_counted(report.launches, "launch", "次启动"),
            o=_counted(orders, "order of threads and blocks", "种线程与线程块次序"),
        )
    )


def _counted(n: int, en: str, zh: str) -> Text:
    plural = {"launch": "launches", "order of threads and blocks": "orders of threads and blocks"}.get(en, en + "s")
    return Text(
        f"{n or 'no'} {en if n == 1 else plural}", f"{n} {zh}" if n else f"没有{zh[1:] if zh[0] in '处次种' else zh}"
    )


def _print_finding(finding: Finding, name: str, source: str) -> None:
    """The sentence, then the lines it is about, as an editor can jump to them."""
    print(f"✗ {t(finding.text)}")
    lines = source.splitlines()
    for number in dict.fromkeys((finding.line, finding.other_line)):
        if 0 < number <= len(lines):
            column = f":{finding.column}" if number == finding.line and finding.column else ""
            print(f"  {name}:{number}{column}  {lines[number - 1].strip()[:100]}")


def _print_json(findings: tuple[Finding, ...], report: ProgramReport | None) -> None:
    import json

    value = {
        "schema": "course-emulate/1",
        "compiled": report is not None,
        "findings": [f.as_json() for f in findings],
        "exit_code": report.exit_code if report else None,
        "stdout": report.stdout if report else "",
        "stderr": report.stderr if report else "",
        "launches": report.launches if report else 0,
        "orders": list(report.orders) if report else [],
        "seconds": round(report.seconds, 3) if report else 0.0,
    }
    print(json.dumps(value, ensure_ascii=False, indent=2))
