"""Decisions of instructors: what they change, what stays on record, and that the record cannot be rewritten."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from fake_gpu import FakeGpu

from graders.answers import parse
from graders.course import builtin_root, open_course
from graders.errors import BadInput, EnvironmentProblem
from graders.grade import Options, grade
from graders.lesson import Lesson
from graders.review import Grades, key_of
from graders.review_apply import with_decisions
from graders.rubric import RubricSpec
from graders.scorecard import ScoreCard, Veto
from graders.submission import Submission

UNRUN = "unrun-claimed-as-measured"
CAUSAL = "wrong-causal-chain"
RULES = RubricSpec()
ANSWERS = parse("## Q1\nthe zeros are added and change nothing\n## Run output\nRan on H200: PASS\n")
HANDED_IN = Submission("0.0", path="class/ada", sha256="a" * 64, answers=ANSWERS)


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return open_course(builtin_root()).lesson("lesson05")


def graded(lesson: Lesson, handed_in: Submission = HANDED_IN, broken: tuple[str, ...] = ()) -> ScoreCard:
    cpu = FakeGpu(broken, "emulated", "triton-interpreter")
    card = grade(handed_in, lesson, Options(executor=cpu, compile_targets=False))
    # The prose grader has tests of its own: here its part is given.
    answers = {n: replace(a, points=1.0, graded_by="rules", needs_review=n == "q2") for n, a in card.answers.items()}
    points = {**card.points, "explanation": 1.0, "q1": 1.0, "q2": 1.0, "q3": 1.0}
    conditions = {**card.conditions, "boundary_and_tradeoff": True}
    return replace(card, answers=answers, points=points, conditions=conditions, needs_review=("q2",), total=7.0)


@pytest.fixture
def grades(tmp_path: Path) -> Grades:
    return Grades(tmp_path / "grades.sqlite")


def test_marks_and_vetoes_change_the_next_report(lesson: Lesson, grades: Grades) -> None:
    card = graded(lesson)
    assert [v.rule for v in card.vetoes] == [UNRUN] and card.passed is False
    key = grades.add(card, HANDED_IN, lesson, RULES)
    grades.decide_veto(key, UNRUN, "lift", "Ito", "I watched the run")
    grades.decide_points(key, "q2", 2.0, "Ito", "the receiver is named")
    now = with_decisions(card, grades.decisions(key), RULES)
    assert now.vetoes == () and now.points["q2"] == 2.0 and now.total == 8.0 and now.passed is True
    assert now.answers["q2"].graded_by == "instructor" and now.answers["q1"].graded_by == "rules"
    assert now.needs_review == () and now.conditions["no_veto"] is True
    assert grades.standing(key).outcome()["vetoes"] == []  # the record comes to the same
    told = "\n".join(n.en for n in now.submission.notes)
    assert "q2 set to 2 by Ito" in told and "lifted by Ito" in told and "I watched the run" in told


def test_a_veto_that_is_set_fails_whatever_the_total(lesson: Lesson, grades: Grades) -> None:
    card = graded(lesson, replace(HANDED_IN, answers=parse("## Q1\nx\n")))
    key = grades.add(card, HANDED_IN, lesson, RULES)
    for part, most in (("q1", 2.0), ("q2", 2.0), ("q3", 2.0)):
        grades.decide_points(key, part, most, "Ito", "oral exam")
    assert with_decisions(card, grades.decisions(key), RULES).passed is True
    grades.decide_veto(key, CAUSAL, "set", "Ito", "said that the mask skips the sum")
    now = with_decisions(card, grades.decisions(key), RULES)
    assert now.vetoes == (Veto(CAUSAL, "instructor", "said that the mask skips the sum"),)
    assert now.total == 10.0 and now.passed is False
    grades.decide_veto(key, CAUSAL, "lift", "Sato", "second thoughts")
    assert with_decisions(card, grades.decisions(key), RULES).passed is True


def test_points_never_make_a_wrong_kernel_pass(lesson: Lesson, grades: Grades) -> None:
    card = graded(lesson, replace(HANDED_IN, answers=parse("## Q1\nx\n")), ("N = 2",))
    key = grades.add(card, HANDED_IN, lesson, RULES)
    for part, most in (("normal", 2.0), ("boundary", 1.0), ("q1", 2.0), ("q2", 2.0), ("q3", 2.0)):
        grades.decide_points(key, part, most, "Ito", "kind")
    now = with_decisions(card, grades.decisions(key), RULES)
    assert now.total == 10.0 and now.points["normal"] == 2.0
    assert now.conditions["checks"] is False and now.passed is False


def test_nothing_decided_changes_nothing(lesson: Lesson) -> None:
    card = graded(lesson)
    assert with_decisions(card, (), RULES) is card


@pytest.mark.parametrize(
    ("part", "points"), [("q2", 2.5), ("q2", -0.5), ("q2", 0.3), ("q9", 1.0), ("boundary", 1.5), ("q1", float("nan"))]
)
def test_points_that_do_not_fit(lesson: Lesson, grades: Grades, part: str, points: float) -> None:
    key = grades.add(graded(lesson), HANDED_IN, lesson, RULES)
    with pytest.raises(BadInput):
        grades.decide_points(key, part, points, "Ito", "why")
    assert grades.decisions(key) == ()


def test_decisions_need_a_reason_an_author_and_something_to_lift(lesson: Lesson, grades: Grades) -> None:
    key = grades.add(graded(lesson), HANDED_IN, lesson, RULES)
    for author, reason in (("", "why"), ("Ito", "  ")):
        with pytest.raises(BadInput):
            grades.decide_points(key, "q1", 1.0, author, reason)
    with pytest.raises(BadInput):
        grades.decide_veto(key, CAUSAL, "lift", "Ito", "why")
    with pytest.raises(BadInput):
        grades.decide_veto(key, "no-such-rule", "set", "Ito", "why")
    with pytest.raises(BadInput):
        grades.decide_points("f" * 64, "q1", 1.0, "Ito", "why")


def test_a_regrade_is_a_version_and_keeps_the_decisions(lesson: Lesson, grades: Grades) -> None:
    first, second = graded(lesson), graded(lesson, broken=("N = 2",))
    key = grades.add(first, HANDED_IN, lesson, RULES)
    assert grades.add(first, replace(HANDED_IN, path="moved/ada"), lesson, RULES) == key
    assert grades.standing(key).versions == 1  # the same grade again is no new version
    grades.decide_points(key, "q2", 2.0, "Ito", "named")
    newer = Lesson.__new__(Lesson)
    newer.__dict__.update(lesson.__dict__)
    newer.template = lesson.template + "# newer\n"
    assert grades.add(second, HANDED_IN, newer, RULES) == key
    standing = grades.standing(key)
    assert standing.versions == 2 and standing.report["points"]["normal"] == 0.0
    assert [d.name for d in standing.decisions] == ["q2"]
    assert with_decisions(second, grades.decisions(key), RULES).points["q2"] == 2.0
    versions = [e for e in grades.history(key) if e.kind == "graded"]
    assert versions[0].data["versions"] != versions[1].data["versions"]
    grades.undo("Ito", "the new lesson is not ready", key, versions[1].id)
    assert grades.standing(key).report["points"]["normal"] == 2.0
    assert len([e for e in grades.history(key) if e.kind == "graded"]) == 2  # both stand in the record
    with pytest.raises(BadInput):
        grades.undo("Ito", "", key, versions[0].id)


def test_undo_takes_back_the_last_decision_and_is_on_record(lesson: Lesson, grades: Grades) -> None:
    key = grades.add(graded(lesson), HANDED_IN, lesson, RULES)
    grades.decide_points(key, "q1", 2.0, "Ito", "first")
    grades.decide_points(key, "q1", 0.0, "Ito", "second")
    assert grades.undo("Sato", "typing error").reason == "second"
    assert [(d.points, d.reason) for d in grades.decisions(key)] == [(2.0, "first")]
    assert grades.undo("Sato", "no").reason == "first"
    assert grades.decisions(key) == ()
    with pytest.raises(BadInput):
        grades.undo("Sato", "nothing is left")
    kinds = [(e.kind, e.author, e.reason) for e in grades.history(key)]
    assert kinds[1:] == [
        ("points", "Ito", "first"), ("points", "Ito", "second"), ("undo", "Sato", "typing error"), ("undo", "Sato", "no"),
    ]  # fmt: skip
    assert all(e.time > 1.7e9 for e in grades.history(key))


def test_the_file_refuses_to_be_rewritten(lesson: Lesson, grades: Grades) -> None:
    key = grades.add(graded(lesson), HANDED_IN, lesson, RULES)
    grades.decide_points(key, "q1", 2.0, "Ito", "first")
    db = sqlite3.connect(grades.path)
    for statement in (
        "UPDATE entry SET reason = 'x'",
        "DELETE FROM entry",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry",
    ):
        with pytest.raises(sqlite3.DatabaseError), db:
            db.execute("PRAGMA recursive_triggers = ON")
            db.execute(statement)
    assert len(grades.history(key)) == 2


def test_other_answers_or_another_blank_are_another_submission(lesson: Lesson) -> None:
    card = graded(lesson)
    keys = {
        key_of(card, HANDED_IN),
        key_of(card, replace(HANDED_IN, answers=parse("## Q1\nother\n"))),
        key_of(card, replace(HANDED_IN, sha256="b" * 64)),
        key_of(replace(card, submission=replace(card.submission, blank_sha256="c" * 64)), HANDED_IN),
        key_of(replace(card, lesson="lesson07"), HANDED_IN),
    }
    assert len(keys) == 5
    assert key_of(card, replace(HANDED_IN, path="elsewhere")) in keys


def test_finding_by_id_hash_or_path(lesson: Lesson, grades: Grades) -> None:
    one = grades.add(graded(lesson), HANDED_IN, lesson, RULES)
    later = replace(HANDED_IN, sha256="b" * 64)
    two = grades.add(graded(lesson, later), later, lesson, RULES)
    assert grades.find(one[:8]) == one and grades.find("aaaa") == one and grades.find("bbbbbb") == two
    assert grades.find("class/ada") == two == grades.find(str(Path("class/ada").absolute()))
    for name in ("zzzz", one[:3], "class/bob", ""):
        with pytest.raises(BadInput):
            grades.find(name)


def test_a_damaged_record_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "grades.sqlite"
    path.write_bytes(b"no database" * 500)
    with pytest.raises(EnvironmentProblem) as problem:
        Grades(path).history()
    assert "\n" not in problem.value.message("en")
