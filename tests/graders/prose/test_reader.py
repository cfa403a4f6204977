"""The public entry: what a reading says, copies, claims against evidence, sections, evaluation, errors of a rubric."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graders import yamlread
from graders.errors import BadInput
from graders.prose.evaluate import evaluate_rows, weighted_kappa
from graders.prose.lexicon import check_lexicon, lexicon_at
from graders.prose.reader import ReadContext, read_answer, read_sections
from graders.prose.rubric import ProseRubric, load_rubric

Get = Callable[[str], ProseRubric]
ROOT = Path(__file__).resolve().parents[3]
FULL = (
    "输入：每个 program 读一行，列号不小于 N 的 lane 不读内存，拿到的是 0。状态变化：tl.sum 看不到 mask，把 128 个 lane 两两相加；"
    "因为 x + 0 = x，补位不会改变任何一步的部分和。输出：剩下的一个标量写到 out[row]，正好是这一行的和。"
)


def test_a_full_answer(rubric: Get) -> None:
    reading = read_answer(rubric("lesson05"), "q1", FULL)
    assert (reading.points, reading.maximum, reading.language) == (2.0, 2.0, "zh")
    assert not reading.needs_review
    assert 0 < reading.confidence <= 1
    assert reading.vetoes == []
    assert all(link.state == "stated" for link in reading.links)


def test_feedback_asks_for_what_is_missing_and_quotes_what_is_wrong(rubric: Get) -> None:
    part = read_answer(rubric("lesson05"), "q1", "补位的 0 加进去不改变总和。")
    assert part.points == 1.0
    assert any("写到哪里" in t.zh for t in part.feedback)
    wrong = read_answer(rubric("lesson05"), "q1", "被 mask 掉的 lane 不参加求和。")
    assert wrong.points == 0
    assert any("不参加" in t.zh and "mask 只管读取" in t.zh for t in wrong.feedback)


def test_an_empty_answer_is_nothing(rubric: Get) -> None:
    reading = read_answer(rubric("lesson05"), "q1", " \n ")
    assert (reading.points, reading.needs_review) == (0.0, False)


def test_a_refuted_misconception_is_none(rubric: Get) -> None:
    text = "有人以为 mask 掉的 lane 不参加求和，其实不是：它们都被加进去，只是值为 0，不改变总和，最后一个数写到 out[row]。"
    reading = read_answer(rubric("lesson05"), "q1", text)
    assert reading.points >= 1.0
    assert reading.misconceptions == []
    assert reading.vetoes == []


def test_a_copied_question_is_worth_nothing(rubric: Get) -> None:
    prompt = "为什么只用 > 时，不同的 block 划分可能返回不同的相等最大值的下标？ Why may > alone return different indices of equal maxima under different block partitions?"
    for text in (
        "因为只用 > 时不同的 block 划分可能返回不同的下标。",
        "> alone may return different indices of equal maxima under different block partitions.",
    ):
        assert read_answer(rubric("lesson12"), "q2", text, context=ReadContext(question=prompt)).points == 0


def test_copies_are_shown_and_scored_by_content(rubric: Get) -> None:
    context = ReadContext(
        reference={"zh": f"开头。{FULL}结尾。"}, others={"ann": FULL, "bob": "完全不同的另一个回答，讲的是别的事情。"}
    )
    reading = read_answer(rubric("lesson05"), "q1", FULL, context=context)
    assert reading.points == 2.0
    assert reading.needs_review
    assert {(c.source, c.name) for c in reading.copies} == {("reference", "zh"), ("submission", "ann")}
    for start, end in reading.copies[0].spans:
        assert FULL[start:end]


@pytest.mark.parametrize(
    ("text", "shown", "holds"),
    [
        ("np.argmax 和 torch.argmax 返回第一个 NaN；我的 kernel 跳过 NaN，因为比较都为假。", "ignore", True),
        ("np.argmax 和 torch.argmax 返回第一个 NaN；我的 kernel 跳过 NaN，因为比较都为假。", "first", False),
        (
            "NumPy and torch return the first NaN. My kernel skips NaN since comparisons with it are false.",
            "first",
            False,
        ),
    ],
)
def test_claims_about_the_kernel_meet_the_run(rubric: Get, text: str, shown: str, holds: bool) -> None:
    reading = read_answer(rubric("lesson12"), "q3", text, context=ReadContext(evidence={"nan": shown}))
    claims = [c for c in reading.claims if c.claimed == "ignore"]
    assert claims
    assert claims[0].holds is holds
    assert reading.needs_review or holds
    assert read_answer(rubric("lesson12"), "q3", text).claims == []


def test_sections_are_found_wherever_they_stand(rubric: Get) -> None:
    r = rubric("lesson05")
    there = read_sections(r, "N 不是 2 的幂时，越界的 lane 要填 0。", "一行一个 program，N 很大时寄存器会溢出。")
    assert there.holds
    assert there.boundary_words
    elsewhere = read_sections(
        r, "", "", {"q1": "空行要单独报错，不能启动。", "q2": "补到 2048 会浪费将近一半的 lane。"}
    )
    assert elsewhere.boundary
    assert elsewhere.tradeoff
    assert not read_sections(r, "", "").holds
    assert not read_sections(r, "mask", "快").holds


def test_evaluation_prints_what_the_contract_asks(rubric: Get) -> None:
    rows = [
        {"id": "a", "lesson": "lesson05", "question": "q1", "lang": "zh", "answer": FULL, "score": 2, "veto": False},
        {
            "id": "b",
            "lesson": "lesson05",
            "question": "q1",
            "lang": "zh",
            "answer": "不知道",
            "score": 0,
            "veto": False,
        },
        {"id": "c", "lesson": "lesson05", "question": "q3", "lang": "en", "answer": "keep 0", "score": 0, "veto": True},
    ]
    result = evaluate_rows(rows, {"lesson05": rubric("lesson05")})
    assert [set(x) for x in result["items"]] == [{"id", "score", "veto", "review", "confidence"}] * 3
    assert result["summary"]["answers"] == 3
    assert result["summary"]["exact"] == 1.0
    assert set(result["summary"]["by_language"]) == {"zh", "en"}


def test_weighted_kappa_against_known_values() -> None:
    assert weighted_kappa([0, 1, 2], [0, 1, 2], 3) == 1
    assert weighted_kappa([0, 0, 2, 2], [2, 2, 0, 0], 3) == -1
    assert weighted_kappa([0, 1, 2, 2], [0, 1, 2, 1], 3) == pytest.approx(1 - 1 / (36 / 4 / 1.0) * 1.0, abs=0.35)


def test_reading_is_quick_and_needs_no_heavy_imports(rubric: Get) -> None:
    r = rubric("lesson12")
    text = "相等时 > 为假，接收方保留自己的；block 划分决定谁是接收方，所以返回的下标可能不同。" * 3
    read_answer(r, "q2", text)
    start = time.process_time()
    for _ in range(10):
        read_answer(r, "q2", text)
    assert (time.process_time() - start) / 10 < 0.06  # 20 ms on an idle machine
    start = time.process_time()
    load_rubric(ROOT / "lessons" / "lesson12")
    assert time.process_time() - start < 0.6
    import subprocess

    code = "import sys, graders.prose.reader, graders.prose.asking; print(sorted({'torch', 'sklearn', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_spelling_of_the_lexicon_compiles() -> None:
    path = ROOT / "lessons" / "lexicon.yaml"
    check_lexicon(lexicon_at(path), path)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("full: fill & neutral & output", "full: fill & nothing", "no such link"),
        ("full: fill & neutral & output", "full: fill & & output", "does not parse"),
        ("effect: zero|pad", "effect: zero|pad", ""),
        ("      - id: fill", "      - name: fill", "unknown key"),
        ("cause: pad,", "cause: paddd,", "not in the lexicon"),
        ("format: course-prose/1", "format: course-prose/9", "format must be"),
        ("kind: choice", "kind: quiz", "kind is"),
        ("refutes: neutral", "refutes: nonsense", "no such link"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    lesson = tmp_path / "lesson05"
    lesson.mkdir()
    shutil.copy(ROOT / "lessons" / "lexicon.yaml", tmp_path)
    text = (ROOT / "lessons" / "lesson05" / "prose.yaml").read_text(encoding="utf-8")
    (lesson / "prose.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    if not says:
        load_rubric(lesson)
        return
    assert old in text
    with pytest.raises(BadInput) as problem:
        load_rubric(lesson)
    assert says in problem.value.message("en")
    assert problem.value.where is not None
    assert problem.value.where.line > 0
    assert problem.value.where.path.endswith("prose.yaml")


GOLD_AGREES = 0.85


@pytest.mark.parametrize("lesson", ["lesson05", "lesson07", "lesson12", "lesson12-nan"])
def test_gold_answers_are_agreed_with(rubric: Get, lesson: str) -> None:
    """The shipped model was trained on these: the test guards the rubric, it is no measure of quality."""
    data = yamlread.load(ROOT / "solutions" / lesson / "gold_answers.yaml").data
    rows = data if isinstance(data, list) else data["answers"]
    summary = evaluate_rows(rows, {lesson: rubric(lesson)})["summary"]
    assert summary["exact"] >= GOLD_AGREES
    assert summary["false_vetoes_outside_review"] == 0


@pytest.mark.parametrize("lesson", ["lesson05", "lesson07", "lesson12", "lesson12-nan"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_reference_answers_earn_all_points(rubric: Get, lesson: str, lang: str) -> None:
    reference = yamlread.load(ROOT / "solutions" / lesson / "solution.yaml").data["reference"]
    for question in ("q1", "q2", "q3", "impl"):
        reading = read_answer(rubric(lesson), question, reference[question][lang])
        assert (reading.points, reading.needs_review, reading.vetoes) == (reading.maximum, False, []), question
    assert read_sections(rubric(lesson), reference["boundary"][lang], reference["tradeoff"][lang]).holds
