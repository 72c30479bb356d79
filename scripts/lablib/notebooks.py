# SPDX-License-Identifier: Apache-2.0
"""Executes notebooks without a browser and writes each as one interactive HTML file. Runs in the environment that set-up made.

Usage: python -m lablib.notebooks smoke|quick|full|rest NOTEBOOK.ipynb...; rest is full without those that are finished. NOTEBOOK is one of
notebooks/, or a reader's copy of one.
"""

import asyncio
import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import time

import nbformat
import plotly
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbconvert import HTMLExporter
from nbformat.sign import NotebookNotary
from traitlets.config import Config

from lablib.files import digest_of_jars, read_note, write_whole
from lablib.paths import JARS, NOTEBOOKS, OUT, STATE, UNATTENDED
from lablib.problem import one_line

CELL_TIMEOUT_SECONDS = {"smoke": 300, "quick": 300, "full": 3600}
RUN = "lsmlab"  # in a notebook's metadata: that a run went through, in which mode, with which code
FINISHED = STATE / "finished"
TEMPLATES = pathlib.Path(__file__).parent / "template"
LOGS = STATE / "logs"
LEFTOVER_SECONDS = 86_400
PLOTLY_JS = pathlib.Path(plotly.__file__).parent / "package_data"


class Terminal:
    """Progress in place on a terminal, a line at a time elsewhere."""

    def __init__(self):
        self.interactive = sys.stdout.isatty()

    def status(self, text: str) -> None:
        if self.interactive:
            width = shutil.get_terminal_size().columns - 1
            print("\r\033[K" + text[:width], end="", flush=True)

    def line(self, text: str) -> None:
        print(("\r\033[K" if self.interactive else "") + text, flush=True)


class Execution(NotebookClient):
    """A notebook in progress: shows in the terminal which cell runs and the cell's own progress."""

    running: "Execution | None" = None  # at most one at a time

    def __init__(self, notebook, path: pathlib.Path, mode: str, terminal: Terminal):
        name = path.stem
        super().__init__(
            notebook,
            timeout=CELL_TIMEOUT_SECONDS[mode],
            startup_timeout=120,
            kernel_name="java",
            coalesce_streams=True,
            store_widget_state=False,  # what a widget shows while a cell runs is gone when the notebook is kept
            resources={"metadata": {"path": str(path.parent)}},
            on_cell_start=self.cell_started,
        )
        os.environ["LSM_LAB_NOTEBOOK"] = name  # what other notebooks that wait for this one say
        os.environ |= UNATTENDED
        self.label = name
        self.terminal = terminal
        self.code_cells = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        self.position = ""

    async def async_start_new_kernel(self, **options) -> None:
        # nbclient has just taken INT and TERM for itself: it would end the kernel, and then report that the kernel died.
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().remove_signal_handler(number)
        handle_endings()
        await super().async_start_new_kernel(**options)

    def cell_started(self, cell, cell_index: int) -> None:
        if cell.cell_type == "code":
            self.position = f"{self.label}: cell {self.code_cells.index(cell_index) + 1} of {len(self.code_cells)}"
            self.terminal.status(self.position)

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] in ("display_data", "update_display_data"):
            text = msg["content"]["data"].get("text/plain", "")
            if text.startswith(("▓", "░")):
                self.terminal.status(f"{self.position}  {text}")
            elif text.startswith(("✓", "✗")):
                self.terminal.line(f"{self.position}  {text}")
        return super().process_message(msg, cell, cell_index)


def html(notebook, name: str) -> str:
    """The executed notebook as one page that needs nothing else."""
    return exported(notebook, name, "lsm")


def exported(notebook, name: str, template: str) -> str:
    """As HTML, by one of our templates; nothing is loaded from another host."""
    config = Config()
    config.TemplateExporter.extra_template_basedirs = [str(TEMPLATES)]
    config.TemplateExporter.extra_template_paths = [str(PLOTLY_JS), str(TEMPLATES)]
    config.HTMLExporter.template_name = template
    config.HTMLExporter.require_js_url = ""
    config.HTMLExporter.mathjax_url = ""
    config.HTMLExporter.jquery_url = ""
    config.HTMLExporter.embed_images = True
    body, _ = HTMLExporter(config=config).from_notebook_node(notebook, {"metadata": {"name": name, "path": str(NOTEBOOKS)}})
    return body


