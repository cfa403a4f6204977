"""Commands of a learner: list, start, run, try, hint, status, next, reset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from course_cli.context import settings
from course_cli.i18n import lang, say, t

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
JsonOption = Annotated[bool, typer.Option("--json", help=say("print the report as JSON", "以 JSON 输出报告"))]


def register(app: typer.Typer) -> None:
    """Add the commands of this family to the application."""
    app.command(
        "list", help=say("The lessons of the course.\n\nExample: course list", "课程中的各课。\n\n示例：course list")
    )(list_)
    app.command(
        "start",
        help=say(
            "Write the template and answers.md of a lesson into a folder; never overwrites work.\n\n"
            "Example: course start lesson05 my05",
            "把一课的模板与 answers.md 写入文件夹；不会覆盖已有内容。\n\n示例：course start lesson05 my05",
        ),
    )(start)
    app.command(
        "run",
        help=say(
            "Work through a lesson: read, fill the blank, see it run, explain, get the score.\n\n"
            "Examples: course run lesson05 · course run lesson05 --fill 0.0 --no-input --json",
            "学习一课：阅读、填空、运行、解释、得分。\n\n"
            "示例：course run lesson05 · course run lesson05 --fill 0.0 --no-input --json",
        ),
    )(run)
    app.command(
        "try",
        help=say(
            "Run a fill on your own input: shows input, expected, got.\n\n"
            "Example: course try lesson07 --fill 0.0 --shape 1,3 --values -2,-5,-1",
            "用自己的输入运行：显示输入、期望与结果。\n\n示例：course try lesson07 --fill 0.0 --shape 1,3 --values -2,-5,-1",
        ),
    )(try_)
    app.command(
        "hint",
        help=say(
            "A hint in four levels: area, direction, key part, full answer (recorded).\n\nExample: course hint lesson05",
            "四级提示：概念区域、具体方向、关键局部、完整答案（会记录）。\n\n示例：course hint lesson05",
        ),
    )(hint)
    app.command(
        "status", help=say("Your route so far.\n\nExample: course status", "学习进度。\n\n示例：course status")
    )(status)
    app.command("next", help=say("The next lesson to do.\n\nExample: course next", "下一课。\n\n示例：course next"))(
        next_
    )
    app.command(
        "reset",
        help=say(
            "Start a lesson (or --all) afresh; a backup of your files is kept.\n\nExample: course reset lesson05",
            "重新开始一课（或 --all 全部）；会保留文件备份。\n\n示例：course reset lesson05",
        ),
    )(reset)


def first_page() -> None:
    """What `course` alone shows: where the learner is and what to type."""
    from course_cli.store import Store

    console, course, store = settings.console, settings.course, Store()
    console.print(f"[head]{t(course.title)}[/]")
    done = [e for e in course.entries() if store.progress(e.id).passed]
    console.print(say("{d} of {n} lessons passed", "已通过 {d}/{n} 课", d=len(done), n=len(course.ids)))
    todo = [e for e in course.entries() if e not in done]
    if todo:
        console.print(say("next: {x}", "下一课：{x}", x=f"{todo[0].id} · {t(todo[0].title)}"))
        console.print(f"[accent]→ course run {todo[0].id}[/]")
    console.print(say("course list · course --help", "课程列表：course list · 帮助：course --help"), style="quiet")


def list_(json_: Annotated[bool, typer.Option("--json", help=say("as JSON", "以 JSON 输出"))] = False) -> None:
    from course_cli.store import Store

    store, course = Store(), settings.course
    rows = [(entry, store.progress(entry.id)) for entry in course.entries()]
    if json_:
        from graders.reports.json_report import dumps

        data = [
            {
                "id": e.id,
                "number": e.number,
                "aliases": list(e.aliases),
                "language": e.language,
                "title": {"en": e.title.en, "zh": e.title.zh},
                "minutes": e.minutes,
                "started": p.started is not None,
                "passed": p.passed is not None,
                "best": p.best,
            }
            for e, p in rows
        ]
        print(dumps(data))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="quiet")
    for name in ("", say("lesson", "课"), say("title", "标题"), say("language", "语言"), say("best", "最高分")):
        table.add_column(name)
    for entry, progress in rows:
        sign = "[good]✓[/]" if progress.passed else ("[warn]…[/]" if progress.started else "[quiet]·[/]")
        best = "" if progress.best is None else f"{progress.best:g}"
        table.add_row(
            sign, entry.id, t(entry.title), {"triton": "Triton", "cuda": "CUDA C++"}.get(entry.language, ""), best
        )
    settings.console.print(f"[head]{t(course.title)}[/]")
    settings.console.print(table)


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
        settings.console.print(say("wrote {p}", "已写入 {p}", p=path))
    for path in kept:
        settings.console.print(say("kept {p} (it was there already)", "保留 {p}（已存在）", p=path), style="quiet")
    settings.console.print(f"[accent]→ course run {opened.id}[/]  ·  course grade {target}")


def run(
    lesson: LessonArgument,
    fill: FillOption = None,
    answers: AnswersOption = None,
    backend: BackendOption = "auto",
    no_input: Annotated[bool, typer.Option("--no-input", help=say("never ask", "不询问"))] = False,
    json_: JsonOption = False,
) -> None:
    from course_cli.commands.run import run_lesson

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
    from course_cli.records import pending_register
    from course_cli.store import Store

    store, course = Store(), settings.course
    waiting = pending_register().counts()
    if json_:
        from graders.reports.json_report import dumps

        rows = []
        for entry in course.entries():
            p = store.progress(entry.id)
            rows.append(
                {
                    "id": entry.id,
                    "started": p.started is not None,
                    "passed": p.passed is not None,
                    "best": p.best,
                    "hint": p.hint,
                    "minutes": round(p.seconds / 60, 1),
                    "pending": waiting.get(entry.id, 0),
                }
            )
        print(dumps(rows))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    passed = 0
    for entry in course.entries():
        p = store.progress(entry.id)
        passed += p.passed is not None
        best = p.best or 0.0
        bar = "█" * round(best) + "░" * (10 - round(best))
        state = say("passed", "已通过") if p.passed else (say("started", "进行中") if p.started else "")
        points = "" if p.best is None else f"{p.best:g} / 10"
        table.add_row(entry.id, t(entry.title), bar, points, state)
    settings.console.print(table)
    settings.console.print(say("{p} of {n} lessons passed", "已通过 {p}/{n} 课", p=passed, n=len(course.ids)))
    if waiting:
        words = say(
            "{n} pending: a GPU run confirms them (course verify)",
            "待验证 {n} 项：由 GPU 运行确认（course verify）",
            n=sum(waiting.values()),
        )
        settings.console.print(words, style="quiet")


def next_() -> None:
    from course_cli.store import Store

    store = Store()
    for entry in settings.course.entries():
        if not store.progress(entry.id).passed:
            settings.console.print(f"{entry.id} · {t(entry.title)}")
            settings.console.print(f"[accent]→ course run {entry.id}[/]")
            return
    settings.console.print(say("every lesson is passed", "所有课程均已通过"))


def reset(
    lesson: Annotated[str | None, typer.Argument(metavar="[LESSON]", show_default=False)] = None,
    all_: Annotated[bool, typer.Option("--all", help=say("every lesson", "所有课程"))] = False,
    yes: Annotated[bool, typer.Option("--yes", help=say("do not ask", "不询问"))] = False,
) -> None:
    from course_cli.commands.run import reset_lessons

    raise typer.Exit(reset_lessons(lesson, everything=all_, yes=yes))
