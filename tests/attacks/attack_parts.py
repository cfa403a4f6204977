"""Hostile programs and what a pass would need: shared by the tests of this folder."""

from __future__ import annotations

import textwrap

import numpy as np

from graders.arrays import HostArray, encode
from graders.executors.base import Program, TritonEntry
from graders.observation import Job, Observation

SECRET = "expected-values-of-the-answer-key"
X = np.arange(1.0, 9.0, dtype=np.float32)
EXPECTED = 2 * X

TRITON = """
import atexit, ctypes, gc, json, os, pickle, signal, socket, struct, subprocess, sys, threading, time
import numpy as np
import triton
import triton.language as tl
{top}

@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out_ptr + lane, 3 * tl.load(x_ptr + lane, mask=lane < n, other=0.0), mask=lane < n)

def twice(x, out):
    before()
    kernel[(1,)](x, out, x.shape[0], BLOCK=8)
    after()

def before():
{before}

def after():
{after}
"""


def passed(seen: Observation) -> bool:
    """What the pipeline would need for a pass: the right values, and nothing found."""
    return seen.status == "ok" and not seen.findings and bool((seen.outputs["out"].values() == EXPECTED).all())


def make_job() -> Job:
    out = HostArray.dense("fp32", np.zeros(X.shape))
    out.storage[...] = encode(np.array([np.nan]), "fp32")[0]
    return Job("case", ("x", "out"), {"x": HostArray.dense("fp32", X)}, {"out": out}, {})


def triton_program(before: str = "pass", after: str = "pass", top: str = "") -> Program:
    """A kernel that triples where it should double, with a hostile host function around it."""
    parts = {
        name: textwrap.indent(textwrap.dedent(code), "    ") for name, code in (("before", before), ("after", after))
    }
    return Program(
        TRITON.format(top=textwrap.dedent(top), **parts), "attack.py", "triton", TritonEntry("twice", ("x", "out"))
    )
