# SPDX-License-Identifier: Apache-2.0
"""What a live picture costs: a real JupyterLab in a real browser loads a server with and without it, in turns. Runs in the environment that set-up made.

Usage: python -m lablib.live ROUNDS; prints the answers a second of each round, in JSON: a list of [without, without, with].
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
from playwright.sync_api import sync_playwright

from lablib.browser import find_chromium
from lablib.paths import OUT, ROOT
from lablib.problem import Problem

# More than the server can answer: what it answers is its throughput. The order within a round turns.
CELLS = """
var server = Lab.server().startFilled(100_000, "put-sequential.lua");
var load = Lab.wrk2().script("get-random.lua", 100_000).connections(16).rate(400_000).duration("3s");
load.run(server);

List<Double[]> rounds = new ArrayList<>();
for (int round = 0; round < ROUNDS; round++) {
    Double[] found = new Double[3];
    for (int turn = 0; turn < 3; turn++) {
        int which = (round + turn) % 3;
        Run run = which < 2 ? load.run(server) : Lab.live(server, load).run();
        found[which] = run.result().achievedPerSecond();
    }
    rounds.add(found);
}

server.stop();
System.out.println("ROUNDS" + rounds.stream().map(Arrays::toString).toList());
"""
FAILED = "[data-mime-type='application/vnd.jupyter.error']"
START_SECONDS = 120
ROUND_SECONDS = 60
STOP_SECONDS = 20
SETTLE_SECONDS = 3


def main() -> None:
    rounds = int(sys.argv[1])
    chromium = find_chromium()
    if not chromium:
        raise Problem("no Chromium on this machine: the picture has to be looked at")
    OUT.mkdir(exist_ok=True)
    notebook = OUT / "live-cost.ipynb"
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS.replace("ROUNDS;", f"{rounds};").strip().split("\n\n")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "java", "display_name": "Java", "language": "java"}}), notebook)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    jupyter = subprocess.Popen(
        [sys.executable, "-m", "lablib", "lab", "--no-browser", f"--port={port}"],
        cwd=ROOT,
        env=os.environ | {"JUPYTER_TOKEN": "live"},
        stdout=subprocess.DEVNULL,
    )
    try:
        await_answer(f"http://127.0.0.1:{port}/api/status?token=live")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            page.set_default_timeout(1_000 * (START_SECONDS + rounds * ROUND_SECONDS))
            page.goto(f"http://127.0.0.1:{port}/lab/workspaces/live/tree/out/{notebook.name}?token=live")
            page.locator(".jp-Notebook").wait_for()
            await_kernel(f"http://127.0.0.1:{port}/api/kernels?token=live")
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()
            page.locator(".jp-OutputArea-output pre", has_text=re.compile(r"ROUNDS\[")).or_(page.locator(FAILED)).first.wait_for()
            if page.locator(FAILED).count():
                raise Problem(f"a cell failed: {page.locator(FAILED).first.inner_text()}")
            printed = page.locator(".jp-OutputArea-output pre", has_text="ROUNDS[").first.inner_text()
            browser.close()
    finally:
        notebook.unlink()
        jupyter.send_signal(signal.SIGTERM)
        try:
            jupyter.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            jupyter.kill()
    print(json.dumps(json.loads(re.search(r"ROUNDS(\[.*\])", printed)[1])))


def await_kernel(url: str) -> None:
    """Until the notebook's kernel waits for cells."""
    deadline = time.monotonic() + START_SECONDS
    while [kernel["execution_state"] for kernel in json.load(urllib.request.urlopen(url, timeout=10))] != ["idle"]:
        if time.monotonic() > deadline:
            raise Problem("the notebook's kernel does not start")
        time.sleep(0.5)
    time.sleep(SETTLE_SECONDS)


def await_answer(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")
