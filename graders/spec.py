"""From strict YAML to a typed model: pydantic checks the values, the file's own lines name the place."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from graders.text import Text
from graders.yamlread import Document, FileProblems, Path_, Problem, load

Model = TypeVar("Model", bound=BaseModel)


class Spec(BaseModel):
    """Base of every model read from a file: unknown keys are errors, no silent conversions, values frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=False)


class Words(Spec):
    """A sentence in both languages."""

    en: str
    zh: str

    @property
    def text(self) -> Text:
        return Text(self.en, self.zh)


def read(model: type[Model], path: Path, kind: str) -> Model:
    """Read a YAML file of `kind` (its `format:` value) into `model`; raises FileProblems with all problems at once."""
    return validate(model, load(path), kind)


def validate(model: type[Model], document: Document, kind: str) -> Model:
    """As `read`, from a document that is already loaded."""
    data = document.data
    if not isinstance(data, dict):
        raise FileProblems([document.problem((), Text("the file must be a mapping of keys", "文件顶层必须是键值映射"))])
    if data.get("format") != kind:
        text = Text("write `format: {kind}` at the top", "请在开头写 `format: {kind}`").fill(kind=kind)
        raise FileProblems([document.problem(("format",), text)])
    try:
        return model.model_validate({k: v for k, v in data.items() if k != "format"})
    except ValidationError as error:
        raise FileProblems(problems_of(error, document, model)) from None


def problems_of(error: ValidationError, document: Document, model: type[BaseModel]) -> list[Problem]:
    """Pydantic's errors as problems at the lines of the file, each with its fix; doubled places told once."""
    seen: set[tuple[Path_, str]] = set()
    out = []
    for item in error.errors(include_url=False):
        path = _real_path(item["loc"], document.data)
        text = _explain(item, path, document, model)
        if (path, text.en) not in seen:
            seen.add((path, text.en))
            out.append(document.problem(path, text))
    return sorted(out, key=lambda p: (p.where.line, p.where.column))


def _real_path(loc: tuple[int | str, ...], data: Any) -> Path_:
    """Drop the parts that pydantic adds for unions and functions, which name no key of the file."""
    path: list[int | str] = []
    here = data
    for i, part in enumerate(loc):
        last = i == len(loc) - 1
        if isinstance(here, dict) and (part in here or last):
            path.append(part)
            here = here.get(str(part)) if part in here else None
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
    return tuple(path)


def _explain(item: Any, path: Path_, document: Document, model: type[BaseModel]) -> Text:
    kind, got = item["type"], item.get("input")
    context = item.get("ctx") or {}
    if kind == "extra_forbidden":
        key = str(path[-1]) if path else ""
        near = difflib.get_close_matches(key, sorted(_known_keys(model)), n=1, cutoff=0.6)
        hint = Text(" (did you mean {n}?)", "（是否想写 {n}？）").fill(n=near[0]) if near else Text("", "")
        return Text("unknown key {k}{h}: remove it or correct its name", "未知的键 {k}{h}：请删去或改正").fill(
            k=repr(key), h=hint
        )
    if kind == "missing":
        return Text("key {k} is missing: add it", "缺少键 {k}：请补上").fill(k=repr(path[-1] if path else "?"))
    if kind in ("literal_error", "enum"):
        return Text("must be one of {e}, not {g}", "必须是 {e} 之一，而不是 {g}").fill(
            e=context.get("expected", "?"), g=_show(got)
        )
    if kind == "string_type":
        return Text("must be text, not {g}: put it in quotes", "必须是文本，而不是 {g}：请加引号").fill(g=_show(got))
    if kind == "bool_type":
        return Text("must be true or false, not {g}", "必须是 true 或 false，而不是 {g}").fill(g=_show(got))
    if kind in ("int_type", "float_type", "int_from_float"):
        return Text("must be a number, not {g}", "必须是数字，而不是 {g}").fill(g=_show(got))
    if kind == "value_error":
        error = context.get("error")
        words = getattr(error, "text", None)
        return words if isinstance(words, Text) else Text(str(error), str(error))
    return Text("{m} (found {g})", "{m}（实际为 {g}）").fill(m=item["msg"], g=_show(got))


def _show(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 40 else words[:37] + "..."


def _known_keys(model: type[BaseModel]) -> set[str]:
    """Every key name that the model or a model inside it knows."""
    seen: set[type[BaseModel]] = set()
    names: set[str] = set()

    def visit(annotation: Any) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in seen:
            seen.add(annotation)
            fields: dict[str, FieldInfo] = annotation.model_fields
            for name, info in fields.items():
                names.add(info.alias or name)
                visit(info.annotation)
        for inner in getattr(annotation, "__args__", ()):
            visit(inner)

    visit(model)
    return names


class SpecError(ValueError):
    """Raised inside validators: a bilingual message that `problems_of` keeps."""

    def __init__(self, text: Text) -> None:
        self.text = text
        super().__init__(text.en)
