"""Labelled answers that the second reading is trained on.

A row is {"id", "lesson", "question", "lang", "answer", "score", "veto"}. What matters of an answer is whether it was read while
the rules were written: the rules know such an answer by heart, and figures on it say nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from graders import yamlread  # noqa: E402
from graders.prose.conditions import holds  # noqa: E402
from graders.prose.rubric import ProseRubric, load_rubric  # noqa: E402

ANSWERS = Path(__file__).resolve().parent / "answers"
LESSONS = ("lesson05", "lesson07", "lesson12", "lesson12-nan")

Row = dict[str, Any]


def rubrics() -> dict[str, ProseRubric]:
    """The rubric of every lesson, freshly loaded: nothing is shared with an earlier call but the lexicon."""
    return {name: load_rubric(ROOT / "lessons" / name) for name in LESSONS}


def rows_of(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_rows() -> list[Row]:
    """Answers that were read while the rules were written: answers/read/, the gold and the reference answers of the lessons."""
    rows = [row for path in sorted((ANSWERS / "read").glob("*.jsonl")) for row in rows_of(path)]
    for lesson in LESSONS:
        data = yamlread.load(ROOT / "solutions" / lesson / "gold_answers.yaml").data
        rows += data if isinstance(data, list) else data["answers"]
        reference = yamlread.load(ROOT / "solutions" / lesson / "solution.yaml").data["reference"]
        rows += [
            {
                "id": f"reference-{lesson}-{part}-{lang}", "lesson": lesson, "question": part, "lang": lang, "answer": text,
                "score": 1 if part == "impl" else 2, "veto": False,
            }
            for part in ("q1", "q2", "q3", "impl") for lang, text in reference[part].items()
        ]  # fmt: skip
    return rows


def unread_rows() -> list[Row]:
    """Answers that nobody read who wrote rules: answers/unread/."""
    return [row for path in sorted((ANSWERS / "unread").glob("*.jsonl")) for row in rows_of(path)]


def rubric_rows(rubrics: dict[str, ProseRubric]) -> list[Row]:
    """Terse answers made of the rubrics' own sentences, labelled by their conditions.

    Written answers are long where they are good; from these the models learn that a link counts in few words as well,
    and what each misconception sounds like.
    """
    rows: list[Row] = []

    def add(rubric: ProseRubric, question: str, lang: str, said: list[str], score: float, veto: bool = False) -> None:
        text = ("" if lang == "zh" else " ").join(s[:1].upper() + s[1:] + ("。" if lang == "zh" else ".") for s in said)
        rows.append({
            "id": f"r-{len(rows)}", "lesson": rubric.lesson, "question": question, "lang": lang, "answer": text,
            "score": int(score + 0.5), "veto": veto,
        })  # fmt: skip

    for rubric in rubrics.values():
        for q in rubric.questions.values():
            every = [[x for x in q.links if x is not left_out] for left_out in (None, *q.links)]
            subsets = every + [[x] for x in q.links]
            for lang in ("zh", "en"):
                for links in subsets:
                    named = {x.id for x in links}
                    half = q.maximum / 2 if q.maximum > 1 else 0.0
                    score = q.maximum if holds(q.full, named) else half if holds(q.part, named) else 0.0
                    add(rubric, q.id, lang, [getattr(x.says, lang) for x in links], score)
                for m in rubric.misconceptions_of(q.id):
                    if m.veto:
                        said = getattr(m.says, lang)
                        add(rubric, q.id, lang, [said], 0, True)
                        # A whole chain with a flat contradiction behind it.
                        add(rubric, q.id, lang, [*(getattr(x.says, lang) for x in q.links), said], 0, True)
                        beside = next((x for x in q.links if x.id not in m.refutes), None)
                        if beside is not None:
                            add(rubric, q.id, lang, [getattr(beside.says, lang), said], 0, True)
    return rows
