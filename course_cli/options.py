"""Options that several commands share: one name, one sentence, one place."""

from __future__ import annotations

from pathlib import Path
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
RegisterOption = Annotated[
    Path | None,
    typer.Option(
        "--register",
        metavar="DIR",
        help=say(
            "folder of the registers of grades and pending runs (default: your data folder)",
            "评分记录与待验证登记所在的文件夹（默认：用户数据文件夹）",
        ),
        show_default=False,
    ),
]
AuthorOption = Annotated[
    str | None,
    typer.Option(
        "--author", help=say("who decides (default: your login)", "决定人（默认：登录名）"), show_default=False
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help=say("print as JSON", "以 JSON 输出"))]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="URL",
        help=say("an OpenAI-compatible server that reads the links", "读取因果链的 OpenAI 兼容服务"),
        show_default=False,
    ),
]
JudgeModelOption = Annotated[
    str | None, typer.Option("--judge-model", metavar="NAME", help=say("its model", "所用模型"), show_default=False)
]
JudgeRemoteOption = Annotated[
    bool, typer.Option("--judge-remote", help=say("allow a server that is not on this machine", "允许不在本机的服务"))
]
