"""The questions: one after the other, several lines each, saved as typed; what was read in an answer is told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.text import Text as Styled

from course_cli import editor, views
from course_cli.i18n import lang, say, t
from course_cli.signs import Sign
from course_cli.workspace import ANSWERS, question_prompt, save_answer
from graders.answers import TITLES, Answers, Section, parse
from graders.errors import CourseError
from graders.submission import read_answers
from graders.text import Text

if TYPE_CHECKING:
    from course_cli.lesson_session.session import Session
    from graders.scorecard import AnswerResult

ASKED: tuple[Section, ...] = ("q1", "q2", "q3", "impl", "boundary", "tradeoff")
# Which part of the rubric a section earns; the other sections decide a condition only.
PART_OF: dict[Section, str] = {"impl": "explanation", "q1": "q1", "q2": "q2", "q3": "q3"}
COMMANDS = (":skip", ":blank", ":text", ":edit", ":help", ":quit")
Ended = Literal["done", "blank", "stop"]
MOST_MISSING = 3  # questions about missing steps that are shown at once


def current_answers(session: Session) -> Answers:
    """answers.md as it stands on disk: the learner may have written it in an editor."""
    path = session.keeper.folder / ANSWERS
    if not path.is_file() or not path.read_bytes().strip():
        return parse("")
    return read_answers(path)


def ask_all(session: Session, chosen: tuple[Section, ...] = ASKED, again: bool = False) -> Ended:
    """Ask for every answer that is missing (`again`: for those chosen, whatever is there)."""
    for number, section in enumerate(chosen, 1):
        have = current_answers(session).get(section)
        if have and not again:
            continue
        ended = _ask_one(session, section, have, f"{number}/{len(chosen)}")
        if ended is not None:
            return ended
    return "done"


def _ask_one(session: Session, section: Section, have: str, count: str) -> Ended | None:
    console, drafts, lesson = session.console, session.keeper.drafts, session.lesson
    title = t(TITLES[section])
    while True:
        session.tell_compiled()
        if session.blank_fails_on_gpu:
            return "blank"
        console.print()
        console.print(views.heading(f"{title}  ({count})"))
        console.print(Styled(t(question_prompt(section, lesson))))
        keys = say(
            "An empty line ends your answer; just Enter leaves it for later. :help lists more.",
            "空行结束回答；直接回车则留到以后。:help 查看更多。",
        )
        console.print(Styled(keys, style="quiet"))

        def toolbar() -> str:
            if drafts.problem is not None:
                return say("not saved: {p}", "未保存：{p}", p=t(drafts.problem))
            return say(
                "saved as you type  empty line: done  Ctrl-X Ctrl-E: editor",
                "边写边存  空行：完成  Ctrl-X Ctrl-E：编辑器",
            )

        question = editor.Question(
            prompt="> ",
            default=drafts.get(section) or have,
            commands=COMMANDS,
            several_lines=True,
            toolbar=toolbar,
            changed=lambda text: drafts.change(section, "" if text.lstrip().startswith(":") else text),
        )
        try:
            text = editor.ask(question)
        except editor.Left:
            return "stop"
        if text.startswith(":") and "\n" not in text:
            ended = _command(session, text, section)
            if ended == "skip":
                return None
            if ended is not None:
                return ended
            continue
        if text and text != have:
            try:
                kept = save_answer(session.keeper.folder / ANSWERS, lesson, section, text, lang(), seen=have)
            except CourseError as problem:  # the draft stays; the learner may free some space and press Enter again
                drafts.change(section, text)
                console.print(views.hanging("warn", t(problem.text)))
                continue
            if kept is not None:
                words = say(
                    "answers.md had changed meanwhile; the other version is kept: {p}",
                    "answers.md 在此期间有改动；另一个版本已保留：{p}",
                    p=kept,
                )
                console.print(views.hanging("warn", words))
        drafts.drop(section)
        if text:
            session.keeper.save()
            try:
                after_answer(session, section, text)
            except editor.Left:
                return "stop"
        return None


def _command(session: Session, text: str, section: Section) -> Ended | Literal["skip"] | None:
    name = text.split()[0]
    if name in (":skip", ":s"):
        return "skip"
    if name in (":blank", ":b"):
        return "blank"
    if name in (":quit", ":q"):
        return "stop"
    if name == ":text":
        session.read_again()
    elif name == ":edit":
        try:
            editor.edit_file(session.keeper.folder / ANSWERS)
        except CourseError as problem:
            session.console.print(views.hanging("warn", t(problem.text)))
        return "skip" if current_answers(session).get(section) else None
    else:
        rows = [
            ("Alt-Enter", say("an empty line inside an answer", "在回答中空一行")),
            (":skip", say("leave this question for later", "这一题留到以后")),
            (":blank", say("back to the blank", "回到填空")),
            (":text", say("the lesson's text again", "重读课文")),
            (":edit", say("open answers.md in $EDITOR", "用 $EDITOR 打开 answers.md")),
            (":quit", say("stop here; everything is saved", "到此为止；一切都已保存")),
        ]
        for command, words in rows:
            session.console.print(f"  {command:11}{words}", markup=False)
    return None


def after_answer(session: Session, section: Section, text: str) -> None:
    """What happens once an answer is saved: it is read at once, and what was found in it is shown.

    The one place where the reading of an answer meets the learner: follow-up questions belong here, after the reading.
    """
    part = PART_OF.get(section)
    card = session.regrade()
    if card is None or part is None:
        session.console.print(Styled(say("saved", "已保存"), style="quiet"))
        return
    show_reading(session, card.answers[part])
    from course_cli.lesson_session.follow_ups import ask_follow_ups

    if ask_follow_ups(session, section, text):
        card = session.regrade()
        if card is not None:
            show_reading(session, card.answers[part], feedback=False)


def show_reading(session: Session, read: AnswerResult, *, feedback: bool = True) -> None:
    """Points and feedback of one answer; each sentence carries the sign of what was found."""
    console = session.console
    if read.graded_by == "none":
        console.print(Styled(say("saved", "已保存"), style="quiet"))
    else:
        words = say(
            "saved and read: {p} of {m} points",
            "已保存并批阅：{p} / {m} 分",
            p=f"{read.points:g}",
            m=f"{read.maximum:g}",
        )
        console.print(Styled(words, style="head"))
    missing = 0
    for sentence in read.feedback if feedback else ():
        sign = _sign_of(sentence)
        missing += sign == "none"
        if sign != "none" or missing <= MOST_MISSING:
            console.print(views.hanging(sign, t(sentence), indent=2))
    if missing > MOST_MISSING:
        words = say("… {n} more steps are missing", "… 另有 {n} 个环节还没有说到", n=missing - MOST_MISSING)
        console.print(Styled(f"  {words}", style="quiet"))


def _sign_of(feedback: Text) -> Sign:
    """The sign of a sentence of the prose grader, by the sentence that it was made of."""
    from graders.prose import feedback as sentences

    made_of = feedback.made_of[0] if feedback.made_of else feedback
    signs: tuple[tuple[Text, Sign], ...] = (
        (sentences.STATED, "pass"),
        (sentences.MISSING, "none"),
        (sentences.AGAINST, "fail"),
        (sentences.WRONG, "fail"),
        (sentences.UNSURE, "unknown"),
    )
    return next((sign for text, sign in signs if text == made_of), "warn")
