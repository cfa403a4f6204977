"""`course watch`: the cases run again whenever the learner's file is saved.

watchfiles reports changes where the system does; without it, or with --poll, the files are looked at every half second.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text as Styled

from course_cli import views
from course_cli.i18n import say, t
from course_cli.lesson_session.session import Session
from course_cli.workspace import ANSWERS

if TYPE_CHECKING:
    from threading import Event

    from graders.executors.pick import Backend

POLL_S = 0.5
DEBOUNCE_MS = 150


def watch(lesson_id: str, backend: Backend, *, poll: bool, once: bool = False) -> int:
    """Run, wait for a change, run again; ends with Ctrl-C, or after the first run with `once`. Returns the exit code."""
    from course_cli.commands.run import exit_code

    session = Session(lesson_id, backend)
    console = session.console
    session.keeper.save()
    files = [session.code.path, session.keeper.folder / ANSWERS]
    words = say("watching {f} (Ctrl-C ends)", "正在监视 {f}（Ctrl-C 结束）", f=session.keeper.folder)
    console.print(Styled(words, style="quiet"))
    before: tuple[str, str] | None = None
    with session.keeper.safe():
        try:
            for _ in changes(files, poll=poll):
                now = _contents(session)
                if now == before:
                    continue
                _again(session, code_changed=before is None or now[0] != before[0])
                before = now
                if once:
                    break
        except KeyboardInterrupt:
            console.print()
    return exit_code(session.card) if session.card is not None else 0


def _contents(session: Session) -> tuple[str, str]:
    """The blank and the answers as they stand: a save that changes neither runs nothing."""
    state = session.code.read()
    fill = state.fill if state.problem is None else f"\0{state.problem.en}"
    with suppress(OSError, UnicodeDecodeError):
        return fill or "", (session.keeper.folder / ANSWERS).read_text(encoding="utf-8")
    return fill or "", ""


def _again(session: Session, *, code_changed: bool) -> None:
    """One round: run the blank if it changed, else read the answers only."""
    console = session.console
    state = session.code.read()
    console.print(views.heading(time.strftime("%H:%M:%S")))
    if state.problem is not None:
        words = say(
            "{f} does not fit the template: {w}", "{f} 与模板不符：{w}", f=session.code.path, w=t(state.problem)
        )
        console.print(views.hanging("warn", words))
        return
    if not state.fill:
        words = say("the blank in {f} is still empty", "{f} 中的空还没有填", f=session.code.path)
        console.print(views.hanging("next", words))
        return
    session.keeper.save(fill=state.fill, seen=state.fill)
    if code_changed or session.card is None:
        session.run_fill(state.fill)
    card = session.regrade()
    if card is not None:
        total = say("{t:g} of {m:g} points", "{t:g} / {m:g} 分", t=card.total, m=card.max_total)
        console.print(Styled(total + "  ·  " + say("answers: {f}", "答题：{f}", f=ANSWERS), style="quiet"))


def changes(files: list[Path], *, poll: bool, stop: Event | None = None) -> Iterator[None]:
    """Yields at once, then after every change of one of the files, also one made while the last was being dealt with."""
    before = _stamps(files)
    yield
    for _ in _wakes(files, poll=poll, stop=stop):
        now = _stamps(files)
        if now != before and now[0] is not None:  # None: an editor is replacing the file at this moment
            before = now
            yield


def _wakes(files: list[Path], *, poll: bool, stop: Event | None) -> Iterator[None]:
    """Moments at which it is worth looking at the files: a report of the system, and every half second or so."""
    if not poll:
        with suppress(ImportError):
            from watchfiles import watch as events

            yield None
            folders = sorted({str(f.parent) for f in files})
            for _ in events(
                *folders,
                debounce=DEBOUNCE_MS,
                rust_timeout=1000,
                yield_on_timeout=True,
                recursive=False,
                watch_filter=None,
                stop_event=stop,
            ):
                yield None
            return
    while stop is None or not stop.is_set():
        time.sleep(POLL_S)
        yield None


def _stamps(files: list[Path]) -> list[tuple[int, int] | None]:
    out: list[tuple[int, int] | None] = []
    for file in files:
        try:
            state = file.stat()
            out.append((state.st_mtime_ns, state.st_size))
        except OSError:
            out.append(None)
    return out
