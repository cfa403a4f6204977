"""Python source as statement units and terms (see units.py and terms.py)."""

from __future__ import annotations

import ast
import warnings

from graders.terms import Term, name
from graders.units import Unit, Unreadable

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitXor: "^", ast.MatMult: "@",
    # On block masks `&`, `|` and `~` are the logical operators.
    ast.BitAnd: "and", ast.BitOr: "or", ast.Invert: "not",
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "-", ast.UAdd: "+",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "==",
    ast.IsNot: "!=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
# Positional parameters of the memory operations, so that `tl.load(p, m)` and `tl.load(p, mask=m)` are one.
_MEMORY = {"load": ("mask", "other"), "store": ("", "mask")}


def units(source: str) -> list[Unit]:
    """The statements of a file; raises Unreadable where Python's parser gives up."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        return _Reader(source).body(tree.body)
    except SyntaxError as error:
        lines = source.split("\n")
        line = min(max(error.lineno or 1, 1), len(lines))
        offset = sum(len(text) + 1 for text in lines[: line - 1]) + max((error.offset or 1) - 1, 0)
        raise Unreadable(min(offset, len(source)), error.msg or "invalid syntax") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Unreadable(0, str(error) or "too deeply nested") from None


class _Reader:
    def __init__(self, source: str) -> None:
        self.lines = source.split("\n")
        self.starts = [0]
        for text in self.lines:
            self.starts.append(self.starts[-1] + len(text) + 1)

    def offset(self, line: int, byte: int) -> int:
        """Offset in characters of a place of the parser, whose columns count bytes."""
        text = self.lines[line - 1]
        column = byte if text.isascii() else len(text.encode()[:byte].decode("utf-8", "replace"))
        return self.starts[line - 1] + column

    def body(self, statements: list[ast.stmt]) -> list[Unit]:
        return [unit for node in statements if (unit := self.statement(node)) is not None]

    def statement(self, node: ast.stmt) -> Unit | None:
        kind, word = "other", ""
        head: Term = ()
        children: list[Unit] = []
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return None  # a docstring is a comment
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                kind, word = "function", node.name
                decorators = [term(d) for d in node.decorator_list]
                head = ("function", _parameters(node.args), ("list", *decorators))
                children = self.body(node.body)
            case ast.ClassDef():
                kind, word = "class", node.name
                head = ("class", *(term(b) for b in node.bases))
                children = self.body(node.body)
            case ast.If():
                kind, head = "if", ("if", term(node.test))
                children = self.body(node.body) + self.part("else", node.orelse)
            case ast.While():
                kind, head = "while", ("while", term(node.test))
                children = self.body(node.body) + self.part("else", node.orelse)
            case ast.For() | ast.AsyncFor():
                kind, head = "for", ("for", term(node.target), term(node.iter))
                children = self.body(node.body) + self.part("else", node.orelse)
            case ast.With() | ast.AsyncWith():
                kind, head = "with", ("with", *(term(item.context_expr) for item in node.items))
                children = self.body(node.body)
            case ast.Try():
                kind, head = "try", ("try",)
                children = self.body(node.body)
                for handler in node.handlers:
                    caught = term(handler.type) if handler.type else ("name", "BaseException")
                    children.append(self.made(handler, "except", ("except", caught), "", self.body(handler.body)))
                children += self.part("else", node.orelse) + self.part("finally", node.finalbody)
            case ast.Import() | ast.ImportFrom():
                kind = "import"
                head = ("import", *(f"{a.name} as {a.asname or a.name}" for a in node.names))
                if isinstance(node, ast.ImportFrom):
                    head = ("import", f"from {node.module}", *head[1:])
            case ast.Assign():
                kind, head = "assign", ("=", *(term(t) for t in node.targets), term(node.value))
            case ast.AnnAssign(value=ast.expr() as value):
                kind, head = "assign", ("=", term(node.target), term(value))
            case ast.AugAssign():
                op = _OPERATORS.get(type(node.op), "?")
                kind, head = "assign", ("=", term(node.target), (op, term(node.target), term(node.value)))
            case ast.Return():
                kind, head = "return", ("return", *([term(node.value)] if node.value else []))
            case ast.Raise():
                raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                kind, head = "raise", ("raise", *([term(raised)] if raised else []))
            case ast.Assert():
                kind, head = "assert", ("assert", term(node.test))
            case ast.Expr():
                kind, head = "expr", ("expr", term(node.value))
            case ast.Break():
                kind, head = "break", ("break",)
            case ast.Continue():
                kind, head = "continue", ("continue",)
            case _:
                head = _generic(node)
        return self.made(node, kind, head, word, children)

    def part(self, kind: str, statements: list[ast.stmt]) -> list[Unit]:
        """An else or finally branch as a unit of its own."""
        children = self.body(statements)
        if not children:
            return []
        return [Unit("else", (kind,), children[0].start, children[-1].end, "", children)]

    def made(self, node: ast.stmt | ast.excepthandler, kind: str, head: Term, word: str, children: list[Unit]) -> Unit:
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return Unit(kind, head, start, end, word, children)


def _parameters(args: ast.arguments) -> Term:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    made: list[Term] = [("parameter", name(a.arg), *([term(a.annotation)] if a.annotation else [])) for a in every]
    extra: list[Term] = [("rest", name(a.arg)) for a in (args.vararg, args.kwarg) if a]
    defaults: list[Term] = [term(d) for d in [*args.defaults, *args.kw_defaults] if d is not None]
    return ("parameters", *made, *extra, ("list", *defaults))


def term(node: ast.AST) -> Term:
    """A Python expression as a term."""
    match node:
        case ast.Name():
            return name(node.id)
        case ast.Constant(value=bool() | None):
            return ("name", str(node.value))
        case ast.Constant(value=int() | float()):
            return ("num", repr(node.value))
        case ast.Constant():
            return ("str", repr(node.value))
        case ast.JoinedStr():
            return ("str", "f", *(term(v.value) for v in node.values if isinstance(v, ast.FormattedValue)))
        case ast.Attribute():
            return (".", term(node.value), node.attr)
        case ast.Tuple() | ast.List():
            return ("list", *(term(e) for e in node.elts))
        case ast.Subscript():
            return ("[]", term(node.value), term(node.slice))
        case ast.BinOp() | ast.UnaryOp():
            op = _OPERATORS.get(type(node.op), type(node.op).__name__)
            sides = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
            return (op, *(term(s) for s in sides))
        case ast.BoolOp():
            return (_OPERATORS[type(node.op)], *(term(v) for v in node.values))
        case ast.Compare():
            sides = [node.left, *node.comparators]
            pairs = zip(node.ops, sides, sides[1:], strict=False)
            made = [(_OPERATORS[type(op)], term(a), term(b)) for op, a, b in pairs]
            return made[0] if len(made) == 1 else ("and", *made)
        case ast.IfExp():
            return ("?", term(node.test), term(node.body), term(node.orelse))
        case ast.Call():
            return _call(node)
        case _:
            return _generic(node)


def _call(node: ast.Call) -> Term:
    function = term(node.func)
    arguments = [term(a) for a in node.args]
    keywords = {k.arg or "**": term(k.value) for k in node.keywords}
    if function[0] == "." and function[2] in _MEMORY and len(arguments) > 1:
        for word, value in zip(_MEMORY[function[2]], list(arguments[1:]), strict=False):
            if word:
                keywords.setdefault(word, value)
                arguments.remove(value)
    return ("call", function, *arguments, *(("keyword", k, v) for k, v in sorted(keywords.items())))


def _generic(node: ast.AST) -> Term:
    parts: list[Term | str] = []
    for _, value in ast.iter_fields(node):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                parts.append(term(item))
            elif isinstance(item, str):
                parts.append(item)
    return (type(node).__name__, *parts)
