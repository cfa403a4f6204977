"""The blank of a Triton lesson: exactly one Python expression over the allow-list.

Order of the checks: characters (blank_base), a lexical scan that refuses what could reach outside of the blank
(comments, backslashes, stray brackets, line breaks), Python's own parser, then the tree node by node. At the end
the whole file with the fill in it must have the template's tree with nothing but the blank's node replaced.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
import warnings

from graders.blank_base import BLANK, MAX_DEPTH, MAX_NODES, BlankRules, Placed, Refused, Typed, line_offset, shown
from graders.blank_bits import MAX_BITS, NumberBomb, bits
from graders.errors import CourseError
from graders.text import Text

KEYWORDS = frozenset(
    {"input", "dtype", "shape", "value"}
)  # keyword arguments that the dotted calls (tl.cast, tl.full) take
_OPENS = {"(": ")", "[": "]", "{": "}"}
_WHY_NOT: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda", " lambda"),
    ast.NamedExpr: ("an assignment (:=)", "赋值（:=）"),
    ast.ListComp: ("a comprehension", "推导式"),
    ast.SetComp: ("a comprehension", "推导式"),
    ast.DictComp: ("a comprehension", "推导式"),
    ast.GeneratorExp: ("a generator expression", "生成器表达式"),
    ast.Await: ("`await`", " `await`"),
    ast.Yield: ("`yield`", " `yield`"),
    ast.YieldFrom: ("`yield`", " `yield`"),
    ast.Starred: ("a starred value", "带星号的参数"),
    ast.JoinedStr: ("an f-string", " f 字符串"),
    ast.Subscript: ("a subscript", "下标"),
    ast.Slice: ("a slice", "切片"),
    ast.Tuple: ("a tuple (several values)", "元组（多个值）"),
    ast.List: ("a list", "列表"),
    ast.Set: ("a set", "集合"),
    ast.Dict: ("a dictionary", "字典"),
}

_EXPRESSION_WORDS = frozenset(
    {"and", "or", "not", "if", "else", "is", "in", "None", "True", "False", "lambda", "await"}
)
_SYNTAX_WORDS = {  # the parser's commonest complaints
    "invalid syntax. Perhaps you forgot a comma": "语法错误，这里可能缺少运算符",
    "invalid syntax. Maybe you meant '=='": "语法错误，比较应写 '=='",
    "invalid syntax": "语法错误",
    "invalid decimal literal": "数字写法不合法",
    "invalid hexadecimal literal": "十六进制数写法不合法",
    "leading zeros": "整数不能以 0 开头",
    "expected 'else'": "条件表达式缺少 else",
    "unexpected EOF": "表达式不完整",
    "cannot assign": "这里不能赋值",
    "expression cannot contain assignment": "这里不能赋值",
}


def find(template: str) -> int:
    """Offset of the blank; raises CourseError when it does not stand exactly once as a value in the code."""
    tree = parse(template)
    if tree is None:
        raise CourseError(Text("the template is not valid Python", "模板不是合法的 Python 代码"))
    found = []
    for token in tokenize.generate_tokens(io.StringIO(template).readline):
        if token.type == tokenize.NAME and token.string == BLANK:
            found.append(line_offset(template, token.start[0]) + token.start[1])
    values = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == BLANK and isinstance(n.ctx, ast.Load)]
    if len(found) != 1 or len(values) != 1:
        en = "the template must hold the blank {blank} exactly once, as a value in the code (found {n})"
        zh = "模板的代码里必须恰好有一个作为值的填空 {blank}（找到 {n} 个）"
        raise CourseError(Text(en, zh).fill(blank=BLANK, n=len(found) if len(found) != 1 else len(values)))
    return found[0]


def check(fill: Typed, template: str, rules: BlankRules) -> str:
    """Return the normalised spelling of the fill; raises Refused."""
    _scan(fill)
    tree = _expression(fill)
    _Walk(fill, rules).start(tree)
    if place(fill.text, template, find(template)) is None:
        raise fill.refuse(0, "the fill would change the code around the blank", "填入的内容会改变填空以外的代码")
    return ast.unparse(tree)


def place(fill: str, template: str, offset: int) -> Placed | None:
    """The fill as it stands in the file, in brackets where the place needs them.

    None when even in brackets the file's tree is not the template's tree with only the blank replaced. Line breaks
    in the fill stand inside brackets, so a space means the same and keeps the line numbers of the rest.
    """
    plain = Placed.of(fill)
    pristine, tree = parse(template), parse(plain.text, "eval")
    if pristine is None or not isinstance(tree, ast.Expression):
        return None
    wanted = ast.dump(_Replace(tree.body).visit(pristine))
    for placed in (plain, plain.bracketed()):
        whole = parse(template[:offset] + placed.text + template[offset + len(BLANK) :])
        if whole is not None and ast.dump(whole) == wanted:
            return placed
    return None


def parse(text: str, mode: str = "exec") -> ast.AST | None:
    """Python's parser with its warnings muted; None for whatever it cannot read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: ast.AST = ast.parse(text, mode=mode)
            return tree
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


