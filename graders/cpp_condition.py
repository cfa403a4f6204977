"""Evaluate a C++ condition over NumPy arrays, with C's types and the GPU's float-to-integer conversion.

Only what a blank over pairs may hold is understood: literals, names, `vi.val`, casts, a few math functions,
unary and binary operators, `?:`, and the spellings `and`, `or`, `not`. There are no side effects, so both sides of
`&&` are always computed. Anything else raises `ValueError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Values = Mapping[str, Array]
Node = Callable[[Values], Array]

TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F']+[uUlL]*|0[bB][01']+[uUlL]*|(?:\d[\d']*\.\d*|\.\d+|\d[\d']*)(?:[eE][-+]?\d+)?[fFuUlL]*)"
    r"|(?P<name>[A-Za-z_]\w*(?:\.\w+)?)"
    r"|(?P<sign>\|\||&&|==|!=|<=|>=|<<|>>|[-+*/%<>!~?:(),&|^]))"
)
WORDS = {"and": "&&", "or": "||", "not": "!", "not_eq": "!="}
# C++ precedence, higher binds tighter.
BINARY = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
TYPES: dict[str, type[Any]] = {
    "bool": np.bool_,
    "int": np.int32,
    "unsigned": np.uint32,
    "unsigned int": np.uint32,
    "long long": np.int64,
    "int32_t": np.int32,
    "uint32_t": np.uint32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
    "size_t": np.uint64,
    "long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
CONSTANTS: dict[str, Any] = {
    "true": np.bool_(True),
    "false": np.bool_(False),
    "INFINITY": np.float32(np.inf),
    "NAN": np.float32(np.nan),
    "FLT_MAX": np.finfo(np.float32).max,
}
# The usual arithmetic conversions pick the later of two.
RANKS: list[type[Any]] = [np.bool_, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


def compile_condition(source: str) -> Callable[[Values], Array]:
    """A function from arrays by name (such as `other_val`, `vi.idx`) to a boolean array; names are looked up when it is called."""
    parser = _Parser(tokenise(source))
    node = parser.conditional()
    if parser.at != len(parser.tokens):
        raise ValueError(f"unexpected {parser.peek()!r} in {source!r}")
    return lambda values: truth(node(values))


def tokenise(source: str) -> list[str]:
    """Tokens of the expression, `and`/`or`/`not` in their sign form; ValueError names the first foreign character."""
    tokens, at = [], 0
    source = source.rstrip()
    while at < len(source):
        match = TOKEN.match(source, at)
        if match is None:
            raise ValueError(f"cannot read {source[at:]!r}")
        text = match.group().strip()
        tokens.append(WORDS.get(text, text))
        at = match.end()
    return tokens


def truth(value: Array) -> Array:
    """C's conversion to bool: everything but zero is true, NaN too."""
    return value if value.dtype == np.bool_ else np.asarray(value != 0)


