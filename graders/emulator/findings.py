"""From the runtime's records to findings at the learner's lines."""

from __future__ import annotations

from typing import Any

from graders.emulator.build import Program
from graders.emulator.messages import sentence
from graders.emulator.rewriter import Unsupported
from graders.emulator.symbols import lines_of
from graders.errors import EnvironmentProblem, Where
from graders.observation import Finding
from graders.text import Text

_TENTATIVE = {"lane-missing", "lane-exited", "lane-not-in-mask"}


class TooSlow(EnvironmentProblem):
    """The program is larger than the time it was given; nothing says that it hangs (exit 3)."""

    def __init__(self, filename: str, record: dict[str, Any]) -> None:
        line, left, blocks = int(record.get("line", 0)), int(record.get("left", 0)), int(record.get("blocks", 0))
        text = Text(
            f"too large for the emulator in the time given: {left} of {blocks} blocks of this launch were still to come; "
            "try a smaller size, or more time",
            f"在给定时间内对模拟器来说规模过大：本次启动的 {blocks} 个线程块中还有 {left} 个未执行；请减小规模或增加时间",
        )
        super().__init__(text, Where(filename, line))


def from_records(program: Program, records: list[dict[str, Any]], keep_tentative: bool = True) -> tuple[Finding, ...]:
    """The findings among `records`; raises Unsupported where the runtime met what it does not cover.

    A shuffle that reads an absent lane is tentative: it counts only if its undefined value changed a result.
    """
    addresses: list[int] = []
    for record in records:
        if record.get("type") == "unsupported":
            inner = record.get("finding") or record
            line = int(inner.get("line", 0)) or lines_of(program, [int(inner.get("pc", 0))]).get(
                int(inner.get("pc", 0)), 0
            )
            raise Unsupported(str(record.get("what")), line, program.filename)
        if record.get("type") == "slow":
            raise TooSlow(program.filename, record)
        addresses += [int(record.get("pc", 0)), int(record.get("other_pc", 0))]
        addresses += [int(a) for a in record.get("frames", [])]
    lines = lines_of(program, addresses)
    found: dict[tuple[str, int, int], Finding] = {}
    for record in records:
        if record.get("type") == "finding":
            if record.get("id") in _TENTATIVE and not keep_tentative:
                continue
            finding = _finding(record, lines)
        elif record.get("type") in ("timeout", "crash"):
            made = _ending(record, lines)
            if made is None:
                continue
            finding = made
        else:
            continue
        found.setdefault((finding.kind, finding.line, finding.other_line), finding)
    return tuple(found.values())


def _finding(record: dict[str, Any], lines: dict[int, int]) -> Finding:
    line = int(record.get("line", 0)) or lines.get(int(record.get("pc", 0)), 0)
    other = int(record.get("other_line", 0)) or lines.get(int(record.get("other_pc", 0)), 0)
    column = int(record.get("a", 0)) if record.get("id") == "float-cast" else 0
    return Finding(
        kind=str(record["kind"]),
        text=sentence(record, other),
        line=line,
        column=column,
        thread=_triple(record.get("thread")),
        block=_triple(record.get("block")),
        other_line=other,
    )


def _ending(record: dict[str, Any], lines: dict[int, int]) -> Finding | None:
    line = next((lines[a] for a in record.get("frames", []) if lines.get(a)), 0)
    thread, block = _triple(record.get("thread")), _triple(record.get("block"))
    if record["type"] == "timeout":
        if record.get("in_kernel"):
            text = Text(
                "the kernel does not come to an end: this loop was still running when the time was up",
                "内核没有结束：时间用尽时这个循环仍在运行",
            )
        else:
            text = Text(
                "the host code does not come to an end: it was still here when the time was up",
                "主机代码没有结束：时间用尽时仍停在这里",
            )
        return Finding("no-progress", text, line, 0, thread, block)
    if record.get("signal") == 6 and not record.get("in_kernel"):
        return None  # abort(): the program's own decision
    if record.get("stack_overflow"):
        text = Text(
            "a thread's stack is used up (recursion, or large local arrays)", "线程的栈已用尽（递归，或局部数组过大）"
        )
    elif record.get("signal") == 8:
        text = Text("an integer is divided by zero", "整数除以零")
    else:
        text = Text(
            "the program crashed here: a pointer leads to memory that is not there",
            "程序在此崩溃：指针指向不存在的内存",
        )
    return Finding("out-of-bounds" if record.get("signal") != 8 else "api-error", text, line, 0, thread, block)


def _triple(value: Any) -> tuple[int, int, int] | None:
    return (int(value[0]), int(value[1]), int(value[2])) if value else None
