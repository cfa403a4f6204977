"""Progress while cases run: lines as they come and a bar below them, on a terminal; nothing moves in plain mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.views import CaseStream, case_title
from graders.grade import Watch
from graders.scorecard import CaseResult
from graders.text import Text


@contextmanager
def watching(console: Console, *, enabled: bool, lines: bool = False) -> Iterator[Watch]:
    """Callbacks for `grade`. `enabled` draws a bar, `lines` prints the cases as they come (and the folded ones at the end)."""
    stream = CaseStream(console.print) if lines else None

    def printed(result: CaseResult) -> None:
        if stream is not None:
            stream.add(result)

    if not enabled or settings.plain:
        if enabled:
            console.print(say("running the cases", "正在运行用例"))
        yield Watch(case=printed)
        if stream is not None:
            stream.finish()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        MofNCompleteColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(say("starting the executor", "正在启动执行器"), total=None)

        def started(total: int) -> None:
            bar.update(task, total=total, description=say("preparing the program", "正在准备程序"))

        def case(result: CaseResult) -> None:
            printed(result)
            bar.update(task, advance=1, description=case_title(result)[:30])

        def doing(what: Text) -> None:
            bar.update(task, description=t(what))

        yield Watch(started, case, doing)
    if stream is not None:
        stream.finish()
