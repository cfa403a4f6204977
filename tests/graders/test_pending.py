"""The pending register: entering, settling through an injected executor, disputes, bundles that are read strictly."""

from __future__ import annotations

import io
import json
import stat
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_gpu import FakeGpu

from graders.course import Course, builtin_root, open_course
from graders.errors import BadInput, EnvironmentProblem
from graders.grade import Options, grade
from graders.pending import Entry, Register, entry_of
from graders.pending_bundle import MANIFEST, MAX_BLANK, dump_bundle, load_bundle
from graders.pending_settle import settle_all
from graders.submission import Submission


@pytest.fixture(scope="module")
def course() -> Course:
    return open_course(builtin_root())


def emulated(course: Course, fill: str = "0.0", broken: tuple[str, ...] = ()) -> Entry:
    lesson = course.lesson("lesson05")
    cpu = FakeGpu(broken, "emulated", "triton-interpreter")
    options = Options(executor=cpu, compile_targets=False, grader_seed=course.grader_seed())
    entry = entry_of(grade(Submission(fill), lesson, options), lesson, fill, "run")
    assert entry is not None
    return entry


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register(tmp_path / "deep" / "pending.sqlite")


def test_asking_creates_nothing(register: Register) -> None:
    assert register.entries() == [] and register.count() == 0 and register.log() == []
    assert not register.path.parent.exists()


def test_an_entry_is_kept_once(course: Course, register: Register) -> None:
    entry = emulated(course)
    assert register.enter(entry) is True
    assert register.enter(emulated(course)) is False
    assert register.enter(emulated(course, " 0.0 ")) is False  # the same blank in other spelling
    assert register.enter(emulated(course, "0")) is True
    assert register.counts() == {"lesson05": 2}
    assert Register(register.path).entries()[0] == entry


def test_what_a_gpu_ran_or_a_gate_refused_is_not_pending(course: Course) -> None:
    lesson = course.lesson("lesson05")
    on_gpu = grade(Submission("0.0"), lesson, Options(executor=FakeGpu(), compile_targets=False))
    assert entry_of(on_gpu, lesson, "0.0", "run") is None
    refused = grade(Submission("import os"), lesson, Options(executor=FakeGpu(), compile_targets=False))
    assert entry_of(refused, lesson, "import os", "run") is None


def test_the_same_verdict_settles(course: Course, register: Register) -> None:
    register.enter(emulated(course))
    gpu = FakeGpu()
    (done,) = settle_all(register, course, lambda language: gpu)
    assert (done.state, gpu.opened) == ("settled", 1)
    (entry,) = register.entries("settled")
    assert entry.result is not None
    assert (entry.result.device, entry.result.disputes) == ("Test GPU", ())
    assert set(entry.result.outcomes.values()) == {"pass"}  # the case for GPUs only has run as well
    assert register.count() == 0 and list(settle_all(register, course, lambda language: gpu)) == []
    assert [what for _, _, what, _ in register.log()] == ["entered", "settled"]
    assert register.enter(emulated(course)) is False and register.count() == 0


def test_a_wrong_kernel_that_is_wrong_everywhere_is_no_dispute(course: Course, register: Register) -> None:
    register.enter(emulated(course, "1.0", ("N = 2",)))
    (done,) = settle_all(register, course, lambda language: FakeGpu({"N = 2"}))
    assert done.state == "settled"


@pytest.mark.parametrize(("cpu", "gpu", "case"), [((), ("N = 257",), "N = 257"), (("N = 2",), (), "N = 2")])
def test_a_dispute_names_case_and_both_results(
    course: Course, register: Register, cpu: tuple[str, ...], gpu: tuple[str, ...], case: str
) -> None:
    register.enter(emulated(course, "0.0", cpu))
    (done,) = settle_all(register, course, lambda language: FakeGpu(gpu))
    assert done.state == "disputed" and done.result is not None
    (dispute,) = done.result.disputes
    assert dispute.case == case and {dispute.recorded, dispute.found} == {"pass", "fail"}
    assert (dispute.found == "fail") == bool(gpu)
    assert register.entries("disputed")[0].result == done.result


