"""The process that executes one notebook: a kernel below it, every output counted. Started by `notebook_run`, never imported.

It reads the order from its standard input, writes one line of JSON to its standard output, and waits to be killed: whatever the
notebook left behind is a descendant of this process (a subreaper) and ends with it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from typing import Any

from graders import sandbox


def main(parent: int, work: str) -> None:
    """Run the notebook of the order; never returns."""
    sandbox.die_with_parent(parent)
    sandbox.prctl(sandbox.PR_SET_CHILD_SUBREAPER, 1)
    order = json.load(sys.stdin)
    sandbox.prctl(sandbox.PR_SET_NO_NEW_PRIVS, 1)
    for name, value in order["limits"].items():
        # Soft limits only: what the check cell starts sets (often higher) limits of its own.
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
    answer = os.dup(1)
    os.dup2(2, 1)
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    notebook = nbformat.from_dict(order["notebook"])
    for cell in notebook.cells:
        cell.source = "".join(cell.source)  # a file keeps a list of lines, nbclient wants one text

    def tell(status: str, words: str = "") -> None:
        cells = [_text(c.get("outputs", []), order["kept"]) for c in notebook.cells]
        body = {"status": status, "words": words[:500], "cell": client.at + 1, "outputs": cells}
        os.write(answer, json.dumps(body).encode() + b"\n")
        os.close(answer)
        while True:
            signal.pause()

    class Client(NotebookClient):  # type: ignore[misc]  # nbclient has no types that mypy follows here
        """Counts what cells put out; the first one that says too much ends the run."""

        said = 0
        at = 0

        def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
            self.at = cell_index
            if msg["msg_type"] in ("stream", "display_data", "execute_result", "error", "update_display_data"):
                content = msg["content"]
                self.said += len(content.get("text", "")) or sum(len(str(v)) for v in content.get("data", {}).values())
                self.said += sum(len(line) for line in content.get("traceback", ())) + 50
                if self.said > order["most"]:
                    tell("huge")
            return super().process_message(msg, cell, cell_index)

    # Unix sockets in the private folder: no other user of the machine can speak to this kernel.
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{work}/kernel")
    client = Client(
        notebook,
        km=manager,
        timeout=order["cell_seconds"],
        startup_timeout=order["start_seconds"],
        allow_errors=True,
        resources={"metadata": {"path": f"{work}/notebook"}},
    )
    client.on_cell_start = lambda cell, cell_index: setattr(client, "at", cell_index)
    try:
        client.execute()
    except CellTimeoutError:
        tell("late")
    except DeadKernelError:
        tell("dead")
    except BaseException as error:  # whatever went wrong is told to the parent, which names it
        tell("broken", f"{type(error).__name__}: {error}")
    tell("ok")


def _text(outputs: list[Any], kept: int) -> str:
    """The text of a cell's outputs without its error stream, errors as `Name: words`; as `notebook` reads stored ones."""
    out = []
    for item in outputs:
        if item.get("name") == "stderr":
            continue
        if item.get("output_type") == "error":
            out.append(f"{item.get('ename', '')}: {item.get('evalue', '')}\n")
        else:
            out.append(item.get("text") or item.get("data", {}).get("text/plain", ""))
    return "".join(out)[:kept]


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
