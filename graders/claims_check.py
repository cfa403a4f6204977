"""Claims against evidence: what was said about runs, beside what ran here and what the receipts say.

Sure contradictions are the veto `unrun-claimed-as-measured`: a GPU result or timing with no GPU run behind it, or an output
that this code does not produce. Everything less than sure is a note with the learner's words, for a person to decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from graders import claims_words
from graders.answers import LINE_OF_ANSWERS, Section
from graders.claims import RUN_SECTIONS, Claim, PastedCase, figures_of, pasted_cases, read_claims
from graders.errors import BadInput
from graders.evidence import Receipt, matches, tells_of_gpu
from graders.lesson import Lesson
from graders.receipt_check import disagreement
from graders.scorecard import CaseResult, Evidence, Veto
from graders.submission import Submission
from graders.text import Text

RULE = "unrun-claimed-as-measured"
WHERE: dict[Section, str] = {"run_output": "run-output", "failures": "failures"}
MOST = 3  # vetoes and notes of one kind; the rest says nothing new
_NONE = re.compile(
    r"^\s*(?:there (?:were|are) )?(?:none|no(?: failures?| failed cases?| failing cases?)?|n/?a|nothing(?: failed)?|无|没有?|暂无|没有失败\w*|无失败\w*)\s*[.。!]*\s*$"
)


@dataclass(slots=True)
class Weighed:
    """What the claims come to: vetoes, notes for the reader of the report, and the parts that a person must look at."""

    vetoes: list[Veto] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    needs_review: list[str] = field(default_factory=list)
    place: Text = LINE_OF_ANSWERS  # what a line number of the answers means

    def veto(self, section: Section, line: int, words: str, why: Text) -> None:
        self.veto_at(WHERE.get(section, section), self._at(line), words, why)

    def veto_at(self, where: str, place: Text | None, words: str, why: Text) -> None:
        """A veto with its place as the report names it (`where`) and as a person reads it."""
        if len(self.vetoes) < MOST:
            self.vetoes.append(Veto(RULE, where, words))
            self.note_at(place, words, why)

    def review(self, section: Section, line: int, words: str, why: Text) -> None:
        part = WHERE.get(section, section)
        self.review_at(part, self._at(line), words, why)

    def review_at(self, part: str, place: Text | None, words: str, why: Text) -> None:
        """A part that a person must look at."""
        if part not in self.needs_review:
            self.needs_review.append(part)
        self.note_at(place, words, why)

    def _at(self, line: int) -> Text | None:
        return self.place.fill(n=line) if line else None

    def _note(self, line: int, words: str, why: Text) -> None:
        self.note_at(self._at(line), words, why)

    def note_at(self, place: Text | None, words: str, why: Text) -> None:
        """The learner's words with what is to be said about them; the same note once."""
        before = Text("{p}: ", "{p}：").fill(p=place) if place else Text("", "")
        note = Text('{p}"{w}": {y}', "{p}“{w}”：{y}").fill(p=before, w=_short(words), y=why)
        if note not in self.notes and len(self.notes) < 4 * MOST:
            self.notes.append(note)


def weigh(
    lesson: Lesson, submission: Submission, blank_sha256: str | None, cases: Sequence[CaseResult], evidence: Evidence
) -> Weighed:
    """Read the claims of a submission and hold them against the run here and the receipts beside it."""
    out = Weighed(place=submission.answers.place)
    on_gpu = evidence.tier == "gpu" or bool(submission.verified_on)
    own = [r for r in submission.receipts if matches(r, lesson, blank_sha256)]
    gpu = [r for r in own if tells_of_gpu(r)]
    if gpu and not on_gpu:
        out.notes.append(_receipt_note(gpu[-1], cases, evidence))
    for receipt in reversed(own):
        differs = disagreement(receipt, lesson, cases, evidence.executor)
        if differs is not None:
            out.notes.append(differs)
            out.needs_review.append("receipts")
            break
    if submission.stored:
        from graders.notebook_evidence import weigh_stored

        weigh_stored(out, submission, cases, own, gpu_seen=on_gpu or bool(gpu))
    if not submission.answers.sections:
        return out
    names = _labels(cases)
    said = read_claims(submission.answers, _lesson_figures(lesson.folder), names)
    for claim in said:
        if claim.kind == "gpu" and not on_gpu:
            _weigh_gpu(out, claim, gpu)
        elif claim.kind == "review":
            out.review(claim.section, claim.line, claim.words, _MAYBE)
        if claim.section in RUN_SECTIONS and (on_gpu or claim.kind != "gpu" or gpu):
            elsewhere = claim.kind == "gpu" and not on_gpu
            _weigh_outcome(out, lesson, claim, cases, own, refused=blank_sha256 is None, elsewhere=elsewhere)
    for pasted in pasted_cases(submission.answers, names):
        _weigh_case(out, lesson, pasted, names[pasted.name], own)
    _weigh_failures(out, lesson, submission, said, cases, own)
    return out


