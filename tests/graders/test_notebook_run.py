"""Executing a notebook in a child: what it prints comes back; dead kernels, endless cells and huge outputs have a name."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graders import notebook_run
from graders.course import open_course
from graders.notebook_evidence import with_rerun
from graders.notebook_run import RunLimits, missing_packages, run_notebook
from graders.submission import StoredOutput, Submission
from graders.text import same

needs_jupyter = pytest.mark.skipif(bool(missing_packages()), reason="the extra `notebook` is not installed")
LIMITS = RunLimits(cell_seconds=4, total_seconds=60, output=100_000)
ROWSUM = open_course(Path(__file__).resolve().parents[2] / "lessons").lesson("lesson05")


def notebook(*sources: str) -> dict[str, Any]:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
        for i, s in enumerate(sources)
    ]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for private folders that no other test run uses; its name is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="nb") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def living(place: Path) -> set[str]:
    """Command lines of all processes that work below a folder."""
    found = set()
    for each in Path("/proc").iterdir():
        try:
            if each.name.isdigit() and (each / "cwd").readlink().is_relative_to(place):
                found.add((each / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@needs_jupyter
def test_outputs_errors_and_what_it_may_not_do(place: Path) -> None:
    done = run_notebook(
        notebook(
            "x = 6 * 7\nprint(x)",
            "x",
            "1 / 0",
            "input('?')",
            "import os\nprint(sorted(k for k in os.environ if 'SECRET' in k), 'course-nb-' in os.getcwd())",
            "bytearray(40 << 30)",
            # left behind on purpose: it must not outlive the run
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        import time\n        time.sleep(600)\n    os._exit(0)",
        ),
        LIMITS,
    )
    assert done.status == "ok" and done.problem is None
    assert done.outputs[:3] == ("42\n", "42", "ZeroDivisionError: division by zero\n")
    assert "StdinNotImplementedError" in done.outputs[3] and done.outputs[4] == "[] True\n"
    assert "MemoryError" in done.outputs[5]
    assert not living(place) and not list(place.iterdir())


@needs_jupyter
@pytest.mark.parametrize(
    ("source", "status", "told"),
    [
        ("while True: pass", "late", "cell 2 did not end within 4 s"),
        ("import os\nos.kill(os.getpid(), 9)", "dead", "the kernel died in cell 2"),
        ("while True: print('y' * 1000)", "huge", "cell 2 put out more than 100000 characters"),
    ],
)
def test_what_goes_wrong_has_a_name_and_leaves_nothing(place: Path, source: str, status: str, told: str) -> None:
    begin = time.monotonic()
    done = run_notebook(notebook("print('first')", source), LIMITS)
    assert done.status == status and done.problem is not None and done.problem.en == told and done.cell == 2
    assert done.outputs[0] == "first\n" and time.monotonic() - begin < 30
    assert not living(place)


@needs_jupyter
def test_the_whole_run_has_a_deadline(place: Path) -> None:
    done = run_notebook(notebook("import time\ntime.sleep(50)"), replace(LIMITS, cell_seconds=60, total_seconds=4))
    assert done.status == "late" and done.seconds < 20 and not living(place)


def test_without_jupyter_the_report_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_run, "NEEDED", ("nbformat_that_is_not_there",))
    stored = StoredOutput(same("cell 3"), "pass    four rows of 100", "check")
    told = with_rerun(ROWSUM, Submission("0.0", stored=(stored,), notebook_lang="en"))
    assert told.stored == (stored,) and len(told.notes) == 1
    assert "nbformat_that_is_not_there is not installed" in told.notes[0].en and "pip install" in told.notes[0].zh


@pytest.mark.parametrize("fill", ["", "print(1)", "0.0\n"])
def test_a_blank_that_is_refused_is_never_executed(fill: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("executed")

    monkeypatch.setattr("graders.notebook_evidence.run_lesson", never)
    before = Submission(fill, stored=(StoredOutput(same("cell 3"), "x", "check"),), notebook_lang="en")
    if fill == "0.0\n":  # the gate takes white space: here it does run
        with pytest.raises(AssertionError):
            with_rerun(ROWSUM, before)
        return
    assert with_rerun(ROWSUM, before) is before


def test_what_shows_no_output_of_the_lessons_cells_is_not_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graders.notebook_evidence.run_lesson", None)
    own = StoredOutput(same("cell 9"), "mine", "own")
    for submission in (Submission("0.0"), Submission("0.0", stored=(own,), notebook_lang="en")):
        assert with_rerun(ROWSUM, submission) is submission
