"""Replies of a worker are checked against the job; nothing malformed gets through."""

from __future__ import annotations

import numpy as np
import pytest

from graders.executors import triton_findings as words


@pytest.fixture
def case(job):
    return job("c", {"x": np.ones(3)}, {"out": ("fp32", (2,))})


def good() -> dict:
    return {"status": "ok", "runs": ["", "poison:max"], "changed": [], "findings": [], "undefined": []}


BLOBS = [np.array([1, 2], dtype=np.float32).tobytes(), np.array([1, 2], dtype=np.float32).tobytes()]


def test_a_good_reply(case):
    seen = words.observation(case, good(), BLOBS, 0.5)
    assert seen.outputs["out"].values().tolist() == [1, 2] and seen.variants[0][0] == "poison:max"
    assert seen.seconds == 0.5 and not seen.findings


@pytest.mark.parametrize(
    "change",
    [
        {"status": "pass"},
        {"status": None},
        {"runs": []},
        {"runs": ["poison:max", "poison:max"]},
        {"runs": ["", "a", "b"]},
        {"runs": 3},
        {"findings": [{"kind": "everything is fine"}]},
        {"findings": [{"kind": "race", "program": [0], "lanes": 1, "detail": "0"}]},
        {"findings": [{"kind": "out-of-bounds", "program": [0, 0, 0], "lanes": 1, "detail": "explodes"}]},
        {"findings": "none"},
        {"status": "raised"},
        {"status": "error", "raised": {"type": "E", "message": "m", "line": "x"}},
    ],
)
def test_malformed_replies(case, change):
    with pytest.raises(words.Malformed):
        words.observation(case, good() | change, BLOBS, 0.0)


@pytest.mark.parametrize("blobs", [BLOBS[:1], [BLOBS[0], b"123"], [*BLOBS, b""], [b"", b""]])
def test_outputs_of_the_wrong_size(case, blobs):
    with pytest.raises(words.Malformed):
        words.observation(case, good(), blobs, 0.0)


LOAD = {"line": 4, "column": 9, "lanes": 3}


def test_undefined_loads_count_only_where_results_differ(case):
    reply = good() | {"undefined": [LOAD]}
    assert not words.observation(case, reply, BLOBS, 0.0).findings
    other = np.array([1, 9], dtype=np.float32).tobytes()
    found = words.observation(case, reply, [BLOBS[0], other], 0.0).findings
    assert [(f.kind, f.line, f.column) for f in found] == [("uninitialised", 4, 9)]
    failed = words.observation(case, reply | {"poison_failed": True}, BLOBS, 0.0).findings
    assert [f.kind for f in failed] == ["uninitialised"]


def test_nan_of_other_bits_and_signed_zeros_are_no_difference(case):
    one = np.array([0x7FC00000, 0], dtype=np.uint32).tobytes()
    two = np.array([0x7FC00001, 0x80000000], dtype=np.uint32).tobytes()
    assert not words.observation(case, good() | {"undefined": [LOAD]}, [one, two], 0.0).findings


def test_changed_inputs_are_names_of_the_job(case):
    seen = words.observation(case, good() | {"changed": ["x", "out", "../../etc"]}, BLOBS, 0.0)
    assert seen.changed_inputs == ("x",)


@pytest.mark.parametrize(
    ("status", "english"), [(-11, "SIGSEGV"), (-200, "200"), (0, "exit status 0"), (None, "is gone")]
)
def test_words_for_a_process_that_ended(status, english):
    text = words.ended(status, "")
    assert english in text.en and text.zh != text.en
    assert "last words" in words.ended(status, "last words").zh
