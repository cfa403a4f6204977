"""Bundles of the pending register: a zip that carries blanks, recorded verdicts and hashes to a machine with a GPU.

    manifest.json            {"format": "course-pending/1", "made": "...", "entries": [...]}
    blanks/<sha256>.txt      the text of one blank, named by the hash of its bytes

A bundle comes from somebody else: it is read strictly, member by member, into memory. Nothing is ever extracted to a path.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import time
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from graders.errors import BadInput, Where
from graders.pending import Entry, Result
from graders.text import Text

BUNDLE_FORMAT = "course-pending/1"
MANIFEST = "manifest.json"
MAX_FILE = 64_000_000  # of the zip
MAX_MANIFEST = 32_000_000
MAX_BLANK = 20_000
MAX_ENTRIES = 20_000
_BLANK = re.compile(r"blanks/[0-9a-f]{64}\.txt")

_Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Outcome = Literal["pass", "fail", "error", "timeout", "not-run"]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Dispute(_Part):
    case: _Name
    recorded: _Outcome
    found: _Outcome
    detail: dict[Literal["en", "zh"], Annotated[str, StringConstraints(max_length=4000)]]


class _Result(_Part):
    device: Annotated[str, StringConstraints(max_length=200)]
    executor: _Name
    toolchain: dict[_Name, _Name]
    outcomes: dict[_Name, _Outcome]
    disputes: list[_Dispute] = Field(default_factory=list, max_length=5000)


class _Entry(_Part):
    lesson: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,79}$")]
    fill: _Hash
    blank: _Hash
    template: _Hash
    cases: _Hash
    tier: Literal["emulated", "static"]
    executor: _Name
    expected: dict[_Name, _Outcome] = Field(max_length=5000)
    source: _Name
    submission: _Hash | None
    entered: float
    state: Literal["pending", "settled", "disputed"]
    settled: float | None
    result: _Result | None


class _Manifest(_Part):
    format: Literal["course-pending/1"]
    made: Annotated[str, StringConstraints(max_length=40)]
    entries: list[_Entry] = Field(max_length=MAX_ENTRIES)


def dump_bundle(entries: Iterable[Entry]) -> bytes:
    """The bytes of a bundle; the same entries give the same members in the same order."""
    blanks: dict[str, bytes] = {}
    rows = []
    for entry in entries:
        raw = entry.fill.encode()
        digest = hashlib.sha256(raw).hexdigest()
        blanks[digest] = raw
        rows.append(
            {
                "lesson": entry.lesson,
                "fill": digest,
                "blank": entry.blank,
                "template": entry.template,
                "cases": entry.cases,
                "tier": entry.tier,
                "executor": entry.executor,
                "expected": entry.expected,
                "source": entry.source,
                "submission": entry.submission,
                "entered": entry.entered,
                "state": entry.state,
                "settled": entry.settled,
                "result": entry.result.as_json() if entry.result else None,
            }
        )
    manifest = {"format": BUNDLE_FORMAT, "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "entries": rows}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
        for digest, raw in sorted(blanks.items()):
            bundle.writestr(f"blanks/{digest}.txt", raw)
    return out.getvalue()


def load_bundle(path: Path) -> list[Entry]:
    """Read a bundle; raises BadInput with one line for everything that is not exactly what `dump_bundle` writes."""
    where = Where(str(path))
    members = _members(path, where)
    raw = members.pop(MANIFEST, None)
    if raw is None:
        raise BadInput(Text("is no bundle: it has no manifest.json", "不是待验证包：缺少 manifest.json"), where)
    try:
        manifest = _Manifest.model_validate_json(raw)
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadInput(
            Text("manifest.json is not of the form {f}: {e}", "manifest.json 不符合 {f}：{e}").fill(
                f=BUNDLE_FORMAT, e=_first(error)
            ),
            where,
        ) from None
    entries = []
    for row in manifest.entries:
        blank = members.get(f"blanks/{row.fill}.txt")
        if blank is None or hashlib.sha256(blank).hexdigest() != row.fill:
            text = Text("the blank {h} is missing or was changed", "填空 {h} 缺失或被改动")
            raise BadInput(text.fill(h=row.fill[:12]), where)
        try:
            fill = blank.decode()
        except UnicodeDecodeError:
            raise BadInput(Text("a blank is not UTF-8", "有填空不是 UTF-8 编码"), where) from None
        if (row.state == "pending") != (row.result is None):
            raise BadInput(Text("an entry's state and result do not fit", "有条目的状态与结果不一致"), where)
        data: dict[str, Any] = row.model_dump()
        result = Result.from_json(data["result"]) if data["result"] else None
        entries.append(Entry(**{**data, "fill": fill, "result": result}))
    return entries


def _members(path: Path, where: Where) -> dict[str, bytes]:
    """Contents by name. Names outside the two forms, links, folders, encryption, doubles and bombs are refused."""
    try:
        if not path.is_file():
            raise BadInput(Text("no such file", "文件不存在"), where)
        if path.stat().st_size > MAX_FILE:
            raise BadInput(Text("is larger than {n} MB", "超过 {n} MB").fill(n=MAX_FILE // 1_000_000), where)
        with zipfile.ZipFile(path) as bundle:
            infos = bundle.infolist()
            if len(infos) > MAX_ENTRIES + 1:
                raise BadInput(Text("holds too many files", "包含的文件过多"), where)
            out: dict[str, bytes] = {}
            for info in infos:
                _check_member(info, out, where)
                limit = MAX_MANIFEST if info.filename == MANIFEST else MAX_BLANK
                with bundle.open(info) as stream:
                    data = stream.read(limit + 1)
                if len(data) > limit:
                    text = Text("{n} is larger than {m} bytes", "{n} 超过 {m} 字节").fill(n=info.filename, m=limit)
                    raise BadInput(text, where)
                out[info.filename] = data
            return out
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise BadInput(Text("is no readable zip: {e}", "不是可读的 zip：{e}").fill(e=error), where) from None
    except OSError as error:
        raise BadInput(Text("cannot be read: {e}", "无法读取：{e}").fill(e=error.strerror or error), where) from None
    except zlib.error as error:
        raise BadInput(Text("is damaged: {e}", "已损坏：{e}").fill(e=error), where) from None


def _check_member(info: zipfile.ZipInfo, seen: dict[str, bytes], where: Where) -> None:
    name = info.orig_filename
    if name != info.filename or (name != MANIFEST and not _BLANK.fullmatch(name)):
        text = Text("holds {n}, which does not belong into a bundle", "含有 {n}，不应出现在待验证包中")
        raise BadInput(text.fill(n=repr(name[:80])), where)
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode) or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
        raise BadInput(Text("{n} is a link or no plain file", "{n} 是链接或非普通文件").fill(n=name), where)
    if info.flag_bits & 1:
        raise BadInput(Text("{n} is encrypted", "{n} 已加密").fill(n=name), where)
    if name in seen:
        raise BadInput(Text("{n} stands in it twice", "{n} 出现了两次").fill(n=name), where)


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        problem = error.errors(include_url=False)[0]
        return f"{'.'.join(str(p) for p in problem['loc'])}: {problem['msg']}"
    return str(error)
