"""The tree of an argmax, with the learner's own condition at every node: where the right pair lost.

The mapping of elements to lanes is the template's (grid stride, warps of 32, two passes) and is replayed here; what a node
decides comes from running the learner's blank in the lesson's probe. The replay must end with the answer that the real
kernel gave, else nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.arrays import HostArray
from graders.blank import check_fill, inject
from graders.cases import build_job, launches_of, poisoned
from graders.errors import CourseError
from graders.executors.base import BlankSpan, Executor, Program, Session
from graders.executors.cuda_entry import CudaEntry
from graders.grade import Options, blank_rules, program_of, run_cases
from graders.lesson import Case, InputSpec, Lesson
from graders.observation import Job
from graders.scorecard import CaseResult

WARP = 32
LONGEST = 4096
DEADLINE_S = 10.0
TWIN_SEED = 20
_SIGNATURE = (
    'extern "C" int course_entry(const float* mine_val, const int* mine_idx, const float* above_val, '
    "const int* above_idx, int n, int* takes)"
)
_ARGUMENTS = ("mine_val", "mine_idx", "above_val", "above_idx", "n", "takes")

Values = NDArray[np.float32]
Indices = NDArray[np.int32]
Decide = Callable[[Values, Indices, Values, Indices], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A candidate: value and index; index -1 is an empty one."""

    value: float
    index: int


@dataclass(frozen=True, slots=True)
class Node:
    """One meeting of two lanes. `stage` is warp, block, last-warp or last-block; `block` and `warp` say which."""

    stage: str
    block: int
    warp: int
    step: int
    lane: int
    mine: Pair
    other: Pair
    took: bool

    @property
    def kept(self) -> Pair:
        return self.other if self.took else self.mine

    @property
    def dropped(self) -> Pair:
        return self.mine if self.took else self.other


@dataclass(frozen=True, slots=True)
class TreeRun:
    """The way of the right pair up to the node where it lost; `answers` is what the kernel returns for other grids."""

    path: tuple[Node, ...]
    expected: int
    got: int
    launch: tuple[int, int]
    answers: tuple[tuple[tuple[int, int], int], ...]
    twin: bool


def run_tree(lesson: Lesson, result: CaseResult, fill: str, executor: Executor, options: Options) -> TreeRun | None:
    """Where the right pair of a failing case lost, or None where no tree shows it."""
    case = next((c for c in lesson.spec.cases if c.name == result.name), None)
    if case is None or case.raises is not None or result.outcome != "fail":
        return None
    shown = result
    checked = check_fill(fill, lesson.template, blank_rules(lesson))
    program = program_of(lesson, inject(lesson.template, checked))
    if not result.visible:
        case = twin_of(case)
        if case is None:
            return None
        shown = next(iter(run_cases(lesson, program, executor, [case], options)))
    view = shown.view
    if view is None or not view.got or "blocks" not in view.scalars or shown.outcome != "fail":
        return None
    x = np.asarray(next(iter(view.inputs.values())), dtype=np.float32)
    launch = int(view.scalars["blocks"]), int(view.scalars["threads"])
    expected, got = (int(np.asarray(next(iter(d.values()))).reshape(-1)[0]) for d in (view.expected, view.got))
    if x.size > LONGEST or not 0 <= expected < x.size:
        return None
    picture = lesson.spec.picture
    assert picture is not None
    with Decider(lesson, fill, executor) as decide:
        nodes: list[Node] = []
        answer = replay(x, launch, picture.nan == "keep", decide, nodes.append)
    path = path_of(nodes, expected)
    if answer != got or not path or path[-1].kept.index == expected:
        return None
    answers = _answers(lesson, case, program, executor, options, launch)
    return TreeRun(tuple(path), expected, got, launch, answers, twin=not result.visible)


