"""Commands of an instructor who writes lessons: selftest, schema."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from course_cli.context import settings
from course_cli.i18n import lang, say
from course_cli.options import JsonOption


def register(app: typer.Typer) -> None:
    app.command(
        "selftest",
        help=say(
            "Prove every lesson on its own fills: reference passes, skeleton and every wrong fill fail.\n\n"
            "Example: course selftest lesson05",
            "用各课自带的填空自证：参考答案通过，骨架与每个错误填空失败。\n\n示例：course selftest lesson05",
        ),
    )(selftest)
    app.command(
        "schema",
        help=say(
            "JSON Schema of a report or of lesson.yaml.\n\nExample: course schema lesson > lesson.schema.json",
            "报告或 lesson.yaml 的 JSON Schema。\n\n示例：course schema lesson > lesson.schema.json",
        ),
    )(schema)


def schema(kind: Annotated[Literal["report", "lesson"], typer.Argument(metavar="report|lesson")]) -> None:
    from graders.reports.json_report import dumps, plain

    print(dumps(plain(schema_of(kind))))


def schema_of(kind: Literal["report", "lesson"]) -> dict[str, object]:
    """The published JSON Schema."""
    if kind == "report":
        from graders.reports.model import Report

        made = Report.model_json_schema(by_alias=True)
        made["title"] = "course-report/1"
    else:
        from graders.lesson import LESSON_FORMAT, LessonSpec

        made = LessonSpec.model_json_schema()
        made["title"] = LESSON_FORMAT
        made["properties"] = {
            "format": {"const": LESSON_FORMAT, "description": "kind and version of this file"},
            **made["properties"],
        }
        made["required"] = ["format", *made.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def selftest(
    lesson: Annotated[str | None, typer.Argument(metavar="[LESSON]", show_default=False)] = None,
    backend: Annotated[Literal["auto", "gpu", "cpu", "static"], typer.Option("--backend")] = "auto",
    json_: JsonOption = False,
    table: Annotated[
        bool, typer.Option("--table", help=say("the verdict of every fill", "列出每个填空的结果"))
    ] = False,
) -> None:
    from course_cli import selftest_view
    from graders.selftest import run_selftest

    course = settings.course
    chosen = [course.find(lesson)] if lesson else list(course.ids)
    results = []
    for lesson_id in chosen:
        result = run_selftest(course, course.lesson(lesson_id), backend)
        results.append(result)
        if not json_:
            settings.console.print(selftest_view.render(result, table=table))
    if json_:
        from graders.reports.json_report import dumps

        print(dumps([r.as_dict(lang()) for r in results]))
    raise typer.Exit(0 if all(r.ok for r in results) else 1)
