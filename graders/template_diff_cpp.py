"""CUDA C++ source as statement units and terms (see units.py and terms.py), by tree-sitter."""

from __future__ import annotations

import bisect
import re

from tree_sitter import Node

from graders import cuda_tree
from graders.terms import Term, name
from graders.units import EXITS, Unit

_LOGIC = {"&&": "and", "||": "or", "!": "not", "not_eq": "!=", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~"}
_SILENT = frozenset({*",;(){}[]<>", "<<<", ">>>", "#ifdef", "#if", "#ifndef", "#endif"})
_NAMES = frozenset({"identifier", "type_identifier", "namespace_identifier", "primitive_type", "statement_identifier"})
_KINDS = {
    "return_statement": "return",
    "break_statement": "break",
    "continue_statement": "continue",
    "throw_statement": "throw",
    "preproc_include": "include",
    "preproc_def": "macro",
    "preproc_function_def": "macro",
    "preproc_call": "pragma",
    "struct_specifier": "class",
    "class_specifier": "class",
    "using_declaration": "import",
    "alias_declaration": "import",
}
_SCOPES = frozenset({"namespace_definition", "linkage_specification", "preproc_if", "preproc_ifdef", "preproc_else"})
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")


def units(source: str) -> list[Unit]:
    """The statements of a file. What tree-sitter cannot read becomes units of the kind `error`."""
    tree = cuda_tree.parse(source)
    return _Reader(source).body(tree.root_node.children)


class _Reader:
    def __init__(self, source: str) -> None:
        raw = source.encode("utf-8", "replace")
        self.ascii = source.isascii()
        # Byte offset of each character, to turn tree-sitter's bytes into characters.
        self.bytes = [] if self.ascii else [i for i, b in enumerate(raw) if b & 0xC0 != 0x80]

    def at(self, byte: int) -> int:
        return byte if self.ascii else bisect.bisect_left(self.bytes, byte)

    def body(self, nodes: list[Node]) -> list[Unit]:
        return [unit for node in nodes if (unit := self.statement(node)) is not None]

    def block(self, node: Node | None) -> list[Unit]:
        """The statements of a body, with or without braces."""
        if node is None:
            return []
        return (
            self.body(node.children) if node.type in ("compound_statement", "declaration_list") else self.body([node])
        )

    def statement(self, node: Node) -> Unit | None:
        kind = node.type
        if kind == "comment" or (not node.is_named and not node.is_missing):
            return None
        body = node.child_by_field_name("body")
        if node.is_error or node.is_missing:
            return self.made(node, "error", ("error", *_words(node)))
        if kind == "function_definition":
            return self.made(node, "function", _rest(node, body), _declared(node), self.block(body))
        if kind == "template_declaration":
            return self.template(node)
        if kind == "if_statement":
            other = node.child_by_field_name("alternative")
            children = self.block(node.child_by_field_name("consequence"))
            branch = self.body(other.children) if other is not None else []
            if other is not None and branch:
                branch = branch[0].children if len(branch) == 1 and branch[0].kind == "block" else branch
                children.append(self.made(other, "else", ("else",), "", branch))
            return self.made(node, "if", ("if", _field(node, "condition")), "", children)
        if kind == "for_statement":
            head = ("for", *(_field(node, f) for f in ("initializer", "condition", "update")))
            return self.made(node, "for", head, "", self.block(body))
        if kind == "for_range_loop":
            head = ("for", _field(node, "declarator"), _field(node, "right"))
            return self.made(node, "for", head, "", self.block(body))
        if kind in ("while_statement", "do_statement"):
            return self.made(node, "while", ("while", _field(node, "condition")), "", self.block(body))
        if kind == "switch_statement":
            return self.made(node, "switch", ("switch", _field(node, "condition")), "", self.block(body))
        if kind == "case_statement":
            value = node.child_by_field_name("value")
            inside = [c for c in node.children if c.is_named and c != value]
            return self.made(node, "case", ("case", term(value) if value else name("default")), "", self.body(inside))
        if kind == "compound_statement":
            return self.made(node, "block", ("block",), "", self.body(node.children))
        if kind in _SCOPES:
            units = self.block(body) if body is not None else self.body(node.children)
            units = [u for u in units if not (u.kind == "other" and u.head[0] in _NAMES | {"name", "num"})]
            return self.made(node, "scope", ("scope", *_words(node)[:2]), "", units)
        if kind == "static_assert_declaration":
            return self.made(node, "assert", ("assert", _field(node, "condition")))
        return self.simple(node)

    def simple(self, node: Node) -> Unit | None:
        """A statement without statements in it."""
        kind = _KINDS.get(node.type, "other")
        if node.type == "expression_statement":
            inner = _inner(node)
            if not inner:
                return None
            made = term(inner[0])
            kind = "assign" if made[0] == "=" else "assert" if _callee(made) == "assert" else "expr"
            return self.made(node, kind, ("assert", *made[2:]) if kind == "assert" else (kind, made))
        if node.type == "declaration":
            return self.made(node, "assign", ("declare", *_parts(node)), _declared(node))
        if kind in ("macro", "pragma", "include"):
            word = node.child_by_field_name("name")
            return self.made(node, kind, (kind, *_words(node)), cuda_tree.words(word) if word else "")
        if kind == "class":
            word = node.child_by_field_name("name")
            return self.made(node, kind, (kind, *_parts(node)), cuda_tree.words(word) if word else "")
        parts = [term(c) for c in _inner(node)] if kind in EXITS else _parts(node)
        return self.made(node, kind, (kind if kind != "other" else node.type, *parts))

    def template(self, node: Node) -> Unit | None:
        """A template belongs to what it is a template of."""
        inner = [unit for child in node.children if child.is_named and (unit := self.statement(child))]
        if not inner:
            return None
        unit = inner[-1]
        unit.head = ("template", _field(node, "parameters"), unit.head)
        unit.start = self.at(node.start_byte)
        return unit

    def made(self, node: Node, kind: str, head: Term, word: str = "", children: list[Unit] | None = None) -> Unit:
        return Unit(kind, head, self.at(node.start_byte), self.at(node.end_byte), word, children or [])


def _callee(made: Term) -> str:
    return str(made[1][1]) if made[0] == "call" and made[1][0] == "name" else ""


def _inner(node: Node) -> list[Node]:
    return [c for c in node.children if c.is_named and c.type != "comment"]


def _field(node: Node, word: str) -> Term:
    child = node.child_by_field_name(word)
    return term(child) if child is not None else ("none",)


def _rest(node: Node, body: Node | None) -> Term:
    """Everything of a definition but its body."""
    return ("function", *(term(c) for c in node.children if c != body and c.type != "comment"))


def _declared(node: Node) -> str:
    """The name that a declaration or definition introduces."""
    inner: Node | None = node
    while inner is not None and inner.type not in ("identifier", "field_identifier"):
        inner = inner.child_by_field_name("declarator") or next(
            (c for c in inner.children if c.type in ("identifier", "qualified_identifier", "operator_name")), None
        )
        if inner is not None and inner.type in ("qualified_identifier", "operator_name"):
            break
    return cuda_tree.words(inner) if inner is not None else ""


def _words(node: Node) -> list[str]:
    """The tokens of a node whose inside tree-sitter does not read (macros, directives)."""
    text = cuda_tree.words(node).replace("\\\n", " ")
    return _TOKEN.findall(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S))


