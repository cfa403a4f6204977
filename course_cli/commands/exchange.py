"""`course export` and `course import`: a lesson as a notebook, and a learner's notebook as template and answers.md."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from course_cli.context import settings
from course_cli.i18n import lang, say, t
from course_cli.store import write_file
from graders.errors import BadInput, EnvironmentProblem, Where
from graders.text import Lang, Text

if TYPE_CHECKING:
    from graders.lesson import Lesson

PDF_SECONDS = 180


def register(app: typer.Typer) -> None:
    """Add the commands of this family to the application."""
    app.command(
        "export",
        help=say(
            "Write a lesson as a notebook (ipynb, qmd) or as PDF; never overwrites a file.\n\n"
            "Example: course export lesson05 --to ipynb --out lesson05.ipynb",
            "把一课导出为 notebook（ipynb、qmd）或 PDF；不会覆盖已有文件。\n\n"
            "示例：course export lesson05 --to ipynb --out lesson05.ipynb",
        ),
    )(export)
    app.command(
        "import",
        help=say(
            "Take blank and answers out of a notebook into a folder: the template and answers.md; never overwrites a file.\n\n"
            "Example: course import lesson05.ipynb my05",
            "从 notebook 中取出填空与答案，写入文件夹：模板与 answers.md；不会覆盖已有文件。\n\n"
            "示例：course import lesson05.ipynb my05",
        ),
    )(import_)


def export(
    lesson: Annotated[str, typer.Argument(metavar="LESSON", show_default=False)],
    to: Annotated[
        Literal["ipynb", "qmd", "pdf"], typer.Option("--to", help=say("form of the file", "文件格式"))
    ] = "ipynb",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help=say("the file (default: LESSON.ipynb here)", "文件（默认：当前文件夹下 LESSON.ipynb）")
        ),
    ] = None,
) -> None:
    """Write the file and say where."""
    from graders.notebook_export import dump_ipynb, to_qmd

    opened = settings.course.lesson(lesson)
    target = out or Path(f"{opened.id}.{to}")
    if target.exists():
        raise BadInput(
            Text("is there already: name another file with --out", "已存在：请用 --out 指定另一个文件"),
            Where(str(target)),
        )
    if to == "pdf":
        _pdf(opened, target, lang())
    else:
        write_file(target, dump_ipynb(opened, lang()) if to == "ipynb" else to_qmd(opened, lang()))
    settings.console.print(say("wrote {p}", "已写入 {p}", p=target), markup=False)


def _pdf(lesson: Lesson, target: Path, words: Lang) -> None:
    """By Quarto, which draws the diagrams as well; raises EnvironmentProblem where it is not there or fails."""
    from graders.notebook_export import to_qmd

    quarto = shutil.which("quarto")
    if quarto is None:
        raise EnvironmentProblem(
            Text(
                "PDF needs Quarto (https://quarto.org) on PATH, which is not there; `--to qmd` and `--to ipynb` need nothing",
                "导出 PDF 需要 PATH 中有 Quarto（https://quarto.org），此机器没有；`--to qmd` 与 `--to ipynb` 不需要它",
            )
        )
    with tempfile.TemporaryDirectory(prefix="course-pdf-") as folder:
        source = Path(folder) / "lesson.qmd"
        source.write_text(to_qmd(lesson, words), encoding="utf-8")
        try:
            done = subprocess.run(
                [quarto, "render", source.name, "--to", "pdf", "--no-execute", "--output", "lesson.pdf"],
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=PDF_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise EnvironmentProblem(
                Text("Quarto did not end within {n} s", "Quarto 在 {n} 秒内没有结束").fill(n=PDF_SECONDS)
            ) from None
        made = Path(folder) / "lesson.pdf"
        if done.returncode != 0 or not made.is_file():
            last = (done.stderr.strip().splitlines() or ["?"])[-1][:300]
            raise EnvironmentProblem(Text("Quarto failed: {e}", "Quarto 出错：{e}").fill(e=last))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, target)
        except OSError as error:
            raise BadInput(
                Text("cannot be written: {e}", "无法写入：{e}").fill(e=error.strerror or error), Where(str(target))
            ) from None


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    folder: Annotated[Path | None, typer.Argument(metavar="[DIR]", show_default=False)] = None,
    lesson: Annotated[
        str | None, typer.Option("--lesson", help=say("the lesson, where it is not clear", "课程，无法自动识别时给出"))
    ] = None,
) -> None:
    """Write the learner's file (pristine template, own blank) and answers.md."""
    from course_cli.workspace import ANSWERS, code_name, without_headings
    from graders.answers import SECTIONS, render
    from graders.blank_base import BLANK
    from graders.collect import NOTEBOOK_SUFFIXES, collect

    if file.suffix not in NOTEBOOK_SUFFIXES:
        raise BadInput(
            Text("is no notebook: .ipynb or .qmd is read", "不是 notebook：可读取 .ipynb 或 .qmd"), Where(str(file))
        )
    opened, found = collect(settings.course, file, lesson, None)
    target = folder or Path(opened.id)
    files = {
        target / code_name(opened): opened.template.replace(BLANK, found.fill, 1) if found.fill else opened.template,
        target / ANSWERS: render(opened.id, {s: without_headings(found.answers.get(s)) for s in SECTIONS}, lang()),
    }
    taken = [path for path in files if path.exists()]
    if taken:
        raise BadInput(
            Text("is there already: name another folder", "已存在：请指定另一个文件夹"), Where(str(taken[0]))
        )
    for path, text in files.items():
        write_file(path, text)
        settings.console.print(say("wrote {p}", "已写入 {p}", p=path), markup=False)
    for note in found.notes:
        settings.console.print(t(note), style="quiet", markup=False)
    if found.edits:
        words = say(
            "{n} edit(s) outside of the blank were left behind: the template is pristine again",
            "填空之外的 {n} 处改动没有带过来：模板已恢复原样",
            n=len(found.edits),
        )
        settings.console.print(words, style="quiet")
