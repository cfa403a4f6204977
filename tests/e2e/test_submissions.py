"""A table of submissions of our own, each built from the pristine template, with what its report must say.

Every form (.py .cu .ipynb .qmd, folder, zip, tar), every veto, and for every veto its near misses that must be none.
"""

from __future__ import annotations

import functools
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from graders.answers import Section, render
from graders.blank_base import BLANK
from graders.collect import Opened, batch_of
from graders.course import Course, open_course
from graders.errors import BadInput
from graders.evidence import make_receipt
from graders.executors.base import Executor
from graders.grade import Options, grade
from graders.notebook_export import dump_ipynb, to_ipynb, to_qmd
from graders.reports.json_report import as_dict
from graders.reports.model import Report
from graders.scorecard import CaseResult, Evidence
from graders.text import same

pytest.importorskip("triton")
COURSE = open_course(Path(__file__).resolve().parents[2] / "lessons")
ROWSUM, ARGMAX = COURSE.lesson("lesson05"), COURSE.lesson("lesson12")
RIGHT12 = "other_idx >= 0 && (vi.idx < 0 || other_val > vi.val || (other_val == vi.val && other_idx < vi.idx))"
CHECK, WEAK, UNRUN, CHAIN = (
    "boundary-check-removed",
    "boundary-check-removed",
    "unrun-claimed-as-measured",
    "wrong-causal-chain",
)
Build = Callable[[Path], Path]


def py(fill: str = "0.0", *edits: tuple[str, str]) -> str:
    return _edited(ROWSUM.template.replace(BLANK, fill), edits)


def cu(fill: str = RIGHT12, *edits: tuple[str, str]) -> str:
    return _edited(ARGMAX.template.replace(BLANK, fill), edits)


