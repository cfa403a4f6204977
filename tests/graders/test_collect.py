"""From paths to submissions: encodings, folders, batches, archives in archives, and whose words count."""

from __future__ import annotations

import json
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders import collect as collecting
from graders.collect import Opened, batch_of, collect
from graders.collect_answers import MAX_ANSWER, without_lesson_words
from graders.course import open_course
from graders.errors import BadInput, CourseError
from graders.grade import Options, grade
from graders.notebook_export import dump_ipynb, parts_of, to_ipynb, to_qmd
from graders.reports.json_report import as_dict

COURSE = open_course(Path(__file__).resolve().parents[2] / "lessons")
ROWSUM = COURSE.lesson("lesson05")
CODE = ROWSUM.template.replace("______", "0.0")


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("form", ["py", "ipynb", "qmd"])
def test_encodings_and_line_ends_do_not_count(tmp_path: Path, codec: str, ends: str, form: str) -> None:
    said = {"q1": "因为 a + 0 = a"}
    text = {
        "py": CODE,
        "ipynb": dump_ipynb(ROWSUM, "zh", "0.0", said),  # type: ignore[arg-type]  # names of sections
        "qmd": to_qmd(ROWSUM, "zh", "0.0", said),  # type: ignore[arg-type]
    }[form]
    path = write(tmp_path / f"a.{form}", text.replace("\n", ends).encode(codec))
    lesson, submission = collect(COURSE, path, None, None)
    assert lesson.id == "lesson05" and submission.fill == "0.0" and submission.edits == ()
    assert form == "py" or submission.answers.get("q1") == "因为 a + 0 = a"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lesson_id", COURSE.ids)
@pytest.mark.parametrize("form", ["ipynb", "qmd"])
def test_every_export_reads_back_as_it_was_written(tmp_path: Path, lesson_id: str, lang: str, form: str) -> None:
    """Pristine: no answers, no edits, an empty blank. Filled: exactly what was filled in, though every role is lost."""
    lesson = COURSE.lesson(lesson_id)
    made = {
        s: f"own words about {s}" for s in ("q1", "q2", "q3", "impl", "boundary", "tradeoff", "run_output", "failures")
    }
    for fill, said in ((None, {}), ("0", made)):
        notebook = to_ipynb(lesson, lang, fill, said)  # type: ignore[arg-type]
        texts = [json.dumps(notebook)] if form == "ipynb" else [to_qmd(lesson, lang, fill, said)]  # type: ignore[arg-type]
        if form == "ipynb":
            for cell in notebook["cells"]:
                cell["metadata"] = {}
            texts.append(json.dumps(notebook))
        for text in texts:
            got, submission = collect(COURSE, write(tmp_path / f"a.{form}", text), None, None)
            assert got.id == lesson_id and submission.fill == (fill or "") and submission.edits == ()
            assert {s: t for s, t in submission.answers.sections.items() if t} == said
            notes = " ".join(n.en for n in submission.notes)
            assert notes == ("" if said else "no answer found for: Q1, Q2, Q3, Implementation")


def test_an_export_holds_nothing_of_the_answer_key() -> None:
    for lesson_id in COURSE.ids:
        lesson = COURSE.lesson(lesson_id)
        key = lesson.solution()
        assert key is not None
        text = "\n".join(p.text for lang in ("en", "zh") for p in parts_of(lesson, lang))  # type: ignore[arg-type]
        flat = " ".join(text.split())
        for words in (key.hint.en, key.hint.zh, key.reference.q1.en, key.reference.q3.zh, key.reference.impl.en):
            assert " ".join(words.split())[:60] not in flat
        # The blank's answer may stand in the lesson's prose (0.0), but the long condition of lesson12 must not.
        assert len(key.fill) < 12 or key.fill not in flat


def test_the_lessons_own_lines_are_nobodys_answer(tmp_path: Path) -> None:
    """A notebook that lost its roles must not be graded for the text of the lesson."""
    notebook = to_ipynb(ROWSUM, "zh", "0.0")
    notebook["cells"] = [
        {**c, "metadata": {}} for c in notebook["cells"] if not str(c["id"]).startswith(("question", "answer"))
    ]
    _, submission = collect(COURSE, write(tmp_path / "a.ipynb", json.dumps(notebook)), None, None)
    assert not submission.answers.get("tradeoff")  # the lesson has a heading of that name
    answers = submission.answers
    line = next(x for x in ROWSUM.text("en").split("\n") if len(x) > 60)
    answers.sections["q1"] = f"{line}\nmy own words\n{ROWSUM.spec.hints[0].zh}"
    without_lesson_words(answers, ROWSUM)
    assert answers.get("q1") == "my own words"


