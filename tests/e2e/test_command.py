"""The real command as other people's scripts use it: JSON, exit codes, one line on stderr, nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graders.course import open_course
from graders.reports.model import Report

pytest.importorskip("triton")
ROOT = Path(__file__).resolve().parents[2]


def course(*words: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-P", "-m", "course_cli", *words],
        capture_output=True,
        text=True,
        cwd=cwd or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def report(*words: str, code: int = 1, cwd: Path | None = None) -> dict[str, Any]:
    done = course(*words, cwd=cwd)
    assert done.returncode == code, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    Report.model_validate(value)
    return value


def run(lesson: str, fill: str) -> dict[str, Any]:
    return report("run", lesson, f"--fill={fill}", "--no-input", "--json")


def test_the_reference_fill_of_lesson05_earns_three_points_on_the_cpu(tmp_path: Path) -> None:
    got = report("run", "lesson05", "--fill", "0.0", "--no-input", "--json", cwd=tmp_path)
    assert got["points"]["normal"] == 2.0 and got["points"]["boundary"] == 1.0 and got["total"] == 3.0
    assert got["evidence"]["tier"] == "emulated" and got["evidence"]["pending"] is True
    assert got["evidence"]["executor"] == "triton-interpreter" and got["evidence"]["compiled"] == [
        "sm_80",
        "sm_90",
        "sm_100",
    ]
    assert got["passed"] is False and got["refused"] is None and got["conditions"]["checks"] is True
    assert {c["outcome"] for c in got["cases"]} <= {"pass", "not-run"}


@pytest.mark.parametrize("fill", ["None", "1e-9", "1.0 if N % 2 else 0.0", "1e-38", "float('nan')"])
def test_lesson05_wrong_fills_lose_the_boundary_point(fill: str) -> None:
    got = run("lesson05", fill)
    assert got["points"]["boundary"] == 0.0 and got["refused"] is None and got["conditions"]["checks"] is False


@pytest.mark.parametrize("fill", ["-1e30", "-3.4028234663852886e38", "-100.0"])
def test_lesson07_finite_pads_lose_the_boundary_point(fill: str) -> None:
    assert run("lesson07", fill)["points"]["boundary"] == 0.0


def test_lesson07_minus_infinity_in_another_spelling_passes() -> None:
    got = run("lesson07", "float('-Infinity')")
    assert got["points"]["normal"] == 2.0 and got["points"]["boundary"] == 1.0


@pytest.mark.parametrize(
    ("fill", "line", "column"),
    [
        ('__import__("os").system("x")', 1, None),
        ("0.0\n    x = 1", 1, 4),
        ("0.0) + (0.0", 1, 4),
        ("０.０", 1, 1),
        ("0.0  # done", 1, 6),
        ("lambda: 0.0", 1, 1),
        ("(x := 0.0)", 1, None),
        ("", 1, 1),
    ],
)
def test_refused_fills_say_why_and_where(fill: str, line: int, column: int | None) -> None:
    got = run("lesson05", fill)
    assert got["refused"]["reason"] and got["refused"]["line"] == line
    assert column is None or got["refused"]["column"] == column
    assert {c["outcome"] for c in got["cases"]} == {"not-run"}
    assert got["points"]["normal"] == got["points"]["boundary"] == 0.0 and got["passed"] is False


def test_hidden_numbers_stay_hidden_from_the_learner() -> None:
    got = run("lesson05", "1.0")
    hidden = [c for c in got["cases"] if not c["visible"] and c["outcome"] == "fail"]
    assert hidden and all(c["view"] is None and "expected" not in c["detail"] for c in hidden)
    shown = [c for c in got["cases"] if c["visible"] and c["outcome"] == "fail"]
    assert shown and all(c["view"] and c["view"]["got"] for c in shown)


def test_grade_by_fill_by_file_and_by_folder_agree(tmp_path: Path) -> None:
    template = open_course(ROOT / "lessons").lesson("lesson05").template
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "work.py").write_text(template.replace("other=______", "other=1.0"), encoding="utf-8")
    (folder / "answers.md").write_text("# lesson05\n## Q1\nbecause\n", encoding="utf-8")
    by_file = report("grade", str(folder / "work.py"), "--format", "json")
    by_folder = report("grade", str(folder), "--format", "json")
    by_fill = report("grade", "--lesson", "lesson05", "--fill", "1.0", "--format", "json")
    for got in (by_file, by_folder, by_fill):
        assert [c["outcome"] for c in got["cases"]] == [c["outcome"] for c in by_fill["cases"]]
        assert got["submission"]["blank_sha256"] == by_fill["submission"]["blank_sha256"]
    assert by_folder["submission"]["path"] == str(folder) and by_file["submission"]["sha256"]


def test_a_batch_goes_on_after_a_bad_submission_and_prints_a_list(tmp_path: Path) -> None:
    template = open_course(ROOT / "lessons").lesson("lesson05").template
    for name, fill in (("a", "0.0"), ("b", "1.0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.py").write_text(template.replace("other=______", f"other={fill}"), encoding="utf-8")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "x.py").write_bytes(b"\x00\x01\x02" * 50)
    done = course("grade", str(tmp_path), "--format", "json")
    got = json.loads(done.stdout)
    assert [g["conditions"]["checks"] for g in got[:2]] == [True, False]
    assert "binary" in done.stderr and done.returncode != 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "lesson5x", "--fill", "0"), "nearest: lesson05"),
        (("run", "lesson05", "--no-input"), "--fill"),
        (("grade", "absent.py"), "absent.py: no such file"),
        (("grade",), "--lesson"),
        (("frobnicate",), "frobnicate"),
        (("run",), "LESSON"),
        (("--lang", "fr", "list"), "zh or en"),
        (("--course", "/nowhere", "list"), "no course.yaml in /nowhere"),
        (("try", "lesson05", "--fill", "0", "--shape", "x"), "'x' is not a number"),
        (("try", "lesson05", "--fill", "0", "--shape", "1,2", "--values", "1"), "1 numbers, the shape needs 2"),
        (("run", "lesson05", "--fill", "0", "--backend", "gpu"), "GPU"),
    ],
)
def test_bad_usage_is_one_line_on_stderr(words: tuple[str, ...], says: str) -> None:
    if words[-1] == "gpu" and any(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("there is a GPU here")
    done = course(*words)
    assert done.returncode == (3 if words[-1] == "gpu" else 2)
    assert done.stdout == "" and done.stderr.count("\n") == 1 and says in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "content",
    [b"", b"\n \n", b"\x7fELF\x00\x00" * 100, b"\xff\xfe\xfa" * 99, b"x = 1\n" * 400_000],
    ids=["empty", "blank", "binary", "junk", "large"],
)
def test_files_that_are_no_submission(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "work.py"
    path.write_bytes(content)
    done = course("grade", str(path))
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "work.py" in done.stderr
    assert path.read_bytes() == content


def test_a_file_of_another_lesson_says_where_it_stops_fitting(tmp_path: Path) -> None:
    template = open_course(ROOT / "lessons").lesson("lesson12").template
    path = tmp_path / "argmax.cu"
    path.write_text(template, encoding="utf-8")
    done = course("grade", "--lesson", "lesson05", str(path))
    assert done.returncode == 2 and "does not fit the template of lesson05" in done.stderr


def test_try_shows_the_learners_own_numbers() -> None:
    got = json.loads(course("try", "lesson07", "--fill", "0.0", "--shape", "1,3", "--values=-2,-5,-1", "--json").stdout)
    assert got["outcome"] == "fail" and got["view"]["inputs"]["x"] == [[-2.0, -5.0, -1.0]]
    assert abs(got["view"]["expected"]["out"][0][0] - 0.26538) < 1e-4 and got["tier"] == "emulated"


def test_chinese_everywhere_on_request() -> None:
    done = course("--lang", "zh", "run", "lesson05", "--fill", "1.0", "--no-input")
    assert "未通过" in done.stdout and "期望" in done.stdout
    assert "没有课程" in course("--lang", "zh", "run", "lesson99", "--fill", "0").stderr


def test_start_never_overwrites(tmp_path: Path) -> None:
    assert course("start", "lesson05", str(tmp_path / "w")).returncode == 0
    answers = tmp_path / "w" / "answers.md"
    answers.write_text("mine", encoding="utf-8")
    assert course("start", "lesson05", str(tmp_path / "w")).returncode == 0
    assert answers.read_text(encoding="utf-8") == "mine" and (tmp_path / "w" / "lesson05.py").is_file()


def test_listing_needs_neither_torch_nor_triton(tmp_path: Path) -> None:
    for name in ("torch", "triton", "numpy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('imported')")
    done = course("list", PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert done.returncode == 0 and "lesson05" in done.stdout


def test_without_triton_the_run_is_static_and_says_what_to_install(tmp_path: Path) -> None:
    """`triton` hidden from the interpreter: exit 3, nothing scored as wrong, pending."""
    site = tmp_path / "hide.py"
    site.write_text(
        "import sys, importlib.util as u\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n.split('.')[0] == 'triton' else real(n, *a)\n"
        "sys.modules['triton'] = None\n"
        "from course_cli.main import main\nmain()\n"
    )
    import os

    done = subprocess.run(
        [sys.executable, str(site), "run", "lesson05", "--fill", "0.0", "--no-input", "--json"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    got = json.loads(done.stdout)
    assert got["evidence"]["tier"] == "static" and got["evidence"]["pending"] is True
    assert got["points"]["normal"] is None and got["points"]["boundary"] is None and got["passed"] is None
    assert "pip install" in got["evidence"]["note"] and {c["outcome"] for c in got["cases"]} == {"not-run"}


def test_schemas_are_published() -> None:
    for kind in ("report", "lesson"):
        value = json.loads(course("schema", kind).stdout)
        assert value["$schema"].startswith("https://json-schema.org/") and value["properties"]


def test_the_committed_lesson_schema_is_the_current_one() -> None:
    assert json.loads(course("schema", "lesson").stdout) == json.loads(
        (ROOT / "lessons" / "lesson.schema.json").read_text()
    )
