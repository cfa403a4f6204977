"""Train the second reading of the prose grader from labelled answers and write it as plain numbers.

    python benchmarks/prose/train.py [--extra FILE.jsonl ...] [--out graders/prose/data/second.json]

Rows are those of `rubric evaluate`: id, lesson, question, lang, answer, score, veto. The gold answers of the course
always take part. Needs scikit-learn (training only). Since the rules know some of these answers by heart, each answer is
also read with parts of the lexicon left out, so that the model learns what the rules look like on answers they do not know.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from graders import yamlread  # noqa: E402
from graders.prose.lexicon import Concept, Lexicon  # noqa: E402
from graders.prose.reader import analyse  # noqa: E402
from graders.prose.rubric import ProseRubric, load_rubric  # noqa: E402
from graders.prose.second import WEIGHTS, features, word_features  # noqa: E402

LESSONS = ("lesson05", "lesson07", "lesson12", "lesson12-nan")
KEEP = 0.008  # weights smaller than this are dropped from the file
FEWEST = 2  # answers a feature must occur in: what one answer alone says is no evidence


def gold_rows() -> list[dict]:
    """The labelled answers in this repository: gold answers of the lessons, and answers written for training."""
    own = ROOT / "benchmarks" / "prose" / "answers.jsonl"
    rows: list[dict] = [json.loads(line) for line in own.read_text(encoding="utf-8").splitlines() if line.strip()]
    for lesson in LESSONS:
        path = ROOT / "solutions" / lesson / "gold_answers.yaml"
        if path.is_file():
            data = yamlread.load(path).data
            rows += data if isinstance(data, list) else data["answers"]
    return rows


def thinned(lexicon: Lexicon, share: float, chance: random.Random) -> Lexicon:
    """A lexicon with a share of its spellings left out; inline spellings of rubrics lose alternatives in the same way."""
    concepts = {}
    for name, concept in lexicon.concepts.items():
        kept = [s for s in concept.spellings if chance.random() >= share] or concept.spellings[:1]
        concepts[name] = Concept(name, kept, concept.guards)
    thin = Lexicon(concepts)
    for name, concept in lexicon._inline.items():
        parts = [s for s in concept.spellings if chance.random() >= share]
        # A pattern that is left out altogether must never match.
        thin._inline[name] = Concept(name, parts or ["re:(?!)"])
    return thin


def table(rows: list[dict], rubrics: dict[str, ProseRubric]) -> list[tuple[dict[str, float], dict[str, float]]]:
    """The features of every row: for the joint model, and for the words alone."""
    out = []
    for row in rows:
        rubric = rubrics[row["lesson"]]
        a = analyse(rubric, row["question"], row["answer"])
        joint = features(rubric.lesson, a.question, a.reading, a.mentions, a.links, a.misconceptions, a.rules)
        out.append((joint, word_features(rubric.lesson, a.question, a.reading, a.mentions)))
    return out


def build(
    rows: list[dict], copies: int, share: float, seed: int = 1
) -> tuple[list[tuple[dict[str, float], dict[str, float]]], list[int], list[int]]:
    """Features, scores and row numbers: each answer as the rules read it, and with thinned lexicons."""
    rubrics = {name: load_rubric(ROOT / "lessons" / name) for name in LESSONS}
    chance = random.Random(seed)
    found = table(rows, rubrics)
    which = list(range(len(rows)))
    for _ in range(copies):
        thin: dict[str, ProseRubric] = {}
        for name in LESSONS:
            thin[name] = load_rubric(ROOT / "lessons" / name)
            thin[name].lexicon = thinned(rubrics[name].lexicon, share, chance)
        found += table(rows, thin)
        which += range(len(rows))
    return found, [int(rows[i]["score"]) for i in which], which


def common(found: list[dict[str, float]], which: list[int]) -> list[dict[str, float]]:
    """The features without those of too few answers (readings of one answer count once)."""
    answers: dict[str, set[int]] = {}
    for values, row in zip(found, which, strict=True):
        for name in values:
            answers.setdefault(name, set()).add(row)
    return [{k: v for k, v in values.items() if len(answers[k]) >= FEWEST} for values in found]


def fit(found: list[dict[str, float]], scores: list[int], strength: float):  # type: ignore[no-untyped-def]
    """The two logistic models and the vectoriser."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectoriser = DictVectorizer()
    matrix = vectoriser.fit_transform(found)
    models = []
    for threshold in (1, 2):
        labels = [int(s >= threshold) for s in scores]
        models.append(LogisticRegression(C=strength, max_iter=4000).fit(matrix, labels))
    return vectoriser, models


def plain(vectoriser, models) -> dict:  # type: ignore[no-untyped-def, type-arg]
    """Weights in thousandths by feature name, small ones left out."""
    names = vectoriser.get_feature_names_out()
    first, second = (m.coef_[0] for m in models)
    weights = {
        str(name): [round(1000 * float(a)), round(1000 * float(b))]
        for name, a, b in zip(names, first, second, strict=True)
        if max(abs(a), abs(b)) >= KEEP
    }
    bias = [round(float(m.intercept_[0]), 4) for m in models]
    return {"bias": bias, "weights": dict(sorted(weights.items()))}


def train(rows: list[dict], copies: int, share: float, strength: float) -> dict:  # type: ignore[type-arg]
    """Both models as plain numbers."""
    found, scores, which = build(rows, copies, share)
    note = {"answers": len(rows), "copies": copies, "share": share, "strength": strength}
    return {
        "format": "course-second/1",
        "trained": note,
        "joint": plain(*fit(common([joint for joint, _ in found], which), scores, strength)),
        "words": plain(*fit(common([words for _, words in found], which), scores, strength)),
    }


def main() -> None:
    """Train and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--extra", type=Path, nargs="*", default=[], help="further labelled answers (JSON lines)")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--copies", type=int, default=2, help="readings with a thinned lexicon per answer")
    parser.add_argument("--share", type=float, default=0.15, help="share of the spellings left out in those")
    parser.add_argument("--strength", type=float, default=0.03, help="inverse of the regularisation")
    options = parser.parse_args()
    rows = gold_rows()
    for path in options.extra:
        rows += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    text = json.dumps(
        train(rows, options.copies, options.share, options.strength), ensure_ascii=False, separators=(",", ":")
    )
    text = re.sub(r"(\],)(?=\")", r"\1\n", text)
    options.out.write_text(text + "\n", encoding="utf-8")
    print(f"{len(rows)} answers, {len(text) // 1024} KiB -> {options.out}")


if __name__ == "__main__":
    main()
