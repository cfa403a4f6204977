"""Registers and stack of the kernels in a cubin, read from its ELF sections (no tool of the toolkit is needed)."""

from __future__ import annotations

import struct

_EIATTR_FRAME_SIZE = 0x11
_EIATTR_REGCOUNT = 0x2F
_SVAL = 0x04  # attribute with a size and a value


def resources_of(cubin: bytes) -> dict[str, int]:
    """`registers` a thread and `stack_bytes` a thread: the largest of all kernels; 0 where the file does not say."""
    found = {"registers": 0, "stack_bytes": 0}
    try:
        for name, data in _sections(cubin):
            if name == ".nv.info":
                _read_info(data, found)
    except (struct.error, IndexError, ValueError, OverflowError):
        return {"registers": 0, "stack_bytes": 0}
    return found


def _sections(elf: bytes) -> list[tuple[str, bytes]]:
    """Names and contents of the sections of a 64-bit little-endian ELF file."""
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    table = struct.unpack_from("<Q", elf, 40)[0]
    entry_size, count, names_index = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * entry_size) for i in range(count)]
    names = headers[names_index][4]
    sections = []
    for header in headers:
        start = names + header[0]
        name = elf[start : elf.index(b"\0", start)].decode("ascii", "replace")
        sections.append((name, elf[header[4] : header[4] + header[5]] if header[1] != 8 else b""))
    return sections


def _read_info(data: bytes, found: dict[str, int]) -> None:
    """Attributes are (format, kind, 16-bit value or size); those with a size carry (symbol, value) pairs here."""
    at = 0
    while at + 4 <= len(data):
        form, kind, size = struct.unpack_from("<BBH", data, at)
        at += 4
        if form != _SVAL:
            continue
        if size == 8:
            value = struct.unpack_from("<II", data, at)[1]
            if kind == _EIATTR_REGCOUNT:
                found["registers"] = max(found["registers"], value)
            elif kind == _EIATTR_FRAME_SIZE:
                found["stack_bytes"] = max(found["stack_bytes"], value)
        at += size
