# SPDX-License-Identifier: Apache-2.0
"""JupyterLab with a notebook open in a browser, as tests and benchmarks drive it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Page

from lablib.paths import OUT, ROOT, STATE, UNATTENDED
from lablib.problem import Problem

TOKEN = "test"
START_SECONDS = 180
STOP_SECONDS = 20
IDLE_SECONDS = 3


@contextlib.contextmanager
def jupyterlab(port: int) -> Iterator[str]:
    """JupyterLab as scripts/lab starts it; yields its address. Its token is TOKEN."""
    with (STATE / "logs" / "jupyterlab-test.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "lablib", "lab", "--no-browser", f"--port={port}"],
            cwd=ROOT,
            env=os.environ | {"JUPYTER_TOKEN": TOKEN} | UNATTENDED,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        await_status(process, f"{address}/api/status?token={TOKEN}")
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def await_status(process: subprocess.Popen, url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url, timeout=10)
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise Problem("JupyterLab did not start") from None
            time.sleep(0.2)


def await_kernel(address: str, state: str, seconds: int) -> None:
    """Returns when the kernel has been in the state for three seconds: between two cells a kernel is idle, too."""
    deadline = time.monotonic() + seconds
    since = None
    while since is None or time.monotonic() - since < IDLE_SECONDS:
        if time.monotonic() > deadline:
            raise Problem(f"the kernel is not {state} after {seconds} s")
        try:
            kernels = json.load(urllib.request.urlopen(f"{address}/api/kernels?token={TOKEN}", timeout=10))
            states = [kernel["execution_state"] for kernel in kernels]
        except urllib.error.HTTPError as error:
            if error.code != HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            states = []  # for a moment the server lists a kernel that it starts, and does not know yet when it was active last
        since = (since or time.monotonic()) if states == [state] else None
        time.sleep(0.2)


def written(name: str, *cells: str) -> Path:
    """A notebook of the lab with these code cells, in out/."""
    OUT.mkdir(exist_ok=True)
    path = OUT / name
    kernel = {"name": "java", "display_name": "Java", "language": "java"}
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel}), path)
    return path


def with_kernel(browser: Browser, address: str, path: Path, timeout_seconds: int) -> Page:
    """A page with a notebook of out/ open, whose kernel waits for cells."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(1_000 * timeout_seconds)
    page.goto(f"{address}/lab/workspaces/{path.stem}/tree/out/{path.name}?token={TOKEN}")
    page.locator(".jp-Notebook").wait_for()
    await_kernel(address, "idle", START_SECONDS)
    return page


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
