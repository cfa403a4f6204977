"""The second reading: small logistic models over n-grams, concepts in their order and the links that the rules read.

They were trained on labelled answers (benchmarks/prose/train.py) and are shipped as plain numbers. They say how likely 0,
1 and 2 points are, how likely a veto is, and which clause looks false. They set the confidence and may move the rules by one
step where they are unsure; decide.py keeps them from lifting a contradiction, a veto or a cap. Inference needs the
standard library only; features.py says what they see.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from graders.prose.features import Seen

WEIGHTS = Path(__file__).parent / "data" / "second.json"


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
    misconception in it, by its words alone. `false` is the same for the one clause that looks most like a falsehood, and
    `false_clause` its number (-1: there is none): one wrong clause in a right answer.
    """

    joint: SecondReading
    words: SecondReading
    veto: float
    false: float = 0.0
    false_clause: int = -1

    @property
    def both(self) -> SecondReading:
        """The mean of the two readings of the score."""
        pairs = zip(self.joint.probabilities, self.words.probabilities, strict=True)
        return SecondReading(tuple((a + b) / 2 for a, b in pairs))


@dataclass(frozen=True, slots=True)
class SecondReader:
    """The shipped models: one that knows what the rules read, one of the words alone, one of vetoes, one of false clauses."""

    joint: Model
    words: Model
    veto: Model
    clause: Model

    def read(self, seen: Seen, maximum: float) -> Opinions:
        """Opinions of an answer."""
        veto = self.veto.read(seen.words, 1.0).probabilities[1]
        false, number = max(
            ((self.clause.read(c.features, 1.0).probabilities[1], c.number) for c in seen.clauses), default=(0.0, -1)
        )
        joint, words = self.joint.read(seen.words | seen.rules, maximum), self.words.read(seen.words, maximum)
        return Opinions(joint, words, veto, false, number)


_BLANK = Model({}, (0.0, 0.0))


@lru_cache(maxsize=4)
def load_second(path: Path = WEIGHTS) -> SecondReader:
    """The shipped models; without their file every score is as likely as any other, so all is uncertain."""
    if not path.is_file():
        return SecondReader(_BLANK, _BLANK, _BLANK, _BLANK)
    return second_from(json.loads(path.read_text(encoding="utf-8")))


def second_from(data: dict[str, Any]) -> SecondReader:
    """Models from the plain numbers of the training script (weights in thousandths)."""

    def model(part: dict[str, Any]) -> Model:
        # One threshold only, for vetoes, stands for both.
        weights = {name: (w[0] / 1000, w[-1] / 1000) for name, w in part["weights"].items()}
        return Model(weights, (part["bias"][0], part["bias"][-1]), data.get("trained", {}))

    return SecondReader(model(data["joint"]), model(data["words"]), model(data["veto"]), model(data["clause"]))
