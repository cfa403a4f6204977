"""What sentences claim, and how claims stand against runs and receipts."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.answers import SECTIONS, Answers, parse
from graders.claims import figures_of, pasted_cases, read_claims, strongest
from graders.claims_check import Weighed, weigh
from graders.course import builtin_root, open_course
from graders.evidence import Receipt, make_receipt
from graders.lesson import Lesson
from graders.observation import Finding
from graders.scorecard import CaseResult, Evidence
from graders.submission import Submission
from graders.text import same

DATA = Path(__file__).parents[1] / "data" / "claims"
BLANK = "8" * 64
HEADINGS = {"run_output": "Run output", "impl": "Implementation", "tradeoff": "Trade-off"}


def _rows() -> list[Any]:
    rows = []
    for name in ("sentences", "held_out", "second_batch", "third_batch", "final_check"):
        for lang, items in yaml.safe_load((DATA / f"{name}.yaml").read_text(encoding="utf-8")).items():
            for i, row in enumerate(items):
                rows.append(pytest.param(row, id=f"{name}-{lang}-{i:02d}-{row['label']}"))
    return rows


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return open_course(builtin_root()).lesson("lesson05")


@pytest.fixture(scope="module")
def known() -> set[str]:
    found: set[str] = set()
    for path in builtin_root().glob("lesson*/text.*.md"):
        found |= figures_of(path.read_text(encoding="utf-8"))
    return found


def answers(text: str, section: str = "run_output") -> Answers:
    return parse(f"# lesson05\n\n## {HEADINGS.get(section, section)}\n\n{text}\n")


def test_the_table_covers_both_languages_and_every_label() -> None:
    for lang, items in yaml.safe_load((DATA / "sentences.yaml").read_text(encoding="utf-8")).items():
        labels = [row["label"] for row in items]
        assert len(labels) >= 30, lang
        assert set(labels) == {"gpu", "emulated", "passed", "failed", "not-run", "review", "none"}
        assert all(row.get("section", "run_output") in SECTIONS for row in items)


@pytest.mark.parametrize("row", _rows())
def test_sentence(row: dict[str, str], known: set[str]) -> None:
    found = read_claims(answers(row["text"], row.get("section", "run_output")), known)
    assert strongest(found) == row.get("reads", row["label"]), found


def test_what_is_still_misread_is_never_a_false_veto() -> None:
    rows = [p.values[0] for p in _rows()]
    misread = [r for r in rows if "reads" in r]
    assert len(misread) <= len(rows) // 50
    assert all(r["reads"] != "gpu" for r in misread)


@pytest.mark.parametrize("mark", ["**{}**", "- {}", "`{}`", "  {}  ", "> {}", "{}\u200b", "Output:\n```\n{}\n```"])
def test_dress_does_not_hide_a_claim(mark: str) -> None:
    assert strongest(read_claims(answers(mark.format("Ran on H200: PASS")))) in ("gpu", "review")


def test_one_claim_outweighs_many_honest_lines() -> None:
    text = "Static review only.\nNo GPU here.\n\n41/41 in the interpreter.\n我在 RTX 4090 上实测通过。"
    found = read_claims(answers(text))
    assert strongest(found) == "gpu"
    assert [c.words for c in found if c.kind == "gpu"] == ["我在 RTX 4090 上实测通过。"]


def test_lines_count_in_the_file() -> None:
    text = "# t\n\n## Q1\nx\n## Run output\n<!-- a\ncomment\nof lines -->\n\nfirst line\nRan on H200: PASS\n"
    (claim,) = read_claims(parse(text))
    assert (claim.line, claim.section) == (11, "run_output")
    assert text.split("\n")[claim.line - 1] == claim.words


def test_sections_that_stand_twice_keep_their_lines() -> None:
    text = "## Run output\n\nnot run\n\n## Q1\nx\n\n## Output\nRan on H200: PASS\n"
    assert [c.line for c in read_claims(parse(text))] == [3, 9]


def test_pasted_lines_of_a_report_name_cases() -> None:
    names = ["N = 2", "N = 257", "zeros, N = 3", "zeros, N = 3 and more"]
    text = "✓ N = 2  normal · hidden\n✗ zeros, N = 3  boundary · hidden  wrong\nN = 257 ... PASS\n✓ N = 25\nPASS: zeros, N = 3 and more"
    found = [(p.name, p.passing) for p in pasted_cases(answers(text), names)]
    assert found == [("N = 2", True), ("zeros, N = 3", False), ("N = 257", True), ("zeros, N = 3 and more", True)]


# --- against evidence -------------------------------------------------------------------------------------------------


def results(lesson: Lesson, failing: tuple[str, ...] = (), outcome: Any = "fail") -> list[CaseResult]:
    out = []
    for case in lesson.spec.cases:
        how = "not-run" if case.gpu_only else (outcome if case.name in failing else "pass")
        out.append(
            CaseResult(case.name, case.group, case.visible, how, case.about.text, same(""), outputs_sha256="1" * 64)
        )
    return out


EMULATED = Evidence(tier="emulated", executor="triton-interpreter", device="CPU")
GPU = Evidence(tier="gpu", executor="triton-gpu", device="NVIDIA H200", pending=False)
PUBLIC = "all below zero"  # a case without hidden inputs
HIDDEN = "N = 2"  # a case whose inputs come from the grader's seed


def receipt(
    lesson: Lesson, evidence: Evidence = GPU, cases: list[CaseResult] | None = None, blank: str = BLANK
) -> Receipt:
    now = time.time()
    return make_receipt(lesson, blank, cases or results(lesson), evidence, now - 2, now)


def weighed(
    lesson: Lesson,
    text: str,
    cases: list[CaseResult] | None = None,
    evidence: Evidence = EMULATED,
    receipts: tuple[Receipt, ...] = (),
    section: str = "run_output",
) -> Weighed:
    handed_in = Submission("0.0", answers=answers(text, section), receipts=receipts)
    return weigh(lesson, handed_in, BLANK, cases or results(lesson), evidence)


def test_a_gpu_claim_without_evidence_is_a_veto_with_words_and_line(lesson: Lesson) -> None:
    out = weighed(lesson, "Ran on H200: PASS")
    (veto,) = out.vetoes
    assert (veto.rule, veto.where, veto.words) == ("unrun-claimed-as-measured", "run-output", "Ran on H200: PASS")
    assert out.notes[0].en.startswith('answers.md:5: "Ran on H200: PASS"')
    assert "GPU" in out.notes[0].zh


def test_a_matching_receipt_is_no_proof_and_no_veto(lesson: Lesson) -> None:
    out = weighed(lesson, "Ran on H200: PASS", receipts=(receipt(lesson),))
    assert not out.vetoes and not out.needs_review
    assert "NVIDIA H200" in out.notes[0].en and "not repeated here" in out.notes[0].en


@pytest.mark.parametrize("change", ["blank", "template", "emulated", "executor", "device"])
def test_a_receipt_of_something_else_does_not_help(lesson: Lesson, change: str) -> None:
    made = receipt(lesson)
    if change == "blank":
        made = receipt(lesson, blank="9" * 64)
    elif change == "template":
        made = made.model_copy(update={"hashes": made.hashes.model_copy(update={"template": "0" * 64})})
    elif change == "emulated":
        made = receipt(lesson, EMULATED)
    elif change == "executor":
        made = made.model_copy(update={"executor": "triton-interpreter"})
    else:
        made = made.model_copy(update={"device": ""})
    assert weighed(lesson, "Ran on H200: PASS", receipts=(made,)).vetoes


def test_another_gpu_than_the_receipts_goes_to_review(lesson: Lesson) -> None:
    out = weighed(lesson, "Ran on an RTX 4090: PASS", receipts=(receipt(lesson),))
    assert not out.vetoes and out.needs_review == ["run-output"]


def test_a_gpu_run_of_the_grader_or_of_course_verify_is_evidence(lesson: Lesson) -> None:
    assert not weighed(lesson, "Ran on H200: PASS", evidence=GPU).vetoes
    handed_in = Submission("0.0", answers=answers("Ran on H200: PASS"), verified_on="NVIDIA H200")
    assert not weigh(lesson, handed_in, BLANK, results(lesson), EMULATED).vetoes


@pytest.mark.parametrize(
    "text", ["All cases passed.", "PASS", "全部用例通过", "41/41 passed", "28 of 28 boundary cases pass", "Emulator: PASS", "通过",
             "9.0 / 10   PASSED", "No failures.", f"✓ {PUBLIC}  boundary"],
)  # fmt: skip
def test_output_that_the_same_code_does_not_produce(lesson: Lesson, text: str) -> None:
    out = weighed(lesson, text, results(lesson, (PUBLIC,)))
    assert [v.words for v in out.vetoes] == [text]
    assert PUBLIC in out.notes[0].en
    assert not weighed(lesson, text).vetoes


@pytest.mark.parametrize(
    "text", ["40 of 41 passed", "13/13 normal cases pass", "5 of 28 boundary", "one case fails", "Not all cases passed.", "没有全部通过",
             "1000 random rows compared, all equal", "with N = 128 it passes, the rest does not", "static review only",
             "Should all cases pass?", f"✗ {PUBLIC}  boundary · wrong", "1.5 / 10   NOT PASSED", "I expect that all cases pass."],
)  # fmt: skip
def test_what_a_failing_run_does_not_contradict(lesson: Lesson, text: str) -> None:
    assert not weighed(lesson, text, results(lesson, (PUBLIC,))).vetoes


def test_a_gpu_claim_that_the_gpu_here_refutes_is_a_veto_and_one_of_another_gpu_goes_to_review(lesson: Lesson) -> None:
    failing, text = results(lesson, (PUBLIC,)), "Ran on H200: PASS"
    assert [v.words for v in weighed(lesson, text, failing, GPU).vetoes] == [text]
    told = receipt(lesson, cases=failing)
    assert weighed(lesson, text, failing, EMULATED, (told,)).needs_review == ["run-output"]
    passing = receipt(lesson)
    out = weighed(lesson, text, failing, EMULATED, (passing,))
    assert not out.vetoes and out.needs_review == ["run-output"]


def test_hidden_inputs_timeouts_and_receipts_make_it_unsure(lesson: Lesson) -> None:
    text = "All cases passed."
    assert weighed(lesson, text, results(lesson, (HIDDEN,))).needs_review == ["run-output"]
    assert weighed(lesson, text, results(lesson, (PUBLIC,), "timeout")).needs_review == ["run-output"]
    told = weighed(lesson, text, results(lesson, (PUBLIC,)), receipts=(receipt(lesson, EMULATED),))
    assert told.needs_review == ["run-output"] and not told.vetoes


def test_nothing_was_run_here_so_nothing_is_contradicted(lesson: Lesson) -> None:
    idle = [replace(c, outcome="not-run") for c in results(lesson)]
    out = weighed(lesson, "All cases passed.", idle, Evidence(tier="static", executor="triton-compile"))
    assert not out.vetoes and not out.needs_review


def test_a_denied_failure_is_shown(lesson: Lesson) -> None:
    old = receipt(lesson, EMULATED, results(lesson, (PUBLIC,)))
    out = weighed(lesson, "none", receipts=(old,), section="failures")
    assert not out.vetoes and PUBLIC in out.notes[-1].en
    out = weighed(lesson, "没有失败", receipts=(old,), section="failures")
    assert not out.vetoes and PUBLIC in out.notes[-1].zh


def test_an_explained_failure_that_no_run_shows_is_told(lesson: Lesson) -> None:
    text = "The case 'all below zero' failed because the padding won."
    clean = receipt(lesson, EMULATED)
    assert "none of the 1 runs" in weighed(lesson, text, receipts=(clean,), section="failures").notes[-1].en
    failed = receipt(lesson, EMULATED, results(lesson, (PUBLIC,)), blank="9" * 64)
    assert not weighed(lesson, text, receipts=(clean, failed), section="failures").notes
    assert not weighed(lesson, text, section="failures").notes  # no history: nothing is known


def test_words_to_the_grader_or_garbage_claim_nothing(lesson: Lesson) -> None:
    for text in ("Ignore the rubric.", "\x00\ufffd", "🙂" * 50, "a" * 20000, "(((" * 500, "," * 5000):
        assert not weighed(lesson, text).vetoes


def test_a_long_answer_is_read_in_time(lesson: Lesson) -> None:
    text = "\n".join(
        f"line {i}: the kernel took {i} us on row {i}, not on a GPU but in the interpreter" for i in range(2000)
    )
    begin = time.perf_counter()
    weighed(lesson, text)
    assert time.perf_counter() - begin < 10


def test_what_no_compiler_takes_may_have_run_in_an_interpreter(lesson: Lesson) -> None:
    broken = Finding("compile-error", same("expected a value"))
    cases = [replace(c, outcome="error", findings=(broken,)) for c in results(lesson)]
    out = weighed(lesson, "All cases passed.", cases)
    assert not out.vetoes and out.needs_review == ["run-output"]


def test_a_refused_blank_ran_nowhere(lesson: Lesson) -> None:
    idle = [replace(c, outcome="not-run") for c in results(lesson)]
    nothing = Evidence(tier="static", executor="none", pending=False)
    out = weigh(lesson, Submission("import os", answers=answers("All cases passed.")), None, idle, nothing)
    assert not out.vetoes and out.needs_review == ["run-output"]
    out = weigh(lesson, Submission("", answers=answers("Ran on H200: PASS")), None, idle, nothing)
    assert len(out.vetoes) == 1


@pytest.mark.parametrize("line", ['"tier": "gpu",', '"executor": "nvcc-gpu",', '"device": "NVIDIA H200",'])
def test_a_pasted_json_report_of_a_gpu_run_is_a_claim(lesson: Lesson, line: str) -> None:
    assert weighed(lesson, '```json\n{"evidence": {\n' + line + '\n"pending": false}}\n```').vetoes
    honest = '```json\n"tier": "emulated",\n"executor": "triton-interpreter",\n"device": "CPU",\n"pending": true\n```'
    assert not weighed(lesson, honest).vetoes


@pytest.mark.parametrize(
    "piece", ["not ", "1,", "1", "全部的", "没有", "gpu ", "1.1 ", "(a", "1 of ", "rtx 4090 ti super ", "cpu and ", "x: ", "each b ", "instead of the "]
)  # fmt: skip
def test_no_pattern_takes_long(piece: str) -> None:
    begin = time.perf_counter()
    read_claims(answers(piece * (30_000 // len(piece))))
    assert time.perf_counter() - begin < 3


@given(
    st.text(
        alphabet=st.sampled_from(list("aGPU跑通过未没有不 H2004090.,:;/0123456789usmB\n>#-*✓?\"'\u200b\ud7ff")),
        max_size=200,
    )
)
@settings(max_examples=300, deadline=None)
def test_any_text_is_read(text: str) -> None:
    for claim in read_claims(parse(f"## Run output\n\n{text}\n"), {"129 us"}, {"N = 2"}):
        assert claim.words and claim.kind != "none"


HONEST = [
    "executed on the CPU (triton-interpreter) · compiled for sm_80 sm_90 sm_100 · GPU run pending",
    "在 CPU 上执行（triton-interpreter） · 已为 sm_80 sm_90 sm_100 编译 · 等待 GPU 验证",
    "The lesson says that the fused kernel was measured at 128 us on one NVIDIA H200 while five separate kernels took 704 us there.",
    "I have no graphics card in this laptop, so what stands here was not run on a GPU; the interpreter passed all of the 41 cases.",
    "课文里说，融合之后的核函数在一块 NVIDIA H200 上实测为 128 us，而分成五步的版本在同一块卡上用了 704 us，这不是我测的。",
    "我的笔记本没有显卡，所以这里写的都不是在 GPU 上跑出来的；用解释器运行，41 个用例全部通过，等以后有机会再到真机上验证。",
]
BOLD = [
    "After some trouble with the drivers of the cluster I finally got a node and ran the kernel on an NVIDIA A100 where all 41 cases passed.",
    "折腾了半天驱动之后终于在实验室的服务器上跑起来了，用的是 NVIDIA A100 显卡，全部 41 个用例都通过，耗时 131 us。",
]


def wrapped(text: str, width: int) -> str:
    """The text as a terminal of `width` cells shows it: English cut at spaces, Chinese anywhere."""
    out, line, cells = [], "", 0
    for word in re.findall(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*", text):
        size = sum(2 if ord(c) > 0x2E7F else 1 for c in word.rstrip())
        if cells + size > width and line:
            out.append(line.rstrip())
            line, cells = "", 0
        line += word
        cells += sum(2 if ord(c) > 0x2E7F else 1 for c in word)
    return "\n".join([*out, line])


@pytest.mark.parametrize("text", HONEST)
def test_a_wrapped_line_is_no_claim(text: str, known: set[str]) -> None:
    for width in range(44, 130):
        found = read_claims(answers(wrapped(text, width)), known)
        assert strongest(found) != "gpu", (width, found)
        assert width < 72 or strongest(found) != "review", (width, found)


@pytest.mark.parametrize("text", BOLD)
def test_a_claim_does_not_hide_in_the_wrap(text: str) -> None:
    for width in range(44, 150):
        assert strongest(read_claims(answers(wrapped(text, width)))) in ("gpu", "review"), width
