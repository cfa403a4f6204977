"""Receipts: what one run says about itself, in a file that travels with the answers.

A receipt is a claim of the learner's machine, never proof: its own hash shows that it was not changed by accident, not who
wrote it. What counts for points is what the grader runs itself; a receipt of a GPU run keeps an honest claim from being a
veto and stays pending until a GPU has run the same blank (`course verify`).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graders.arrays import HostArray
from graders.lesson import Lesson
from graders.scorecard import CaseResult, Evidence, Outcome
from graders.text import Text
from graders.verdict import Run

RECEIPT_SCHEMA = "course-receipt/1"
FOLDER = "receipts"
MAX_RECEIPTS = 500
MAX_BYTES = 1_000_000
GPU_EXECUTORS = ("triton-gpu", "nvcc-gpu")
_HASH = r"^[0-9a-f]{64}$"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Hashes(_Part):
    """SHA-256 of the blank (normalised), the pristine template, and the declarations of all cases."""

    blank: str = Field(pattern=_HASH)
    template: str = Field(pattern=_HASH)
    cases: str = Field(pattern=_HASH)


class CaseRecord(_Part):
    """One case: its outcome, and the hashes of what went in and what came out (empty where nothing did)."""

    name: str = Field(max_length=80)
    group: Literal["normal", "boundary"]
    outcome: Outcome
    inputs: str = Field(pattern=r"^([0-9a-f]{64})?$")
    outputs: str = Field(pattern=r"^([0-9a-f]{64})?$")
    seconds: float = Field(ge=0)


class Receipt(_Part):
    """One run. Times are UTC, ISO 8601; `sha256` is the hash of everything else in canonical form."""

    schema_: Literal["course-receipt/1"] = Field(alias="schema")
    lesson: str = Field(max_length=80)
    started: str = Field(max_length=40)
    finished: str = Field(max_length=40)
    seconds: float = Field(ge=0)
    hashes: Hashes
    tier: Literal["gpu", "emulated", "static"]
    executor: str = Field(max_length=40)
    device: str = Field(max_length=200)
    toolchain: dict[str, str]
    compiled: tuple[str, ...]
    sandbox: tuple[str, ...]
    cases: tuple[CaseRecord, ...] = Field(max_length=5000)
    sha256: str = Field(pattern=_HASH)

    @property
    def intact(self) -> bool:
        """Whether its own hash fits."""
        return self.sha256 == _own_hash(self.model_dump(mode="json", by_alias=True))

    @property
    def passing(self) -> int:
        return sum(c.outcome == "pass" for c in self.cases)

    def dumps(self) -> str:
        return json.dumps(self.model_dump(mode="json", by_alias=True), ensure_ascii=False, indent=1) + "\n"

    def file_name(self) -> str:
        """`20261130T120501Z-1f3a9c02.json`: sorts by time, never meets another run's name."""
        return f"{self.started.replace('-', '').replace(':', '')}-{self.sha256[:8]}.json"


@dataclass(frozen=True, slots=True)
class LessonHashes:
    template: str
    cases: str


def lesson_hashes(lesson: Lesson) -> LessonHashes:
    """Hashes of the pristine template and of everything that decides what the cases are and what is right."""
    spec = lesson.spec.model_dump(mode="json")
    kept = ("entry", "inputs", "outputs", "scalars", "launches", "oracle", "comparison", "cases", "probe")
    parts = {k: spec[k] for k in kept if k in spec}
    for case in parts["cases"]:
        case.pop("about", None)  # words, not facts
    return LessonHashes(_sha256(lesson.template.encode()), _sha256(_canonical(parts)))


def stamped(result: CaseResult, runs: Sequence[Run]) -> CaseResult:
    """The result of a case with the hashes of its inputs and outputs over all of its launches."""
    inputs, outputs, any_output = hashlib.sha256(), hashlib.sha256(), False
    for run in runs:
        launch = json.dumps([run.launch, run.job.scalars], sort_keys=True).encode()
        inputs.update(launch)
        outputs.update(launch)
        for name, array in sorted(run.job.inputs.items()):
            _add(inputs, name, array)
        for name, array in sorted(run.seen.outputs.items()):
            _add(outputs, name, array)
            any_output = True
    return replace(result, inputs_sha256=inputs.hexdigest(), outputs_sha256=outputs.hexdigest() if any_output else "")