def convert(value: Array, target: type[Any]) -> Array:
    """C conversion; a float that does not fit saturates and NaN gives 0, as the GPU's conversion instructions do."""
    value = np.asarray(value)
    if target is np.bool_:
        return truth(value)
    if value.dtype.kind == "f" and np.dtype(target).kind in "iu":
        info = np.iinfo(target)
        wide = np.nan_to_num(np.trunc(value.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
        low, high = wide <= float(info.min), wide >= float(info.max)
        inside = np.where(low | high, 0.0, wide).astype(target)
        return np.where(low, info.min, np.where(high, info.max, inside)).astype(target)
    return value.astype(target)


def common(left: Array, right: Array) -> tuple[Array, Array]:
    """Both operands in their common type; bool counts as int."""
    if left.dtype == right.dtype and left.dtype != np.bool_:
        return left, right
    rank = max(RANKS.index(np.asarray(v).dtype.type) for v in (left, right))
    target = RANKS[max(rank, 1)]
    return convert(left, target), convert(right, target)


def binary(sign: str, left: Array, right: Array) -> Array:
    """One binary operator of C, on arrays."""
    if sign == "&&":
        return truth(left) & truth(right)
    if sign == "||":
        return truth(left) | truth(right)
    a, b = common(left, right)
    operations: dict[str, Callable[[Array, Array], Any]] = {
        "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater,
        ">=": np.greater_equal, "+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and,
        "|": np.bitwise_or, "^": np.bitwise_xor, "<<": np.left_shift, ">>": np.right_shift,
    }  # fmt: skip
    if sign in operations:
        return np.asarray(operations[sign](a, b))
    if sign == "/" and a.dtype.kind == "f":
        return np.asarray(a / b)
    if sign in ("/", "%"):  # towards zero, as C has it; a division by zero (undefined) gives 0 here
        divisor = np.where(b == 0, np.ones_like(b), b)
        whole = np.where(b == 0, 0, np.trunc(a.astype(np.float64) / divisor.astype(np.float64)))
        quotient = whole.astype(a.dtype)
        return np.asarray(quotient if sign == "/" else np.where(b == 0, 0, a - quotient * divisor).astype(a.dtype))
    raise ValueError(f"operator {sign} is not covered for {a.dtype}")


class _Parser:
    """Recursive descent; every method reads one part and returns a function that computes it."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise ValueError(f"expected {expected or 'more'}, found {token or 'the end'}")
        self.at += 1
        return token

    def conditional(self) -> Node:
        condition = self.level(1)
        if self.peek() != "?":
            return condition
        self.take("?")
        yes = self.conditional()
        self.take(":")
        no = self.conditional()
        return lambda v: np.where(truth(condition(v)), *common(yes(v), no(v)))

    def level(self, lowest: int) -> Node:
        left = self.unary()
        while BINARY.get(self.peek(), 0) >= lowest:
            sign = self.take()
            left = _joined(sign, left, self.level(BINARY[sign] + 1))
        return left

    def unary(self) -> Node:
        token = self.peek()
        if token in ("!", "-", "+", "~"):
            self.take()
            return _applied(token, self.unary())
        if token == "(":
            target = self.type_name(self.at + 1)
            if target and self.tokens[self.at + 1 + len(target.split())] == ")":
                self.at += 2 + len(target.split())
                return _converted(self.unary(), target)
        return self.primary()

    def type_name(self, at: int) -> str:
        """The longest type name whose words start at token `at`, or ''."""
        for length in (3, 2, 1):
            words = " ".join(self.tokens[at : at + length])
            if words in TYPES:
                return words
        return ""

    def primary(self) -> Node:
        token = self.take()
        if token == "(":
            inner = self.conditional()
            self.take(")")
            return inner
        if token == "static_cast":
            self.take("<")
            target = self.type_name(self.at)
            self.at += len(target.split())
            self.take(">")
            return _converted(self.arguments()[0], target)
        if token in TYPES and self.peek() == "(":
            return _converted(self.arguments()[0], token)
        if token[0].isdigit() or token[0] == ".":
            value = number(token)
            return lambda v: value
        if self.peek() == "(":
            arguments = self.arguments()
            return lambda v: call(token, [a(v) for a in arguments])
        if token in CONSTANTS:
            constant = np.asarray(CONSTANTS[token])
            return lambda v: constant
        return lambda v: _looked_up(v, token)

    def arguments(self) -> list[Node]:
        self.take("(")
        found = [self.conditional()]
        while self.peek() == ",":
            self.take(",")
            found.append(self.conditional())
        self.take(")")
        return found


def _looked_up(values: Values, name: str) -> Array:
    if name not in values:
        raise ValueError(f"unknown name {name}")
    return values[name]


def _joined(sign: str, left: Node, right: Node) -> Node:
    return lambda v: binary(sign, left(v), right(v))


def _converted(inner: Node, target: str) -> Node:
    return lambda v: convert(inner(v), TYPES[target])


def _applied(sign: str, inner: Node) -> Node:
    if sign == "!":
        return lambda v: ~truth(inner(v))

    def compute(values: Values) -> Array:
        value = inner(values)
        value = common(value, value)[0]
        return np.asarray(-value if sign == "-" else ~value if sign == "~" else value)

    return compute


def number(token: str) -> Array:
    """A literal in the type C gives it; separators, binary and octal included."""
    token = token.replace("'", "")
    octal = re.fullmatch(r"0[0-7]+[uUlL]*", token)
    if token[:2].lower() in ("0x", "0b") or octal:
        digits = token.rstrip("uUlL")
        value = int(digits, 8) if octal else int(digits, 0)
        return np.asarray(value, np.uint32 if "u" in token.lower() or value > 0x7FFFFFFF else np.int32)
    digits = token.rstrip("fFuUlL")
    suffix = token[len(digits) :].lower()
    if suffix == "f":
        return np.asarray(float(digits), np.float32)
    if "." in digits or "e" in digits.lower():
        return np.asarray(float(digits), np.float64)
    return np.asarray(int(digits), np.uint32 if "u" in suffix else np.int64 if "l" in suffix else np.int32)


def call(name: str, arguments: list[Array]) -> Array:
    """The functions a blank may call, single precision."""
    a = arguments[0].astype(np.float32)
    one: dict[str, Callable[[Array], Any]] = {
        "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit, "fabsf": np.abs,
        "__float_as_int": lambda v: np.ascontiguousarray(v).view(np.int32),
        "__float_as_uint": lambda v: np.ascontiguousarray(v).view(np.uint32),
    }  # fmt: skip
    if name in one:
        return np.asarray(one[name](a))
    if name in ("fmaxf", "fminf"):
        b = arguments[1].astype(np.float32)
        return np.asarray(np.fmax(a, b) if name == "fmaxf" else np.fmin(a, b))
    if name == "abs":
        return np.asarray(np.abs(arguments[0]))
    if name in ("min", "max"):
        left, right = common(*arguments)
        floats = left.dtype.kind == "f"
        low, high = (np.fmin, np.fmax) if floats else (np.minimum, np.maximum)
        return np.asarray((low if name == "min" else high)(left, right))
    raise ValueError(f"unknown function {name}")
