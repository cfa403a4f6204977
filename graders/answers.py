"""answers.md: the prose of a submission by sections; headings in either language, any level, any order.

A section that nobody knows or that stands twice is named, never dropped in silence; so is text before the first heading.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal, get_args

from graders.text import Text

Section = Literal["q1", "q2", "q3", "impl", "boundary", "tradeoff", "run_output", "failures", "follow_ups"]
SECTIONS: tuple[Section, ...] = get_args(Section)

# What a heading may be called, after folding (lower case, full-width to half-width, no punctuation or spaces).
NAMES: dict[Section, tuple[str, ...]] = {
    "q1": ("q1", "question1", "问题1", "问题一", "第1题", "第一题", "题目1", "题1", "問題1", "問題一"),
    "q2": ("q2", "question2", "问题2", "问题二", "第2题", "第二题", "题目2", "题2", "問題2", "問題二"),
    "q3": ("q3", "question3", "问题3", "问题三", "第3题", "第三题", "题目3", "题3", "問題3", "問題三"),
    "impl": ("implementation", "explanation", "impl", "解释实现", "实现解释", "实现说明", "解釋實作", "实现", "解释"),
    "boundary": ("boundary", "correctnessboundary", "boundaries", "正确性边界", "边界", "正確性邊界", "邊界"),
    "tradeoff": ("tradeoff", "tradeoffs", "performancetradeoff", "性能取舍", "取舍", "效能取捨", "性能权衡", "权衡"),
    "run_output": ("runoutput", "output", "实际运行输出", "运行输出", "运行结果", "實際執行輸出", "執行輸出"),
    "failures": ("failures", "failingcases", "失败用例的解释", "失败用例", "失败解释", "失敗用例的解釋"),
    "follow_ups": ("followups", "followup", "追问", "追問"),
}
TITLES: dict[Section, Text] = {
    "q1": Text("Q1", "Q1"),
    "q2": Text("Q2", "Q2"),
    "q3": Text("Q3", "Q3"),
    "impl": Text("Implementation", "解释实现"),
    "boundary": Text("Boundary", "正确性边界"),
    "tradeoff": Text("Trade-off", "性能取舍"),
    "run_output": Text("Run output", "实际运行输出"),
    "failures": Text("Failures", "失败用例的解释"),
    "follow_ups": Text("Follow-ups", "追问"),
}
_BY_NAME = {name: section for section, names in NAMES.items() for name in names}
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s*(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINE_OF_ANSWERS = Text("answers.md:{n}", "answers.md:{n}")


@dataclass(slots=True)
class Answers:
    """Text of each section that was found; `lines` says where each begins (from 1), `numbers` the line of each of its lines.

    `place` says what such a number means: a line of answers.md, a cell of a notebook.
    """

    sections: dict[Section, str] = field(default_factory=dict)
    lines: dict[Section, int] = field(default_factory=dict)
    notes: list[Text] = field(default_factory=list)
    numbers: dict[Section, list[int]] = field(default_factory=dict)
    place: Text = LINE_OF_ANSWERS

    def get(self, section: Section) -> str:
        """The section's text, stripped; empty where there is none."""
        return self.sections.get(section, "")


def parse(markdown: str) -> Answers:
    """Split a Markdown text into the sections of a submission; never fails."""
    out = Answers()
    collected: dict[Section, list[str]] = {}
    numbers: dict[Section, list[int]] = {}
    here: Section | None = None
    unknown = False
    fence = ""
    for number, line in enumerate(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and line.strip().startswith(fence) else (fence or mark.group(1)[:3])
        heading = None if fence or mark else _HEADING.match(line)
        if heading:
            section = section_of(heading.group(2))
            if section is not None:
                unknown = False
                if section in collected:
                    text = Text(
                        "section '{h}' stands twice (line {n}): both were read",
                        "“{h}”一节出现两次（第 {n} 行）：已合并阅读",
                    )
                    out.notes.append(text.fill(h=heading.group(2), n=number))
                out.lines.setdefault(section, number)
                collected.setdefault(section, [])
                here = section
                continue
            if len(heading.group(1)) == 1 and not collected:
                continue  # the title, `# lesson12`
            if here is None or len(heading.group(1)) <= 2:
                text = Text(
                    "section '{h}' (line {n}) is not known and was not graded", "“{h}”一节（第 {n} 行）无法识别，未评分"
                )
                out.notes.append(text.fill(h=heading.group(2), n=number))
                here, unknown = None, True
                continue
        if here is not None:
            collected[here].append(line)
            numbers.setdefault(here, []).append(number)
        elif line.strip() and not unknown and not _COMMENT.fullmatch(line.strip()):
            out.notes.append(
                Text(
                    "text before the first section (line {n}) was not graded", "第一节之前的文字（第 {n} 行）未评分"
                ).fill(n=number)
            )
            unknown = True
    for section, lines in collected.items():
        # A comment leaves its line breaks behind, so that the lines of the text can be counted.
        words = _COMMENT.sub(lambda m: "\n" * m.group().count("\n"), "\n".join(lines))
        skipped = words[: len(words) - len(words.lstrip())].count("\n")
        out.sections[section] = words.strip()
        out.numbers[section] = numbers.get(section, [])[skipped:]
    return out


def section_of(heading: str) -> Section | None:
    """The section that a heading names, or None. A trailing remark in brackets or after a colon does not count."""
    words = unicodedata.normalize("NFKC", heading)
    for cut in (words, re.split(r"[(:：（\[]", words)[0]):
        folded = "".join(c for c in cut.lower() if c.isalnum())
        if folded in _BY_NAME:
            return _BY_NAME[folded]
    match = re.match(r"(q[123])(?![0-9a-z])", words.lower())
    if match:
        return _BY_NAME[match.group(1)]
    return None


def render(
    title: str, sections: dict[Section, str], lang: Literal["en", "zh"], prompts: dict[Section, Text] | None = None
) -> str:
    """A fresh or filled answers.md: every section in order; prompts as comments that are not read as answers."""
    lines = [f"# {title}", ""]
    for section in SECTIONS:
        lines.append(f"## {TITLES[section].pick(lang)}")
        prompt = (prompts or {}).get(section)
        if prompt:
            lines += ["", f"<!-- {prompt.pick(lang)} -->"]
        lines += ["", sections.get(section, ""), ""]
    return "\n".join(lines).rstrip("\n") + "\n"
