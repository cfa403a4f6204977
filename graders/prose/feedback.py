"""What the learner is told about an answer: what was read, what is asked next, what is contradicted and why."""

from __future__ import annotations

from graders.prose.decide import Decision
from graders.prose.links import LinkReading
from graders.prose.misconceptions import MisconceptionReading
from graders.prose.rubric import Question
from graders.prose.score import RuleScore
from graders.text import Text

STATED = Text("Read: {says}. In your words: “{words}”", "读到：{says}。你的原话：“{words}”")
MISSING = Text("Not found yet: {ask}", "还没有读到：{ask}")
AGAINST = Text("This says the opposite of “{says}”: “{words}”", "这与“{says}”相反：“{words}”")
UNSURE = Text("Said both ways: “{words}”. {ask}", "前后说法不一：“{words}”。{ask}")
WRONG = Text("“{words}”: {feedback}", "“{words}”：{feedback}")
TERMS = Text(
    "This is a list of terms. Say what causes what.",
    "这是一串术语。请说出什么导致什么。",
)
OFF_TOPIC = Text("This does not speak of what is asked.", "这没有谈到所问的内容。")
RESTATED = Text("This repeats the question. Say why.", "这是在重复题目。请说出原因。")
EMPTY = Text("There is no answer yet.", "还没有作答。")
REVIEW = Text("A person will look at this answer.", "这个回答会由人再看一遍。")


def short(words: str, limit: int = 90) -> str:
    """Quoted words in one line; the middle of long ones is left out."""
    line = " ".join(words.split())
    return line if len(line) <= limit else f"{line[: limit // 2]} … {line[-limit // 2 :]}"


def feedback_of(
    question: Question,
    links: list[LinkReading],
    misconceptions: list[MisconceptionReading],
    rules: RuleScore,
    decision: Decision,
) -> list[Text]:
    """Sentences for the learner, in the order in which they help."""
    out: list[Text] = []
    for m in misconceptions:
        if m.force != "supposed":
            out.append(WRONG.fill(words=short(m.words), feedback=m.feedback))
    if "term-list" in rules.caps:
        out.append(TERMS)
    if "off-topic" in rules.caps:
        out.append(OFF_TOPIC)
    if "copied-question" in rules.caps:
        out.append(RESTATED)
    for reading in links:
        link = question.link(reading.id)
        if link is None:
            continue
        if reading.state == "stated":
            out.append(STATED.fill(says=link.says, words=short(reading.words)))
        elif reading.state == "contradicted":
            out.append(AGAINST.fill(says=link.says, words=short(reading.words)))
        elif reading.state == "uncertain":
            out.append(UNSURE.fill(words=short(reading.words), ask=link.ask))
        elif decision.points < question.maximum:
            out.append(MISSING.fill(ask=link.ask))
    if decision.needs_review:
        out.append(REVIEW)
    return out
