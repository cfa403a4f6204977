"""Zip and tar files of submissions, unpacked with their paths, links and sizes checked first; nothing escapes the folder."""

from __future__ import annotations

import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from graders.errors import BadInput, Where
from graders.text import Text

MAX_MEMBERS = 20_000
MAX_FILE = 100_000_000
MAX_TOTAL = 1_000_000_000
SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")


def is_archive(path: Path) -> bool:
    """By its name; what it holds is checked when it is opened."""
    return path.name.lower().endswith(SUFFIXES)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A temporary folder with the members of an archive; raises BadInput with one line for anything that does not belong there."""
    with TemporaryDirectory(prefix="course-archive-") as folder:
        root = Path(folder)
        try:
            if path.name.lower().endswith(".zip"):
                _unzip(path, root)
            else:
                _untar(path, root)
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise BadInput(
                Text("cannot be unpacked: {e}", "无法解压：{e}").fill(e=str(error)[:200] or type(error).__name__),
                Where(str(path)),
            ) from None
        yield root


def _checked(archive: Path, name: str, size: int, total: int, count: int) -> PurePosixPath:
    def refuse(en: str, zh: str) -> BadInput:
        return BadInput(Text(en, zh).fill(n=repr(name)), Where(str(archive)))

    place = PurePosixPath(name.replace("\\", "/"))
    if place.is_absolute() or (len(name) > 1 and name[1] == ":"):
        raise refuse("holds the absolute path {n}: refused", "含有绝对路径 {n}：已拒绝")
    if ".." in place.parts:
        raise refuse("holds the path {n}, which leaves the folder: refused", "含有越出文件夹的路径 {n}：已拒绝")
    if "\0" in name or len(name) > 1000:
        raise refuse("holds a name that cannot be used: {n}", "含有无法使用的文件名：{n}")
    if size > MAX_FILE or total > MAX_TOTAL or count > MAX_MEMBERS:
        raise refuse("is too large when unpacked (at {n}): refused", "解压后过大（在 {n} 处）：已拒绝")
    return place


def _unzip(path: Path, root: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        total = 0
        for count, member in enumerate(archive.infolist(), 1):
            total += member.file_size
            place = _checked(path, member.filename, member.file_size, total, count)
            if stat.S_ISLNK(member.external_attr >> 16):
                text = Text("holds a symbolic link ({n}): refused", "含有符号链接（{n}）：已拒绝")
                raise BadInput(text.fill(n=repr(member.filename)), Where(str(path)))
            if member.is_dir():
                (root / place).mkdir(parents=True, exist_ok=True)
                continue
            with archive.open(member) as stream:
                _write(root / place, stream.read(member.file_size + 1), member.file_size, path)


def _untar(path: Path, root: Path) -> None:
    with tarfile.open(path) as archive:
        total = 0
        for count, member in enumerate(archive, 1):
            total += member.size
            place = _checked(path, member.name, member.size, total, count)
            if member.isdir():
                (root / place).mkdir(parents=True, exist_ok=True)
                continue
            if not member.isreg():
                text = Text("holds a link or device ({n}): refused", "含有链接或设备文件（{n}）：已拒绝")
                raise BadInput(text.fill(n=repr(member.name)), Where(str(path)))
            stream = archive.extractfile(member)
            if stream is not None:
                _write(root / place, stream.read(member.size + 1), member.size, path)


def _write(target: Path, data: bytes, declared: int, archive: Path) -> None:
    if len(data) > declared:
        raise BadInput(
            Text("a member is larger than it says: refused", "某成员比声明的更大：已拒绝"), Where(str(archive))
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
