"""A person works through whole lessons in a pseudo-terminal, in both languages, with mistakes, interruptions and a resume."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.terminal import ROOT, Terminal, wait_for

BLANK = {"en": "blank >", "zh": "填空 >"}
SECTIONS = ("q1", "q2", "q3", "impl", "boundary", "tradeoff")
TITLES = {
    "en": ("Q1", "Q2", "Q3", "Implementation", "Boundary", "Trade-off"),
    "zh": ("Q1", "Q2", "Q3", "解释实现", "正确性边界", "性能取舍"),
}


def reference(lesson: str, lang: str) -> list[str]:
    """The course's own answers, in the order in which they are asked for, on one line each."""
    key = yaml.safe_load((ROOT / "solutions" / lesson / "solution.yaml").read_text(encoding="utf-8"))["reference"]
    return [" ".join(key[section][lang].split()) for section in SECTIONS]


ASKED_BACK = ("Predict:", "Choose:", "In one sentence:", "预测：", "选择：", "用一句话：")


def answer(screen: Terminal, words: str, then: str) -> None:
    """Hand in an answer, skip what is asked back about it, and wait for what comes next."""
    screen.paste(words)
    screen.enter()
    screen.enter()
    while screen.see_one_of(then, *ASKED_BACK) != then:
        screen.see(">")
        screen.enter()


