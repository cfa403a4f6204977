"""`course grade --ask DIR`: a sheet of follow-up questions to send back, for a submission that was graded without its learner."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

from course_cli.store import write_file
from graders.prose_part import SECTION_OF, read_one, rubric_of
from graders.text import Lang, Text

if TYPE_CHECKING:
    from graders.lesson import Lesson
    from graders.prose.followups import FollowUp
    from graders.submission import Submission

LETTERS = "abcdefgh"
_HEAD = Text(
    '# {l}: follow-up questions\n\nWrite each reply between the quotes after "reply" (a number, a letter, or one sentence), then copy the lines that begin '
    "with a dash into the section `## Follow-ups` of answers.md and hand it in again.\n",
    '# {l}：追问\n\n请把每题的回复写在 "reply" 后的引号里（数字、字母或一句话），再把以短横线开头的各行抄到 answers.md 的“## Follow-ups（追问）”一节，重新提交。\n',
)


def write_sheet(lesson: Lesson, submission: Submission, folder: Path, lang: Lang) -> Path | None:
    """Write the sheet of one submission; None where there is nothing to ask. Seeds are drawn anew for every sheet."""
    from graders.prose.asking import wanted
    from graders.prose.followups import parse_records

    prose = rubric_of(lesson)
    if prose is None:
        return None
    done = {(r.question, r.id) for r in parse_records(submission.answers.get("follow_ups")) if r.reply.strip()}
    seed = random.SystemRandom().randrange(1, 10**6)
    parts = []
    for section in SECTION_OF.values():
        text = submission.answers.get(section)
        if not text.strip() or section not in prose.questions:
            continue
        asked = [f for f in wanted(prose, read_one(lesson, section, text), seed) if (section, f.id) not in done]
        if asked:
            parts.append(f"## {section}\n\n" + "\n".join(_item(f, lang) for f in asked))
    if not parts:
        return None
    path = _free(folder, _name(submission.path or lesson.id), submission.path or lesson.id)
    mark = f"<!-- {submission.path or lesson.id} -->\n"
    write_file(path, mark + _HEAD.fill(l=lesson.id).pick(lang) + "\n" + "\n".join(parts))
    return path


def _item(follow_up: FollowUp, lang: Lang) -> str:
    from graders.prose.followups import Reply, record

    options = "".join(f"    {letter}) {o.pick(lang)}\n" for letter, o in zip(LETTERS, follow_up.options, strict=False))
    line = record(Reply(follow_up.id, follow_up.seed, follow_up.question, "", link=follow_up.link))
    return f"{follow_up.prompt.pick(lang)}\n\n{options}\n{line}\n"


def _name(path: str) -> str:
    """A file name for the sheet of a submission: its own name, without folders and endings."""
    stem = Path(path.rstrip("/")).name or "submission"
    return re.sub(r"[^\w-]+", "-", stem.rsplit(".", 1)[0]).strip("-")[:80] or "submission"


def _free(folder: Path, name: str, submission: str) -> Path:
    """Where the sheet goes: its own earlier one is replaced, another submission's of the same name is kept."""
    for number in range(1, 10_000):
        path = folder / (f"{name}.md" if number == 1 else f"{name}-{number}.md")
        if not path.exists() or path.read_text(encoding="utf-8").startswith(f"<!-- {submission} -->"):
            return path
    raise AssertionError(name)
