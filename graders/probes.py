"""Cases made for one fill: wherever the blank takes another value, it is tried there.

A Triton blank is an expression of sizes (N, BLOCK). A fixed list of cases can only try some sizes, and `1.0 if N == 555 else 0.0`
would slip through. So the fill is evaluated for every size up to `up_to` at once (NumPy, a small evaluator over its syntax tree), the
sizes are grouped by the value the fill takes, and each value that no ordinary case has met gets a case of its own: the probe's
base case resized. Only the run decides; an expression that cannot be evaluated here just gets no further cases.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.lesson import Case, Lesson, ProbeSpec
from graders.spec import Words

MOST_PROBES = 8
_NONE = np.float64(-7.7e33)  # stands for None: a value that no sensible fill takes

_ABOUT = Words(
    en="Your blank takes another value at this size, so it is tried here too.",
    zh="你的填空在这个长度上取了另一个值，因此也在这里运行。",
)


class _Unknown(Exception):
    """The expression uses something that this evaluator does not know."""


def probe_cases(lesson: Lesson, fill: str) -> list[Case]:
    """Further hidden boundary cases for this fill, rarest value first; empty where there is nothing to try."""
    spec = lesson.spec.probe
    if spec is None:
        return []
    try:
        sizes, values = fill_values(spec, fill)
    except (_Unknown, SyntaxError, ValueError, TypeError, OverflowError, ZeroDivisionError, RecursionError):
        return []
    base = next(case for case in lesson.spec.cases if case.name == spec.case)
    matters = np.broadcast_to(_truth(_evaluate(spec.where, spec, sizes)), sizes.shape)
    with np.errstate(all="ignore"):
        narrow = values[matters].astype(np.float32)
    sizes = sizes[matters]
    if not sizes.size:
        return []
    keys = np.where(np.isnan(narrow), np.float32(1.2345e-30), narrow)
    _, first, group, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    met = np.unique(group[np.isin(sizes, _tried(lesson, base, spec))])
    fresh = np.setdiff1d(np.arange(first.size), met)
    fresh = fresh[np.argsort(count[fresh], kind="stable")]
    return [_resized(base, spec, int(sizes[first[g]])) for g in fresh[:MOST_PROBES]]


def fill_values(spec: ProbeSpec, fill: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every size from 1 to `up_to`, and the value of the fill at each."""
    sizes = np.arange(1, spec.up_to + 1, dtype=np.int64)
    value = _evaluate(fill, spec, sizes)
    return sizes, np.broadcast_to(np.asarray(value, dtype=np.float64), sizes.shape)


def _evaluate(text: str, spec: ProbeSpec, sizes: NDArray[np.int64]) -> Any:
    env: dict[str, Any] = {spec.vary: sizes}
    for name, derived in spec.derived.items():
        env[name] = _walk(ast.parse(derived.strip(), mode="eval").body, env)
    with np.errstate(all="ignore"):
        return _walk(ast.parse(text.strip(), mode="eval").body, env)


def _tried(lesson: Lesson, base: Case, spec: ProbeSpec) -> list[int]:
    """Sizes at which an ordinary case with the base's kind of input already stands."""
    wanted = base.inputs[spec.input]
    out = []
    for case in lesson.spec.cases:
        given = case.inputs[spec.input]
        same = case.comparison == base.comparison and not case.gpu_only and case.raises is None
        if same and given.model_copy(update={"shape": wanted.shape, "seed": wanted.seed}) == wanted:
            out.append(given.shape[spec.axis])
    return out


def _resized(base: Case, spec: ProbeSpec, size: int) -> Case:
    given = base.inputs[spec.input]
    shape = tuple(size if axis == spec.axis else n for axis, n in enumerate(given.shape))
    inputs = {**base.inputs, spec.input: given.model_copy(update={"shape": shape})}
    name = f"your blank at {spec.vary} = {size}"
    return base.model_copy(
        update={"name": name, "about": _ABOUT, "inputs": inputs, "visible": False, "group": "boundary"}
    )


def _next_power_of_2(n: Any) -> Any:
    return np.where(n <= 1, 1, 2 ** np.ceil(np.log2(np.maximum(n, 1).astype(np.float64)))).astype(np.int64)


_CALLS: dict[str, Callable[..., Any]] = {
    "float": lambda x=0.0: np.float64(x) if isinstance(x, str) else np.asarray(x, dtype=np.float64) + 0.0,
    "int": lambda x=0: np.asarray(np.trunc(x)).astype(np.int64),
    "bool": lambda x=False: _truth(x),
    "abs": np.abs,
    "min": lambda *xs: np.minimum.reduce(np.broadcast_arrays(*xs)),
    "max": lambda *xs: np.maximum.reduce(np.broadcast_arrays(*xs)),
    "next_power_of_2": _next_power_of_2,
    "tl.cast": lambda x, *_: x,
    "tl.full": lambda shape, value, *_: value,
    "tl.zeros": lambda *_: 0.0,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide, ast.Mod: np.mod, ast.Pow: lambda a, b: np.float64(a) ** b,
    ast.LShift: np.left_shift, ast.RShift: np.right_shift, ast.BitAnd: np.bitwise_and, ast.BitOr: np.bitwise_or, ast.BitXor: np.bitwise_xor,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
    ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Is: np.equal, ast.IsNot: np.not_equal,
}  # fmt: skip


def _truth(value: Any) -> Any:
    return np.asarray(value) != 0


def _walk(node: ast.expr, env: dict[str, Any]) -> Any:
    match node:
        case ast.Constant(value=None):
            return _NONE
        case ast.Constant(value=bool() | int() | float() | str()):
            return node.value
        case ast.Name():
            if node.id in env:
                return env[node.id]
        case ast.UnaryOp():
            value = _walk(node.operand, env)
            match node.op:
                case ast.USub():
                    return -np.asarray(value, dtype=np.int64 if isinstance(value, bool) else None)
                case ast.UAdd():
                    return value
                case ast.Not():
                    return ~_truth(value)
                case ast.Invert():
                    return np.bitwise_not(value)
        case ast.BinOp():
            left, right = _walk(node.left, env), _walk(node.right, env)
            if isinstance(left, str) or isinstance(right, str):
                raise _Unknown
            return _BINARY[type(node.op)](_plain(left), _plain(right))
        case ast.BoolOp():
            value = _walk(node.values[0], env)
            for part in node.values[1:]:
                other = _walk(part, env)
                value = (
                    np.where(_truth(value), other, value)
                    if isinstance(node.op, ast.And)
                    else np.where(_truth(value), value, other)
                )
            return value
        case ast.Compare():
            left, result = _walk(node.left, env), np.bool_(True)
            for op, part in zip(node.ops, node.comparators, strict=True):
                if type(op) not in _COMPARE:
                    raise _Unknown
                right = _walk(part, env)
                result = result & _COMPARE[type(op)](left, right)
                left = right
            return result
        case ast.IfExp():
            test = _truth(_walk(node.test, env))
            return np.where(test, _walk(node.body, env), _walk(node.orelse, env))
        case ast.Call() if ast.unparse(node.func) in _CALLS:
            arguments = [_walk(a, env) for a in node.args]
            named = {k.arg: k.value for k in node.keywords}
            if "value" in named:
                return _walk(named["value"], env)
            return _CALLS[ast.unparse(node.func)](*arguments)
        case ast.Attribute() | ast.List() | ast.Tuple():
            return 0  # a dtype or a shape: the value does not depend on it
    raise _Unknown


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value
