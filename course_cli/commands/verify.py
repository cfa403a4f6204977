"""`course verify` and `course pending`: settle on a GPU what was only emulated or read; carry it there and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from course_cli.context import settings
from course_cli.i18n import lang, say, t
from course_cli.options import JsonOption, RegisterOption

if TYPE_CHECKING:
    from graders.pending import Entry, Register
    from graders.pending_settle import ExecutorFactory, Settlement


def register(app: typer.Typer) -> None:
    """Add the commands of this family to the application."""
    app.command(
        "verify",
        help=say(
            "Run again on this machine's GPU what is pending, and settle it; with BUNDLE, what another machine exported.\n\n"
            "Examples: course verify · course verify class.zip --out settled.zip",
            "在本机 GPU 上重新运行待验证的内容并了结；给出 BUNDLE 时处理其他机器导出的内容。\n\n"
            "示例：course verify · course verify class.zip --out settled.zip",
        ),
    )(verify)
    pending = typer.Typer(
        no_args_is_help=False,
        invoke_without_command=True,
        rich_markup_mode=None,
        help=say(
            "What waits for a GPU run.\n\nExamples: course pending · course pending export class.zip",
            "等待 GPU 运行的内容。\n\n示例：course pending · course pending export class.zip",
        ),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    pending.callback()(list_pending)
    pending.command(
        "export",
        help=say(
            "Write the register into a bundle (zip).\n\nExample: course pending export class.zip",
            "把登记写入包（zip）。\n\n示例：course pending export class.zip",
        ),
    )(export)
    pending.command(
        "import",
        help=say(
            "Take over the entries of a bundle.\n\nExample: course pending import settled.zip --accept-results",
            "读入一个包中的条目。\n\n示例：course pending import settled.zip --accept-results",
        ),
    )(import_)
    app.add_typer(pending, name="pending")


def verify(
    bundle: Annotated[
        Path | None,
        typer.Argument(metavar="[BUNDLE]", help=say("a bundle of another machine", "其他机器的包"), show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help=say("write what was settled into this bundle", "把结果写入此包"), show_default=False
        ),
    ] = None,
    folder: RegisterOption = None,
    json_: JsonOption = False,
) -> None:
    raise typer.Exit(settle(bundle, out, folder, as_json=json_))


def settle(
    bundle: Path | None, out: Path | None, folder: Path | None, *, as_json: bool, make: ExecutorFactory | None = None
) -> int:
    """Settle the register, or a bundle in a register of its own; the exit code. `make` is for machines without a GPU."""
    import tempfile

    from course_cli.records import pending_register
    from graders.pending import Register

    if bundle is None:
        register = pending_register(folder)
        if make is None:
            _need_gpu(register.count())
        return _settle(register, None, out, as_json=as_json, make=make)
    from graders.pending_bundle import load_bundle

    entries = load_bundle(bundle)
    if make is None:
        _need_gpu(sum(e.state == "pending" for e in entries))
    with tempfile.TemporaryDirectory(prefix="course-verify-") as place:
        register = Register(Path(place) / "pending.sqlite")
        register.merge(entries, accept_results=True)
        return _settle(register, bundle, out, as_json=as_json, make=make)


def _settle(
    register: Register, bundle: Path | None, out: Path | None, *, as_json: bool, make: ExecutorFactory | None
) -> int:
    from course_cli.records import write_receipt
    from course_cli.store import Store
    from graders.errors import EXIT_ENVIRONMENT, EXIT_PASSED
    from graders.pending_settle import gpu_executor, settle_all

    console = settings.console
    waiting = register.entries("pending")
    done: list[Settlement] = []
    if not waiting and not as_json:
        console.print(say("nothing is pending", "没有待验证的内容"))
    for settled in settle_all(register, settings.course, make or gpu_executor):
        done.append(settled)
        if bundle is None and settled.run is not None and settled.entry.source == "run":
            write_receipt(Store(), settled.run.lesson, settled.run.card, settled.run.started)
        if not as_json:
            console.print(_line(settled), markup=False)
    if out is not None:
        _write_bundle(register.entries(), out)
    if as_json:
        from graders.reports.json_report import dumps

        print(dumps({"schema": "course-verify/1", "settled": [_as_dict(s) for s in done]}))
    elif bundle is not None and out is None and done:
        console.print(say("give --out FILE to carry the results back", "用 --out FILE 把结果带回"), style="quiet")
    register.close()
    return EXIT_ENVIRONMENT if any(s.state == "pending" for s in done) else EXIT_PASSED


def list_pending(context: typer.Context, folder: RegisterOption = None, json_: JsonOption = False) -> None:
    if context.invoked_subcommand is not None:
        return
    from course_cli.records import pending_register

    entries = pending_register(folder).entries()
    if json_:
        from graders.reports.json_report import dumps

        print(dumps({"schema": "course-pending-list/1", "entries": [_entry_dict(e) for e in entries]}))
        return
    for entry in entries:
        settings.console.print(_entry_line(entry), markup=False)
    waiting = sum(e.state == "pending" for e in entries)
    settings.console.print(
        say(
            "{n} pending, {d} disputed",
            "待验证 {n} 项，争议 {d} 项",
            n=waiting,
            d=sum(e.state == "disputed" for e in entries),
        )
    )


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=say("the zip to write", "要写出的 zip"))],
    folder: RegisterOption = None,
) -> None:
    from course_cli.records import pending_register

    entries = pending_register(folder).entries()
    _write_bundle(entries, file)
    settings.console.print(say("wrote {n} entries to {p}", "已将 {n} 个条目写入 {p}", n=len(entries), p=file))


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=say("a bundle", "待验证包"), show_default=False)],
    accept_results: Annotated[
        bool,
        typer.Option(
            "--accept-results",
            help=say("trust what the bundle says is settled", "采信包中已了结的结果"),
        ),
    ] = False,
    folder: RegisterOption = None,
) -> None:
    from course_cli.records import pending_register
    from graders.pending_bundle import load_bundle

    merged = pending_register(folder).merge(load_bundle(file), accept_results=accept_results)
    settings.console.print(
        say(
            "{n} new, {k} known already, {s} settled",
            "新增 {n}，已有 {k}，了结 {s}",
            n=merged.new, k=merged.known, s=merged.settled,
        )
    )  # fmt: skip


def _need_gpu(waiting: int) -> None:
    """Raises EnvironmentProblem where something waits and no GPU is here; with nothing waiting none is needed."""
    from graders.errors import EnvironmentProblem
    from graders.executors.pick import has_gpu
    from graders.text import Text

    if waiting and not has_gpu():
        text = Text(
            "this machine has no GPU: {n} pending stay pending (carry them to one: course pending export FILE)",
            "此机器没有 GPU：{n} 项保持待验证（可用 course pending export FILE 带到有 GPU 的机器）",
        )
        raise EnvironmentProblem(text.fill(n=waiting))


def _write_bundle(entries: list[Entry], path: Path) -> None:
    from course_cli.store import write_file
    from graders.pending_bundle import dump_bundle

    write_file(path, dump_bundle(entries))


def _line(settled: Settlement) -> str:
    entry = settled.entry
    name = f"{entry.lesson}  {entry.blank[:8]}"
    if settled.state == "pending":
        return f"? {name}  " + say(
            "still pending: {w}", "仍待验证：{w}", w=t(settled.skipped) if settled.skipped else ""
        )
    assert settled.result is not None
    device = settled.result.device
    if settled.state == "settled":
        return f"✓ {name}  " + say("same verdict on {d}", "在 {d} 上结论相同", d=device)
    first = settled.result.disputes[0]
    return f"✗ {name}  " + say(
        "disputed on {d}, {n} case(s); '{c}': recorded {r}, on the GPU {f}: {w}",
        "在 {d} 上有争议，{n} 个用例；“{c}”：记录为 {r}，GPU 上为 {f}：{w}",
        d=device, n=len(settled.result.disputes), c=first.case, r=first.recorded, f=first.found, w=t(first.detail),
    )  # fmt: skip


def _entry_line(entry: Entry) -> str:
    sign = {"pending": "…", "settled": "✓", "disputed": "✗"}[entry.state]
    what = {
        "emulated": say("executed on the CPU", "在 CPU 上执行"),
        "static": say("not executed", "未执行"),
    }[entry.tier]
    where = f"  {entry.result.device}" if entry.result else ""
    return f"{sign} {entry.lesson}  {entry.blank[:8]}  {what}  {entry.fill[:40]}{where}"


def _entry_dict(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.key, "lesson": entry.lesson, "blank_sha256": entry.blank, "tier": entry.tier, "executor": entry.executor,
        "state": entry.state, "entered": entry.entered, "expected": entry.expected,
        "result": _result_dict(entry.result) if entry.result else None,
    }  # fmt: skip


def _as_dict(settled: Settlement) -> dict[str, Any]:
    return {
        **_entry_dict(settled.entry),
        "state": settled.state,
        "result": _result_dict(settled.result) if settled.result else None,
        "skipped": settled.skipped.pick(lang()) if settled.skipped else None,
    }


def _result_dict(result: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.as_json()
    for dispute, told in zip(data["disputes"], result.disputes, strict=True):
        dispute["detail"] = told.detail.pick(lang())
    return data
