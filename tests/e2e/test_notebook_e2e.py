"""A notebook exported, filled, executed by Jupyter, and graded: by the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton")
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
ROOT = Path(__file__).resolve().parents[2]


def course(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "course_cli", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def graded(path: Path, *more: str, code: int = 1) -> dict[str, Any]:
    """By the real command, compilation for GPU targets included."""
    done = course("grade", path.name, "--format", "json", "--backend", "cpu", *more, cwd=path.parent)
    assert done.returncode == code, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def quickly_graded(path: Path, *, execute: bool | None = None) -> dict[str, Any]:
    """The same in this process, without compiling for GPU targets."""
    from graders.collect import collect
    from graders.course import open_course
    from graders.grade import Options, grade
    from graders.notebook_evidence import with_rerun
    from graders.reports.json_report import as_dict

    lesson, submission = collect(open_course(ROOT / "lessons"), path, None, None)
    if execute is not False:
        submission = with_rerun(lesson, submission, always=execute is True)
    return as_dict(grade(submission, lesson, Options(backend="cpu", compile_targets=False)), "en")


def filled(path: Path, fill: str) -> Any:
    notebook = nbformat.read(path, as_version=4)
    exercise = next(c for c in notebook.cells if c.metadata.course_role == "exercise")
    assert exercise.source.count("______") == 1
    exercise.source = exercise.source.replace("______", fill)
    return notebook


def executed(notebook: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a learner's Jupyter does it: all cells from the top."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    nbclient.NotebookClient(notebook, timeout=90, resources={"metadata": {"path": str(folder)}}).execute()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_pristine_export_is_valid_and_says_that_its_blank_is_empty(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = course("--lang", lang, "export", "lesson05", "--to", "ipynb", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "lesson05.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    roles = [c.metadata.course_role for c in notebook.cells]
    assert roles.count("exercise") == roles.count("check") == 1 and roles.count("answer") == 8
    assert roles.count("hint") == 3 and "solution" not in roles
    again = course("export", "lesson05", "--to", "ipynb", cwd=tmp_path)
    assert again.returncode == 2 and "is there already" in again.stderr and "Traceback" not in again.stderr
    if lang == "en":
        executed(notebook, tmp_path, monkeypatch)
        check = next(c for c in notebook.cells if c.metadata.course_role == "check")
        assert check.outputs[0].text.startswith("the blank is not filled yet")
    report = quickly_graded(path)
    assert report["refused"]["reason"] == "the blank is empty: type one expression" and report["total"] == 0.0


def test_exported_filled_executed_by_jupyter_and_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.ipynb"
    assert course("export", "rowsum", "--to", "ipynb", "--out", "mine.ipynb", cwd=tmp_path).returncode == 0
    notebook = filled(path, "0.0")
    answer = next(c for c in notebook.cells if c.id == "answer-q2")
    answer.source += "Because 128 is the next power of two and 0 leaves the sum as it is."
    # The learner's function in their own kernel, by Triton's interpreter.
    own = "import torch\nout = torch.empty(2)\nrow_sum(torch.tensor([[1., 2., 3.], [4., 5., 6.]]), out)\nprint(out.tolist())"
    if os.environ.get("COURSE_TORCH") != "0" and _has_torch():
        notebook.cells.insert(-1, nbformat.v4.new_code_cell(own))
    executed(notebook, tmp_path, monkeypatch)
    check = next(c for c in notebook.cells if c.metadata.get("course_role") == "check")
    assert (
        "pass    four rows of 100\n" in check.outputs[0].text and "5 of 5 visible cases pass" in check.outputs[0].text
    )
    if _has_torch():
        assert next(c for c in notebook.cells if c.source == own).outputs[0].text == "[6.0, 15.0]\n"
    nbformat.write(notebook, path)
    report = graded(path)
    assert report["lesson"] == "lesson05" and report["points"]["normal"] == 2.0 and report["points"]["boundary"] == 1.0
    assert (
        report["vetoes"] == [] and report["evidence"]["tier"] == "emulated" and report["needs_review"] in ([], ["q2"])
    )
    notes = "\n".join(report["submission"]["notes"])
    assert "1 stored output(s) compared with a run of this blank in the pristine notebook: the same" in notes
    assert "order" not in notes and "never executed" not in notes

    # The same file with another blank: its outputs are not those of this blank.
    exercise = next(c for c in notebook.cells if c.metadata.get("course_role") == "exercise")
    exercise.source = exercise.source.replace("other=0.0", "other=1.0")
    nbformat.write(notebook, path)
    report = quickly_graded(path)
    veto = next(v for v in report["vetoes"] if v["rule"] == "unrun-claimed-as-measured")
    assert veto["where"].startswith("cell ") and veto["words"] == "pass    four rows of 100"

    # And into files: the blank and the answer, nothing else.
    done = course("import", "mine.ipynb", "files", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "other=1.0" in (tmp_path / "files" / "lesson05.py").read_text()
    assert "Because 128 is the next power of two" in (tmp_path / "files" / "answers.md").read_text()
    again = course("import", "mine.ipynb", "files", cwd=tmp_path)
    assert again.returncode == 2 and "is there already" in again.stderr


def _has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None


def test_a_check_output_is_what_decides_when_the_blank_is_asked_to_run_again(tmp_path: Path) -> None:
    assert course("export", "lesson05", "--to", "ipynb", cwd=tmp_path).returncode == 0
    path = tmp_path / "lesson05.ipynb"
    notebook = filled(path, "0.0")
    nbformat.write(notebook, path)
    said = "\n".join(quickly_graded(path, execute=True)["submission"]["notes"])
    assert "executed here from the top; its check cell ends with: 5 of 5 visible cases pass" in said
    check = next(c for c in notebook.cells if c.metadata.course_role == "check")
    check.outputs = [nbformat.v4.new_output("stream", text="pass    four rows of 100\nkernel time on H100: 12.5 us\n")]
    nbformat.write(notebook, path)
    report = quickly_graded(path)
    assert [(v["rule"], v["words"]) for v in report["vetoes"]] == [
        ("unrun-claimed-as-measured", "kernel time on H100: 12.5 us")
    ]
    assert "never executed (no execution count)" in "\n".join(report["submission"]["notes"])
    assert quickly_graded(path, execute=False)["vetoes"] == []  # nothing was run that could contradict it


def test_a_cuda_notebook_writes_its_file_and_checks_it(tmp_path: Path) -> None:
    from graders.course import open_course
    from graders.emulator.build import availability
    from graders.notebook_run import run_lesson

    if availability() is not None:
        pytest.skip("the emulator is not there")
    lesson = open_course(ROOT / "lessons").lesson("lesson12")
    done, outputs = run_lesson(lesson, "other_val >= vi.val", "en")
    assert done.status == "ok" and outputs["exercise"] == "Writing lesson12.cu\n"
    assert "visible cases pass (executed on the CPU, cuda-emulator)" in outputs["check"] and "FAIL" in outputs["check"]


def test_quarto_export_and_import_keep_the_blank(tmp_path: Path) -> None:
    assert course("export", "lesson12", "--to", "qmd", cwd=tmp_path).returncode == 0
    path = tmp_path / "lesson12.qmd"
    text = path.read_text()
    assert text.startswith("---\ntitle: ") and 'callout-tip collapse="true"' in text
    path.write_text(text.replace("______", "other_val > vi.val && vi.idx >= 0"))
    assert course("import", "lesson12.qmd", cwd=tmp_path).returncode == 0
    assert "if (other_val > vi.val && vi.idx >= 0) {" in (tmp_path / "lesson12" / "lesson12.cu").read_text()


def test_pdf_without_quarto_says_what_is_missing_and_with_it_writes_the_file(tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path / "bin")}
    (tmp_path / "bin").mkdir()
    done = course("export", "lesson05", "--to", "pdf", cwd=tmp_path, **bare)
    assert done.returncode == 3 and "Quarto" in done.stderr and done.stderr.count("\n") == 1
    quarto = tmp_path / "bin" / "quarto"  # stands for the real one: takes a .qmd, leaves a PDF or an error
    quarto.write_text('#!/bin/sh\n[ -s "$2" ] && printf "%%PDF-1.7" > lesson.pdf\n')
    quarto.chmod(0o755)
    assert course("export", "lesson05", "--to", "pdf", "--out", "x.pdf", cwd=tmp_path, **bare).returncode == 0
    assert (tmp_path / "x.pdf").read_bytes() == b"%PDF-1.7"
    quarto.write_text('#!/bin/sh\necho "no LaTeX here" >&2\nexit 1\n')
    done = course("export", "lesson05", "--to", "pdf", "--out", "y.pdf", cwd=tmp_path, **bare)
    assert done.returncode == 3 and "no LaTeX here" in done.stderr and not (tmp_path / "y.pdf").exists()