class _Replace(ast.NodeTransformer):
    def __init__(self, value: ast.expr) -> None:
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == BLANK else node


def _scan(fill: Typed) -> None:
    """Refuse characters and line breaks that could end the expression early or hide the rest of the file."""
    text = fill.text
    stack: list[tuple[str, int]] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = _string(fill, at)
            continue
        if char == "#":
            raise fill.refuse(at, "a comment cannot stand in the blank", "填空里不能有注释")
        if char == "\\":
            raise fill.refuse(at, "a backslash cannot stand in the blank", "填空里不能有反斜杠")
        if char in ";$?`":
            raise fill.refuse(at, "'{char}' cannot stand in an expression", "表达式里不能有 '{char}'", char=char)
        if char in _OPENS:
            stack.append((_OPENS[char], at))
            if len(stack) > MAX_DEPTH:
                raise _too_deep(fill, at)
        elif char in ")]}":
            if not stack or stack[-1][0] != char:
                en, zh = "'{char}' closes nothing that the blank opened", "'{char}' 没有与之对应的左括号"
                raise fill.refuse(at, en, zh, char=char)
            stack.pop()
        elif char == "\n" and not stack:
            en = "a line break may stand only inside brackets: the blank is one expression"
            raise fill.refuse(at, en, "换行只能出现在括号里：填空是一个表达式")
        elif char == "," and not stack:
            en = "a comma outside of brackets: the blank is one expression, not several"
            raise fill.refuse(at, en, "括号外有逗号：填空只能是一个表达式")
        at += 1
    if stack:
        raise fill.refuse(stack[-1][1], "this bracket is never closed", "这个括号没有闭合")


def _string(fill: Typed, at: int) -> int:
    """Skip a plain one-line string literal; refuse every other kind. Returns the offset after it."""
    text, quote = fill.text, fill.text[at]
    if at and (text[at - 1].isalnum() or text[at - 1] == "_"):
        word = at - 1
        while word and (text[word - 1].isalnum() or text[word - 1] == "_"):
            word -= 1
        raise fill.refuse(word, "a string with a prefix cannot stand in the blank", "填空里不能有带前缀的字符串")
    if text.startswith(quote * 3, at):
        raise fill.refuse(at, "a triple-quoted string cannot stand in the blank", "填空里不能有三引号字符串")
    end = at + 1
    while end < len(text) and text[end] != quote:
        if text[end] == "\n":
            break
        if text[end] == "\\":
            raise fill.refuse(end, "a backslash cannot stand in the blank", "填空里不能有反斜杠")
        end += 1
    if end >= len(text) or text[end] != quote:
        raise fill.refuse(at, "this quote is never closed", "这个引号没有闭合")
    return end + 1


