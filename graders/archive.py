"""Zip and tar files of submissions, unpacked with their paths, links and sizes checked first; nothing escapes the folder."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

from graders.errors import BadInput, Where
from graders.text import Text

MAX_MEMBERS = 20_000
MAX_FILE = 100_000_000
MAX_TOTAL = 1_000_000_000
MAX_ALL = 4_000_000_000  # unpacked bytes of all archives of one command
SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
_CHUNK = 1 << 16
_MAX_HEADER = 1 << 20  # bytes that the tar reader may ask for at once: a longer header is an attack


def is_archive(path: Path) -> bool:
    """By its name; what it holds is checked when it is opened."""
    return path.name.lower().endswith(SUFFIXES)


@contextmanager
def unpacked(path: Path, most: int = MAX_TOTAL) -> Iterator[tuple[Path, int]]:
    """A temporary folder with the members of an archive, and their size in bytes (at most `most`).

    Raises BadInput with one line for anything that does not belong there.
    """
    with TemporaryDirectory(prefix="course-archive-") as folder:
        target = _Target(path, Path(folder), min(most, MAX_TOTAL))
        try:
            _unzip(target) if path.name.lower().endswith(".zip") else _untar(target)
        except BadInput:
            raise
        except Exception as error:  # the readers of the standard library raise a dozen kinds for broken files
            words = str(error)[:200] or type(error).__name__
            raise BadInput(Text("cannot be unpacked: {e}", "无法解压：{e}").fill(e=words), Where(str(path))) from None
        yield target.root, target.total


class _Target:
    """Where members go: every name, size and count is checked before anything is written."""

    def __init__(self, archive: Path, root: Path, most: int) -> None:
        self.archive = archive
        self.root = root
        self.most = most
        self.total = 0
        self.count = 0

    def refuse(self, en: str, zh: str, name: str = "") -> BadInput:
        shown = repr(name[:100] + ("..." if len(name) > 100 else ""))
        return BadInput(Text(en, zh).fill(n=shown), Where(str(self.archive)))

    def place(self, name: str, size: int) -> Path:
        """The path of a member inside of the folder."""
        self.total += size
        self.count += 1
        place = PurePosixPath(name.replace("\\", "/"))
        if "\0" in name or len(name) > 1000 or not name.strip():
            raise self.refuse("holds a name that cannot be used: {n}", "含有无法使用的文件名：{n}", name)
        if place.is_absolute() or (len(name) > 1 and name[1] == ":"):
            raise self.refuse("holds the absolute path {n}: refused", "含有绝对路径 {n}：已拒绝", name)
        if ".." in place.parts:
            raise self.refuse(
                "holds the path {n}, which leaves the folder: refused", "含有越出文件夹的路径 {n}：已拒绝", name
            )
        if size < 0 or size > MAX_FILE or self.total > self.most or self.count > MAX_MEMBERS:
            raise self.refuse("is too large when unpacked (at {n}): refused", "解压后过大（在 {n} 处）：已拒绝", name)
        return self.root / place

    def write(self, place: Path, stream: IO[bytes], declared: int) -> None:
        """Copy a member in pieces, never more than it says it has."""
        place.parent.mkdir(parents=True, exist_ok=True)
        left = declared
        with place.open("wb") as out:
            while piece := stream.read(min(_CHUNK, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise self.refuse("a member is larger than it says: refused", "某成员比声明的更大：已拒绝")
                out.write(piece)


def _unzip(target: _Target) -> None:
    with zipfile.ZipFile(target.archive) as archive:
        for member in archive.infolist():
            place = target.place(member.filename, member.file_size)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind == stat.S_IFLNK:
                raise target.refuse(
                    "holds a symbolic link ({n}): refused", "含有符号链接（{n}）：已拒绝", member.filename
                )
            if member.is_dir():
                place.mkdir(parents=True, exist_ok=True)
                continue
            if kind not in (0, stat.S_IFREG):
                raise target.refuse("holds a device ({n}): refused", "含有设备文件（{n}）：已拒绝", member.filename)
            with archive.open(member) as stream:
                target.write(place, stream, member.file_size)


class _Bounded:
    """The bytes of a tar file for the reader: it may not ask for more at once than a header can need, nor for too much in all."""

    def __init__(self, file: IO[bytes], target: _Target) -> None:
        self._file = file
        self._target = target
        self._read = 0

    def read(self, size: int = -1) -> bytes:
        self._read += max(size, 0)
        if size < 0 or size > _MAX_HEADER or self._read > self._target.most + MAX_FILE:
            raise self._target.refuse("is too large when unpacked: refused", "解压后过大：已拒绝")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def _untar(target: _Target) -> None:
    with _decompressed(target.archive) as file:
        bounded = cast("Any", _Bounded(file, target))
        with tarfile.open(fileobj=bounded, mode="r:") as archive:
            for member in archive:
                place = target.place(member.name, member.size)
                if member.isdir():
                    place.mkdir(parents=True, exist_ok=True)
                    continue
                if not member.isreg():
                    raise target.refuse(
                        "holds a link or device ({n}): refused", "含有链接或设备文件（{n}）：已拒绝", member.name
                    )
                stream = archive.extractfile(member)
                if stream is not None:
                    target.write(place, stream, member.size)


def _decompressed(path: Path) -> IO[bytes]:
    """The tar file inside, by the first bytes: a name may say anything."""
    with path.open("rb") as file:
        head = file.read(6)
    if head.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.open(path))
    if head.startswith(b"BZh"):
        return cast("IO[bytes]", bz2.open(path))
    if head.startswith(b"\xfd7zXZ\x00"):
        return cast("IO[bytes]", lzma.open(path))
    return path.open("rb")
