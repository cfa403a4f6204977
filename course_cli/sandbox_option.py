"""The option `--require-sandbox` of `grade`, `run` and `emulate`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from course_cli.i18n import say


def _apply(value: str) -> str:
    """`strict`: nothing of a stranger's runs without the layers it names. Raises EnvironmentProblem (exit 3) at once."""
    if value == "strict":
        from graders import confine

        confine.require_strict()
        confine.check_strict(confine.usable())
    return value


SandboxOption = Annotated[
    Literal["auto", "strict"],
    typer.Option(
        "--require-sandbox",
        callback=_apply,
        help=say(
            "strict: refuse (exit 3) without Landlock or namespaces, and seccomp",
            "strict：缺少 Landlock 或命名空间，或缺少 seccomp 时拒绝运行（退出码 3）",
        ),
    ),
]
