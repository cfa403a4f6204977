"""Every link, said in many ways, is read; denied or reversed, it never is. In both languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from graders.prose.reader import analyse, language_of, read_answer
from graders.prose.rubric import ProseRubric

PROBES = yaml.safe_load((Path(__file__).parent / "data" / "probes.yaml").read_text(encoding="utf-8"))
# Ways that the lexicon does not know yet; they are listed so that the rest stays a promise.
UNREAD = 0.03

Get = Callable[[str], ProseRubric]


def _cases(kind: str) -> list[tuple[str, str, str, str]]:
    return [(p["lesson"], p["question"], p["link"], text) for p in PROBES for text in p[kind]]


@pytest.mark.parametrize(("lesson", "question", "link", "text"), _cases("denied"))
def test_a_denied_or_reversed_link_is_not_stated(rubric: Get, lesson: str, question: str, link: str, text: str) -> None:
    found = analyse(rubric(lesson), question, text)
    state = next(x.state for x in found.links if x.id == link)
    misconceived = any(m.force == "asserted" for m in found.misconceptions) and found.rules.points == 0
    assert state != "stated" or misconceived


def test_links_are_read_in_many_ways(rubric: Get) -> None:
    cases = _cases("stated")
    unread = []
    for lesson, question, link, text in cases:
        found = analyse(rubric(lesson), question, text)
        state = next(x.state for x in found.links if x.id == link)
        if state != "stated" or any(m.veto and m.force == "asserted" for m in found.misconceptions):
            unread.append((lesson, question, link, text))
    assert len(unread) <= UNREAD * len(cases), unread


def test_core_links_have_probes_in_both_languages(rubric: Get) -> None:
    """A link that decides points is probed both ways, in Chinese and in English."""
    without = []
    for lesson in ("lesson05", "lesson07", "lesson12", "lesson12-nan"):
        for question in rubric(lesson).questions.values():
            for link in question.links:
                texts = [t for p in PROBES if (p["lesson"], p["link"]) == (lesson, link.id) for t in p["stated"]]
                denied = [t for p in PROBES if (p["lesson"], p["link"]) == (lesson, link.id) for t in p["denied"]]
                if link.core and {language_of(t) for t in texts} != {"zh", "en"}:
                    without.append((lesson, question.id, link.id, "stated"))
                if link.core and link.id not in NO_DENIAL and {language_of(t) for t in denied} != {"zh", "en"}:
                    without.append((lesson, question.id, link.id, "denied"))
    assert without == []


# These say what happens without the step or what is decided (a value, a policy): their denial is another answer, read
# as a missing link or as a misconception, not as the link denied.
NO_DENIAL = {"halving", "overflow", "fillinf", "policy", "notie"}


@pytest.mark.parametrize(
    ("lesson", "question", "text"),
    [
        ("lesson05", "q1", "补位的 lane 是 0，tl.sum 把 128 个都加了，但加 0 会改变总和，最后把和写到 out[row]。"),
        ("lesson05", "q1", "Padded lanes are 0 and all lanes are summed; adding 0 changes the sum. One scalar goes to out[row]."),
        ("lesson05", "q3", "填 -inf。全负的一行里 0 不会成为最大值，而 -inf 会赢。"),
        ("lesson05", "q3", "Use -inf. In an all-negative row the 0 never wins, while -inf wins every comparison."),
        ("lesson07", "q2", "补的 0 不会成为最大值，exp(0) 是 0，分母不受影响，概率没有变。"),
        ("lesson07", "q2", "The padded 0 does not become the max, exp(0) is 0, the denominator is unaffected and nothing changes."),
        ("lesson12", "q2", "相等时 > 为真，接收方换成对方的；划分不会改变谁是接收方。"),
        ("lesson12", "q2", "On a tie > is true and the other pair replaces the receiver's; the partition does not change who receives."),
        ("lesson12", "q3", "np.argmax 会忽略 NaN，torch.argmax 会跳过 NaN，因为 NaN 和任何数比较都为真。我的 kernel 也一样。"),
        ("lesson12", "q3", "np.argmax ignores NaN, torch.argmax ignores NaN, because every comparison with NaN is true. So does my kernel."),
    ],
)  # fmt: skip
def test_a_chain_turned_round_does_not_keep_the_points(rubric: Get, lesson: str, question: str, text: str) -> None:
    reading = read_answer(rubric(lesson), question, text)
    assert reading.points < reading.maximum
    assert reading.points <= 1.0
