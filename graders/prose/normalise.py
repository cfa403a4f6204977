"""One plain form for many ways of writing: full-width, Traditional, LaTeX, code, invisible characters.

Every character of the plain form remembers where it came from, so that the learner's own words can be marked in
the answer as it was written. The plain form is lower case, Simplified Chinese, with ASCII punctuation for formulas;
minus infinity in any spelling is the token `neginf`, NaN is `nan`, e to a power is `exp(...)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"

# Invisible characters carry no meaning and are used to hide words from a reader like this one.
_INVISIBLE = frozenset("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2060\u2061\u2062\u2063\u2064\ufeff") | {
    chr(c) for c in (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x2070), *range(0xFE00, 0xFE10))
}

# Symbols with a plain spelling. NFKC has run on each character before this table is used.
_SYMBOLS = {
    "−": "-", "–": "-", "‐": "-", "‑": "-", "﹣": "-", "—": " — ", "―": " — ", "∞": "inf", "≤": "<=", "≥": ">=", "⩽": "<=",
    "⩾": ">=", "≦": "<=", "≧": ">=", "≠": "!=", "→": " -> ", "⟶": " -> ", "⇒": " => ", "⟹": " => ", "↦": " -> ", "×": "*",
    "·": "*", "⋅": "*", "÷": "/", "∨": " or ", "∧": " and ", "¬": " not ", "≻": ">", "≺": "<", "∑": " sum ", "Σ": " sum ", "σ": " sum ",
    "’": "'", "‘": "'", "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"', "《": '"', "》": '"', "…": "...",
    "，": ",", "；": ";", "：": ":", "（": "(", "）": ")", "！": "!", "？": "?", "【": "[", "】": "]", "〔": "(", "〕": ")", "｡": "。",
    "∀": " any ", "≡": "=", "≈": "=", "≃": "=", "≅": "=", "∈": " in ", "⌈": "", "⌉": "", "\u3000": " ", "\xa0": " ", "\t": " ",
}  # fmt: skip

# Taiwan, Hong Kong: words that differ by more than their characters (looked up after the characters were simplified).
_VOCABULARY = {
    "暂存器": "寄存器", "缓存器": "寄存器", "记忆体": "内存", "显示记忆": "显存", "执行绪": "线程", "执行序": "线程", "阵列": "数组",
    "回传": "返回", "传回": "返回", "资料": "数据", "纯量": "标量", "溢位": "溢出", "索引值": "索引", "回圈": "循环", "回路": "循环",
    "演算法": "算法", "位元": "位", "浮点数": "浮点数", "程式": "程序", "函式": "函数", "变数": "变量", "参数": "参数", "编译器": "编译器",
    "硬体": "硬件", "软体": "软件", "预设": "默认", "遮罩": "掩码", "屏蔽": "屏蔽", "平行": "并行", "机率": "概率", "分佈": "分布",
    "讯息": "信息", "最佳化": "优化", "效能": "性能", "频宽": "带宽", "巨集": "宏", "指标": "指针", "位址": "地址", "储存": "存储",
    "写回": "写回", "相异": "不同", "巢状": "嵌套", "数位": "数字", "核心函数": "kernel", "核函数": "kernel", "内核": "kernel", "算子核": "kernel",
    "正规化": "归一化", "正则化": "归一化", "透过": "通过", "品质": "质量", "迴": "回", "元组": "元组", "序列化": "串行化", "丛集": "集群",
    "车道": "lane", "通道": "lane", "泳道": "lane", "横列": "行", "直行": "列", "整列": "整行", "一列": "一行", "该列": "该行", "这列": "这行", "每列": "每行", "缩减": "归约", "规约": "归约",
    "归并": "合并", "约减": "归约", "化简": "归约", "填补": "填充", "补零": "补 0", "填零": "填 0", "补白": "填充", "单位元素": "单位元", "单位元": "单位元",
    "恒等元": "单位元", "么元": "单位元", "幺元": "单位元", "中立元": "单位元", "中性元": "单位元", "稳定度": "稳定性", "哨兵值": "哨兵", "锯齿": "锯齿",
}  # fmt: skip

_LATEX: tuple[tuple[str, str], ...] = (
    (r"\\(?:text|mathrm|mathbf|mathit|mathtt|texttt|operatorname|mathbb|mathcal|boldsymbol|textbf)\s*\{([^{}]*)\}", r"\1"),
    (r"\\(?:hat|widehat|tilde|bar|vec|overline|underline)(?![a-z])", ""), (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"(\1)/(\2)"),
    (r"\\begin\s*\{[a-z*]+\}|\\end\s*\{[a-z*]+\}|\\\\(?=\s)", " ; "),
    (r"\\(?:lceil|rceil|lfloor|rfloor|left|right|bigl?|bigr|limits|displaystyle|,|;|!|:|quad|qquad| )(?![a-z])", " "),
    (r"\\infty(?![a-z])", "inf"), (r"\\leq?(?:slant)?(?![a-z])", "<="), (r"\\geq?(?:slant)?(?![a-z])", ">="),
    (r"\\(?:neq?|not\s*=)(?![a-z])", "!="), (r"\\(?:lor|vee)(?![a-z])", " or "), (r"\\(?:land|wedge)(?![a-z])", " and "),
    (r"\\(?:lnot|neg)(?![a-z])", " not "), (r"\\succ(?:eq)?(?![a-z])", ">"), (r"\\prec(?:eq)?(?![a-z])", "<"),
    (r"\\gt(?![a-z])", ">"), (r"\\lt(?![a-z])", "<"), (r"\\(?:cdot|times|ast)(?![a-z])", "*"),
    (r"\\(?:bmod|pmod|mod)(?![a-z])", " mod "), (r"\\(?:implies|(?:long)?(?:right|r)arrow|mapsto|to)(?![a-z])", " -> "), (r"\\(?:Rightarrow|rightarrow|Longrightarrow)", " -> "),
    (r"\\iff(?![a-z])", " = "), (r"\\forall(?![a-z])", " any "), (r"\\oplus(?![a-z])", "⊕"), (r"\\[dlcv]?dots(?![a-z])", "..."),
    (r"\\(?:sum|sigma)(?![a-z])", " sum "), (r"\\(max|min|exp|log|in|mid|bot|top|equiv|approx)(?![a-z])", r" \1 "), (r"\\_", "_"), (r"\\%", "%"), (r"\\[{}]", " "),
)  # fmt: skip

_NEGINF: tuple[tuple[str, str], ...] = (
    (r"float\(\s*['\"]\s*-\s*inf(?:inity)?['\"]\s*\)", " neginf "),
    (r"-\s*(?:float\(\s*['\"]\+?inf(?:inity)?['\"]\s*\)|(?:torch|np|numpy|math|tl|std)\s*(?:\.|::)\s*inf(?:inity)?|inf(?:inity)?f?(?![a-z])|infty)", " neginf "),
    (r"负的?无(?:穷|限)(?:大|小)?|负\s*inf(?:inity)?(?![a-z])|(?:negative|minus|neg|-ve)[ -]?inf(?:init(?:y|e))?(?![a-z])|\bninf\b|neg_inf(?:inity)?|无穷小", " neginf "),
    (r"(?:positive|plus)[ -]inf(?:inity)?(?![a-z])|正无(?:穷|限)大?|\+\s?inf(?:inity)?(?![a-z])|(?<![负])无(?:穷|限)大(?!小)", " posinf "),
    (r"\bnan(?:s|'s)?\b|\bnot[ -]a[ -]number\b|非数(?!字|据|值)|非数值", "nan"),
)  # fmt: skip

_EXP: tuple[tuple[str, str], ...] = (
    (r"(?:tl|np|torch|math)\s*\.\s*exp\b|\bexpf\b|__expf", "exp"),
    (r"(?<![a-z0-9_])e\s*(?:\^|\*\*)\s*\{([^{}]*)\}", r"exp(\1)"),
    (r"(?<![a-z0-9_])e\s*(?:\^|\*\*)\s*\(([^()]*)\)", r"exp(\1)"),
    (r"(?<![a-z0-9_])e\s*(?:\^|\*\*)\s*([-+]?\s?[a-z0-9_.]+)", r"exp(\1)"),
    (r"(?<![a-z0-9_])e\s*的\s*(neginf|零|[-+]?[a-z0-9_.]+)\s*次(?:方|幂)", r"exp(\1)"),
    (r"(?<![a-z0-9_])e\s+(?:raised\s+)?to\s+(?:the\s+)?(?:power\s+(?:of\s+)?)?(neginf|zero|[-+]?[0-9][0-9.]*)", r"exp(\1)"),
    (r"exp (neginf|0(?:\.0+)?)(?![\w.])", r"exp(\1)"),
    (r"exp\(\s*(?:zero|零|0\s*-\s*0|0\.0+f?|0\.)\s*\)", "exp(0)"),
    (r"exp\(\s*neginf\s*\)", "exp(neginf)"),
)  # fmt: skip

# Words misspelt so often that their stem is known; they are put right before anything else is read.
_SPELLING: tuple[tuple[str, str], ...] = (
    (r"\bsub?s?tra?c?t(?=s|ed|ing|ion|\b)|\bsubstract(?=s|ed|ing|ion|\b)", "subtract"), (r"\bexp[ao]n[ea]n?t(?=s\b|\b|ial)", "exponent"),
    (r"\bdevid(?=e|ing)", "divid"), (r"\bw(?:ih|i|hi)t?h?o?ut\b|\bwitout\b", "without"), (r"\bingor(?=e|ing)", "ignor"),
    (r"\bneg(?:t|a)iv(?:e)?\b|\bnegitive\b|\bnegativ\b", "negative"), (r"\binfin(?:t|it|ti|iti)y?\b(?!e)|\binfinty\b|\binifinity\b", "infinity"),
    (r"\bover?flo\b|\boverfow|\bovreflow", "overflow"), (r"\bmax[ui]mim?um\b|\bmaxmium\b", "maximum"), (r"\bpad(?:d?i?n?ig|idng|ing)\b", "padding"),
    (r"\bdenom(?:i|e)(?:n)?ator\b|\bdenumerator\b", "denominator"), (r"\bprob(?:a)?b?il?it(?:y|ies)\b(?<!probability)(?<!probabilities)", "probability"), (r"\brefister|\bregsiter", "register"),
    (r"\bdos(?:e)?nt\b|\bdoens'?t\b|\bdosen'?t\b|\bdeosnt\b", "doesn't"), (r"\bteh\b", "the"), (r"\bbecom\b", "become"), (r"\bcontribut\b", "contribute"), (r"\breduct(?:oi|i)n\b", "reduction"), (r"\bkernal", "kernel"),
    (r"付(?=数|无穷|的)", "负"), (r"[坟份](?=母)", "分"), (r"稀(?:是|示|式)", "稀释"), (r"[慨盖](?=率)", "概"), (r"(?<=概)[律绿]", "率"),
    (r"(?<=[上下会])(?:益出|溢处|意出)", "溢出"), (r"最大(?:植|只)(?=[,。是为会减就])", "最大值"), (r"归一话", "归一化"), (r"负无(?:群|穹|琼)", "负无穷"), (r"补(?:味|卫)", "补位"),
)  # fmt: skip

# Frequent slips of the pen, and words cut by a learner's haste.
_SLIPS: tuple[tuple[str, str], ...] = (
    (r"denomiator|denominater|demoninator|denominat?or", "denominator"), (r"becuase|becasue|beacuse|becaus\b|b/c|\bcuz\b|\bcoz\b|\bbc\b", "because"),
    (r"probabilites|probabilties|probablities", "probabilities"), (r"indentity|idenity|identiy", "identity"), (r"maximun|maxium", "maximum"),
    (r"n['’]t\b", "n't"), (r"\b(do|does|did|is|are|was|were|wo|ca|would|could|should|has|have|must)nt\b", r"\1n't"), (r"\bcannot\b|\bcan not\b", "can't"),
    (r"最大直", "最大值"), (r"分毋", "分母"), (r"做为", "作为"), (r"下标号|序号", "下标"), (r"next_?pow(?:er)?_?(?:of)?_?2", "next_power_of_2"),
    (r"(?<=\d) ?x ?(?=\d)", " * "), (r"w/o\b", "without"), (r"\bw/", "with "), (r"\bidc\b", "don't care"), (r"\bgonna\b", "going to"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plain:
    """The plain form of an answer. `origin[i]` is the index in the raw answer that character i came from."""

    raw: str
    text: str
    origin: tuple[int, ...]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open span of the raw answer behind the characters start..end of the plain text."""
        if start >= end or start >= len(self.origin):
            return (0, 0)
        return (self.origin[start], self.origin[min(end, len(self.origin)) - 1] + 1)

    def words(self, start: int, end: int) -> str:
        """The learner's own words behind a span of the plain text."""
        a, b = self.raw_span(start, end)
        return self.raw[a:b].strip()


