"""A progress bar around the pipeline, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from course_cli.i18n import say, t
from graders.grade import Watch
from graders.scorecard import CaseResult
from graders.text import Text


@contextmanager
def watching(console: Console, *, enabled: bool) -> Iterator[Watch]:
    """Callbacks for `grade` that draw a bar; silent ones where nobody watches."""
    if not enabled:
        yield Watch()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(30),
        TextColumn("{task.completed}/{task.total}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(say("starting the executor", "正在启动执行器"), total=None)

        def started(total: int) -> None:
            bar.update(task, total=total, description=say("running cases", "正在运行用例"))

        def case(result: CaseResult) -> None:
            bar.update(task, advance=1, description=result.name)

        def doing(what: Text) -> None:
            bar.update(task, description=t(what))

        yield Watch(started, case, doing)
