"""Messages between the trusted parent and a worker: a JSON header and raw bytes, each with its size checked.

A frame is MAGIC, the length of the header (4 bytes), the length of all blobs together (8 bytes), the header (UTF-8 JSON
object; its key `blobs` lists the length of each blob), the blobs. Nothing is ever unpickled. Only the standard library
is imported here: both sides load this module before anything slow.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

MAGIC = b"GW01"
PREFIX = struct.Struct("!4sIQ")
MAX_HEADER = 4 << 20
MAX_BLOBS = 1 << 30


class WireError(Exception):
    """The other side sent something that is not a frame, or too much."""


class WireClosed(WireError):
    """The other side is gone."""


class WireTimeout(Exception):
    """The deadline passed."""


class Channel:
    """One end of a stream socket. `deadline` arguments are values of `time.monotonic()`; None waits for ever."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        end.setblocking(False)

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()

    def send(
        self, header: dict[str, Any], blobs: Sequence[bytes | memoryview] = (), deadline: float | None = None
    ) -> None:
        """Send one frame; raises WireClosed, WireTimeout."""
        views = [memoryview(blob).cast("B") for blob in blobs if len(blob)]
        sizes = [memoryview(blob).nbytes for blob in blobs]
        head = json.dumps({**header, "blobs": sizes}).encode()
        self._write(memoryview(PREFIX.pack(MAGIC, len(head), sum(sizes)) + head), deadline)
        for view in views:
            self._write(view, deadline)

    def receive(
        self, deadline: float | None = None, max_blobs: int = MAX_BLOBS, max_header: int = MAX_HEADER
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Receive one frame; raises WireClosed, WireTimeout, or WireError when it breaks a limit or is malformed."""
        magic, head_size, blob_size = PREFIX.unpack(self._read(PREFIX.size, deadline))
        if magic != MAGIC or head_size > max_header or blob_size > max_blobs:
            raise WireError("not a frame, or larger than agreed")
        try:
            header = json.loads(self._read(head_size, deadline))
        except (ValueError, RecursionError) as error:
            raise WireError(f"header is not JSON: {type(error).__name__}") from None
        if not isinstance(header, dict):
            raise WireError("header is not an object")
        sizes = header.pop("blobs", None)
        if not isinstance(sizes, list) or not all(type(n) is int and n >= 0 for n in sizes) or sum(sizes) != blob_size:
            raise WireError("sizes of the blobs do not fit the frame")
        return header, [self._read(size, deadline) for size in sizes]

    def pending(self) -> bool:
        """Whether there is something to read (or the other side has closed)."""
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(0))

    def _wait(self, event: int, deadline: float | None) -> None:
        poll = select.poll()
        poll.register(self.socket, event)
        left = None if deadline is None else (deadline - time.monotonic()) * 1000
        if left is not None and left <= 0:
            raise WireTimeout
        if not poll.poll(left):
            raise WireTimeout

    def _write(self, data: memoryview, deadline: float | None) -> None:
        while data:
            try:
                data = data[self.socket.send(data[: 1 << 20]) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError:
                raise WireClosed("the other side is gone") from None

    def _read(self, size: int, deadline: float | None) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                part = self.socket.recv(min(size - len(parts), 1 << 20))
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            except OSError:
                raise WireClosed("the other side is gone") from None
            if not part:
                raise WireClosed("the other side is gone")
            parts += part
        return bytes(parts)