def twin_of(case: Case) -> Case | None:
    """The same kind of input with other numbers: random values are drawn anew, declared ones scaled."""
    name, spec = next(iter(case.inputs.items()))
    if int(np.prod(spec.shape)) > LONGEST:
        return None
    changes: dict[str, Any] = {
        "at": tuple(a if a.value is None else a.model_copy(update={"value": _scaled(a.value)}) for a in spec.at)
    }
    if spec.seed is not None:
        changes["seed"] = TWIN_SEED
    if spec.values is not None:
        changes["values"] = [_scaled(float(v)) for v in spec.values]
    twin: InputSpec = spec.model_copy(update=changes)
    return case.model_copy(update={"name": "twin", "properties": (), "inputs": {**case.inputs, name: twin}})


def _scaled(value: float) -> float:
    """Three quarters of an ordinary number; what is special about a number must not be lost."""
    return 0.75 * value if 1e-3 < abs(value) < 1e6 else value


# --- the template's mapping ---------------------------------------------------------------------------------------


def replay(x: Values, launch: tuple[int, int], keep_nan: bool, decide: Decide, seen: Callable[[Node], None]) -> int:
    """The answer of the two passes for `x`; every node that counts for it is handed to `seen`."""
    blocks, threads = launch
    value, index = scan(x, blocks * threads, keep_nan)
    value, index = value.reshape(blocks, threads), index.reshape(blocks, threads)
    value, index = _blocks_best(value, index, ("warp", "block"), decide, seen)
    best = value[:threads], index[:threads]
    rest = threads
    while True:
        first, second = _padded(best[0], -np.inf, threads), _padded(best[1], -1, threads)
        one_value, one_index = _blocks_best(first[None], second[None], ("last-warp", "last-block"), decide, seen)
        if rest >= blocks:
            return int(one_index[0])
        chunk = slice(rest, rest + threads - 1)
        best = np.concatenate([one_value, value[chunk]]), np.concatenate([one_index, index[chunk]])
        rest += threads - 1


def scan(x: Values, total: int, keep_nan: bool) -> tuple[Values, Indices]:
    """What each of `total` threads holds before the first exchange."""
    value = np.full(total, -np.inf, dtype=np.float32)
    index = np.full(total, -1, dtype=np.int32)
    with np.errstate(invalid="ignore"):
        for start in range(0, x.size, total):
            piece = x[start : start + total]
            v, i = value[: piece.size], index[: piece.size]
            if keep_nan:
                take = (i < 0) | (~np.isnan(v) & ~(piece <= v))
            else:
                take = ~np.isnan(piece) & ((i < 0) | (piece > v))
            v[take] = piece[take]
            i[take] = (start + np.arange(piece.size, dtype=np.int32))[take]
    return value, index


def _blocks_best(
    value: Values, index: Indices, stages: tuple[str, str], decide: Decide, seen: Callable[[Node], None]
) -> tuple[Values, Indices]:
    """Winners of blocks (blocks, threads): first within the warps, then across them."""
    blocks, threads = value.shape
    warps = threads // WARP
    value, index = _fold(value.reshape(-1, WARP), index.reshape(-1, WARP), stages[0], warps, decide, seen)
    across_value = np.full((blocks, WARP), -np.inf, dtype=np.float32)
    across_index = np.full((blocks, WARP), -1, dtype=np.int32)
    across_value[:, :warps], across_index[:, :warps] = value.reshape(blocks, warps), index.reshape(blocks, warps)
    return _fold(across_value, across_index, stages[1], 1, decide, seen)


