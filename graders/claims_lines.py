"""Lines of a section as they were meant: a line that a terminal or an editor wrapped goes on in the next one."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graders.answers import Answers, Section

MAX_LINES = 5000  # of a section; what stands behind them is not read
WRAPPED = 60  # cells: in a block this wide a full line goes on in the next one
NARROW = 36  # cells: so it does in a narrower block where several lines in a row are full
PERHAPS = 30  # cells: a line this long may go on
MOST = 12  # lines that are taken together
_ENDS = re.compile(r"[:：|]\s*$")
_BEGINS = re.compile(r"^\s*(?:[-*+>|#]|\d{1,2}[.)、]\s|[✓✔✅✗✘❌·…→←!│]|[^\s:：]{1,14}[:：](?:\s|$))")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
# Words of the lesson in a report pasted as JSON.
_DESCRIPTION = re.compile(r'^\s*"(?:about|detail|title|text|words|note|reason|says|feedback)"\s*:')
_REPORT = re.compile(
    r"^\s*(?:[→←!]\s|(?:✗\s*|WRONG:\s*|错误：\s*)?(?:VETO|一票否决)\s|next:|下一步：|(?:note:|注意：)\s*(?:answers\.md|.{0,30}receipt of|.{0,30}的回执))"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with the line on which it begins.

    `report`: from a remark of our own report (advice, a note, a veto), which quotes more than it claims. `joined`: the
    sentence together with the line before or after it, where the line may have been wrapped there.
    """

    text: str
    line: int
    report: bool = False
    joined: str | None = None


def lines(answers: Answers, section: Section) -> Iterator[tuple[int, str]]:
    """(number in the file, text) of each line of a section; what claims nothing (fences, descriptions) comes as empty text."""
    numbers = answers.numbers.get(section, [])
    for i, text in enumerate(answers.get(section).split("\n", MAX_LINES)[:MAX_LINES]):
        number = numbers[i] if i < len(numbers) else answers.lines.get(section, 0)
        yield number, "" if _FENCE.match(text) or _DESCRIPTION.match(text) else text.strip()


def read_sentences(answers: Answers, section: Section, skip: Callable[[str], bool]) -> Iterator[Sentence]:
    """The sentences of a section; lines for which `skip` holds are left out and end what stands before them."""
    before: str | None = None  # the last sentence of the paragraph before, where it may go on
    paragraphs = list(_paragraphs(answers, section, skip))
    for i, pieces in enumerate(paragraphs):
        text, starts = _joined(pieces)
        found = list(_split(text))
        after = paragraphs[i + 1] if i + 1 < len(paragraphs) and _may_go_on(pieces, paragraphs[i + 1]) else None
        for n, (start, sentence) in enumerate(found):
            line = pieces[bisect_right(starts, start) - 1][0]
            joined = None
            if n == len(found) - 1 and after is not None:
                joined = _glue(sentence, next(_split(_joined(after)[0]))[1])
            elif n == 0 and before is not None:
                joined = _glue(before, sentence)
            yield Sentence(sentence, line, _REPORT.match(text) is not None, joined)
        before = found[-1][1] if after is not None and found else None


def split(text: str) -> Iterator[str]:
    """Sentences of a text. A point between digits or inside a name does not end one."""
    return (sentence for _, sentence in _split(text))


def _split(text: str) -> Iterator[tuple[int, str]]:
    for match in re.finditer(r".+?(?:[。！？!?]+|(?<!\d)\.(?=\s|$)|(?<=\d)\.(?=\s+[A-Z]|$)|$)", text):
        if match.group().strip():
            lead = len(match.group()) - len(match.group().lstrip())
            yield match.start() + lead, match.group().strip()


def _paragraphs(answers: Answers, section: Section, skip: Callable[[str], bool]) -> Iterator[list[tuple[int, str]]]:
    """Lines that belong together. Within a block a line was wrapped where the next word would not have fitted."""
    for block in _blocks(answers, section, skip):
        width = max(_cells(text) for _, text in block)
        pieces: list[list[tuple[int, str]]] = [[block[0]]]
        for line in block[1:]:
            if len(pieces[-1]) < MOST and _full(pieces[-1][-1][1], line[1], width):
                pieces[-1].append(line)
            else:
                pieces.append([line])
        for together in pieces:
            if width >= WRAPPED or (width >= NARROW and len(together) > 2):
                yield together
            else:
                yield from ([line] for line in together)


def _blocks(answers: Answers, section: Section, skip: Callable[[str], bool]) -> Iterator[list[tuple[int, str]]]:
    """Lines without an empty line, a list mark, a label or a case between them."""
    block: list[tuple[int, str]] = []
    for number, text in lines(answers, section):
        skipped = not text or skip(text)
        if block and (skipped or _ENDS.search(block[-1][1]) or _BEGINS.match(text)):
            yield block
            block = []
        if not skipped:
            block.append((number, text))
    if block:
        yield block


def _full(text: str, following: str, width: int) -> bool:
    """Whether the next word had no room behind `text`."""
    word = re.match(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+", following)
    room = _cells(word.group()) if word else 0
    return _cells(text) + room + (0 if room == 2 and _wide(following[0]) else 1) > width


def _may_go_on(pieces: list[tuple[int, str]], after: list[tuple[int, str]]) -> bool:
    (number, text), (next_number, following) = pieces[-1], after[0]
    if next_number != number + 1 or _ENDS.search(text) or _BEGINS.match(following):
        return False
    return _cells(text) >= PERHAPS and not re.search(r"[。.!?！？;；]\s*$", text)


def _joined(pieces: list[tuple[int, str]]) -> tuple[str, list[int]]:
    """The text of a paragraph and the place in it at which each of its lines begins."""
    text, starts = "", []
    for _, piece in pieces:
        text = _glue(text, piece) if text else piece
        starts.append(len(text) - len(piece))
    return text, starts


def _glue(a: str, b: str) -> str:
    wide = a and b and _wide(a[-1]) and _wide(b[0])
    return a + ("" if wide else " ") + b


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")


def _cells(text: str) -> int:
    return sum(2 if _wide(c) else 1 for c in text)
