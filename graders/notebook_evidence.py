"""Stored outputs of a notebook as evidence: what the file shows, beside what the same code prints when it is run here.

Sure contradictions are the veto `unrun-claimed-as-measured`: the lesson's own check cell, unchanged, with an output that this
blank does not produce. What a learner's own cells show is never run; where it speaks of a GPU a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graders import claims
from graders.answers import Answers
from graders.blank import Refused, check_fill
from graders.evidence import Receipt
from graders.lesson import Lesson
from graders.notebook_parts import Cell, Parts
from graders.notebook_run import RunLimits, run_lesson
from graders.scorecard import CaseResult
from graders.submission import StoredOutput, Submission
from graders.text import Text

if TYPE_CHECKING:
    from graders.claims_check import Weighed

MOST = 6  # remarks of one kind
OWN = ("check", "exercise", "setup")  # roles of cells whose code is the lesson's
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_OPTIONS = re.compile(r"^\s*#\|.*$", re.MULTILINE)
_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|\b(?:Over)?[Ww]riting (?=\S)|(?:/[\w.-]+)+/(?=[\w.-]+)")


def stored_of(parts: Parts, place: Text, *, pristine_exercise: bool) -> tuple[tuple[StoredOutput, ...], list[Text]]:
    """What the code cells of a notebook show, and what their execution counts say about how it came about."""
    known = {_plain(code): key for key, code in parts.pristine.items() if not key.startswith("exercise")}
    stored: list[StoredOutput] = []
    notes: list[Text] = []
    for cell in parts.cells:
        if cell.kind != "code":
            continue
        here = place.fill(n=cell.line)
        role, _, lang = known.get(_plain(cell.source), "").rpartition("-")
        if cell is parts.exercise and pristine_exercise:
            role = "exercise"
        if not role and cell.role == "check" and cell.output.strip():
            text = Text(
                "{p}: the check cell was changed; its output proves nothing",
                "{p}：检查单元格被改动过；其输出不作为证据",
            )
            notes.append(text.fill(p=here))
        if cell.output.strip():
            stored.append(StoredOutput(here, cell.output, role or "own", lang or "en"))
    return tuple(stored), [*notes[:MOST], *_counts(parts.cells, place)]


def language_of(parts: Parts) -> str:
    """The language in which a notebook was exported, seen from its cells."""
    known = {_plain(code): key.rpartition("-")[2] for key, code in parts.pristine.items()}
    found = [known[_plain(c.source)] for c in parts.cells if c.kind == "code" and _plain(c.source) in known]
    return found[0] if found else "en"


def with_rerun(
    lesson: Lesson, submission: Submission, *, always: bool = False, limits: RunLimits | None = None
) -> Submission:
    """Run the pristine export with this blank and note what it prints beside what the notebook shows.

    Only where the notebook shows outputs of the lesson's own cells, or `always`. A run that fails is named in a note.
    """
    lang = submission.notebook_lang
    shows = [s for s in submission.stored if s.role in OWN]
    if lang is None or not submission.fill or not (shows or always):
        return submission
    from graders.grade import blank_rules

    try:
        fill = check_fill(submission.fill, lesson.template, blank_rules(lesson))
    except Refused:
        return submission  # the report says so; nothing is run
    done, outputs = run_lesson(lesson, fill.text, "zh" if lang == "zh" else "en", limits)
    if done.problem is not None:
        text = Text(
            "the stored outputs could not be compared with a run of this blank: {w}",
            "无法用此填空的运行结果核对保存的输出：{w}",
        )
        return replace(submission, notes=(*submission.notes, text.fill(w=done.problem)))
    stored = tuple(replace(s, real=outputs.get(s.role)) if s.role in OWN else s for s in submission.stored)
    notes = list(submission.notes)
    told = [s for s in stored if s.real is not None]
    fits = sum(same_output(s.text, s.real or "") for s in told)
    if always and not told:
        out = outputs.get("check", "").strip().splitlines()
        text = Text(
            "executed here from the top; its check cell ends with: {w}", "已在此处从头执行；检查单元格的末行：{w}"
        )
        notes.append(text.fill(w=out[-1] if out else "-"))
    elif told and fits == len(told):
        text = Text(
            "{n} stored output(s) compared with a run of this blank in the pristine notebook: the same",
            "已将 {n} 处保存的输出与此填空在原版 notebook 中的运行结果比较：一致",
        )
        notes.append(text.fill(n=fits))
    return replace(submission, stored=stored, notes=tuple(notes))


def weigh_stored(
    out: Weighed, submission: Submission, cases: Sequence[CaseResult], own: Sequence[Receipt], *, gpu_seen: bool
) -> None:
    """Hold every stored output against its re-run, or against the cases that ran here; speak of GPU claims in own cells."""
    names = [c.name for c in cases]
    shown = {c.name for r in own for c in r.cases if c.outcome == "pass"}
    for each in submission.stored:
        if each.role not in OWN:
            if not gpu_seen:
                _weigh_own(out, each)
            continue
        real = each.real
        if real is not None and same_output(each.text, real):
            continue
        lie = _contradicted(each, real, cases, names)
        if lie is not None:
            words, name = lie
            why = Text(
                "a stored output that this blank does not produce: here '{c}' does not pass",
                "保存的输出不是此填空所能产生的：此处“{c}”未通过",
            ).fill(c=name)
            if name in shown:
                out.review_at("run-output", each.place, words, why)
            else:
                out.veto_at(each.place.en, each.place, words, why)
            continue
        invented = _invented(each, real)
        if invented is not None:
            why = Text("a stored output that this cell does not produce", "保存的输出不是此单元格所能产生的")
            (out.review_at if gpu_seen else out.veto_at)(each.place.en, each.place, invented, why)
        elif real is not None:
            why = Text("the stored output differs from that of a run of this blank", "保存的输出与此填空的运行结果不同")
            out.note_at(each.place, _first_difference(each.text, real), why)


def _contradicted(
    each: StoredOutput, real: str | None, cases: Sequence[CaseResult], names: Sequence[str]
) -> tuple[str, str] | None:
    """A line that shows a case as passing which did not pass here: (the line, the case)."""
    failed = {c.name for c in cases if c.outcome in ("fail", "error")}
    if real is not None:
        failed &= {p.name for p in claims.pasted_cases(_as_answers(real), names) if not p.passing}
    for pasted in claims.pasted_cases(_as_answers(each.text), names):
        if pasted.passing and pasted.name in failed:
            return pasted.words, pasted.name
    return None


def _invented(each: StoredOutput, real: str | None) -> str | None:
    """A line about a GPU or with a figure that the lesson's own cell, which was run here, does not print."""
    if real is None:
        return None
    printed = {_plain(line) for line in real.splitlines()}
    for line in _normal(each.text).splitlines():
        if _plain(line) in printed:
            continue
        claim = claims.read_sentence(line.strip(), "run_output")
        if claim.kind == "gpu" or (claim.figures and claim.kind in ("review", "emulated")):
            return line.strip()
    return None


