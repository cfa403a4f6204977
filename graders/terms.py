"""Expressions of both languages as one kind of tree, and what can be proven about conditions.

A term is a nested tuple: ("name", "N"), ("num", "4"), ("<", left, right), ("call", function, argument, ...). Python and
CUDA C++ are translated into it, so that the rules about guards are written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

Term = tuple[Any, ...]
Relation = Literal["same", "stronger", "weaker", "unknown"]

TRUE: Term = ("name", "True")
FALSE: Term = ("name", "False")
ORDERINGS = frozenset({"<", "<=", ">", ">="})
COMPARISONS = ORDERINGS | {"==", "!="}


def name(word: str) -> Term:
    return ("name", {"true": "True", "false": "False", "nullptr": "None", "NULL": "None"}.get(word, word))


def walk(term: Term) -> Iterator[Term]:
    """The term and all terms in it, from left to right."""
    stack = [term] if term else []
    while stack:
        top = stack.pop()
        yield top
        stack.extend(part for part in reversed(top[1:]) if isinstance(part, tuple) and part)


def names(term: Term) -> list[str]:
    """Every plain name, in order, with repetitions (fields are not names)."""
    return [t[1] for t in walk(term) if t[0] == "name"]


def leaves(term: Term) -> list[str]:
    """The words of a term in order: operators and leaf texts, for similarity."""
    return [str(part) for t in walk(term) for part in t if isinstance(part, str)]


def rename(term: Term, words: dict[str, str]) -> Term:
    """The term with plain names replaced."""
    if term[0] == "name":
        return ("name", words.get(term[1], term[1]))
    return (term[0], *(rename(p, words) if isinstance(p, tuple) else p for p in term[1:]))


def substitute(term: Term, values: dict[str, Term], depth: int = 4) -> Term:
    """The term with names replaced by what they were assigned."""
    if depth == 0:
        return term
    if term[0] == "name" and term[1] in values:
        return substitute(values[term[1]], values, depth - 1)
    return (term[0], *(substitute(p, values, depth) if isinstance(p, tuple) else p for p in term[1:]))


def dotted(term: Term) -> str:
    """`a.b.c` of a name or a chain of fields, else the empty text."""
    if not term:
        return ""
    if term[0] == "name":
        return str(term[1])
    if term[0] == "." and (base := dotted(term[1])):
        return f"{base}.{term[2]}"
    return ""


def number(term: Term) -> float | None:
    """The value of a numeric term, signs included."""
    if not term:
        return None
    if term[0] == "num":
        try:
            return float(term[1])
        except (ValueError, OverflowError):
            return None
    if term[0] == "-" and len(term) == 2 and (inner := number(term[1])) is not None:
        return -inner
    return None


def normal(term: Term) -> Term:
    """A form that is equal for spellings which mean the same: sides swapped, `n == 0` and `not n`, `x <= 0` and `x < 1`
    for whole numbers, the order of `and` and `or`, the usual synonyms of a tensor's shape."""
    head, parts = term[0], [normal(p) if isinstance(p, tuple) else p for p in term[1:]]
    if head in (">", ">="):
        head, parts = {">": "<", ">=": "<="}[head], parts[::-1]
    if head == "<=" and len(parts) == 2:
        for side, step in ((1, 1), (0, -1)):
            if parts[side][0] == "num" and str(parts[side][1]).lstrip("-").isdigit():
                head, parts[side] = "<", ("num", str(int(parts[side][1]) + step))
                break
    if head in ("&", "|") and all(is_condition(p) for p in parts if isinstance(p, tuple)):
        head = "and" if head == "&" else "or"  # of truth values
    if head in ("==", "!=", "and", "or"):
        if head in ("and", "or"):
            parts = [q for p in parts for q in (p[1:] if p[0] == head else [p])]
            parts = list({repr(p): p for p in parts}.values())
        parts = sorted(parts, key=repr)
        if head in ("and", "or") and len(parts) == 1:
            return parts[0]
        zero = [p for p in parts if p in (("num", "0"), ("name", "None"))]
        if head in ("==", "!=") and zero and len(parts) == 2:
            rest = next((p for p in parts if p not in zero), zero[0])
            return normal(("not", rest)) if head == "==" else rest
    if head == "not" and parts[0][0] == "not":
        return parts[0][1]  # type: ignore[no-any-return]
    if head == "not" and parts[0] in (TRUE, FALSE):
        return FALSE if parts[0] == TRUE else TRUE
    if head == "-" and len(parts) == 1 and parts[0][0] == "num":
        return ("num", "-" + parts[0][1]) if not parts[0][1].startswith("-") else ("num", parts[0][1][1:])
    return _synonym((head, *parts))


def is_condition(term: Term) -> bool:
    """Whether a term has a truth value by its form."""
    if term[0] in ("&", "|"):
        return all(is_condition(part) for part in term[1:])
    return term[0] in COMPARISONS or term[0] in ("and", "or", "not")