def _expression(fill: Typed) -> ast.Expression:
    """Python's parser in expression mode; its own words stand in the refusal where ours say nothing better."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(fill.text, mode="eval")
    except SyntaxError as error:
        raise _not_an_expression(fill, error) from None
    except (ValueError, RecursionError, MemoryError, OverflowError):
        raise _too_deep(fill, 0) from None


def _not_an_expression(fill: Typed, error: SyntaxError) -> Refused:
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", lambda match: " " * len(match.group()), fill.text)
    for match in re.finditer(r"[A-Za-z_]\w*", plain):
        if keyword.iskeyword(match.group()) and match.group() not in _EXPRESSION_WORDS:
            en, zh = (
                "`{word}` cannot stand in the blank: type one expression",
                "填空里不能有 `{word}`：请只输入一个表达式",
            )
            return fill.refuse(match.start(), en, zh, word=match.group())
    equals = re.match(r"\s*[A-Za-z_][\w.]*\s*(=)(?!=)", plain)
    if equals:
        en, zh = "type only the value, without `name =`", "只输入值本身，不要写 `名字 =`"
        return fill.refuse(equals.start(1), en, zh)
    offset = line_offset(fill.text, error.lineno or 1) + max((error.offset or 1) - 1, 0)
    words = shown(error.msg or "invalid syntax", 80)
    told = Text(words, next((zh for start, zh in _SYNTAX_WORDS.items() if words.startswith(start)), words))
    en, zh = "this is not one Python expression ({words})", "这不是一个 Python 表达式（{words}）"
    return fill.refuse(min(offset, len(fill.text)), en, zh, words=told)


def _too_deep(fill: Typed, at: int) -> Refused:
    en, zh = "nested deeper than {most} levels", "嵌套超过 {most} 层"
    return fill.refuse(at, en, zh, most=MAX_DEPTH)


class _Walk:
    """The tree of a fill, node by node, against the allow-list."""

    def __init__(self, fill: Typed, rules: BlankRules) -> None:
        self.fill = fill
        self.rules = rules
        self.nodes = 0

    def start(self, tree: ast.Expression) -> None:
        self.visit(tree.body, 1)
        try:
            bits(tree.body)
        except NumberBomb as bomb:
            en = "this computes a number of more than {most} bits: write the value itself"
            zh = "这会算出一个超过 {most} 位的数：请直接写出数值"
            raise self.refuse(bomb.node, en, zh, most=MAX_BITS) from None

    def refuse(self, node: ast.expr | ast.keyword, en: str, zh: str, **values: object) -> Refused:
        return self.fill.refuse(self.offset(node), en, zh, **values)

    def offset(self, node: ast.expr | ast.keyword) -> int:
        return line_offset(self.fill.text, node.lineno) + node.col_offset

    def visit(self, node: ast.expr, depth: int) -> None:
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise _too_deep(self.fill, self.offset(node))
        if self.nodes > MAX_NODES:
            en, zh = "more than {most} parts: far too long for this blank", "超过 {most} 个组成部分：填空不需要这么长"
            raise self.refuse(node, en, zh, most=MAX_NODES)
        match node:
            case ast.Constant():
                self.constant(node)
            case ast.Name():
                if node.id not in self.rules.names | self.rules.calls:
                    raise self.not_allowed(node, node.id)
            case ast.Attribute():
                self.dotted(node, self.rules.attributes | self.rules.calls)
            case ast.Call():
                self.call(node, depth)
            case ast.UnaryOp():
                self.visit(node.operand, depth + 1)
            case ast.BinOp(op=ast.MatMult()):
                raise self.refuse(node, "'@' cannot stand in the blank", "填空里不能有 '@'")
            case ast.BinOp():
                self.visit(node.left, depth + 1)
                self.visit(node.right, depth + 1)
            case ast.BoolOp():
                for value in node.values:
                    self.visit(value, depth + 1)
            case ast.Compare():
                if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
                    raise self.refuse(node, "'in' cannot stand in the blank", "填空里不能有 'in'")
                for value in (node.left, *node.comparators):
                    self.visit(value, depth + 1)
            case ast.IfExp():
                for value in (node.body, node.test, node.orelse):
                    self.visit(value, depth + 1)
            case _:
                en, zh = _WHY_NOT.get(type(node), ("this form", "这种写法"))
                what = Text(en, zh)
                raise self.refuse(node, "{what} cannot stand in the blank", "填空里不能有{what}", what=what)

    def not_allowed(self, node: ast.expr, name: str) -> Refused:
        en = "`{name}` may not be used here; allowed: numbers, {list}"
        zh = "这里不能使用 `{name}`；可以使用：数字、{list}"
        return self.refuse(node, en, zh, name=shown(name), list=self.rules.listing())

    def dotted(self, node: ast.Attribute, allowed: frozenset[str]) -> None:
        name = _dotted(node)
        if name is None:
            at = line_offset(self.fill.text, node.end_lineno or node.lineno) + (node.end_col_offset or 0)
            en, zh = "`.{name}` of a computed value cannot be read here", "这里不能读取计算结果的 `.{name}`"
            raise self.fill.refuse(at - len(node.attr), en, zh, name=shown(node.attr))
        if name not in allowed:
            raise self.not_allowed(node, name)

    def constant(self, node: ast.Constant) -> None:
        if node.value is None or isinstance(node.value, bool | int | float):
            return
        if isinstance(node.value, str):
            en = "a text may stand only as the argument of float, such as float('inf')"
            raise self.refuse(node, en, "字符串只能作为 float 的参数，例如 float('inf')")
        what = (
            Text("a complex number", "复数") if isinstance(node.value, complex) else Text("this literal", "这种字面量")
        )
        raise self.refuse(node, "{what} cannot stand in the blank", "填空里不能有{what}", what=what)

    def call(self, node: ast.Call, depth: int) -> None:
        match node.func:
            case ast.Name(id=name):
                if name not in self.rules.calls:
                    raise self.may_not_call(node.func, name)
            case ast.Attribute():
                if _dotted(node.func) is None:
                    self.dotted(node.func, frozenset())
                name = _dotted(node.func) or ""
                if name not in self.rules.calls:
                    raise self.may_not_call(node.func, name)
            case _:
                en, zh = "only a named function can be called here", "这里只能调用有名字的函数"
                raise self.refuse(node.func, en, zh)
        library = "." in name
        for extra in node.keywords:
            if extra.arg is None or not library or extra.arg not in KEYWORDS:
                en, zh = "the keyword argument `{word}` cannot stand here", "这里不能有关键字参数 `{word}`"
                raise self.refuse(extra, en, zh, word=shown(extra.arg or "**"))
        for argument in [*node.args, *(extra.value for extra in node.keywords)]:
            if name == "float" and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self.float_text(argument, argument.value)
            elif library and isinstance(argument, ast.Tuple | ast.List):  # a shape, as in tl.full([BLOCK], ...)
                for element in argument.elts:
                    self.visit(element, depth + 2)
            else:
                self.visit(argument, depth + 1)

    def may_not_call(self, node: ast.expr, name: str) -> Refused:
        en = "`{name}` may not be called here; allowed: {list}"
        zh = "这里不能调用 `{name}`；可以使用：{list}"
        return self.refuse(node, en, zh, name=shown(name), list=self.rules.listing())

    def float_text(self, node: ast.Constant, words: str) -> None:
        self.nodes += 1
        try:
            float(words)
        except ValueError:
            en, zh = "float cannot read the text '{words}'", "float 无法识别文本 '{words}'"
            raise self.refuse(node, en, zh, words=shown(words)) from None


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of attributes that starts at a name, else None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
