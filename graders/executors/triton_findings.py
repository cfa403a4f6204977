"""From a worker's reply (checked, never trusted) to an Observation with words in both languages."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

import numpy as np

from graders.arrays import HostArray, decode
from graders.observation import Finding, Job, Observation, Raised, Status
from graders.text import Text, same

MOST_FINDINGS = 40
MOST_WORDS = 2000

_ACTION = {
    "load": Text("reads from", "读取"),
    "store": Text("writes to", "写入"),
    "atomic": Text("does an atomic operation on", "原子操作"),
}
_OUTSIDE = Text(
    "program {program} {action} `{argument}` at offset {index} (in elements, from its first element): "
    "outside its elements; lanes concerned: {lanes}",
    "程序 {program} {action} `{argument}`，偏移 {index}（从首元素算起的元素数）："
    "不在它的元素范围内；涉及 {lanes} 个 lane",
)
_OUTSIDE_UNKNOWN = Text(
    "program {program} {action} memory that belongs to no argument; lanes concerned: {lanes}",
    "程序 {program} {action} 不属于任何参数的内存；涉及 {lanes} 个 lane",
)
_GUARD = Text(
    "memory around `{argument}` was written to (its guard zone changed)",
    "`{argument}` 周围的内存被写入（保护区已改变）",
)
_CROOKED = Text(
    "program {program} {action} `{argument}` at an address that is not a multiple of the element size",
    "程序 {program} {action} `{argument}` 时地址不是元素大小的整数倍",
)
_TWICE = Text(
    "program {program} writes element {index} of `{argument}`, which program number {other} has written: "
    "the result depends on their order",
    "程序 {program} 写入 `{argument}` 的元素 {index}，而编号 {other} 的程序已写过：结果取决于执行次序",
)
_RACE = Text(
    "program {program} reads element {index} of `{argument}`, which program number {other} of the same launch writes: "
    "the result depends on their order",
    "程序 {program} 读取 `{argument}` 的元素 {index}，而同一次启动中编号 {other} 的程序会写它：结果取决于执行次序",
)
_RACE_LANES = Text(
    "lanes of program {program} write different values to one element of `{argument}`: which one stays is not defined",
    "程序 {program} 的多个 lane 向 `{argument}` 的同一元素写入不同的值：最后留下哪个没有定义",
)
_UNDEFINED = Text(
    "this load leaves {lanes} lanes undefined (mask false, no `other`), and the output depends on what they hold",
    "这次加载使 {lanes} 个 lane 的值未定义（mask 为假且没有 `other`），而输出取决于这些值",
)
_UNDEFINED_COMPILED = Text(
    "this load leaves lanes undefined (mask without `other`), and the output depends on what they hold",
    "这次加载使部分 lane 的值未定义（有 mask 而没有 `other`），而输出取决于这些值",
)
_KERNEL_FAILED = Text(
    "the kernel stopped with {type}: {message}",
    "内核以 {type} 中止：{message}",
)
_ENDED_SIGNAL = Text("the process running this case was ended by signal {what}", "运行此用例的进程被信号 {what} 终止")
_ENDED_EXIT = Text(
    "the process running this case ended by itself with exit status {what}; that proves nothing and gives no output",
    "运行此用例的进程以退出码 {what} 自行结束；这不能证明什么，也没有输出",
)
_ENDED_UNKNOWN = Text("the process running this case is gone", "运行此用例的进程已不存在")
_PRINTED = Text("{text}. It printed: {words}", "{text}。它打印了：{words}")


class Malformed(Exception):
    """The reply does not have the agreed form: a breach of the protocol."""


def observation(job: Job, reply: dict[str, Any], blobs: Sequence[bytes], seconds: float) -> Observation:
    """Check a reply against the job and turn it into an Observation; raises Malformed."""
    try:
        return _observation(job, reply, blobs, seconds)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise Malformed(f"{type(error).__name__}: {error}") from None


def _observation(job: Job, reply: dict[str, Any], blobs: Sequence[bytes], seconds: float) -> Observation:
    status: Status = {"ok": "ok", "raised": "raised", "error": "error"}[reply["status"]]  # type: ignore[assignment]
    labels = [str(label)[:40] for label in reply["runs"]]
    names = list(job.outputs)
    if len(labels) != len(set(labels)) or len(blobs) != len(labels) * len(names):
        raise ValueError("outputs do not fit the job")
    runs: dict[str, dict[str, HostArray]] = {}
    for number, label in enumerate(labels):
        mine = blobs[number * len(names) : (number + 1) * len(names)]
        runs[label] = {name: _same_form(job.outputs[name], blob) for name, blob in zip(names, mine, strict=True)}
    if status == "ok" and "" not in runs:
        raise ValueError("no outputs")
    findings = [_finding(each) for each in reply["findings"][:MOST_FINDINGS]]
    if status == "ok":
        failed = reply.get("poison_failed") is True
        findings += _undefined(reply.get("undefined", [])[:MOST_FINDINGS], runs, failed)
    raised = _raised(reply["raised"]) if status != "ok" else None
    detail = None
    if status == "error" and raised is not None:
        detail = _KERNEL_FAILED.fill(type=raised.type, message=raised.message or "-")
    return Observation(
        status=status,
        outputs=runs.pop("", {}),
        variants=tuple(runs.items()),
        changed_inputs=tuple(name for name in job.inputs if name in reply["changed"]),
        findings=tuple(findings),
        raised=raised,
        detail=detail,
        seconds=seconds,
    )


def _same_form(expected: HostArray, blob: bytes) -> HostArray:
    """The bytes in the form that the job asked for; nothing of the form is taken from the reply."""
    if len(blob) != expected.storage.nbytes:
        raise ValueError("an output has the wrong size")
    return HostArray.from_header(expected.header(), blob)


def _raised(value: dict[str, Any]) -> Raised:
    return Raised(
        str(value["type"])[:200],
        str(value["message"])[:MOST_WORDS],
        int(value["line"]),
        launched=value.get("launched") is True,
        column=int(value.get("column", 0)),
    )


def _finding(value: dict[str, Any]) -> Finding:
    kind = str(value["kind"])
    if kind not in ("out-of-bounds", "misaligned", "double-write", "race", "compile-error", "api-error"):
        raise ValueError("unknown kind of finding")
    line, column = int(value.get("line", 0)), int(value.get("column", 0))
    argument = str(value.get("argument", ""))[:200]
    detail = str(value.get("detail", ""))[:MOST_WORDS]
    if kind in ("compile-error", "api-error") or value.get("device") is True:
        return Finding(kind, same(detail), line, column)
    if detail == "guard":
        return Finding(kind, _GUARD.fill(argument=argument), line, column)
    x, y, z = (int(n) for n in value["program"])
    index = value.get("index")
    words: dict[str, Any] = {
        "program": (x, y, z),
        "argument": argument,
        "lanes": int(value["lanes"]),
        "index": int(index) if index is not None else "?",
    }
    if kind == "race" and detail == "lanes":
        text = _RACE_LANES
    elif kind in ("double-write", "race"):
        words["other"] = int(detail)
        text = _TWICE if kind == "double-write" else _RACE
    else:
        words["action"] = _ACTION[detail]
        text = _CROOKED if kind == "misaligned" else _OUTSIDE if argument else _OUTSIDE_UNKNOWN
    return Finding(kind, text.fill(**words), line, column, block=(x, y, z))


def _undefined(loads: list[dict[str, Any]], runs: dict[str, dict[str, HostArray]], failed: bool) -> list[Finding]:
    """Findings for undefined lanes, only where differently poisoned runs differ, or one failed."""
    poisoned = [outputs for label, outputs in runs.items() if label == "" or label.startswith("poison:")]
    if not failed and all(_equal(poisoned[0], other) for other in poisoned[1:]):
        return []
    return [
        Finding(
            "uninitialised",
            _UNDEFINED.fill(lanes=int(each["lanes"])) if each["lanes"] else _UNDEFINED_COMPILED,
            line=int(each["line"]),
            column=int(each["column"]),
        )
        for each in loads
    ]


def _equal(one: dict[str, HostArray], other: dict[str, HostArray]) -> bool:
    """Equal values; NaN equals NaN, whatever its bits."""
    for name, array in one.items():
        mine, theirs = array.storage, other[name].storage
        if mine.tobytes() == theirs.tobytes():
            continue
        if not np.array_equal(decode(mine, array.dtype), decode(theirs, array.dtype), equal_nan=array.dtype != "int32"):
            return False
    return True


def ended(status: int | None, words: str) -> Text:
    """What to say of a process that is gone."""
    if status is None:
        text = _ENDED_UNKNOWN
    elif status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = str(-status)
        text = _ENDED_SIGNAL.fill(what=name)
    else:
        text = _ENDED_EXIT.fill(what=status)
    return with_words(text, words)


def with_words(text: Text, words: str) -> Text:
    """Add the end of what the process printed, if it printed anything."""
    words = words.strip()
    return _PRINTED.fill(text=text, words=words[-MOST_WORDS:]) if words else text
