"""From code addresses to lines of the learner's file, asked only when there is something to report."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from graders.emulator.build import Program

_OURS = re.compile(r"NK?5cuemu")  # mangled names of the runtime's namespace


def lines_of(program: Program, addresses: list[int]) -> dict[int, int]:
    """Line in the learner's file of each address; of inlined calls the innermost that is the learner's. 0: unknown."""
    tool = shutil.which("addr2line")
    wanted = sorted({a for a in addresses if a})
    if not tool or not wanted:
        return {}
    try:
        done = subprocess.run(
            [tool, "-a", "-i", "-f", "-e", str(program.executable), *(hex(a) for a in wanted)],
            capture_output=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found: dict[int, int] = {}
    current, function = 0, ""
    for line in done.stdout.decode(errors="replace").split("\n"):
        if re.fullmatch(r"0x[0-9a-f]+", line):
            current = int(line, 16)
            function = ""
            continue
        if not function:
            function = line
            continue
        match = re.match(r"(.*):(\d+)", line)
        # Templates of our own headers that the learner's launches instantiate carry the learner's file name.
        if (
            match
            and current not in found
            and not _OURS.search(function)
            and Path(match.group(1)).name == program.filename
        ):
            found[current] = int(match.group(2))
        function = ""
    return found
