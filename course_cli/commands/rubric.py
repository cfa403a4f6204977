"""`course rubric try|gaps|evaluate`: what the prose grader reads, what it misses, how well it agrees with labels."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.options import JsonOption, JudgeModelOption, JudgeOption, JudgeRemoteOption

if TYPE_CHECKING:
    from graders.lesson import Lesson
    from graders.prose.reader import ReadContext

QUESTIONS: tuple[Literal["q1", "q2", "q3", "impl"], ...] = ("q1", "q2", "q3", "impl")
_MARK = {"stated": "✓", "shown": "✓", "missing": "–", "contradicted": "✗", "uncertain": "?"}


def register(app: typer.Typer) -> None:
    family = typer.Typer(
        help=say(
            "The rules that grade prose: try them on a text, find what they miss, measure them.\n\n"
            'Example: course rubric try lesson05 q2 "because ..."',
            "文字评分规则：在一段文字上试用、查漏、度量。\n\n示例：course rubric try lesson05 q2 “因为……”",
        ),
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    family.command(
        "try",
        context_settings={
            "ignore_unknown_options": True,
            "help_option_names": ["--help"],
        },  # an answer may begin with "-inf"
        help=say(
            'Read one answer and show clauses, links and points.\n\nExample: course rubric try lesson07 q2 "0 wins the max"',
            "阅读一段回答，显示分句、因果链与得分。\n\n示例：course rubric try lesson07 q2 “0 成为最大值”",
        ),
    )(try_)
    family.command(
        "gaps",
        help=say(
            "Clauses of labelled answers that no link read.\n\nExample: course rubric gaps lesson12",
            "列出标注答案中没有被任何链接读到的分句。\n\n示例：course rubric gaps lesson12",
        ),
    )(gaps)
    family.command(
        "evaluate",
        help=say(
            "Agreement with labelled answers (default: the course's gold answers).\n\n"
            "Example: course rubric evaluate --set labelled.jsonl --format json",
            "与标注答案的一致程度（默认用课程自带的标注答案）。\n\n示例：course rubric evaluate --set labelled.jsonl --format json",
        ),
    )(evaluate)
    app.add_typer(family, name="rubric")


def try_(
    lesson: Annotated[str, typer.Argument(metavar="LESSON", show_default=False)],
    question: Annotated[Literal["q1", "q2", "q3", "impl"], typer.Argument(show_default=False)],
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help=say("the answer; - reads it from standard input", "回答内容；- 表示从标准输入读取")
        ),
    ],
    json_: JsonOption = False,
) -> None:
    from graders.prose.asking import wanted
    from graders.prose.inspection import clause_views
    from graders.prose_part import read_one, rubric_of

    opened = _with_rubric(lesson)
    answer = sys.stdin.read() if text == "-" else text
    reading = read_one(opened, question, answer)
    prose = rubric_of(opened)
    assert prose is not None
    asked = wanted(prose, reading, seed=1)
    if json_:
        from graders.reports.json_report import dumps

        print(
            dumps(
                {
                    "points": reading.points,
                    "maximum": reading.maximum,
                    "confidence": reading.confidence,
                    "needs_review": reading.needs_review,
                    "links": [
                        {"id": link.id, "state": link.state, "words": link.words, "follow_up": link.follow_up}
                        for link in reading.links
                    ],
                    "misconceptions": [{"id": m.id, "veto": m.veto, "words": m.words} for m in reading.misconceptions],
                    "vetoes": [{"rule": rule, "words": words} for rule, words in reading.vetoes],
                    "second": [round(p, 3) for p in reading.second],
                    "veto_likely": reading.veto_likely,
                    "follow_ups": [{"id": f.id, "link": f.link, "prompt": t(f.prompt)} for f in asked],
                    "feedback": [t(f) for f in reading.feedback],
                    "explanation": [t(e) for e in reading.explanation],
                }
            )
        )
        return
    out = settings.console
    out.print(say("clauses", "分句"), style="head")
    for view in clause_views(prose, question, answer):
        scopes = f"   ({', '.join(view.scopes)})" if view.scopes else ""
        concepts = "   " + " ".join(view.concepts) if view.concepts else ""
        out.print(f"  {view.words}{scopes}{concepts}", markup=False)
    out.print(say("links", "因果链"), style="head")
    for link in reading.links:
        words = f'  "{link.words}"' if link.words else ""
        ask = say("   would ask: {f}", "   将追问：{f}", f=link.follow_up) if link.follow_up else ""
        out.print(f"  {_MARK[link.state]} {link.id}  {link.state}{words}{ask}", markup=False)
    for m in reading.misconceptions:
        out.print(f'  ✗ {m.id}  "{m.words}"  {t(m.feedback)}', markup=False, style="warn")
    likely = "   ".join(f"{k}: {p:.2f}" for k, p in enumerate(reading.second))
    out.print(say("second reading", "第二种读法"), style="head")
    out.print(say("  likelihood of the points   {p}", "  各得分的可能性   {p}", p=likely))
    out.print(say("  likelihood of a veto   {v}", "  否决的可能性   {v}", v=f"{reading.veto_likely:.2f}"))
    if asked:
        out.print(say("would ask", "将追问"), style="head")
        for f in asked:
            out.print(f"  {f.id} ({f.link})  {t(f.prompt)}", markup=False)
    out.print(
        say(
            "points {p} of {m}, confidence {c}",
            "得分 {p}/{m}，把握 {c}",
            p=f"{reading.points:g}",
            m=f"{reading.maximum:g}",
            c=f"{reading.confidence:.2f}",
        )
        + (" · " + say("to review", "需要批阅") if reading.needs_review else ""),
        style="head",
    )
    for rule, words in reading.vetoes:
        out.print(f'  VETO {rule}  "{words}"', style="bad", markup=False)
    for item in (*reading.explanation, *reading.feedback):
        out.print("  " + t(item), markup=False)


def gaps(lesson: Annotated[str, typer.Argument(metavar="LESSON", show_default=False)]) -> None:
    from graders.prose import inspection
    from graders.prose_part import rubric_of
    from graders.selftest_prose import gold_rows

    opened = _with_rubric(lesson)
    prose = rubric_of(opened)
    assert prose is not None
    for name, words in inspection.gaps(prose, gold_rows(opened)):
        settings.console.print(f"{name}  {words}", markup=False)


def evaluate(
    set_: Annotated[
        Path | None,
        typer.Option("--set", help=say("labelled answers, one JSON object a line", "标注答案，每行一个 JSON 对象")),
    ] = None,
    format_: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    judge: JudgeOption = None,
    judge_model: JudgeModelOption = None,
    judge_remote: JudgeRemoteOption = False,
) -> None:
    from course_cli.judge_setup import chosen_judge, measure
    from graders.prose.evaluate import evaluate_rows
    from graders.prose_part import context_of, rubric_of
    from graders.reports.json_report import dumps
    from graders.selftest_prose import gold_rows

    course = settings.course
    rows = read_rows(set_) if set_ else [r for i in course.ids for r in gold_rows(course.lesson(i))]
    lessons = {name: _with_rubric(name) for name in dict.fromkeys(str(r["lesson"]) for r in rows)}
    settings.judge, settings.judge_model, settings.judge_remote = judge, judge_model, judge_remote
    asked = chosen_judge()
    if asked is not None:
        result = measure(asked, lessons, rows)
    else:
        rubrics = {name: prose for name, opened in lessons.items() if (prose := rubric_of(opened)) is not None}
        contexts: dict[tuple[str, str], ReadContext] = {
            (n, q): context_of(opened, q) for n, opened in lessons.items() for q in QUESTIONS
        }
        result = evaluate_rows(rows, rubrics, contexts=contexts)
    if format_ == "json":
        print(dumps(result))
        return
    show_summary(result["summary"])


def show_summary(summary: dict[str, Any]) -> None:
    """The figures as a table: all answers, each question, each language."""
    from rich.table import Table

    names = [k for k, v in summary.items() if isinstance(v, (int, float)) or v is None]
    table = Table(box=None, pad_edge=False, header_style="quiet")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    groups = {say("all", "全部"): summary, **summary.get("by_question", {}), **summary.get("by_language", {})}
    for title, figures in groups.items():
        table.add_row(title, *(_figure(figures.get(n)) for n in names))
    settings.console.print(table)
    if "confusion" in summary:
        settings.console.print(
            say("confusion (rows: label, columns: graded)", "混淆表（行：标注，列：评分）"), style="head"
        )
        for row in summary["confusion"]:
            settings.console.print("  " + "  ".join(f"{n:4d}" for n in row), markup=False)


def _figure(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Labelled answers from JSON lines; raises BadInput with the line that is wrong."""
    from graders.errors import BadInput, Where
    from graders.submission import read_bytes
    from graders.text import Text
    from graders.textfile import read_text

    rows = []
    most = 50_000_000
    for number, line in enumerate(read_text(read_bytes(path, most), str(path), most).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            missing = [k for k in ("id", "lesson", "question", "answer", "score") if k not in row]
        except (json.JSONDecodeError, TypeError):
            raise BadInput(Text("is not a JSON object", "不是 JSON 对象"), Where(str(path), number)) from None
        if missing or row["question"] not in QUESTIONS:
            text = Text(
                "needs id, lesson, question (q1 q2 q3 impl), answer, score",
                "需要 id、lesson、question（q1 q2 q3 impl）、answer、score",
            )
            raise BadInput(text, Where(str(path), number))
        rows.append({"lang": "", "veto": False, **row})
    return rows


def _with_rubric(name: str) -> Lesson:
    from graders.errors import BadInput
    from graders.prose_part import rubric_of
    from graders.text import Text

    opened = settings.course.lesson(name)
    if rubric_of(opened) is None:
        raise BadInput(Text("{l} has no prose rubric", "{l} 没有文字评分规则").fill(l=opened.id))
    return opened
