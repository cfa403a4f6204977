"""Commands of a learner: list, start, run, watch, try, hint, status, next, reset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from course_cli.commands import manual
from course_cli.context import settings
from course_cli.i18n import lang, say, t
from course_cli.options import JsonOption, SandboxOption

BackendName = Literal["auto", "gpu", "cpu", "static"]

LessonArgument = Annotated[
    str,
    typer.Argument(metavar="LESSON", help=say("lesson12, 12, or an alias", "lesson12、12 或别名"), show_default=False),
]
FillOption = Annotated[
    str | None, typer.Option("--fill", help=say("what goes into the blank", "填入空白的内容"), show_default=False)
]
BackendOption = Annotated[BackendName, typer.Option("--backend", help=say("where to run", "在哪里运行"))]
AnswersOption = Annotated[
    Path | None,
    typer.Option("--answers", help=say("answers.md to grade with it", "一并评分的 answers.md"), show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this family to the application."""
    for name, page, function in (
        ("list", manual.LIST, list_),
        ("start", manual.START, start),
        ("run", manual.RUN, run),
        ("watch", manual.WATCH, watch),
        ("try", manual.TRY, try_),
        ("hint", manual.HINT, hint),
        ("status", manual.STATUS, status),
        ("next", manual.NEXT, next_),
        ("reset", manual.RESET, reset),
    ):
        app.command(name, help=t(page))(function)


def first_page() -> None:
    """What `course` alone shows: where the learner is and what to type."""
    from course_cli import route

    route.first_page()


def list_(json_: JsonOption = False) -> None:
    from course_cli import route

    route.list_lessons(as_json=json_)


def start(
    lesson: LessonArgument,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help=say("default: ./LESSON", "默认：./LESSON"))
    ] = None,
) -> None:
    from course_cli.store import Store
    from course_cli.workspace import write_start

    opened = settings.course.lesson(lesson)
    target = (folder or Path(opened.id)).absolute()
    written, kept = write_start(opened, target, lang())
    Store().save(opened.id, folder=target)
    for path in written:
        settings.console.print(say("wrote {p}", "已写入 {p}", p=path), markup=False)
    for path in kept:
        settings.console.print(
            say("kept {p} (it was there already)", "保留 {p}（已存在）", p=path), style="quiet", markup=False
        )
    from course_cli.signs import sign

    for command in (f"course run {opened.id}", f"course watch {opened.id}", f"course grade {target}"):
        settings.console.print(f"{sign('next')} {command}", style="accent", markup=False)


def run(
    lesson: LessonArgument,
    fill: FillOption = None,
    answers: AnswersOption = None,
    backend: BackendOption = "auto",
    no_input: Annotated[bool, typer.Option("--no-input", help=say("never ask", "不询问"))] = False,
    json_: JsonOption = False,
    sanitize: Annotated[
        bool,
        typer.Option(
            "--sanitize", help=say("CUDA on a GPU: compute-sanitizer too", "GPU 上的 CUDA：再用 compute-sanitizer 检查")
        ),
    ] = False,
    require_sandbox: SandboxOption = "auto",
) -> None:
    from course_cli.commands.run import run_lesson

    settings.sanitize = sanitize
    raise typer.Exit(run_lesson(lesson, fill, answers, backend, ask=not no_input and not json_, as_json=json_))


def try_(
    lesson: LessonArgument,
    fill: Annotated[str, typer.Option("--fill", help=say("what goes into the blank", "填入空白的内容"))],
    shape: Annotated[str, typer.Option("--shape", help=say("rows,columns of your input", "输入的形状，如 5,300"))],
    values: Annotated[
        str | None,
        typer.Option("--values", help=say("numbers, nan, inf (default: random)", "数值、nan、inf（默认随机）")),
    ] = None,
    dtype: Annotated[str, typer.Option("--dtype", help="fp32, fp16, bf16, int32")] = "fp32",
    backend: BackendOption = "auto",
    json_: JsonOption = False,
) -> None:
    from course_cli.commands.run import try_input

    raise typer.Exit(try_input(lesson, fill, shape, values, dtype, backend, as_json=json_))


def hint(
    lesson: LessonArgument,
    level: Annotated[int | None, typer.Option("--level", min=1, max=4, help=say("1 to 4", "1 到 4"))] = None,
    yes: Annotated[bool, typer.Option("--yes", help=say("open level 4 without asking", "打开第 4 级时不询问"))] = False,
) -> None:
    from course_cli.commands.run import show_hint

    raise typer.Exit(show_hint(lesson, level, yes=yes))


def status(json_: JsonOption = False) -> None:
    from course_cli import route

    route.show_status(as_json=json_)


def next_() -> None:
    from course_cli import route

    route.show_next()


def watch(
    lesson: LessonArgument,
    backend: BackendOption = "auto",
    poll: Annotated[
        bool, typer.Option("--poll", help=say("look every half second (network drives)", "每半秒检查一次（网络磁盘）"))
    ] = False,
    once: Annotated[bool, typer.Option("--once", help=say("one run, then end", "只运行一次"))] = False,
) -> None:
    from course_cli.watch import watch as keep_watching

    raise typer.Exit(keep_watching(settings.course.find(lesson), backend, poll=poll, once=once))


def reset(
    lesson: Annotated[str | None, typer.Argument(metavar="[LESSON]", show_default=False)] = None,
    all_: Annotated[bool, typer.Option("--all", help=say("every lesson", "所有课程"))] = False,
    yes: Annotated[bool, typer.Option("--yes", help=say("do not ask", "不询问"))] = False,
) -> None:
    from course_cli.commands.run import reset_lessons

    raise typer.Exit(reset_lessons(lesson, everything=all_, yes=yes))
