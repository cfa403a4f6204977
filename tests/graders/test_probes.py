"""Cases made for one fill: where a blank takes another value, or judges a pair in another way, it is tried."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graders.course import open_course
from graders.probes import MOST_PROBES, fill_values, probe_cases
from graders.probes_pairs import numbers_in, pair_cases

COURSE = open_course(Path(__file__).resolve().parents[2] / "lessons")
ROWSUM = COURSE.lesson("lesson05")
ARGMAX = COURSE.lesson("lesson12")
NAN_FIRST = COURSE.lesson("lesson12-nan")


def sizes(fill: str) -> list[int]:
    return [case.inputs["x"].shape[1] for case in probe_cases(ROWSUM, fill)]


@pytest.mark.parametrize(
    ("fill", "wanted"),
    [
        ("0.0", []),
        ("1.0 if N == 555 else 0.0", [555]),
        ("1.0 if N % 1009 == 7 and BLOCK > 512 else 0.0", [1016]),
        ("None if N == 777 else 0", [777]),
        ("float('nan') if N > 60000 else 0.0", [60001]),
        ("tl.full([BLOCK], 1 if N == 9999 else 0, tl.float32)", [9999]),
        ("0 if N != 700 else -1 if N != 701 else -2", [700]),
        ("0.0 if N > 2 else 1.0", []),
        ("0.0 * N", []),
        ("1e-60 * N", []),
        ("(N == 1021) * 3.0", [1021]),
        ("max(0.0, N - 65000.0)", None),
        ("1.0 if BLOCK == 65536 and N < 50000 and N > 45000 else 0.0", [45001]),
    ],
)
def test_sizes_at_which_a_fill_takes_a_value_that_no_case_met(fill: str, wanted: list[int] | None) -> None:
    got = sizes(fill)
    assert (got == wanted) if wanted is not None else (0 < len(got) <= MOST_PROBES)


@pytest.mark.parametrize("fill", ["tl.arange(0, 4)", "unknown", "1/0", "'a'", "N if", "[1, 2]", "N[0]", "2 ** N ** N"])
def test_what_cannot_be_evaluated_adds_nothing_and_never_raises(fill: str) -> None:
    assert isinstance(probe_cases(ROWSUM, fill), list)


def test_values_follow_python() -> None:
    spec = ROWSUM.spec.probe
    assert spec is not None
    for fill in (
        "N % 7 - 3",
        "N // 3 * 0.5",
        "-N if N & 1 else +N",
        "not N > 4",
        "N > 2 and 5.0 or 7.0",
        "BLOCK - N",
        "1.5 if 3 < N <= 9 else 2.5",
    ):
        at, values = fill_values(spec, fill)
        for n in (1, 2, 3, 4, 5, 9, 100, 128, 129, 65536):
            block = 1 << (n - 1).bit_length()
            assert float(values[at == n][0]) == float(eval(fill, {"N": n, "BLOCK": block})), (fill, n)


REFERENCE = "other_idx >= 0 && (vi.idx < 0 || other_val > vi.val || (other_val == vi.val && other_idx < vi.idx))"


def test_the_reference_disagrees_with_itself_nowhere() -> None:
    assert pair_cases(ARGMAX, REFERENCE) == []
    solution = NAN_FIRST.solution()
    assert solution is not None and pair_cases(NAN_FIRST, solution.fill) == []


@pytest.mark.parametrize(
    "fill",
    [
        f"other_idx == 777 ? false : ({REFERENCE})",
        f"vi.idx == 40000 || ({REFERENCE})",
        f"other_val == 123.5f ? false : ({REFERENCE})",
        f"__float_as_int(other_val) == 0x42f70000 ? false : ({REFERENCE})",
        f"abs(other_idx - 555) < 1 ? false : ({REFERENCE})",
        f"(other_idx % 1009 == 5) || ({REFERENCE})",
        f"(unsigned)other_idx / 3u == 222u ? false : ({REFERENCE})",
    ],
)
def test_numbers_hidden_in_a_condition_are_found(fill: str) -> None:
    assert pair_cases(ARGMAX, fill)


def test_cases_are_well_formed_and_small() -> None:
    for case in pair_cases(ARGMAX, f"other_idx == 300000 ? false : ({REFERENCE})"):
        given = case.inputs["x"]
        assert len(given.at) == 2 and given.shape[0] == max(a.index[0] for a in given.at if a.index) + 1
        assert case.group == "boundary" and not case.visible and case.launches is not None
        if given.shape[0] > 20_000:
            assert len(case.launches.blocks) == len(case.launches.threads) == 1


def test_a_fill_that_cannot_be_read_falls_back_to_its_numbers() -> None:
    assert pair_cases(ARGMAX, "some_macro(other_idx, 777)")
    assert pair_cases(ARGMAX, "&&&") == []


def test_numbers() -> None:
    assert numbers_in("a1 + 0x1F * 2.5e3f - .5 + 1e999 + x2y") == [0.5, 31.0, 2500.0]


def test_without_an_answer_key_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    shutil.copytree(COURSE.root, tmp_path / "lessons")
    lesson = open_course(tmp_path).lesson("lesson12")
    assert lesson.solution() is None and pair_cases(lesson, "other_idx == 777") == []
