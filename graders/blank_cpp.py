"""The blank of a CUDA lesson: exactly one C++ expression over the allow-list.

A lexer and a parser of our own decide, because the grammar of an allowed expression is small and its names are known
to be values: `a < b > (c)` is two comparisons here and nothing else. tree-sitter then proves on the whole file that
everything around the blank reads as before. It takes some right spellings for templates or declarations; those get
brackets when they are put into the file (`edits`), which changes nothing for a compiler.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from tree_sitter import Node

from graders import cuda_tree
from graders.blank_base import BLANK, MAX_DEPTH, BlankRules, Placed, Refused, Typed, shown
from graders.blank_cpp_tokens import INTEGER, Token, tokens
from graders.errors import CourseError
from graders.text import Text

_LEVELS = (
    {"||", "or"},
    {"&&", "and"},
    {"|", "bitor"},
    {"^", "xor"},
    {"&", "bitand"},
    {"==", "!=", "not_eq"},
    {"<", ">", "<=", ">="},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "%"},
)
_LEVEL_OF = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_UNARY = {"+", "-", "!", "~", "not", "compl"}
# Functions that <cmath> has under the same name, so that `std::isnan(x)` is as right as `isnan(x)`.
_STANDARD = frozenset({"isnan", "isinf", "isfinite", "signbit", "fabs", "fmin", "fmax", "abs", "max", "min"})
_WORD_SIGNS = {"or", "and", "bitor", "xor", "bitand", "not_eq", "not", "compl"}
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "and_eq", "or_eq", "xor_eq"}
_SIMPLE_TYPES = {"float", "double", "bool", "size_t"} | {f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)}
_TYPE_WORDS = _SIMPLE_TYPES | {"int", "unsigned", "signed", "long", "short", "char"}


@dataclass(slots=True)
class _Read:
    """What the parser found: the brackets that tree-sitter needs, as (offset, text) to put in."""

    tokens: list[Token]
    edits: list[tuple[int, str]] = field(default_factory=list)
    comparisons: list[tuple[int, int]] = field(default_factory=list)  # spans of names that stand left of a `<`


def find(template: str) -> int:
    """Offset of the blank; raises CourseError when it does not stand exactly once as a value in the code."""
    tree = cuda_tree.parse(template)
    source = template.encode("utf-8", "replace")
    found = [n for n in cuda_tree.nodes(tree.root_node) if n.type == "identifier" and n.text == BLANK.encode()]
    if len(found) == 1:
        offset = cuda_tree.characters(source, found[0].start_byte)
        if _node(template, offset, "(0)") is not None:
            return offset
    en = "the template must hold the blank {blank} exactly once, as a value in the code (found {n})"
    zh = "模板的代码里必须恰好有一个作为值的填空 {blank}（找到 {n} 个）"
    raise CourseError(Text(en, zh).fill(blank=BLANK, n=len(found) if len(found) != 1 else 0))


def check(fill: Typed, template: str, rules: BlankRules) -> str:
    """Return the normalised spelling of the fill (tokens with one space between); raises Refused."""
    read = _Parser(fill, tokens(fill), rules).start()
    if place(fill.text, template, find(template)) is None:
        raise fill.refuse(0, "the fill would change the code around the blank", "填入的内容会改变填空以外的代码")
    return " ".join(token.text for token in read.tokens[:-1])


def place(fill: str, template: str, offset: int) -> Placed | None:
    """The fill as it stands in the file, with brackets where the place or tree-sitter needs them.

    None when even so the file's tree is not the template's tree with only the blank replaced. Neither comments,
    strings nor preprocessor lines can stand in a fill, so line breaks are written as spaces.
    """
    made = Typed(fill, 1, 1)
    try:
        read = _Parser(made, tokens(made), None).start()
    except Refused:
        return None
    plain = Placed.of(fill)
    around = [(span[0], "(") for span in read.comparisons] + [(span[1], ")") for span in read.comparisons]
    careful = Placed.of(fill, read.edits + around)
    for placed in (plain, plain.bracketed(), careful, careful.bracketed()):
        node = _node(template, offset, placed.text)
        if node is not None and not any(_template(n) for n in cuda_tree.nodes(node)):
            return placed
    return None


def _template(node: Node) -> bool:
    """Whether tree-sitter takes this node for a template (the allowed casts are none of our worry)."""
    if node.type not in ("template_function", "template_method", "template_type"):
        return False
    return not (node.text or b"").startswith(b"static_cast")


def _node(template: str, offset: int, text: str) -> Node | None:
    """The node of `text` in the file with it in place of the blank, if all else reads as in the template."""
    start = len(template[:offset].encode("utf-8", "replace"))
    after = template[offset + len(BLANK) :]
    pristine = cuda_tree.parse(template)
    filled = cuda_tree.parse(template[:offset] + text + after)
    span = (start, start + len(BLANK))
    return cuda_tree.same_outside(pristine.root_node, span, filled.root_node, (start, start + len(text)))


class _Parser:
    """Recursive descent over the tokens. Without rules it only finds the structure of a fill checked before."""

    def __init__(self, fill: Typed, found: list[Token], rules: BlankRules | None) -> None:
        self.fill = fill
        self.read = _Read(found)
        self.rules = rules
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.read.tokens[self.at]

    def start(self) -> _Read:
        self.conditional()
        if self.token.kind != "end":
            raise self.unexpected()
        return self.read

    def refuse(self, token: Token, en: str, zh: str, **values: object) -> Refused:
        return self.fill.refuse(token.at, en, zh, **values)

    def accept(self, *signs: str) -> bool:
        if self.token.kind in ("sign", "name") and self.token.text in signs:
            self.at += 1
            return True
        return False

    def expect(self, sign: str, opened: Token | None = None) -> None:
        if self.accept(sign):
            return
        if opened is not None and self.token.kind == "end":
            raise self.refuse(opened, "this bracket is never closed", "这个括号没有闭合")
        raise self.unexpected()

    def unexpected(self) -> Refused:
        """The refusal of the token at hand, in the words that help most."""
        token = self.token
        text = token.text
        if token.kind == "end":
            en, zh = "the expression ends too early: something is missing here", "表达式不完整：这里缺少内容"
        elif text in _ASSIGNMENTS:
            en, zh = (
                "an assignment ('{t}') cannot stand in the blank; to compare, write '=='",
                "填空里不能赋值（'{t}'）；比较请写 '=='",
            )
        elif text in ("++", "--"):
            en, zh = "'{t}' changes a value and cannot stand in the blank", "'{t}' 会修改变量，不能出现在填空里"
        elif text == ",":
            en, zh = "the comma operator cannot stand in the blank", "填空里不能用逗号运算符"
        elif text == ")":
            en, zh = "')' closes nothing that the blank opened", "')' 没有与之对应的左括号"
        elif text in ("<<<", ">>>"):
            en, zh = "a kernel cannot be launched in the blank", "填空里不能启动核函数"
        elif text in ("->", "->*", ".*", "."):
            en, zh = "'{t}' cannot stand here: only the fields {list} can be read", "这里不能有 '{t}'：只能读取 {list}"
        elif text == "::":
            en, zh = "a qualified name ('::') cannot stand here", "这里不能用限定名（'::'）"
        else:
            en, zh = "'{t}' does not fit here", "'{t}' 不应出现在这里"
        return self.refuse(token, en, zh, t=shown(text), list=self.fields())

    def fields(self) -> str:
        return ", ".join(sorted(n for n in self.rules.names | self.rules.attributes if "." in n)) if self.rules else ""

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse(self.token, "nested deeper than {most} levels", "嵌套超过 {most} 层", most=MAX_DEPTH)

    def conditional(self) -> None:
        self.binary(0)
        if self.accept("?"):
            self.deeper()
            self.conditional()
            self.expect(":")
            self.conditional()
            self.depth -= 1

    def binary(self, lowest: int) -> None:
        """Operators that bind at least as tightly as `lowest`, by climbing the precedences."""
        self.unary()
        while self.token.kind in ("sign", "name"):
            sign = self.token.text
            level = _LEVEL_OF.get(sign, -1)
            if level < lowest:
                return
            if sign == "<":
                self.name_before()
            self.at += 1
            if sign in ("<<", ">>"):
                self.shift_count()
            self.binary(level + 1)

    def name_before(self) -> None:
        """Note the name or field that ends just before a `<`: tree-sitter may take it for a template's name."""
        last = start = self.at - 1
        while start >= 2 and self.read.tokens[start - 1].text in (".", "::"):
            start -= 2
        token = self.read.tokens[start]
        if token.kind == "name":
            self.read.comparisons.append((token.at, self.read.tokens[last].end))

    def shift_count(self) -> None:
        token = self.token
        match = INTEGER.fullmatch(token.text) if token.kind == "number" else None
        digits = re.match(r"(?:0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9']+)", token.text) if match else None
        if digits is not None:
            words = digits.group().replace("'", "")
            octal = len(words) > 1 and words.isdigit() and words[0] == "0"
            if int("0o" + words if octal else words, 0) > 63:
                en, zh = "a shift by {n} has no defined result", "移位 {n} 位没有确定的结果"
                raise self.refuse(token, en, zh, n=shown(words))

    def unary(self) -> None:
        self.deeper()
        token = self.token
        if token.kind in ("sign", "name") and token.text in _UNARY:
            self.at += 1
            self.unary()
        elif token.text in ("&", "*", "&&", "bitand", "and"):
            en, zh = (
                "'{t}' has no left side here: no address and no pointer in the blank",
                "'{t}' 左边缺少值：填空里不能取地址或用指针",
            )
            raise self.refuse(token, en, zh, t=token.text)
        elif self.at_cast():
            self.at += 1
            self.type_words()
            self.expect_cast_end(")")
            self.unary()
        else:
            self.primary()
        self.depth -= 1

    def at_cast(self) -> bool:
        """Whether a C cast begins here: `(float)x`, and not the brackets of `(float(x))`."""
        at = self.at + 1
        if self.token.text != "(" or self.read.tokens[at].text not in _TYPE_WORDS:
            return False
        while self.read.tokens[at].text in _TYPE_WORDS:
            at += 1
        return self.read.tokens[at].text != "("

    def type_words(self) -> list[Token]:
        """Read the words of one scalar type."""
        words = []
        while self.token.kind == "name" and self.token.text in _TYPE_WORDS:
            words.append(self.token)
            self.at += 1
        if not words or not _scalar([w.text for w in words]):
            en, zh = (
                "a cast may go only to a scalar type such as float, int or unsigned",
                "只能转换为标量类型，如 float、int、unsigned",
            )
            raise self.refuse(words[0] if words else self.token, en, zh)
        return words

    def expect_cast_end(self, sign: str) -> None:
        if not self.accept(sign):
            en, zh = (
                "a cast may go only to a scalar type such as float, int or unsigned",
                "只能转换为标量类型，如 float、int、unsigned",
            )
            raise self.refuse(self.token, en, zh)

    def primary(self) -> None:
        token = self.token
        if token.kind == "number":
            self.at += 1
        elif token.text == "(":
            self.at += 1
            self.conditional()
            self.expect(")", token)
            if self.token.text == "(":
                raise self.refuse(self.token, "only a named function can be called here", "这里只能调用有名字的函数")
        elif token.text == "static_cast":
            self.static_cast()
        elif token.text in _TYPE_WORDS:
            self.functional_cast()
        elif token.text in ("true", "false"):
            self.at += 1
        elif token.text in _WORD_SIGNS or token.text in _ASSIGNMENTS:
            raise self.unexpected()
        elif token.kind == "name" or token.text == "::":
            self.named()
        else:
            raise self.unexpected()

    def static_cast(self) -> None:
        self.at += 1
        if not self.accept("<"):
            raise self.unexpected()
        self.type_words()
        self.expect_cast_end(">")
        self.arguments(exactly_one=True)

    def functional_cast(self) -> None:
        words = self.type_words()
        if len(words) > 1 or self.token.text != "(":
            en, zh = (
                "a type can stand only in a cast, such as float(x) or (unsigned)x",
                "类型只能用于转换，如 float(x) 或 (unsigned)x",
            )
            raise self.refuse(words[0], en, zh)
        self.read.edits += [(words[0].at, "("), (words[0].end, ")")]
        self.arguments(exactly_one=True)

    def arguments(self, exactly_one: bool = False) -> None:
        opened = self.token
        self.expect("(")
        if not exactly_one and self.accept(")"):
            return
        self.conditional()
        while not exactly_one and self.accept(","):
            self.conditional()
        self.expect(")", opened)

    def named(self) -> None:
        """A name, a field of one, or a call of an allowed function."""
        first = self.token
        words = ""
        if self.accept("::"):
            words = "::"
        while self.token.kind == "name":
            words += self.token.text
            self.at += 1
            if self.token.text not in (".", "::") or self.read.tokens[self.at + 1].kind != "name":
                break
            words += self.token.text
            self.at += 1
        if self.token.text == "(":
            self.may(first, words, call=True)
            self.arguments()
        else:
            self.may(first, words, call=False)

    def may(self, token: Token, words: str, call: bool) -> None:
        """Refuse a name that the allow-list does not hold."""
        if self.rules is None:
            return
        calls, values = self.rules.calls, self.rules.names | self.rules.attributes
        if call and words.startswith("std::") and words[5:] in calls & _STANDARD:
            return
        if words in (calls if call else values):
            return
        if call and words in values:
            en, zh = "`{name}` is a value, not a function", "`{name}` 是值，不是函数"
        elif words in calls:
            en, zh = "`{name}` is a function: call it, as in {name}(...)", "`{name}` 是函数：请调用它，如 {name}(...)"
        else:
            en, zh = (
                "`{name}` may not be used here; allowed: numbers, {list}",
                "这里不能使用 `{name}`；可以使用：数字、{list}",
            )
        raise self.refuse(token, en, zh, name=shown(words), list=self.rules.listing())


def _scalar(words: list[str]) -> bool:
    """Whether the words name one scalar type of the GPU."""
    if len(words) == 1:
        return True
    count = Counter(words)
    if set(count) - {"int", "unsigned", "signed", "long", "short", "char"} or count["long"] > 2:
        return False
    if any(n > 1 for word, n in count.items() if word != "long") or (count["signed"] and count["unsigned"]):
        return False
    sizes = (count["long"] > 0) + count["short"] + count["char"]
    return sizes <= 1 and not (count["char"] and count["int"])
