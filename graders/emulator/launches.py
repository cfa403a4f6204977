"""Kernels and their launches: k<<<grid, block>>>(args) becomes a call of the runtime."""

from __future__ import annotations

from graders.emulator.lexer import adjacent, angle_closing, angle_opening, closing, opening
from graders.emulator.source_edits import WITH_PARENS, SourceEdits, parameter_count


class Launches(SourceEdits):
    """The part of the rewriter that knows kernels."""

    def find_kernels(self) -> None:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            if token.text != "__global__":
                continue
            j = i + 1
            while j < len(tokens) and tokens[j].text not in ("(", ";", "{"):
                if tokens[j].text in WITH_PARENS and j + 1 < len(tokens) and tokens[j + 1].text == "(":
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
                    self.templates[name] = parameter_count(tokens[start + 1 : head])

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
        return parameter_count(self.tokens[opened + 1 : stop - 1]) != wanted

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