def _edited(text: str, edits: tuple[tuple[str, str], ...]) -> str:
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def file(name: str, content: str | bytes) -> Build:
    def build(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return build


def tree(**files: str | bytes) -> Build:
    """A folder; `__` in a name stands for a dot."""

    def build(folder: Path) -> Path:
        root = folder / "handed-in"
        for name, content in files.items():
            file(name.replace("__", "."), content)(root)
        return root

    return build


def answers(**sections: str) -> str:
    return render("lesson05", cast("dict[Section, str]", sections), "en")


def packed(name: str, inside: Build, *, flat: bool = False) -> Build:
    """An archive of what `inside` builds."""

    def build(folder: Path) -> Path:
        root = inside(folder / "inside")
        members = {
            str(p.relative_to(root if flat else root.parent)): p.read_bytes()
            for p in sorted(root.rglob("*"))
            if p.is_file()
        }
        path = folder / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w") as out:
                for member, data in members.items():
                    out.writestr(member, data)
            return path
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as tar:
            for member, data in members.items():
                info = tarfile.TarInfo(member)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        return path

    return build


def notebook(
    fill: str | None = "0.0", *change: Callable[[dict[str, Any]], Any], lang: Any = "en", **written: str
) -> Build:
    made = to_ipynb(ROWSUM, lang, fill, written)  # type: ignore[arg-type]  # names of sections
    for each in change:
        each(made)
    return file("lesson05.ipynb", json.dumps(made, ensure_ascii=False))


def cell(made: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(c for c in made["cells"] if c.get("id") == name)
    return found


def shows(text: str, name: str = "check", count: int | None = 3) -> Callable[[dict[str, Any]], None]:
    """Stored output of a cell."""

    def change(made: dict[str, Any]) -> None:
        cell(made, name).update(
            outputs=[{"output_type": "stream", "name": "stdout", "text": text}], execution_count=count
        )

    return change


def own_cell(source: str, output: str, kind: str = "code") -> Callable[[dict[str, Any]], None]:
    out = [{"output_type": "stream", "name": "stdout", "text": output}]
    value = {"cell_type": kind, "id": "mine", "metadata": {}, "source": source, "outputs": out, "execution_count": 9}
    return lambda made: made["cells"].append(value)


def without_roles(made: dict[str, Any]) -> None:
    for each in made["cells"]:
        each["metadata"] = {}
        each.pop("id")


def gold(lang: str) -> dict[str, str]:
    """Good answers that are nobody's copy: the first labelled ones with full points."""
    rows = yaml.safe_load((ROWSUM.solution_folder or Path()).joinpath("gold_answers.yaml").read_text(encoding="utf-8"))
    full = {"q1": 2, "q2": 2, "q3": 2, "impl": 1}
    out = {
        q: next(r["answer"] for r in rows if (r["question"], r["lang"], r["score"]) == (q, lang, s))
        for q, s in full.items()
    }
    key = ROWSUM.solution()
    assert key is not None
    return {
        **out,
        "boundary": key.reference.boundary.text.pick(lang),
        "tradeoff": key.reference.tradeoff.text.pick(lang),
    }


GPU = Evidence("gpu", "triton-gpu", "NVIDIA H200", {"triton": "3.7.1"}, (), False)


def with_receipt(lines: str, fill: str = "0.0") -> Build:
    """Code and answers beside the receipt of a GPU run of this blank."""

    def build(folder: Path) -> Path:
        from graders.blank import check_fill
        from graders.grade import blank_rules

        blank = check_fill("0.0" if fill == "other" else fill, ROWSUM.template, blank_rules(ROWSUM)).sha256
        ran = [
            CaseResult(
                c.name, c.group, c.visible, "pass", same(""), same(""), inputs_sha256="a" * 64, outputs_sha256="b" * 64
            )
            for c in ROWSUM.spec.cases
        ]
        root = tree(lesson05__py=py("0" if fill == "other" else fill), answers__md=answers(run_output=lines))(folder)
        receipt = make_receipt(ROWSUM, blank, ran, GPU, 1.0, 2.0)
        file(f"receipts/{receipt.file_name()}", receipt.dumps())(root)
        return root

    return build


@dataclass(frozen=True)
class Row:
    """`cases`: the group's points, `refused` or `none` (static). `vetoes`: (rule, start of where, words in it)."""

    name: str
    build: Build
    lesson: str = "lesson05"
    fill: str | None = None
    cases: str = "pass"
    vetoes: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    review: bool | None = None
    points: dict[str, float] = field(default_factory=dict)
    passed: bool | None = False
    option: str | None = None
    error: str | None = None
    reason: str = ""
    emulate: bool = False  # a CUDA row is compiled and run, which takes seconds; the others are static


GUARD = ("if N < 1:\n        raise ValueError", "if False:\n        raise ValueError")
HEAD5 = "    lane = tl.arange(0, BLOCK)\n"
VETOED = "template:"

ROWS = [
    # ---- forms
    Row("python file", file("lesson05.py", py()), fill="0.0", points={"normal": 2.0, "boundary": 1.0}),
    Row("python file, CRLF", file("lesson05.py", py().replace("\n", "\r\n")), fill="0.0"),
    Row("python file, byte order mark", file("lesson05.py", b"\xef\xbb\xbf" + py().encode()), fill="0.0"),
    Row("python file, UTF-16", file("lesson05.py", py().encode("utf-16")), fill="0.0"),
    Row("python file, GBK", file("lesson05.py", b"# \xc4\xe3\xba\xc3\n" + py().encode()), error="not valid UTF-8"),
    Row("python file, no marker", file("homework.py", py("0.0", ("# course: lesson05\n", ""))), fill="0.0"),
    Row("python file of nothing", file("x.py", "print('hello')\n"), error="belongs to no lesson"),
    Row("empty file", file("lesson05.py", ""), error="is empty"),
    Row("binary file", file("lesson05.py", b"\0\1\2" * 50), error="binary data"),
    Row("another ending", file("lesson05.docx", b"PK\3\4"), error="is no submission"),
    Row("unfilled template", file("lesson05.py", ROWSUM.template), fill="", cases="refused", points={"normal": 0.0}, reason="the blank is empty"),
    Row("wrong fill", file("lesson05.py", py("1.0")), fill="1.0", cases="fail", points={"normal": 0.0, "boundary": 0.0}),
    Row("fill that only zeros catch", file("lesson05.py", py("1e-38")), cases="fail", points={"boundary": 0.0}),
    Row("fill that is refused", file("lesson05.py", py("print(1)")), cases="refused"),
    Row("cuda file", file("argmax.cu", cu()), "lesson12", fill=RIGHT12, cases="none", passed=None),
    Row("cuda file on the emulator", file("argmax.cu", cu()), "lesson12", fill=RIGHT12, points={"normal": 2.0, "boundary": 1.0}, emulate=True),
    Row("cuda file on the emulator, wrong", file("argmax.cu", cu("other_val > vi.val")), "lesson12", cases="fail", points={"boundary": 0.0}, emulate=True),
    Row("cuda file, no marker", file("a.cu", cu(RIGHT12, ("// course: lesson12\n", ""))), error="give --lesson"),
    Row("cuda file, no marker, named", file("a.cu", cu(RIGHT12, ("// course: lesson12\n", ""))), "lesson12", cases="none", passed=None, option="lesson12"),
    Row("folder", tree(lesson05__py=py(), answers__md=answers(**gold("zh"))), fill="0.0", passed=True, review=False),
    Row("folder, answers only", tree(answers__md=answers(q1="x")), error="give --lesson"),
    Row("folder, answers only, named", tree(answers__md=answers(q1="x")), option="lesson05", fill="", cases="refused"),
    Row("folder, two code files", tree(a__py=py(), b__py=py(), answers__md=answers()), error="several code files: a.py, b.py"),
    Row("folder, code and notebook", tree(lesson05__py=py("1.0"), lesson05__ipynb=dump_ipynb(ROWSUM, "en", "0.0", {"q1": "because"})), fill="1.0", cases="fail", notes=("the blank of lesson05.py counts", "the blank of lesson05.ipynb is another one")),
    Row("folder, notebook and answers.md", tree(lesson05__ipynb=dump_ipynb(ROWSUM, "en", "0.0", {"q1": "from the notebook", "q2": "x"}), answers__md=answers(q1="from answers.md")), fill="0.0", notes=("from the notebook, where answers.md says nothing: Q2",)),
    Row("zip", packed("s.zip", tree(lesson05__py=py(), answers__md=answers())), fill="0.0"),
    Row("zip without a folder", packed("s.zip", tree(lesson05__py=py(), answers__md=answers()), flat=True), fill="0.0"),
    Row("tar.gz", packed("s.tar.gz", tree(argmax__cu=cu(), answers__md=answers())), "lesson12", cases="none", passed=None),
    Row("tar of a notebook", packed("s.tar", tree(lesson05__ipynb=dump_ipynb(ROWSUM, "zh", "-0.0"))), fill="-0.0"),
    Row("notebook", notebook("0.0", **gold("zh")), fill="0.0", passed=True, review=False, quiet=("no answer", "order")),
    Row("notebook in Chinese", notebook("0.0", lang="zh", **gold("zh")), fill="0.0", passed=True),
    Row("notebook, unfilled", notebook(None), fill="", cases="refused", notes=("no answer found for: Q1, Q2, Q3, Implementation",)),
    Row("notebook, metadata and ids lost", notebook("0.0", without_roles, **gold("zh")), fill="0.0", passed=True),
    Row("notebook, exercise doubled", notebook("1.0", lambda m: m["cells"].append({**cell(m, "exercise"), "id": "again", "source": py()})), fill="0.0", notes=("stands in several cells",)),
    Row("notebook, exercise converted", notebook("0.0", lambda m: cell(m, "exercise").update(cell_type="markdown")), fill="0.0", notes=("turned into a text cell",)),
    Row("notebook, exercise missing", notebook("0.0", lambda m: m["cells"].remove(cell(m, "exercise")), q1="because"), fill="", cases="refused", notes=("no cell holds the exercise",)),
    Row("notebook, exercise broken", notebook("0.0", lambda m: cell(m, "exercise").update(source=py()[:900]), **gold("zh")), fill="", cases="refused", points={"normal": 0.0, "q1": 2.0}, reason="does not fit the template of lesson05"),
    Row("notebook, exercise broken, no answers", notebook("0.0", lambda m: cell(m, "exercise").update(source="# course: lesson05\nx = (")), error="(cell 11):2:5: this file does not fit"),
    Row("notebook, answers before the code", notebook("0.0", lambda m: m["cells"].reverse(), q1="a", q2="b"), fill="0.0", notes=("another order",)),
    Row("notebook, broken JSON", file("x.ipynb", dump_ipynb(ROWSUM, "en")[:-40]), error="broken JSON"),
    Row("quarto", file("lesson05.qmd", to_qmd(ROWSUM, "zh", "0.0", gold("zh"))), fill="0.0", passed=True),  # type: ignore[arg-type]
    Row("quarto, CUDA", file("a.qmd", to_qmd(ARGMAX, "en", RIGHT12)), "lesson12", fill=RIGHT12, cases="none", passed=None),
    Row("cuda notebook", file("a.ipynb", dump_ipynb(ARGMAX, "en", RIGHT12)), "lesson12", fill=RIGHT12, cases="none", passed=None),
    # ---- boundary-check-removed
    Row("mask deleted", file("l.py", py("0.0", (", mask=has_column", ""))), cases="pass", vetoes=((CHECK, VETOED, "tl.load"),)),
    Row("mask weakened", file("l.py", py("0.0", ("lane < N", "lane <= N"))), vetoes=((CHECK, VETOED, "has_column"),)),
    Row("host check deleted", file("l.py", py("0.0", GUARD)), vetoes=((CHECK, VETOED, "N < 1"),)),
    Row("CUDA: error check deleted", file("a.cu", cu(RIGHT12, ("    if (status != cudaSuccess) {\n        return status;\n    }\n    best_of_all", "    best_of_all"))), "lesson12", cases="none", passed=None, vetoes=((CHECK, VETOED, ""),)),
    Row("CUDA: bounds loosened", file("a.cu", cu(RIGHT12, ("lane < kWarps", "lane <= kWarps"))), "lesson12", cases="none", passed=None, vetoes=((CHECK, VETOED, "kWarps"),)),
    Row("CUDA: assertion deleted", file("a.cu", cu(RIGHT12, ('    static_assert(BLOCK % kWarp == 0 && BLOCK <= kWarp * kWarp, "whole warps, and at most one warp\'s worth of them");\n', ""))), "lesson12", cases="none", passed=None, vetoes=((CHECK, VETOED, "static_assert"),)),
    Row("mask deleted in a notebook", notebook("0.0", lambda m: cell(m, "exercise").update(source=py("0.0", (", mask=has_column", "")))), vetoes=((CHECK, VETOED, "tl.load"),)),
    # near misses
    Row("renamed local", file("l.py", py("0.0", ("lane", "column_number"))), fill="0.0", notes=("renamed",)),
    Row("comments and blank lines", file("l.py", py("0.0", (HEAD5, "    # my own remark\n\n" + HEAD5))), fill="0.0"),
    Row("a print added", file("l.py", py("0.0", ("    if M > 0:\n", '    print("here")\n    if M > 0:\n'))), notes=("harmless edits outside of the blank: line 48 (added)",)),
    Row("reformatted call", file("l.py", py("0.0", ("mask=has_column, other=0.0)", "\n        mask=has_column,\n        other=0.0,\n    )"))), fill="0.0"),
    Row("zero in another spelling", file("l.py", py("0.0 * N"))),
    Row("CUDA: comment and layout", file("a.cu", cu(RIGHT12, ("int lane = ", "int  lane  =  /* mine */ "))), "lesson12", cases="none", passed=None),
    # ---- unrun-claimed-as-measured
    Row("GPU result without a run", tree(l__py=py(), answers__md=answers(run_output="Ran on H200: PASS")), vetoes=((UNRUN, "run-output", "H200"),)),
    Row("GPU result without a run, Chinese", tree(l__py=py(), answers__md=answers(run_output="在 4090 上跑过，全部通过。")), vetoes=((UNRUN, "run-output", "4090"),)),
    Row("GPU timing in the trade-off", tree(l__py=py(), answers__md=answers(tradeoff="I benchmarked both versions on my 4090: fused 92 us, unfused 310 us.")), vetoes=((UNRUN, "tradeoff", "4090"),)),
    Row("all pass claimed, wrong blank", tree(l__py=py("1.0"), answers__md=answers(run_output="All cases passed on the CPU.")), cases="fail", vetoes=((UNRUN, "run-output", "All cases"),)),
    Row("pasted pass of a failing case", tree(l__py=py("1.0"), answers__md=answers(run_output="✓ four rows of 100\n✓ N = 128, the block is full")), cases="fail", vetoes=((UNRUN, "run-output", "four rows"),)),
    Row("stored output that the blank does not produce", notebook("1.0", shows("pass    four rows of 100\n5 of 5 visible cases pass\n")), cases="fail", vetoes=((UNRUN, "cell", "four rows of 100"),)),
    Row("GPU claim in a notebook", notebook("0.0", run_output="Executed on an A100, all green."), vetoes=((UNRUN, "run-output", "A100"),)),
    # near misses
    Row("honest: not run", tree(l__py=py(), answers__md=answers(run_output="static review only")), fill="0.0", review=False),
    Row("honest: not run, Chinese", tree(l__py=py(), answers__md=answers(run_output="仅静态审查")), review=False),
    Row("emulated, said so", tree(l__py=py(), answers__md=answers(run_output="Ran with the Triton interpreter on the CPU: all cases pass.")), review=False),
    Row("an expectation", tree(l__py=py(), answers__md=answers(run_output="I expect the same result on a GPU. Not run there.")), review=False),
    Row("the lesson's figure quoted", tree(l__py=py(), answers__md=answers(tradeoff="According to the lesson, an H200 moves 4084 GB/s here.")), review=False),
    Row("GPU claim with its receipt", with_receipt("Ran on H200: PASS"), notes=("receipt of",)),
    Row("GPU claim with another blank's receipt", with_receipt("Ran on H200: PASS", "other"), vetoes=((UNRUN, "run-output", "H200"),)),
    Row("stored output as it is", notebook("0.0", shows("pass    four rows of 100\n")), quiet=("does not produce",)),
    Row("stored failure, since repaired", notebook("0.0", shows("FAIL    four rows of 100  (out[0])\n")), quiet=("does not produce",)),
    Row("own cell speaks of a GPU", notebook("0.0", own_cell("bench()", "kernel on H100: 12.5 us")), review=True, notes=("a person decides",)),
    Row("output without execution", notebook("0.0", shows("pass    four rows of 100\n", count=None)), notes=("never executed",)),
    Row("cells out of order", notebook("0.0", shows("Writing\n", "setup", 7), shows("pass    four rows of 100\n", "check", 2)), notes=("not executed in order",)),
    # ---- wrong-causal-chain
    Row("a core misconception", tree(l__py=py(), answers__md=answers(q2="The 28 extra lanes are switched off: the mask keeps them out of tl.sum, so it doesn't matter what other is.")), vetoes=((CHAIN, "q2", ""),)),
    Row("a core misconception, Chinese", notebook("0.0", lang="zh", q1="求和的时候 tl.sum 会带着刚才那个 mask，凡是 mask 为假的 lane 根本不参加加法，所以 other 填几都没有关系。"), vetoes=((CHAIN, "q1", ""),)),
    # near misses
    Row("the misconception refuted", tree(l__py=py(), answers__md=answers(q2="Some say the mask keeps the extra lanes out of tl.sum. That is wrong: tl.sum adds all 128 lanes, and 0 leaves the sum as it is.")), fill="0.0"),
    Row("an omission", tree(l__py=py(), answers__md=answers(q2="Because 128 is a power of two.")), fill="0.0"),
]  # fmt: skip


@pytest.fixture(scope="module")
def triton_executor() -> Executor:
    """One warm interpreter for the whole table."""
    from graders.executors.triton_interpreter import TritonInterpreter

    executor = TritonInterpreter()
    if executor.availability() is not None:
        pytest.skip("the interpreter is not there")
    return executor


@functools.cache
def emulator() -> Executor:
    """The CUDA emulator for the rows that run."""
    from graders.executors.emulator import EmulatorExecutor

    executor = EmulatorExecutor()
    if executor.availability() is not None:
        pytest.skip("the emulator is not there")
    return executor


@pytest.fixture
def opened() -> Iterator[Opened]:
    with ExitStack() as stack:
        yield Opened(stack)


def graded(opened: Opened, row: Row, folder: Path, executor: Executor, course: Course = COURSE) -> dict[str, Any]:
    path = opened.enter(row.build(folder))
    assert batch_of(path) == []
    lesson, submission = opened.collect(course, path, row.option, None)
    assert lesson.id == row.lesson
    if row.fill is not None:
        assert submission.fill == row.fill
    here: Executor | None = executor
    if lesson.spec.language == "cuda":
        here = emulator() if row.emulate else None
    backend: Any = "cpu" if here else "static"
    card = grade(submission, lesson, Options(backend=backend, executor=here, compile_targets=False))
    report = as_dict(card, "en")
    Report.model_validate(report)
    as_dict(card, "zh")
    return report


@pytest.mark.parametrize("row", ROWS, ids=[row.name.replace(" ", "-") for row in ROWS])
def test_the_report_of_a_submission(row: Row, tmp_path: Path, opened: Opened, triton_executor: Executor) -> None:
    if row.error is not None:
        with pytest.raises(BadInput) as caught:
            graded(opened, row, tmp_path, triton_executor)
        message = caught.value.message("en")
        assert row.error in message and "\n" not in message and message.startswith(str(tmp_path))
        return
    report = graded(opened, row, tmp_path, triton_executor)
    outcomes = {c["outcome"] for c in report["cases"]} - {"not-run"}
    assert (report["refused"] is not None) == (row.cases == "refused")
    assert row.reason in (report["refused"] or {}).get("reason", "")
    assert outcomes == {"refused": set(), "none": set(), "pass": {"pass"}}.get(row.cases, outcomes)
    assert row.cases != "fail" or "fail" in outcomes
    told = [(v["rule"], v["where"], v["words"]) for v in report["vetoes"]]
    assert len(told) >= len(row.vetoes) and {t[0] for t in told} == {v[0] for v in row.vetoes}, told
    for rule, where, words in row.vetoes:
        assert any(r == rule and w.startswith(where) and words in x and x for r, w, x in told), told
    said = "\n".join(report["submission"]["notes"])
    assert all(note in said for note in row.notes) and not any(note in said for note in row.quiet), said
    if row.review is not None:
        assert bool(report["needs_review"]) == row.review, report["needs_review"]
    assert {part: report["points"][part] for part in row.points} == row.points
    assert report["passed"] is row.passed and report["conditions"]["no_veto"] is (not row.vetoes)


def test_the_table_is_large_and_covers_what_it_must() -> None:
    assert len(ROWS) >= 40 and len({row.name for row in ROWS}) == len(ROWS)
    assert {v[0] for row in ROWS for v in row.vetoes} == {CHECK, UNRUN, CHAIN}


def test_a_batch_of_archives_inside_of_an_archive(tmp_path: Path, opened: Opened) -> None:
    """What a teaching platform hands over: one zip of everybody's zips, folders and files."""
    root = tmp_path / "class"
    for i, name in enumerate(["ann", "bo"]):
        made = packed(f"{name}.zip", tree(lesson05__py=py(f"{i}.0"), answers__md=answers()))(tmp_path / name)
        file(made.name, made.read_bytes())(root)
    tree(lesson05__py=py("-0.0"), answers__md=answers())(root / "cy")
    (root / "cy" / "handed-in").rename(root / "cy2")
    (root / "cy").rmdir()
    file("dee.ipynb", dump_ipynb(ROWSUM, "en", "0"))(root)
    file("._dee.ipynb", "junk")(root)
    (tmp_path / "out").mkdir()
    outer = packed("all.zip", lambda _: root)(tmp_path / "out")
    (root / "eve.py").symlink_to("/etc/hostname")
    members = batch_of(opened.enter(outer))
    assert [m.name for m in batch_of(root)] == [m.name for m in members]  # links are no members
    found = {}
    for member in members:
        lesson, submission = opened.collect(COURSE, opened.enter(member), None, None)
        assert lesson.id == "lesson05" and submission.path is not None and "course-archive" not in submission.path
        found[submission.path.rpartition("/")[2]] = submission.fill
    assert found == {"ann.zip": "0.0", "bo.zip": "1.0", "cy2": "-0.0", "dee.ipynb": "0"}


def test_a_link_inside_of_a_folder_is_refused(tmp_path: Path, opened: Opened) -> None:
    """A folder that was handed in must not show the grader's own files as answers."""
    root = tree(lesson05__py=py())(tmp_path)
    key = tmp_path / "key.md"
    key.write_text(answers(**gold("zh")))
    (root / "answers.md").symlink_to(key)
    with pytest.raises(BadInput, match="symbolic link"):
        opened.collect(COURSE, root, None, None)
