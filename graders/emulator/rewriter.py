"""From CUDA C++ to C++ that g++ compiles: only launches, shared variables, device variables and `main` are touched.

Every line keeps its number, and `Rewritten.column` maps a column back, so that messages point into the learner's
own file. What cannot be rewritten faithfully is refused by name.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from graders.emulator import includes
from graders.emulator.lexer import Token, adjacent, angle_closing, angle_opening, closing, opening, tokenize
from graders.errors import EnvironmentProblem, Where
from graders.observation import Finding
from graders.text import Text, same

_SPACE_WORDS = {"__device__", "__constant__", "__managed__"}
_WITH_PARENS = {
    "__align__",
    "alignas",
    "__attribute__",
    "__launch_bounds__",
    "__maxnreg__",
    "__cluster_dims__",
    "decltype",
}
_ASSEMBLY = {"asm", "__asm__", "__asm"}
_NOT_COVERED = {
    "cudaGraph_t": "CUDA graphs",
    "cudaGraphCreate": "CUDA graphs",
    "cudaStreamBeginCapture": "CUDA graphs",
    "cudaTextureObject_t": "textures",
    "cudaSurfaceObject_t": "surfaces",
    "cudaArray_t": "CUDA arrays",
    "cudaMallocArray": "CUDA arrays",
    "cudaMalloc3D": "cudaMalloc3D",
    "cudaMemcpy3D": "cudaMemcpy3D",
    "cudaLaunchCooperativeKernel": "cooperative launches (cudaLaunchCooperativeKernel)",
    "this_multi_grid": "cooperative launches of several devices",
    "cluster_group": "thread block clusters (cluster_group)",
    "this_cluster": "thread block clusters (this_cluster)",
    "memcpy_async": "asynchronous copies (memcpy_async)",
    "cudaLaunchKernelEx": "cudaLaunchKernelEx",
    "cudaMallocFromPoolAsync": "memory pools",
    "__cluster_dims__": "thread block clusters (__cluster_dims__)",
    "__nv_bfloat162_raw": "__nv_bfloat162_raw",
    "cuLaunchKernel": "the driver API",
    "cuInit": "the driver API",
}


class Unsupported(EnvironmentProblem):
    """The emulator does not cover something that the program uses (exit 3)."""

    def __init__(self, what: str, line: int, filename: str = "") -> None:
        self.what = what
        self.line = line
        place = f" (line {line})" if line else ""
        zh = f"（第 {line} 行）" if line else ""
        text = Text(f"not supported by the emulator: {what}{place}", f"模拟器不支持：{what}{zh}")
        super().__init__(text, Where(filename, line) if filename else None)


@dataclass(slots=True)
class Rewritten:
    """`text` has as many lines as the source had; `findings` are mistakes that nvcc would refuse too."""

    text: str
    kernels: dict[str, int] = field(default_factory=dict)
    has_main: bool = False
    findings: tuple[Finding, ...] = ()
    edits: list[tuple[int, int, int]] = field(default_factory=list)  # (offset in the source, removed, inserted)
    starts: list[int] = field(default_factory=list)  # offset of each source line

    def column(self, line: int, column: int) -> int:
        """The column in the learner's file of a column in the rewritten text (both count from 1)."""
        if not 0 < line <= len(self.starts):
            return column
        start = self.starts[line - 1]
        stop = self.starts[line] if line < len(self.starts) else 1 << 60
        shift = 0
        for at, removed, inserted in self.edits:
            if at < start or at >= stop:
                continue
            place = at - start + 1 + shift
            if column < place:
                break
            if column < place + inserted:
                return at - start + 1
            shift += inserted - removed
        return max(column - shift, 1)


