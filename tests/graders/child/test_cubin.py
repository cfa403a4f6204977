"""Registers read from a cubin agree with what ptxas itself says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from graders.child.cubin import resources_of

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<40>;
    .local .align 4 .b8 room[64];
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    mov.u64 %rd2, room;
    st.local.u32 [%rd2], %r1;
    ld.global.u32 %r2, [%rd1];
    shl.b32 %r3, %r1, 2;
    and.b32 %r3, %r3, 60;
    cvt.u64.u32 %rd1, %r3;
    add.u64 %rd2, %rd2, %rd1;
    st.local.u32 [%rd2], %r2;
    ld.local.u32 %r4, [room];
    ld.param.u64 %rd1, [p];
    st.global.u32 [%rd1], %r4;
    ret;
}
"""


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_registers_and_stack_agree_with_ptxas(tmp_path, target):
    triton = pytest.importorskip("triton")
    ptxas = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
    if not ptxas.exists():
        pytest.skip("this Triton brings no ptxas")
    (tmp_path / "a.ptx").write_text(PTX)
    command = [str(ptxas), "-v", f"-arch={target}", "-o", str(tmp_path / "a.cubin"), str(tmp_path / "a.ptx")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    registers = int(re.search(r"Used (\d+) registers", said)[1])
    stack = int(re.search(r"(\d+) bytes stack frame", said)[1])
    found = resources_of((tmp_path / "a.cubin").read_bytes())
    assert found == {"registers": registers, "stack_bytes": stack} and stack == 64


@pytest.mark.parametrize("junk", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(100), b"\x7fELF\x02\x01" + b"\xff" * 100])
def test_junk_is_no_error(junk):
    assert resources_of(junk) == {"registers": 0, "stack_bytes": 0}
