"""Typing at the terminal: one expression with highlighting and completion, answers of several lines, or $EDITOR.

`prompt_toolkit` draws the line while it is edited. In plain mode, and where it cannot draw, Python's own `input` reads lines.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from course_cli.context import settings
from course_cli.i18n import say
from graders.errors import EnvironmentProblem
from graders.text import Text

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.lexers import Lexer

CodeLanguage = Literal["triton", "cuda", "text"]


class Left(Exception):
    """The learner ended the input (Ctrl-D on an empty line)."""


@dataclass(slots=True)
class Question:
    """One thing to type. `changed` is told the text at every change; `toolbar` may answer differently at every moment."""

    prompt: str
    language: CodeLanguage = "text"
    default: str = ""
    words: Sequence[str] = ()
    commands: Sequence[str] = ()
    history: Sequence[str] = ()
    several_lines: bool = False
    toolbar: Callable[[], str] = field(default=lambda: "")
    changed: Callable[[str], None] = field(default=lambda text: None)


def ask(question: Question) -> str:
    """What was typed, without white space around it. Raises Left at the end of input, KeyboardInterrupt on Ctrl-C."""
    if settings.plain or os.environ.get("TERM") == "dumb":
        return _ask_lines(question)
    return _ask_drawn(question)


def _ask_lines(question: Question) -> str:
    """Line by line; several lines end with an empty one. A default is kept where only Enter is pressed."""
    with suppress(ImportError):
        import readline  # noqa: F401 - arrow keys in `input`
    bar = question.toolbar()
    if bar:
        print(bar)
    if question.default:
        print(say("so far (Enter keeps it):", "目前内容（回车保留）："))
        print(question.default)
    lines: list[str] = []
    while True:
        try:
            line = input(question.prompt if not lines else "… ")
        except EOFError:
            if not lines:
                raise Left from None
            break
        if not question.several_lines:
            return line.strip() or question.default
        if not line.strip() or (not lines and line.strip() in question.commands):
            lines += [line] if line.strip() else []
            break
        lines.append(line)
        question.changed("\n".join(lines))
    return "\n".join(lines).strip() or question.default


def _ask_drawn(question: Question) -> str:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.output.color_depth import ColorDepth
    from prompt_toolkit.styles import Style

    history = InMemoryHistory(list(question.history))
    plain_colours = settings.no_color or bool(os.environ.get("NO_COLOR"))
    style = Style.from_dict({"bottom-toolbar": "noreverse", "prompt": "" if plain_colours else "bold ansicyan"})
    session: PromptSession[str] = PromptSession(
        message=[("class:prompt", question.prompt)],
        lexer=_lexer(question.language),
        completer=_completer(question),
        complete_while_typing=not question.several_lines,
        history=history,
        auto_suggest=AutoSuggestFromHistory() if question.language != "text" else None,
        multiline=True,
        prompt_continuation=lambda width, number, wrapped: " " * width,
        key_bindings=_keys(question),
        enable_open_in_editor=False,
        bottom_toolbar=(lambda: question.toolbar()) if question.toolbar() else None,
        color_depth=ColorDepth.DEPTH_1_BIT if plain_colours else None,
        style=style,
        reserve_space_for_menu=4 if question.words else 0,
    )
    session.default_buffer.on_text_changed += lambda buffer: question.changed(buffer.text)
    try:
        return session.prompt(default=question.default).strip()
    except EOFError:
        raise Left from None


def _keys(question: Question) -> KeyBindings:
    """Enter hands in one expression, and ends an answer on an empty line; Alt-Enter always breaks the line."""
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: Any) -> None:
        buffer = event.current_buffer
        document = buffer.document
        is_command = document.text.strip() in question.commands
        done = not question.several_lines or is_command or not document.text.strip()
        if done or (document.is_cursor_at_the_end and not document.current_line.strip()):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    @keys.add("escape", "enter")
    def _(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-x", "c-e")
    def _(event: Any) -> None:
        from prompt_toolkit.application import run_in_terminal

        buffer = event.current_buffer

        def edit() -> None:
            try:
                edited = open_editor(buffer.text, {"triton": ".py", "cuda": ".cu"}.get(question.language, ".md"))
            except EnvironmentProblem as problem:
                from course_cli.i18n import t

                print(t(problem.text))
                return
            buffer.text = edited.rstrip("\n")
            buffer.cursor_position = len(buffer.text)

        run_in_terminal(edit)

    return keys


def _lexer(language: CodeLanguage) -> Lexer | None:
    if language == "text":
        return None
    from prompt_toolkit.lexers import PygmentsLexer

    if language == "triton":
        from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

        return PygmentsLexer(PythonLexer)
    from pygments.lexers.c_like import CudaLexer  # type: ignore[import-untyped]

    return PygmentsLexer(CudaLexer)


def _completer(question: Question) -> Completer | None:
    """Completes the names allowed in the blank and the `:commands`; while typing only once a word has begun."""
    words = [*question.words, *(() if question.several_lines else question.commands)]
    if not words:
        return None
    import re

    from prompt_toolkit.completion import Completer, Completion

    pattern = re.compile(r"(:|[A-Za-z_])[\w.]*$")

    class Names(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Any:
            found = pattern.search(document.text_before_cursor)
            begun = found.group() if found else ""
            if not begun and not complete_event.completion_requested:
                return
            for word in words:
                if (
                    word.startswith(begun)
                    and word != begun
                    and (not word.startswith(":") or document.text.startswith(":"))
                ):
                    yield Completion(word, -len(begun))

    return Names()


def open_editor(text: str, suffix: str) -> str:
    """Edit a text in $VISUAL or $EDITOR; returns it as saved. Raises EnvironmentProblem where there is no editor."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise EnvironmentProblem(
            Text("set EDITOR to use an editor, such as EDITOR=nano", "请设置 EDITOR 环境变量，例如 EDITOR=nano")
        )
    with tempfile.TemporaryDirectory(prefix="course-edit-") as folder:
        path = Path(folder) / f"answer{suffix}"
        path.write_text(text, encoding="utf-8")
        edit_file(path, command)
        return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")


def edit_file(path: Path, command: str | None = None) -> None:
    """Open a file of the learner's in $VISUAL or $EDITOR and wait; raises EnvironmentProblem."""
    command = command or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "nano"
    try:
        status = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
    except (OSError, ValueError) as error:
        text = Text("the editor {c} does not start: {e}", "编辑器 {c} 无法启动：{e}")
        raise EnvironmentProblem(text.fill(c=command, e=error)) from None
    if status != 0:
        raise EnvironmentProblem(Text("the editor ended with status {s}", "编辑器以状态 {s} 结束").fill(s=status))
