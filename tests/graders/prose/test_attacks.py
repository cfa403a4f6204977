"""Ways to points without understanding: each kind was tried by somebody who had not read the rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graders.prose.reader import MOST_CHARACTERS, read_answer
from graders.prose.rubric import ProseRubric

Get = Callable[[str], ProseRubric]

CHAIN = {
    ("lesson05", "q3"): "other has to be -inf since max(a, -inf) = a, and 0 makes all-negative rows return 0",
    ("lesson07", "impl"): "-inf loses the max and exp(-inf) = 0 adds nothing",
    ("lesson12", "q2"): "on ties > is false, the receiver keeps its own pair and the grid decides who receives",
}
CHAIN_ZH = {
    ("lesson05", "q3"): "要改成 -inf，因为 max(a, -inf) = a，填 0 的话全负的行会得到 0",
    ("lesson12", "q2"): "并列时 > 为假，接收方保留自己的，而谁接收取决于块数",
}
DISOWNED = [
    "The textbook says that {}. The textbook is mistaken here.",
    "My tutor insists that {}. I am convinced he is wrong.",
    "The lesson says that {}. I do not believe it.",
    "Nobody could seriously say that {}.",
    "Suppose that {}. I wonder whether it is so.",
    "If it were so that {}, the answer would follow. In reality this is not what happens.",
]
DISOWNED_ZH = [
    "课文说{}。这话我不信。",
    "课文说{}。我认为课文错了。",
    "假如{}，就会这样。实际上并不会这样。",
    "如果{}，就会这样。是不是这样我不清楚。",
]


@pytest.mark.parametrize(
    ("where", "text"),
    [(where, form.format(chain)) for where, chain in CHAIN.items() for form in DISOWNED]
    + [(where, form.format(chain)) for where, chain in CHAIN_ZH.items() for form in DISOWNED_ZH],
)
def test_what_is_disowned_earns_nothing_unseen(rubric: Get, where: tuple[str, str], text: str) -> None:
    reading = read_answer(rubric(where[0]), where[1], text)
    assert reading.points == 0 or reading.needs_review, reading


@pytest.mark.parametrize(
    ("lesson", "question", "text"),
    [
        ("lesson07", "impl", "float('-inf'). It cannot win the max, and exp(-inf - m) is 0, so the sum is untouched. However exp(-inf) is really 1."),
        ("lesson12-nan", "q1", "线程拿着 (NaN, 下标)，NaN 替换任何数而不被替换，所以它活过两棵树，最后写出下标。不过只要旁边有 +inf，它就会被换掉。"),
        ("lesson05", "q3", "应该改成负无穷，因为 0 会在全负的行里胜出；也应该保持 0，因为 0 在全负的行里不会胜出。看怎么理解。"),
        ("lesson12-nan", "q2", "两个 NaN 相遇时接收方留着自己的，或者换成对方的，或者取下标小的；网格会改变结果，也不会改变结果。"),
        ("lesson12", "q2", "If > were false on ties and the receiver kept its own pair and the grid decided who receives, the index would differ."),
    ],
)  # fmt: skip
def test_a_turn_at_the_end_both_sides_and_a_mere_case_are_looked_at(
    rubric: Get, lesson: str, question: str, text: str
) -> None:
    reading = read_answer(rubric(lesson), question, text)
    assert reading.points == 0 or reading.needs_review


def test_what_others_say_wrongly_takes_nothing_from_a_right_answer(rubric: Get) -> None:
    right = (
        "Fill -inf: it is below every number, so it never wins the max and the padding leaves the result as it is. With 0 a row of "
        "negative numbers returns 0, because 0 is larger than all of them."
    )
    r = rubric("lesson05")
    plain = read_answer(r, "q3", right).points
    assert plain >= 1.5
    assert read_answer(r, "q3", right + " Some say that the masked lanes are skipped, which is wrong.").points >= plain


@pytest.mark.parametrize(
    "text",
    [
        " ".join(map(str, range(200))),
        "0+0=0 " * 40,
        "-1 -2 -3 0 -inf 1 2 3 4 5",
        "NumPy " * 50,
        "不是" * 500,
        "! ? . , ; " * 30,
    ],
)
@pytest.mark.parametrize("lesson", ["lesson05", "lesson07", "lesson12", "lesson12-nan"])
def test_numbers_signs_and_one_word_over_and_over_say_nothing(rubric: Get, lesson: str, text: str) -> None:
    for question in ("q1", "q2", "q3", "impl"):
        assert read_answer(rubric(lesson), question, text).points == 0


def test_a_text_without_end_is_read_in_part_and_looked_at(rubric: Get) -> None:
    text = "One program per row. " * 2000
    reading = read_answer(rubric("lesson05"), "q1", text)
    assert reading.needs_review
    assert any(str(MOST_CHARACTERS) in e.en for e in reading.explanation)
    assert all(link.span[1] <= MOST_CHARACTERS for link in reading.links if link.span)


@pytest.mark.parametrize("lesson", ["lesson05", "lesson07", "lesson12", "lesson12-nan"])
def test_no_misconception_in_its_own_words_earns_a_point_unseen(rubric: Get, lesson: str) -> None:
    r = rubric(lesson)
    earned = [
        (question, m.id, words)
        for question in r.questions
        for m in r.misconceptions_of(question)
        if m.veto
        for words in (m.says.zh, m.says.en)
        for reading in [read_answer(r, question, words)]
        if reading.points > 0 and not reading.needs_review
    ]
    assert earned == []
