"""Both languages are complete everywhere, a third needs no code, wide characters keep their columns."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len

from course_cli import catalogue, i18n
from course_cli.app import build
from course_cli.usage import translated
from graders.text import Text, install
from tests.course_cli.screens import screen

ROOT = Path(__file__).resolve().parents[2]
NAMES = re.compile(r"\{(\w+)[^{}]*\}")
MESSAGES = catalogue.collect()


def run(*words: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "course_cli", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )
    return done.stdout + done.stderr


def test_enough_sentences_are_found() -> None:
    assert len(MESSAGES) > 800
    assert "all {n} cases are right" in MESSAGES and "section number (Enter: stay here) > " in MESSAGES


def test_every_sentence_exists_in_both_languages() -> None:
    for message in MESSAGES.values():
        assert message.zh.strip(), f"no Chinese: {message.en!r} at {message.places[0]}"


def test_both_languages_use_the_same_names() -> None:
    for message in MESSAGES.values():
        if message.places[0].endswith(".yaml"):
            continue  # content: braces there are code
        assert set(NAMES.findall(message.en)) == set(NAMES.findall(message.zh)), message.places[0]


def test_no_sentence_is_the_same_in_both_unless_it_is_code() -> None:
    """English of three words or more has a Chinese side that is not the English."""
    for message in MESSAGES.values():
        words = re.findall(r"[A-Za-z]{3,}", re.sub(r"`[^`]*`|'[^']*'|\{[^}]*\}", "", message.en))
        if len(words) >= 4 and message.en == message.zh:
            assert "pip install" in message.en or "==" in message.en, message.places[0]


def test_the_catalogues_can_be_written_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "LOCALE", tmp_path)
    monkeypatch.setattr(catalogue, "collect", lambda: MESSAGES)
    catalogue.write_all(["fr"], check=False)
    assert catalogue.write_all([], check=True) == []
    zh = catalogue.read_po(tmp_path / "zh" / "LC_MESSAGES" / "course.po")
    assert zh == {m.en: m.zh for m in MESSAGES.values()}
    assert catalogue.read_po(tmp_path / "fr" / "LC_MESSAGES" / "course.po") == {}


def test_the_catalogues_are_there_and_hold_most_of_the_program() -> None:
    for lang in ("en", "zh"):
        known = catalogue.read_po(catalogue.LOCALE / lang / "LC_MESSAGES" / "course.po")
        assert len(known.keys() & MESSAGES.keys()) > 0.5 * len(MESSAGES)


def test_a_third_language_is_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "course.po").write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "{d} of {n} lessons passed · {m} minutes"\nmsgstr "{n} leçons, {d} réussies, {m} minutes"\n\n'
        '#, fuzzy\nmsgid "passed"\nmsgstr "WRONG"\n',
        encoding="utf-8",
    )
    shown = run("--lang", "fr", "status", COURSE_LOCALE_DIR=str(tmp_path), COURSE_HOME=str(tmp_path))
    assert "4 leçons, 0 réussies, 0 minutes" in shown
    assert "Row sum and the value" in shown  # content that is not translated appears in English
    shown = run("--lang", "fr", "status", COURSE_HOME=str(tmp_path))
    assert "--lang" in shown and "leçons" not in shown


def test_filled_sentences_are_translated_before_the_values_go_in() -> None:
    install("xx", {"{n} of {m}": "{m}/{n}", "cases": "Fälle", "broken {n}": "{unknown}"})
    text = Text("{n} of {m}", "{n}/{m}").fill(n=3, m=Text("cases", "用例"))
    assert text.pick("xx") == "Fälle/3" and text.pick("en") == "3 of cases" and text.pick("zh") == "3/用例"
    assert Text("broken {n}", "…{n}").fill(n=1).pick("xx") == "broken 1"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LC_ALL": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"COURSE_LANG": "en", "LANG": "zh_CN"}, "en"),
        ({}, "en"),
    ],
)
def test_the_language_of_the_locale(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COURSE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert i18n.detect([]) == expected
    assert i18n.detect(["--lang", "zh", "run"]) == "zh"


def _paths(family: typer.Typer, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The words of every command, those of families (`review work`) included."""
    found = [(*above, str(c.name)) for c in family.registered_commands]
    for group in family.registered_groups:
        assert group.typer_instance is not None
        words = (*above, str(group.name))
        found += [words, *_paths(group.typer_instance, words)]
    return found


COMMANDS = [(), *_paths(build())]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("columns", ["60", "80"])
def test_help_of_every_command_fits_and_has_an_example(
    lang: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_cli.main import main

    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("COURSE_LANG", lang)
    for command in COMMANDS:
        import contextlib
        import io

        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main([*command, "--help"]) == 0
        text = out.getvalue()
        assert ("示例" if lang == "zh" else "xample") in text, command
        for line in text.splitlines():
            if not line.startswith("    course "):  # examples stay whole, to be copied
                assert cell_len(line) <= int(columns), (command, line)
        if lang == "zh":
            for word in ("Usage", "Options:", "Arguments:", "Show this message", "[required]", "[default"):
                assert word not in text, (command, word)
    i18n.use("en")


@pytest.mark.parametrize(
    "message",
    [
        "No such command 'runn'. Did you mean 'run'?",
        "No such command 'x'.",
        "No such option: --nope",
        "No such option: --lang",
        "Missing argument 'LESSON'.",
        "Missing option '--fill'.",
        "Got unexpected extra argument (b)",
        "Invalid value for '--backend': 'tpu' is not one of 'auto', 'gpu', 'cpu', 'static'.",
    ],
)
def test_usage_errors_are_chinese_in_chinese(message: str) -> None:
    with screen("zh"):
        assert re.search(r"[\u4e00-\u9fff]", translated(message))
    with screen("en"):
        assert not re.search(r"[\u4e00-\u9fff]", translated(message))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_pages_of_the_route_fit(lang: str, width: str, tmp_path: Path) -> None:
    from course_cli.store import Store

    store = Store(tmp_path)
    store.save("lesson05", best=8.5, passed=1.0, seconds=3000.0, hint=2)
    store.save("lesson12-nan", best=4.0, seconds=600.0, stage="questions")
    for words in ((), ("list",), ("status",), ("next",)):
        shown = run("--lang", lang, *words, COLUMNS=width, COURSE_HOME=str(tmp_path))
        for line in shown.splitlines():
            assert cell_len(line.rstrip()) <= int(width), line
    listed = json.loads(run("list", "--json", COURSE_HOME=str(tmp_path)))
    assert listed[0]["id"] == "lesson05" and listed[0]["passed"] and listed[0]["best"] == 8.5


def test_no_colour_on_a_pipe_and_with_no_color(tmp_path: Path) -> None:
    assert "\x1b" not in run("status", COURSE_HOME=str(tmp_path))
    assert "\x1b" not in run("status", COURSE_HOME=str(tmp_path), NO_COLOR="1", FORCE_COLOR="")
