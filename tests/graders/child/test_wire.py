"""Frames between parent and worker: sizes checked, deadlines kept, nothing believed."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest

from graders.child.wire import MAGIC, PREFIX, Channel, WireClosed, WireError, WireTimeout


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    yield Channel(one), Channel(other)
    one.close()
    other.close()


def soon(seconds: float = 2.0) -> float:
    return time.monotonic() + seconds


def test_header_and_blobs_arrive_as_sent(ends):
    ends[0].send({"a": [1, None, "ä"], "n": float("inf")}, [b"", b"xyz", memoryview(b"12345678")], soon())
    header, blobs = ends[1].receive(soon())
    assert header == {"a": [1, None, "ä"], "n": float("inf")} and blobs == [b"", b"xyz", b"12345678"]


def test_a_frame_larger_than_the_socket_buffer(ends):
    data = bytes(range(256)) * 40_000
    sender = threading.Thread(target=ends[0].send, args=({}, [data], soon(20.0)))
    sender.start()
    assert ends[1].receive(soon(20.0))[1] == [data]
    sender.join()


def test_silence_and_a_reader_that_does_not_read_end_at_the_deadline(ends):
    with pytest.raises(WireTimeout):
        ends[1].receive(soon(0.05))
    with pytest.raises(WireTimeout):
        ends[0].send({}, [bytes(50_000_000)], soon(0.05))


def test_the_end_of_the_other_side(ends):
    ends[0].close()
    with pytest.raises(WireClosed):
        ends[1].receive(soon())
    with pytest.raises(WireClosed):
        ends[1].send({}, [], soon())


def frame(header: bytes, blob: bytes = b"", *, magic: bytes = MAGIC, size: int | None = None) -> bytes:
    return PREFIX.pack(magic, len(header), len(blob) if size is None else size) + header + blob


@pytest.mark.parametrize(
    "raw",
    [
        b"PASS" * 10,
        frame(b"{}", magic=b"XX01"),
        frame(b"not json"),
        frame(b"[]"),
        frame(b"{}"),
        frame(b'{"blobs": [4]}', b"123"),
        frame(b'{"blobs": [-1, 4]}', b"123"),
        frame(b'{"blobs": [true]}', b"1"),
        frame(b'{"blobs": "3"}', b"123"),
        frame(b"[" * 100_000),
        frame(b"\xff\xfe"),
        frame(json.dumps({"blobs": [2000]}).encode(), b"", size=2000),
        PREFIX.pack(MAGIC, 1 << 30, 0),
    ],
)
def test_anything_else_is_refused(ends, raw):
    ends[0].socket.sendall(raw)
    with pytest.raises(WireError):
        ends[1].receive(soon(), max_blobs=1000)
