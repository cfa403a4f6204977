"""Makes docs/screens: SVG pictures of real runs (Rich's export) and one recorded session (asciicast v2).

    .venv/bin/python docs/make_screens.py

Every picture is what the program printed in this run; nothing is typed in by hand. Needs g++ for the CUDA lesson.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pexpect
import yaml
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "screens"
WIDTH = 88
PICTURES: tuple[tuple[str, str, list[str]], ...] = (
    ("first-page", "en", []),
    ("softmax", "en", ["run", "lesson07", "--fill", "0.0", "--no-input", "--backend", "cpu"]),
    ("softmax", "zh", ["run", "lesson07", "--fill", "0.0", "--no-input", "--backend", "cpu"]),
    ("argmax", "en", ["run", "lesson12", "--fill", "other_val > vi.val", "--no-input", "--backend", "cpu"]),
    ("argmax", "zh", ["run", "lesson12", "--fill", "other_val > vi.val", "--no-input", "--backend", "cpu"]),
    ("status", "en", ["status"]),
    ("status", "zh", ["status"]),
)


def main() -> None:
    """Write every file."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="course-screens-") as home:
        for name, lang, words in PICTURES:
            path = OUT / f"{name}.{lang}.svg"
            path.write_text(picture(name, lang, words, home), encoding="utf-8")
            print(path.relative_to(ROOT))
    with tempfile.TemporaryDirectory(prefix="course-screens-") as home:
        path = OUT / "lesson05.en.cast"
        path.write_text(record(home), encoding="utf-8")
        print(path.relative_to(ROOT))


def environment(home: str, lang: str) -> dict[str, str]:
    return {
        **os.environ,
        "COURSE_HOME": home,
        "COURSE_LANG": lang,
        "PYTHONPATH": str(ROOT),
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
        "COURSE_THEME": "dark",
    }


def picture(name: str, lang: str, words: list[str], home: str) -> str:
    """Run a command with colours and export what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "course_cli", *words],
        env={**environment(home, lang), "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        cwd=home,
    )
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    shown = " ".join(f"'{w}'" if " " in w else w for w in words if w not in ("--no-input", "--backend", "cpu"))
    console.print(Text(f"$ course {shown}".rstrip(), style="bold"))
    console.print(Text.from_ansi(done.stdout.rstrip("\n")))
    svg = console.export_svg(title="course", theme=MONOKAI, unique_id=f"course-{name}-{lang}")
    # The fonts of the reader's own machine: no picture should load anything from elsewhere.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "'Noto Sans Mono CJK SC', monospace")
    return svg.replace(home, "~")


def record(home: str) -> str:
    """A whole lesson in a pseudo-terminal, with the times at which things appeared."""
    key = yaml.safe_load((ROOT / "solutions" / "lesson05" / "solution.yaml").read_text(encoding="utf-8"))["reference"]
    child: Any = pexpect.spawn(
        sys.executable,
        ["-m", "course_cli", "run", "lesson05"],
        env={**environment(home, "en"), "PROMPT_TOOLKIT_NO_CPR": "1"},
        dimensions=(30, WIDTH),
        encoding="utf-8",
        timeout=60,
        cwd=home,
    )
    begin = time.monotonic()
    events: list[tuple[float, str]] = []

    class Tape:
        def write(self, text: str) -> None:
            events.append((round(time.monotonic() - begin, 3), text))

        def flush(self) -> None:
            return None

    child.logfile_read = Tape()

    def step(wait_for: str, keys: str, pause: float = 1.0) -> None:
        child.expect(wait_for)
        time.sleep(pause)
        child.send(keys)

    step(r"\[s\] exercise", "\r")
    step("2/12", "s")
    step("blank > ", "1.0\r")
    step("can be added.*blank > ", ":hint\r", 3.0)
    step("hint 1 of 4.*blank > ", "0.0\r", 2.0)
    step("all 41 cases.*blank > ", "\r", 2.0)
    for section in ("q1", "q2", "q3", "impl", "boundary", "tradeoff"):
        child.expect(r"\(\d/6\).*> ")
        answer = " ".join(key[section]["en"].split())
        child.send(f"\x1b[200~{answer}\x1b[201~")
        time.sleep(1.0)
        child.send("\r\r")
        while child.expect([r"Predict: |Choose: |In one sentence: ", r"\(\d/6\)", "score"]) == 0:
            time.sleep(1.0)
            child.send("\r")
        if section != "tradeoff":
            child.send("")
            child.buffer = child.after + child.buffer
    step("Enter: done", "\r", 3.0)
    child.expect(pexpect.EOF)
    head = {"version": 2, "width": WIDTH, "height": 30, "title": "course run lesson05"}
    lines = [json.dumps(head), *(json.dumps([at, "o", text.replace(home, "~")]) for at, text in events)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