def test_a_case_for_gpus_only_that_fails_is_a_dispute(course: Course, register: Register) -> None:
    (only,) = [c.name for c in course.lesson("lesson05").spec.cases if c.gpu_only]
    register.enter(emulated(course))
    (done,) = settle_all(register, course, lambda language: FakeGpu({only}))
    assert done.result is not None and [(d.case, d.recorded) for d in done.result.disputes] == [(only, "not-run")]


def test_a_static_entry_takes_an_emulated_run_and_is_settled_by_any(course: Course, register: Register) -> None:
    entry = emulated(course)
    static = replace(entry, tier="static", executor="triton-compile", expected=dict.fromkeys(entry.expected, "not-run"))
    register.enter(static)
    assert register.enter(entry) is False
    assert register.entries()[0].tier == "emulated" and register.entries()[0].expected == entry.expected
    other = replace(static, lesson="lesson05", fill="0", blank=emulated(course, "0").blank)
    register.enter(other)
    states = [d.state for d in settle_all(register, course, lambda language: FakeGpu({"N = 2"}))]
    assert states == ["disputed", "settled"]


def test_a_machine_that_fails_loses_nothing(course: Course, register: Register) -> None:
    register.enter(emulated(course))
    register.enter(emulated(course, "0"))

    def missing(language: Any) -> FakeGpu:
        raise EnvironmentProblem("no GPU")

    with pytest.raises(EnvironmentProblem):
        list(settle_all(register, course, missing))
    assert register.count() == 2
    done = list(settle_all(register, course, lambda language: FakeGpu(faulty=True)))
    assert [d.state for d in done] == ["pending", "pending"] and register.count() == 2
    assert done[0].skipped and done[0].skipped.zh == "设备掉线"


def test_a_fault_that_passes_is_tried_again(course: Course, register: Register) -> None:
    register.enter(emulated(course))
    register.enter(emulated(course, "0"))
    gpu = FakeGpu(faults=1)
    done = list(settle_all(register, course, lambda language: gpu))
    assert [d.state for d in done] == ["settled", "settled"] and register.count() == 0


def test_what_did_not_run_on_a_gpu_settles_nothing(course: Course, register: Register) -> None:
    register.enter(emulated(course))
    (done,) = settle_all(register, course, lambda language: FakeGpu(tier="emulated", name="triton-interpreter"))
    assert done.state == "pending" and register.count() == 1


@pytest.mark.parametrize(
    "change", [{"template": "0" * 64}, {"cases": "0" * 64}, {"lesson": "lesson99"}, {"blank": "0" * 64}]
)
def test_another_version_is_not_settled(course: Course, register: Register, change: dict[str, str]) -> None:
    register.enter(replace(emulated(course), **change))  # type: ignore[arg-type]
    (done,) = settle_all(register, course, lambda language: FakeGpu())
    assert done.state == "pending" and done.skipped is not None and register.count() == 1


def test_a_damaged_register_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "pending.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(EnvironmentProblem) as problem:
        Register(path).entries()
    assert "\n" not in problem.value.message("en") and str(path) in problem.value.message("zh")


# --- bundles ----------------------------------------------------------------------------------------------------------


def test_a_bundle_goes_there_and_back(course: Course, register: Register, tmp_path: Path) -> None:
    register.enter(emulated(course))
    register.enter(emulated(course, "0"))
    there = tmp_path / "there.zip"
    there.write_bytes(dump_bundle(register.entries()))
    assert load_bundle(there) == register.entries()
    other = Register(tmp_path / "gpu.sqlite")
    assert other.merge(load_bundle(there)).new == 2
    list(settle_all(other, course, lambda language: FakeGpu({"N = 2"})))
    back = tmp_path / "back.zip"
    back.write_bytes(dump_bundle(other.entries()))
    untrusted = register.merge(load_bundle(back))
    assert (untrusted.new, untrusted.known, untrusted.settled) == (0, 2, 0) and register.count() == 2
    assert register.merge(load_bundle(back), accept_results=True).settled == 2
    assert [e.result for e in register.entries("disputed")] == [e.result for e in other.entries("disputed")]
    assert register.merge(load_bundle(back), accept_results=True).settled == 0  # a second time changes nothing