class _Rewriter:
    def __init__(self, source: str, filename: str) -> None:
        self.source = source
        self.filename = filename
        self.tokens = tokenize(source)
        self.starts = [0] + [i + 1 for i, c in enumerate(source) if c == "\n"]
        self.edits: list[tuple[int, int, str]] = []
        self.templates: dict[str, int | None] = {}  # kernel templates: number of parameters, None if it may vary
        self.kernels: dict[str, int] = {}
        self.overloads: dict[str, int] = {}
        self.defaults: set[str] = set()
        self.findings: list[Finding] = []
        self.has_main = False

    def line(self, token: Token) -> int:
        return bisect.bisect_right(self.starts, token.at)

    def refuse(self, what: str, token: Token) -> Unsupported:
        return Unsupported(what, self.line(token), self.filename)

    def edit(self, at: int, removed: int, text: str) -> None:
        self.edits.append((at, removed, text))

    def blank(self, first: Token, last: Token | None = None) -> None:
        """Replace by spaces, line breaks kept."""
        stop = (last or first).end
        self.edit(first.at, stop - first.at, "".join("\n" if c == "\n" else " " for c in self.source[first.at : stop]))

    # ---- what the file declares
    def find_kernels(self) -> None:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.text != "__global__":
                continue
            j = i + 1
            while j < len(tokens) and tokens[j].text not in ("(", ";", "{"):
                if tokens[j].text in _WITH_PARENS and j + 1 < len(tokens) and tokens[j + 1].text == "(":
                    j = closing(tokens, j + 1)
                    if j < 0:
                        break
                elif tokens[j].text == "<" and (k := angle_closing(tokens, j)) > 0:
                    j = k  # a specialisation: k<int>(...)
                j += 1
            if not 0 < j < len(tokens) or tokens[j].text != "(":
                continue
            k = j - 1
            if tokens[k].text == ">":
                k = angle_opening(tokens, k) - 1
            if k < 0 or tokens[k].kind != "name":
                continue
            name = tokens[k].text
            self.kernels.setdefault(name, self.line(tokens[k]))
            end = closing(tokens, j)
            if any(t.text == "=" for t in tokens[j:end]):
                self.defaults.add(name)  # a launch may leave arguments out
            if end > 0 and end + 1 < len(tokens) and tokens[end + 1].text == "{":
                self.overloads[name] = self.overloads.get(name, 0) + 1
            head = i - 1
            while head >= 0 and (
                tokens[head].text in ("static", "inline", "void", "extern") or tokens[head].kind == "string"
            ):
                head -= 1
            if head >= 0 and tokens[head].text == ">":
                start = angle_opening(tokens, head)
                if start > 0 and tokens[start - 1].text == "template":
                    self.templates[name] = _parameter_count(tokens[start + 1 : head])

    # ---- launches
    def rewrite_launches(self) -> None:
        tokens = self.tokens
        i = 0
        while i < len(tokens):
            if not adjacent(tokens, i, "<<<"):
                i += 1
                continue
            end = self._config_end(i + 3)
            start = self._kernel_start(i - 1)
            if end < 0 or start < 0 or end + 3 >= len(tokens) or tokens[end + 3].text != "(":
                i += 3
                continue
            name = self._kernel_name(start, i)
            by_lambda = self._needs_lambda(name, start, i)
            self.edit(tokens[start].at, 0, "::cuemu::on([&](auto... cuemu_a) { " if by_lambda else "::cuemu::on(")
            self.edit(tokens[i].at, 3, ("(cuemu_a...); }" if by_lambda else "") + ", ::cuemu::Config(")
            self.edit(tokens[end].at, 3, "))")
            i += 3

    def _config_end(self, i: int) -> int:
        tokens = self.tokens
        while 0 <= i < len(tokens):
            text = tokens[i].text
            if tokens[i].kind == "mark":
                if text in "([{":
                    i = closing(tokens, i)
                    if i < 0:
                        return -1
                elif adjacent(tokens, i, ">>>"):
                    return i
                elif text in ";})":
                    return -1
            i += 1
        return -1

    def _kernel_start(self, i: int) -> int:
        """First token of the expression that names the kernel and ends at token `i`."""
        tokens = self.tokens
        while i >= 0:
            text = tokens[i].text
            if text == ">":
                i = angle_opening(tokens, i) - 1
                continue
            if text in (")", "]"):
                i = opening(tokens, i)
                if i > 0 and (tokens[i - 1].kind == "name" or tokens[i - 1].text in (")", "]")):
                    i -= 1
                    continue
            elif tokens[i].kind != "name":
                return -1
            before = tokens[i - 1].text if i > 0 else ""
            if before == ":" and i > 1 and adjacent(tokens, i - 2, "::"):
                if i > 2 and (
                    (tokens[i - 3].kind == "name" and tokens[i - 3].text != "return") or tokens[i - 3].text == ">"
                ):
                    i -= 3
                    continue
                return i - 2
            if before == ".":
                i -= 2
                continue
            if before == ">" and i > 1 and adjacent(tokens, i - 2, "->"):
                i -= 3
                continue
            return i
        return -1

    def _kernel_name(self, start: int, stop: int) -> str:
        names = [t.text for t in self.tokens[start:stop] if t.kind == "name"]
        depth = 0
        last = ""
        for token in self.tokens[start:stop]:
            if token.text == "<":
                depth += 1
            elif token.text == ">":
                depth -= 1
            elif token.kind == "name" and depth == 0:
                last = token.text
        return last or (names[-1] if names else "")

    def _needs_lambda(self, name: str, start: int, stop: int) -> bool:
        if name in self.defaults:
            return True
        if name not in self.templates:
            return self.overloads.get(name, 0) > 1
        wanted = self.templates[name]
        if wanted is None or self.overloads.get(name, 0) > 1:
            return True
        if self.tokens[stop - 1].text != ">":
            return True
        opened = angle_opening(self.tokens, stop - 1)
        return _parameter_count(self.tokens[opened + 1 : stop - 1]) != wanted

    # ---- declarations
    def _statement(self, i: int) -> tuple[int, int]:
        """First and last token of the declaration around token `i`; the last is its semicolon, or -1."""
        tokens = self.tokens
        start = i
        while start > 0 and (tokens[start - 1].kind == "name" or tokens[start - 1].text == ")"):
            if tokens[start - 1].text == ")":
                j = opening(tokens, start - 1)
                if j < 1 or tokens[j - 1].text not in _WITH_PARENS:
                    break
                start = j - 1
                continue
            if tokens[start - 1].text in ("else", "do", "private", "public", "protected", "return"):
                break
            start -= 1
        while start < i and self._on_directive(tokens[start]) and not self._on_directive(tokens[i]):
            start += 1
        j = i
        while j < len(tokens):
            text = tokens[j].text
            if tokens[j].kind == "mark":
                if text in "([{":
                    j = closing(tokens, j)
                    if j < 0:
                        return start, -1
                elif text == ";":
                    return start, j
                elif text in ")}]":
                    return start, -1
            j += 1
        return start, -1

    def _on_directive(self, token: Token) -> bool:
        line = self.source[self.starts[self.line(token) - 1] : token.at]
        return line.lstrip().startswith("#")

    def _declarators(self, first: int, last: int) -> list[Token]:
        """The declared names between the tokens; `last` is the semicolon."""
        tokens = self.tokens
        names = []
        candidate: Token | None = None
        done = False
        i = first
        while i <= last:
            text = tokens[i].text
            if tokens[i].kind == "name" and not done:
                if text in _WITH_PARENS and tokens[i + 1].text == "(":
                    i = closing(tokens, i + 1) + 1
                    continue
                candidate = tokens[i]
            elif (
                text == "<" and not done and candidate is not None and (j := angle_closing(tokens, i)) > 0 and j < last
            ):
                i = j
            elif text == "(" and not done:
                raise self.refuse("a declarator with parentheses in a shared or device variable", tokens[i])
            elif text == "{" and not done and _opens_type(tokens, i):
                i = closing(tokens, i)
            elif text in ("[", "=", "{"):
                done = True
                if text in "[{":
                    i = closing(tokens, i)
            elif text in (",", ";"):
                if candidate is not None:
                    names.append(candidate)
                candidate, done = None, False
            elif text in "([{":
                i = closing(tokens, i)
            i += 1
        return names

    def rewrite_shared(self) -> None:
        tokens = self.tokens
        seen = -1
        for i, token in enumerate(tokens):
            if token.text != "__shared__" or i <= seen:
                continue
            start, stop = self._statement(i)
            if stop < 0:
                raise self.refuse("this use of __shared__", token)
            seen = stop
            words = {t.text for t in tokens[start:stop]}
            dynamic = "extern" in words
            j = start
            while j < stop:
                text = tokens[j].text
                if text in ("extern", "static"):
                    self.blank(tokens[j])
                elif text in ("__align__", "alignas", "__attribute__") and tokens[j + 1].text == "(":
                    end = closing(tokens, j + 1)
                    self.blank(tokens[j], tokens[end])
                    j = end
                elif text == "__shared__":
                    self.edit(tokens[j].at, len(text), "typedef")
                j += 1
            after = ""
            outside = self._depth(start) == 0
            for name in self._declarators(start, stop):
                n, line = name.text, self.line(name)
                self.edit(name.at, len(n), f"{n}_cuemu_t")
                if dynamic:
                    storage = f'::cuemu::extern_shared<{n}_cuemu_t>("{n}")'
                else:
                    after += f" struct {n}_cuemu_k;"
                    storage = f'::cuemu::shared<{n}_cuemu_t, {n}_cuemu_k>("{n}", {line})'
                after += (
                    f" {'static ' if outside else ''}{n}_cuemu_t& {n} = {storage}; (void){n};"
                    if not outside
                    else (f" static {n}_cuemu_t& {n} = {storage};")
                )
            self.edit(tokens[stop].end, 0, after)

    def _depth(self, i: int) -> int:
        """How many braces that are no namespace or extern "C" stand open at token `i`."""
        stack: list[bool] = []
        for j in range(i):
            text = self.tokens[j].text
            if text == "{" and self.tokens[j].kind == "mark":
                before = [t.text for t in self.tokens[max(0, j - 6) : j]]
                stack.append("namespace" not in before and not (before and before[-1].startswith('"C')))
            elif text == "}" and self.tokens[j].kind == "mark" and stack:
                stack.pop()
        return sum(stack)

    def rewrite_device_variables(self) -> None:
        tokens = self.tokens
        seen = -1
        for i, token in enumerate(tokens):
            if token.text not in _SPACE_WORDS or i <= seen or self._on_directive(token):
                continue
            kind = self._variable_kind(i)
            if kind is None:
                continue
            start, stop = self._statement(i)
            if stop < 0:
                continue
            seen = stop
            words = [t.text for t in tokens[start:stop]]
            if "extern" in words:
                raise self.refuse(f"extern {token.text} variables", token)
            if self._depth(start) != 0:
                raise self.refuse(f"a {token.text} variable inside a class or function", token)
            if "static" not in words:
                self.edit(tokens[start].at, 0, "static ")
            after = ""
            for name in self._declarators(start, stop):
                n, line = name.text, self.line(name)
                self.edit(name.at, len(n), f"{n}_cuemu_image")
                after += (
                    f' static decltype({n}_cuemu_image)& {n} = ::cuemu::symbol({n}_cuemu_image, "{n}", {line}, {kind});'
                )
            self.edit(tokens[stop].end, 0, after)

    def _variable_kind(self, i: int) -> int | None:
        """0 device, 1 constant, 2 managed memory; None when no variable that needs a place is declared here."""
        tokens = self.tokens
        j = i
        words = []
        while j < len(tokens):
            text = tokens[j].text
            if text in _WITH_PARENS and j + 1 < len(tokens) and tokens[j + 1].text == "(":
                j = closing(tokens, j + 1) + 1
                continue
            if text == "<" and (k := angle_closing(tokens, j)) > 0:
                j = k + 1
                continue
            if text in ("=", ";", "[") or (text == "{" and not _opens_type(tokens, j)):
                break
            if text == "(" or text in (
                "operator",
                "}",
                ")",
                ",",
                "struct",
                "class",
                "union",
                "enum",
                "using",
                "typedef",
                ":",
            ):
                if text == ":" and j + 1 < len(tokens) and (tokens[j + 1].text == ":" or tokens[j - 1].text == ":"):
                    j += 1
                    continue
                return None
            words.append(text)
            j += 1
        start, _ = self._statement(i)
        words = [t.text for t in tokens[start:i]] + words
        last_star = max((k for k, w in enumerate(words) if w == "*"), default=-1)
        if "constexpr" in words or "const" in words[last_star + 1 :]:
            return None  # a constant: readable from everywhere
        if "__managed__" in words:
            return 2
        return 1 if "__constant__" in words else 0

    # ---- main, and what is refused
    def rewrite_main(self) -> None:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.text != "main" or i == 0 or i + 1 >= len(tokens) or tokens[i + 1].text != "(":
                continue
            if tokens[i - 1].text not in ("int", "void", "auto"):
                continue
            end = closing(tokens, i + 1)
            body = end + 1
            if end > 0 and body + 1 < len(tokens) and tokens[body].text == "try":
                body += 1
            if end < 0 or body >= len(tokens) or tokens[body].text not in "{;":
                continue
            self.edit(token.at, 4, "cuemu_user_main")
            if tokens[body].text == "{":
                self.has_main = True
                last = closing(tokens, body)
                if last > 0 and tokens[i - 1].text == "int":
                    self.edit(tokens[last].at, 0, "return 0; ")

    def rewrite_heap(self) -> None:
        """malloc and free inside device functions take device memory, malloc and calloc elsewhere checked memory."""
        tokens = self.tokens
        taken: set[int] = set()
        self._device_heap(taken)
        for k, token in enumerate(tokens[:-1]):
            if token.text not in ("malloc", "calloc") or k in taken or tokens[k + 1].text != "(" or k == 0:
                continue
            before = tokens[k - 1].text
            if before in (".", ">") or self._on_directive(token):
                continue
            if tokens[k - 1].kind == "name" and before not in ("return", "else"):
                continue  # a declaration
            if before == ":":
                if k > 2 and tokens[k - 3].text == "std" and adjacent(tokens, k - 2, "::"):
                    self.blank(tokens[k - 3], tokens[k - 1])
                elif not (k > 2 and adjacent(tokens, k - 2, "::") and tokens[k - 3].kind != "name"):
                    continue
                else:
                    self.blank(tokens[k - 2], tokens[k - 1])
            self.edit(token.at, len(token.text), f"::cuemu::host_{token.text}")

    def _device_heap(self, taken: set[int]) -> None:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.text not in ("__global__", "__device__"):
                continue
            j = i
            while j < len(tokens) and tokens[j].text not in ("{", ";"):
                j = closing(tokens, j) + 1 if tokens[j].text in "([" else j + 1
                if j == 0:
                    break
            if not 0 < j < len(tokens) or tokens[j].text != "{":
                continue
            end = closing(tokens, j)
            if any(t.text == "__host__" for t in tokens[max(0, i - 2) : j]):
                continue
            for k in range(j, end):
                if (
                    tokens[k].text in ("malloc", "free")
                    and tokens[k + 1].text == "("
                    and tokens[k - 1].text not in (".", ">", ":")
                ):
                    close = closing(tokens, k + 1)
                    if close < 0:
                        continue
                    taken.add(k)
                    self.edit(tokens[k].at, len(tokens[k].text), f"::cuemu::device_{tokens[k].text}")
                    self.edit(tokens[close].at, 0, f", {self.line(tokens[k])}")

    def rewrite_words(self) -> None:
        """Early returns of kernels, casts that hide a kernel's type, and a word that the C++ library uses too."""
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.text == "__noinline__":
                self.edit(token.at, len(token.text), "__attribute__((noinline))")
            elif (
                token.text == "cudaLaunchKernel"
                and i + 2 < len(tokens)
                and tokens[i + 2].text in ("(", "reinterpret_cast")
            ):
                self._uncast(i + 2)
            elif token.text == "__global__":
                self._mark_returns(i)

    def _uncast(self, i: int) -> None:
        tokens = self.tokens
        if tokens[i].text == "reinterpret_cast" and (end := angle_closing(tokens, i + 1)) > 0:
            self.blank(tokens[i], tokens[end])
            return
        end = closing(tokens, i)
        if end > 0 and [t.text for t in tokens[i + 1 : end] if t.text != "const"] == ["void", "*"]:
            self.blank(tokens[i], tokens[end])

    def _mark_returns(self, i: int) -> None:
        tokens = self.tokens
        j = i
        while j < len(tokens) and tokens[j].text not in ("{", ";"):
            j = closing(tokens, j) + 1 if tokens[j].text in "([" else j + 1
            if j == 0:
                return
        if j >= len(tokens) or tokens[j].text != "{":
            return
        end = closing(tokens, j)
        lambdas = 0
        for k in range(j, end):
            if tokens[k].text == "]" and tokens[k + 1].text in ("(", "{"):
                lambdas = max(lambdas, self._lambda_end(k + 1))
            if k > lambdas and tokens[k].text == "return" and tokens[k + 1].text == ";":
                self.edit(tokens[k].end, 0, f" ::cuemu::leaves({self.line(tokens[k])})")

    def _lambda_end(self, i: int) -> int:
        """Last token of a lambda whose parameters or body start at `i`; 0 if it is none."""
        tokens = self.tokens
        if tokens[i].text == "(":
            i = closing(tokens, i) + 1
            while 0 < i < len(tokens) and tokens[i].kind == "name":
                i += 1
        if not 0 < i < len(tokens) or tokens[i].text != "{":
            return 0
        return max(closing(tokens, i), 0)

    def check(self) -> None:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.kind != "name":
                if token.text == "%" and adjacent(tokens, i, "%:"):
                    raise self.refuse("digraphs", token)
                continue
            if token.text in _ASSEMBLY:
                raise self.refuse("inline assembly (asm)", token)
            if token.text in _NOT_COVERED:
                raise self.refuse(_NOT_COVERED[token.text], token)
            calls = token.text in self.kernels and i + 1 < len(tokens) and tokens[i + 1].text == "("
            if calls and i and tokens[i - 1].text in (";", "{", "}", "else") and not self._on_directive(token):
                text = Text(
                    f"the kernel {token.text} is called like a function: a launch needs <<<grid, block>>>",
                    f"内核 {token.text} 被当作普通函数调用：启动内核需要 <<<网格, 线程块>>>",
                )
                column = token.at - self.starts[self.line(token) - 1] + 1
                self.findings.append(Finding("missing-launch", text, self.line(token), column))

    def run(self) -> Rewritten:
        includes.check(self.source, self.filename)
        self.find_kernels()
        self.check()
        self.rewrite_launches()
        self.rewrite_words()
        self.rewrite_shared()
        self.rewrite_device_variables()
        self.rewrite_heap()
        self.rewrite_main()
        self.edits.sort(key=lambda e: (e[0], e[1]))
        out = []
        at = 0
        places = []
        for start, removed, text in self.edits:
            if start < at:
                continue  # inside something already replaced
            out.append(self.source[at:start])
            out.append(text)
            at = start + removed
            places.append((start, removed, len(text)))
        out.append(self.source[at:])
        return Rewritten("".join(out), self.kernels, self.has_main, tuple(self.findings), places, self.starts)


def _parameter_count(tokens: list[Token]) -> int | None:
    """Number of comma-separated parts; None with a pack or a default, where fewer may be written."""
    if not tokens:
        return 0
    count, depth, i = 1, 0, 0
    while i < len(tokens):
        text = tokens[i].text
        if tokens[i].kind == "mark":
            if text in "([{<":
                depth += 1
            elif text in ")]}>":
                depth -= 1
            elif text == "," and depth == 0:
                count += 1
            elif (text == "=" and depth == 0) or text == ".":
                return None
        i += 1
    return count


def _opens_type(tokens: list[Token], i: int) -> bool:
    """Whether the brace at `i` is the body of a struct or union written in place."""
    for j in range(i - 1, max(i - 4, -1), -1):
        if tokens[j].text in ("struct", "union", "class", "enum"):
            return True
        if tokens[j].kind != "name":
            return False
    return False


def rewrite(source: str, filename: str) -> Rewritten:
    """Rewrite one file; raises Unsupported, naming what the emulator does not cover and its line."""
    return _Rewriter(source.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"), filename).run()


__all__ = ["Rewritten", "Unsupported", "rewrite", "same"]