@cache
def _characters() -> dict[str, str]:
    """Traditional to Simplified, character by character."""
    table: dict[str, str] = {}
    for line in (_DATA / "traditional.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            table.update({pair[0]: pair[1] for pair in line.split()})
    return table


class _Mapped:
    """Text under rewriting, each character tied to its place in the raw answer."""

    def __init__(self, text: str, origin: list[int]) -> None:
        self.text = text
        self.origin = origin

    def sub(self, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> None:
        if not pattern.search(self.text):
            return
        out: list[str] = []
        origin: list[int] = []
        last = 0
        for m in pattern.finditer(self.text):
            if m.end() == m.start():
                continue
            new = replacement(m) if callable(replacement) else m.expand(replacement)
            out.append(self.text[last : m.start()])
            origin += self.origin[last : m.start()]
            out.append(new)
            # The first and last characters of the replacement point at the ends of what they replace.
            source = self.origin[m.start() : m.end()]
            if len(new) == len(source):
                origin += source
            else:
                origin += [source[min(len(source) - 1, i * len(source) // max(1, len(new)))] for i in range(len(new))]
                if new:
                    origin[-1] = source[-1]
            last = m.end()
        out.append(self.text[last:])
        origin += self.origin[last:]
        self.text = "".join(out)
        self.origin = origin


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    rules = [*_SPELLING, *_LATEX, *_NEGINF, *_EXP, *_SLIPS]
    return tuple((re.compile(p, re.ASCII), r) for p, r in rules)


@cache
def _vocabulary() -> re.Pattern[str]:
    return re.compile("|".join(sorted((re.escape(k) for k in _VOCABULARY), key=len, reverse=True)))


_SCRIPT_BRACES = re.compile(r"[_^]\{([^{}]*)\}")
_MARKUP = re.compile(r"```[a-z+]*|[$`]|\*\*(?=\S)|(?<=\S)\*\*")
_COMMENT = re.compile(r"(?://|(?<![\w'\"])#)\s?")
_BLANKS = re.compile(r"[ \r\f\v]+")
_SOFT_BREAK = re.compile(r"(?<=[^\n])\n(?=[^\n])")
_LIST_MARK = re.compile(r"\s*(?:[-*•+>]|\(?\d{1,2}[.)、]|[①-⑳]|#+|[a-z]\))\s")


def _line_break(m: re.Match[str]) -> str:
    """What a single line break means: a wrapped line goes on, a short line or a list item ends a clause."""
    text, at = m.string, m.start()
    before = text[text.rfind("\n", 0, at) + 1 : at].rstrip()
    after = text[at + 1 : at + 12]
    width = sum(2 if ord(c) > 0x2E7F else 1 for c in before)
    if not before or before[-1] in "。.!?;:,{}" or _LIST_MARK.match(after + " "):
        return "\n"
    code = re.match(r"\s*[\w.\[\]]+\s*=[^=]|\s*(?:if|for|return|float|int)\b.*[({;]", before)
    if width < 40 or (code and not re.search(r"[\u4e00-\u9fff]{6}", before)):
        return "\n"
    chinese = ord(before[-1]) > 0x2E7F and after[:1] and ord(after.lstrip()[:1] or " ") > 0x2E7F
    return "" if chinese else " "


def normalise(raw: str) -> Plain:
    """Return the plain form of an answer; never fails, whatever the characters."""
    table = _characters()
    out: list[str] = []
    origin: list[int] = []
    for i, char in enumerate(raw):
        if char in _INVISIBLE:
            continue
        plain = char if char < "\x80" else _SYMBOLS.get(char)
        if plain is None:
            plain = unicodedata.normalize("NFKC", char)
            plain = _SYMBOLS.get(plain, plain)
            if len(plain) == 1:
                plain = table.get(plain, plain)
        elif char == "\t":
            plain = " "
        plain = plain.lower()
        out.append(plain)
        origin += [i] * len(plain)
    mapped = _Mapped("".join(out), origin)
    mapped.sub(_vocabulary(), lambda m: _VOCABULARY[m.group(0)])
    for _ in range(2):
        mapped.sub(_LATEX_FIRST, r"\1")
    for pattern, replacement in _rules():
        mapped.sub(pattern, replacement)
    mapped.sub(_SCRIPT_BRACES, r"_\1")
    mapped.sub(_MARKUP, " ")
    mapped.sub(_COMMENT, ", ")
    mapped.sub(_SOFT_BREAK, _line_break)
    mapped.sub(_BLANKS, " ")
    return Plain(raw, mapped.text, tuple(mapped.origin))


_LATEX_FIRST = re.compile(_LATEX[0][0], re.ASCII)