def _bundle(edit: Callable[[dict[str, bytes]], Any], course: Course) -> bytes:
    """A bundle whose members `edit` has changed."""
    with zipfile.ZipFile(io.BytesIO(dump_bundle([emulated(course)]))) as good:
        members = {i.filename: good.read(i) for i in good.infolist()}
    edit(members)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bad:
        for name, raw in members.items():
            bad.writestr(name, raw)
    return out.getvalue()


def _manifest(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, bytes]], None]:
    def edit(members: dict[str, bytes]) -> None:
        data = json.loads(members[MANIFEST])
        change(data)
        members[MANIFEST] = json.dumps(data).encode()

    return edit


def _first(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    return _manifest(lambda m: m["entries"][0].update(changes))


BAD: dict[str, Callable[[dict[str, bytes]], Any]] = {
    "parent path": lambda m: m.update({"../evil.txt": b"x"}),
    "absolute path": lambda m: m.update({"/etc/passwd": b"x"}),
    "backslashes": lambda m: m.update({"..\\evil.txt": b"x"}),
    "folder": lambda m: m.update({"blanks/": b""}),
    "deep": lambda m: m.update({"blanks/a/b.txt": b"x"}),
    "stranger": lambda m: m.update({"run.py": b"x"}),
    "no manifest": lambda m: m.pop(MANIFEST),
    "bad JSON": lambda m: m.update({MANIFEST: b"{"}),
    "deep JSON": lambda m: m.update({MANIFEST: b"[" * 200_000}),
    "not UTF-8": lambda m: m.update({MANIFEST: b"\xff\xfe"}),
    "other format": _manifest(lambda m: m.update(format="course-pending/2")),
    "more fields": _manifest(lambda m: m.update(command="rm")),
    "lesson path": _first(lesson="../lesson05"),
    "gpu tier": _first(tier="gpu"),
    "outcome": _first(expected={"N = 2": "excellent"}),
    "text as number": _first(entered="now"),
    "settled without result": _first(state="settled"),
    "blank missing": _first(fill="0" * 64),
    "blank changed": lambda m: m.update({n: b"1.0" for n in m if n != MANIFEST}),
    "blank huge": lambda m: m.update({n: b"0" * (MAX_BLANK + 1) for n in m if n != MANIFEST}),
    "bomb": lambda m: m.update({MANIFEST: b" " * 33_000_000}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_bundle_is_refused_in_one_line(name: str, course: Course, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(_bundle(BAD[name], course))
    with pytest.raises(BadInput) as problem:
        load_bundle(path)
    assert "\n" not in problem.value.message("en")
    assert [p.name for p in tmp_path.iterdir()] == ["bad.zip"]


def test_links_doubles_and_damage_are_refused(course: Course, tmp_path: Path) -> None:
    good = dump_bundle([emulated(course)])
    path = tmp_path / "bad.zip"
    link = zipfile.ZipInfo("blanks/" + "0" * 64 + ".txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for extra, content in ((link, b"/etc/passwd"), (zipfile.ZipInfo(MANIFEST), b"{}")):
        stream = io.BytesIO(good)
        with zipfile.ZipFile(stream, "a") as bundle, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bundle.writestr(extra, content)
        path.write_bytes(stream.getvalue())
        with pytest.raises(BadInput):
            load_bundle(path)
    for raw in (b"", b"PK", good[:-30], good[:40] + b"\xff" * 20 + good[60:], b"x" * 1000):
        path.write_bytes(raw)
        with pytest.raises(BadInput):
            load_bundle(path)
    with pytest.raises(BadInput):
        load_bundle(tmp_path)
    with pytest.raises(BadInput):
        load_bundle(tmp_path / "none.zip")
