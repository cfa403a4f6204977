"""Conditions over link ids: `a & (b | c)`, `2 of [a, b, c]`; `&` binds stronger than `|`."""

from __future__ import annotations

import re
from typing import Any

_CONDITION = re.compile(r"\s*(?:([a-z][a-z0-9_-]*)|(\d+) of \[([^\]]*)\]|([&|()]))", re.IGNORECASE)


def condition_tokens(condition: str) -> list[Any]:
    """Tokens of a condition: names, operators, and ('n of', count, names). ValueError where it does not parse."""
    tokens: list[Any] = []
    at = 0
    text = condition.strip()
    while at < len(text):
        m = _CONDITION.match(text, at)
        if not m:
            raise ValueError(text[at:])
        name, count, names, operator = m.groups()
        if operator:
            tokens.append(operator)
        elif count:
            tokens.append(("of", int(count), tuple(n.strip() for n in names.split(",") if n.strip())))
        else:
            tokens.append(("name", name))
        at = m.end()
    return tokens


def holds(condition: str, stated: set[str]) -> bool:
    """Whether a condition such as `a & (b | c)` or `2 of [a, b, c]` holds; `&` binds stronger than `|`."""
    tokens = condition_tokens(condition)
    position = 0

    def either() -> bool:
        nonlocal position
        value: bool = both()
        while position < len(tokens) and tokens[position] == "|":
            position += 1
            other = both()
            value = value or other
        return value

    def both() -> bool:
        nonlocal position
        value = single()
        while position < len(tokens) and tokens[position] == "&":
            position += 1
            other = single()
            value = value and other
        return value

    def single() -> bool:
        nonlocal position
        if position >= len(tokens):
            raise ValueError(condition)
        token = tokens[position]
        position += 1
        if token == "(":
            value = either()
            if position >= len(tokens) or tokens[position] != ")":
                raise ValueError(condition)
            position += 1
            return value
        if isinstance(token, tuple) and token[0] == "of":
            return sum(name in stated for name in token[2]) >= int(token[1])
        if isinstance(token, tuple):
            return str(token[1]) in stated
        raise ValueError(condition)

    value = either()
    if position != len(tokens):
        raise ValueError(condition)
    return value


def condition_names(condition: str) -> set[str]:
    """The link ids that a condition speaks of."""
    names: set[str] = set()
    for token in condition_tokens(condition):
        if isinstance(token, tuple):
            names |= set(token[2]) if token[0] == "of" else {token[1]}
    return names
