"""The second reading: small logistic models over n-grams, concepts in their order and the links that the rules read.

They were trained on labelled answers (benchmarks/prose/train.py) and are shipped as plain numbers. They say how likely 0,
1 and 2 points are, and how likely a veto is. They set the confidence and may move the rules by one step where they are unsure; decide.py keeps them from
lifting a contradiction, a veto or a cap. Inference needs the standard library only.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from graders.prose.clauses import Reading
from graders.prose.lexicon import Mentions
from graders.prose.links import LinkReading
from graders.prose.misconceptions import MisconceptionReading
from graders.prose.rubric import Question
from graders.prose.score import RuleScore

WEIGHTS = Path(__file__).parent / "data" / "second.json"
_WORD = re.compile(r"[\u4e00-\u9fff]+|[a-z_][a-z0-9_']*|\d+(?:\.\d+)?|[<>=!+*/&-]+", re.ASCII)


def ngrams(text: str) -> set[str]:
    """Character 1..3-grams of Chinese runs, words of the rest, and pairs across neighbours."""
    found: set[str] = set()
    before = ""
    for m in _WORD.finditer(text):
        word = m.group(0)
        chinese = "\u4e00" <= word[0] <= "\u9fff"
        if chinese:
            for n in (1, 2, 3):
                found.update("z:" + word[i : i + n] for i in range(len(word) - n + 1))
        else:
            found.add("w:" + word)
        if before:
            found.add(f"b:{before}_{word[0] if chinese else word}")
        before = word[-1] if chinese else word
    return found


def concepts_of(question: Question) -> list[str]:
    """The lexicon concepts that the links of a question speak of."""
    names = {n for link in question.links for way in link.ways for atom in way.atoms for _, n in atom.parts}
    return sorted(n for n in names if n[:1] not in "'\"")


def concept_features(here: str, reading: Reading, mentions: Mentions) -> dict[str, float]:
    """Concepts of the lexicon, said or denied, and which precedes which inside a clause.

    They are the same for every wording and both languages. A pair tells 'the fill beats the maximum' from its reverse,
    which n-grams of a few hundred answers cannot; pairs of quoted or denied clauses are others.
    """
    named: dict[int, list[tuple[int, str]]] = {}
    out: dict[str, float] = {}
    for name in mentions.lexicon.concepts:
        for m in mentions.of(name):
            if not reading.clauses[m.clause].plea:
                signed = ("-" if m.sign < 0 else "+") + name
                out[here + signed] = 1.0
                named.setdefault(m.clause, []).append((m.start, signed))
    for number, found in named.items():
        clause = reading.clauses[number]
        scope = "!" if clause.quoted or clause.denied or clause.question else ""
        found.sort(key=lambda pair: pair[0])
        for i, (_, before) in enumerate(found):
            for _, after in found[i + 1 :]:
                if before != after:
                    out[f"{here}{scope}{before}{after}"] = 1.0
    return out


def word_features(lesson: str, question: Question, reading: Reading, mentions: Mentions) -> dict[str, float]:
    """What the model of words alone sees: n-grams, concepts in their order, length and tone."""
    here = f"{lesson}.{question.id}|"
    out: dict[str, float] = {here: 1.0}
    for gram in ngrams(reading.said):
        out[gram] = 1.0
        out[here + gram] = 1.0
    out.update(concept_features(here, reading, mentions))
    out["hedged"] = float(reading.hedged)
    out["admits"] = float(reading.admits)
    out["quoted"] = float(any(c.quoted for c in reading.clauses if not c.plea))
    out["length"] = math.log1p(len(reading.said)) / 3
    out["clauses"] = math.log1p(sum(not c.plea for c in reading.clauses)) / 2
    return out


def features(
    lesson: str,
    question: Question,
    reading: Reading,
    mentions: Mentions,
    links: list[LinkReading],
    misconceptions: list[MisconceptionReading],
    rules: RuleScore,
) -> dict[str, float]:
    """What the joint model sees of an answer, as named numbers."""
    here = f"{lesson}.{question.id}|"
    out = word_features(lesson, question, reading, mentions)
    core_missing = 0.0
    for link in links:
        out[f"{here}{link.id}={link.state}"] = 1.5
        kind = f"link.{'core' if link.core else 'side'}.{link.state}"
        out[kind] = out.get(kind, 0.0) + 0.5
        core_missing += link.core and link.state != "stated"
    for m in misconceptions:
        out[f"wrong.{m.force}.{'veto' if m.veto else 'cap'}"] = 1.0
    out["rules.raw"] = rules.raw
    out["rules.points"] = rules.points
    out["rules.share"] = rules.share
    out["rules.none"] = float(rules.points == 0)
    out["rules.full"] = float(rules.points >= question.maximum)
    return out


@dataclass(frozen=True, slots=True)
class SecondReading:
    """How likely each whole score is: probabilities of 0, 1 and 2 (of 0 and 1 where one is the maximum)."""

    probabilities: tuple[float, ...]

    @property
    def expected(self) -> float:
        """The mean score."""
        return sum(i * p for i, p in enumerate(self.probabilities))

    @property
    def best(self) -> int:
        """The likeliest whole score."""
        return max(range(len(self.probabilities)), key=lambda i: self.probabilities[i])


@dataclass(frozen=True, slots=True)
class Model:
    """Two logistic models, for 'at least 1' and 'at least 2': weights by feature, and the bias of each."""

    weights: dict[str, tuple[float, float]]
    bias: tuple[float, float]
    trained: dict[str, Any] = field(default_factory=dict)

    def read(self, values: dict[str, float], maximum: float) -> SecondReading:
        """Probabilities of the whole scores of an answer."""
        a, b = self.bias
        for name, value in values.items():
            pair = self.weights.get(name)
            if pair:
                a += pair[0] * value
                b += pair[1] * value
        one = _logistic(a)
        if maximum <= 1:
            return SecondReading((1 - one, one))
        two = min(one, _logistic(b))
        return SecondReading((1 - one, one - two, two))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the models say of one answer.

    `joint` knows what the rules read, `words` only the text; `veto` is the probability that a teacher reads an asserted
    misconception in it, by its words alone.
    """

    joint: SecondReading
    words: SecondReading
    veto: float

    @property
    def both(self) -> SecondReading:
        """The mean of the two readings of the score."""
        pairs = zip(self.joint.probabilities, self.words.probabilities, strict=True)
        return SecondReading(tuple((a + b) / 2 for a, b in pairs))


