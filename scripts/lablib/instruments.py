# SPDX-License-Identifier: Apache-2.0
"""scripts/bench instruments: what it costs a server that its requests are traced. Servers with and without are loaded in turns, beside a second one without."""

import argparse
import statistics
from collections.abc import Sequence

from lablib import repeated, rows, turn
from lablib.loaded import FOLDER, Server, filled, servers, wrk2
from lablib.paths import ROOT
from lablib.tools import Tools

STARTS = 3  # of the servers: another start of the same server differs by some percent
ROUNDS = 60  # at each
TRACED = 500_000  # requests, as servers of notebooks keep
SCRIPTS = {"GET": "get-random.lua", "PUT": "put-sequential.lua"}
MEASURES = ("cpuMicrosPerRequest", "throughput", "p50Ms")
NAMES = ("a second instance", "traced")  # of the second and the third server


def compared(tools: Tools, script: str) -> list[dict]:
    """At each start: the ratios to the first server, by the server's name, and the first one's own p50 in microseconds."""
    found = []
    for _ in range(STARTS):
        with servers(lambda: Server(tools, "plain"), lambda: Server(tools, "again"), lambda: Server(tools, "traced", "--trace-requests", str(TRACED))) as three:
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
        description="What it costs a server that its requests are traced, as those of notebooks are: ratios to a server without, "
        "with 95 % intervals, beside those of a second server without. Six minutes; the result is a row in data/results.",
    )
    return parser.parse_args(arguments)


def main(tools: Tools) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    measures = {}
    with turn.held("scripts/bench instruments"):
        for operation, script in SCRIPTS.items():
            found = figures(operation, compared(tools, script))
            for what, figure in found.items():
                print(f"{what}: {figure}", flush=True)
            measures |= found
    print(f"kept as {rows.keep('bench-instruments', tools.jdk.version, {'measures': measures}).relative_to(ROOT)}")
