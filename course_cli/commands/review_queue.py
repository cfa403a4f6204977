"""`course review work` and `groups`: answers that wait, in groups, one mark for a group; the queue shrinks as marks come."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import typer

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.options import AuthorOption, JsonOption, RegisterOption
from course_cli.records import grades

if TYPE_CHECKING:
    from graders.lesson import Lesson
    from graders.review_groups import Group, Mark, Waiting

SHOWN = 600  # characters of an answer


def add_to(review: typer.Typer) -> None:
    """Add the commands to the family `course review`."""
    review.command(
        "groups",
        help=say(
            "The answers that wait, in groups of alike ones.\n\nExample: course review groups --json",
            "等待批阅的回答，按相似程度分组。\n\n示例：course review groups --json",
        ),
    )(groups)
    review.command(
        "work",
        help=say(
            "Mark one group after the other; the reader learns from your marks.\n\nExample: course review work --author Ito",
            "逐组评分；系统会从你的评分中学习。\n\n示例：course review work --author 伊藤",
        ),
    )(work)


def groups(
    register: RegisterOption = None,
    json_: JsonOption = False,
) -> None:
    from graders.review_groups import grouped, minutes_left, waiting

    found = grouped(waiting(grades(register).standings()))
    if json_:
        from graders.reports.json_report import dumps

        rows = [
            {
                "lesson": g.items[0].lesson,
                "part": g.items[0].part,
                "size": len(g.items),
                "open_links": g.open_links,
                "submissions": [i.key[:8] for i in g.items],
                "answer": g.items[0].text,
            }
            for g in found
        ]
        print(dumps({"groups": rows, "minutes": round(minutes_left(found, []), 1)}))
        return
    for number, group in enumerate(found, 1):
        first = group.items[0]
        settings.console.print(
            f"{number}. {first.lesson} {first.part}  × {len(group.items)}  {first.text[:90]}", markup=False
        )
    settings.console.print(say("about {m} minutes", "约 {m} 分钟", m=f"{minutes_left(found, []):.0f}"), style="quiet")


def work(
    register: RegisterOption = None,
    author: AuthorOption = None,
) -> None:
    from course_cli.commands.review import author_name
    from graders.errors import BadInput
    from graders.review_groups import Mark, grouped, minutes_left, refitted, settled_now, waiting
    from graders.text import Text

    if not sys.stdin.isatty():
        raise BadInput(
            Text(
                "there is no terminal to ask in: use `course review set`",
                "没有可交互的终端：请使用 `course review set`",
            )
        )
    record, who = grades(register), author_name(author)
    lessons: dict[str, Lesson] = {}
    marks: list[Mark] = []
    spent: list[float] = []
    queue = waiting(record.standings())
    for item in queue:
        lessons.setdefault(item.lesson, settings.course.lesson(item.lesson))
    skipped: set[tuple[str, str]] = set()
    while True:
        left = grouped([i for i in queue if (i.key, i.part) not in skipped])
        if not left:
            break
        group = left[0]
        began = time.monotonic()
        _show(group, lessons[group.items[0].lesson], len(left), minutes_left(left, spent))
        reply = _asked(group)
        if reply == "q":
            break
        if reply == "":
            skipped |= {(i.key, i.part) for i in group.items}
            continue
        given = _points(reply, group)
        for item, points in given:
            record.decide_points(item.key, item.part, points, who, _reason(group))
            marks.append(Mark(item.lesson, item.part, item.text, points, item.maximum))
        spent.append(time.monotonic() - began)
        queue = [i for i in queue if all(i is not item for item, _ in given)]
        proposals = settled_now(lessons, queue, refitted(lessons, marks))
        if proposals and _accept(proposals):
            for item, points in proposals:
                reason = say("read again after {n} marks", "依据 {n} 次评分重新阅读", n=len(marks))
                record.decide_points(item.key, item.part, points, who, reason)
            done = {(i.key, i.part) for i, _ in proposals}
            queue = [i for i in queue if (i.key, i.part) not in done]
    settings.console.print(say("{n} answers left", "剩余 {n} 条", n=len(queue)))
    settings.console.print(
        say(
            "→ course review undo takes the last mark back; course review lists what is left",
            "→ course review undo 撤回上一次评分；course review 列出剩余",
        ),
        style="accent",
    )


def _asked(group: Group) -> str:
    """A reply that means something: points, "" to skip, "q" to end; anything else is explained and asked for again."""
    while True:
        reply = input(_prompt(group)).strip().lower()
        if reply in ("q", "quit", ":q", ":quit"):
            return "q"
        if not reply or _points(reply, group):
            return reply
        most = f"{group.items[0].maximum:g}"
        settings.console.print(
            say(
                "points from 0 to {m} in steps of 0.5 for the whole group, or 1=1.5 2=0 for single answers; Enter skips, q ends",
                "输入 0 到 {m} 的分数（步长 0.5）给整组，或用 1=1.5 2=0 单独给分；回车跳过，q 结束",
                m=most,
            ),
            style="warn",
        )


def _link_words(lesson: Lesson, group: Group) -> list[str]:
    """What the links say that nobody read in the group, in words."""
    from graders.prose_part import SECTION_OF, rubric_of

    prose, section = rubric_of(lesson), SECTION_OF[group.items[0].part]
    question = prose.questions.get(section) if prose is not None else None
    found = [question.link(name) if question is not None else None for name in group.open_links]
    return [t(link.says) if link is not None else name for link, name in zip(found, group.open_links, strict=True)]


def _show(group: Group, lesson: Lesson, left: int, minutes: float) -> None:
    first = group.items[0]
    out = settings.console
    head = say("{n} groups left, about {m} min", "剩余 {n} 组，约 {m} 分钟", n=left, m=f"{minutes:.0f}")
    out.print(f"{first.lesson} {first.part}  × {len(group.items)}   {head}", style="head", markup=False)
    if group.open_links:
        out.print(say("not read:", "未读到："), style="quiet")
        for words in _link_words(lesson, group):
            out.print(f"  – {words}", markup=False, style="quiet")
    for number, item in enumerate(group.items, 1):
        out.print(f"[{number}] {item.path}: {item.text[:SHOWN]}", markup=False)


def _prompt(group: Group) -> str:
    first = group.items[0]
    now = {"p": f"{first.points:g}", "m": f"{first.maximum:g}"}
    if len(group.items) == 1:
        return say(
            "points (now {p} of {m}); Enter skips, q ends > ", "给分（现为 {p}/{m}）；回车跳过，q 结束 > ", **now
        )
    return say(
        "points for all (now {p} of {m}), or 1=1.5 2=0 for single ones; Enter skips, q ends > ",
        "整组给分（现为 {p}/{m}），或用 1=1.5 2=0 单独给分；回车跳过，q 结束 > ",
        **now,
    )


def _points(reply: str, group: Group) -> list[tuple[Waiting, float]]:
    """Points of each item from a reply: one number for all, or number=points pairs; empty where it is neither."""
    try:
        if "=" not in reply:
            given = [(item, float(reply)) for item in group.items]
        else:
            pairs = [word.split("=") for word in reply.split()]
            given = [(group.items[int(n) - 1], float(p)) for n, p in pairs if int(n) >= 1]
    except (ValueError, IndexError):
        return []
    return given if all(0 <= p <= item.maximum and (2 * p).is_integer() for item, p in given) else []


def _reason(group: Group) -> str:
    return say("marked in a group of {n}", "按 {n} 条一组评分", n=len(group.items))


def _accept(proposals: list[tuple[Waiting, float]]) -> bool:
    out = settings.console
    out.print(
        say("after your marks these need no review any more:", "依据你的评分，以下不再需要批阅："), style="accent"
    )
    for item, points in proposals[:20]:
        out.print(f"  {item.lesson} {item.part} {points:g}/{item.maximum:g}  {item.text[:80]}", markup=False)
    return input(say("accept all {n}? [Y/n] ", "全部接受这 {n} 条？[Y/n] ", n=len(proposals))).strip().lower() not in (
        "n",
        "no",
        "否",
    )
