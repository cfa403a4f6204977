"""What a learner says about runs: sentences of 'Run output' and 'Failures', and measurements claimed elsewhere.

A sentence is cut into clauses. A clause counts only where it is asserted: a question, an expectation, a plan, a denial, and
what the lesson or a data sheet says are no claims. Where it is not clear the claim is of kind `review`: a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from graders import claims_lines
from graders import claims_words as words_of
from graders.answers import Answers, Section

Kind = Literal["gpu", "review", "emulated", "failed", "passed", "not-run", "none"]
# The strongest kind of a text is what it claims: one sentence about a GPU outweighs ten about the CPU.
STRENGTH: tuple[Kind, ...] = ("gpu", "review", "emulated", "failed", "passed", "not-run", "none")
RUN_SECTIONS: tuple[Section, ...] = ("run_output", "failures")
PROSE_SECTIONS: tuple[Section, ...] = ("q1", "q2", "q3", "impl", "boundary", "tradeoff")
FAST_BYTES = 1000.0  # GB/s that no CPU emulation of a kernel reaches: such a measured figure claims a GPU


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence that says something about a run. `line` counts in answers.md from 1 (0: unknown).

    `everything`: it says that all cases pass. `counts`: (passing, of) as written. `figures`: numbers with units, folded.
    """

    kind: Kind
    words: str
    section: Section
    line: int = 0
    everything: bool = False
    counts: tuple[tuple[int, int], ...] = ()
    figures: tuple[str, ...] = ()
    total: tuple[float, bool] | None = None
    good: bool = False
    bad: bool = False


@dataclass(frozen=True, slots=True)
class PastedCase:
    """A line of a pasted report: the name of a case and whether it is shown as passing."""

    name: str
    passing: bool
    words: str
    line: int


def read_claims(answers: Answers, known_figures: Collection[str] = (), case_names: Collection[str] = ()) -> list[Claim]:
    """Every claim of the answers, in the order of the sections. `known_figures`: those of the lesson's own text."""
    out = []

    def is_case(text: str) -> bool:
        return _pasted_case(text, 0, case_names) is not None

    for section in (*RUN_SECTIONS, *PROSE_SECTIONS):
        for sentence in claims_lines.read_sentences(answers, section, is_case):
            claim = _read(sentence, section, known_figures)
            if claim.kind != "none":
                out.append(claim)
    return out


def _read(sentence: claims_lines.Sentence, section: Section, known_figures: Collection[str]) -> Claim:
    """A sentence, at most a doubt where it stands in a remark of our own report or goes on in another line."""
    claim = read_sentence(sentence.text, section, sentence.line, known_figures)
    if sentence.report:
        claim = replace(claim, everything=False, kind="review" if claim.kind == "gpu" else claim.kind)
    if claim.kind == "gpu" and sentence.joined is not None:
        whole = read_sentence(sentence.joined, section, sentence.line, known_figures)
        if whole.kind != "gpu":
            claim = replace(claim, kind="review", words=sentence.joined)
    return claim


def pasted_cases(answers: Answers, case_names: Collection[str]) -> list[PastedCase]:
    """Case lines of a report pasted into 'Run output': a sign or a verdict beside the exact name of a case, each once."""
    found = (_pasted_case(text, line, case_names) for line, text in claims_lines.lines(answers, "run_output"))
    once = {(case.name, case.passing): case for case in reversed([c for c in found if c is not None])}
    return list(reversed(once.values()))  # a report shows a case in its list and again with its numbers


def figures_of(text: str) -> set[str]:
    """The numbers with units of a text, folded: `129 us`. Table cells under a unit heading count with their unit."""
    return {_figure(m) for m in words_of.FIGURE.finditer(words_of.fold(text))}


def strongest(claims: Collection[Claim]) -> Kind:
    """What a text claims as a whole."""
    kinds = {claim.kind for claim in claims}
    return next((kind for kind in STRENGTH if kind in kinds), "none")


