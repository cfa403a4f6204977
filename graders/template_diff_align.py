"""Align the statements of a submitted file with those of the template and list what differs."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from graders.blank_base import BLANK
from graders.template_diff_rules import Facts, Severity, added, assignments, changed, facts, guard, words
from graders.terms import leaves, normal, substitute, walk
from graders.text import Text, same
from graders.units import Unit

_DEFINITIONS = frozenset({"function", "class", "macro"})
_MAX_TRIES = 4000  # pairs of statements tried in one gap, so that a huge file cannot take forever
_ALIKE = 0.5  # how alike two statements must be to count as one that was changed


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `before` is the template's unit, `after` the submitted one; `at` is an offset in the marked file."""

    kind: str
    severity: Severity
    words: Text
    at: int
    before: Unit | None
    after: Unit | None


@dataclass(slots=True)
class _Left:
    """A unit without a partner: where it would stand, what follows it, in which function."""

    unit: Unit
    at: int
    later: list[Unit]


class Aligner:
    """One comparison. After `run`, `found` holds the differences, `blank_lost` the template's unit that found no place."""

    def __init__(self, template: list[Unit], submitted: list[Unit]) -> None:
        self.template = template
        self.submitted = submitted
        self.before = facts(template)
        self.after = Facts()
        self.found: list[Difference] = []
        self.removed: list[_Left] = []
        self.added: list[_Left] = []
        self.blank_lost: tuple[Unit, int] | None = None
        self.renames: dict[str, str] = {}  # in the function of the blank: submitted name -> template's name

    def run(self, end: int) -> None:
        self.submitted = self.rename_globals()
        self.after = facts(self.submitted)
        self.match(self.template, self.submitted, end)
        self.settle()
        self.found.sort(key=lambda d: d.at)

    # -- pairs ---------------------------------------------------------------------------------------------------

    def match(self, left: list[Unit], right: list[Unit], end: int) -> None:
        """Pair the units of two bodies; `end` is the offset where the submitted body ends."""
        pairs = self.pairs(left, right)
        partner = dict(pairs)
        taken = set(partner.values())
        order = [partner[i] for i in range(len(left)) if i in partner and left[i].kind in _DEFINITIONS]
        if order != sorted(order):
            told = Text("definitions stand in another order", "定义的顺序不同")
            self.found.append(Difference("reordered", "harmless", told, right[min(order)].start, None, None))
        at = end
        for i in range(len(left) - 1, -1, -1):
            if i in partner:
                at = right[partner[i]].start
            else:
                self.removed.append(_Left(left[i], at, []))
        back = {j: i for i, j in pairs}
        for j, unit in enumerate(right):
            if j not in taken:
                following = min((back[k] for k in range(j + 1, len(right)) if k in back), default=len(left))
                self.added.append(_Left(unit, unit.start, left[following:]))
        for i, j in pairs:
            if left[i].key != right[j].key:
                self.compare(left[i], right[j])

    def pairs(self, left: list[Unit], right: list[Unit]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        used: set[int] = set()
        named = {(u.kind, u.name): j for j, u in reversed(list(enumerate(right))) if u.kind in _DEFINITIONS and u.name}
        for i, unit in enumerate(left):
            j = named.get((unit.kind, unit.name)) if unit.kind in _DEFINITIONS else None
            if j is not None and j not in used:
                found.append((i, j))
                used.add(j)
        have = {i for i, _ in found}
        a = [i for i in range(len(left)) if i not in have]
        b = [j for j in range(len(right)) if j not in used]
        blocks = SequenceMatcher(None, [left[i].key for i in a], [right[j].key for j in b], autojunk=False)
        for tag, a0, a1, b0, b1 in blocks.get_opcodes():
            if tag == "equal":
                found += zip(a[a0:a1], b[b0:b1], strict=True)
            elif tag == "replace":
                found += self.alike(left, right, a[a0:a1], b[b0:b1])
        return sorted(found)

    def alike(self, left: list[Unit], right: list[Unit], a: list[int], b: list[int]) -> list[tuple[int, int]]:
        """Pairs of changed units in one gap, in order, the most alike first."""
        b = b[: max(_MAX_TRIES // max(len(a), 1), 1)]
        scored = sorted(
            ((_likeness(left[i], right[j]), -i, -j) for i in a for j in b if left[i].kind == right[j].kind),
            reverse=True,
        )
        found: list[tuple[int, int]] = []
        for score, i, j in scored:
            if score < _ALIKE:
                break
            if all((-i < x) == (-j < y) and -i != x and -j != y for x, y in found):
                found.append((-i, -j))
        return found

    def compare(self, a: Unit, b: Unit) -> None:
        """Two units that belong together and are not the same."""
        if a.kind == "function":
            b = self.rename_locals(a, b)
        if _holds_blank(a) and not _holds_blank(b):
            self.blank_lost = (a, b.start)
            told = Text("the blank is no longer here", "填空已不在这里")
            self.tell("changed", "noted", told, b.start, a, b)
        elif not self.same_heads(a, b):
            severity, told = changed(a, b, self.before, self.after)
            self.tell("changed", severity, told, b.start, a, b)
        elif a.kind == b.kind == "if" and a.exits() and not b.exits() and not _holds_blank(a):
            self.tell("changed", "veto", words("refusal", "emptied"), b.start, a, b)
        self.match(a.children, b.children, b.end)

    def same_heads(self, a: Unit, b: Unit) -> bool:
        """Whether two heads mean the same, conditions with a name written out."""
        if normal(a.head) == normal(b.head):
            return True
        old, new = substitute(a.head, self.before.conditions), substitute(b.head, self.after.conditions)
        return self.same_values(a, b) if a.kind == "assign" else bool(normal(old) == normal(new))

    def same_values(self, a: Unit, b: Unit) -> bool:
        """The same for assignments, whose targets must not be written out."""
        if len(a.head) != len(b.head) or a.head[:-1] != b.head[:-1]:
            return False
        old, new = (substitute(u.head[-1], k.conditions) for u, k in ((a, self.before), (b, self.after)))
        return bool(normal(old) == normal(new))

    # -- names ---------------------------------------------------------------------------------------------------

    def rename_globals(self) -> list[Unit]:
        """Functions and constants of the file under other names."""
        top = Unit("scope", (), 0, 0, "", self.template)
        other = Unit("scope", (), 0, 0, "", self.submitted)
        found = _renames(top, other, _defined(self.template), _defined(self.submitted))
        self.tell_renames(found, other, "noted")
        made = [unit.renamed(found) for unit in self.submitted] if found else self.submitted
        for unit in made:
            unit.name = found.get(unit.name, unit.name)
        return made

    def rename_locals(self, a: Unit, b: Unit) -> Unit:
        found = _renames(a, b, _bound(a), _bound(b))
        if not found:
            return b
        self.tell_renames(found, b, "harmless")
        if any(_holds_blank(unit) for unit in a.walk()):
            self.renames.update(found)
        return b.renamed(found)

    def tell_renames(self, found: dict[str, str], where: Unit, severity: Severity) -> None:
        for new, old in found.items():
            at = next((u.start for u in where.walk() if new in _words(u)), where.start)
            told = Text("`{old}` is called `{new}` here", "`{old}` 在这里改名为 `{new}`").fill(old=old, new=new)
            self.found.append(Difference("renamed", severity, told, at, None, None))

    # -- what found no partner -----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Removed and added units: moved, wrapped, unwrapped, or really gone and new."""
        loose = {left.unit.key: left for left in self.added}
        inside = {inner.key: left for left in self.added for inner in left.unit.walk() if inner is not left.unit}
        consumed: set[int] = set()
        for left in self.removed:
            unit = left.unit
            what = guard(unit, self.before)
            twin, wrapper = loose.get(unit.key), inside.get(unit.key)
            if twin is not None and id(twin.unit) not in consumed:
                consumed.add(id(twin.unit))
                told = Text("this stands in another place than in the template", "这一部分的位置与模板不同")
                self.tell("moved", "noted", told, twin.at, unit, twin.unit)
            elif wrapper is not None:
                if what:
                    self.tell("moved", "veto", words(what, "conditional"), wrapper.at, unit, wrapper.unit)
            elif word := self.inlined(unit):
                told = Text("`{name}` was written out where it is used", "`{name}` 直接写在了使用处").fill(name=word)
                self.tell("removed", "harmless", told, left.at, unit, None)
            else:
                severity: Severity = "veto" if what else "noted"
                told = (
                    words(what, "removed")
                    if what
                    else Text("this line of the template is missing", "缺少模板中的这一行")
                )
                self.tell("removed", severity, told, left.at, unit, None)
                consumed |= {id(loose[inner.key].unit) for inner in unit.walk() if inner.key in loose}
            if twin is None and wrapper is None and any(_holds_blank(inner) for inner in unit.walk()):
                self.blank_lost = (next(u for u in unit.walk() if _holds_blank(u)), left.at)
        for left in self.added:
            if id(left.unit) not in consumed:
                severity, told = added(left.unit, left.later, self.before)
                self.tell("added", severity, told, left.at, None, left.unit)

    def tell(self, kind: str, severity: Severity, told: Text, at: int, before: Unit | None, after: Unit | None) -> None:
        self.found.append(Difference(kind, severity, told, at, before, after))

    def inlined(self, unit: Unit) -> str:
        """The name of a condition that is gone because every use of it was replaced by the condition itself."""
        values = [(n, v) for n, v in assignments(unit) if n in self.before.conditions]
        if unit.kind != "assign" or len(values) != 1:
            return ""
        word, value = values[0]
        everything = [t for top in self.submitted for inner in top.walk() for t in walk(inner.head)]
        wanted = normal(value)
        written = any(len(t) == len(value) and normal(t) == wanted for t in everything)
        return word if written and ("name", word) not in everything else ""


def _words(unit: Unit) -> set[str]:
    return {str(t[1]) for t in (walk(unit.head) if unit.head else ()) if t[0] == "name"} | {unit.name}


def _holds_blank(unit: Unit) -> bool:
    return any(t == ("name", BLANK) for t in walk(unit.head))


def _likeness(a: Unit, b: Unit) -> float:
    """0..1: the words of two heads, and of what stands below them."""
    score = SequenceMatcher(None, leaves(a.head), leaves(b.head), autojunk=False).ratio()
    if not a.children and not b.children:
        return score + (0.2 if a.name and a.name == b.name else 0.0)
    below = SequenceMatcher(None, [u.key for u in a.walk()][1:], [u.key for u in b.walk()][1:], autojunk=False).ratio()
    return 0.5 * score + 0.5 * below


def _defined(units: list[Unit]) -> set[str]:
    """Names that a file defines at its top."""
    names: set[str] = set()
    for unit in units:
        if unit.kind in _DEFINITIONS or unit.kind == "assign":
            names |= {unit.name, *(n for n, _ in assignments(unit))}
        elif unit.kind == "scope":
            names |= _defined(unit.children)
    return names - {""}


def _bound(function: Unit) -> set[str]:
    """Names that a function binds: parameters, assigned and declared names, loop variables."""
    names = {n for unit in function.walk() for n, _ in assignments(unit)}
    names |= {unit.name for unit in function.walk() if unit.kind == "assign"}
    for unit in function.walk():
        for t in walk(unit.head):
            if t[0] in ("parameter", "parameter_declaration", "rest") or (t[0] == "for" and len(t) == 3):
                names |= {str(w[1]) for w in walk(t) if w[0] == "name"}
    return names - {"", function.name}


def _renames(a: Unit, b: Unit, bound_a: set[str], bound_b: set[str]) -> dict[str, str]:
    """Names of `b` that stand for names of `a` which are gone: as many, in the same order, used as often."""
    used_a, used_b = [*_every(a)], [*_every(b)]
    gone = [n for n in dict.fromkeys(used_a) if n in bound_a and n not in set(used_b)]
    new = [n for n in dict.fromkeys(used_b) if n in bound_b and n not in set(used_a)]
    if len(gone) != len(new):
        return {}
    return {y: x for x, y in zip(gone, new, strict=True) if abs(used_a.count(x) - used_b.count(y)) <= 1}


def _every(unit: Unit) -> list[str]:
    found: list[str] = []
    for inner in unit.walk():
        if inner.name and inner.kind in _DEFINITIONS and inner is not unit:
            found.append(inner.name)
        if inner.head:
            found += [str(t[1]) for t in walk(inner.head) if t[0] == "name"]
    return found


def outline(unit: Unit | None, source: str, limit: int = 100) -> str:
    """The first words of a unit, as they stand in its file, on one line."""
    if unit is None:
        return ""
    text = " ".join(source[unit.start : unit.head_end].split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def missing(unit: Unit, source: str) -> Text:
    """What the template has where a file stops fitting it."""
    en = "your file stops fitting the template here: the template has `{words}` there"
    zh = "你的文件从这里开始与模板不符：模板在这里是 `{words}`"
    return Text(en, zh).fill(words=same(outline(unit, source)))