def _weigh_own(out: Weighed, each: StoredOutput) -> None:
    for line in _normal(each.text).splitlines():
        claim = claims.read_sentence(line.strip()[:1000], "run_output")
        if claim.kind in ("gpu", "review"):
            why = Text(
                "the output of a cell of your own speaks of a measurement that nothing here shows; a person decides",
                "自建单元格的输出提到了此处没有证据的测量；由人工判定",
            )
            out.review_at("run-output", each.place, line.strip(), why)
            return


def _counts(cells: Sequence[Cell], place: Text) -> list[Text]:
    """Execution counts: outputs without one, and an order that does not go from top to bottom."""
    notes: list[Text] = []
    code = [c for c in cells if c.kind == "code"]
    for cell in [c for c in code if c.output.strip() and c.count is None][:MOST]:
        text = Text(
            "{p} shows an output but was never executed (no execution count)", "{p}有输出，却没有执行过（缺少执行序号）"
        )
        notes.append(text.fill(p=place.fill(n=cell.line)))
    last: Cell | None = None
    for cell in code:
        if cell.count is None:
            continue
        if last is not None and last.count is not None and cell.count <= last.count:
            text = Text(
                "the cells were not executed in order from the top: {a} has count {i}, {b} has {j}",
                "单元格没有从头依次执行：{a}的序号是 {i}，{b}是 {j}",
            )
            here, before = place.fill(n=cell.line), place.fill(n=last.line)
            notes.append(text.fill(a=before, i=last.count, b=here, j=cell.count))
            break
        last = cell
    return notes


def same_output(a: str, b: str) -> bool:
    """Whether two outputs are the same but for what changes from run to run: addresses, folders, colours, white space."""
    return _normal(a) == _normal(b)


def _normal(text: str) -> str:
    plain = _VOLATILE.sub("", _ANSI.sub("", text))
    return "\n".join(" ".join(line.split()) for line in plain.splitlines() if line.strip())


def _first_difference(a: str, b: str) -> str:
    there = set(_normal(b).splitlines())
    lines = _normal(a).splitlines()
    return next((line for line in lines if line not in there), lines[0] if lines else "")


def _as_answers(text: str) -> Answers:
    return Answers({"run_output": _ANSI.sub("", text)})


def _plain(text: str) -> str:
    return " ".join(_OPTIONS.sub("", text).split())


__all__ = ["language_of", "same_output", "stored_of", "weigh_stored", "with_rerun"]
