"""Groups of waiting answers, the second reading refitted on marks, and what then needs no review any more."""

from __future__ import annotations

from pathlib import Path

from graders.course import open_course
from graders.prose.second import load_second
from graders.review_groups import Mark, Waiting, grouped, minutes_left, refitted, settled_now
from graders.selftest_prose import gold_rows

COURSE = open_course(Path(__file__).resolve().parents[2] / "lessons")
LESSONS = {"lesson05": COURSE.lesson("lesson05")}
LINKS = (("value", "stated"), ("neverwins", "missing"))


def item(
    number: int, text: str, links: tuple[tuple[str, str], ...] = LINKS, confidence: float = 0.5, part: str = "q3"
) -> Waiting:
    return Waiting(f"key{number}", f"s{number}", "lesson05", part, text, 1.0, 2.0, confidence, links)  # type: ignore[arg-type]


def test_alike_answers_with_the_same_links_stand_together() -> None:
    found = grouped(
        [
            item(1, "other must be -inf because max with -inf changes nothing"),
            item(2, "other must be -inf, because a max with -inf changes nothing at all"),
            item(3, "completely different words about registers and warps"),
            item(4, "other must be -inf because max with -inf changes nothing", part="q2"),
        ]
    )
    assert sorted(len(g.items) for g in found) == [1, 1, 2]


def test_chinese_answers_are_compared_by_characters() -> None:
    found = grouped(
        [
            item(1, "填负无穷，因为它不会赢过任何数"),
            item(2, "填负无穷，因为它不会赢过任何一个数"),
            item(3, "寄存器不够用了所以要分块"),
        ]
    )
    assert sorted(len(g.items) for g in found) == [1, 2]


def test_other_links_keep_answers_apart_unless_the_words_are_nearly_the_same() -> None:
    other = (("value", "missing"), ("neverwins", "stated"))
    near = "other must be -inf because nothing is below it and so it never wins"
    far = "other must be -inf because nothing lies under it; the pad loses every comparison, whatever the row"
    assert len(grouped([item(1, near), item(2, near, other)])) == 1
    assert len(grouped([item(1, near), item(2, far, other)])) == 2


def test_the_most_uncertain_group_comes_first_and_names_its_open_links() -> None:
    first, second = grouped([item(1, "alpha beta", confidence=0.9), item(2, "gamma delta epsilon", confidence=0.1)])
    assert first.items[0].key == "key2" and second.items[0].key == "key1" and first.open_links == ["neverwins"]


def test_marks_move_the_second_reading_towards_them() -> None:
    from graders.prose.reader import analyse, what_models_see
    from graders.prose_part import rubric_of

    text = "a sentence about lanes that the rules make little of, with the word neutral in it"
    prose = rubric_of(LESSONS["lesson05"])
    assert prose is not None
    found = analyse(prose, "q3", text)
    seen = what_models_see(prose, found)
    values = seen.words | seen.rules

    def expected(points: float) -> float:
        moved = refitted(LESSONS, [Mark("lesson05", "q3", text, points, 2.0)] * 3)
        return moved.joint.read(values, 2.0).expected

    before = load_second().joint.read(values, 2.0).expected
    assert expected(0.0) < before < expected(2.0)
    assert refitted(LESSONS, []) is load_second()


def test_answers_that_need_no_review_leave_with_their_points() -> None:
    rows = [r for r in gold_rows(LESSONS["lesson05"]) if r["question"] == "q3"]
    items = [item(n, r["answer"]) for n, r in enumerate(rows)]
    out = {i.key: points for i, points in settled_now(LESSONS, items, load_second())}
    assert len(out) >= len(rows) // 2
    right = sum(abs(points - rows[int(key[3:])]["score"]) <= 0.5 for key, points in out.items())
    assert right >= 0.9 * len(out)


def test_the_expected_time_follows_the_instructors_pace() -> None:
    groups = grouped([item(n, word) for n, word in enumerate(("alpha one", "beta two", "gamma three"))])
    assert minutes_left(groups, []) > 0
    assert minutes_left(groups, [60.0, 120.0]) == len(groups) * 90.0 / 60.0
