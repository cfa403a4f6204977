"""What was handed in: the blank's text, edits outside of it, the answers.

The learner's own file never runs: only the text of the blank is taken from it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graders.answers import Answers, parse
from graders.errors import BadInput, Where
from graders.text import Text

if TYPE_CHECKING:
    from graders.evidence import Receipt

MAX_BYTES = 2_000_000
CODE_SUFFIXES = (".py", ".cu")


@dataclass(frozen=True, slots=True)
class EditNote:
    """A difference from the pristine template outside of the blank; `veto` where it removes or weakens a check."""

    where: str
    text: Text
    quote: str
    veto: bool


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """What a code cell of a notebook shows as its output.

    `role` is check, exercise or setup where the cell holds the lesson's own code (with the learner's blank), else `own`.
    `real` is what the same code printed when it was run here; None where it was not run.
    """

    place: Text
    text: str
    role: str
    lang: str = "en"
    real: str | None = None


@dataclass(frozen=True, slots=True)
class Misfit:
    """Where the exercise of a notebook stops fitting the template (line and column in its cell), and why."""

    reason: Text
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission. `fill` is the blank's text as typed; empty where it was left unfilled."""

    fill: str
    path: str | None = None
    sha256: str | None = None
    answers: Answers = field(default_factory=Answers)
    edits: tuple[EditNote, ...] = ()
    notes: tuple[Text, ...] = ()
    independent: bool | None = None
    stored: tuple[StoredOutput, ...] = ()  # outputs that a notebook shows
    misfit: Misfit | None = None  # why no blank could be taken from it, although its answers are graded
    notebook_lang: str | None = None  # the language of a notebook that can be run again; None for other files
    receipts: tuple[Receipt, ...] = ()
    verified_on: str = ""  # the GPU on which `course verify` came to the same verdict for this blank; "" where none did


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """A file's bytes with every ordinary problem told in one line."""
    try:
        if path.is_dir():
            raise BadInput(Text("is a folder, a file was expected", "是文件夹，应为文件"), Where(str(path)))
        size = path.stat().st_size
        if size > most:
            text = Text("is {n} MB large; a submission has at most {m} MB", "大小为 {n} MB；提交文件不得超过 {m} MB")
            raise BadInput(text.fill(n=size // 1_000_000, m=most // 1_000_000), Where(str(path)))
        if not path.is_file():
            raise BadInput(Text("is not a regular file", "不是普通文件"), Where(str(path)))
        raw = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(Text("no such file", "文件不存在"), Where(str(path))) from None
    except OSError as error:
        raise BadInput(
            Text("cannot be read: {e}", "无法读取：{e}").fill(e=error.strerror or error), Where(str(path))
        ) from None
    if not raw.strip():
        raise BadInput(
            Text(
                "the file is empty: save your work into it, then grade it again",
                "文件为空：请先把内容保存到其中，再评分",
            ),
            Where(str(path)),
        )
    return raw


def read_answers(path: Path) -> Answers:
    """answers.md from disk; raises BadInput."""
    from graders.template_diff import read_text

    return parse(read_text(read_bytes(path), str(path)))


def sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
