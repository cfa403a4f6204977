"""How large a number a Python expression can compute, without computing it: `9**9**9` must not reach any evaluator."""

from __future__ import annotations

import ast

MAX_BITS = 2048  # of any whole number that the expression can compute
NAME_BITS = 31  # a name of the allow-list stands for a size


class NumberBomb(Exception):
    """`node` can be a whole number of more than MAX_BITS bits."""

    def __init__(self, node: ast.expr) -> None:
        self.node = node
        super().__init__("number bomb")


def bits(node: ast.expr) -> int:
    """An upper bound of the bits of the whole number that `node` can be (0 for floats); raises NumberBomb."""
    found = _bits(node)
    if found > MAX_BITS:
        raise NumberBomb(node)
    return found


def _bits(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=bool()):
            return 1
        case ast.Constant(value=int() as value):
            return value.bit_length()
        case ast.Constant():
            return 0
        case ast.Name():
            return NAME_BITS
        case ast.UnaryOp():
            return bits(node.operand) + 1
        case ast.BinOp():
            left, right = bits(node.left), bits(node.right)
            if _is_float(node.left) or _is_float(node.right) or isinstance(node.op, ast.Div):
                return 0
            match node.op:
                case ast.Mult():
                    return left + right
                case ast.Pow():
                    return 1 if left <= 1 or _is_unit(node.left) else left * _most(node.right, right)
                case ast.LShift():
                    return left + _most(node.right, right)
                case _:
                    return max(left, right) + 1
        case ast.Call():
            most = 0
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                parts = argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument]
                most = max([most, *(bits(part) for part in parts)])
            return 0 if _is_float(node) else most
        case ast.Attribute():
            return NAME_BITS
        case ast.Compare():
            for side in (node.left, *node.comparators):
                bits(side)
            return 1
        case ast.BoolOp():
            return max(bits(part) for part in node.values)
        case ast.IfExp():
            bits(node.test)
            return max(bits(node.body), bits(node.orelse))
        case _:
            return 0


def _most(node: ast.expr, bits: int) -> int:
    """The largest value of an exponent or shift count: exact for a literal, by its bits otherwise."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    return 1 << min(bits, 64)


def _is_unit(node: ast.expr) -> bool:
    """Whether a base is 1 or -1, whose powers stay as small as they are."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _is_unit(node.operand)
    return isinstance(node, ast.Constant) and node.value == 1


def _is_float(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=float()):
            return True
        case ast.Call(func=ast.Name(id="float")):
            return True
        case ast.UnaryOp():
            return _is_float(node.operand)
        case ast.BinOp():
            return isinstance(node.op, ast.Div) or _is_float(node.left) or _is_float(node.right)
        case _:
            return False