def make_receipt(
    lesson: Lesson, blank_sha256: str, cases: Sequence[CaseResult], evidence: Evidence, started: float, finished: float
) -> Receipt:
    """The receipt of a run that lasted from `started` to `finished` (seconds since 1970)."""
    hashes = lesson_hashes(lesson)
    body: dict[str, Any] = {
        "schema": RECEIPT_SCHEMA,
        "lesson": lesson.id,
        "started": _utc(started),
        "finished": _utc(finished),
        "seconds": round(max(0.0, finished - started), 3),
        "hashes": {"blank": blank_sha256, "template": hashes.template, "cases": hashes.cases},
        "tier": evidence.tier,
        "executor": evidence.executor,
        "device": evidence.device,
        "toolchain": {str(k): str(v) for k, v in evidence.toolchain.items()},
        "compiled": list(evidence.compiled),
        "sandbox": list(evidence.sandbox),
        "cases": [
            {
                "name": c.name,
                "group": c.group,
                "outcome": c.outcome,
                "inputs": c.inputs_sha256,
                "outputs": c.outputs_sha256,
                "seconds": round(c.seconds, 4),
            }
            for c in cases
        ],
    }
    return Receipt.model_validate({**body, "sha256": _own_hash(body)})


def parse_receipt(raw: bytes) -> Receipt | None:
    """A receipt from bytes; None where it is none (wrong form, too large)."""
    if len(raw) > MAX_BYTES:
        return None
    try:
        return Receipt.model_validate_json(raw)
    except (ValidationError, ValueError, RecursionError):
        return None


def read_receipts(folder: Path) -> tuple[tuple[Receipt, ...], tuple[Text, ...]]:
    """Receipts in `folder`/receipts, oldest first, and a note for each file there that is none. Links are not followed."""
    place = folder / FOLDER
    if place.is_symlink() or not place.is_dir():
        return (), ()
    receipts, notes = [], []
    try:
        files = sorted(p for p in place.iterdir() if p.suffix == ".json" and not p.name.startswith("."))
    except OSError:
        return (), ()
    for path in files[-MAX_RECEIPTS:]:
        receipt = None
        if not path.is_symlink() and path.is_file() and path.stat().st_size <= MAX_BYTES:
            try:
                receipt = parse_receipt(path.read_bytes())
            except OSError:
                receipt = None
        if receipt is None:
            text = Text("{f} is no receipt of a run and was not counted", "{f} 不是运行回执，未计入")
            notes.append(text.fill(f=f"{FOLDER}/{path.name}"))
        elif not receipt.intact:
            text = Text(
                "{f} was changed after the run that wrote it and was not counted", "{f} 在运行写出之后被改动过，未计入"
            )
            notes.append(text.fill(f=f"{FOLDER}/{path.name}"))
        else:
            receipts.append(receipt)
    return tuple(receipts), tuple(notes[:5])


def matches(receipt: Receipt, lesson: Lesson, blank_sha256: str | None) -> bool:
    """Whether a receipt speaks about this blank in this template (its cases may be those of another version)."""
    return (
        blank_sha256 is not None
        and receipt.lesson == lesson.id
        and receipt.hashes.blank == blank_sha256
        and receipt.hashes.template == lesson_hashes(lesson).template
    )


def tells_of_gpu(receipt: Receipt) -> bool:
    """Whether a receipt has what a GPU run leaves: its executor, a device, outputs of every case that passes."""
    ran = [c for c in receipt.cases if c.outcome != "not-run"]
    return (
        receipt.tier == "gpu"
        and receipt.executor in GPU_EXECUTORS
        and bool(receipt.device)
        and receipt.started <= receipt.finished
        and bool(ran)
        and any(c.outputs for c in ran)
    )


def _add(digest: Any, name: str, array: HostArray) -> None:
    digest.update(json.dumps([name, array.header()]).encode())
    digest.update(array.storage.tobytes())


def _own_hash(body: dict[str, Any]) -> str:
    return _sha256(_canonical({k: v for k, v in body.items() if k != "sha256"}))


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
