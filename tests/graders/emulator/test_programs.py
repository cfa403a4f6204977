"""The corpus in programs/: planted bugs are found under every order, sound programs give no finding, the rest is named."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from graders.emulator.build import CompileProblem, availability
from graders.emulator.program import ORDERS, emulate_program
from graders.emulator.rewriter import Unsupported
from graders.observation import FINDING_KINDS, Finding

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.skipif(availability() is not None, reason="needs g++")
DEADLINE = 4.0  # seconds; what never ends is ended by it


def _files(group: str) -> list[Any]:
    return [pytest.param(path, id=path.stem) for path in sorted((PROGRAMS / group).glob("*.yaml"))]


def _source(path: Path) -> tuple[str, str]:
    file = path.with_suffix(".cu")
    return file.read_bytes().decode("utf-8"), file.name


@cache
def _run(path: Path, order: str) -> tuple[tuple[Finding, ...], int | None, str]:
    source, name = _source(path)
    try:
        report = emulate_program(source, name, deadline_s=DEADLINE, orders=(order,))
    except CompileProblem as problem:
        return problem.findings, None, ""
    return report.findings, report.exit_code, report.stdout + report.stderr


def _meets(finding: Finding, entry: dict[str, Any]) -> bool:
    kinds = entry["kind"] if isinstance(entry["kind"], list) else [entry["kind"]]
    lines = entry.get("lines")
    return finding.kind in kinds and (not lines or finding.line in lines or finding.other_line in lines)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("path", _files("planted"))
def test_planted_bug_is_found(path: Path, order: str) -> None:
    about = yaml.safe_load(path.read_text(encoding="utf-8"))
    findings, code, output = _run(path, order)
    expected, allowed = about.get("expect") or [], about.get("may") or []
    missing = [entry for entry in expected if not any(_meets(f, entry) for f in findings)]
    if missing and about.get("hard"):
        pytest.xfail(f"beyond the emulator's promise: {about['why']}")
    assert not missing, [(f.kind, f.line, f.text.en) for f in findings]
    false = [f for f in findings if not any(_meets(f, entry) for entry in [*expected, *allowed])]
    assert not false, [(f.kind, f.line, f.other_line, f.text.en) for f in false]
    if about.get("exit") == 1 and code is not None:
        assert code != 0, output[-500:]
    for finding in findings:
        assert finding.kind in FINDING_KINDS
        assert (
            finding.text.en and finding.text.zh and finding.text.en != finding.text.zh
        ) or finding.kind == "compile-error"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("path", _files("sound"))
def test_sound_program_has_no_finding(path: Path, order: str) -> None:
    about = yaml.safe_load(path.read_text(encoding="utf-8"))
    findings, code, output = _run(path, order)
    if about.get("hard") and findings:
        pytest.xfail("beyond the emulator's promise")
    assert not findings, [(f.kind, f.line, f.other_line, f.text.en) for f in findings]
    assert code == 0, output[-500:]


@pytest.mark.parametrize("path", _files("unsupported"))
def test_what_is_not_covered_is_named(path: Path) -> None:
    about = yaml.safe_load(path.read_text(encoding="utf-8"))
    source, name = _source(path)
    with pytest.raises(Unsupported) as caught:
        emulate_program(source, name, deadline_s=DEADLINE)
    assert about["unsupported"].lower() in caught.value.text.en.lower()
    lines = about["line"] if isinstance(about["line"], list) else [about["line"]]
    assert caught.value.line in lines
    assert caught.value.exit_code == 3
