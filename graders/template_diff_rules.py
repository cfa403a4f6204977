"""Which edits outside of the blank weaken a guard: only what syntax proves is a veto, the rest is noted.

A guard is a mask, an assertion, a bounds check, a check that leaves early, a check of CUDA errors, a tolerance or the
list of shapes that are tried.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from graders.terms import (
    COMPARISONS,
    FALSE,
    ORDERINGS,
    TRUE,
    Term,
    dotted,
    flipped,
    has_ordering,
    implies,
    is_condition,
    leaves,
    names,
    normal,
    number,
    refuted,
    relation,
    substitute,
    walk,
)
from graders.text import Text
from graders.units import EXITS, Unit

Severity = Literal["harmless", "noted", "veto"]
Verdict = tuple[Severity, Text]

ASSERTIONS = frozenset(
    {"assert", "assert_close", "assert_allclose", "assert_equal", "allclose", "isclose", "static_assert"}
)
ERROR_CALLS = frozenset({"cudaGetLastError", "cudaPeekAtLastError", "cudaDeviceSynchronize", "cudaSuccess"})
PRINTS = frozenset({"print", "printf", "device_print", "static_print", "fprintf", "puts", "pprint"})
_TOLERANCE = re.compile(r"(^|_)(a|r|abs_|rel_)?(tol|eps|epsilon|tolerance)($|_)", re.I)
_WHAT = {
    "assertion": Text("the assertion", "断言"),
    "refusal": Text("the check that refuses bad input or leaves early", "拒绝非法输入或提前退出的检查"),
    "bounds": Text("the bounds check", "边界检查"),
    "mask": Text("the mask", "掩码"),
    "condition": Text("the condition", "条件"),
    "tolerance": Text("the tolerance", "误差容限"),
    "shapes": Text("the list of cases that are tried", "测试用例列表"),
    "errors": Text("the check of CUDA errors", "CUDA 错误检查"),
}
_CHANGES = {
    "removed": Text("{what} was removed", "{what}被删除"),
    "loosened": Text("{what} was loosened", "{what}被放宽"),
    "replaced": Text("{what} was replaced by something else", "{what}被换成了别的内容"),
    "emptied": Text("{what} no longer does so", "{what}不再起作用"),
    "conditional": Text("{what} now stands under a condition of its own", "{what}被放进了另外的条件里"),
    "unreachable": Text("{what} can no longer be reached", "{what}不再会被执行到"),
    "redefined": Text("{what} was defined anew", "{what}被重新定义"),
    "tightened": Text("{what} was made stricter", "{what}变得更严格"),
    "reworded": Text("{what} was reworded", "{what}被改写"),
}


def words(what: str, change: str) -> Text:
    return _CHANGES[change].fill(what=_WHAT[what])


@dataclass(slots=True)
class Facts:
    """What the rules know about one version of a file or function: conditions by name and the names of checks."""

    conditions: dict[str, Term] = field(default_factory=dict)
    checks: frozenset[str] = frozenset()
    masks: frozenset[str] = frozenset()
    guards: tuple[tuple[Term, bool], ...] = ()  # (condition, whether it guards by being true)


def facts(units: list[Unit]) -> Facts:
    """Names assigned once to a condition, names used as masks, macros and lambdas that check CUDA errors."""
    found: dict[str, list[Term]] = {}
    checks: set[str] = set()
    masked: set[str] = set()
    guards: list[tuple[Term, bool]] = []
    for unit in (inner for top in units for inner in top.walk()):
        for target, value in assignments(unit):
            found.setdefault(target, []).append(value)
            if value[0] == "lambda_expression" and "cudaSuccess" in repr(value):
                checks.add(target)
        if unit.kind == "macro" and {"cudaSuccess", "cudaError_t"} & set(map(str, unit.head)):
            checks.add(unit.name)
        tested = _tested(unit)
        if tested is not None:
            guards.append((tested, unit.kind == "if" and unit.exits()))
        masked |= {value[1] for value in masks(unit.head) if value[0] == "name"}
    single = {name: values[0] for name, values in found.items() if len(values) == 1 and is_condition(values[0])}
    return Facts(single, frozenset(checks), frozenset(masked), tuple(guards))


def assignments(unit: Unit) -> list[tuple[str, Term]]:
    """(name, value) of the assignments that a unit itself makes."""
    return [
        (dotted(t[1]), t[-1]) for t in walk(unit.head) if t[0] == "=" and len(t) >= 3 and isinstance(t[1], tuple)
    ]  # fmt: skip


def masks(term: Term) -> list[Term]:
    """The values of `mask=` of the loads and stores in a term."""
    return [
        part[2]
        for call in walk(term)
        if call[0] == "call" and dotted(call[1]).split(".")[-1] in ("load", "store")
        for part in call[2:]
        if part[0] == "keyword" and part[1] == "mask"
    ]


def guard(unit: Unit, known: Facts) -> str | None:
    """What a unit guards (a key of the words above), itself or in something below it; None for no guard."""
    for inner in unit.walk():
        if inner.kind in ("assert", "raise", "throw"):
            return "assertion" if inner.kind == "assert" else "refusal"
        if check_words(inner.head, known) and inner.kind not in ("function", "class"):
            calls = {dotted(t[1]).split(".")[-1] for t in walk(inner.head) if t[0] == "call"}
            return "assertion" if calls & ASSERTIONS else "errors"
        if inner.kind == "macro" and inner.name in known.checks:
            return "errors"
        if inner.kind == "if" and inner.exits():
            return "refusal"
        if inner.kind in ("if", "for", "while") and has_ordering(substitute(inner.head, known.conditions)):
            return "bounds"
        if masks(inner.head):
            return "mask"
        if inner.kind == "assign" and any(is_condition(v) and has_ordering(v) for _, v in assignments(inner)):
            return "mask" if any(n in known.masks for n, _ in assignments(inner)) else "bounds"
        if any(t[0] == "?" and has_ordering(t[1]) for t in walk(inner.head)):
            return "bounds"
    return None


def check_words(term: Term, known: Facts) -> Counter[str]:
    """How often each name of an error check or assertion stands in a term."""
    found: Counter[str] = Counter()
    for word in names(term) + [str(t[2]) for t in walk(term) if t[0] == "." and len(t) == 3]:
        error = word.startswith("cudaError") and word != "cudaError_t"
        if error or word in ERROR_CALLS or word in ASSERTIONS or word in known.checks:
            found[word] += 1
    return found


def changed(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict:
    """The verdict on a unit whose head changed from `a` to `b`."""
    for rule in (_masks, _tolerance, _shapes, _errors, _macro, _condition, _constant, _comparisons):
        verdict = rule(a, b, before, after)
        if verdict is not None:
            return verdict
    return "noted", Text("this line differs from the template", "这一行与模板不同")


def _judge(what: str, old: Term, new: Term, refusing: bool = False) -> Verdict | None:
    """The verdict on a condition; `refusing` conditions guard by being true, the others by being false."""
    found = relation(old, new)
    if found == "same":
        return None
    if new in (TRUE, FALSE, ("name", "None"), ("num", "1"), ("num", "0")):
        return "veto", words(what, "replaced")
    if found == ("stronger" if refusing else "weaker"):
        return "veto", words(what, "loosened")
    if found == ("weaker" if refusing else "stronger"):
        return "noted", words(what, "tightened")
    if refusing and refuted(normal(old), normal(new)):
        return "veto", words(what, "loosened")
    strict = refusing or what == "assertion" or has_ordering(old) or "cudaSuccess" in names(old)
    if strict and flipped(normal(old), normal(new)):
        return "veto", words(what, "replaced")
    kept = not Counter(names(old)) - Counter(names(new)) and _count(new) >= _count(old)
    if (refusing and kept) or not (refusing or has_ordering(old)):
        return "noted", words(what, "reworded")
    return "veto", words(what, "replaced")


def _count(term: Term) -> int:
    return sum(1 for t in walk(term) if t[0] in COMPARISONS or t[0] == "not")


def _masks(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    old, new = masks(a.head), masks(b.head)
    if len(new) < len(old):
        return "veto", words("mask", "removed")
    found: Verdict | None = None
    for x, y in zip(old, new, strict=False):
        x, y = substitute(x, before.conditions), substitute(y, after.conditions)
        if relation(x, y) == "same":
            continue
        verdict = _judge("mask", x, y) or ("noted", words("mask", "reworded"))
        if x[0] == "name" and y != x:
            verdict = ("veto", words("mask", "replaced"))
        if found is None or verdict[0] == "veto":
            found = verdict
    return found


def _tolerances(term: Term) -> dict[str, Term]:
    found = {t[1]: t[2] for t in walk(term) if t[0] == "keyword" and _TOLERANCE.search(str(t[1]))}
    for t in walk(term):
        if t[0] == "=" and len(t) == 3 and isinstance(t[1], tuple) and _TOLERANCE.search(dotted(t[1]).split(".")[-1]):
            found[dotted(t[1])] = t[2]
    return found


def _tolerance(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    old, new = _tolerances(a.head), _tolerances(b.head)
    for word, value in old.items():
        other = new.get(word)
        if other is None or other == value:
            continue
        x, y = number(value), number(other)
        if x is None or y is None:
            return "veto", words("tolerance", "replaced")
        if not y <= x:
            return "veto", words("tolerance", "loosened")
        return "noted", words("tolerance", "tightened")
    return None


def _case_lists(term: Term) -> list[Term]:
    """Literal lists of two or more numbers, or of lists of numbers."""

    def plain(item: Term) -> bool:
        return number(item) is not None or (item[0] == "list" and len(item) > 1 and all(plain(i) for i in item[1:]))

    return [t for t in walk(term) if t[0] == "list" and len(t) > 2 and all(plain(item) for item in t[1:])]


def _shapes(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    if a.kind not in ("for", "assign"):
        return None
    old = [list(t[1:]) for t in _case_lists(a.head)][:1]
    if not old:
        return None
    kept = {repr(normal(item)) for t in walk(b.head) if t[0] == "list" for item in t[1:]}
    if any(repr(normal(item)) not in kept for item in old[0]):
        return "veto", words("shapes", "removed" if kept else "replaced")
    return None


def _errors(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    lost = check_words(a.head, before) - check_words(b.head, before)
    if not lost:
        return None
    return "veto", words("assertion" if set(lost) <= ASSERTIONS else "errors", "removed")


def _macro(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    """A macro or lambda that checks CUDA errors must keep all of its words."""
    if a.kind == "macro":
        checks = a.name in before.checks or a.name in ASSERTIONS
        old, new = (Counter(w for w in map(str, u.head) if re.match(r"\w|[!=]", w)) for u in (a, b))
    else:
        checks = any(target in before.checks for target, _ in assignments(a))
        old, new = Counter(leaves(a.head)), Counter(leaves(b.head))
    return ("veto", words("errors", "redefined")) if checks and old - new else None


def _tested(unit: Unit) -> Term | None:
    """The condition of an if, while, assert or C++ for."""
    if unit.kind in ("if", "while", "assert"):
        return unit.head[1]  # type: ignore[no-any-return]
    return unit.head[2] if unit.kind == "for" and len(unit.head) == 4 else None


def _condition(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    old, new = _tested(a), _tested(b)
    if old is None or new is None or a.kind != b.kind:
        return None
    refusing = a.kind == "if" and a.exits()
    what = (
        "assertion" if a.kind == "assert" else "refusal" if refusing else "bounds" if has_ordering(old) else "condition"
    )
    return _judge(what, substitute(old, before.conditions), substitute(new, after.conditions), refusing)


def guarded(a: Unit, b: Unit) -> list[tuple[str, Term, Term]]:
    """The (kind, condition in `a`, condition in `b`) of the masks, assertions, bounds and checks of two units of one shape."""
    found = [("mask", x, y) for x, y in zip(masks(a.head), masks(b.head), strict=False)]
    old, new = _tested(a), _tested(b)
    if old is not None and new is not None and (a.kind != "if" or a.exits()):
        found.append(("assertion" if a.kind == "assert" else "refusal" if a.kind == "if" else "bounds", old, new))
    return found


def _constant(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    """A number with a name that a guard compares with, such as an upper limit."""
    now = dict(assignments(b))
    for word, value in assignments(a):
        if number(value) is None or number(now.get(word, ())) is None:
            continue
        for tested, refusing in before.guards:
            found = relation(substitute(tested, {word: value}), substitute(tested, {word: now[word]}))
            if found == ("stronger" if refusing else "weaker"):
                return "veto", words("refusal" if refusing else "bounds", "loosened")
    return None


def _comparisons(a: Unit, b: Unit, before: Facts, after: Facts) -> Verdict | None:
    """Conditions inside other statements: a value that is one, the test of a `?`, any comparison of order."""
    was = {n: v for n, v in assignments(a) if is_condition(v)}
    now = dict(assignments(b))
    for word, value in was.items():
        what = "mask" if word in before.masks else "bounds"
        verdict = _judge(what, value, now[word]) if word in now else ("veto", words(what, "removed"))
        if verdict is not None:
            return verdict
    if was:
        return None
    old = [normal(t) for t in walk(a.head) if len(t) == 3 and t[0] in ORDERINGS]
    new = [normal(t) for t in walk(b.head) if len(t) == 3 and t[0] in ORDERINGS]
    if any(not any(implies(y, x) for y in new) for x in old):
        return "veto", words("bounds", "loosened" if len(new) >= len(old) else "removed")
    return None


def added(unit: Unit, later: list[Unit], known: Facts) -> Verdict:
    """The verdict on a unit that the template does not have; `later` are the template's units that follow it."""
    if unit.kind in EXITS:
        what = next((g for g in (guard(u, known) for u in later) if g), None)
        if what:
            return "veto", words(what, "unreachable")
    targets = {target for target, _ in assignments(unit)}
    for target in targets:
        if target in known.masks:
            return "veto", words("mask", "redefined")
    short = {t.split(".")[-1] for t in targets} | ({unit.name} if unit.kind in ("function", "macro") else set())
    if short & (known.checks | ASSERTIONS | {"NDEBUG"}):
        return "veto", words("errors" if short & known.checks else "assertion", "redefined")
    if unit.kind in ("import", "include", "function", "class"):
        return "harmless", Text("added: it changes nothing that is graded", "新增内容，不影响评分")
    if unit.kind == "expr" and dotted(unit.head[1][1] if unit.head[1][0] == "call" else ()).split(".")[-1] in PRINTS:
        return "harmless", Text("a print was added", "新增了打印语句")
    return "noted", Text("this line is not in the template", "模板中没有这一行")
