"""The small expression language of lessons: NumPy in float64, allow-listed, evaluated in the trusted parent.

Courses of strangers are data too, so an expression can name its arguments, a fixed set of functions and
array methods, and nothing else: no attribute walks, no imports, no calls of what is not listed, bounded sizes.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from graders.text import Text

MAX_CHARACTERS = 1000
MAX_NODES = 300
MAX_ELEMENTS = 1 << 26
MAX_POWER = 64


class ExpressionError(ValueError):
    """The expression is outside the language, or failed on the given values; `text` is for a person."""

    def __init__(self, text: Text) -> None:
        self.text = text
        super().__init__(text.en)


def _softmax(x: Any, axis: int = 1) -> Any:
    """Rows as torch has them: a NaN, a +inf or only -inf in a row make all of it NaN."""
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)


def _argmax_first_nan(x: Any) -> Any:
    """Index of the first NaN if there is one, else the smallest index of the maximum (np.argmax); -1 when empty."""
    return np.array([int(np.argmax(x)) if x.size else -1], dtype=np.int64)


def _argmax_skip_nan(x: Any) -> Any:
    """Smallest index of the maximum among the values that are not NaN; -1 when there is none."""
    keep = ~np.isnan(x)
    if not keep.any():
        return np.array([-1], dtype=np.int64)
    # `keep &`: where -inf is the maximum, a NaN must not tie with it (np.nanargmax has that trap).
    return np.array([int(np.argmax(keep & (x == x[keep].max())))], dtype=np.int64)


def _arange(*bounds: Any) -> Any:
    if not all(abs(float(b)) <= MAX_ELEMENTS for b in bounds):
        raise ExpressionError(Text("arange is too long", "arange 过长"))
    return np.arange(*(int(b) for b in bounds))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "floor": np.floor, "round": np.round,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit,
    "where": np.where, "maximum": np.maximum, "minimum": np.minimum, "tanh": np.tanh,
    "sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean, "prod": np.prod, "cumsum": np.cumsum,
    "any": np.any, "all": np.all, "tril": np.tril, "transpose": np.transpose,
    "arange": _arange, "float64": lambda x: np.asarray(x, dtype=np.float64),
    "softmax": _softmax, "argmax_first_nan": _argmax_first_nan, "argmax_skip_nan": _argmax_skip_nan,
}  # fmt: skip
CONSTANTS: dict[str, Any] = {"nan": math.nan, "inf": math.inf, "pi": math.pi, "True": True, "False": False}
METHODS = {"sum", "max", "min", "mean", "prod", "argmax", "argmin", "cumsum", "reshape", "any", "all", "astype", "item"}
PROPERTIES = {"T", "shape", "size", "ndim"}
KEYWORDS = {"axis", "keepdims"}

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: np.true_divide(a, b), ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
    ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b,
    ast.MatMult: lambda a, b: a @ b,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: lambda a: -a, ast.UAdd: lambda a: +a, ast.Invert: lambda a: ~a, ast.Not: lambda a: not a,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}  # fmt: skip


@lru_cache(maxsize=512)
def _parsed(text: str) -> ast.expr:
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(Text("the expression is too long", "表达式过长"))
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(Text("{t} is not an expression", "{t} 不是合法的表达式").fill(t=repr(text))) from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ExpressionError(Text("the expression is too large", "表达式过大"))
    return tree


def check(text: str, names: set[str] | None = None) -> None:
    """Raise ExpressionError unless `text` lies in the language and names only `names` (None: any)."""
    _Check(names).visit(_parsed(text))


def names_in(text: str) -> set[str]:
    """The free names of an expression: its inputs, without the functions and constants."""
    tree = _parsed(text)
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - set(FUNCTIONS) - set(CONSTANTS)


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """Value of `text` with the given names (arrays as float64 or int64, numbers); raises ExpressionError."""
    tree = _parsed(text)
    _Check(set(values)).visit(tree)
    try:
        with np.errstate(all="ignore"):
            return _value(tree, values)
    except ExpressionError:
        raise
    except Exception as error:
        raise ExpressionError(
            Text("{t} fails: {e}", "{t} 计算出错：{e}").fill(t=repr(text), e=f"{type(error).__name__}: {error}")
        ) from None


class _Check(ast.NodeVisitor):
    def __init__(self, names: set[str] | None) -> None:
        self.names = names

    def refuse(self, what: str) -> None:
        raise ExpressionError(Text("{w} is not allowed in an expression", "表达式中不允许 {w}").fill(w=what))

    def generic_visit(self, node: ast.AST) -> None:
        allowed = (
            ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Constant, ast.Name, ast.Load, ast.Tuple,
            ast.List, ast.Subscript, ast.Slice, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.keyword,
        )  # fmt: skip
        if not isinstance(node, allowed):
            self.refuse(type(node).__name__)
        super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, (int, float, bool)) and node.value is not None:
            self.refuse(repr(node.value))

    def visit_Name(self, node: ast.Name) -> None:
        known = node.id in FUNCTIONS or node.id in CONSTANTS
        if not known and (node.id.startswith("_") or (self.names is not None and node.id not in self.names)):
            self.refuse(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr not in PROPERTIES:
            self.refuse("." + node.attr)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            if node.func.attr not in METHODS:
                self.refuse(f".{node.func.attr}()")
            self.visit(node.func.value)
        elif not (isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS):
            self.refuse(ast.unparse(node.func) + "()")
        for keyword in node.keywords:
            if keyword.arg not in KEYWORDS:
                self.refuse(f"{keyword.arg}=")
            self.visit(keyword.value)
        for argument in node.args:
            self.visit(argument)


def _value(node: ast.expr, env: Mapping[str, Any]) -> Any:
    result = _dispatch(node, env)
    if isinstance(result, np.ndarray) and result.size > MAX_ELEMENTS:
        raise ExpressionError(Text("a value of the expression is too large", "表达式的中间结果过大"))
    return result


def _dispatch(node: ast.expr, env: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return env[node.id] if node.id in env else CONSTANTS[node.id]
        case ast.BinOp(op=ast.Pow()):
            left, right = _value(node.left, env), _value(node.right, env)
            if np.max(np.abs(right)) > MAX_POWER:
                raise ExpressionError(Text("a power above {n} is not allowed", "不允许超过 {n} 的幂").fill(n=MAX_POWER))
            return np.float64(left) ** right if isinstance(left, int) else left**right
        case ast.BinOp():
            left, right = _value(node.left, env), _value(node.right, env)
            if _size(node.op, np.shape(left), np.shape(right)) > MAX_ELEMENTS:
                raise ExpressionError(Text("a value of the expression is too large", "表达式的中间结果过大"))
            return _BINARY[type(node.op)](left, right)
        case ast.UnaryOp():
            return _UNARY[type(node.op)](_value(node.operand, env))
        case ast.BoolOp():
            wanted = isinstance(node.op, ast.Or)
            value: Any = None
            for part in node.values:
                value = _value(part, env)
                if bool(value) is wanted:
                    return value
            return value
        case ast.Compare():
            return _comparison(node, env)
        case ast.IfExp():
            return _value(node.body if _value(node.test, env) else node.orelse, env)
        case ast.Tuple() | ast.List():
            return tuple(_value(item, env) for item in node.elts)
        case ast.Slice():
            return slice(*(None if p is None else int(_value(p, env)) for p in (node.lower, node.upper, node.step)))
        case ast.Subscript():
            return _value(node.value, env)[_value(node.slice, env)]
        case ast.Attribute():
            return getattr(np.asarray(_value(node.value, env)), node.attr)
        case ast.Call():
            return _call(node, env)
    raise ExpressionError(Text("not an expression", "不是合法的表达式"))


def _size(op: ast.operator, left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """Elements of the result, known before it is computed."""
    if isinstance(op, ast.MatMult):
        return math.prod(left[:-1]) * math.prod(right[-1:])
    return math.prod(np.broadcast_shapes(left, right))


def _comparison(node: ast.Compare, env: Mapping[str, Any]) -> Any:
    left = _value(node.left, env)
    result: Any = True
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        if type(op) not in _COMPARE:
            raise ExpressionError(Text("only < <= > >= == != compare", "比较只能用 < <= > >= == !="))
        right = _value(right_node, env)
        result = result & _COMPARE[type(op)](left, right)
        left = right
    return result


def _call(node: ast.Call, env: Mapping[str, Any]) -> Any:
    arguments = [_value(a, env) for a in node.args]
    keywords = {str(k.arg): _value(k.value, env) for k in node.keywords}
    if isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](*arguments, **keywords)
    assert isinstance(node.func, ast.Attribute)
    target = np.asarray(_value(node.func.value, env))
    if node.func.attr == "astype":
        return target.astype(np.float64)
    return getattr(target, node.func.attr)(*arguments, **keywords)
