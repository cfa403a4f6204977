"""The corpus itself is well formed: every program has its expectation, with known kinds and lines that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from graders.observation import FINDING_KINDS

HERE = Path(__file__).resolve().parent
KEYS = {
    "planted": {"expect", "may", "exit", "why", "gpu_safe", "hard"},
    "sound": {"expect", "exit", "features", "hard"},
    "unsupported": {"unsupported", "line", "nvcc_flags", "nvcc"},
}


def sources(kind: str) -> list[Path]:
    return sorted((HERE / kind).glob("*.cu"))


def facts_of(source: Path) -> dict[str, Any]:
    facts = yaml.safe_load(source.with_suffix(".yaml").read_text(encoding="utf-8"))
    assert isinstance(facts, dict)
    return facts


def code_lines(source: Path) -> dict[int, str]:
    """Line number (from 1) to text, of the lines that hold code rather than nothing or a bare comment."""
    numbered = enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
    return {n: text for n, text in numbered if text.strip() and not text.strip().startswith(("//", "/*"))}


@pytest.mark.parametrize(("kind", "least"), [("planted", 40), ("sound", 30), ("unsupported", 6)])
def test_enough_programs_and_no_strays(kind: str, least: int) -> None:
    programs = sources(kind)
    assert len(programs) >= least
    assert {p.stem for p in programs} == {p.stem for p in (HERE / kind).glob("*.yaml")}


@pytest.mark.parametrize("source", [s for k in KEYS for s in sources(k)], ids=lambda s: f"{s.parent.name}/{s.stem}")
def test_expectation_is_well_formed(source: Path) -> None:
    kind, facts, lines = source.parent.name, facts_of(source), code_lines(source)
    assert set(facts) <= KEYS[kind]
    if kind == "unsupported":
        named = facts["line"] if isinstance(facts["line"], list) else [facts["line"]]
        assert facts["unsupported"] and named and all(n in lines for n in named)
        return
    assert facts["exit"] in (0, 1, "any")
    if kind == "sound":
        assert facts["expect"] == [] and facts["exit"] == 0
        return
    # A planted bug must be visible: in a finding, or in the program's own check of its result.
    assert facts["why"].strip() and (facts["expect"] or facts["exit"] == 1)
    for entry in [*facts["expect"], *facts.get("may", [])]:
        kinds = entry["kind"] if isinstance(entry["kind"], list) else [entry["kind"]]
        assert kinds and set(kinds) <= set(FINDING_KINDS)
        assert entry["lines"] and all(n in lines for n in entry["lines"])
