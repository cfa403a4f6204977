"""How a spelling of the lexicon is matched.

A spelling is plain words with four marks: `(a|b)` alternatives, `?` after a group or a Chinese character makes it
optional, `*` after a Latin word stands for any ending (after a group: any number of times), ` .. ` for a short gap
inside the clause (`..8` sets its length); `[abc]`, `(?!...)` and `\\.` mean what they mean in expressions. `re: ` in front takes the rest as a regular expression. Latin words match at word boundaries only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_F = re.IGNORECASE | re.ASCII
_EDGE = r"(?:(?<![a-z0-9_])|(?![a-z0-9_]))"
_TOKEN = re.compile(
    r"(\(\?(?:<?[!=]|:)|\\.[*+]?|\[\^?[^\]]+\][*+]?|[*+](?<=\)[*+]))|\s*\.\.(\d*)\s*|([a-z0-9_']+)\*|([a-z](?:[a-z0-9_']*[a-z0-9_'])?\??)|(\()|(\))|(\|)|(\?)|(\s+)|(.)",
    _F | re.DOTALL,
)
# A gap never runs over a negation: 'the store does not remove' is not 'the store .. remove'.
_NO_NEGATION = r"(?!不(?!同|管|断)|没|未(?!来)|并非|\bnot\b|n't|\bnever\b|\bno\b|\bwithout\b|\bnothing\b)"
_CJK = re.compile(r"[\u4e00-\u9fff]")
_MARKS = re.compile(r"[()|?*\[\\]|\.\.")
_WORDS = re.compile(r"[a-z0-9_']+|[^\sa-z0-9_'-]+|-+")


def spelling_pattern(spelling: str) -> str:
    """The regular expression of one spelling. Raises re.error where groups do not close."""
    if spelling.startswith("re:"):
        return f"(?:{spelling[3:].strip()})"
    out: list[str] = []
    chinese = bool(_CJK.search(spelling))
    spelling = spelling.strip().lower()
    for m in _TOKEN.finditer(spelling):
        raw, gap, stem, word, opening, closing, bar, optional, blank, char = m.groups()
        if raw:
            out.append(raw)
        elif gap is not None:
            length = int(gap) if gap else (13 if chinese else 40)
            out.append(rf"(?:{_NO_NEGATION}(?:[^,;.:。!?\n]|\.(?=\d))){{0,{length}}}?")
        elif stem:
            out.append(_word_start(spelling, m.start()) + re.escape(stem) + r"\w*")
        elif word:
            # Latin words stand alone, also inside alternatives; a final `?` belongs to the last letter.
            tail = "?" if word.endswith("?") else ""
            edge = "" if _goes_on(spelling, m.end()) else r"(?![a-z0-9_])"
            # Beside Chinese a blank may or may not stand: '剩下的lane', '剩下的 lane'.
            lead, trail = _blanks(spelling, m.start(), m.end()) if chinese else ("", "")
            out.append(lead + _word_start(spelling, m.start()) + re.escape(word.rstrip("?")) + tail + edge + trail)
        elif opening:
            out.append("(?:")
        elif closing or bar or optional:
            out.append(closing or bar or "?")
        elif blank:
            out.append(r"[\s-]*" if chinese else r"[\s-]+")
        else:
            out.append(re.escape(char))
    body = "".join(out)
    # Words carry their own boundaries; a digit at either end needs one of the whole.
    start = _EDGE if spelling[:1].isdigit() else ""
    end = _EDGE if spelling[-1:].isdigit() else ""
    return f"{start}(?:{body}){end}"


def _word_start(spelling: str, at: int) -> str:
    """The boundary in front of a Latin word, unless it goes on from what stands before it."""
    if spelling.startswith("n't", at):
        return ""
    before, i = spelling[at - 1 : at], at - 1
    if before in ("(", "|"):
        # The first word of an alternative: what counts is the character in front of the group.
        depth = 0
        while i >= 0 and not (spelling[i] == "(" and depth == 0):
            depth += {")": 1, "(": -1}.get(spelling[i], 0)
            i -= 1
        before = spelling[i - 1 : i] if i > 0 else ""
    if before == "?" and spelling[i - 1 : i] == ")" and i == at - 1:
        return ""
    joined = before and (before in ")]'\\" or (before.isalnum() and before.isascii()))
    return "" if joined else r"(?<![a-z0-9_])"


def _blanks(spelling: str, start: int, end: int) -> tuple[str, str]:
    """Optional blanks around a Latin word of a Chinese spelling, where a Chinese character or a group is its neighbour."""
    before, after = spelling[start - 1 : start] if start else "", spelling[end : end + 1]
    lead = " ?" if before and (before in "(|)?" or _CJK.match(before)) and start > 0 else ""
    trail = " ?" if after and (after in "()|" or _CJK.match(after)) else ""
    return lead, trail


def _goes_on(spelling: str, end: int) -> bool:
    """Whether letters follow a Latin word in its spelling, directly or behind the group that it ends."""
    after, i = spelling[end : end + 1], end
    if after in ("|", ")"):
        depth = 0
        while i < len(spelling) and not (spelling[i] == ")" and depth == 0):
            depth += {"(": 1, ")": -1}.get(spelling[i], 0)
            i += 1
        i += 1
        if spelling[i : i + 1] == "?":
            i += 1
        after = spelling[i : i + 1]
    return bool(after) and (after in "(*[\\'" or (after.isalnum() and after.isascii()))


@dataclass(slots=True)
class Matcher:
    """Alternatives, longest first, as `re` would match them joined by `|`; each is compiled when a text may need it.

    A spelling can only match where one of its needles stands in the text. So a lexicon of thousands of spellings costs
    an answer a look for their needles, and the few expressions that are left.
    """

    spellings: list[str]
    _needles: list[tuple[str, int]] | None = None
    _always: list[int] = field(default_factory=list)
    _compiled: dict[int, re.Pattern[str]] = field(default_factory=dict)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the spellings stand in a plain text, from left to right, without overlap; matches of nothing are left out."""
        if self._needles is None:
            self._prepare()
        assert self._needles is not None
        lowered = text.lower()
        wanted = {at for needle, at in self._needles if needle in lowered}
        wanted.update(self._always)
        heads = [(m.start(), at, m.end()) for at in wanted if (m := self._expression(at).search(text))]
        found: list[tuple[int, int]] = []
        while heads:
            start, _, end = min(heads)
            if end > start:
                found.append((start, end))
            after = max(end, start + 1)
            heads = [head for head in self._moved(heads, after, text) if head is not None]
        return found

    def _moved(self, heads: list[tuple[int, int, int]], after: int, text: str) -> Iterator[tuple[int, int, int] | None]:
        """The next match of each alternative from a position on."""
        for head in heads:
            if head[0] >= after:
                yield head
            else:
                m = self._expression(head[1]).search(text, after)
                yield (m.start(), head[1], m.end()) if m else None

    def _prepare(self) -> None:
        self.spellings = sorted(self.spellings, key=len, reverse=True)
        self._needles = []
        for at, spelling in enumerate(self.spellings):
            needles = needles_of(spelling)
            self._needles += [(needle, at) for needle in needles]
            if not needles:
                self._always.append(at)

    def _expression(self, at: int) -> re.Pattern[str]:
        if at not in self._compiled:
            self._compiled[at] = re.compile(spelling_pattern(self.spellings[at]), _F)
        return self._compiled[at]