@dataclass(slots=True)
class _Seen:
    """What the clauses of one sentence add up to."""

    gpu: bool = False
    sure: bool = False  # that a GPU ran it, and not only that a figure stands beside its name
    cpu: bool = False
    first: bool = False
    run_denied: bool = False
    loose_ran: bool = False
    good: bool = False
    bad: bool = False
    measured: bool = False


def read_sentence(text: str, section: Section, line: int = 0, known_figures: Collection[str] = ()) -> Claim:
    """What one sentence claims; kind `none` where it claims nothing."""
    folded = words_of.fold(text)
    total = words_of.TOTAL_LINE.search(folded)
    if total is not None and section in RUN_SECTIONS:
        passed = total.group(2) in ("passed", "通过")
        return Claim("passed" if passed else "failed", text, section, line, total=(float(total.group(1)), passed))
    figures = tuple(_figure(m) for m in words_of.FIGURE.finditer(folded))
    nothing = Claim("none", text, section, line, figures=figures)
    if words_of.QUESTION.search(folded):
        return nothing
    in_run = section in RUN_SECTIONS
    seen = _read_clauses(folded, in_run=in_run)
    kind = _kind(folded, seen, section, figures, known_figures)
    if kind == "none":
        return nothing
    counts = _counts(folded) if in_run else ()
    everything = in_run and seen.good and not seen.bad and _everything(folded, counts)
    return Claim(kind, text, section, line, everything, counts, figures, None, seen.good, seen.bad)


def _kind(folded: str, seen: _Seen, section: Section, figures: tuple[str, ...], known: Collection[str]) -> Kind:
    doubtful = words_of.UNSURE.search(folded) is not None or words_of.OTHERS.search(folded) is not None
    if section not in RUN_SECTIONS:
        if seen.gpu and seen.first:
            return "review" if doubtful else "gpu"
        own = [f for f in figures if f not in known]
        return "review" if own and seen.gpu else "none"
    if folded.lstrip().startswith(">") and (seen.gpu or seen.loose_ran):
        return "review" if seen.gpu and not (figures and all(f in known for f in figures)) else "none"
    if seen.gpu:
        return "review" if doubtful or not seen.sure or (seen.bad and not seen.good) else "gpu"
    if seen.cpu:
        return "emulated"
    if seen.measured and any(_gigabytes(f) >= FAST_BYTES for f in figures):
        return "review" if doubtful else "gpu"
    if seen.loose_ran and any(f.split()[-1] in words_of.KERNEL_UNITS or "/s" in f or "flop" in f for f in figures):
        return "review"
    if seen.bad:
        return "failed"
    if seen.good:
        return "passed"
    return "not-run" if seen.run_denied else "none"


