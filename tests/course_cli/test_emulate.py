"""`course emulate`: exit codes, what is printed, both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from course_cli import i18n
from course_cli.commands.emulate import emulate
from graders.emulator.build import availability
from graders.emulator.rewriter import Unsupported
from graders.errors import BadInput

pytestmark = pytest.mark.skipif(availability() is not None, reason="needs g++")

SOUND = """#include <cstdio>
__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }
int main(int n, char** a) { int* p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); printf("hello %s\\n", n > 1 ? a[1] : "-"); return n > 2; }
"""


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    i18n.use("en")
    yield
    i18n.use("en")


def write(folder: Path, text: str) -> Path:
    file = folder / "program.cu"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_sound_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert emulate(write(tmp_path, SOUND), ("you",)) == 0
    out = capsys.readouterr().out
    assert out.startswith("hello you\n")
    assert "no findings" in out and "not measured" in out


def test_a_program_that_fails_by_itself(tmp_path: Path) -> None:
    assert emulate(write(tmp_path, SOUND), ("a", "b")) == 1


def test_a_finding_shows_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert emulate(write(tmp_path, SOUND.replace("&p, 128", "&p, 64"))) == 1
    out = capsys.readouterr().out
    assert "program.cu:2  __global__ void k(int* p)" in out
    assert "thread 16 of block 0 writes 4 bytes outside its memory" in out
    i18n.use("zh")
    assert emulate(write(tmp_path, SOUND.replace("&p, 128", "&p, 64"))) == 1
    assert "线程块 0 的线程 16" in capsys.readouterr().out


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert emulate(write(tmp_path, SOUND.replace("&p, 128", "&p, 64")), as_json=True) == 1
    value = json.loads(capsys.readouterr().out)
    assert value["schema"] == "course-emulate/1"
    assert [(f["kind"], f["line"], f["thread"]) for f in value["findings"]] == [("out-of-bounds", 2, [16, 0, 0])]


def test_what_does_not_compile_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert emulate(write(tmp_path, SOUND.replace("p[threadIdx.x]", "q[threadIdx.x]"))) == 2
    assert "program.cu:2:29" in capsys.readouterr().out


def test_a_missing_file_and_what_is_not_covered(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        emulate(tmp_path / "nothing.cu")
    with pytest.raises(Unsupported) as caught:
        emulate(write(tmp_path, "#include <curand.h>\n" + SOUND))
    assert caught.value.exit_code == 3 and caught.value.line == 1
