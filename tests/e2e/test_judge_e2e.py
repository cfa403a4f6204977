"""`--judge`: one that does not agree with the gold answers is refused with its figures; answers never leave the machine unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def silent_judge() -> Iterator[str]:
    """A server of the right protocol that states nothing about any link."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            content = json.dumps({"choices": [{"message": {"role": "assistant", "content": '{"links": []}'}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def grade(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "course_cli", "grade", "--lesson", "lesson05", "--fill", "0.0", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COURSE_CACHE_DIR": str(tmp_path)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


def test_a_judge_below_the_threshold_grades_nothing(tmp_path: Path, silent_judge: str) -> None:
    done = grade(tmp_path, "--judge", silent_judge, "--judge-model", "silent")
    assert done.returncode == 3 and done.stdout == ""
    assert "the judge is refused: on the gold answers exact 0." in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--judge", "http://example.com/v1", "--judge-model", "m"), 2, "--judge-remote"),
        (("--judge-model", "m"), 2, "--judge-model needs --judge URL"),
        (("--judge", "http://127.0.0.1:9/v1"), 2, "--judge needs --judge-model NAME"),
        (("--judge", "http://127.0.0.1:9/v1", "--judge-model", "m"), 3, "cannot be reached"),
        (("--judge", "ftp://localhost", "--judge-model", "m"), 2, "http(s)"),
    ],
)
def test_what_does_not_fit_is_one_line(tmp_path: Path, words: tuple[str, ...], code: int, says: str) -> None:
    done = grade(tmp_path, *words)
    assert done.returncode == code and says in done.stderr and done.stderr.count("\n") == 1
