"""Train the second reading of the prose grader from labelled answers and write it as plain numbers.

    python benchmarks/prose/train.py [--out graders/prose/data/second.json]

Needs scikit-learn (training only). The rules know by heart the answers that were read while they were written; these are
shown to the model as the rules would read them with parts of the lexicon left out, and the others as they are read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

from answer_sets import Row, read_rows, rubric_rows, rubrics, unread_rows

from graders.prose.features import Seen
from graders.prose.lexicon import Concept, Lexicon
from graders.prose.reader import analyse, what_models_see
from graders.prose.rubric import ProseRubric
from graders.prose.second import WEIGHTS

# Weights smaller than these are dropped from the file; agreement on held-back answers stays as it is.
KEEP = {"joint": 0.05, "words": 0.05, "veto": 0.04, "clause": 0.08}
FEWEST = 3  # answers a feature must occur in: what one or two answers say is no evidence
STRENGTH = 0.15  # inverse of the regularisation
READ_SHARE = 0.3  # of the spellings left out for answers that the rules were written from
UNREAD_SHARE = 0.15

# Shares of the scores among answers of learners, of questions with one point and with two.
SHARES = {True: (0.5, 0.5), False: (0.36, 0.28, 0.36)}

# A right answer and its twins with one falsehood have ids that end in r, a and b.
TWIN = re.compile(r"(?<=\d)[rab]$")

Features = dict[str, float]


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


def table(rows: list[Row], known: dict[str, ProseRubric]) -> list[Seen]:
    """What the models see of every row."""
    out = []
    for row in rows:
        rubric = known[row["lesson"]]
        out.append(what_models_see(rubric, analyse(rubric, row["question"], row["answer"])))
    return out


def clause_rows(rows: list[Row], found: list[Seen]) -> tuple[list[Features], list[int], list[float], list[int]]:
    """Clauses with 1 where they are false, their weights, and the rows that they come from.

    All clauses of a right answer are true. Of its twins with one falsehood, what differs is false. Of another answer with a
    veto some clause is, nobody says which: each a little.
    """
    out: tuple[list[Features], list[int], list[float], list[int]] = ([], [], [], [])

    def add(features: Features, false: int, weight: float, row: int) -> None:
        for column, value in zip(out, (features, false, weight, row), strict=True):
            column.append(value)  # type: ignore[attr-defined]

    right = {
        row["id"][:-1]: {c.text for c in seen.clauses}
        for row, seen in zip(rows, found, strict=True)
        if TWIN.search(str(row["id"])) and row["id"].endswith("r")
    }
    for number, (row, seen) in enumerate(zip(rows, found, strict=True)):
        twin = right.get(str(row["id"])[:-1]) if TWIN.search(str(row["id"])) else None
        whole = row["score"] >= (1 if row["question"] == "impl" else 2)
        for clause in seen.clauses:
            if whole:
                add(clause.features, 0, 1.0, number)
            elif row.get("veto") and twin is not None:
                if clause.text not in twin:
                    add(clause.features, 1, 1.0, number)
            elif row.get("veto"):
                share = 1.0 if len(seen.clauses) <= 2 else 1.0 / len(seen.clauses)
                add(clause.features, 1, 0.7 * share, number)
                if share < 1:
                    add(clause.features, 0, 0.7 * (1 - share), number)
    return out


class Training:
    """Rows and how the rules read them; `which` is the row of each reading."""

    def __init__(self, seed: int = 1) -> None:
        whole = rubrics()
        self.chance = random.Random(seed)
        self.unread = unread_rows()
        terse, read = rubric_rows(whole), read_rows()
        self.rows: list[Row] = [*self.unread, *terse, *read]
        self.found: list[Seen] = []
        self.which: list[int] = []
        plain = list(range(len(self.unread) + len(terse)))
        behind = list(range(len(plain), len(self.rows)))
        self._read(plain, whole)
        table(read, whole)  # finds the inline spellings of the rubrics, which are thinned as well
        self._read(plain[: len(self.unread)], self._thin(whole, UNREAD_SHARE))
        for _ in range(2):
            self._read(behind, self._thin(whole, READ_SHARE))

    def _read(self, numbers: list[int], known: dict[str, ProseRubric]) -> None:
        self.found += table([self.rows[i] for i in numbers], known)
        self.which += numbers

    def _thin(self, whole: dict[str, ProseRubric], share: float) -> dict[str, ProseRubric]:
        thin = rubrics()
        for name, rubric in thin.items():
            rubric.lexicon = thinned(whole[name].lexicon, share, self.chance)
        return thin

    def models(self, without: frozenset[int] = frozenset(), strength: float = STRENGTH) -> dict:  # type: ignore[type-arg]
        """The models as plain numbers: scores from rules and words, scores from words, vetoes from words, false clauses.

        `without`: rows that they must not see.
        """
        kept = [i for i, row in enumerate(self.which) if row not in without]
        which = [self.which[i] for i in kept]
        scores = [int(self.rows[i]["score"]) for i in which]
        steps = [[int(s >= 1) for s in scores], [int(s >= 2) for s in scores]]
        vetoes = [int(bool(self.rows[i].get("veto"))) for i in which]
        weights = balance([(self.rows[i]["question"] == "impl", int(self.rows[i]["score"])) for i in which])
        joint = common([self.found[i].words | self.found[i].rules for i in kept], which)
        said = common([self.found[i].words for i in kept], which)
        # One reading of each row is enough for the clauses.
        first = dict(zip(reversed(self.which), reversed(self.found), strict=True))
        numbers = [i for i in range(len(self.rows)) if i not in without]
        clauses, false, shares, of = clause_rows([self.rows[i] for i in numbers], [first[i] for i in numbers])
        return {
            "joint": plain(*fit(joint, steps, weights, strength), KEEP["joint"]),
            "words": plain(*fit(said, steps, weights, strength), KEEP["words"]),
            "veto": plain(*fit(said, [vetoes], weights, strength), KEEP["veto"]),
            "clause": plain(*fit(common(clauses, of), [false], shares, 2 * strength), KEEP["clause"]),
        }


def common(found: list[Features], which: list[int]) -> list[Features]:
    """The features without those of too few answers (readings of one answer count once)."""
    answers: dict[str, set[int]] = {}
    for values, row in zip(found, which, strict=True):
        for name in values:
            answers.setdefault(name, set()).add(row)
    return [{k: v for k, v in values.items() if len(answers[k]) >= FEWEST} for values in found]


def balance(labels: list[tuple[bool, int]]) -> list[float]:
    """Weights that give the scores the shares they have among learners (of one point, and of two).

    Far more than half of the answers written for training are wrong on purpose.
    """
    counts = Counter(labels)
    sizes = Counter(one for one, _ in labels)
    return [SHARES[one][score] * sizes[one] / counts[one, score] for one, score in labels]


def fit(found: list[Features], labels: list[list[int]], weights: list[float], strength: float):  # type: ignore[no-untyped-def]
    """One logistic model for each row of labels, and the vectoriser."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectoriser = DictVectorizer()
    matrix = vectoriser.fit_transform(found)
    return vectoriser, [LogisticRegression(C=strength, max_iter=4000).fit(matrix, row, weights) for row in labels]


def plain(vectoriser, models, keep: float) -> dict:  # type: ignore[no-untyped-def, type-arg]
    """Weights in thousandths by feature name, small ones left out."""
    names = vectoriser.get_feature_names_out()
    columns = [m.coef_[0] for m in models]
    weights = {
        str(name): [round(1000 * float(w)) for w in pair]
        for name, *pair in zip(names, *columns, strict=True)
        if max(abs(w) for w in pair) >= keep
    }
    bias = [round(float(m.intercept_[0]), 4) for m in models]
    return {"bias": bias, "weights": dict(sorted(weights.items()))}


def main() -> None:
    """Train and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    options = parser.parse_args()
    training = Training()
    note = {"answers": len(training.rows), "unread": len(training.unread), "strength": STRENGTH}
    data = {"format": "course-second/1", "trained": note, **training.models()}
    text = re.sub(r"(\],)(?=\")", r"\1\n", json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    options.out.write_text(text + "\n", encoding="utf-8")
    print(f"{len(training.rows)} answers, {len(text) // 1024} KiB -> {options.out}")


if __name__ == "__main__":
    main()