_MAYBE = Text(
    "may claim a measurement that nothing here shows; a person decides", "可能声称了此处没有证据的测量；由人工判定"
)
_NO_GPU = Text(
    "claims a GPU run, but no receipt of one fits this blank and template, and none was run here",
    "声称在 GPU 上运行过，但没有与此填空和模板相符的 GPU 回执，此处也没有 GPU 运行",
)


def _labels(cases: Sequence[CaseResult]) -> dict[str, CaseResult]:
    """Cases by what a report calls them: the name, and the title in either language."""
    out = {c.name: c for c in cases}
    for case in cases:
        if case.title is not None:
            out.setdefault(case.title.en, case)
            out.setdefault(case.title.zh, case)
    return out


def _weigh_gpu(out: Weighed, claim: Claim, gpu: list[Receipt]) -> None:
    if not gpu:
        out.veto(claim.section, claim.line, claim.words, _NO_GPU)
        return
    device = claims_words.fold(" ".join(r.device for r in gpu))
    named = {re.sub(r"\D", "", m.group()) for m in claims_words.MODEL_ONLY.finditer(claims_words.fold(claim.words))}
    if any(number and number not in device for number in named):
        why = Text("names another GPU than the receipt ({d})", "所写的 GPU 与回执中的不同（{d}）").fill(
            d=gpu[-1].device
        )
        out.review(claim.section, claim.line, claim.words, why)
    elif claim.everything and all(any(c.outcome in ("fail", "error") for c in r.cases) for r in gpu):
        why = Text("its own receipt of a GPU run shows failing cases", "其 GPU 回执中有失败的用例")
        out.review(claim.section, claim.line, claim.words, why)


def _weigh_outcome(
    out: Weighed,
    lesson: Lesson,
    claim: Claim,
    cases: Sequence[CaseResult],
    own: Sequence[Receipt],
    *,
    refused: bool,
    elsewhere: bool,
) -> None:
    """A claim that everything passes (or so many of so many) against what the same code did here.

    `elsewhere`: the claim is about a GPU, and no GPU has run it here: a difference is then no contradiction for sure.
    """
    if not (claim.everything or claim.counts or (claim.total and claim.total[1])):
        return
    if refused and claim.everything:
        why = Text("the blank is not accepted here, so this code ran nowhere", "此填空在此未被接受，这段代码无从运行")
        out.review(claim.section, claim.line, claim.words, why)
        return
    if all(c.outcome == "not-run" for c in cases):
        return
    scope = _scope(claim, cases)
    if scope is None:
        return
    failing = [c for c in scope if c.outcome in ("fail", "error", "timeout")]
    if not failing:
        return
    claimed = max((p for p, n in claim.counts if n in (len(scope), _with_not_run(scope, cases))), default=None)
    if claimed is not None and claimed <= len(scope) - len(failing):
        return
    _contradicted(out, lesson, claim.section, claim.line, claim.words, failing, own, elsewhere=elsewhere)


def _contradicted(
    out: Weighed,
    lesson: Lesson,
    section: Section,
    line: int,
    words: str,
    failing: Sequence[CaseResult],
    own: Sequence[Receipt],
    *,
    elsewhere: bool,
) -> None:
    """Sure only where a failing case has inputs that everybody's run has, and no receipt of this code shows it passing."""
    first = failing[0]
    why = Text(
        "here {n} case(s) do not pass with this blank, such as '{c}'", "此处用同一填空有 {n} 个用例未通过，如“{c}”"
    )
    told = why.fill(n=len(failing), c=first.name)
    shown = {c.name for r in own for c in r.cases if c.outcome == "pass"}
    public = {c.name for c in lesson.spec.cases if all(i.seed != "grader" for i in c.inputs.values())}
    certain = [
        c
        for c in failing
        if c.outcome != "timeout"
        and c.name in public
        and c.name not in shown
        and all(f.kind != "compile-error" for f in c.findings)  # the learner's machine may have had no compiler
    ]
    if certain and not elsewhere:
        out.veto(section, line, words, told)
    else:
        out.review(section, line, words, told)


