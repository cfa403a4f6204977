"""The prose rubric of a lesson: links, misconceptions, follow-ups and sections, read from prose.yaml.

A link is a causal sentence a right answer contains: `cause`, `effect`, and where they matter `relation`, `subject`
and `also`. Each is an atom: names of lexicon concepts or quoted spellings, joined by `|`; `!` in front wants the
concept denied, `~` takes it either way. `ways` lists further forms of the same link.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from graders import expression
from graders.prose.conditions import condition_names, holds
from graders.prose.lexicon import Lexicon, atom_names, lexicon_at
from graders.prose.source import Place, Source
from graders.text import Text

FORMAT = "course-prose/1"
_WAY_KEYS = {"cause", "effect", "relation", "subject", "also", "within", "directed", "polar"}
_ROLES = ("cause", "effect", "relation", "subject", "also")


@dataclass(frozen=True, slots=True)
class Atom:
    """One part of a way: alternatives as (sign, concept)."""

    role: str
    parts: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One form of a link. `within` counts clauses; 0 is the whole answer."""

    atoms: tuple[Atom, ...]
    within: int = 3
    directed: bool = False
    polar: bool = True


@dataclass(frozen=True, slots=True)
class Link:
    """A causal link of a question."""

    id: str
    says: Text
    ask: Text
    ways: tuple[Way, ...]
    against: tuple[Way, ...] = ()  # forms that state the opposite
    core: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Misconception:
    """A false link. A veto misconception needs two signals before it is a veto."""

    id: str
    says: Text
    feedback: Text
    ways: tuple[Way, ...]
    questions: tuple[str, ...]
    refutes: tuple[str, ...] = ()
    veto: bool = True
    cap: float = 1.0
    experiment: str = ""  # id of the follow-up whose run refutes it
    unless: tuple[Atom, ...] = ()  # words near by that show that the right thing is meant
    unless_anywhere: tuple[Atom, ...] = ()  # the same, wherever in the answer
    even_if: bool = False  # false as the consequence of a supposed case as well


