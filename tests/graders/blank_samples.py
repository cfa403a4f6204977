"""Templates and allow-lists for the tests of the blank."""

from __future__ import annotations

from pathlib import Path

from graders.blank import BlankRules, Language

DATA = Path(__file__).parents[1] / "data" / "blank"
TEMPLATES: dict[Language, str] = {
    "triton": (DATA / "rowsum.py").read_text(encoding="utf-8"),
    "cuda": (DATA / "argmax.cu").read_text(encoding="utf-8"),
}
RULES: dict[Language, BlankRules] = {
    "triton": BlankRules(
        names=frozenset({"N", "BLOCK", "float", "tl"}),
        calls=frozenset({"float", "tl.cast", "tl.full"}),
        attributes=frozenset({"tl.float32"}),
        language="triton",
    ),
    "cuda": BlankRules(
        names=frozenset({"other_val", "other_idx"}),
        calls=frozenset({"fabsf", "isnan", "isinf", "__float_as_int", "__float_as_uint"}),
        attributes=frozenset({"vi.val", "vi.idx"}),
        language="cuda",
    ),
}
