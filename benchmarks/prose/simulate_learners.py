"""Simulate learners of known understanding through free answer, follow-ups and grading, and print what they get.

    python benchmarks/prose/simulate_learners.py [--seeds 1 2 3] [--lesson lesson05] [--set both] [--all]

Each learner of tests/data/answers/followup_learners.yaml (--set first), of followup_learners_more.yaml (--set more) or
of both writes an answer and replies to what the course then asks, by the rules of followup_replies.yaml, which follow
from the learner's beliefs alone. Predictions are settled by really running the changed kernel on the CPU executor. The
numbers that a belief implies are computed here, by small models of right and mistaken kernels (learner_numbers.py) that
share nothing with the grader. Printed: how many get what they deserve (within half a point), what guessers earn, which
vetoes stand, and every learner who is missed. --all prints every run.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from learner_numbers import NUMBERS, written  # noqa: E402

from graders.answers import Section  # noqa: E402
from graders.lesson import Lesson, load_lesson  # noqa: E402
from graders.prose.asking import wanted, with_follow_ups  # noqa: E402
from graders.prose.followups import (  # noqa: E402
    LETTERS,
    TRIES,
    FollowUp,
    Reply,
    Settled,
    parse_records,
    record,
    settle,
    settle_all,
)
from graders.prose.reader import AnswerReading  # noqa: E402
from graders.prose.rubric import ProseRubric  # noqa: E402
from graders.prose_part import mutants_of, read_one, rubric_of  # noqa: E402

DATA = ROOT / "tests" / "data" / "answers"
SETS = {
    "first": ("followup_learners.yaml",),
    "more": ("followup_learners_more.yaml",),
    "both": ("followup_learners.yaml", "followup_learners_more.yaml"),
}
SEEDS = (1, 2, 3)
GUESSING = ("guesser", "term-lister")
VAGUE = {"en": "that depends on mask, identity and reduction", "zh": "看 mask、单位元和归约"}


# ---- learners and their replies ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Learner:
    """`held`: what is believed by the short names of followup_replies.yaml; None where the learner does not know."""

    id: str
    lesson: str
    question: Section
    lang: str
    understanding: str
    answer: str
    held: dict[str, bool | None]
    score: float
    veto: bool

    @property
    def kind(self) -> str:
        return self.understanding.partition(":")[0]


@cache
def replies_data() -> dict[str, Any]:
    return cast(dict[str, Any], yaml.safe_load((DATA / "followup_replies.yaml").read_text("utf-8")))


@cache
def learners(which: str = "both") -> tuple[Learner, ...]:
    """The learners of a set; a statement without a short name in the replies, or the other way round, raises KeyError."""
    found = []
    for entry in (x for name in SETS[which] for x in yaml.safe_load((DATA / name).read_text("utf-8"))):
        names = {text: name for name, text in replies_data()[entry["lesson"]][entry["question"]]["beliefs"].items()}
        held = {names[b["statement"]]: b["holds"] for b in entry["beliefs"]}
        found.append(
            Learner(
                entry["id"], entry["lesson"], entry["question"], entry["lang"], entry["understanding"], entry["answer"],
                held, float(entry["score"]), entry["veto"],
            )
        )  # fmt: skip
    return tuple(found)


def replies_of(learner: Learner, follow_up: FollowUp) -> list[str]:
    """What the learner replies at each try. KeyError: nobody has decided what is believed about this follow-up."""
    chance = random.Random(f"{learner.id}:{follow_up.id}:{follow_up.seed}")
    says: list[Any] = []
    if learner.kind not in GUESSING:
        own = replies_data()["learners"].get(learner.id, {}).get(follow_up.id)
        rules = [own] if own else replies_data()[learner.lesson][learner.question]["replies"][follow_up.id]
        says = next((rule["says"] for rule in rules if _fits(rule.get("if", ()), learner.held)), [])
    elif learner.kind == "term-lister" and follow_up.kind == "prediction":
        says = [{"words": VAGUE[learner.lang]}]
    lot = {"guess": _offered(learner, follow_up)}
    said: list[str] = []
    for number in range(TRIES):
        if number < len(says):
            what = says[number]
        elif says and isinstance(says[-1], dict) and "guess" in says[-1]:
            what = says[-1]
        elif says and follow_up.kind == "prediction" and learner.kind not in GUESSING:
            what = says[-1]  # a belief that implies a number implies it again
        else:
            what = lot
        said.append(_reply(follow_up, what, said, chance))
    return said


def _fits(conditions: Iterable[str], held: dict[str, bool | None]) -> bool:
    return all((held[c[4:]] is False) if c.startswith("not ") else (held[c] is True) for c in conditions)


def _offered(learner: Learner, follow_up: FollowUp) -> list[str]:
    if follow_up.kind == "choice":
        return [option.en for option in follow_up.options]
    return list(replies_data()[learner.lesson]["guesses"][follow_up.id])


def _reply(follow_up: FollowUp, what: Any, before: list[str], chance: random.Random) -> str:
    if isinstance(what, dict) and "words" in what:
        return str(what["words"])
    if isinstance(what, dict):
        left = [r for r in (_one(follow_up, name) for name in what["guess"]) if r not in before]
        return chance.choice(left or before)
    return _one(follow_up, what)


def _one(follow_up: FollowUp, name: str) -> str:
    """The letter of an option by the beginning of its English text, or the number of a model."""
    if follow_up.kind != "choice":
        return written(NUMBERS[name](follow_up))
    at = [i for i, o in enumerate(follow_up.options) if o.en == name]
    at = at or [i for i, o in enumerate(follow_up.options) if o.en.startswith(name)]
    if len(at) != 1:
        raise KeyError(f"{follow_up.id}: {len(at)} options begin with “{name}”")
    return LETTERS[at[0]]


# ---- the interactive run -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """One learner and seed: the reading of the text, what was asked and replied, the result, and that of answers.md."""

    learner: Learner
    seed: int
    read: AnswerReading
    settled: tuple[tuple[FollowUp, Settled], ...]
    said: tuple[Reply, ...]
    final: AnswerReading
    recorded: AnswerReading

    @property
    def near(self) -> bool:
        """Within half a point of what the learner deserves."""
        return abs(self.final.points - self.learner.score) <= 0.5

    @property
    def same_recorded(self) -> bool:
        """Grading answers.md gives what the session gave."""
        a, b = self.final, self.recorded
        return (a.points, a.vetoes, a.needs_review) == (b.points, b.vetoes, b.needs_review) and [
            (x.id, x.state) for x in a.links
        ] == [(x.id, x.state) for x in b.links]

    @property
    def answered_right(self) -> bool:
        """Every asserted misconception was put to its experiment and answered right there, and no reply repeats one."""
        asserted = [m for m in self.read.misconceptions if m.veto and m.force != "supposed"]
        first: dict[str, Settled] = {}
        for follow_up, outcome in self.settled:
            first.setdefault(follow_up.id, outcome)
        repeated = {m.id for m in asserted} & {s.misconception for _, s in self.settled}
        return not repeated and all(m.experiment in first and first[m.experiment].right for m in asserted)


@cache
def lesson_of(name: str) -> Lesson:
    return load_lesson(ROOT / "lessons" / name)


def _rubric(name: str) -> ProseRubric:
    rubric = rubric_of(lesson_of(name))
    assert rubric is not None
    return rubric


def asked_for(follow_up: FollowUp) -> dict[str, str]:
    return {"link": follow_up.link} if "link" in Reply.__dataclass_fields__ else {}


@cache
def _read(learner_id: str) -> AnswerReading:
    learner = next(x for x in learners() if x.id == learner_id)
    return read_one(lesson_of(learner.lesson), learner.question, learner.answer)


def interview(learner: Learner, seed: int) -> Run:
    """Answer, be asked, reply, be graded: as the session does it, and again from the recorded lines."""
    lesson, rubric = lesson_of(learner.lesson), _rubric(learner.lesson)
    run = mutants_of(lesson).run
    read = _read(learner.id)
    settled: list[tuple[FollowUp, Settled]] = []
    said: list[Reply] = []
    for follow_up in wanted(rubric, read, seed):
        for words in replies_of(learner, follow_up):
            said.append(
                Reply(
                    follow_up.id, follow_up.seed, learner.question, words, "2026-01-01T00:00:00", **asked_for(follow_up)
                )
            )
            settled.append((follow_up, settle(follow_up, words, rubric, run)))
            if settled[-1][1].right:
                break
    final = with_follow_ups(rubric, read, settled) if settled else read
    records = parse_records("\n".join(record(reply) for reply in said))
    again = settle_all(rubric, records, run).get(learner.question, [])
    recorded = read_one(lesson, learner.question, learner.answer, settled=again)
    return Run(learner, seed, read, tuple(settled), tuple(said), final, recorded)


def simulate(lessons: Sequence[str] = (), seeds: Sequence[int] = SEEDS, set: str = "both") -> list[Run]:
    """Every learner of the set and the lessons (all where none is named) with every seed."""
    return [interview(x, seed) for x in learners(set) if not lessons or x.lesson in lessons for seed in seeds]


# ---- figures -------------------------------------------------------------------------------------------------------


def share(runs: Sequence[Run]) -> float:
    return sum(r.near for r in runs) / len(runs) if runs else math.nan


def line(run: Run) -> str:
    """One run in words: what was read, asked and replied, and what came of it."""
    x, r = run.learner, run.read
    asked = " ".join(
        f"{f.id}={said.reply}{'+' if s.right else '-'}{('(' + s.misconception + ')') if s.misconception else ''}"
        for (f, s), said in zip(run.settled, run.said, strict=True)
    )
    links = " ".join(f"{k.id}:{k.state}" for k in r.links if k.state != "missing")
    wrong = " ".join(f"{m.id}({m.force})" for m in r.misconceptions)
    return (
        f"{x.id} seed {run.seed} {x.lesson} {x.question} {x.understanding}: deserves {x.score}, read {r.points}"
        f"{' veto' if r.vetoes else ''}{' review' if r.needs_review else ''}, final {run.final.points}"
        f"{' veto' if run.final.vetoes else ''}{' review' if run.final.needs_review else ''}\n"
        f"      {x.answer}\n      read: {links or '-'} | {wrong or '-'}\n      asked: {asked or '-'}"
    )


def report(runs: Sequence[Run]) -> str:
    """All figures."""
    out = []
    groups = sorted({(r.learner.lesson, r.learner.question) for r in runs})
    out.append(
        f"within half a point: {share(runs):.3f} of {len(runs)} runs, {len({r.learner.id for r in runs})} learners"
    )
    for kind in ("right", "partial", "misconception", "guesser", "term-lister"):
        part = [r for r in runs if r.learner.kind == kind]
        if part:
            vetoes = sum(bool(r.final.vetoes) for r in part)
            earned = sum(r.final.points / r.final.maximum for r in part) / len(part)
            out.append(
                f"  {kind:14} {share(part):.2f} of {len(part)}; text alone "
                f"{sum(abs(r.read.points - r.learner.score) <= 0.5 for r in part) / len(part):.2f}; earned {earned:.2f} of "
                f"the points; vetoes {vetoes}; review {sum(r.final.needs_review for r in part)}"
            )
    for lesson, question in groups:
        part = [r for r in runs if (r.learner.lesson, r.learner.question) == (lesson, question)]
        out.append(f"  {lesson} {question:5} {share(part):.2f} of {len(part)}")
    guessing = [r for r in runs if r.learner.kind in GUESSING]
    if guessing:
        most = max(r.final.points / r.final.maximum for r in guessing)
        out.append(f"guessers and term-listers: most {most:.2f} of the points in one run")
    deserve = [r for r in runs if r.learner.veto]
    out.append(
        f"vetoes where the misconception is held: {sum(bool(r.final.vetoes) for r in deserve)} of {len(deserve)}"
    )
    false = [r for r in runs if r.final.vetoes and (r.answered_right or not r.learner.veto)]
    out.append(f"vetoes of those who answer right or hold none: {len(false)}")
    differ = [r for r in runs if not r.same_recorded]
    out.append(f"answers.md graded otherwise than the session: {len(differ)}")
    for title, some in (
        ("missed", [r for r in runs if not r.near]),
        ("no veto though repeated", [r for r in deserve if not r.final.vetoes]),
        ("false vetoes", false),
        ("recorded differently", differ),
    ):
        out.append(f"\n== {title}: {len(some)} runs, learners {' '.join(sorted({r.learner.id for r in some})) or '-'}")
        out += [line(r) for r in some]
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulated learners through answers and follow-ups.")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--lesson", action="append", default=[])
    parser.add_argument("--set", choices=list(SETS), default="both", help="which learners")
    parser.add_argument("--all", action="store_true", help="print every run")
    options = parser.parse_args()
    runs = simulate(options.lesson, options.seeds, options.set)
    print(report(runs))
    if options.all:
        print("\n== every run", *(line(r) for r in runs), sep="\n")


if __name__ == "__main__":
    main()