def test_a_cell_that_lost_role_and_marker_is_known_by_its_code(tmp_path: Path) -> None:
    notebook = to_ipynb(ROWSUM, "en", "0.0")
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        cell["source"] = [s for s in cell["source"] if not s.startswith("# course:")]
    _, submission = collect(COURSE, write(tmp_path / "a.ipynb", json.dumps(notebook)), None, None)
    assert submission.fill == "0.0" and any("by its code" in n.en for n in submission.notes)
    del notebook["metadata"]["course"]
    lesson, submission = collect(COURSE, write(tmp_path / "a.ipynb", json.dumps(notebook)), None, None)
    assert lesson.id == "lesson05" and submission.fill == "0.0"
    notebook["cells"] = [c for c in notebook["cells"] if c["cell_type"] != "code"]
    with pytest.raises(BadInput, match="give --lesson"):
        collect(COURSE, write(tmp_path / "a.ipynb", json.dumps(notebook)), None, None)


@pytest.mark.parametrize("form", ["ipynb", "qmd"])
def test_an_answer_in_the_cell_of_its_question_is_read(tmp_path: Path, form: str) -> None:
    prompt = ROWSUM.spec.questions[1].prompt.en
    text = dump_ipynb(ROWSUM, "en", "0.0") if form == "ipynb" else to_qmd(ROWSUM, "en", "0.0")
    assert text.count(json.dumps(prompt)[1:-1]) == 1
    text = text.replace(prompt, prompt + (r"\n\nbecause B" if form == "ipynb" else "\n\nbecause B"))
    _, submission = collect(COURSE, write(tmp_path / f"a.{form}", text), None, None)
    assert {s: t for s, t in submission.answers.sections.items() if t} == {"q2": "because B"}
    assert any("stands in the cell of the question" in n.en for n in submission.notes)


def test_edits_of_a_notebook_are_told_by_the_line_in_its_cell(tmp_path: Path) -> None:
    notebook = to_ipynb(COURSE.lesson("lesson12"), "en", "true")
    cell = next(c for c in notebook["cells"] if c["id"] == "exercise")
    cell["source"] = [s.replace("i < n;", "i <= n;") for s in cell["source"]]
    number = next(i for i, s in enumerate(cell["source"], 1) if "i <= n;" in s)
    _, submission = collect(COURSE, write(tmp_path / "a.ipynb", json.dumps(notebook)), None, None)
    assert any(e.veto for e in submission.edits)
    assert any(f"line {number}:" in n.en for n in submission.notes)


def test_an_answer_as_long_as_a_book_is_cut_and_told(tmp_path: Path) -> None:
    write(tmp_path / "s/lesson05.py", CODE)
    write(tmp_path / "s/answers.md", "# lesson05\n## Q1\n" + "because " * 10_000)
    _, submission = collect(COURSE, tmp_path / "s", None, None)
    assert len(submission.answers.get("q1")) == MAX_ANSWER
    assert any("the first 20000 were read" in n.en for n in submission.notes)


def test_what_is_one_submission_and_what_is_a_batch(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one / "lesson05.py", CODE)
    assert batch_of(one) == [] and batch_of(one / "lesson05.py") == []
    write(one / "lesson05.ipynb", dump_ipynb(ROWSUM, "en", "1.0"))
    assert batch_of(one) == []  # the same name: one person's work
    write(other / "ann.py", CODE)
    write(other / "bo.ipynb", dump_ipynb(ROWSUM, "en", "1.0"))
    assert [p.name for p in batch_of(other)] == ["ann.py", "bo.ipynb"]
    write(other / "answers.md", "# lesson05\n")
    assert batch_of(other) == []
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInput, match="holds no submission"):
        batch_of(tmp_path / "none")


def test_code_counts_before_a_notebook_in_the_same_folder(tmp_path: Path) -> None:
    write(tmp_path / "s/lesson05.py", CODE)
    write(tmp_path / "s/lesson05.ipynb", dump_ipynb(ROWSUM, "en", "1.0", {"q1": "from the notebook"}))
    _, submission = collect(COURSE, tmp_path / "s", None, None)
    assert submission.fill == "0.0" and submission.answers.get("q1") == "from the notebook"
    told = " ".join(n.en for n in submission.notes)
    assert "the blank of lesson05.py counts" in told and "the blank of lesson05.ipynb is another one" in told
    write(tmp_path / "s/lesson05.ipynb", "{")
    _, submission = collect(COURSE, tmp_path / "s", None, None)
    assert submission.fill == "0.0" and any("lesson05.ipynb was not read: " in n.en for n in submission.notes)


