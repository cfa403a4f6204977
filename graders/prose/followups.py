"""Follow-ups: one small question about one link, settled by a run, a choice, or one sentence.

A follow-up is made from its YAML template and a seed, so that grading can make it again and check the reply by
recomputing. The reply to a prediction is compared with what the mutated kernel returns; the engine hands in the run:
`run_mutant(fill, inputs) -> outputs`, arrays by name. Nothing here runs code by itself.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graders import expression
from graders.prose.lexicon import Mentions
from graders.prose.links import read_link
from graders.prose.rubric import FollowUpSpec, ProseRubric
from graders.prose.scopes import read_clauses
from graders.text import Text, same

RunMutant = Callable[[str, dict[str, Any]], Mapping[str, NDArray[Any]]]
Kind = Literal["prediction", "choice", "sentence"]
LETTERS = "abcdefgh"
TRIES = 2  # the second right reply counts half, later ones nothing


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A follow-up made for one learner. `options` belong to a choice; the right one is known to settle() only."""

    id: str
    seed: int
    question: str
    link: str
    kind: Kind
    prompt: Text
    options: tuple[Text, ...] = ()
    right: int = -1
    traps: tuple[str, ...] = ()  # misconception behind each option, "" where there is none
    fill: str | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    ask: str = ""
    tolerance: float = 0.0
    explain: Text = field(default_factory=lambda: Text("", ""))
    values: dict[str, Any] = field(default_factory=dict)
    traps_by_value: tuple[tuple[str, str], ...] = ()  # (expression, misconception) of telling wrong predictions


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a reply. `expected` is shown after the learner has committed."""

    right: bool
    expected: Text
    says: Text
    misconception: str = ""  # the one that the reply repeats


@dataclass(frozen=True, slots=True)
class Reply:
    """One recorded reply, as it stands in answers.md."""

    id: str
    seed: int
    question: str
    reply: str
    time: str = ""
    link: str = ""  # the link it was asked for; empty: the follow-up's first one in the question


def make(rubric: ProseRubric, spec: FollowUpSpec, question: str, link: str, seed: int) -> FollowUp:
    """The follow-up of a template for a question, a link and a seed; the same seed gives the same follow-up."""
    chance = random.Random(f"{rubric.lesson}:{spec.id}:{seed}")
    data = spec.data
    values: dict[str, Any] = dict(chance.choice(data["vary"])) if data.get("vary") else {}
    inputs = {name: _input(part, values, chance) for name, part in (data.get("inputs") or {}).items()}
    values.update({name: _shown(value) for name, value in inputs.items()})
    options: tuple[Text, ...] = ()
    traps: tuple[str, ...] = ()
    right = -1
    if spec.kind == "choice":
        order = list(range(len(spec.options)))
        chance.shuffle(order)
        options = tuple(spec.options[i][0].fill(**values) for i in order)
        traps = tuple(spec.options[i][2] for i in order)
        right = next(at for at, i in enumerate(order) if spec.options[i][1])
    return FollowUp(
        id=spec.id,
        seed=seed,
        question=question,
        link=link,
        kind=spec.kind,
        prompt=spec.prompt.fill(**values),
        options=options,
        right=right,
        traps=traps,
        fill=data.get("fill"),
        inputs=inputs,
        ask=str(data.get("ask", "")),
        tolerance=float(data.get("tolerance", 0.0)),
        explain=spec.explain,
        values=values,
        traps_by_value=spec.traps,
    )


def _input(part: Any, values: Mapping[str, Any], chance: random.Random) -> Any:
    """An input array (float32) or a number: a literal, the name of a varied value, or a mapping that says how to fill."""
    if isinstance(part, str):
        return values[part]
    if isinstance(part, (int, float)):
        return part
    if isinstance(part, list):
        return np.array(_looked_up(part, values), dtype=np.float32)
    shape = [int(_looked_up(n, values)) for n in part["shape"]]
    low, high = int(_looked_up(part.get("low", -9), values)), int(_looked_up(part.get("high", 9), values))
    size = math.prod(shape)
    distinct = high - low + 1 >= size and part.get("distinct", True)
    numbers = (
        chance.sample(range(low, high + 1), size) if distinct else [chance.randint(low, high) for _ in range(size)]
    )
    array = np.array(numbers, dtype=np.float32).reshape(shape)
    for place, value in (part.get("put") or {}).items():
        array.reshape(-1)[int(_looked_up(place, values))] = float(_looked_up(value, values))
    return array


def _looked_up(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_looked_up(v, values) for v in value]
    if isinstance(value, str):
        return values[value] if value in values else float(expression.evaluate(value, dict(values)))
    return value


def _shown(value: Any) -> str:
    """An input as a learner reads it."""
    if not isinstance(value, np.ndarray):
        return str(value)
    flat = value[0] if value.ndim == 2 and value.shape[0] == 1 else value
    return "[" + ", ".join(_number(v) for v in np.asarray(flat).reshape(-1)) + "]"


def _number(value: float) -> str:
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"


def settle(follow_up: FollowUp, reply: str, rubric: ProseRubric, run_mutant: RunMutant | None = None) -> Settled:
    """Compare a reply with what is right: by running the kernel, by the options, or by reading the sentence.

    A prediction with a fill needs `run_mutant`; what it raises is passed on (the environment's fault, not the learner's).
    """
    if follow_up.kind == "choice":
        at = option_index(reply, len(follow_up.options))
        right = at == follow_up.right
        trap = follow_up.traps[at] if at is not None and not right else ""
        expected = follow_up.options[follow_up.right]
        return Settled(right, expected, _says(follow_up, expected), trap)
    if follow_up.kind == "sentence":
        return _sentence(follow_up, reply, rubric)
    value = expected_value(follow_up, run_mutant)
    got = number_in(reply)
    right = got is not None and _close(got, value, follow_up.tolerance)
    trap = ""
    if got is not None and not right:
        for wrong, name in follow_up.traps_by_value:
            if _close(got, float(expression.evaluate(wrong, _names(follow_up))), follow_up.tolerance):
                trap = name
    expected = same(_number(value))
    return Settled(right, expected, _says(follow_up, expected), trap)


def expected_value(follow_up: FollowUp, run_mutant: RunMutant | None) -> float:
    """The number a prediction is about: from the outputs of the mutated kernel, or by arithmetic where nothing runs."""
    names = _names(follow_up)
    if follow_up.fill is not None:
        if run_mutant is None:
            raise ValueError("this follow-up is settled by a run")
        outputs = run_mutant(follow_up.fill, dict(follow_up.inputs))
        names.update({name: np.asarray(array, dtype=np.float64) for name, array in outputs.items()})
    return float(np.asarray(expression.evaluate(follow_up.ask, names)).reshape(-1)[0])


def _names(follow_up: FollowUp) -> dict[str, Any]:
    names: dict[str, Any] = {k: v for k, v in follow_up.values.items() if isinstance(v, (int, float))}
    for name, value in follow_up.inputs.items():
        names[name] = np.asarray(value, dtype=np.float64) if isinstance(value, np.ndarray) else value
    return names


def _close(got: float, want: float, tolerance: float) -> bool:
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if math.isinf(want) or math.isinf(got):
        return got == want
    return abs(got - want) <= max(tolerance, 1e-6) * max(1.0, abs(want)) if tolerance else abs(got - want) < 1e-6


def _says(follow_up: FollowUp, expected: Text) -> Text:
    values = {**follow_up.values, "answer": expected}
    return follow_up.explain.fill(**values)


def _sentence(follow_up: FollowUp, reply: str, rubric: ProseRubric) -> Settled:
    link = rubric.questions[follow_up.question].link(follow_up.link)
    if link is None:
        raise ValueError(f"no link {follow_up.link}")
    state = read_link(link, Mentions(read_clauses(reply), rubric.lexicon)).state
    return Settled(state == "stated", link.says, _says(follow_up, link.says))


_FRACTION = re.compile(r"(-?\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


def number_in(reply: str) -> float | None:
    """The number a reply names: digits, a fraction, NaN, plus or minus infinity; None where there is none or several."""
    text = read_clauses(reply).text.replace("%", " ")
    if re.search(r"\bnan\b|(?<![a-z])nan(?![a-z])", text):
        return math.nan
    if "neginf" in text:
        return -math.inf
    if "posinf" in text or re.search(r"(?<![a-z])inf(?![a-z])", text):
        return math.inf
    fraction = _FRACTION.search(text)
    if fraction and float(fraction.group(2)):
        return float(fraction.group(1)) / float(fraction.group(2))
    found = {float(m.group(0)) for m in _NUMBER.finditer(text)}
    return found.pop() if len(found) == 1 else None


def option_index(reply: str, count: int) -> int | None:
    """The option a reply names by letter or number; None where it names none."""
    word = reply.strip().strip("().。、").lower()
    if len(word) == 1 and word in LETTERS[:count]:
        return LETTERS.index(word)
    if word.isdigit() and 1 <= int(word) <= count:
        return int(word) - 1
    return None


def record(reply: Reply) -> str:
    """One reply as a line of the section `Follow-ups`."""
    body = json.dumps({"reply": reply.reply}, ensure_ascii=False)
    link = f"/{reply.link}" if reply.link else ""
    return f"- {reply.question}/{reply.id}{link} seed={reply.seed} {body} {reply.time}".rstrip()


_LINE = re.compile(r"^\s*[-*]\s*([\w-]+)/([\w-]+)(?:/([\w-]+))?\s+seed=(-?\d+)\s+(\{.*\})\s*(\S*)\s*$")


def parse_records(text: str) -> list[Reply]:
    """The replies of a section `Follow-ups`, in order; lines of another form are skipped."""
    found: list[Reply] = []
    for line in text.splitlines():
        m = _LINE.match(line)
        if not m:
            continue
        try:
            body = json.loads(m.group(5))
        except ValueError:
            continue
        if isinstance(body, dict) and isinstance(body.get("reply"), str):
            found.append(Reply(m.group(2), int(m.group(4)), m.group(1), body["reply"], m.group(6), m.group(3) or ""))
    return found


def askable_links(rubric: ProseRubric, spec: FollowUpSpec, question: str) -> list[str]:
    """The links of a question for which a follow-up may be asked: its own, and those its experiment defends."""
    here = rubric.questions.get(question)
    if here is None:
        return []
    found = [name for q, name in spec.links if q == question]
    for misconception in rubric.misconceptions_of(question):
        if misconception.experiment == spec.id:
            found += [name for name in misconception.refutes if here.link(name) and name not in found]
            found = found or [""]  # an experiment that defends no link of this question still confirms or withdraws
    return found


def settle_all(
    rubric: ProseRubric, replies: Sequence[Reply], run_mutant: RunMutant | None
) -> dict[str, list[tuple[FollowUp, Settled]]]:
    """Recompute recorded replies, by question. Unknown ids, foreign questions and tries beyond the limit are left out."""
    specs = {spec.id: spec for spec in rubric.follow_ups}
    out: dict[str, list[tuple[FollowUp, Settled]]] = {}
    tries: dict[tuple[str, str], int] = {}
    for reply in replies:
        spec = specs.get(reply.id)
        if spec is None:
            continue
        allowed = askable_links(rubric, spec, reply.question)
        if not allowed or (reply.link and reply.link not in allowed):
            continue
        link = reply.link or allowed[0]
        tries[reply.question, reply.id] = tries.get((reply.question, reply.id), 0) + 1
        if tries[reply.question, reply.id] > TRIES:
            continue
        made = make(rubric, spec, reply.question, link, reply.seed)
        out.setdefault(reply.question, []).append((made, settle(made, reply.reply, rubric, run_mutant)))
    return out
