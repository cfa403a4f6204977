"""`course review`: what a person must look at, and an instructor's decisions with author, time and reason."""

from __future__ import annotations

import getpass
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.options import AuthorOption, JsonOption, RegisterOption
from course_cli.records import grades
from graders.text import Text

if TYPE_CHECKING:
    from graders.pending import Entry as PendingEntry
    from graders.review import Entry, Grades, Standing

ReasonOption = Annotated[str, typer.Option("--reason", help=say("why; it is kept", "理由；会保留在记录中"))]
SubmissionArgument = Annotated[
    str,
    typer.Argument(
        metavar="SUBMISSION", help=say("id from the list, or a path", "列表中的编号，或路径"), show_default=False
    ),
]
# How each part of a submission is called in answers.md.
_SECTION = {"explanation": "impl", "run-output": "run_output"}


def register(app: typer.Typer) -> None:
    """Add the commands of this family to the application."""
    review = typer.Typer(
        no_args_is_help=False,
        invoke_without_command=True,
        rich_markup_mode=None,
        help=say(
            "Uncertain answers, vetoes and disputes of graded submissions, and decisions about them.\n\n"
            "Examples: course review · course review set 1f3a9c02 q2 1.5 --reason 'receiver is named' --author Ito",
            "已评分提交中不确定的答案、一票否决与争议，以及对它们的决定。\n\n"
            "示例：course review · course review set 1f3a9c02 q2 1.5 --reason '写出了接收者' --author 伊藤",
        ),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    review.callback()(list_open)
    for name, command, words in (
        (
            "set",
            set_points,
            say(
                "Set the points of a part.\n\nExample: course review set 1f3a9c02 q2 1.5 --reason 'receiver is named'",
                "设定一项的分数。\n\n示例：course review set 1f3a9c02 q2 1.5 --reason '写出了接收者'",
            ),
        ),
        (
            "veto",
            set_veto,
            say(
                "Lift or set a veto.\n\nExample: course review veto 1f3a9c02 wrong-causal-chain lift --reason 'quoted'",
                "撤销或判定一票否决。\n\n示例：course review veto 1f3a9c02 wrong-causal-chain lift --reason '是引用'",
            ),
        ),
        (
            "undo",
            undo,
            say(
                "Take back the last decision, or the entry with --entry (a regrade too).\n\nExample: course review undo",
                "撤回上一个决定，或用 --entry 指定条目（也可撤回重新评分）。\n\n示例：course review undo",
            ),
        ),
        (
            "history",
            history,
            say(
                "Everything on record.\n\nExample: course review history 1f3a9c02",
                "全部记录。\n\n示例：course review history 1f3a9c02",
            ),
        ),
    ):
        review.command(name, help=words)(command)
    from course_cli.commands.review_queue import add_to

    add_to(review)
    app.add_typer(review, name="review")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that waits for a person. `part` is a part of the rubric, a veto's rule, or a case in dispute."""

    kind: Literal["uncertain", "veto", "dispute"]
    lesson: str
    part: str
    submission: str
    path: str | None
    words: str
    points: float | None = None
    maximum: float | None = None
    confidence: float | None = None


def open_items(standings: list[Standing], disputed: list[PendingEntry]) -> list[Item]:
    """What no decision has answered yet, in groups: by kind, lesson and part."""
    items = []
    for standing in standings:
        report = standing.report
        lesson, path = report["lesson"], report["submission"]["path"]
        decided = {d.name for d in standing.decisions}
        for part in report["needs_review"]:
            if part in decided or (
                part in ("run-output", "failures", "receipts") and "unrun-claimed-as-measured" in decided
            ):
                continue
            answer = report["answers"].get(part, {})
            words = standing.answers.get(_SECTION.get(part, part), "")
            items.append(
                Item(
                    "uncertain",
                    lesson,
                    part,
                    standing.key,
                    path,
                    words,
                    report["points"].get(part),
                    report["maximum"].get(part),
                    answer.get("confidence"),
                )
            )
        for veto in report["vetoes"]:
            if veto["rule"] not in decided:
                items.append(
                    Item("veto", lesson, veto["rule"], standing.key, path, f"{veto['where']}: {veto['words']}")
                )
    for entry in disputed:
        for dispute in entry.result.disputes if entry.result else ():
            told = say("recorded {r}, on the GPU {f}", "记录为 {r}，GPU 上为 {f}", r=dispute.recorded, f=dispute.found)
            words = f"{told}: {t(dispute.detail)}"
            items.append(Item("dispute", entry.lesson, dispute.case, entry.key, None, words))
    order = {"veto": 0, "dispute": 1, "uncertain": 2}
    return sorted(items, key=lambda i: (order[i.kind], i.lesson, i.part, i.confidence or 0.0))


def list_open(context: typer.Context, folder: RegisterOption = None, json_: JsonOption = False) -> None:
    if context.invoked_subcommand is not None:
        return
    from course_cli.records import pending_register

    record = grades(folder)
    standings = record.standings()
    items = open_items(standings, pending_register(folder).entries("disputed"))
    if json_:
        from graders.reports.json_report import dumps

        print(
            dumps(
                {
                    "schema": "course-review/1",
                    "items": [_item_dict(i) for i in items],
                    "submissions": [_brief(s) for s in standings],
                }
            )
        )
        return
    titles = {
        "veto": Text("vetoes", "一票否决"),
        "dispute": Text("disputes", "争议"),
        "uncertain": Text("uncertain answers", "不确定的答案"),
    }
    group: tuple[str, str, str] | None = None
    console = settings.console
    for item in items:
        if group is None or group[0] != item.kind:
            console.print(t(titles[item.kind]), style="head", markup=False)
        if group != (item.kind, item.lesson, item.part):
            console.print(f"  {item.lesson}  {item.part}", style="accent", markup=False)
        group = (item.kind, item.lesson, item.part)
        points = "" if item.points is None or item.maximum is None else f"  {item.points:g}/{item.maximum:g}"
        console.print(f"    {item.submission[:8]}  {item.path or '–'}{points}", markup=False)
        words = " ".join(item.words.split())
        console.print(f'      "{words[:300]}{"…" if len(words) > 300 else ""}"', style="quiet", markup=False)
    console.print(
        say("{n} open, {s} submissions on record", "待处理 {n} 项，记录中共 {s} 个提交", n=len(items), s=len(standings))
    )
    record.close()


def set_points(
    submission: SubmissionArgument,
    part: Annotated[str, typer.Argument(help="normal, boundary, explanation, q1, q2, q3", show_default=False)],
    points: Annotated[float, typer.Argument(help=say("in steps of 0.5", "步长 0.5"), show_default=False)],
    reason: ReasonOption,
    author: AuthorOption = None,
    folder: RegisterOption = None,
) -> None:
    record = grades(folder)
    key = record.find(submission)
    record.decide_points(key, part, points, author_name(author), reason)
    _print_standing(record, key)


def set_veto(
    submission: SubmissionArgument,
    rule: Annotated[
        str,
        typer.Argument(
            help="wrong-causal-chain, boundary-check-removed, unrun-claimed-as-measured", show_default=False
        ),
    ],
    action: Annotated[Literal["lift", "set"], typer.Argument(show_default=False)],
    reason: ReasonOption,
    author: AuthorOption = None,
    folder: RegisterOption = None,
) -> None:
    record = grades(folder)
    key = record.find(submission)
    record.decide_veto(key, rule, action, author_name(author), reason)
    _print_standing(record, key)


def undo(
    submission: Annotated[str | None, typer.Argument(metavar="[SUBMISSION]", show_default=False)] = None,
    entry: Annotated[
        int | None, typer.Option("--entry", help=say("number from the history", "历史记录中的编号"), show_default=False)
    ] = None,
    reason: ReasonOption = "",
    author: AuthorOption = None,
    folder: RegisterOption = None,
) -> None:
    record = grades(folder)
    key = record.find(submission) if submission else None
    undone = record.undo(author_name(author), reason, key, entry)
    settings.console.print(say("undone: {e}", "已撤回：{e}", e=_entry_line(undone)), markup=False)
    _print_standing(record, undone.key)


def history(
    submission: Annotated[str | None, typer.Argument(metavar="[SUBMISSION]", show_default=False)] = None,
    folder: RegisterOption = None,
    json_: JsonOption = False,
) -> None:
    record = grades(folder)
    entries = record.history(record.find(submission) if submission else None)
    if json_:
        from graders.reports.json_report import dumps

        rows = [
            {
                "id": e.id, "time": _utc(e.time), "submission": e.key, "kind": e.kind, "author": e.author or None,
                "reason": e.reason or None, "data": e.data,
            }
            for e in entries
        ]  # fmt: skip
        print(dumps({"schema": "course-history/1", "entries": rows}))
        return
    gone = {e.data["entry"] for e in entries if e.kind == "undo"}
    for e in entries:
        mark = say("  (undone)", "（已撤回）") if e.id in gone else ""
        settings.console.print(f"{e.id:>4}  {_utc(e.time)}  {e.key[:8]}  {_entry_line(e)}{mark}", markup=False)


def author_name(given: str | None) -> str:
    """Who decides: the option, else COURSE_AUTHOR, else the login name."""
    if given:
        return given
    try:
        return os.environ.get("COURSE_AUTHOR") or getpass.getuser()
    except (KeyError, OSError):
        return ""


def _print_standing(record: Grades, key: str) -> None:
    """What the submission comes to now, computed as the next report will."""
    brief = _brief(record.standing(key))
    decisions = "; ".join(brief["decisions"])
    settings.console.print(
        f"{key[:8]}  {brief['lesson']}  {decisions or say('no decisions', '没有决定')}", markup=False
    )
    settings.console.print(
        say("it counts in the next report of this submission", "将计入此提交的下一份报告"), style="quiet"
    )
    record.close()


def _brief(standing: Standing) -> dict[str, Any]:
    report = standing.report
    decisions = [
        f"{d.name} = {d.points:g} ({d.author}: {d.reason})" if d.points is not None else f"{d.name} {d.action} ({d.author}: {d.reason})"
        for d in standing.decisions
    ]  # fmt: skip
    return {
        "submission": standing.key,
        "path": report["submission"]["path"],
        "lesson": report["lesson"],
        "tier": report["evidence"]["tier"],
        "graded_total": report["total"],
        **standing.outcome(),
        "versions": standing.versions,
        "decisions": decisions,
    }


def _item_dict(item: Item) -> dict[str, Any]:
    return {
        "kind": item.kind, "lesson": item.lesson, "part": item.part, "submission": item.submission, "path": item.path,
        "words": item.words, "points": item.points, "maximum": item.maximum, "confidence": item.confidence,
    }  # fmt: skip


def _entry_line(e: Entry) -> str:
    by = f"  {e.author}: {e.reason}" if e.author else ""
    if e.kind == "graded":
        report = e.data["report"]
        passed = {True: say("passed", "通过"), False: say("not passed", "未通过"), None: say("not decided", "未定")}
        return f"{report['lesson']}  {report['total']:g} / {report['max_total']:g}  {passed[report['passed']]}  {report['evidence']['tier']}"
    if e.kind == "points":
        return f"{e.data['part']} = {e.data['points']:g}{by}"
    if e.kind == "veto":
        done = say("lifted", "撤销") if e.data["action"] == "lift" else say("set", "判定")
        return f"{e.data['rule']} {done}{by}"
    return say("undoes {n}", "撤回 {n}", n=e.data["entry"]) + by


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