def flipped(before: Term, after: Term) -> bool:
    """Whether a part of a condition was turned into its opposite (`==` into `!=`); both in normal form."""
    old, new = _parts(before), {repr(part) for part in _parts(after)}
    return any(repr(_opposite(part)) in new - {repr(other) for other in old} for part in old)


def _parts(term: Term) -> list[Term]:
    """What a condition joins by `and` and `or`."""
    return [q for p in term[1:] for q in _parts(p)] if term[0] in ("and", "or") else [term]


def _opposite(term: Term) -> Term:
    if term[0] in ("==", "!="):
        return ("!=" if term[0] == "==" else "==", *term[1:])
    return term[1] if term[0] == "not" else ("not", term)


def _synonym(term: Term) -> Term:
    """The usual spellings of a tensor's rank and lengths in one form."""
    if term[0] != "call":
        return term
    match term:
        case ("call", ("name", "tuple" | "list"), argument):
            return argument  # type: ignore[no-any-return]
        case ("call", ("name", "len"), (".", value, "shape")):
            return (".", value, "ndim")
        case ("call", (".", value, "dim")):
            return (".", value, "ndim")
        case ("call", (".", value, "size"), axis):
            return ("[]", (".", value, "shape"), axis)
    return term


def implies(p: Term, q: Term) -> bool:
    """Whether it can be proven that `q` holds wherever `p` does; both in normal form."""
    if p in (q, FALSE) or q == TRUE:
        return True
    if q[0] == "and":
        return all(implies(p, part) for part in q[1:])
    if p[0] == "or":
        return all(implies(part, q) for part in p[1:])
    if p[0] == "and" and any(implies(part, q) for part in p[1:]):
        return True
    if q[0] == "or":
        return any(implies(p, part) for part in q[1:])
    if p[0] == "not" and q[0] == "not":
        return implies(q[1], p[1])
    if q[0] in ("<", "<=") and p[0] in ("<", "<=", "=="):
        left, right = _linear(p), _linear(q)
        if left is None or right is None or left[0] != right[0]:
            return False
        return left[1] < right[1] or (left[1] == right[1] and (p[0] == "<" or q[0] == "<="))
    return False


def _linear(term: Term) -> tuple[str, float] | None:
    """`a < b + c` as (a and b without numbers, c); None where a side is not a sum with at most one number."""
    if len(term) != 3:
        return None
    (left, low), (right, high) = _offset(term[1]), _offset(term[2])
    return repr((left, right)), high - low


def _offset(term: Term) -> tuple[Term, float]:
    """A term as (rest, number added to it)."""
    value = number(term)
    if value is not None:
        return ("num", "0"), value
    if term[0] in ("+", "-") and len(term) == 3:
        right = number(term[2])
        if right is not None:
            rest, more = _offset(term[1])
            return rest, more + (right if term[0] == "+" else -right)
        left = number(term[1])
        if left is not None and term[0] == "+":
            rest, more = _offset(term[2])
            return rest, more + left
    return term, 0.0


def refuted(p: Term, q: Term) -> bool:
    """Whether some case that `p` names by a number (`n == 0`) makes `q` false; both in normal form."""
    if p[0] == "or":
        return any(refuted(part, q) for part in p[1:])
    value: Term | None = None
    if p[0] == "not" and len(p) == 2:
        place, value = p[1], ("num", "0")
    elif p[0] == "==" and number(p[1]) is not None:
        place, value = p[2], p[1]
    elif p[0] == "==" and number(p[2]) is not None:
        place, value = p[1], p[2]
    return value is not None and _holds(_put(q, place, value)) is False


def _put(term: Term, place: Term, value: Term) -> Term:
    if term == place:
        return value
    return (term[0], *(_put(p, place, value) if isinstance(p, tuple) else p for p in term[1:]))


def _holds(term: Term) -> bool | None:
    """The truth of a condition over numbers; None where it depends on a name."""
    if term in (TRUE, FALSE):
        return bool(term == TRUE)
    if (value := number(term)) is not None:
        return value != 0
    if term[0] in ("and", "or"):
        parts = [_holds(part) for part in term[1:]]
        decisive = term[0] == "or"
        return decisive if decisive in parts else None if None in parts else not decisive
    if term[0] == "not" and (inner := _holds(term[1])) is not None:
        return not inner
    if term[0] in COMPARISONS and len(term) == 3:
        left, right = number(term[1]), number(term[2])
        if left is not None and right is not None:
            return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
                    "==": left == right, "!=": left != right}[term[0]]  # fmt: skip
    return None


def relation(before: Term, after: Term) -> Relation:
    """How a condition changed: `weaker` when it now holds more often, `stronger` when less often."""
    a, b = normal(before), normal(after)
    forward, backward = implies(a, b), implies(b, a)
    if forward and backward:
        return "same"
    if forward:
        return "weaker"
    return "stronger" if backward else "unknown"


def has_ordering(term: Term) -> bool:
    """Whether a comparison of order (<, <=, >, >=) stands anywhere in the term."""
    return any(t[0] in ORDERINGS and len(t) == 3 for t in walk(term))
