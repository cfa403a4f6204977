"""A lesson as data: the typed model of lesson.yaml and of the answer key beside it.

`docs/formats.md` shows one whole example of each file; `course schema lesson` prints the JSON Schema of this model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, Strict, field_validator, model_validator

from graders import expression
from graders.arrays import DType
from graders.errors import BadInput, Where
from graders.spec import Spec, SpecError, Words, read
from graders.text import Text

LESSON_FORMAT = "course-lesson/1"
SOLUTION_FORMAT = "course-solution/1"

Names = Annotated[tuple[str, ...], Strict(False)]
Integers = Annotated[tuple[int, ...], Strict(False)]
Group = Literal["normal", "boundary"]
Language = Literal["triton", "cuda"]
QuestionId = Literal["q1", "q2", "q3", "impl"]

FILL_PARAMETERS: dict[str, set[str]] = {
    "normal": {"mean", "scale", "seed"},
    "uniform": {"low", "high", "seed"},
    "integers": {"low", "high", "seed"},
    "zeros": set(),
    "constant": {"value"},
    "arange": {"start", "step"},
    "negative": {"scale", "seed"},
    "denormal": {"seed"},
    "huge": {"scale", "seed"},
    "signed-zeros": set(),
    "values": {"values"},
}
FillName = Literal[
    "normal", "uniform", "integers", "zeros", "constant", "arange", "negative", "denormal", "huge", "signed-zeros", "values"
]  # fmt: skip
MAX_CASE_ELEMENTS = 1 << 25


class BlankSpec(Spec):
    """The allow-list of the blank: what one expression may name, call and read."""

    kind: Literal["expression"] = "expression"
    names: Names = ()
    calls: Names = ()
    attributes: Names = ()


class Entry(Spec):
    """The host function that the harness calls; `arguments` in its order.

    CUDA: `signature` is the C entry that is generated, `call` the template's own host function with those names.
    """

    function: str = ""
    arguments: Names
    signature: str | None = None
    call: str | None = None


class ArgumentSpec(Spec):
    """An array argument: its default dtype and its rank."""

    dtype: DType = "fp32"
    rank: int = Field(default=2, ge=1, le=4)


class OutputSpec(Spec):
    """An array that the entry writes. Shape entries are integers or expressions over the inputs; dtype may be `like x`."""

    dtype: str = "fp32"
    shape: Annotated[tuple[int | str, ...], Strict(False)]

    @field_validator("shape")
    @classmethod
    def _shape(cls, value: tuple[int | str, ...]) -> tuple[int | str, ...]:
        for part in value:
            if isinstance(part, str):
                _checked(part, None)
        return value


class At(Spec):
    """One assignment after the fill: an element (`index`) or a whole row gets `value`, or the bits of a value (0xffc00000)."""

    index: Integers | None = None
    row: int | None = None
    value: float | None = None
    bits: int | None = Field(default=None, ge=0, lt=1 << 32)

    @model_validator(mode="after")
    def _one_place(self) -> At:
        if (self.index is None) == (self.row is None):
            raise SpecError(Text("give either `index` or `row`", "请给出 `index` 或 `row` 之一"))
        if (self.value is None) == (self.bits is None):
            raise SpecError(Text("give either `value` or `bits`", "请给出 `value` 或 `bits` 之一"))
        return self


class InputSpec(Spec):
    """How one input of a case is made. Elements count for strides and offset; `seed: grader` is the hidden seed."""

    shape: Integers
    fill: FillName | float
    dtype: DType | None = None
    seed: int | Literal["grader"] | None = None
    mean: float | None = None
    scale: float | None = None
    low: float | None = None
    high: float | None = None
    value: float | None = None
    start: float | None = None
    step: float | None = None
    values: list[Any] | None = None
    strides: Integers | None = None
    offset: int = Field(default=0, ge=0)
    gap: float = float("nan")
    at: Annotated[tuple[At, ...], Strict(False)] = ()

    @model_validator(mode="after")
    def _consistent(self) -> InputSpec:
        size = 1
        for n in self.shape:
            if n < 0:
                raise SpecError(Text("shape has a negative length", "shape 含有负的长度"))
            size *= n
        if size > MAX_CASE_ELEMENTS:
            raise SpecError(Text("shape has more than {n} elements", "shape 超过 {n} 个元素").fill(n=MAX_CASE_ELEMENTS))
        if self.strides is not None and len(self.strides) != len(self.shape):
            raise SpecError(
                Text("strides need one number for each axis of shape", "strides 的个数须与 shape 的轴数相同")
            )
        if self.strides is not None and any(s < 0 for s in self.strides):
            raise SpecError(Text("strides must not be negative", "strides 不能为负"))
        allowed = FILL_PARAMETERS[self.fill] if isinstance(self.fill, str) else set()
        for name in ("mean", "scale", "seed", "low", "high", "value", "start", "step", "values"):
            if getattr(self, name) is not None and name not in allowed:
                raise SpecError(
                    Text("fill {f} takes no `{k}`: remove it", "fill {f} 不使用 `{k}`：请删去").fill(
                        f=self.fill, k=name
                    )
                )
        if "seed" in allowed and self.seed is None:
            raise SpecError(
                Text("a random fill needs `seed:` (an integer or grader)", "随机填充需要 `seed:`（整数或 grader）")
            )
        for name in ("value", "values"):
            if name in allowed and getattr(self, name) is None:
                raise SpecError(Text("fill {f} needs `{k}:`", "fill {f} 需要 `{k}:`").fill(f=self.fill, k=name))
        return self


class Comparison(Spec):
    """How got and wanted are compared; every kind also checks dtype and shape.

    exact: equal by value. close: |got - want| <= atol + rtol * |want|. conditioned: |got - want| <= factor * eps(fp32) *
    condition, with `condition` an expression over the inputs. close and conditioned add one unit in the last place of the
    output's dtype. Infinities must match; NaN matches NaN only where `nan: equal`.
    """

    kind: Literal["exact", "close", "conditioned"]
    rtol: float = Field(default=0.0, ge=0)
    atol: float = Field(default=0.0, ge=0)
    condition: str | None = None
    factor: float = Field(default=8.0, gt=0)
    nan: Literal["equal", "forbidden"] = "equal"

    @model_validator(mode="after")
    def _complete(self) -> Comparison:
        if self.kind == "conditioned" and not self.condition:
            raise SpecError(Text("conditioned needs `condition:`", "conditioned 需要 `condition:`"))
        if self.kind == "close" and not (self.rtol or self.atol):
            raise SpecError(Text("close needs `rtol:` or `atol:`", "close 需要 `rtol:` 或 `atol:`"))
        if self.condition:
            _checked(self.condition, None)
        return self


class Property(Spec):
    """A statement over inputs and outputs that must hold, told in words when it does not."""

    check: str
    says: Words

    @field_validator("check")
    @classmethod
    def _check(cls, value: str) -> str:
        return _checked(value, None)


class Launches(Spec):
    """The launch configurations of a CUDA case: every pair is run and every result must be right."""

    blocks: Integers
    threads: Integers


class Case(Spec):
    """One case: its inputs, how it is compared, who sees it.

    `name` is what reports and fills refer to, in every language; `title` is what a learner reads instead, where given.
    """

    name: str = Field(min_length=1, max_length=80)
    title: Words | None = None
    group: Group
    visible: bool = False
    about: Words
    inputs: dict[str, InputSpec]
    launches: Launches | None = None
    comparison: Comparison | None = None
    oracle: dict[str, str] | None = None
    properties: Annotated[tuple[Property, ...], Strict(False)] = ()
    raises: str | None = None
    contract: bool = False
    gpu_only: bool = False

    @field_validator("oracle")
    @classmethod
    def _oracle(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        for text in (value or {}).values():
            _checked(text, None)
        return value


class ProbeSpec(Spec):
    """How cases for one fill are made (probes.py): the blank is evaluated for `vary` = 1 .. up_to.

    `case` is resized along `axis` of `input`; `derived` gives the other names of the blank from `vary`; `where` says at
    which sizes the blank matters at all.
    """

    vary: str
    input: str
    axis: int = Field(ge=0)
    case: str
    up_to: int = Field(ge=1, le=1 << 20)
    derived: dict[str, str] = Field(default_factory=dict)
    where: str = "True"


class PairProbeSpec(Spec):
    """How cases for one fill over (value, index) pairs are made (probes_pairs.py): the names that the blank sees.

    `value` and `index` name the receiver's and the other lane's; `filler` fills all other elements; `nan` says whether a NaN can be
    a candidate. `case` lends its comparison and launches.
    """

    input: str
    case: str
    value: Annotated[tuple[str, str], Strict(False)]
    index: Annotated[tuple[str, str], Strict(False)]
    filler: float
    nan: bool = False


class Question(Spec):
    """One question of the lesson; `impl` asks for the explanation of the learner's own implementation."""

    id: QuestionId
    prompt: Words


