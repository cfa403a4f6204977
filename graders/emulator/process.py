"""Talking to a running program: cases go in, records and raw output bytes come back."""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import subprocess
import time
from typing import Any

from graders.emulator import child
from graders.emulator.build import Program

ASCENDING, DESCENDING, SEEDED = 0, 1, 2
MAX_OUTPUT = 1 << 20


class Lost(Exception):
    """The program ended or stayed silent; `records` are what it told before."""

    def __init__(self, why: str, records: list[dict[str, Any]]) -> None:
        self.why = why
        self.records = records
        super().__init__(why)


class Reports:
    """The reading end of a report pipe: lines of JSON, some followed by raw bytes."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.buffer = bytearray()

    def close(self) -> None:
        os.close(self.descriptor)

    def _more(self, until: float) -> bool:
        wait = until - time.monotonic()
        if wait <= 0 or not select.select([self.descriptor], [], [], wait)[0]:
            raise TimeoutError
        piece = os.read(self.descriptor, 1 << 20)
        self.buffer += piece
        return bool(piece)

    def line(self, until: float) -> dict[str, Any] | None:
        """The next record, None at the end; raises TimeoutError."""
        while True:
            end = self.buffer.find(b"\n")
            if end >= 0:
                text = bytes(self.buffer[:end])
                del self.buffer[: end + 1]
                record = json.loads(text.decode("utf-8", errors="replace"))
                if not isinstance(record, dict):
                    raise ValueError("a record is no object")
                return record
            if len(self.buffer) > MAX_OUTPUT or not self._more(until):
                return None

    def raw(self, count: int, until: float) -> bytes | None:
        while len(self.buffer) < count:
            if not self._more(until):
                return None
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        return data


class CaseProcess:
    """One child that runs cases of one lesson program."""

    def __init__(self, program: Program) -> None:
        self.folder = child.WorkFolder()
        read_end, write_end = os.pipe()
        try:
            self.process = child.start(
                [str(program.executable), "serve", str(write_end)],
                self.folder,
                child.RUN,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(write_end,),
            )
        finally:
            os.close(write_end)
        self.reports = Reports(read_end)
        self.expect_ready()

    def expect_ready(self) -> None:
        record = self._next(time.monotonic() + 20, [])
        if record.get("type") != "ready":
            raise Lost("not ready", [record])

    def run(
        self,
        arguments: list[tuple[str, int, bytes]],
        schedules: list[tuple[int, int, int]],
        seconds: float,
        small: int,
    ) -> tuple[list[dict[str, Any]], list[tuple[dict[str, Any], bytes]]]:
        """Run one case. `arguments` are (kind, bytes or value, data); returns (records, [(result, output bytes)])."""
        header = f"run {len(arguments)} {len(schedules)} {seconds:.3f} {small}\n"
        header += "".join(f"{kind} {number}\n" for kind, number, _ in arguments)
        header += "".join(f"{order} {seed} {poison}\n" for order, seed, poison in schedules)
        body = header.encode()
        records: list[dict[str, Any]] = []
        results: list[tuple[dict[str, Any], bytes]] = []
        until = time.monotonic() + seconds + 5
        assert self.process.stdin is not None
        try:
            data = b"".join(d for kind, _, d in arguments if kind != "v")
            self.process.stdin.write(struct.pack("<I", len(body)) + body + data)
            self.process.stdin.flush()
        except (BrokenPipeError, OSError):
            raise Lost("ended", records) from None
        while True:
            record = self._next(until, records)
            kind = record.get("type")
            if kind == "result":
                raw = self.reports.raw(int(record["bytes"]), until)
                if raw is None:
                    raise Lost("ended", records)
                results.append((record, raw))
            elif kind == "end":
                records.append(record)
                return records, results
            else:
                records.append(record)

    def _next(self, until: float, records: list[dict[str, Any]]) -> dict[str, Any]:
        try:
            record = self.reports.line(until)
        except TimeoutError:
            raise Lost("silent", records) from None
        except ValueError:
            raise Lost("garbled", records) from None
        if record is None:
            raise Lost("ended", records)
        return record

    def close(self) -> None:
        child.stop(self.process)
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        self.reports.close()
        self.folder.remove()
