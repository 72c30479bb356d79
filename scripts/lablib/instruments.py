# SPDX-License-Identifier: Apache-2.0
"""scripts/bench instruments: what the autopsy and the pictures of the engine cost a server, each with and without in turns, and which faults the autopsy names."""

import argparse
import json
import math
import os
import statistics
import subprocess
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from lablib import repeated, rows, turn
from lablib.loaded import FOLDER, Server, filled, servers, wrk2
from lablib.paths import ENGINE, ROOT
from lablib.problem import Problem
from lablib.tools import Tools

STARTS = 3  # of the servers: another start of the same server differs by some percent
ROUNDS = 60  # at each
TRACED = 500_000  # requests, as servers of notebooks keep
SCRIPTS = {"GET": "get-random.lua", "PUT": "put-sequential.lua"}
MEASURES = ("cpuMicrosPerRequest", "throughput", "p50Ms")
NAMES = ("a second instance", "traced")  # of the second and the third server
LIVE_ROUNDS = 31
STUDENT_31 = 2.042  # 97.5 % of Student's t with 30 degrees of freedom
FAULT_RUNS = 5
REPORT = ENGINE / "lab/target/surefire-reports/TEST-lsmlab.lab.autopsy.AutopsyTest.xml"
UNNAMED = {"failure", "error", "skipped"}
NO_FAULT = "anUntracedServerHasNone"  # among the tests


def compared(tools: Tools, script: str) -> list[dict]:
    """At each start: the ratios to the first server, by the server's name, and the first one's own p50 in microseconds."""
    found = []
    for _ in range(STARTS):
        with servers(
            lambda: Server(tools, "plain"),
            lambda: Server(tools, "again"),
            lambda: Server(tools, "traced", "--trace-requests", str(TRACED), "--trace-frames", str(FOLDER / "frames.jsonl")),
        ) as three:
            for server in three:
                filled(tools, server)
            run = wrk2(tools, script, three, "--closed", "--rounds", str(ROUNDS), "--slice", "250ms")
        ratios = {
            name: {ratio["measure"]: {end: ratio[end] for end in ("median", "low", "high")} for ratio in run["ratios"] if ratio["target"] == server.url}
            for name, server in zip(NAMES, three[1:], strict=True)
        }
        micros = statistics.median(1_000 * each["response"]["p50Ms"] for each in run["slices"] if each["turn"]["target"] == 0)
        found.append({"ratios": ratios, "p50Micros": micros})
    return found


def tracing(tools: Tools) -> dict[str, object]:
    found = {}
    with turn.held("scripts/bench instruments"):  # the other parts measure in notebooks and tests, which take their turns themselves
        for operation, script in SCRIPTS.items():
            found |= figures(operation, compared(tools, script))
    return found


def live(tools: Tools) -> dict[str, object]:
    """A run with a live picture in a browser on the same machine, and a second run without, to one without."""
    run = subprocess.run([tools.python, "-m", "lablib.live", str(LIVE_ROUNDS)], env=tools.variables(), stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        raise Problem("the live picture was not measured")
    words = {}
    for measure, rounds in zip(("throughput", "cpuMicrosPerRequest"), json.loads(run.stdout), strict=True):
        for name, place in (("a second run", 1), ("live picture", 2)):
            logs = [math.log(each[place] / each[0]) for each in rounds]
            words[f"GET, {measure}, {name} / without"] = [round(math.exp(value), 4) for value in repeated.around_mean(logs, STUDENT_31)]
    return words


def faults(tools: Tools) -> dict[str, object]:
    """Of each fault that is made on purpose, how often the autopsy named it first: the tests of engine/lab, run again and again."""
    named = Counter()
    for _ in range(FAULT_RUNS):
        os.environ["LSM_LAB_ALL_TESTS"] = "1"
        REPORT.unlink(missing_ok=True)
        tools.maven("-q", "-pl", "storage,load,lab", "-Dtest=AutopsyTest", "-Dsurefire.failIfNoSpecifiedTests=false", "test")  # fails if a fault was not named
        if not REPORT.exists():
            raise Problem("the tests of the autopsy could not be built or started")
        named.update({case.get("name"): 0 if UNNAMED & {found.tag for found in case} else 1 for case in ElementTree.parse(REPORT).iter("testcase")})
    del named[NO_FAULT]
    return {f"{fault}: named first, of {FAULT_RUNS}": times for fault, times in named.items()}


PARTS = {"tracing": tracing, "live": live, "faults": faults}


def figures(operation: str, found: Sequence[dict]) -> dict[str, float | list[float]]:
    """By the words of a row: the ratio of all starts together, low and high of its interval."""
    words = {}
    for measure in MEASURES:
        for name in NAMES:
            ratio = repeated.combined([each["ratios"][name][measure] for each in found])
            words[f"{operation}, {measure}, {name} / without"] = [round(ratio[end], 4) for end in ("median", "low", "high")]
            if measure == "p50Ms":
                micros = statistics.median(each["p50Micros"] for each in found)
                words[f"{operation}, p50 in us, {name} - without"] = round((ratio["median"] - 1) * micros, 2)
    return words


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench instruments",
        description="tracing: what it costs a server that its requests are traced, as those of notebooks are, six minutes. "
        "live: what a live picture in JupyterLab costs, a quarter of an hour; it needs Chromium. Both are ratios to a server without, with 95 % intervals, "
        "beside those of a second server or run without. faults: which of the faults that are made on purpose the autopsy names, eight minutes. "
        "Each result is a row in data/results.",
    )
    parser.add_argument("--part", choices=PARTS, help="only this one")
    return parser.parse_args(arguments)


def main(options: argparse.Namespace, tools: Tools) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in [options.part] if options.part else PARTS:
        found = PARTS[name](tools)
        for what, figure in found.items():
            print(f"{what}: {figure}")
        print(f"kept as {rows.keep(f'bench-instruments-{name}', tools.jdk.version, {'measures': found}).relative_to(ROOT)}", flush=True)
