"""What a person sees of results: a line a case, the first failure in numbers, the score card. Rich renderables only."""

from course_cli.views.card import evidence_line, score_card
from course_cli.views.cases import (
    FAILING,
    CaseStream,
    case_line,
    case_list,
    case_title,
    failure,
    finding_lines,
    own_run,
    refusal,
    short_reason,
)
from course_cli.views.layout import hanging, heading
from course_cli.views.numbers import value_table

__all__ = [
    "FAILING",
    "CaseStream",
    "case_line",
    "case_list",
    "case_title",
    "evidence_line",
    "failure",
    "finding_lines",
    "hanging",
    "heading",
    "own_run",
    "refusal",
    "score_card",
    "short_reason",
    "value_table",
]
