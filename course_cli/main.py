"""The `course` command: global options, one module a command family, errors as one line with the contract's exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from course_cli import __version__, i18n
from graders.errors import EXIT_BAD_INPUT, EXIT_INTERRUPTED, CourseError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code (and exits with it when called as the console script)."""
    words = list(sys.argv[1:] if argv is None else argv)
    i18n.use(i18n.detect(words))
    if words == ["--version"]:  # the commonest question of scripts: answered without building the command tree
        print(f"course {__version__}")
        return _leave(0, argv)
    from course_cli.context import settings

    try:
        quick = _without_parser(words)
        if quick is not None:
            return _leave(quick(), argv)
        from course_cli.app import build

        code = build()(args=words, standalone_mode=False, prog_name="course")
        return _leave(code if isinstance(code, int) else 0, argv)
    except CourseError as error:
        if settings.debug:
            raise
        print(f"course: {error.message(i18n.code())}", file=sys.stderr)
        return _leave(error.exit_code, argv)
    except KeyboardInterrupt:
        print("course: " + i18n.say("interrupted", "已中断"), file=sys.stderr)
        return _leave(EXIT_INTERRUPTED, argv)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _leave(0, argv)
    except Exception as error:
        handled = _usage_error(error)
        if handled is not None:
            return _leave(handled, argv)
        if settings.debug:
            raise
        words_ = i18n.say(
            "unexpected error: {e} (this is our fault; --debug shows where)",
            "意外错误：{e}（这是程序的问题；--debug 显示位置）",
            e=f"{type(error).__name__}: {error}",
        )
        print(f"course: {words_}", file=sys.stderr)
        return _leave(EXIT_BAD_INPUT, argv)


def _without_parser(words: list[str]) -> Callable[[], int] | None:
    """The commonest command lines, answered without building the tree of commands, which costs half of the start.

    None for everything else; what is done here is what the commands of the tree do.
    """
    from course_cli.context import settings

    rest = list(words)
    while rest and rest[0] in ("--plain", "--no-color", "--lang"):
        if rest[0] == "--lang" and (len(rest) < 2 or rest[1] not in i18n.languages()):
            return None
        del rest[: 2 if rest[0] == "--lang" else 1]
    command = tuple(rest)
    pages = {(): "first_page", ("next",): "show_next", ("list",): "list_lessons", ("status",): "show_status"}
    as_json = command in (("list", "--json"), ("status", "--json"))
    name = pages.get(command[:1] if as_json else command)
    run = command[:1] == ("run",) and len(command) == 2 and not command[1].startswith("-") and sys.stdin.isatty()
    if name is None and not run:
        return None
    settings.plain = "--plain" in words or bool(os.environ.get("COURSE_PLAIN"))
    settings.no_color = "--no-color" in words
    if run:
        from course_cli.commands.run import run_lesson

        return lambda: run_lesson(command[1], None, None, "auto", ask=True, as_json=False)
    from course_cli import route

    options = {"as_json": as_json} if name in ("list_lessons", "show_status") else {}

    def page() -> int:
        getattr(route, str(name))(**options)
        return 0

    return page


def _usage_error(error: Exception) -> int | None:
    """The exit code for Typer's own errors (wrong option, missing argument), told in one line; None for others."""
    kind = type(error).__name__
    if kind == "Abort":
        print("course: " + i18n.say("interrupted", "已中断"), file=sys.stderr)
        return EXIT_INTERRUPTED
    if kind == "Exit":
        return int(getattr(error, "exit_code", 0))
    describe = getattr(error, "format_message", None)
    if describe is None:
        return None
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "course"
    from course_cli.usage import translated

    line = " ".join(str(describe()).split())
    print(f"{where}: {translated(line)} ({i18n.say('see', '参见')} `{where} --help`)", file=sys.stderr)
    return EXIT_BAD_INPUT


def _leave(code: int, argv: Sequence[str] | None) -> int:
    if argv is None:
        sys.stdout.flush()
        sys.exit(code)
    return code
