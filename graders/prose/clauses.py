"""Clauses of an answer, and which negations reach which words.

A clause is the unit in which negation is read. What holds over clauses (who says it, is it meant, is it denied from outside)
is marked by scopes.py, which is the way in.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from graders.prose.normalise import Plain

_F = re.IGNORECASE | re.ASCII


@dataclass(slots=True)
class Clause:
    """One clause: half-open span in the plain text, its sentence, and the scopes it stands in."""

    start: int
    end: int
    sentence: int
    text: str
    quoted: bool = False  # somebody else's belief, or a first idea that is given up
    denied: bool = False  # 'it is not true that ...': what is said here is said to be false
    hedged: bool = False
    supposed: bool = False  # inside 'if ... were', 'otherwise': a case, not a claim
    question: bool = False
    plea: bool = False  # words to the grader
    unknown: bool = False  # 'as for PyTorch, no idea': what is said not to be known
    claim_from: int = 0  # offset behind 'it is not true that': its own negation is the denial, counted once


@dataclass(slots=True)
class Reading:
    """An answer as clauses."""

    plain: Plain
    clauses: list[Clause]
    hedged: bool = False  # the whole answer is said without conviction
    admits: bool = False  # 'I do not remember', 'no idea'
    plea: bool = False

    @property
    def said(self) -> str:
        """The plain text without the words to the grader."""
        if not self.plea:
            return self.plain.text
        return "\n".join(c.text for c in self.clauses if not c.plea)

    @property
    def text(self) -> str:
        """The plain text."""
        return self.plain.text

    def clause_at(self, position: int) -> int:
        """Number of the clause at a position of the plain text (the nearest one before it)."""
        found = 0
        for i, clause in enumerate(self.clauses):
            if clause.start > position:
                break
            found = i
        return found


_SENTENCE = re.compile(r"(?:[。?;\n]|!(?![=(a-z]))+|\.(?=\s|$)(?<!\.\.\.)|\.(?=[\u4e00-\u9fff])")
_PAREN = re.compile(r"[(\[][^()\[\]\u4e00-\u9fff]{0,60}[)\]]")
_SPLIT = re.compile(
    r",|(?<=.{9}):(?!:)(?=.{9})|\s—\s|\s--\s|(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])"
    r"|(?=(?<!是)因为|所以|但(?!凡)|于是|因此|从而|导致|而且|不过(?!滤)|否则|然而|反而|而(?=是)|并且)"
    r"|(?= (?:because|so(?! that| far| on| much| called)|but|therefore|which|hence|thus|while|whereas|and then|otherwise|since|yet|and so|then)\b)",
    _F,
)

NEGATION = re.compile(
    r"(?<![分比])不(?!同|分(?:胜|高|上|先|大)|管|仅|只是|光|断|论|妨|过(?!滤)|等式|止|如|得不|对劲|但)|没(?!关系|错)|无(?!穷|论|限|效|序|非)|并非|(?<!无)非(?!负|正|得|常|空|零)|未(?!来)|别(?!人|的|处)|甭"
    r"|避免|防止|免得|免除|\bnot\b(?! only| just)|n't\b(?! (?:just|only|matter))|\bnever\b|\bno\b(?! matter| longer than)|\bwithout\b|instead of|rather than|\bavoid\w*|\bprevent\w*|\bnothing\b"
    r"|\bneither\b|\bnor\b|\bhardly\b|\bnobody\b|\bnone\b|谈不上|拒绝|难以|\bunable\b|\bfail(?:s|ed)? to\b|绝(?!对值)不|毫不|\bstops?\b(?=[^.]{0,20}from)|\bisnt\b|\bkeeps?\b(?=[^.]{0,14}from\b)|\black(?:s|ing)?\b|缺(?:少|乏)|停止",
    _F,
)
# Words that end the reach of a negation to its right.
_BARRIER = re.compile(
    r"而是|\bbut\b|\band\b|因为|because|所以|\bso\b|->|=>|就(?!是)|那么|\bwhich\b|\bthat's\b|\bsince\b|\bhence\b|导致|却|\bthough\b|反而|[()]|\bwhen(?:ever)?\b|\bif\b|\bonce\b|\bunless\b|\bwhere\b",
    _F,
)


def _spaces_as_commas(m: re.Match[str]) -> str:
    """A long Chinese line without any punctuation parts its clauses by blanks."""
    line = m.group(0)
    if len(line) < 30 or re.search(r"[,。;!?]", line) or not re.search(r"[\u4e00-\u9fff]{8}", line):
        return line
    blanks = re.findall(r"(?<=[\u4e00-\u9fff]) | (?=[\u4e00-\u9fff])", line)
    return re.sub(r"(?<=[\u4e00-\u9fff]) | (?=[\u4e00-\u9fff])", ",", line) if len(blanks) <= len(line) // 6 else line


_SAYS_SOMETHING = re.compile(
    r"[=<>]|[是为会就使让把被得变加减填补写读取赢输留换等错对能要有没不]|\b(?:is|are|was|be|\w+s|\w+ed|\w+ing|do|will|would|can|not|n't|get|add|give|win|lose|keep|take|write|load|pad|fill)\b",
    _F,
)


def _joined(cuts: list[int], text: str) -> list[int]:
    """Cut points without those behind a short piece that says nothing: 'NumPy, PyTorch and mine: ...' is one clause."""
    kept = cuts[:1]
    for before, at in itertools.pairwise(cuts):
        piece = text[before:at]
        width = sum(2 if ord(c) > 0x2E7F else 1 for c in piece.strip())
        worded = bool(re.search(r"[\w\u4e00-\u9fff]", piece))
        dull = worded and width <= 16 and not _SAYS_SOMETHING.search(piece) and before == kept[-1]
        if not dull or at == cuts[-1]:
            kept.append(at)
    return kept


def pieces(text: str) -> list[tuple[int, int, int]]:
    """(start, end, sentence) of the clauses."""

    # Commas inside short formulas and tuples do not end a clause, nor do they separate digits.
    def protect(m: re.Match[str]) -> str:
        return m.group(0).replace(",", "\x01").replace(":", "\x02").replace(";", "\x03")

    shielded = _PAREN.sub(protect, text)
    shielded = re.sub(r"[^\n]+", _spaces_as_commas, shielded)
    found: list[tuple[int, int, int]] = []
    sentence, at = 0, 0
    ends = [(m.start(), m.end()) for m in _SENTENCE.finditer(shielded)] + [(len(shielded), len(shielded))]
    for stop, after in ends:
        cuts = [at]
        for m in _SPLIT.finditer(shielded, at, stop):
            cuts += [m.start(), m.end()] if m.end() > m.start() else [m.start()]
        cuts.append(stop)
        cuts = _joined(cuts, shielded)
        any_clause = False
        for a, b in itertools.pairwise(cuts):
            if re.search(r"[\w⊕<>=]", shielded[a:b]):
                found.append((a, b, sentence))
                any_clause = True
        if any_clause:
            sentence += 1
        at = after
    return found


_ADNOMINAL = re.compile(r"[不没无未][\u4e00-\u9fff]{0,4}的(?=[\u4e00-\u9fff a-z])")
_COPULAS = ("不是", "并非", "不再", "不算", "不会", "不能", "无关")
_LACKING = re.compile(
    r"(?:without|no) (?:a |an |any |real |own )*(?:columns?|data|elements?|values?|entry|entries|numbers?|inputs?) (?:\w+ )?"
    r"(?:gets?|got|carry|carries|holds?|receives?|contains?|takes?|are|is|becomes?|returns?|gives?|adds?|brings?)\b",
    _F,
)
_FURTHEST = 160  # characters: more than any reach of words
_SHORT = {"without": 2, "instead of": 3, "rather than": 3}  # words that these reach
_CJK_OR_WORD = re.compile(r"[\u4e00-\u9fff]|[a-z0-9_'.]+|[<>=+*/!-]+", _F)


def negations_before(clause: Clause, at: int, reach: int = 6) -> int:
    """How many negations reach the words at `at` (offset in the clause) from their left."""
    # The nearest negation counts; an earlier one only where the two stand together ('not un...', '不是不').
    count, edge, limit = 0, at, reach
    begin = max(clause.claim_from, at - _FURTHEST)
    for m in reversed(list(NEGATION.finditer(clause.text, begin, max(at, begin)))):
        if _ADNOMINAL.match(clause.text, m.start()) and not clause.text.startswith(_COPULAS, m.start()):
            continue
        gap = clause.text[m.end() : edge]
        if _LACKING.match(clause.text, m.start(), edge):
            continue  # 'the lanes without data get 0': they do get it
        if len(_CJK_OR_WORD.findall(gap)) > _SHORT.get(m.group(0).lower(), reach):
            if m.group(0).lower() in _SHORT:
                continue
            break
        if len(_CJK_OR_WORD.findall(gap)) > limit or _BARRIER.search(gap):
            break
        count, edge, limit = count + 1, m.start(), 1
    return count
