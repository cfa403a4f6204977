"""Archives of submissions: what stays inside is unpacked, everything else is refused with one line, in bounded memory and time."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders import archive
from graders.archive import is_archive, unpacked
from graders.errors import BadInput

ENDINGS = ["zip", "tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"]
Edit = Callable[[tarfile.TarInfo], None]


def pack(path: Path, members: dict[str, bytes]) -> Path:
    """An archive of the kind that its name says."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, data in members.items():
                out.writestr(name, data)
        return path
    mode = {"tar": "w:", "gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "xz": "w:xz"}[path.suffix[1:]]
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def refused(path: Path, *words: str) -> None:
    with pytest.raises(BadInput) as caught, unpacked(path):
        pass
    message = caught.value.message("en")
    assert "\n" not in message and message.startswith(str(path)) and len(message) < 500
    for word in words:
        assert word in message


@pytest.mark.parametrize("ending", ENDINGS)
def test_members_come_out_as_they_went_in_and_go_away_afterwards(tmp_path: Path, ending: str) -> None:
    path = pack(tmp_path / f"a.{ending}", {"lesson05/lesson05.py": b"x = 1\n", "lesson05/receipts/r.json": b"{}"})
    assert is_archive(path)
    with unpacked(path) as (root, size):
        assert (root / "lesson05/lesson05.py").read_bytes() == b"x = 1\n" and size == 8
        assert stat.S_IMODE((root / "lesson05/lesson05.py").stat().st_mode) & 0o111 == 0
    assert not root.exists()


@pytest.mark.parametrize("ending", ["zip", "tar", "tar.gz"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("/etc/cron.d/x", "absolute path"),
        ("../x", "leaves the folder"),
        ("a/../../x", "leaves the folder"),
        ("a\\..\\..\\x", "leaves the folder"),
        ("C:\\x", "absolute path"),
        ("n" * 1500, "cannot be used"),
    ],
)
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, ending: str, name: str, told: str) -> None:
    refused(pack(tmp_path / f"a.{ending}", {"ok.py": b"x", name: b"evil"}), told)
    assert not (tmp_path.parent / "x").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        info = tarfile.TarInfo("answers.md")
        info.type, info.linkname = kind, "/etc/passwd"
        tar.addfile(info)
    refused(path, "link or device", "answers.md")


@pytest.mark.parametrize(
    ("kind", "told"), [(stat.S_IFLNK, "symbolic link"), (stat.S_IFCHR, "device"), (stat.S_IFIFO, "device")]
)
def test_links_and_devices_in_a_zip_are_refused(tmp_path: Path, kind: int, told: str) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as out:
        info = zipfile.ZipInfo("answers.md")
        info.external_attr = (kind | 0o777) << 16
        out.writestr(info, "/etc/passwd")
    refused(path, told)


@pytest.mark.parametrize("ending", ["zip", "tar.gz", "tar.xz"])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, ending: str) -> None:
    path = pack(tmp_path / f"a.{ending}", {"zeros": bytes(101_000_000)})
    assert path.stat().st_size < 200_000
    begin = time.perf_counter()
    tracemalloc.start()
    refused(path, "too large when unpacked")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000 and time.perf_counter() - begin < 10


def test_many_members_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL", 1000)
    refused(pack(tmp_path / "a.zip", {f"f{i}": b"x" * 300 for i in range(4)}), "too large when unpacked")
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    refused(pack(tmp_path / "b.tar", {f"f{i}": b"" for i in range(4)}), "too large when unpacked")


def test_a_tar_header_that_asks_for_gigabytes_is_refused(tmp_path: Path) -> None:
    """A pax header is read into memory whole by the standard library; its size is the archive's to choose."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 3_000_000_000
    path = tmp_path / "a.tar.gz"
    with gzip.open(path, "wb") as out:
        out.write(info.tobuf())
        out.write(bytes(5_000_000))
    tracemalloc.start()
    refused(path, "too large when unpacked")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_a_member_that_says_it_is_small_is_not_read_beyond_that(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {"f": b"y" * 5000})
    raw = path.read_bytes()
    small, big = (10).to_bytes(4, "little"), (5000).to_bytes(4, "little")
    assert raw.count(big) == 2
    path.write_bytes(raw.replace(big, small))
    with pytest.raises(BadInput), unpacked(path):
        pass


@pytest.mark.parametrize("ending", ENDINGS)
def test_broken_archives_are_one_line(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    for raw in (b"", b"not an archive at all" * 40, b"PK\x03\x04" + bytes(30), b"\x1f\x8b\x08" + bytes(30)):
        path.write_bytes(raw)
        if ending == "tar" and not raw:
            continue
        refused(path)
    whole = pack(path, {"f": bytes(range(256)) * 400}).read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    refused(path)


def test_an_encrypted_member_and_a_name_that_is_file_and_folder(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", {"f": b"x"})
    raw = bytearray(path.read_bytes())
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(raw))
    refused(path, "cannot be unpacked")
    refused(pack(tmp_path / "b.tar", {"f": b"x", "f/g": b"y"}), "cannot be unpacked")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["zip", "tar", "tar.gz"]),
    st.dictionaries(st.text(min_size=1, max_size=12), st.binary(max_size=40), max_size=4),
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6),
)
def test_whatever_an_archive_holds_nothing_escapes(
    tmp_path: Path, ending: str, members: dict[str, bytes], damage: list[tuple[int, int]]
) -> None:
    path = tmp_path / f"a.{ending}"
    try:
        pack(path, members)
    except (ValueError, UnicodeError):
        return
    raw = bytearray(path.read_bytes())
    for at, value in damage:
        raw[at % len(raw)] = value
    path.write_bytes(bytes(raw))
    before = sorted(p.name for p in tmp_path.iterdir())
    try:
        with unpacked(path) as (root, _):
            for each in root.rglob("*"):
                assert each.resolve().is_relative_to(root.resolve()) and not each.is_symlink()
    except BadInput as error:
        assert "\n" not in error.message("en").replace(repr("\n"), "")
    assert sorted(p.name for p in tmp_path.iterdir()) == before