def needles_of(spelling: str) -> tuple[str, ...]:
    """Literals one of which stands in every text that the spelling matches; none where there is no such list."""
    if spelling.startswith("re:"):
        return ()
    if not _MARKS.search(spelling):
        # Plain words, as most spellings are.
        return (max(_WORDS.findall(spelling.lower()), key=_weight),)
    return _Needles(spelling.strip().lower()).best


class _Needles:
    """Reads a spelling for the literals that it cannot do without."""

    def __init__(self, spelling: str) -> None:
        self._tokens = list(_TOKEN.finditer(spelling))
        self._at = 0
        sequences = self._alternatives()
        self.best = _any_of(sequences)

    def _alternatives(self) -> list[list[tuple[str, ...]]]:
        """Alternatives up to the closing bracket, each as what it needs: a list of 'one of these literals'."""
        found: list[list[tuple[str, ...]]] = [[]]
        run = ""

        def close() -> None:
            nonlocal run
            if run:
                found[-1].append((run,))
            run = ""

        while self._at < len(self._tokens):
            raw, gap, stem, word, opening, closing, bar, optional, _blank, char = self._tokens[self._at].groups()
            self._at += 1
            if closing:
                break
            if opening or (raw and raw.startswith("(?")):
                close()
                inner = _any_of(self._alternatives())
                if raw in (None, "(?:") and not self._may_be_left_out() and inner:
                    found[-1].append(inner)
            elif bar:
                close()
                found.append([])
            elif optional:
                # The character in front of it may be missing.
                run = run[:-1]
                close()
            elif stem or word:
                close()
                literal = stem or (word[:-2] if word.endswith("?") else word)
                if literal:
                    found[-1].append((literal,))
            elif char and not gap:
                run += char
            else:
                close()
        close()
        return found

    def _may_be_left_out(self) -> bool:
        """Whether `?` or `*` follows a group."""
        if self._at >= len(self._tokens):
            return False
        following = self._tokens[self._at].group(0)
        return following in ("?", "*")


def _any_of(alternatives: list[list[tuple[str, ...]]]) -> tuple[str, ...]:
    """The literals one of which must stand there, over all alternatives; none where an alternative needs nothing."""
    out: list[str] = []
    for needs in alternatives:
        if not needs:
            return ()
        best: tuple[str, ...] = max(needs, key=_worth)
        out += best
    return tuple(dict.fromkeys(out))


def _worth(literals: tuple[str, ...]) -> tuple[int, int]:
    """The rarest literal is likely the longest; a short list is better than a long one."""
    return min(_weight(x) for x in literals), -len(literals)


def _weight(literal: str) -> int:
    return sum(2 if "\u4e00" <= c <= "\u9fff" else 1 for c in literal)
