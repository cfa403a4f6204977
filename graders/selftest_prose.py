"""The prose part of a lesson's self-test: labelled answers agree, every question can be asked about, every veto can be refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graders.errors import EnvironmentProblem
from graders.lesson import Lesson
from graders.text import Text
from graders.yamlread import load

QUESTIONS = ("q1", "q2", "q3", "impl")
LEAST_ANSWERS = 12  # labelled answers a question, in both languages together
LEAST_FOLLOW_UPS = 2
LEAST_AGREEMENT = (
    0.9  # exact, on the lesson's own gold answers: these were read, so less means that rules and labels contradict
)


@dataclass(slots=True)
class ProseProof:
    """`agreement` is the exact share on the gold answers; None where the lesson has no prose rubric."""

    agreement: float | None = None
    answers: int = 0
    follow_ups: int = 0
    problems: list[Text] = field(default_factory=list)
    remarks: list[Text] = field(default_factory=list)


def gold_rows(lesson: Lesson) -> list[dict[str, Any]]:
    """The lesson's labelled answers; empty where this installation carries no answer key."""
    path = lesson.solution_folder / "gold_answers.yaml" if lesson.solution_folder else None
    if path is None or not path.is_file():
        return []
    data = load(path).data
    return [r for r in data if isinstance(r, dict)] if isinstance(data, list) else []


def prove_prose(lesson: Lesson) -> ProseProof:
    """Run the proof; predictions are settled by really running the mutated kernel where this machine can."""
    from graders.prose_part import rubric_of

    proof = ProseProof()
    if rubric_of(lesson) is None:
        proof.remarks.append(
            Text("no prose rubric: answers wait for an instructor", "没有文字评分规则：回答等待教师批阅")
        )
        return proof
    rows = gold_rows(lesson)
    _count_answers(rows, proof)
    if rows:
        _agree(lesson, rows, proof)
    _ask(lesson, proof)
    return proof


def _count_answers(rows: Sequence[dict[str, Any]], proof: ProseProof) -> None:
    proof.answers = len(rows)
    for question in QUESTIONS:
        mine = [r for r in rows if r.get("question") == question]
        languages = {r.get("lang") for r in mine}
        if len(mine) < LEAST_ANSWERS or not {"en", "zh"} <= languages:
            text = Text(
                "{q}: {n} gold answers in {l}; {m} in both languages are needed",
                "{q}：标注答案 {n} 条（{l}）；需要 {m} 条且覆盖两种语言",
            )
            proof.problems.append(
                text.fill(
                    q=question, n=len(mine), l=", ".join(sorted(str(x) for x in languages)) or "-", m=LEAST_ANSWERS
                )
            )


def _agree(lesson: Lesson, rows: Sequence[dict[str, Any]], proof: ProseProof) -> None:
    from graders.prose.evaluate import evaluate_rows
    from graders.prose_part import context_of, rubric_of

    prose = rubric_of(lesson)
    assert prose is not None
    contexts = {(lesson.id, q): context_of(lesson, q) for q in QUESTIONS}  # type: ignore[arg-type]
    result = evaluate_rows(rows, {lesson.id: prose}, contexts=contexts)
    proof.agreement = result["summary"]["exact"]
    if proof.agreement is not None and proof.agreement < LEAST_AGREEMENT:
        text = Text(
            "gold answers agree in {g} only (at least {m}); `course rubric gaps {l}` shows what nothing read",
            "标注答案一致率仅 {g}（至少 {m}）；`course rubric gaps {l}` 列出未被读到的内容",
        )
        proof.problems.append(text.fill(g=f"{proof.agreement:.2f}", m=LEAST_AGREEMENT, l=lesson.id))
    labels = {r["id"]: bool(r.get("veto")) for r in rows}
    for item in result["items"]:
        if item["veto"] and not labels[item["id"]] and not item["review"]:
            proof.problems.append(
                Text("gold answer {i} gets a veto that its label denies", "标注答案 {i} 被错误地一票否决").fill(
                    i=item["id"]
                )
            )


def _ask(lesson: Lesson, proof: ProseProof) -> None:
    """At least two follow-ups a question, one experiment a veto misconception, and every prediction can be settled."""
    from graders.prose.followups import expected_value, make
    from graders.prose_part import mutants_of, rubric_of

    prose = rubric_of(lesson)
    assert prose is not None
    proof.follow_ups = len(prose.follow_ups)
    for question in prose.questions:
        if len(prose.follow_ups_of(question)) < LEAST_FOLLOW_UPS:
            proof.problems.append(
                Text("{q} has fewer than {n} follow-ups", "{q} 的追问少于 {n} 个").fill(q=question, n=LEAST_FOLLOW_UPS)
            )
    known = {f.id for f in prose.follow_ups}
    for misconception in prose.misconceptions:
        if misconception.veto and misconception.experiment not in known:
            text = Text(
                "veto misconception {m} has no experiment that refutes it", "一票否决的误解 {m} 没有可反驳它的实验"
            )
            proof.problems.append(text.fill(m=misconception.id))
    for spec in prose.follow_ups:
        if spec.kind != "prediction" or not spec.links:
            continue
        question, link = spec.links[0]
        try:
            expected_value(make(prose, spec, question, link, 1), mutants_of(lesson).run)
        except EnvironmentProblem as problem:
            proof.remarks.append(problem.text)
            return
        except Exception as error:  # a follow-up of the lesson's author that cannot be settled, whatever the reason
            text = Text("follow-up {f} cannot be settled: {e}", "追问 {f} 无法得出答案：{e}")
            proof.problems.append(text.fill(f=spec.id, e=f"{type(error).__name__}: {error}"))