def _parts(node: Node) -> list[Term]:
    """The terms of the children, without punctuation and comments."""
    return [term(c) for c in node.children if c.type != "comment" and c.type not in _SILENT]


def _number(text: str) -> Term:
    plain = text.replace("'", "").lower()
    if plain.startswith("-"):  # tree-sitter reads `{-1}` as one literal
        return ("-", _number(text[1:]))
    try:
        if plain.startswith(("0x", "0b")):
            return ("num", repr(int(plain.rstrip("ul"), 0)))
        plain = plain.rstrip("ulf")
        if plain.isdigit():
            return ("num", repr(int(plain, 8 if plain.startswith("0") else 10)))
        return ("num", repr(float(plain)))
    except ValueError:
        return ("num", plain)


def term(node: Node) -> Term:
    """A C++ expression (or any other node) as a term."""
    kind = node.type
    if kind in _NAMES or (kind in ("true", "false", "null", "auto", "this")):
        return name(cuda_tree.words(node))
    if kind == "number_literal":
        return _number(cuda_tree.words(node))
    if kind in ("string_literal", "char_literal", "raw_string_literal", "concatenated_string"):
        return ("str", cuda_tree.words(node))
    if kind == "field_identifier":
        return ("field", cuda_tree.words(node))
    if kind in ("parenthesized_expression", "condition_clause"):
        inner = _inner(node)
        return term(inner[0]) if len(inner) == 1 else ("group", *(term(c) for c in inner))
    if kind in ("binary_expression", "assignment_expression"):
        return _binary(node)
    if kind == "init_declarator":
        return ("=", _field(node, "declarator"), _field(node, "value"))
    if kind in ("unary_expression", "pointer_expression"):
        op = node.child_by_field_name("operator")
        word = cuda_tree.words(op) if op is not None else "?"
        return (_LOGIC.get(word, word), _field(node, "argument"))
    if kind == "update_expression":
        return ("+=" if "++" in cuda_tree.words(node) else "-=", _field(node, "argument"))
    if kind == "field_expression":
        field = node.child_by_field_name("field")
        return (".", _field(node, "argument"), cuda_tree.words(field) if field is not None else "?")
    if kind == "conditional_expression":
        return ("?", _field(node, "condition"), _field(node, "consequence"), _field(node, "alternative"))
    if kind == "cast_expression":
        return ("cast", _field(node, "type"), _field(node, "value"))
    if kind == "call_expression":
        launch = [term(c) for c in node.children if c.type == "kernel_call_syntax"]
        arguments = node.child_by_field_name("arguments")
        inside = [term(c) for c in _inner(arguments)] if arguments is not None else []
        return ("call", _field(node, "function"), *launch, *inside)
    if node.is_error or node.is_missing:
        return ("error", *_words(node))
    if kind == "initializer_list":
        return ("list", *_parts(node))
    if kind == "subscript_expression":
        return ("[]", *_parts(node))
    if node.child_count == 0:
        return ("word", cuda_tree.words(node))
    return (kind, *_parts(node))


def _binary(node: Node) -> Term:
    op = node.child_by_field_name("operator")
    word = cuda_tree.words(op) if op is not None else "="
    left, right = _field(node, "left"), _field(node, "right")
    if node.type == "assignment_expression" and word != "=":
        return ("=", left, (word[:-1], left, right))
    return (_LOGIC.get(word, word), left, right)