def _scope(claim: Claim, cases: Sequence[CaseResult]) -> list[CaseResult] | None:
    """The executed cases that a claim speaks about; None where its numbers fit no set of them."""
    folded = claims_words.fold(claim.words)
    normal = re.search(r"\bnormal\b|正常", folded) is not None
    boundary = re.search(r"\bboundary\b|边界", folded) is not None
    ran = [c for c in cases if c.outcome != "not-run"]
    sets = [ran, [c for c in ran if c.visible]]
    if normal != boundary:
        sets = [[c for c in ran if c.group == ("normal" if normal else "boundary")]]
    elif claim.counts:
        sets += [[c for c in ran if c.group == "normal"], [c for c in ran if c.group == "boundary"]]
    if not claim.counts:
        return sets[0]
    fitting = [s for s in sets if any(n in (len(s), _with_not_run(s, cases)) for _, n in claim.counts)]
    # Of several sets of the same size the one that speaks for the learner counts.
    return min(fitting, key=lambda s: sum(c.outcome != "pass" for c in s), default=None)


def _with_not_run(scope: Sequence[CaseResult], cases: Sequence[CaseResult]) -> int:
    groups = {c.group for c in scope}
    return len(scope) + sum(c.outcome == "not-run" and c.group in groups for c in cases)


def _weigh_case(out: Weighed, lesson: Lesson, pasted: PastedCase, result: CaseResult, own: Sequence[Receipt]) -> None:
    if pasted.passing and result.outcome in ("fail", "error", "timeout"):
        _contradicted(out, lesson, "run_output", pasted.line, pasted.words, [result], own, elsewhere=False)
    elif not pasted.passing and result.outcome == "pass":
        out._note(pasted.line, pasted.words, Text("here this case passes", "此处该用例通过"))


def _weigh_failures(
    out: Weighed,
    lesson: Lesson,
    submission: Submission,
    said: Sequence[Claim],
    cases: Sequence[CaseResult],
    own: Sequence[Receipt],
) -> None:
    """'Failures': one that happened and is denied, one explained that no run shows. Notes only."""
    text = submission.answers.get("failures")
    history = [r for r in submission.receipts if r.lesson == lesson.id]
    here = {c.name for c in cases if c.outcome in ("fail", "error")}
    same_blank = here | {c.name for r in own for c in r.cases if c.outcome in ("fail", "error")}
    ever = same_blank | {c.name for r in history for c in r.cases if c.outcome in ("fail", "error")}
    lines = submission.answers.numbers.get("failures", [0])
    denials = [(c.line, c.words) for c in said if c.section in RUN_SECTIONS and c.everything]
    if text and _NONE.match(claims_words.fold(text)):
        denials.append((lines[0] if lines else 0, text))
    told = [c for c in said if c.section == "failures" and c.kind == "failed"]
    if text and not told and any(name in text for name in _labels(cases)):
        told = [Claim("failed", text.split("\n")[0], "failures", lines[0] if lines else 0)]
    if denials and same_blank and not out.vetoes:
        why = Text("a run of this blank failed '{c}'", "此填空的运行中“{c}”未通过").fill(c=min(same_blank))
        out._note(denials[0][0], denials[0][1], why)
    if told and history and not ever:
        why = Text(
            "explains a failure that none of the {n} runs on record shows", "所解释的失败在 {n} 次运行记录中都没有出现"
        ).fill(n=len(history))
        out._note(told[0].line, told[0].words, why)


def _receipt_note(receipt: Receipt, cases: Sequence[CaseResult], evidence: Evidence) -> Text:
    ran = sum(c.outcome != "not-run" for c in cases)
    ran_total = sum(c.outcome != "not-run" for c in receipt.cases)
    text = Text(
        "receipt of {t}: run on {d}, {p} of {n} cases passing; this is the learner's own record, "
        "the GPU run was not repeated here and stays pending; repeated here: {m} cases on {e}",
        "{t} 的回执：在 {d} 上运行，{n} 个用例中 {p} 个通过；这是学习者自己的记录，此处未重做 GPU 运行，仍待验证；此处重做：{m} 个用例，{e}",
    )
    return text.fill(t=receipt.finished, d=receipt.device, p=receipt.passing, n=ran_total, m=ran, e=evidence.executor)


@lru_cache(maxsize=64)
def _lesson_figures(folder: Path) -> frozenset[str]:
    """Figures of the lesson's own text: repeating them is quoting."""
    found: set[str] = set()
    for path in sorted(folder.glob("*.md")):
        try:
            found |= figures_of(path.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError, BadInput):
            continue
    return frozenset(found)


def _short(words: str) -> str:
    plain = " ".join(words.split())
    return plain if len(plain) <= 160 else plain[:157] + "..."
