"""Follow-ups after an answer: predict, run, explain. Each reply is recorded in answers.md before the next is asked for."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from rich.text import Text as Styled

from course_cli import editor, views
from course_cli.i18n import lang, say, t
from course_cli.workspace import ANSWERS, save_answer
from graders.answers import Section
from graders.errors import EnvironmentProblem
from graders.submission import read_answers
from graders.text import Text

if TYPE_CHECKING:
    from course_cli.lesson_session.session import Session
    from graders.prose.followups import FollowUp
    from graders.prose.rubric import ProseRubric

LETTERS = "abcdefgh"


def ask_follow_ups(session: Session, section: Section, text: str) -> bool:
    """Ask what is open after an answer; returns whether anything was asked. Enter alone skips a question."""
    from graders.prose.asking import wanted
    from graders.prose.followups import TRIES, Reply, parse_records, record, settle
    from graders.prose_part import mutants_of, read_one, rubric_of

    prose = rubric_of(session.lesson)
    if prose is None or section not in prose.questions:
        return False
    replies = parse_records(_recorded(session))
    done = {(r.question, r.id) for r in replies}
    seed = next((r.seed for r in replies), None)
    seed = random.SystemRandom().randrange(1, 10**6) if seed is None else seed
    reading = read_one(session.lesson, section, text)
    asked = False
    for follow_up in wanted(prose, reading, seed):
        if (section, follow_up.id) in done:
            continue
        _show(session, prose, follow_up, first=not asked)
        asked = True
        for number in range(1, TRIES + 1):
            reply = _readable_reply(session, follow_up)
            if not reply:
                break
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
            _append(session, record(Reply(follow_up.id, follow_up.seed, section, reply, stamp, follow_up.link)))
            if follow_up.kind == "prediction" and follow_up.fill is not None:
                session.console.print(Styled(say("running it …", "正在运行……"), style="quiet"))
            try:
                outcome = settle(follow_up, reply, prose, mutants_of(session.lesson).run)
            except EnvironmentProblem as problem:
                session.console.print(views.hanging("warn", t(problem.text), indent=2))
                break
            if outcome.right:
                session.console.print(views.hanging("pass", t(outcome.says), indent=2))
                break
            if number < TRIES:
                left = say("Not quite. One more try; it counts half.", "不太对。还可再试一次，计一半。")
                session.console.print(views.hanging("fail", left, indent=2))
            else:
                session.console.print(views.hanging("fail", t(outcome.says), indent=2))
    return asked


def _reply(session: Session) -> str:
    """What was typed; empty to skip. A `:command` is no reply: `:quit` leaves the lesson."""
    while True:
        reply = editor.ask(editor.Question(prompt="> ", commands=(":skip", ":quit")))
        if not reply.startswith(":"):
            return reply
        if reply.split()[0] in (":quit", ":q"):
            raise editor.Left
        if reply.split()[0] in (":skip", ":s"):
            return ""
        words = say(
            "Enter or :skip leaves this one out, :quit stops here.", "回车或 :skip 跳过这一题，:quit 到此为止。"
        )
        session.console.print(Styled(words, style="quiet"))


def _readable_reply(session: Session, follow_up: FollowUp) -> str:
    """A reply of the kind that is asked for; what is no number or no letter costs nothing and is asked for again."""
    from graders.prose.followups import number_in, option_index

    while True:
        reply = _reply(session)
        if not reply or follow_up.kind == "sentence":
            return reply
        if follow_up.kind == "prediction" and number_in(reply) is None:
            words = say("Type one number (or nan, inf); Enter skips.", "请输入一个数（或 nan、inf）；回车跳过。")
        elif follow_up.kind == "choice" and option_index(reply, len(follow_up.options)) is None:
            last = LETTERS[len(follow_up.options) - 1]
            words = say("Type a letter from a to {z}; Enter skips.", "请输入 a 到 {z} 中的一个字母；回车跳过。", z=last)
        else:
            return reply
        session.console.print(views.hanging("warn", words, indent=2))


def _show(session: Session, prose: ProseRubric, follow_up: FollowUp, *, first: bool) -> None:
    console = session.console
    if first:
        console.print(
            Styled(
                say(
                    "A small question about it (Enter skips and costs nothing; a wrong reply can):",
                    "就此再问一小题（回车跳过，不扣分；答错可能扣分）：",
                ),
                style="head",
            )
        )
    kinds = {
        "prediction": Text("Predict: ", "预测："),
        "choice": Text("Choose: ", "选择："),
        "sentence": Text("In one sentence: ", "用一句话："),
    }
    console.print(Styled("  " + t(kinds[follow_up.kind]) + t(follow_up.prompt)))
    for letter, option in zip(LETTERS, follow_up.options, strict=False):
        console.print(Styled(f"    {letter}) {t(option)}"))


def _recorded(session: Session) -> str:
    path = session.keeper.folder / ANSWERS
    if not path.is_file() or not path.read_bytes().strip():
        return ""
    found = read_answers(path)
    return found.get("follow_ups")


def _append(session: Session, line: str) -> None:
    before = _recorded(session)
    text = f"{before}\n{line}" if before else line
    save_answer(session.keeper.folder / ANSWERS, session.lesson, "follow_ups", text, lang(), seen=before)
