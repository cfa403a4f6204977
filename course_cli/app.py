"""The tree of commands. Command modules import nothing heavy at the top, so that building it costs little."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from course_cli import __version__, i18n
from course_cli.context import settings
from course_cli.i18n import say, t


def build() -> typer.Typer:
    """The Typer application, its help in the language of this run."""
    from course_cli.commands import author, doctor, emulate, exchange, grading, learn, manual, review, rubric, verify
    from course_cli.usage import CourseGroup

    app = typer.Typer(
        name="course",
        no_args_is_help=False,
        invoke_without_command=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        cls=CourseGroup,
        help=t(manual.ROOT),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_global_options)
    for module in (learn, grading, verify, review, rubric, exchange, emulate, author, doctor):
        module.register(app)
    _dress(app)
    return app


def _dress(family: typer.Typer) -> None:
    """Our help page for every command, those of the families under `family` included."""
    from course_cli.usage import CourseCommand, CourseGroup

    for command in family.registered_commands:
        command.cls = CourseCommand
    for group in family.registered_groups:
        group.cls = CourseGroup
        if group.typer_instance is not None:
            _dress(group.typer_instance)


def _global_options(
    context: typer.Context,
    lang: Annotated[
        str | None, typer.Option("--lang", help=say("zh or en (default: your locale)", "zh 或 en（默认：系统语言）"))
    ] = None,
    course: Annotated[
        Path | None, typer.Option("--course", help=say("folder of a course", "课程文件夹"), show_default=False)
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help=say("no colours", "不使用颜色"))] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help=say("plain text for screen readers", "适合读屏软件的纯文本"))
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help=say("tracebacks", "显示完整错误栈"))] = False,
    version: Annotated[bool, typer.Option("--version", help=say("print the version", "显示版本"))] = False,
) -> None:
    if version:
        typer.echo(f"course {__version__}")
        raise typer.Exit
    if lang is not None and lang not in i18n.languages():
        from graders.errors import BadInput
        from graders.text import Text

        known = i18n.languages()
        text = Text("--lang takes {k}, not {g}", "--lang 只接受 {k}，而不是 {g}")
        raise BadInput(text.fill(k=Text(" or ".join(known), "、".join(known)), g=repr(lang)))
    settings.course_dir, settings.no_color, settings.debug = course, no_color, debug
    settings.plain = plain or bool(os.environ.get("COURSE_PLAIN"))
    if context.invoked_subcommand is None:
        from course_cli.commands.learn import first_page

        first_page()
        raise typer.Exit


__all__ = ["build", "i18n"]
