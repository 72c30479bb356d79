# SPDX-License-Identifier: Apache-2.0
"""What a live picture costs: a real JupyterLab in a real browser loads a server with and without it, in turns. Runs in the environment that set-up made.

Usage: python -m lablib.live ROUNDS; prints, in JSON, answers a second and the server's processor time per request of each round: two lists of [without, without, with].
Some rounds share a page, a kernel and a server: pictures that have ended stay on the page, and with many of them the browser takes time from the server.
"""

import json
import re
import sys

from playwright.sync_api import sync_playwright

from lablib import opened
from lablib.browser import find_chromium
from lablib.loaded import free_port
from lablib.problem import Problem

# More than the server can answer: what it answers is its throughput. The order within a round turns.
CELLS = """
var server = Lab.server().startFilled(100_000, "put-sequential.lua");
var load = Lab.wrk2().script("get-random.lua", 100_000).connections(16).rate(400_000).duration("3s");
load.run(server);

List<List<double[]>> rounds = List.of(new ArrayList<>(), new ArrayList<>());
for (int round = 0; round < ROUNDS; round++) {
    rounds.forEach(measure -> measure.add(new double[3]));
    for (int turn = 0; turn < 3; turn++) {
        int which = (round + turn) % 3;
        Run run = which < 2 ? load.run(server) : Lab.live(server, load).run();
        rounds.get(0).getLast()[which] = run.result().achievedPerSecond();
        rounds.get(1).getLast()[which] = run.cpuMicrosPerRequest();
    }
}

server.stop();
System.out.println("ROUNDS" + rounds.stream().map(measure -> measure.stream().map(Arrays::toString).toList()).toList());
"""
FAILED = "[data-mime-type='application/vnd.jupyter.error']"
START_SECONDS = 120
ROUND_SECONDS = 90
ROUNDS_A_PAGE = 4


def on_one_page(rounds: int, chromium: str) -> list[list[list[float]]]:
    notebook = opened.written("live-cost.ipynb", *CELLS.replace("ROUNDS;", f"{rounds};").strip().split("\n\n"))
    try:
        with opened.jupyterlab(free_port()) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = opened.with_kernel(browser, address, notebook, timeout_seconds=START_SECONDS + rounds * ROUND_SECONDS)
            opened.run_all(page)
            page.locator(".jp-OutputArea-output pre", has_text=re.compile(r"ROUNDS\[")).or_(page.locator(FAILED)).first.wait_for()
            if page.locator(FAILED).count():
                raise Problem(f"a cell failed: {page.locator(FAILED).first.inner_text()}")
            printed = page.locator(".jp-OutputArea-output pre", has_text="ROUNDS[").first.inner_text()
            browser.close()
    finally:
        notebook.unlink()
    return json.loads(re.search(r"ROUNDS(\[.*\])", printed)[1])


def main() -> None:
    rounds = int(sys.argv[1])
    chromium = find_chromium()
    if not chromium:
        raise Problem("no Chromium on this machine: the picture has to be looked at")
    found = [[], []]
    while len(found[0]) < rounds:
        for measure, more in zip(found, on_one_page(min(ROUNDS_A_PAGE, rounds - len(found[0])), chromium), strict=True):
            measure += more
        print(f"{len(found[0])} of {rounds} rounds", file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")
