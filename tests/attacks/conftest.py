"""Programs that bypass the grammar of the blank: their source is handed straight to the executors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attack_parts import SECRET, make_job, passed, triton_program

from graders.executors.base import Limits, Program
from graders.executors.triton_interpreter import TritonInterpreter
from graders.observation import Observation


@pytest.fixture(scope="session")
def interpreter() -> Iterator[TritonInterpreter]:
    executor = TritonInterpreter(Limits(total_s=60.0, restarts=3), processes=1)
    if executor.availability() is not None:
        pytest.skip("Triton is not installed")
    yield executor
    executor.close()


@pytest.fixture
def attack(interpreter: TritonInterpreter) -> Callable[..., Observation]:
    """Run one hostile program; it must not pass, and a sound program after it must work as ever."""

    def run(before: str = "pass", after: str = "pass", top: str = "", deadline_s: float = 5.0) -> Observation:
        with interpreter.open(triton_program(before, after, top)) as session:
            seen = session.run(make_job(), deadline_s)
        assert not passed(seen)
        good = triton_program()
        sound = Program(good.source.replace("3 * tl.load", "2 * tl.load"), good.filename, "triton", good.entry)
        with interpreter.open(sound) as session:
            assert passed(session.run(make_job(), 10.0))
        return seen

    return run


@pytest.fixture
def tell(attack: Callable[..., Observation]) -> Callable[[str], str]:
    """Evaluate an expression inside the sandbox: what it gave, or the exception that it raised."""

    def run(expression: str) -> str:
        seen = attack(f"raise ValueError('told ' + repr({expression}))")
        assert seen.raised is not None, seen
        return f"{seen.raised.type}: {seen.raised.message}"

    return run


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that the grader's user can read and no learner should."""
    path = tmp_path / "answers.txt"
    path.write_text(SECRET)
    return path