def _fold(
    value: Values, index: Indices, stage: str, warps: int, decide: Decide, seen: Callable[[Node], None]
) -> tuple[Values, Indices]:
    """Lane 0 of each row after five steps; only lanes that lane 0 depends on are followed."""
    step = WARP // 2
    while step:
        mine = value[:, :step], index[:, :step]
        other = value[:, step : 2 * step], index[:, step : 2 * step]
        took = decide(mine[0].ravel(), mine[1].ravel(), other[0].ravel(), other[1].ravel()).reshape(mine[0].shape)
        for row, lane in np.ndindex(*took.shape):
            pairs = [Pair(float(v[row, lane]), int(i[row, lane])) for v, i in (mine, other)]
            seen(Node(stage, row // warps, row % warps, step, lane, pairs[0], pairs[1], bool(took[row, lane])))
        value, index = np.where(took, other[0], mine[0]), np.where(took, other[1], mine[1])
        step //= 2
    return value[:, 0], index[:, 0]


def _padded(array: NDArray[Any], with_: float, length: int) -> NDArray[Any]:
    out = np.full(length, with_, dtype=array.dtype)
    out[: array.size] = array
    return out


def path_of(nodes: list[Node], expected: int) -> list[Node]:
    """The meetings of the right pair in order, up to and with the one that it loses."""
    path = []
    for node in nodes:
        if expected in (node.mine.index, node.other.index):
            path.append(node)
            if node.kept.index != expected:
                break
    return path


# --- what the blank decides ---------------------------------------------------------------------------------------


class Decider:
    """The learner's condition as a function of pairs, answered by running the probe; what was asked before is remembered."""

    def __init__(self, lesson: Lesson, fill: str, executor: Executor) -> None:
        picture = lesson.spec.picture
        assert picture is not None
        template = (lesson.folder / picture.probe).read_text(encoding="utf-8-sig")
        injected = inject(template, check_fill(fill, template, blank_rules(lesson)))
        span = BlankSpan(injected.line, injected.column, injected.line, injected.end_column)
        entry = CudaEntry(_SIGNATURE, f"probe({', '.join(_ARGUMENTS)})", _ARGUMENTS)
        self._program = Program(injected.source, picture.probe, "cuda", entry, span)
        self._executor = executor
        self._known: dict[tuple[int, int, int, int], bool] = {}
        self._session: Session | None = None

    def __enter__(self) -> Decider:
        self._session = self._executor.open(self._program)
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.close()

    def __call__(self, mv: Values, mi: Indices, ov: Values, oi: Indices) -> NDArray[np.bool_]:
        bits = [a.astype(np.float32).view(np.int32).tolist() for a in (mv, ov)]
        keys = list(zip(bits[0], mi.tolist(), bits[1], oi.tolist(), strict=True))
        fresh = list(dict.fromkeys(k for k in keys if k not in self._known))
        if fresh:
            self._known.update(zip(fresh, self._ask(fresh), strict=True))
        return np.array([self._known[k] for k in keys], dtype=np.bool_)

    def _ask(self, keys: list[tuple[int, int, int, int]]) -> list[bool]:
        assert self._session is not None
        table = np.array(keys, dtype=np.int32)
        value = [np.ascontiguousarray(table[:, i]).view(np.float32) for i in (0, 2)]
        inputs = {
            "mine_val": HostArray.dense("fp32", value[0]),
            "mine_idx": HostArray.dense("int32", np.ascontiguousarray(table[:, 1])),
            "above_val": HostArray.dense("fp32", value[1]),
            "above_idx": HostArray.dense("int32", np.ascontiguousarray(table[:, 3])),
        }
        job = Job("picture", _ARGUMENTS, inputs, {"takes": poisoned("int32", (len(keys),))}, {"n": len(keys)})
        seen = self._session.run(job, DEADLINE_S)
        if seen.status != "ok":
            raise CourseError("the probe did not run")
        return [bool(v) for v in seen.outputs["takes"].values()]


def _answers(
    lesson: Lesson, case: Case, program: Program, executor: Executor, options: Options, launch: tuple[int, int]
) -> tuple[tuple[tuple[int, int], int], ...]:
    """What the real kernel returns for the same input with the lesson's other grids; the launch at hand comes first."""
    found = []
    launches = [each for each in launches_of(lesson, case) if each is not None]
    with executor.open(program) as session:
        for each in sorted(launches, key=lambda one: (one != launch, one[1] != launch[1], one)):
            job, _ = build_job(lesson, case, options.grader_seed, each)
            seen = session.run(job, DEADLINE_S)
            if seen.status == "ok":
                found.append((each, int(next(iter(seen.outputs.values())).values().reshape(-1)[0])))
    return tuple(found)


def groups_of(answers: tuple[tuple[tuple[int, int], int], ...]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Launches by their answer, in the order of the answers."""
    by_answer: dict[int, list[tuple[int, int]]] = {}
    for launch, answer in answers:
        by_answer.setdefault(answer, []).append(launch)
    yield from by_answer.items()
