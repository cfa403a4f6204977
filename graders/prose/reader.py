"""Reading one answer: the public entry of the prose grader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from graders.prose.clauses import Reading
from graders.prose.copies import CopyFinding, find_copies, is_restated
from graders.prose.decide import LIKE_A_VETO, Decision, decide
from graders.prose.evidence_claims import ClaimFinding, read_claims
from graders.prose.features import Seen, clause_features, rule_features, word_features
from graders.prose.feedback import feedback_of
from graders.prose.lexicon import Mentions
from graders.prose.links import LinkReading, find_way, read_link
from graders.prose.misconceptions import MisconceptionReading, read_misconceptions
from graders.prose.rubric import ProseRubric, Question
from graders.prose.scopes import read_clauses, takes_no_side
from graders.prose.score import RuleScore, rule_score
from graders.prose.second import Opinions, SecondReader, load_second
from graders.text import Lang, Text

VETO_RULE = "wrong-causal-chain"
MOST_CHARACTERS = 6000  # of an answer that are read; whoever writes more is read by a person
LOOKS_FALSE = Text("look at “{words}”", "请看“{words}”")
ONLY_SUPPOSED = Text(
    "every causal link stands under an ‘if’ or ‘suppose’; a person looks whether it is claimed",
    "每条因果链都只在“如果”“假如”里说到；要由人看是否真的这样主张",
)
NO_SIDE = Text(
    "ends on a turn against what was said before it, or offers both sides; a person looks at what is claimed",
    "结尾转折、与前文相对，或两边都说；要由人看主张的是什么",
)
TOO_LONG = Text(
    "only the first {most} of {length} characters were read; a person reads the rest",
    "只读了 {length} 个字符中的前 {most} 个；其余由人来读",
)


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What is known beside the answer. Texts are for the search for copies; `evidence` holds facts of the run."""

    question: str = ""  # the prompt, in the languages at hand
    lesson_texts: Mapping[str, str] = field(default_factory=dict)
    reference: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)  # other submissions' answers, by name
    evidence: Mapping[str, str] = field(default_factory=dict)  # e.g. {"nan": "first"}: what the run showed
    second: SecondReader | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that the rules read of an answer."""

    question: Question
    reading: Reading
    mentions: Mentions
    links: list[LinkReading]
    misconceptions: list[MisconceptionReading]
    rules: RuleScore


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """The graded answer. `span`s of links and misconceptions are half-open in the raw answer."""

    question: str
    points: float
    maximum: float
    confidence: float  # 0..1
    needs_review: bool
    links: list[LinkReading]
    misconceptions: list[MisconceptionReading]
    vetoes: list[tuple[str, str]]  # (rule, the learner's words)
    language: Lang
    feedback: list[Text]
    explanation: list[Text]  # how points and review came about
    copies: list[CopyFinding]
    claims: list[ClaimFinding]
    second: tuple[float, ...]  # probabilities of 0, 1, 2 points by the second reading
    veto_likely: float  # probability of a veto by the words alone
    rule_points: float
    caps: tuple[str, ...] = ()  # what held the points down: term-list, off-topic, a misconception, ...


def analyse(rubric: ProseRubric, question_id: str, answer: str) -> Analysis:
    """Clauses, links, misconceptions and the points by rules of one answer."""
    question = rubric.questions[question_id]
    reading = read_clauses(answer[:MOST_CHARACTERS])
    mentions = Mentions(reading, rubric.lexicon)
    links = [read_link(link, mentions) for link in question.links]
    misconceptions = read_misconceptions(rubric, question_id, mentions)
    links = [_doubted(link, misconceptions) for link in links]
    rules = rule_score(question, reading, links, misconceptions, mentions)
    return Analysis(question, reading, mentions, links, misconceptions, rules)


def _doubted(link: LinkReading, misconceptions: list[MisconceptionReading]) -> LinkReading:
    """A link beside the small misconception that denies it was not said clearly. (Those that are vetoes weigh more: decide.py.)"""
    denied = any(not m.veto and m.force == "asserted" and link.id in m.refutes for m in misconceptions)
    return replace(link, state="uncertain") if denied and link.state == "stated" else link


def language_of(answer: str) -> Lang:
    """The language an answer is written in: Chinese where a fifth of its letters are."""
    chinese = sum("\u4e00" <= c <= "\u9fff" for c in answer)
    latin = sum(c.isascii() and c.isalpha() for c in answer)
    return "zh" if chinese * 5 > latin else "en"


def read_answer(
    rubric: ProseRubric, question_id: str, answer: str, *, context: ReadContext | None = None
) -> AnswerReading:
    """Grade one answer. Deterministic; no file but the shipped weights is read, no network is used."""
    context = context or ReadContext()
    found = analyse(rubric, question_id, answer)
    question = found.question
    opinions = second_opinions(rubric, found, context.second or load_second())
    rules = found.rules
    if context.question and is_restated(answer, context.question) and rules.points > 0:
        rules = replace(rules, points=0.0, caps=(*rules.caps, "copied-question"))
    decision = decide(question, rules, found.misconceptions, opinions)
    copies = find_copies(answer, context)
    claims = read_claims(rubric, question_id, found.mentions, context.evidence)
    doubts = [finding.says for finding in copies] + [claim.says for claim in claims if not claim.holds]
    doubts += _doubts(found, decision, len(answer))
    explanation = [*decision.reasons, *doubts]
    if LIKE_A_VETO in explanation and opinions.false_clause >= 0:
        clause = found.reading.clauses[opinions.false_clause]
        words = found.reading.plain.words(clause.start, clause.end)
        explanation.append(LOOKS_FALSE.fill(words=" ".join(words.split())))
    vetoes = [(VETO_RULE, decision.veto.words)] if decision.veto else []
    return AnswerReading(
        question=question_id,
        points=decision.points,
        maximum=question.maximum,
        confidence=decision.confidence,
        needs_review=(decision.needs_review or bool(doubts)) and bool(answer.strip()),
        links=found.links,
        misconceptions=found.misconceptions,
        vetoes=vetoes,
        language=language_of(answer),
        feedback=feedback_of(question, found.links, found.misconceptions, rules, decision),
        explanation=explanation,
        copies=copies,
        claims=claims,
        second=opinions.both.probabilities,
        veto_likely=round(opinions.veto, 3),
        rule_points=found.rules.points,
        caps=rules.caps,
    )


def _doubts(found: Analysis, decision: Decision, length: int) -> list[Text]:
    """Why a person must look although the two readings agree: what is claimed is not clear, or not all was read."""
    doubts = []
    if decision.points > 0 and takes_no_side(found.reading):
        doubts.append(NO_SIDE)
    if decision.points > 0 and _only_supposed(found):
        doubts.append(ONLY_SUPPOSED)
    if length > MOST_CHARACTERS:
        doubts.append(TOO_LONG.fill(most=MOST_CHARACTERS, length=length))
    return doubts


def _only_supposed(found: Analysis) -> bool:
    """Whether an answer begins with a case, and each core link is said in one: 'if > were false on a tie, the receiver would ...'."""
    core = [link for link in found.links if link.core and link.state == "stated"]
    clauses = found.reading.clauses
    return bool(core) and clauses[0].supposed and all(any(clauses[k].supposed for k in link.clauses) for link in core)


def what_models_see(rubric: ProseRubric, found: Analysis) -> Seen:
    """The features of an answer that the rules have read."""
    lesson, question = rubric.lesson, found.question
    return Seen(
        word_features(lesson, question, found.reading, found.mentions),
        rule_features(lesson, question, found.links, found.misconceptions, found.rules),
        clause_features(lesson, question, found.reading, found.mentions),
    )


def second_opinions(rubric: ProseRubric, found: Analysis, second: SecondReader) -> Opinions:
    """What the models of the second reading say of an answer that the rules have read."""
    return second.read(what_models_see(rubric, found), found.question.maximum)


@dataclass(frozen=True, slots=True)
class SectionsReading:
    """Whether a correctness boundary and a performance trade-off are named, and with which words."""

    boundary: bool
    tradeoff: bool
    boundary_words: str = ""
    tradeoff_words: str = ""

    @property
    def holds(self) -> bool:
        """The condition `boundary_and_tradeoff`."""
        return self.boundary and self.tradeoff


def read_sections(
    rubric: ProseRubric, boundary_text: str, tradeoff_text: str, all_answers: Mapping[str, str] | None = None
) -> SectionsReading:
    """Whether the two are named: in their own sections, or wherever in the answers they stand."""
    texts = list((all_answers or {}).values())
    boundary = _named(rubric, "boundary", [boundary_text, tradeoff_text, *texts])
    tradeoff = _named(rubric, "tradeoff", [tradeoff_text, boundary_text, *texts])
    return SectionsReading(bool(boundary), bool(tradeoff), boundary, tradeoff)


def _named(rubric: ProseRubric, section: str, texts: list[str]) -> str:
    """The words that name the thing of a section, with something said about it; empty where there are none."""
    spec = rubric.sections.get(section)
    if spec is None:
        return ""
    for text in texts:
        if not text.strip():
            continue
        reading = read_clauses(text)
        mentions = Mentions(reading, rubric.lexicon)
        for way in spec.ways:
            # 'No loop' names a trade-off as well as 'a loop' does.
            hit = find_way(way, mentions) or find_way(way, mentions, way.atoms[0].role)
            if hit is None:
                continue
            clause = reading.clauses[hit.clauses[0]]
            # A bare term names nothing: the clause around it has to say something.
            if len(clause.text.strip(" ,.")) >= 6 and not clause.question:
                return reading.plain.words(clause.start, clause.end)
    return ""
