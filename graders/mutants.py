"""Running a lesson's kernel with another blank on a small input: how predictions and experiments are settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders import expression
from graders.arrays import HostArray
from graders.blank import check_fill, inject
from graders.cases import poisoned
from graders.errors import EnvironmentProblem
from graders.executors.base import Executor
from graders.executors.pick import pick
from graders.grade import blank_rules, program_of
from graders.lesson import Lesson
from graders.observation import Job
from graders.text import Text

DEADLINE_S = 20.0
RunMutant = Callable[[str, dict[str, Any]], Mapping[str, NDArray[Any]]]


@dataclass(slots=True)
class Mutants:
    """`run(fill, inputs)`: outputs of the lesson's kernel with `fill` in its blank, as float64 or int64 arrays by name.

    Runs on the CPU executor; results are kept, since the same question is settled when it is asked and when it is graded. Raises
    EnvironmentProblem where nothing here can run it, and where the run itself fails (the question is then at fault).
    """

    lesson: Lesson
    _executor: Executor | None = None
    _kept: dict[tuple[str, bytes], Mapping[str, NDArray[Any]]] = field(default_factory=dict)

    def run(self, fill: str, inputs: dict[str, Any]) -> Mapping[str, NDArray[Any]]:
        job = self._job(inputs)
        key = (
            fill,
            b"".join(a.storage.tobytes() for a in job.inputs.values()) + repr(sorted(job.scalars.items())).encode(),
        )
        if key not in self._kept:
            self._kept[key] = self._outputs(fill, job)
        return self._kept[key]

    def _outputs(self, fill: str, job: Job) -> Mapping[str, NDArray[Any]]:
        if self._executor is None:
            choice = pick(self.lesson.spec.language, "cpu")
            self._executor = choice.executor
        assert self._executor is not None  # an explicitly named backend that is not there raises
        checked = check_fill(fill, self.lesson.template, blank_rules(self.lesson))
        with self._executor.open(program_of(self.lesson, inject(self.lesson.template, checked))) as session:
            seen = session.run(job, DEADLINE_S)
        if seen.status != "ok":
            text = Text("the follow-up's kernel could not be run here: {s}", "追问所用的 kernel 无法在此运行：{s}")
            raise EnvironmentProblem(text.fill(s=seen.detail or seen.status))
        return {name: array.values() for name, array in seen.outputs.items()}

    def _job(self, inputs: dict[str, Any]) -> Job:
        spec = self.lesson.spec
        arrays = {
            name: HostArray.dense(spec.inputs[name].dtype, np.asarray(inputs[name], dtype=np.float64))
            for name in spec.inputs
        }
        env: dict[str, Any] = {name: array.values() for name, array in arrays.items()}
        scalars: dict[str, int | float] = {n: int(expression.evaluate(text, env)) for n, text in spec.scalars.items()}
        if spec.launches is not None:
            scalars["blocks"] = int(inputs.get("blocks", spec.launches.blocks[0]))
            scalars["threads"] = int(inputs.get("threads", spec.launches.threads[0]))
        outputs = {}
        for name, out in spec.outputs.items():
            shape = tuple(int(p if isinstance(p, int) else expression.evaluate(p, env)) for p in out.shape)
            dtype: Any = spec.inputs[out.dtype[5:]].dtype if out.dtype.startswith("like ") else out.dtype
            outputs[name] = poisoned(dtype, shape)
        return Job("follow-up", tuple(spec.entry.arguments), arrays, outputs, scalars)