@dataclass(frozen=True, slots=True)
class FollowUpSpec:
    """A template of a follow-up; followups.py makes the question of one learner from it."""

    id: str
    kind: Literal["prediction", "choice", "sentence"]
    links: tuple[tuple[str, str], ...]  # (question, link) pairs it may be asked for
    prompt: Text
    explain: Text
    options: tuple[tuple[Text, bool, str], ...]  # (words, right, misconception) of a choice
    traps: tuple[tuple[str, str], ...]  # (expression, misconception) of telling wrong predictions
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One free-text question."""

    id: str
    maximum: float
    links: tuple[Link, ...]
    full: str  # condition over link ids for full points
    part: str  # condition for half of them
    about: Atom | None = None  # an answer that names none of these is off the point

    def link(self, name: str) -> Link | None:
        """A link by its id."""
        return next((x for x in self.links if x.id == name), None)


@dataclass(frozen=True, slots=True)
class Section:
    """What counts as a named correctness boundary, or a named performance trade-off."""

    id: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """Words by which an answer says what the own kernel does: topic and value, as the run names them."""

    topic: str
    value: str
    questions: tuple[str, ...]
    ways: tuple[Way, ...]


@dataclass(slots=True)
class ProseRubric:
    """All that the prose grader knows of one lesson."""

    lesson: str
    path: Path
    questions: dict[str, Question]
    misconceptions: list[Misconception]
    follow_ups: list[FollowUpSpec]
    sections: dict[str, Section]
    claims: list[Claim]
    lexicon: Lexicon
    source: Source
    extra: dict[str, Any] = field(default_factory=dict)

    def misconceptions_of(self, question: str) -> list[Misconception]:
        """The misconceptions that can be read in one question."""
        return [m for m in self.misconceptions if question in m.questions]

    def follow_ups_of(self, question: str, link: str | None = None) -> list[FollowUpSpec]:
        """The follow-ups of a question, or of one of its links."""
        return [f for f in self.follow_ups if any(q == question and link in (None, name) for q, name in f.links)]


class _Builder:
    def __init__(self, source: Source, lexicon: Lexicon) -> None:
        self.source = source
        self.lexicon = lexicon

    def atom(self, role: str, words: Any, place: Place) -> Atom:
        if not isinstance(words, str) or not words.strip():
            raise self.source.error(place, Text("an atom must be words", "原子必须是文字"))
        parts = atom_names(words)
        for _, name in parts:
            if self.lexicon.get(name) is None:
                raise self.source.error(
                    place, Text(f"concept {name!r} is not in the lexicon", f"词库里没有概念 {name!r}")
                )
        return Atom(role, tuple(parts))

    def way(self, place: Place) -> Way:
        data = self.source.mapping(place, _WAY_KEYS)
        atoms: list[Atom] = []
        for role in _ROLES:
            value = data.get(role)
            if value is None:
                continue
            values = value if isinstance(value, list) else [value]
            atoms += [self.atom(role, v, (*place, role)) for v in values]
        if not atoms:
            raise self.source.error(place, Text("a way needs at least one atom", "至少需要一个原子"))
        within = data.get("within", 3)
        if within == "answer":
            within = 0
        if isinstance(within, bool) or not isinstance(within, int) or within < 0:
            raise self.source.error(
                (*place, "within"), Text("within is a number of clauses, or `answer`", "within 是子句数，或 answer")
            )
        return Way(
            tuple(atoms),
            within,
            self.source.flag((*place, "directed"), False),
            self.source.flag((*place, "polar"), True),
        )

    def ways(self, place: Place, patterns: str = "") -> tuple[Way, ...]:
        """The ways listed at `ways` of a place; `patterns` names a key of plain spellings that are ways of their own."""
        found = [self.way((*place, "ways", i)) for i in range(len(self.source.items((*place, "ways"))))]
        found += self.patterns((*place, patterns or "patterns"))
        return tuple(found)

    def patterns(self, place: Place) -> list[Way]:
        """Spellings that say the whole thing by themselves, one way for each."""
        spellings = self.source.strings(place, self.source.at(place))
        for spelling in spellings:
            self.lexicon.get(f"'{spelling}'")
        return [Way((Atom("effect", ((1, f"'{spelling}'"),)),), 1, polar=False) for spelling in spellings]


_LINK_KEYS = {"id", "core", "weight", "says", "ask", "ways", "against", "patterns", "false_patterns"}
_QUESTION_KEYS = {"points", "links", "full", "part", "about"}
_MISCONCEPTION_KEYS = {
    "id",
    "questions",
    "veto",
    "cap",
    "says",
    "feedback",
    "ways",
    "patterns",
    "refutes",
    "experiment",
    "unless",
    "unless_anywhere",
    "even_if",
}
_TOP_KEYS = {"format", "lexicon", "questions", "misconceptions", "follow_ups", "sections", "claims"}


def load_rubric(lesson_dir: Path) -> ProseRubric:
    """Read `prose.yaml` of a lesson folder. BadInput names file and line of the first thing that is wrong."""
    path = Path(lesson_dir) / "prose.yaml"
    source = Source.load(path)
    top = source.mapping((), _TOP_KEYS, ("format", "questions"))
    if top["format"] != FORMAT:
        raise source.error(("format",), Text(f"format must be {FORMAT}", f"format 必须是 {FORMAT}"))
    lexicon = lexicon_at((path.parent / source.string(("lexicon",), "../lexicon.yaml")).resolve())
    build = _Builder(source, lexicon)
    questions = {str(q): _question(build, str(q)) for q in source.mapping(("questions",), None)}
    misconceptions = [_misconception(build, i, questions) for i in range(len(source.items(("misconceptions",))))]
    follow_ups = [_follow_up(source, i, questions) for i in range(len(source.items(("follow_ups",))))]
    known = {f.id for f in follow_ups}
    for i, m in enumerate(misconceptions):
        if m.experiment and m.experiment not in known:
            place = ("misconceptions", i, "experiment")
            raise source.error(
                place, Text(f"no follow-up has the id {m.experiment!r}", f"没有 id 为 {m.experiment!r} 的追问")
            )
    sections: dict[str, Section] = {}
    if "sections" in top:
        for name in source.mapping(("sections",), {"boundary", "tradeoff"}):
            sections[name] = Section(name, build.ways(("sections", name)))
    claims = [_claim(build, i, questions) for i in range(len(source.items(("claims",))))]
    return ProseRubric(path.parent.name, path, questions, misconceptions, follow_ups, sections, claims, lexicon, source)


def _question(build: _Builder, name: str) -> Question:
    source, place = build.source, ("questions", name)
    source.mapping(place, _QUESTION_KEYS, ("points", "links", "full", "part"))
    links: list[Link] = []
    for i in range(len(source.items((*place, "links")))):
        at: Place = (*place, "links", i)
        source.mapping(at, _LINK_KEYS, ("id", "says", "ask", "ways"))
        link = Link(
            id=source.string((*at, "id")),
            says=source.text((*at, "says")),
            ask=source.text((*at, "ask")),
            ways=build.ways(at),
            against=tuple(build.way((*at, "against", k)) for k in range(len(source.items((*at, "against")))))
            + tuple(build.patterns((*at, "false_patterns"))),
            core=source.flag((*at, "core"), False),
            weight=source.number((*at, "weight"), 1.0),
        )
        if any(link.id == other.id for other in links):
            raise source.error((*at, "id"), Text(f"link {link.id!r} is there twice", f"链 {link.id!r} 重复"))
        links.append(link)
    ids = {link.id for link in links}
    conditions = []
    for key in ("full", "part"):
        condition = source.string((*place, key))
        try:
            unknown = condition_names(condition) - ids
            holds(condition, set())
        except ValueError:
            raise source.error((*place, key), Text("this condition does not parse", "这个条件无法解析")) from None
        if unknown:
            names = ", ".join(sorted(unknown))
            raise source.error((*place, key), Text(f"no such link: {names}", f"没有这样的链：{names}"))
        conditions.append(condition)
    words = source.at((*place, "about"))
    about = build.atom("about", words, (*place, "about")) if words is not None else None
    return Question(name, source.number((*place, "points"), 2.0), tuple(links), conditions[0], conditions[1], about)


def _misconception(build: _Builder, index: int, questions: dict[str, Question]) -> Misconception:
    source, at = build.source, ("misconceptions", index)
    data = source.mapping(at, _MISCONCEPTION_KEYS, ("id", "questions", "says", "feedback"))
    asked = tuple(source.strings((*at, "questions"), data["questions"]))
    links = {link.id for q in asked if q in questions for link in questions[q].links}
    for q in asked:
        if q not in questions:
            raise source.error((*at, "questions"), Text(f"no such question: {q}", f"没有这个问题：{q}"))
    refutes = tuple(n.strip() for s in source.strings((*at, "refutes"), data.get("refutes")) for n in s.split(","))
    for name in refutes:
        if name not in links:
            raise source.error((*at, "refutes"), Text(f"no such link: {name}", f"没有这样的链：{name}"))
    unless = tuple(
        build.atom("unless", words, (*at, "unless", i)) for i, words in enumerate(source.items((*at, "unless")))
    )
    anywhere = tuple(
        build.atom("unless", words, (*at, "unless_anywhere", i))
        for i, words in enumerate(source.items((*at, "unless_anywhere")))
    )
    return Misconception(
        id=source.string((*at, "id")),
        says=source.text((*at, "says")),
        feedback=source.text((*at, "feedback")),
        ways=build.ways(at),
        questions=asked,
        refutes=refutes,
        veto=source.flag((*at, "veto"), True),
        cap=source.number((*at, "cap"), 1.0),
        experiment=source.string((*at, "experiment"), ""),
        unless=unless,
        unless_anywhere=anywhere,
        even_if=source.flag((*at, "even_if"), False),
    )


def _claim(build: _Builder, index: int, questions: dict[str, Question]) -> Claim:
    source, at = build.source, ("claims", index)
    source.mapping(at, {"topic", "value", "questions", "ways", "patterns"}, ("topic", "value", "questions"))
    asked = tuple(source.strings((*at, "questions"), source.at((*at, "questions"))))
    for q in asked:
        if q not in questions:
            raise source.error((*at, "questions"), Text(f"no such question: {q}", f"没有这个问题：{q}"))
    return Claim(source.string((*at, "topic")), source.string((*at, "value")), asked, build.ways(at))


_FOLLOW_UP_KEYS = {
    "id", "kind", "links", "prompt", "explain", "options", "traps", "vary", "fill", "inputs", "ask", "tolerance",
}  # fmt: skip


def _follow_up(source: Source, index: int, questions: dict[str, Question]) -> FollowUpSpec:
    at = ("follow_ups", index)
    data = source.mapping(at, _FOLLOW_UP_KEYS, ("id", "kind", "links", "prompt", "explain"))
    kind: Any = source.string((*at, "kind"))
    if kind not in ("prediction", "choice", "sentence"):
        raise source.error(
            (*at, "kind"), Text("kind is prediction, choice or sentence", "kind 只能是 prediction、choice、sentence")
        )
    links: list[tuple[str, str]] = []
    for name in source.strings((*at, "links"), data["links"]):
        question, _, link = name.partition(".")
        if question not in questions or questions[question].link(link) is None:
            raise source.error((*at, "links"), Text(f"no such link: {name}", f"没有这样的链：{name}"))
        links.append((question, link))
    options: list[tuple[Text, bool, str]] = []
    for i in range(len(source.items((*at, "options")))):
        option = source.mapping((*at, "options", i), {"en", "zh", "right", "misconception"}, ("en", "zh"))
        words = Text(str(option["en"]), str(option["zh"]))
        options.append((words, option.get("right") is True, str(option.get("misconception", ""))))
    if kind == "choice" and (len(options) < 2 or sum(right for _, right, _ in options) != 1):
        raise source.error(
            at, Text("a choice needs options, one of them right", "选择题需要若干选项，其中恰有一个正确")
        )
    if kind == "prediction":
        _expression(source, (*at, "ask"), source.string((*at, "ask")))
    traps: list[tuple[str, str]] = []
    for i in range(len(source.items((*at, "traps")))):
        trap = source.mapping((*at, "traps", i), {"value", "misconception"}, ("value", "misconception"))
        _expression(source, (*at, "traps", i, "value"), str(trap["value"]))
        traps.append((str(trap["value"]), str(trap["misconception"])))
    return FollowUpSpec(
        source.string((*at, "id")), kind, tuple(links), source.text((*at, "prompt")), source.text((*at, "explain")),
        tuple(options), tuple(traps), dict(data),
    )  # fmt: skip


def _expression(source: Source, place: Place, words: str) -> None:
    try:
        expression.check(words)
    except expression.ExpressionError as error:
        raise source.error(place, error.text) from None