def status(home: Path, lesson: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "course_cli", "status", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env={"COURSE_HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        cwd=home,
    )
    return next(row for row in json.loads(done.stdout) if row["id"] == lesson)


@pytest.mark.parametrize(
    ("lesson", "lang", "wrong", "picture", "right", "words"),
    [
        (
            "lesson05",
            "en",
            "1.0",
            ("28 padding lanes add 28.0", "Which number can be added to any sum"),
            "0.0",
            (
                "hint 1 of 4",
                "all 41 cases are right",
                "Enter goes on to the questions",
                "PASSED",
                "reference explanation",
            ),
        ),
        (
            "lesson07",
            "zh",
            "-100.0",
            ("填充胜出：真实的值都没有这么大", "哪个数既不改变最大值"),
            "float('-inf')",
            ("提示 1/4", "个用例正确", "回车进入问题部分", "通过", "下一课"),
        ),
    ],
)
def test_a_whole_lesson_with_a_mistake_a_hint_a_kill_and_a_resume(
    tmp_path: Path, lesson: str, lang: str, wrong: str, picture: tuple[str, str], right: str, words: tuple[str, ...]
) -> None:
    answers = reference(lesson, lang)
    screen = Terminal(tmp_path, "--lang", lang, "run", lesson)
    screen.see("1/12")
    screen.enter()
    screen.see("2/12")
    screen.type("s")
    screen.see(BLANK[lang])
    screen.enter(wrong)
    screen.see("✗", *picture, BLANK[lang])
    screen.enter(":hint")
    screen.see(words[0], BLANK[lang])
    screen.enter(right)
    screen.see(words[1], words[2], BLANK[lang])
    code = tmp_path / "work" / lesson / f"{lesson}.py"
    assert f"other={right})" in code.read_text(encoding="utf-8")
    screen.enter()
    screen.see(TITLES[lang][0], ">")
    answer(screen, answers[0], f"{TITLES[lang][1]}  (2/6)")
    screen.see(">")
    screen.paste(answers[1])
    draft = tmp_path / "drafts" / lesson / "q2.txt"
    wait_for(lambda: draft.is_file() and draft.read_text(encoding="utf-8") == answers[1])
    screen.kill()

    again = Terminal(tmp_path, "--lang", lang, "run", lesson)
    again.see("←", TITLES[lang][1], answers[1][:30])  # not q1 again; what was typed of q2 is there
    answer(again, "", f"{TITLES[lang][2]}  (3/6)")
    for number in (2, 3, 4):
        answer(again, answers[number], f"{TITLES[lang][number + 1]}  ({number + 2}/6)")
    answer(again, answers[5], {"en": "score ──", "zh": "得分 ──"}[lang])
    again.see(words[3], words[4], ">")
    again.enter("ref")
    again.see(answers[3][:40], "%")  # the reference explanation begins with the implementation, page by page
    again.type("q")
    again.see(">")
    again.enter()
    assert again.leaves() == 0
    assert not draft.exists()
    kept = (tmp_path / "work" / lesson / "answers.md").read_text(encoding="utf-8")
    for each in answers:
        assert each in " ".join(kept.split())
    row = status(tmp_path, lesson)
    assert row["passed"] is True and row["best"] >= 8 and row["hint"] == 1 and row["pending"] >= 1


def test_a_closed_terminal_loses_nothing_and_the_learners_file_wins(tmp_path: Path) -> None:
    screen = Terminal(tmp_path, "run", "lesson05")
    screen.see("1/12")
    screen.type("s")
    screen.see("blank >")
    screen.type("0.0 + 0.")
    draft = tmp_path / "drafts" / "lesson05" / "fill.txt"
    wait_for(lambda: draft.is_file() and draft.read_text() == "0.0 + 0.")
    screen.hang_up()
    code = tmp_path / "work" / "lesson05" / "lesson05.py"
    code.write_text(code.read_text().replace("______)", "1.0)  # tried at home").replace("\n", "\r\n"), newline="")

    again = Terminal(tmp_path, "run", "lesson05")
    again.see("lesson05.py holds  1.0", "blank >", "0.0 + 0.")
    again.type("\x15")  # Ctrl-U empties the line; Enter then runs what the file holds
    again.enter()
    again.see("5 of 41 cases are right", "blank >")
    again.enter("0.0")
    again.see("all 41 cases are right", "blank >")
    text = code.read_bytes().decode()
    assert "other=0.0)  # tried at home\r\n" in text
    again.type("\x03")
    again.see("Saved. Go on with:")
    assert again.leaves() == 130


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    screen = Terminal(tmp_path, "run", "lesson05", size=(24, 60))
    screen.see("1/12")
    for place in ("2/12", "3/12", "4/12"):
        screen.enter()
        screen.see(place)
    screen.enter()
    screen.see("4/12", "%")
    screen.type("q")
    screen.see("Saved.")
    assert screen.leaves() == 0
    again = Terminal(tmp_path, "run", "lesson05", size=(24, 60))
    shown = again.see("back in section 4 of 12", "4/12")
    assert "What it is and which problem it solves" not in shown  # that page was read
    again.type("c")
    again.see("Worked example by numbers", "section number")
    again.enter("5")
    again.see("5/12")
    again.type("b")
    again.see("4/12")
    again.kill()


def test_plain_mode_draws_nothing(tmp_path: Path) -> None:
    screen = Terminal(tmp_path, "--plain", "run", "lesson05")
    screen.see("Enter: go on")
    screen.enter("s")
    screen.see("The blank ______ is on line", "blank >")
    screen.enter("1.0")
    screen.see("WRONG:", "lanes hold the row", "blank >")
    screen.enter("0.0")
    screen.see("right: all 41 cases are right", "next: Enter goes on to the questions")
    screen.kill()
    assert not set(screen.text) & set("│─┌┐└┘├┤╭╮╰╯━┃█░✓✗→▶▼←⠋⠙⠹")


def test_watch_runs_again_after_a_save(tmp_path: Path) -> None:
    for extra in ((), ("--poll",)):
        home = tmp_path / ("poll" if extra else "events")
        home.mkdir()
        screen = Terminal(home, "watch", "lesson05", *extra)
        screen.see("the blank in", "is still empty")
        code = home / "work" / "lesson05" / "lesson05.py"
        code.write_text(code.read_text().replace("______)", "1.0)"))
        screen.see("5 of 41 cases are right")
        code.write_text(code.read_text().replace("other=1.0)", "other=0.0)"))
        screen.see("all 41 cases are right", "of 10 points")
        screen.type("\x03")
        assert screen.leaves() == 1


def test_a_full_disk_is_one_clear_line_and_leaves_no_half_file(tmp_path: Path) -> None:
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
        "from course_cli.main import main; sys.argv = ['course', 'start', 'lesson05', 'mine']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={
            "COURSE_HOME": str(tmp_path / "full"),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "COURSE_LANG": "en",
        },
        cwd=tmp_path,
    )
    assert done.returncode == 3
    assert "cannot be written: the file would become too large" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list((tmp_path / "mine").iterdir())


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    screen = Terminal(tmp_path, "run", "lesson05", COURSE_HOME=str(tmp_path / "file" / "home"))
    screen.see("the progress file", "cannot be used", "COURSE_HOME names another folder")
    assert screen.leaves() == 3
