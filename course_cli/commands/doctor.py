"""`course doctor`: what is installed, what each missing thing costs, how to get it."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sys
from dataclasses import dataclass

import typer

from course_cli.context import settings
from course_cli.i18n import say, t
from course_cli.options import JsonOption
from graders.text import Text


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that may be missing: what was found, or what its absence costs and how to get it."""

    name: str
    found: str | None
    cost: Text
    remedy: Text


def register(app: typer.Typer) -> None:
    app.command(
        "doctor",
        help=say(
            "What is installed, what each missing thing costs, how to get it.\n\nExample: course doctor",
            "检查环境：已装什么，缺少的影响与安装方法。\n\n示例：course doctor",
        ),
    )(doctor)


def doctor(json_: JsonOption = False) -> None:
    parts = examine()
    if json_:
        from graders.reports.json_report import dumps

        print(dumps([{"name": p.name, "found": p.found, "cost": t(p.cost), "remedy": t(p.remedy)} for p in parts]))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for part in parts:
        if part.found:
            table.add_row("[good]✓[/]", part.name, part.found)
        else:
            table.add_row("[warn]–[/]", part.name, f"{t(part.cost)}\n[accent]→ {t(part.remedy)}[/]")
    settings.console.print(table)


def examine() -> list[Part]:
    """Every part, cheap checks only: nothing heavy is imported or started."""
    pip = Text("pip install '{x}'", "pip install '{x}'")
    no_triton = Text("Triton lessons (05, 07) cannot run", "Triton 课程（05、07）无法运行")
    parts = [
        Part("python", platform.python_version() if sys.version_info >= (3, 11) else None, Text("", ""), Text("", "")),
        Part("triton", _version("triton"), no_triton, pip.fill(x="triton>=3.6,<3.8")),
        Part(
            "torch",
            _version("torch"),
            Text(
                "Triton lessons run on the CPU without it; a GPU and the self-test's cross-check need it",
                "在 CPU 上运行 Triton 课程不需要它；GPU 与自检的交叉验证需要",
            ),
            pip.fill(x="torch>=2.11"),
        ),
        Part(
            "g++",
            shutil.which("g++"),
            Text("CUDA lessons cannot be executed on the CPU", "CUDA 课程无法在 CPU 上执行"),
            Text(
                "install g++ (Debian, Ubuntu, WSL2: sudo apt install g++)",
                "安装 g++（Debian、Ubuntu、WSL2：sudo apt install g++）",
            ),
        ),
        Part(
            "nvcc",
            _nvcc(),
            Text("CUDA lessons are not compiled for a GPU", "CUDA 课程不会为 GPU 编译"),
            Text(
                "pip install 'gpu-kernel-course[cuda]', or the CUDA toolkit",
                "pip install 'gpu-kernel-course[cuda]'，或安装 CUDA 工具包",
            ),
        ),
        Part(
            "GPU",
            _gpu(),
            Text("results are emulated on the CPU; a GPU run stays pending", "结果在 CPU 上模拟；GPU 验证保持待定"),
            Text(
                "nothing to do: `course verify` on a machine with a GPU settles it",
                "无需处理：在有 GPU 的机器上用 `course verify` 确认",
            ),
        ),
    ]
    return parts + _sandbox() + _executors()


def _sandbox() -> list[Part]:
    """The layers around a stranger's program, each tried out just now; why one is missing, and what it costs."""
    from graders import confine

    whole = Text("sandbox: {n}", "沙箱：{n}")
    costs = {
        "landlock": Text(
            "a stranger's program can read what you can read, the answer key too",
            "陌生程序能读取你能读取的一切，包括答案",
        ),
        "namespaces": Text("only the filter (seccomp) keeps programs off the network", "只有过滤器（seccomp）阻止联网"),
        "pid-namespace": Text(
            "what a GPU program leaves behind is ended one by one, not at once", "GPU 程序遗留的进程只能逐个结束"
        ),
        "seccomp": Text("programs may start others, trace and use sockets", "程序可启动其他进程、跟踪进程、使用套接字"),
    }
    remedies = {
        "landlock": Text(
            "Linux 5.13 or newer with `landlock` in the kernel's list of security modules (lsm=...)",
            "需要 Linux 5.13 或更新版本，且内核安全模块列表（lsm=...）含 landlock",
        ),
        "namespaces": Text(
            "allow unprivileged user namespaces (sysctl user.max_user_namespaces, on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0; in a container --security-opt seccomp=unconfined)",
            "允许非特权用户命名空间（sysctl user.max_user_namespaces；Ubuntu 为 "
            "kernel.apparmor_restrict_unprivileged_userns=0；容器为 --security-opt seccomp=unconfined）",
        ),
        "pid-namespace": Text(
            "as for namespaces; in a container /proc must not be masked (--security-opt systempaths=unconfined)",
            "同命名空间；在容器中 /proc 不得被遮蔽（--security-opt systempaths=unconfined）",
        ),
        "seccomp": Text(
            "a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or aarch64",
            "内核需启用 CONFIG_SECCOMP_FILTER，架构为 x86-64 或 aarch64",
        ),
    }
    return [
        Part(
            t(whole.fill(n=name)),
            None if reason else say("active", "可用"),
            Text("{c} ({r})", "{c}（{r}）").fill(c=costs[name], r=reason),
            remedies[name],
        )
        for name, reason in confine.findings().items()
    ]


def _executors() -> list[Part]:
    from graders.executors.pick import pick

    parts = []
    for language in ("triton", "cuda"):
        choice = pick("triton" if language == "triton" else "cuda")
        name = say("{l} lessons run on", "{l} 课程运行于", l={"triton": "Triton", "cuda": "CUDA"}[language])
        found = f"{choice.executor.name} ({choice.executor.tier})" if choice.executor else None
        missing = choice.missing[0] if choice.missing else Text("", "")
        parts.append(Part(name, found, Text("nothing here can run them", "此机器无法运行"), missing))
    return parts


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _nvcc() -> str | None:
    try:
        from graders.executors.nvcc import find_nvcc
    except ImportError:
        return shutil.which("nvcc")
    found = find_nvcc()
    return str(found) if found else None


def _gpu() -> str | None:
    from graders.executors.pick import has_gpu

    return say("present", "存在") if has_gpu() else None