def _read_clauses(folded: str, *, in_run: bool) -> _Seen:
    """Walk the clauses: a machine named in one holds for the next ones; an expectation holds until 'but'."""
    seen = _Seen()
    pieces = _clauses(words_of.BOTH.sub(lambda m: m.group().replace(" and ", " & "), folded))
    machine: Literal["gpu", "cpu"] | None = None
    quiet = False
    for i, (turn, clause) in enumerate(pieces):
        if turn or (words_of.FIRST.search(clause) and words_of.RAN_PAST.search(clause)):
            quiet = False  # 'but ...', or '... I measured': from here on it is the learner's own again
        clause = words_of.NO_FAILURE.sub(" §ok ", clause)
        clause = words_of.NOT_GOOD.sub(" §bad ", clause)
        clause = words_of.NOT_ONLY.sub(" ", clause)
        denied_machine = words_of.INSTEAD.search(clause) is not None
        clause = words_of.INSTEAD.sub(" ", clause)
        if (
            words_of.EXPECTED.search(clause)
            or _attributed(clause)
            or words_of.SPECIFICATION.match(clause)
            or (i + 1 < len(pieces) and _tag(pieces[i + 1][1]))
        ):
            quiet = True
        if quiet:
            continue
        if words_of.STATIC.search(clause):
            seen.run_denied = True
            continue
        gpu, cpu = words_of.GPU.search(clause), words_of.CPU.search(clause)
        denied = words_of.NEGATION.search(clause) is not None
        figure = words_of.FIGURE.search(clause) is not None or words_of.SPEEDUP.search(clause) is not None
        good, bad = words_of.GOOD.search(clause) is not None, words_of.BAD.search(clause) is not None
        if denied and gpu and cpu and cpu.start() > gpu.start():  # 'having no card I took the interpreter'
            machine, gpu, denied = "cpu", None, False
        if denied and not (good or (bad and not gpu)):
            seen.run_denied |= bool(
                gpu or machine or words_of.RAN.search(clause) or (i == 0 and words_of.BARE_NO.match(clause))
            )
            machine = None if machine == "gpu" or gpu else machine
            continue
        if cpu and not words_of.BOTH.search(clause):
            machine = "cpu"
        elif gpu:
            machine = "gpu"
        elif denied_machine and machine is None and not (good or bad or figure or words_of.RAN.search(clause)):
            seen.run_denied = True
        ran = words_of.RAN.search(clause) is not None
        label = i > 0 and words_of.DEVICE_LABEL.match(pieces[i - 1][1]) is not None and gpu is not None
        if ran and not (good or bad or figure) and i + 1 < len(pieces) and words_of.EMPTY.match(pieces[i + 1][1]):
            seen.run_denied = True
            continue
        counted = words_of.COUNTS.search(clause) is not None
        machine_named = words_of.MODEL_ONLY.search(clause) is not None
        happened = ran or good or bad or figure or label or counted or (gpu is not None and seen.loose_ran)
        if machine == "gpu" and happened:
            past = words_of.RAN_PAST.search(clause) is not None
            seen.gpu = seen.gpu or in_run or past or figure
            told = ran or good or bad or label or counted or (machine_named and not figure)
            seen.sure |= (told or figure) and _surely_happened(clause, folded, other=told)
            seen.first |= past and (
                words_of.FIRST.search(folded) is not None or words_of.MEASURED.search(clause) is not None
            )
        elif machine == "cpu" and in_run:
            seen.cpu = True
        seen.loose_ran |= happened and machine is None
        seen.measured |= figure and (words_of.MEASURED.search(folded) is not None)
        bare = re.fullmatch(r"\W*(\d+)\s*/\s*(\d+)\W*", clause)
        seen.good |= good or (bare is not None and bare.group(1) == bare.group(2))
        seen.bad |= bad
    return seen


_BREAK = re.compile(
    r"(?:,(?!\d{3})|:(?!\d)|—|–| - |[()（）·|]|->|=>|;)\s*"
    r"|(?=\b(?:but|however|so|because|though|although|while|and (?=i\b|we\b|it\b|the\b|all\b|every)|then)\b)"
    r"|(?=但|然而|不过(?!滤)|而(?!是|且|不|非)|所以|因为|然后|并且|还在)"
)
_TURN = re.compile(r"^\s*(?:but|however|但|然而|不过|还在)")


def _clauses(folded: str) -> list[tuple[bool, str]]:
    """(begins with a turn such as 'but', text) of each clause."""
    return [(_TURN.match(p) is not None, p.strip()) for p in _BREAK.split(folded) if p and p.strip()]


def _surely_happened(clause: str, sentence: str, *, other: bool) -> bool:
    """Whether a clause with a GPU and a figure tells of a run: by a verb of happening, or as a bare line of output."""
    if other or words_of.FIRST.search(sentence) or words_of.HAPPENED.search(clause):
        return True
    return words_of.STATIVE.search(clause) is None


def _attributed(clause: str) -> bool:
    """Whether the clause reports somebody else's measurement: it names a source and no run of the learner's own."""
    if not words_of.ATTRIBUTED.search(clause):
        return False
    return not (words_of.FIRST.search(clause) and words_of.RAN_PAST.search(clause))


def _tag(clause: str) -> bool:
    """A closing 'as the lesson says', which speaks about the clause before it."""
    return len(clause) < 40 and _attributed(clause) and not re.search(r"\d|close to|接近", clause)