def test_archives_of_one_command_share_one_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "MAX_ALL", 5000)
    for name in "abc":
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("lesson05.py", CODE[:2400].ljust(2400))
    with ExitStack() as stack:
        opened = Opened(stack)
        opened.enter(tmp_path / "a.zip")
        opened.enter(tmp_path / "b.zip")
        with pytest.raises(BadInput, match="too large when unpacked"):
            opened.enter(tmp_path / "c.zip")


def test_what_is_said_names_the_archive_and_not_the_place_where_it_was_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as out:
        out.writestr("x/lesson05.py", "print('nothing of the course')")
    with ExitStack() as stack:
        opened = Opened(stack)
        root = opened.enter(tmp_path / "a.zip")
        with pytest.raises(BadInput) as caught:
            opened.collect(COURSE, root, None, None)
    assert caught.value.message("en").startswith(str(tmp_path / "a.zip") + "/lesson05.py: belongs to no lesson")


@pytest.mark.parametrize("name", ["answers.md", "lesson05.py", "lesson05.ipynb"])
def test_links_inside_of_a_folder_are_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path / "elsewhere", CODE)
    write(tmp_path / "s/other.txt", "")
    if name == "answers.md":
        write(tmp_path / "s/lesson05.py", CODE)
    (tmp_path / "s" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="symbolic link"):
        collect(COURSE, tmp_path / "s", None, None)


def test_devices_and_missing_files_are_one_line() -> None:
    for path, told in (
        ("/dev/zero.py", "no such file"),
        ("/dev/zero", "is no submission"),
        ("/nowhere/a.ipynb", "no such file"),
    ):
        with pytest.raises(BadInput, match=told) as caught:
            collect(COURSE, Path(path), None, None)
        assert "\n" not in caught.value.message("zh")


def _changed(cells: list[dict[str, Any]], steps: list[tuple[int, int, int, str]]) -> list[Any]:
    """What a careless editor, a converter or a clever learner makes of the cells of a notebook."""
    out: list[Any] = [dict(c) for c in cells]
    for what, at, to, text in steps:
        i, j = at % len(out), to % len(out)
        match what % 9:
            case 0:
                out.append(out[i])
            case 1 if len(out) > 1:
                out.pop(i)
            case 2:
                out[i], out[j] = out[j], out[i]
            case 3:
                out[i] = {**out[i], "cell_type": text}
            case 4:
                out[i] = {**out[i], "source": "".join(out[i]["source"])[: to % 3000] + text}
            case 5:
                out[i] = {**out[i], "metadata": {"course_role": text, "course_id": text, "tags": [text]}}
            case 6:
                out[i] = {**out[i], "outputs": [{"output_type": "stream", "text": [text, "pass  four rows of 100"]}]}
            case 7:
                out[i] = {**out[i], "execution_count": to}
            case _:
                out[i] = {**out[i], "source": ["".join(out[i]["source"]).replace("0", text)]}
    return out


words = (
    st.sampled_from(
        ["answer", "exercise", "code", "raw", "q1", "", "H200: 3 us", "全部通过", "\0", "\ud800", "{", "`" * 9]
    )
    | st.text()
)
steps = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 60), st.integers(0, 5000), words), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.booleans())
def test_no_damaged_notebook_raises_anything_but_a_course_error(
    tmp_path: Path, steps: list[tuple[int, int, int, str]], filled: bool
) -> None:
    notebook = to_ipynb(ROWSUM, "en", "0.0" if filled else None, {"q1": "because 0 + a = a", "run_output": "not run"})
    notebook["cells"] = _changed(notebook["cells"], steps)
    path = write(tmp_path / "a.ipynb", json.dumps(notebook))
    try:
        lesson, submission = collect(COURSE, path, None, None)
    except CourseError as error:
        assert "\n" not in error.message("en") and "\n" not in error.message("zh")
        return
    card = grade(submission, lesson, Options(backend="static", compile_targets=False))
    json.dumps(as_dict(card, "zh"), ensure_ascii=False).encode()
