"""Runs the learner's blank once more for a picture: on the failing row of a visible case, or on a small twin of a hidden one.

A twin is made from the case's declaration with other random numbers and a short row, so nothing of a hidden input is shown.
It counts only if the blank fails on it as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.arrays import DType, HostArray
from graders.blank import Refused, check_fill, inject
from graders.cases import poisoned
from graders.errors import CourseError
from graders.executors.base import BlankSpan, Executor, Program, TritonEntry
from graders.grade import Options, blank_rules, program_of, run_cases
from graders.lesson import At, Case, InputSpec, Lesson
from graders.observation import Job
from graders.scorecard import CaseResult

TWIN_SEED = 20
TWIN_LENGTHS = (3, 5, 6, 7)
LONGEST_TWIN = 4096
DEADLINE_S = 10.0
STAGES = {"row-sum": 1, "softmax": 2}


@dataclass(frozen=True, slots=True)
class RowRun:
    """One row through the learner's kernel. `stages` (stages, BLOCK) is what the lanes held; `undefined`: the lanes without
    a column hold no value that the program gave them. `expected` and `got` are the kernel's output for the row."""

    row: NDArray[np.float64]
    stages: NDArray[np.float64]
    undefined: bool
    expected: NDArray[np.float64]
    got: NDArray[np.float64]
    twin: bool

    @property
    def length(self) -> int:
        return len(self.row)

    @property
    def padding(self) -> int:
        """Lanes without a column."""
        return int(self.stages.shape[1]) - self.length


def run_row(lesson: Lesson, result: CaseResult, fill: str, executor: Executor, options: Options) -> RowRun | None:
    """The row to draw, or None where no row shows the failure."""
    case = next((c for c in lesson.spec.cases if c.name == result.name), None)
    if case is None or case.raises is not None or result.outcome != "fail" or result.view is None:
        return None
    index = result.view.index[0] if result.view.index else 0
    shown = result
    if not result.visible:
        twin = failing_twin(lesson, case, index, fill, executor, options)
        if twin is None:
            return None
        case, shown, index = *twin, 0
    view = shown.view
    if view is None or not view.got:
        return None
    name = next(iter(view.inputs))
    row = np.atleast_2d(np.asarray(view.inputs[name], dtype=np.float64))[index]
    output = next(iter(view.got))
    stages, undefined = probe(lesson, fill, row, lesson.dtype_of(case, name), executor)
    if stages is None:
        return None
    expected = np.atleast_1d(np.asarray(view.expected[output], dtype=np.float64)[index])
    got = np.atleast_1d(np.asarray(view.got[output], dtype=np.float64)[index])
    return RowRun(row, stages, undefined, expected, got, twin=not result.visible)


def failing_twin(
    lesson: Lesson, case: Case, row: int, fill: str, executor: Executor, options: Options
) -> tuple[Case, CaseResult] | None:
    """The shortest twin of a case on which the blank fails too."""
    twins = twins_of(case, row)
    checked = check_fill(fill, lesson.template, blank_rules(lesson))
    program = program_of(lesson, inject(lesson.template, checked))
    for twin, result in zip(twins, run_cases(lesson, program, executor, twins, options), strict=False):
        if result.outcome == "fail" and result.view is not None and result.view.got:
            return twin, result
    return None


def twins_of(case: Case, row: int) -> list[Case]:
    """Cases of one short row that resemble row `row` of a case; the case's own length comes last."""
    name, spec = next(iter(case.inputs.items()))
    length = spec.shape[-1]
    full = length & (length - 1) == 0
    lengths = [n for n in ((4, 2) if full else TWIN_LENGTHS) if n < length]
    if length <= LONGEST_TWIN:
        lengths.append(length)
    out = []
    for number, n in enumerate(lengths):
        twin = case.model_copy(
            update={"name": f"twin {number}", "properties": (), "inputs": {**case.inputs, name: _short(spec, row, n)}}
        )
        out.append(twin)
    return out


def _short(spec: InputSpec, row: int, length: int) -> InputSpec:
    """The declaration of one row of `length`, with the same kind of values and none of the numbers."""
    full = spec.shape[-1]
    at = []
    for each in spec.at:
        if each.row is not None:
            if each.row % spec.shape[0] == row:
                at.append(At(row=0, value=each.value, bits=each.bits))
        elif each.index is not None and each.index[0] % spec.shape[0] == row:
            place = each.index[-1] % full * length // full
            at.append(At(index=(0, place), value=each.value, bits=each.bits))
    changes: dict[str, Any] = {"shape": (1, length), "strides": None, "offset": 0, "at": tuple(at)}
    if spec.fill == "values" and spec.values is not None:
        # Three quarters of each number: the signs and the order stay.
        numbers = list(spec.values[row])[:length]
        changes["values"] = [[0.75 * float(v) for v in numbers]]
    elif spec.seed is not None:
        changes["seed"] = TWIN_SEED
    return spec.model_copy(update=changes)


def probe(
    lesson: Lesson, fill: str, row: NDArray[np.float64], dtype: DType, executor: Executor
) -> tuple[NDArray[np.float64] | None, bool]:
    """The stages of one row by the lesson's probe, and whether the padding was undefined; (None, False) where it fails."""
    picture = lesson.spec.picture
    assert picture is not None
    template = (lesson.folder / picture.probe).read_text(encoding="utf-8-sig")
    block = 1 << max(len(row) - 1, 0).bit_length()
    try:
        injected = inject(template, check_fill(fill, template, blank_rules(lesson)))
        span = BlankSpan(injected.line, injected.column, injected.line, injected.end_column)
        entry = TritonEntry("probe", ("x", "out"))
        program = Program(injected.source, picture.probe, lesson.spec.language, entry, span)
        out = poisoned("fp32", (STAGES[picture.kind], block))
        job = Job("picture", ("x", "out"), {"x": HostArray.dense(dtype, row.reshape(1, -1))}, {"out": out})
        with executor.open(program) as session:
            seen = session.run(job, DEADLINE_S)
    except (Refused, CourseError, OSError):
        return None, False
    if seen.status != "ok":
        return None, False
    undefined = any(f.kind == "uninitialised" for f in seen.findings)
    return np.asarray(seen.outputs["out"].values(), dtype=np.float64), undefined