@dataclass(frozen=True, slots=True)
class SecondReader:
    """The shipped models: one that knows what the rules read, one of the words alone, and one of vetoes."""

    joint: Model
    words: Model
    veto: Model

    def read(self, seen: dict[str, float], said: dict[str, float], maximum: float) -> Opinions:
        """Opinions of an answer from its `features` and its `word_features`."""
        veto = self.veto.read(said, 1.0).probabilities[1]
        return Opinions(self.joint.read(seen, maximum), self.words.read(said, maximum), veto)


_BLANK = Model({}, (0.0, 0.0))


@lru_cache(maxsize=4)
def load_second(path: Path = WEIGHTS) -> SecondReader:
    """The shipped models; without their file every score is as likely as any other, so all is uncertain."""
    if not path.is_file():
        return SecondReader(_BLANK, _BLANK, _BLANK)
    return second_from(json.loads(path.read_text(encoding="utf-8")))


def second_from(data: dict[str, Any]) -> SecondReader:
    """Models from the plain numbers of the training script (weights in thousandths)."""

    def model(part: dict[str, Any]) -> Model:
        # One threshold only, for vetoes, stands for both.
        weights = {name: (w[0] / 1000, w[-1] / 1000) for name, w in part["weights"].items()}
        return Model(weights, (part["bias"][0], part["bias"][-1]), data.get("trained", {}))

    return SecondReader(model(data["joint"]), model(data["words"]), model(data["veto"]))
