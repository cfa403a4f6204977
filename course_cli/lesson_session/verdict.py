"""What a run of the cases came to: one line, and the first failing case drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text as Styled

from course_cli import views
from course_cli.i18n import say, t

if TYPE_CHECKING:
    from course_cli.lesson_session.session import Session
    from graders.scorecard import ScoreCard


def show_verdict(session: Session, card: ScoreCard) -> None:
    """After the lines of the cases: how many are right, what the first failure looks like, where it was run."""
    console = session.console
    ran = [c for c in card.cases if c.outcome != "not-run"]
    failing = [c for c in ran if c.outcome in views.FAILING]
    if not ran:
        console.print(views.hanging("warn", say("nothing could be run here", "此机器上无法运行")))
        if card.evidence.note is not None:
            console.print(Styled(t(card.evidence.note), style="quiet"))
        return
    if not failing:
        words = say("all {n} cases are right", "全部 {n} 个用例正确", n=len(ran))
        console.print(views.hanging("pass", Styled(words, style="good")))
        console.print(Styled(views.evidence_line(card.evidence).plain, style="quiet"))
        return
    words = say(
        "{p} of {n} cases are right. The first that is not:",
        "{n} 个用例中 {p} 个正确。第一个不对的：",
        p=len(ran) - len(failing),
        n=len(ran),
    )
    console.print()
    console.print(views.hanging("fail", Styled(words)))
    from course_cli.pictures import draw_first

    console.print(draw_first(session.lesson, card, session.card_fill, session.loader.executor, session.options()))
