"""The same oracle computed by torch in float64: an independent check of graders/expression.py, used by the self-test only."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np


def torch_value(torch: Any, text: str, env: dict[str, Any]) -> Any:
    """Value of an oracle expression by torch operations, as a float64 NumPy array; None where torch has no counterpart."""
    named = {
        "softmax": lambda x, axis=1: torch.softmax(x, axis),
        "argmax_first_nan": lambda x: torch.argmax(x.reshape(-1)).reshape(1) if x.numel() else torch.tensor([-1]),
        "argmax_skip_nan": lambda x: _skip_nan(torch, x),
        "abs": torch.abs, "exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "where": torch.where,
        "maximum": torch.maximum, "minimum": torch.minimum, "cumsum": torch.cumsum, "tril": torch.tril,
        "isnan": torch.isnan, "isinf": torch.isinf, "sum": torch.sum, "max": torch.amax, "min": torch.amin, "mean": torch.mean,
    }  # fmt: skip
    tensors = {
        k: torch.from_numpy(np.ascontiguousarray(v, dtype=np.float64)) if isinstance(v, np.ndarray) else v
        for k, v in env.items()
    }
    try:
        value = _walk(torch, ast.parse(text.strip(), mode="eval").body, tensors, named)
    except (KeyError, TypeError, AttributeError):
        return None
    return np.asarray(value.to(torch.float64).numpy() if hasattr(value, "numpy") else value, dtype=np.float64)


def _skip_nan(torch: Any, x: Any) -> Any:
    flat = x.reshape(-1)
    keep = ~torch.isnan(flat)
    if not bool(keep.any()):
        return torch.tensor([-1])
    where = torch.nonzero(keep).reshape(-1)
    return where[torch.argmax(flat[where])].reshape(1)


def _walk(torch: Any, node: ast.expr, env: dict[str, Any], named: dict[str, Any]) -> Any:
    def go(n: ast.expr) -> Any:
        return _walk(torch, n, env, named)

    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return env[node.id]
        case ast.BinOp():
            left, right = go(node.left), go(node.right)
            operations = {
                ast.Add: "__add__",
                ast.Sub: "__sub__",
                ast.Mult: "__mul__",
                ast.Div: "__truediv__",
                ast.Pow: "__pow__",
            }
            name = operations[type(node.op)]
            return getattr(left if hasattr(left, "shape") else torch.tensor(float(left), dtype=torch.float64), name)(
                right
            )
        case ast.UnaryOp(op=ast.USub()):
            return -go(node.operand)
        case ast.Call(func=ast.Name()):
            assert isinstance(node.func, ast.Name)
            return named[node.func.id](*[go(a) for a in node.args], **{str(k.arg): go(k.value) for k in node.keywords})
        case ast.Call(func=ast.Attribute()):
            assert isinstance(node.func, ast.Attribute)
            methods = {
                "sum": "sum",
                "max": "amax",
                "min": "amin",
                "mean": "mean",
                "prod": "prod",
                "reshape": "reshape",
                "cumsum": "cumsum",
            }
            arguments = [go(a) for a in node.args]
            keywords = {("dim" if k.arg == "axis" else "keepdim"): go(k.value) for k in node.keywords}
            return getattr(go(node.func.value), methods[node.func.attr])(*arguments, **keywords)
        case ast.Subscript():
            return go(node.value)[go(node.slice)]
        case ast.Tuple():
            return tuple(go(n) for n in node.elts)
    raise KeyError(type(node).__name__)