class PictureSpec(Spec):
    """How a failing case is drawn. `probe` is a second template with the same blank that shows the state inside the kernel.

    row-sum and softmax: its host function `probe(x, out)` takes one row (1, N) and fills `out` (stages, BLOCK) with what the lanes
    hold after the load and, for softmax, after exp. argmax-tree: `probe(mine_val, mine_idx, above_val, above_idx, n, takes)` says
    for n pairs of candidates whether the blank takes the other one; `nan` is what the template's loop does with a NaN.
    `question` is what the learner is asked below the picture.
    """

    kind: Literal["row-sum", "softmax", "argmax-tree"]
    probe: str
    nan: Literal["skip", "keep"] = "skip"
    question: Words | None = None


class TextFiles(Spec):
    """The lesson's text, one Markdown file a language."""

    en: str
    zh: str


class LessonSpec(Spec):
    """The whole of lesson.yaml."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    number: int = Field(ge=0)
    aliases: Names = ()
    language: Language
    title: Words
    summary: Words
    minutes: int = Field(default=45, ge=1)
    template: str
    text: TextFiles
    prose: str | None = None
    blank: BlankSpec
    entry: Entry
    inputs: dict[str, ArgumentSpec]
    outputs: dict[str, OutputSpec]
    scalars: dict[str, str] = Field(default_factory=dict)
    launches: Launches | None = None
    oracle: dict[str, str]
    comparison: Comparison
    credit: Literal["all", "proportional"] = "all"
    # What a run in which every case passes has shown of the kernel, for claims about it in answers: {nan: ignore}.
    facts: dict[str, str] = Field(default_factory=dict)
    rubric: dict[str, Any] = Field(default_factory=dict)
    probe: ProbeSpec | None = None
    pair_probe: PairProbeSpec | None = None
    cases: Annotated[tuple[Case, ...], Strict(False)] = Field(min_length=1)
    picture: PictureSpec | None = None
    hints: Annotated[tuple[Words, ...], Strict(False)] = Field(min_length=3, max_length=3)
    questions: Annotated[tuple[Question, ...], Strict(False)]

    @field_validator("oracle", "scalars")
    @classmethod
    def _expressions(cls, value: dict[str, str]) -> dict[str, str]:
        for text in value.values():
            _checked(text, None)
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> LessonSpec:
        if set(self.oracle) != set(self.outputs):
            raise SpecError(
                Text("`oracle` must name every output: {o}", "`oracle` 须写出每个输出：{o}").fill(
                    o=", ".join(self.outputs)
                )
            )
        launch_names = {"blocks", "threads"} if self.language == "cuda" else set()
        known = set(self.inputs) | set(self.outputs) | set(self.scalars) | launch_names
        for name in self.entry.arguments:
            if name not in known:
                raise SpecError(
                    Text(
                        "entry argument {n} is no input, output or scalar", "entry 参数 {n} 不是输入、输出或标量"
                    ).fill(n=repr(name))
                )
        if self.language == "cuda" and not (self.entry.signature and self.entry.call):
            raise SpecError(
                Text("a CUDA entry needs `signature:` and `call:`", "CUDA 的 entry 需要 `signature:` 与 `call:`")
            )
        if self.language == "triton" and not self.entry.function:
            raise SpecError(Text("a Triton entry needs `function:`", "Triton 的 entry 需要 `function:`"))
        seen: set[str] = set()
        for case in self.cases:
            if case.name in seen:
                raise SpecError(
                    Text("two cases are named {n}: rename one", "有两个用例都叫 {n}：请改名").fill(n=repr(case.name))
                )
            seen.add(case.name)
            if set(case.inputs) != set(self.inputs):
                text = Text("case {c} must give the inputs {i}", "用例 {c} 须给出输入 {i}")
                raise SpecError(text.fill(c=repr(case.name), i=", ".join(self.inputs)))
            for name, given in case.inputs.items():
                if len(given.shape) != self.inputs[name].rank:
                    text = Text("case {c}: {n} has {g} axes, not {w}", "用例 {c}：{n} 有 {g} 个轴，应为 {w}")
                    raise SpecError(text.fill(c=repr(case.name), n=name, g=len(given.shape), w=self.inputs[name].rank))
        for made in (self.probe, self.pair_probe):
            if made is None or (made.case in seen and made.input in self.inputs):
                continue
            raise SpecError(
                Text("`probe` names a case or an input that is not there", "`probe` 指向不存在的用例或输入")
            )
        if {q.id for q in self.questions} != {"q1", "q2", "q3", "impl"} or len(self.questions) != 4:
            raise SpecError(Text("questions must be q1, q2, q3 and impl", "questions 须为 q1、q2、q3 与 impl"))
        return self


class References(Spec):
    """Reference answers, one a part of the submission."""

    q1: Words
    q2: Words
    q3: Words
    impl: Words
    boundary: Words
    tradeoff: Words


class SolutionSpec(Spec):
    """The answer key: solutions/<lesson>/solution.yaml."""

    fill: str
    hint: Words
    reference: References


class Lesson:
    """A loaded lesson: its spec, its folder, its template; the answer key where this installation carries one."""

    def __init__(self, spec: LessonSpec, folder: Path, solution_folder: Path | None) -> None:
        self.spec = spec
        self.folder = folder
        self.solution_folder = solution_folder if solution_folder and solution_folder.is_dir() else None
        self.template = _text_file(folder / spec.template)

    @property
    def id(self) -> str:
        return self.spec.id

    def text(self, lang: Literal["en", "zh"]) -> str:
        """The lesson's Markdown text in one language."""
        return _text_file(self.folder / (self.spec.text.zh if lang == "zh" else self.spec.text.en))

    def solution(self) -> SolutionSpec | None:
        """The answer key, or None in a learner's bundle."""
        path = self.solution_folder / "solution.yaml" if self.solution_folder else None
        return read(SolutionSpec, path, SOLUTION_FORMAT) if path and path.is_file() else None

    def dtype_of(self, case: Case, name: str) -> DType:
        return case.inputs[name].dtype or self.spec.inputs[name].dtype


def load_lesson(folder: Path, solution_folder: Path | None = None) -> Lesson:
    """Read one lesson folder; raises FileProblems with every problem at its line."""
    return Lesson(read(LessonSpec, folder / "lesson.yaml", LESSON_FORMAT), folder, solution_folder)


def _text_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(Text("cannot be read: {e}", "无法读取：{e}").fill(e=error), Where(str(path))) from None


def _checked(text: str, names: set[str] | None) -> str:
    try:
        expression.check(text, names)
    except expression.ExpressionError as error:
        raise SpecError(error.text) from None
    return text
