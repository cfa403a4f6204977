"""Which headers a learner's file may include: the standard library, and those of CUDA that the emulator has."""

from __future__ import annotations

import re
from pathlib import Path

from graders.emulator.lexer import blank_comments
from graders.emulator.source_edits import Unsupported

RUNTIME = Path(__file__).parent / "runtime"
_STANDARD = frozenset(
    [
        "algorithm",
        "any",
        "array",
        "bitset",
        "cassert",
        "cctype",
        "cerrno",
        "cfenv",
        "cfloat",
        "charconv",
        "chrono",
        "cinttypes",
        "climits",
        "clocale",
        "cmath",
        "complex",
        "csetjmp",
        "csignal",
        "cstdarg",
        "cstddef",
        "cstdint",
        "cstdio",
        "cstdlib",
        "cstring",
        "ctime",
        "cwchar",
        "cwctype",
        "deque",
        "exception",
        "forward_list",
        "fstream",
        "functional",
        "initializer_list",
        "iomanip",
        "ios",
        "iosfwd",
        "iostream",
        "istream",
        "iterator",
        "limits",
        "list",
        "locale",
        "map",
        "memory",
        "new",
        "numeric",
        "optional",
        "ostream",
        "queue",
        "random",
        "ratio",
        "regex",
        "set",
        "sstream",
        "stack",
        "stdexcept",
        "streambuf",
        "string",
        "string_view",
        "system_error",
        "tuple",
        "type_traits",
        "typeindex",
        "typeinfo",
        "unordered_map",
        "unordered_set",
        "utility",
        "valarray",
        "variant",
        "vector",
        "atomic",
        "bit",
        "compare",
        "concepts",
        "numbers",
        "ranges",
        "span",
        "version",
        "assert.h",
        "ctype.h",
        "errno.h",
        "fenv.h",
        "float.h",
        "inttypes.h",
        "limits.h",
        "locale.h",
        "math.h",
        "memory.h",
        "setjmp.h",
        "signal.h",
        "stdarg.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "strings.h",
        "time.h",
        "wchar.h",
        "unistd.h",
        "sys/time.h",
        "sys/types.h",
        "bits/stdc++.h",
        "getopt.h",
        "malloc.h",
    ]
)
_NAMED = {
    "thread": "host threads (<thread>)",
    "mutex": "host threads (<mutex>)",
    "future": "host threads (<future>)",
    "condition_variable": "host threads (<condition_variable>)",
    "pthread.h": "host threads (<pthread.h>)",
    "omp.h": "OpenMP (<omp.h>)",
    "mma.h": "tensor cores (wmma, <mma.h>)",
}
_PREFIXES = {
    "curand": "cuRAND",
    "cublas": "cuBLAS",
    "cufft": "cuFFT",
    "cusparse": "cuSPARSE",
    "cusolver": "cuSOLVER",
    "cudnn": "cuDNN",
    "nccl": "NCCL",
    "nvrtc": "NVRTC",
    "nvml": "NVML",
    "thrust/": "Thrust",
    "cub/": "CUB",
    "cuda/": "libcu++",
    "cute/": "CuTe",
    "cutlass/": "CUTLASS",
    "cuda_pipeline": "asynchronous copies",
}


def check(source: str, filename: str) -> None:
    """Raise Unsupported for an include that the emulator has not, or that leaves the allowed set."""
    text = blank_comments(source)
    joined = re.sub(r"\\\n", lambda _: "", text)
    if joined != text:
        numbers = _line_numbers(text)
    else:
        numbers = None
    for index, line in enumerate(joined.split("\n")):
        match = re.match(r"\s*#\s*(\w+)\s*(.*?)\s*$", line)
        if not match:
            continue
        number = numbers[index] if numbers else index + 1
        word, rest = match.group(1), match.group(2)
        if word in ("include_next", "import", "embed", "line"):
            raise Unsupported(f"#{word}", number, filename)
        if word != "include":
            continue
        named = re.fullmatch(r'<([^>]+)>|"([^"]+)"', rest)
        if not named:
            raise Unsupported("an #include that is no plain file name", number, filename)
        header = (named.group(1) or named.group(2)).strip()
        if header in _STANDARD and named.group(1):
            continue
        if header in _STANDARD or header in available():
            continue
        library = next((v for k, v in _PREFIXES.items() if header.startswith(k)), None)
        what = _NAMED.get(header) or (f"{library} (<{header}>)" if library else None)
        raise Unsupported(what if what else f"#include {rest}", number, filename)


def available() -> frozenset[str]:
    """CUDA headers that the emulator has, as they are written in an #include."""
    return frozenset(
        str(p.relative_to(RUNTIME)) for p in [*RUNTIME.glob("*.h"), *RUNTIME.glob("cooperative_groups/*.h")]
    )


def _line_numbers(text: str) -> list[int]:
    """Source line of each logical line, where a backslash at the end joins two."""
    numbers, joining = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if not joining:
            numbers.append(number)
        joining = line.endswith("\\")
    return numbers
