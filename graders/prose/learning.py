"""The second reading learns from an instructor's marks: a few steps of gradient descent, standard library only.

Only the weights of features that occur in the marked answers move, and the shipped ones are left as they are: `learned`
returns a new reader. Marks of an instructor count more than the pull back to the shipped weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graders.prose.reader import analyse
from graders.prose.rubric import ProseRubric
from graders.prose.score import half_up
from graders.prose.second import Model, SecondReader, features, word_features

ROUNDS = 12
RATE = 0.06
PULL = 0.01  # back to the shipped weights


@dataclass(frozen=True, slots=True)
class Mark:
    """What an instructor gave an answer."""

    question: str
    answer: str
    points: float


def learned(rubric: ProseRubric, second: SecondReader, marks: Sequence[Mark]) -> SecondReader:
    """A reader refitted on the marks of one lesson, in their order; without marks the same reader."""
    if not marks:
        return second
    joint: list[tuple[dict[str, float], int]] = []
    words: list[tuple[dict[str, float], int]] = []
    for mark in marks:
        a = analyse(rubric, mark.question, mark.answer)
        score = half_up(mark.points)
        seen = features(rubric.lesson, a.question, a.reading, a.mentions, a.links, a.misconceptions, a.rules)
        joint.append((seen, score))
        words.append((word_features(rubric.lesson, a.question, a.reading, a.mentions), score))
    return SecondReader(_fitted(second.joint, joint), _fitted(second.words, words))


def _fitted(model: Model, examples: Sequence[tuple[dict[str, float], int]]) -> Model:
    weights = dict(model.weights)
    bias = list(model.bias)
    for _ in range(ROUNDS):
        for values, score in examples:
            size = math.sqrt(sum(v * v for v in values.values())) or 1.0
            for k in (0, 1):
                total = bias[k] + sum(weights[name][k] * v for name, v in values.items() if name in weights)
                error = float(score > k) - 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
                bias[k] += RATE * error / size
                for name, value in values.items():
                    pair = weights.get(name, (0.0, 0.0))
                    shipped = model.weights.get(name, (0.0, 0.0))[k]
                    moved = pair[k] + RATE * (error * value / size * 4 - PULL * (pair[k] - shipped))
                    weights[name] = (moved, pair[1]) if k == 0 else (pair[0], moved)
    return Model(weights, (bias[0], bias[1]), model.trained)
