"""Agreement of the whole prose grader by cross-validation: every answer is read with models that never saw it.

    python benchmarks/prose/cross_validate.py [--folds 5] [--thresholds 0.5 0.6 0.7] [--set FILE.jsonl ...] [--by]

Without --set the unread training answers take part in turn. With --set the models are trained on all training answers and
read the answers of the files. The rules themselves are not fitted here: whoever wrote them has not read these answers.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import Any

import train
from answer_sets import rows_of, rubrics

from graders.prose import decide
from graders.prose.evaluate import summarise
from graders.prose.reader import analyse, second_opinions
from graders.prose.second import Opinions, SecondReader, second_from

SHOWN = ("answers", "exact", "qwk", "review", "exact_of_rest", "vetoes", "veto_found", "false_vetoes",
         "false_vetoes_outside_review", "veto_answers_outside_review_with_points")  # fmt: skip


class Reader:
    """Answers as the rules read them, kept between models and thresholds."""

    def __init__(self) -> None:
        self.rubrics = rubrics()

    def opinions(self, rows: list[dict[str, Any]], second: SecondReader) -> list[tuple[Any, Opinions]]:
        """Each answer as the rules read it, and what the models say of it."""
        out = []
        for row in rows:
            rubric = self.rubrics[row["lesson"]]
            found = analyse(rubric, row["question"], row["answer"])
            out.append((found, second_opinions(rubric, found, second)))
        return out


def items_at(rows: list[dict[str, Any]], read: list[tuple[Any, Opinions]], threshold: float) -> list[dict[str, Any]]:
    """Points, review and vetoes of every answer at a threshold of review."""
    decide.REVIEW_BELOW = threshold
    items = []
    for row, (found, opinions) in zip(rows, read, strict=True):
        decision = decide.decide(found.question, found.rules, found.misconceptions, opinions)
        items.append({
            "id": row["id"], "score": decision.points, "veto": decision.veto is not None,
            "review": decision.needs_review, "confidence": decision.confidence,
        })  # fmt: skip
    return items


def main() -> None:
    """Print the figures for each threshold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--set", dest="sets", type=Path, nargs="*", default=[], help="answers to read (JSON lines)")
    parser.add_argument("--thresholds", type=float, nargs="*", default=[decide.REVIEW_BELOW])
    parser.add_argument("--by", action="store_true", help="figures of every question and language as well")
    options = parser.parse_args()
    training = train.Training()
    reader = Reader()
    results: list[tuple[str, list[dict[str, Any]], list[tuple[Any, Opinions]]]] = []
    if options.sets:
        second = second_from(training.models())
        for path in options.sets:
            answers = rows_of(path)
            results.append((path.name, answers, reader.opinions(answers, second)))
    else:
        # A right answer and its twins with one falsehood ('x-1r', 'x-1a', 'x-1b') stay together.
        chance = random.Random(7)
        groups = [re.sub(train.TWIN, "", str(row["id"])) for row in training.unread]
        at = {group: chance.randrange(options.folds) for group in sorted(set(groups))}
        fold = [at[group] for group in groups]
        read: dict[int, Any] = {}
        for k in range(options.folds):
            out = [i for i, number in enumerate(fold) if number == k]
            second = second_from(training.models(frozenset(out)))
            read.update(zip(out, reader.opinions([training.unread[i] for i in out], second), strict=True))
        results.append(("cross-validation", training.unread, [read[i] for i in range(len(fold))]))
    for name, answers, opinions in results:
        for threshold in options.thresholds:
            summary = summarise(answers, items_at(answers, opinions, threshold))
            print(name, "review below", threshold, {k: summary[k] for k in SHOWN}, summary["confusion"], flush=True)
            if options.by:
                for group in ("by_question", "by_language"):
                    for key, figures in summary[group].items():
                        print(
                            "   ", key, {k: figures[k] for k in ("answers", "exact", "qwk", "review", "exact_of_rest")}
                        )


if __name__ == "__main__":
    main()
