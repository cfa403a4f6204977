"""$EDITOR, completion, and input by lines where nothing can be drawn."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from course_cli import editor
from graders.errors import EnvironmentProblem
from tests.course_cli.screens import screen


def script(tmp_path: Path, body: str) -> str:
    path = tmp_path / "editor.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_a_text_goes_to_the_editor_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", script(tmp_path, "printf 'more\\r\\n' >> \"$1\""))
    assert editor.open_editor("因为 a + 0 = a\n", ".md") == "因为 a + 0 = a\nmore\n"


@pytest.mark.parametrize("command", ["/no/such/editor", "false", ""])
def test_an_editor_that_fails_is_told(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", command)
    with pytest.raises(EnvironmentProblem, match=r"editor|EDITOR"):
        editor.open_editor("x", ".md")


def completions(text: str, words: tuple[str, ...], asked: bool, several: bool = False) -> list[str]:
    question = editor.Question("> ", "cuda", words=words, commands=(":hint", ":help"), several_lines=several)
    made = editor._completer(question)
    if made is None:
        return []
    event = CompleteEvent(completion_requested=asked)
    return [c.text for c in made.get_completions(Document(text), event)]


def test_allowed_names_are_completed() -> None:
    words = ("other_val", "other_idx", "vi.val", "isnan")
    assert completions("isnan(oth", words, asked=False) == ["other_val", "other_idx"]
    assert completions("vi.", words, asked=False) == ["vi.val"]
    assert completions("0.0 ", words, asked=False) == []
    assert completions("", words, asked=True)[:2] == ["other_val", "other_idx"]
    assert completions(":h", words, asked=False) == [":hint", ":help"]
    assert completions("a :h", words, asked=False) == []
    assert completions("because", (), asked=True, several=True) == []


def test_lines_are_read_where_nothing_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    with screen(plain=True):
        monkeypatch.setattr("sys.stdin", io.StringIO("first\nsecond\n\n0.0\n\n"))
        seen: list[str] = []
        answer = editor.Question("> ", several_lines=True, changed=seen.append)
        assert editor.ask(answer) == "first\nsecond"
        assert seen[-1] == "first\nsecond"
        assert editor.ask(editor.Question("> ")) == "0.0"
        assert editor.ask(editor.Question("> ", default="kept")) == "kept"
        with pytest.raises(editor.Left):
            editor.ask(editor.Question("> "))
