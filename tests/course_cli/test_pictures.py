"""Pictures of failing cases: what they say is what a run of the learner's own blank showed."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

from course_cli.pictures import draw
from course_cli.pictures.probe import RowRun, twins_of
from course_cli.pictures.rows import lanes_shown, row_picture
from course_cli.pictures.tree import path_of, replay, scan
from graders.course import Course, builtin_root
from graders.executors.pick import pick
from graders.grade import Options, grade
from graders.lesson import Lesson
from graders.submission import Submission
from tests.course_cli.screens import lines_of, screen, widest

COURSE = Course(builtin_root())


def first_picture(
    lesson: Lesson, fill: str, name: str, lang: str = "en", width: int = 80, plain: bool = False
) -> list[str]:
    """The picture of the case `name` after a run of `fill`; empty where there is none."""
    executor = pick(lesson.spec.language, "cpu").executor
    options = Options(backend="cpu", compile_targets=False, executor=executor, grader_seed="a secret of this test")
    card = grade(Submission(fill=fill), lesson, options)
    case = next(c for c in card.cases if c.name == name)
    with screen(lang, width, plain=plain) as console:
        picture = draw(lesson, case, fill, executor, options)
        return [] if picture is None else lines_of(console, picture)


def test_a_row_sum_shows_what_the_padding_adds() -> None:
    lines = first_picture(COURSE.lesson("lesson05"), "1.0", "four rows of 100")
    text = "\n".join(lines)
    assert "28 padding lanes add 28.0 in all" in text
    assert "← your blank: other = 1.0" in text and "│" in text and "-7.361" in text
    assert widest(lines) <= 80


def test_an_undefined_lane_is_no_number() -> None:
    lines = first_picture(COURSE.lesson("lesson05"), "None", "four rows of 100")
    assert any(line.startswith("loaded") and "?" in line and "undefined" in line for line in lines)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [60, 80])
def test_softmax_shows_that_the_padding_wins_on_a_twin_of_a_hidden_row(lang: str, width: int) -> None:
    lesson = COURSE.lesson("lesson07")
    lines = first_picture(lesson, "0.0", "all-negative row", lang, width)
    text = " ".join(line.strip() for line in lines)
    assert ("the padding wins" if lang == "en" else "填充胜出") in text
    assert ("hidden numbers stay hidden" if lang == "en" else "不会显示") in text
    assert "-40" not in text and "-2.0" not in text  # the hidden rows: -2 -5 -1 and -40 -41 -43
    assert widest(lines) <= width


def test_the_picture_in_words() -> None:
    lines = first_picture(COURSE.lesson("lesson07"), "0.0", "all-negative row", plain=True)
    assert "3 lanes hold the row, 1 lanes are padding." in lines
    assert any(line.startswith("row max:") and "the padding wins" in line for line in lines)
    assert not set("".join(lines)) & set("│←→…")


def test_no_picture_without_padding() -> None:
    assert first_picture(COURSE.lesson("lesson07"), "0.0", "N = 128") == []


def test_a_twin_is_short_and_shares_no_random_number() -> None:
    lesson = COURSE.lesson("lesson05")
    case = next(c for c in lesson.spec.cases if c.name == "N = 129, one column too many")
    twins = twins_of(case, 0)
    assert [t.inputs["x"].shape for t in twins][:2] == [(1, 3), (1, 5)]
    assert all(t.inputs["x"].seed != case.inputs["x"].seed for t in twins)
    strided = next(c for c in lesson.spec.cases if c.inputs["x"].strides == (160, 1))
    assert all(t.inputs["x"].strides is None for t in twins_of(strided, 1))


def test_both_ends_of_a_long_row_are_shown() -> None:
    run = RowRun(np.zeros(100), np.zeros((1, 128)), False, np.zeros(1), np.zeros(1), False)
    real, padding = lanes_shown(run, 7)
    assert real == [0, 1, 2, 98, 99] and padding == [100, 101]
    with screen(width=70) as console:
        lines = lines_of(console, row_picture(run, COURSE.lesson("lesson05").spec.picture, "0.0"))  # type: ignore[arg-type]
    assert widest(lines) <= 70


def lexicographic(mv: Any, mi: Any, ov: Any, oi: Any) -> Any:
    return (oi >= 0) & ((mi < 0) | (ov > mv) | ((ov == mv) & (oi < mi)))


def only_greater(mv: Any, mi: Any, ov: Any, oi: Any) -> Any:
    return ov > mv


@pytest.mark.parametrize("launch", [(1, 64), (2, 64), (7, 128), (100, 64), (300, 256)])
def test_the_replay_gives_the_first_maximum_for_the_right_rule(launch: tuple[int, int]) -> None:
    rng = np.random.default_rng(7)
    for n in (1, 2, 31, 33, 257, 1000):
        x = rng.integers(0, 5, n).astype(np.float32)
        x[rng.random(n) < 0.1] = -np.inf
        assert replay(x, launch, False, lexicographic, lambda node: None) == int(np.argmax(x))


def test_the_loop_before_the_tree_keeps_or_skips_nan() -> None:
    x = np.array([np.nan, 1, 3, np.nan], dtype=np.float32)
    assert scan(x, 2, False)[1].tolist() == [2, 1]
    assert scan(x, 2, True)[1].tolist() == [0, 3]


def test_the_path_ends_where_the_right_pair_loses() -> None:
    x = np.zeros(64, dtype=np.float32)
    x[[8, 16]] = 1
    nodes: list[Any] = []
    assert replay(x, (1, 64), False, only_greater, nodes.append) == 16
    path = path_of(nodes, 8)
    assert path[-1].kept.index == 16 and path[-1].dropped.index == 8 and path[-1].step == 8
    assert all(node.kept.index == 8 for node in path[:-1])


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize(("lang", "width"), [("en", 80), ("zh", 60)])
def test_an_argmax_shows_where_the_winner_changed_hands(lang: str, width: int) -> None:
    lines = first_picture(COURSE.lesson("lesson12"), "other_val > vi.val", "a tie of lanes 8 and 16", lang, width)
    text = "\n".join(lines)
    assert (
        "equal values: kept #16, the smaller index is #8" if lang == "en" else "值相等：留下了 #16，较小的下标是 #8"
    ) in text
    assert "lane 8" in text and "◄─8" in text
    assert widest(lines) <= width
