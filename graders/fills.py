"""right_fills.yaml and wrong_fills.yaml: the fills by which a lesson proves its cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, Strict, TypeAdapter, ValidationError, model_validator

from graders.spec import Spec, SpecError, problems_of
from graders.text import Text
from graders.yamlread import FileProblems, load


class RightFill(Spec):
    """A spelling that means the same as the reference."""

    fill: str
    why: str = ""


class WrongFill(Spec):
    """A fill that must fail the named cases, or must be refused by the grammar of the blank."""

    fill: str
    fails: Annotated[tuple[str, ...], Strict(False)] = ()
    refused: bool = False
    why: str = Field(min_length=1)

    @model_validator(mode="after")
    def _one(self) -> WrongFill:
        if self.refused == bool(self.fails):
            raise SpecError(
                Text(
                    "give either `fails:` with case names or `refused: true`",
                    "请给出 `fails:`（用例名）或 `refused: true` 之一",
                )
            )
        return self


def read_right(path: Path) -> list[RightFill]:
    """Raises FileProblems with every problem at its line."""
    fills: list[RightFill] = _read(path, list[RightFill])
    return fills


def read_wrong(path: Path) -> list[WrongFill]:
    """Raises FileProblems with every problem at its line."""
    fills: list[WrongFill] = _read(path, list[WrongFill])
    return fills


def _read(path: Path, kind: Any) -> Any:
    document = load(path)
    if not isinstance(document.data, list):
        raise FileProblems([document.problem((), Text("the file must be a list", "文件顶层必须是列表"))])
    try:
        return TypeAdapter(kind).validate_python(document.data)
    except ValidationError as error:
        raise FileProblems(problems_of(error, document, WrongFill)) from None