def _everything(folded: str, counts: tuple[tuple[int, int], ...]) -> bool:
    if counts and all(p < n for p, n in counts):
        return False
    if _GROUP_LINE.match(folded):  # '✓ 3 cases, all right  normal · hidden': a line of a report about some cases
        return False
    last = re.split(r"[:,]\s*", folded.strip())[-1]
    plain = words_of.NO_FAILURE.sub(" §ok ", folded)
    return bool(words_of.ALL_GOOD.search(plain) or words_of.BARE_GOOD.match(last) or any(p == n for p, n in counts))


def _counts(folded: str) -> tuple[tuple[int, int], ...]:
    found = [(int(m.group(1)), int(m.group(2))) for m in words_of.COUNTS.finditer(folded)]
    for match in words_of.COUNT_ALL.finditer(folded):
        number = int(match.group(1) or match.group(2))
        found.append((number, number))
    return tuple((p, n) for p, n in found if p <= n and n > 0)


def _figure(match: re.Match[str]) -> str:
    unit = re.sub(r"\s+", "", match.group(2)).removesuffix("sec") if "/" in match.group(2) else match.group(2)
    unit = {
        "μs": "us",
        "微秒": "us",
        "microseconds": "us",
        "microsecond": "us",
        "毫秒": "ms",
        "milliseconds": "ms",
    }.get(unit, unit)
    return f"{match.group(1).replace(',', '')} {unit}"


def _gigabytes(figure: str) -> float:
    """A throughput in GB/s or GFLOP/s; 0 for a time."""
    number, unit = figure.split()
    scale = {"g": 1.0, "t": 1000.0, "p": 1e6}.get(unit[0], 0.0) if ("/s" in unit or "flop" in unit) else 0.0
    return float(number) * scale


_GROUP_LINE = re.compile(
    r"^\s*(?:[✓✔✅✗✘❌·]|[\w ]{1,10}[:.]).*(?:\bcases?\b|个用例).*(?:\bnormal\b|\bboundary\b|正常|边界|\bhidden\b|隐藏)(?!.*\d\s*/)"
    r"|^\s*[✓✔✅✗✘❌·].*(?:\bnormal\b|\bboundary\b|正常|边界|\bhidden\b|隐藏)"
)
_SIGN = re.compile(
    r"^\s*(?:[-*]\s*)?\[?(✓|✔|✅|√|pass(?:ed)?|ok|right|通过|正确|✗|✘|❌|×|fail(?:ed)?|wrong|error|失败|错误|出错)\]?[\s:：]+(.+)$",
    re.I,
)
_SIGN_AFTER = re.compile(
    r"^\s*(?:[-*]\s*)?(.+?)\s*(?:[:：]|\.{2,}|\s{2,}|—|=)\s*\[?(✓|✔|✅|√|pass(?:ed)?|ok|right|通过|正确|✗|✘|❌|×|fail(?:ed)?|wrong|error|失败|错误|出错)\]?\s*$",
    re.I,
)
_PASSING = re.compile(r"✓|✔|✅|√|pass|ok|right|通过|正确", re.I)


def _pasted_case(text: str, line: int, case_names: Collection[str]) -> PastedCase | None:
    before, after = _SIGN.match(text), _SIGN_AFTER.match(text)
    for match, sign, rest in ((before, 1, 2), (after, 2, 1)):
        if match is None:
            continue
        name = _case_named(match.group(rest), case_names)
        if name is not None:
            return PastedCase(name, _PASSING.match(match.group(sign)) is not None, text.strip(), line)
    return None


def _case_named(text: str, case_names: Collection[str]) -> str | None:
    """The longest case name with which the text begins (its group and remarks may follow)."""
    plain = text.strip().strip("'\"“”`")
    fits = [n for n in case_names if plain == n or re.match(re.escape(n) + r"(?:\s{2,}|['\"”`]|\s*[(（]|\s*$)", plain)]
    return max(fits, key=len, default=None)
