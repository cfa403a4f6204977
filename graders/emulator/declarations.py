"""Shared and device variables, `main`, and the heap: what must live in emulated memory."""

from __future__ import annotations

from graders.emulator.lexer import adjacent, angle_closing, closing
from graders.emulator.source_edits import WITH_PARENS, SourceEdits, opens_type

_SPACE_WORDS = {"__device__", "__constant__", "__managed__"}


class Declarations(SourceEdits):
    """The part of the rewriter that knows variables."""

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
            if text in WITH_PARENS and j + 1 < len(tokens) and tokens[j + 1].text == "(":
                j = closing(tokens, j + 1) + 1
                continue
            if text == "<" and (k := angle_closing(tokens, j)) > 0:
                j = k + 1
                continue
            if text in ("=", ";", "[") or (text == "{" and not opens_type(tokens, j)):
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
