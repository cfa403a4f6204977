"""Commands of a teacher: grade."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from course_cli.context import settings
from course_cli.i18n import lang, say
from course_cli.options import JudgeModelOption, JudgeOption, JudgeRemoteOption, RegisterOption, SandboxOption


def register(app: typer.Typer) -> None:
    """Add the commands of this family to the application."""
    app.command(
        "grade",
        help=say(
            "Grade files or folders; only the text of the blank is taken from a file, the rest never runs.\n\n"
            "Examples: course grade lesson05.py · course grade --lesson lesson05 --fill 0.0 --format json",
            "评分文件或文件夹；只取填空的内容，其余代码从不运行。\n\n"
            "示例：course grade lesson05.py · course grade --lesson lesson05 --fill 0.0 --format json",
        ),
    )(grade)


def grade(
    paths: Annotated[list[Path] | None, typer.Argument(metavar="[PATH]...", show_default=False)] = None,
    lesson: Annotated[
        str | None, typer.Option("--lesson", help=say("the lesson, where it is not clear", "课程，无法自动识别时给出"))
    ] = None,
    fill: Annotated[
        str | None, typer.Option("--fill", help=say("grade this text of the blank", "直接评测此填空内容"))
    ] = None,
    answers: Annotated[Path | None, typer.Option("--answers", help=say("answers.md", "answers.md 文件"))] = None,
    backend: Annotated[
        Literal["auto", "gpu", "cpu", "static"], typer.Option("--backend", help=say("where to run", "在哪里运行"))
    ] = "auto",
    format_: Annotated[
        Literal["text", "json"], typer.Option("--format", help=say("form of the report", "报告格式"))
    ] = "text",
    out: Annotated[Path | None, typer.Option("--out", help=say("write the report here", "报告写入此文件"))] = None,
    instructor: Annotated[
        bool, typer.Option("--instructor", help=say("show hidden cases in full", "完整显示隐藏用例"))
    ] = False,
    execute: Annotated[
        bool | None,
        typer.Option(
            "--execute/--no-execute",
            help=say(
                "run the pristine notebook with the blank and compare outputs (default: where outputs are stored)",
                "用填空运行原版 notebook 并比较输出（默认：保存了输出时）",
            ),
            show_default=False,
        ),
    ] = None,
    sanitize: Annotated[
        bool,
        typer.Option(
            "--sanitize",
            help=say(
                "CUDA on a GPU: some cases under compute-sanitizer too",
                "GPU 上的 CUDA：部分用例再用 compute-sanitizer 检查",
            ),
        ),
    ] = False,
    judge: JudgeOption = None,
    judge_model: JudgeModelOption = None,
    judge_remote: JudgeRemoteOption = False,
    ask: Annotated[
        Path | None,
        typer.Option(
            "--ask",
            metavar="DIR",
            help=say("write follow-up questions to send back into DIR", "把要追问的问题写入 DIR，以便发回给学习者"),
            show_default=False,
        ),
    ] = None,
    register: RegisterOption = None,
    require_sandbox: SandboxOption = "auto",
) -> None:
    from course_cli.grading import grade_paths

    settings.register, settings.execute, settings.ask = register, execute, ask
    settings.sanitize = sanitize
    settings.judge, settings.judge_model, settings.judge_remote = judge, judge_model, judge_remote
    raise typer.Exit(
        grade_paths(
            settings.course, paths or [], lesson, fill, answers, backend, format_, out, lang(), instructor=instructor
        )
    )