def tables(notebook) -> list[str]:
    """The text of every table that the lab showed."""
    return [
        output.data["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type in ("display_data", "execute_result") and 'class="lsmlab-table"' in output.data.get("text/html", "")
    ]


def error_text(notebook) -> str:
    """The cell that failed, and what it said."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                said = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))
                return f"This cell failed:\n\n{cell.source}\n\n{said}"
    return "the notebook stopped without an error in a cell"


def without_outputs(notebook):
    """The notebook without outputs: what an earlier run showed must not pass for this one's."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop(RUN, None)
    return notebook


def code_digest(notebook) -> str:
    """Of the code that a run executes: its cells and the jars."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256(json.dumps([code, digest_of_jars(JARS)]).encode()).hexdigest()


class FullRun:
    """What is known of a notebook's last full run: of which code, and how long it took. Full runs of all notebooks take hours; one that
    was interrupted goes on where it was."""

    UNKNOWN_SECONDS = 20 * 60

    def __init__(self, path: pathlib.Path):
        self.file = FINISHED / f"{path.stem}.json"
        self.code = code_digest(nbformat.read(path, as_version=4))
        self.last = read_note(self.file, {"code": None, "seconds": self.UNKNOWN_SECONDS})

    def is_finished(self) -> bool:
        return self.last["code"] == self.code

    def seconds(self) -> float:
        return self.last["seconds"]

    def finish(self, seconds: float) -> None:
        write_whole(self.file, json.dumps({"code": self.code, "seconds": seconds}))


def run_all(paths: list[pathlib.Path], mode: str, terminal: Terminal) -> list[str]:
    """Returns the names of those that failed."""
    if mode in ("smoke", "quick"):
        return [path.stem for path in paths if not run(path, mode, terminal)]
    full_runs = {path: FullRun(path) for path in paths}
    left = [path for path in paths if mode == "full" or not full_runs[path].is_finished()]
    for path in paths:
        if path not in left:
            terminal.line(f"{path.stem}: finished earlier; scripts/lab run {path.stem} --full runs it again")
    failed = []
    while left:
        minutes = sum(full_runs[path].seconds() for path in left) / 60
        terminal.line(f"{len(left)} to run, about {minutes:.0f} minutes")
        path, start = left.pop(0), time.monotonic()
        if run(path, "full", terminal):
            full_runs[path].finish(time.monotonic() - start)
        else:
            failed.append(path.stem)
    return failed


def run(path: pathlib.Path, mode: str, terminal: Terminal) -> bool:
    """Executes one notebook and writes out/NAME.ipynb and out/NAME.html; False when a cell failed."""
    name = path.stem
    notebook = without_outputs(nbformat.read(path, as_version=4))
    start = time.monotonic()
    terminal.line(f"{name}: {mode} mode")
    failed = None
    LOGS.mkdir(parents=True, exist_ok=True)
    with (LOGS / f"kernel-{name}.log").open("w") as log:
        try:
            Execution.running = Execution(notebook, path, mode, terminal)
            Execution.running.execute(stdout=log, stderr=log)
        except CellExecutionError:
            failed = error_text(notebook)
        except (CellTimeoutError, RuntimeError) as error:  # the kernel ended, perhaps during its start
            atexit.unregister(Execution.running._cleanup_kernel)  # nbclient has cleaned up already, and its hook would fail
            failed = f"{error}\nThe kernel's log: {log.name}"
    if not failed:
        notebook.metadata[RUN] = {"mode": mode, "code": code_digest(notebook)}
    write_whole(OUT / f"{name}.ipynb", nbformat.writes(notebook) + "\n")
    NotebookNotary().sign(notebook)  # its outputs were made here and now, so JupyterLab may show their frames
    write_whole(OUT / f"{name}.html", html(notebook, name))
    for table in tables(notebook):
        terminal.line("\n" + table)
    terminal.line(f"\n{name}: {'failed' if failed else 'done'} in {time.monotonic() - start:.0f} s, see {OUT / name}.html")
    if failed:
        print(failed, file=sys.stderr)
    return not failed


def end(received: int, _) -> None:
    """Ends the kernel, which ends its servers, and then this process, quietly: nothing that was half done is worth a traceback."""
    if Execution.running and Execution.running.km and Execution.running.km.has_kernel:
        os.kill(Execution.running.km.provisioner.pid, signal.SIGTERM)
        Execution.running.km.cleanup_connection_file()
    print("\nlsm-lab: interrupted", file=sys.stderr, flush=True)
    os._exit(128 + received)


def handle_endings() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def remove_leftovers() -> None:
    """Removes connection files of kernels whose run was killed a day ago or longer."""
    for left in (STATE / "tmp").glob("tmp*.json"):
        with contextlib.suppress(FileNotFoundError):  # another run removes them, too
            if time.time() - left.stat().st_mtime > LEFTOVER_SECONDS:
                left.unlink()


def main() -> None:
    mode, paths = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]]
    os.environ["LSM_LAB_MODE"] = "full" if mode == "rest" else mode
    handle_endings()
    remove_leftovers()
    terminal = Terminal()
    try:
        failed = run_all(paths, mode, terminal)
    except OSError as error:
        if not (line := one_line(error)):
            raise
        sys.exit(line)
    sys.exit(f"lsm-lab: failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
