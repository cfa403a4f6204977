"""The route through the course: first page, list, status, next. Quick: nothing heavy is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text as Styled

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.signs import Sign, sign, style
from course_cli.store import Progress, Store

if TYPE_CHECKING:
    from graders.course import Entry

BAR = 10
_LANGUAGES = {"triton": "Triton", "cuda": "CUDA C++"}


def first_page() -> None:
    """Where the learner is, and what to type."""
    console, course, store = settings.console, settings.course, Store()
    rows = _rows(store)
    done = sum(p.passed is not None for _, p in rows)
    console.print(Styled(t(course.title), style="title"))
    begun = [(e, p) for e, p in rows if p.started and not p.passed]
    todo = [(e, p) for e, p in rows if not p.passed]
    if not done and not begun:
        words = say(
            "Short lessons on GPU kernels. In each you read, fill one blank, see it run on this machine (with or without a GPU), "
            "and explain why it is right.",
            "GPU 核函数的短课程。每课阅读课文、填一个空、在这台机器上运行（有没有 GPU 都行），再说明它为什么对。",
        )
        console.print(Styled(words))
    else:
        console.print(Styled(say("{d} of {n} lessons passed", "已通过 {d}/{n} 课", d=done, n=len(rows))))
    console.print()
    if begun:
        entry = max(begun, key=lambda row: row[1].updated or 0.0)[0]
        _type_this(say("go on", "继续"), f"course run {entry.id}", t(entry.title))
    elif todo:
        _type_this(say("start", "开始"), f"course run {todo[0][0].id}", t(todo[0][0].title))
    else:
        console.print(Styled(say("Every lesson is passed.", "所有课程均已通过。"), style="good"))
    _type_this(say("all lessons", "全部课程"), "course list", "")
    _type_this(say("your progress", "学习进度"), "course status", "")
    _type_this(say("what is installed", "检查环境"), "course doctor", "")
    _type_this(say("every command", "全部命令"), "course --help", "")
    _type_this(say("中文", "English"), say("course --lang zh", "course --lang en"), "")


def _type_this(what: str, command: str, remark: str) -> None:
    line = Styled("  ")
    line.append(what)
    line.append(" " * max(20 - line.cell_len, 1))
    line.append(command, style="accent")
    if remark:
        line.append(" " * max(44 - line.cell_len, 2))
        line.append(remark, style="quiet")
        line.truncate(settings.console.width, overflow="ellipsis")
    settings.console.print(line)


def list_lessons(*, as_json: bool) -> None:
    """Every lesson of the route."""
    rows = _rows(Store())
    if as_json:
        _print_json([{**_entry_dict(e), **_progress_dict(p)} for e, p in rows])
        return
    console = settings.console
    console.print(Styled(t(settings.course.title), style="title"))
    if settings.plain:
        for entry, progress in rows:
            best = "" if progress.best is None else say(", best {b}", "，最高分 {b}", b=f"{progress.best:g}")
            language = _LANGUAGES.get(entry.language, "")
            words = say(
                "{i}, {t}, {l}, {m} minutes{b}",
                "{i}，{t}，{l}，{m} 分钟{b}",
                i=entry.id,
                t=t(entry.title),
                l=language,
                m=entry.minutes,
                b=best,
            )
            console.print(Styled(f"{sign(_kind(progress))} {words}"))
        return
    table = Table(box=None, pad_edge=False, header_style="quiet", padding=(0, 2, 0, 0))
    wide = console.width >= 76
    headers = ["", say("lesson", "课"), say("title", "标题")]
    headers += [say("language", "语言"), say("minutes", "分钟")] if wide else []
    for name in [*headers, say("best", "最高分")]:
        right = name in (say("minutes", "分钟"), say("best", "最高分"))
        table.add_column(name, justify="right" if right else "left", no_wrap=name != say("title", "标题"))
    for entry, progress in rows:
        kind = _kind(progress)
        cells = [Styled(sign(kind), style=style(kind)), Styled(entry.id), Styled(t(entry.title))]
        cells += [Styled(_LANGUAGES.get(entry.language, "")), Styled(str(entry.minutes))] if wide else []
        table.add_row(*cells, Styled("" if progress.best is None else f"{progress.best:g}"))
    console.print(table)


def show_status(*, as_json: bool) -> None:
    """Points, time, hints and what waits for a GPU, lesson by lesson."""
    store = Store()
    rows = _rows(store)
    pending = _pending(store)
    if as_json:
        _print_json(
            [
                {
                    "id": e.id,
                    **_progress_dict(p),
                    "hint": p.hint,
                    "minutes": round(p.seconds / 60, 1),
                    "pending": pending.get(e.id, 0),
                }
                for e, p in rows
            ]
        )
        return
    console = settings.console
    wide = console.width >= 84
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for number in range(5 if wide else 4):
        table.add_column(
            no_wrap=not (wide and number == 1), justify="right" if number == (3 if wide else 2) else "left"
        )
    for entry, progress in rows:
        if settings.plain:
            console.print(_in_words(entry, progress, pending.get(entry.id, 0)))
            continue
        cells = [Styled(entry.id)]
        if wide:
            cells.append(Styled(t(entry.title)))
        cells += [_bar(progress), Styled("" if progress.best is None else f"{progress.best:g} / 10")]
        table.add_row(*cells, _remarks(progress, pending.get(entry.id, 0)))
    if not settings.plain:
        console.print(table)
    done = sum(p.passed is not None for _, p in rows)
    minutes = round(sum(p.seconds for _, p in rows) / 60)
    console.print()
    words = say(
        "{d} of {n} lessons passed · {m} minutes", "已通过 {d}/{n} 课 · 共 {m} 分钟", d=done, n=len(rows), m=minutes
    )
    console.print(Styled(words))
    waiting = sum(pending.values())
    if waiting:
        words = say(
            "{n} results wait for a run on a GPU: `course verify` on such a machine settles them",
            "{n} 个结果等待 GPU 验证：在有 GPU 的机器上运行 `course verify` 即可确认",
            n=waiting,
        )
        console.print(Styled(words, style="quiet"))


def _in_words(entry: Entry, progress: Progress, pending: int) -> Styled:
    """One lesson of the status as a sentence."""
    points = "" if progress.best is None else say("{b} of 10 points", "{b} / 10 分", b=f"{progress.best:g}")
    name = say("{i}, {t}", "{i}，{t}", i=entry.id, t=t(entry.title))
    parts = [name, points, _remarks(progress, pending).plain.replace(" · ", ", ")]
    return Styled(say(". ", "。").join(part for part in parts if part))


def show_next() -> None:
    """The first lesson that is not passed."""
    store = Store()
    for entry in settings.course.entries():
        if not store.progress(entry.id).passed:
            settings.console.print(Styled(f"{entry.id} · {t(entry.title)}", style="head"))
            settings.console.print(Styled(t(entry.summary), style="quiet"))
            settings.console.print(Styled(f"{sign('next')} course run {entry.id}", style="accent"))
            return
    settings.console.print(say("Every lesson is passed.", "所有课程均已通过。"))


def _rows(store: Store) -> list[tuple[Entry, Progress]]:
    return [(entry, store.progress(entry.id)) for entry in settings.course.entries()]


def _kind(progress: Progress) -> Sign:
    return "pass" if progress.passed else ("started" if progress.started else "open")


def _bar(progress: Progress) -> Styled:
    best = progress.best or 0.0
    full = round(best / 10 * BAR)
    return Styled.assemble(("█" * full, "good" if progress.passed else "accent"), ("░" * (BAR - full), "quiet"))


def _remarks(progress: Progress, pending: int) -> Styled:
    line = Styled()
    if progress.passed:
        line.append(say("passed", "已通过"), style="good")
    elif progress.started:
        line.append(_STAGES()[progress.stage], style="warn")
    parts = []
    if progress.seconds >= 30:
        parts.append(say("{m} min", "{m} 分钟", m=max(round(progress.seconds / 60), 1)))
    if progress.hint:
        parts.append(say("hint {n}", "提示 {n}", n=progress.hint))
    if pending:
        parts.append(say("GPU run pending", "待 GPU 验证"))
    for part in parts:
        line.append((" · " if line else "") + part, style="quiet")
    return line


def _STAGES() -> dict[str, str]:
    return {
        "read": say("reading", "阅读中"),
        "fill": say("at the blank", "填空中"),
        "questions": say("at the questions", "答题中"),
        "card": say("scored, not passed", "已评分，未通过"),
    }


def _pending(store: Store) -> dict[str, int]:
    """How many results of each lesson wait for a GPU; nothing where there is no register yet."""
    if not (store.folder / "pending.sqlite").is_file():
        return {}
    import sqlite3

    try:
        with sqlite3.connect(f"file:{store.folder / 'pending.sqlite'}?mode=ro", uri=True) as db:
            return dict(db.execute("SELECT lesson, count(*) FROM pending WHERE state = 'pending' GROUP BY lesson"))
    except sqlite3.Error:
        return {}


def _entry_dict(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "number": entry.number,
        "aliases": list(entry.aliases),
        "language": entry.language,
        "title": {"en": entry.title.en, "zh": entry.title.zh},
        "minutes": entry.minutes,
    }


def _progress_dict(progress: Progress) -> dict[str, Any]:
    return {"started": progress.started is not None, "passed": progress.passed is not None, "best": progress.best}


def _print_json(value: Any) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))
