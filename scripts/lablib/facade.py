# SPDX-License-Identifier: Apache-2.0
"""scripts/bench facade: what the lab's HTTP facade before Cassandra costs a request, above Cassandra's driver alone."""

import argparse
import contextlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lablib import cassandra, repeated, rows, turn
from lablib.loaded import FOLDER, RECORDS, free_port, stats, wrk2
from lablib.paths import ROOT
from lablib.problem import Problem
from lablib.tools import Tools

PER_SECOND = 400  # below the knee of three nodes on two cores
SECONDS = 5
WARM_UPS = 4
ROUNDS = 9
STUDENT_9 = 2.306  # 97.5 % of Student's t with 8 degrees of freedom


@dataclass(frozen=True)
class Facade:
    url: str

    def micros(self, tools: Tools) -> float:
        """Processor time of its process for a GET at QUORUM."""
        before = stats(self.url)["jvm"]["cpuMillis"]
        requests = wrk2(tools, "get-random.lua", [self], f"-R{PER_SECOND}", f"-d{SECONDS}s")["requests"]
        return 1_000 * (stats(self.url)["jvm"]["cpuMillis"] - before) / requests


class Driver:
    """A process that uses the driver alone."""

    def __init__(self, tools: Tools, contact: str):
        java = [str(tools.jdk.home / "bin/java"), "-Xmx128m", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"]
        command = [*java, "-cp", str(cassandra.JAR), "lsmlab.cassandra.DriverAlone", contact, str(PER_SECOND), str(SECONDS), str(RECORDS)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def micros(self) -> float:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


@contextlib.contextmanager
def running(tools: Tools) -> Iterator[tuple[Facade, Driver]]:
    """Both before the same three nodes."""
    data = FOLDER / "cassandra"
    shutil.rmtree(data, ignore_errors=True)
    port = free_port()
    command = [ROOT / "scripts/lab", "server", "--engine", "cassandra", "--nodes", "3", "--port", str(port), "--data", str(data)]
    nodes = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    driver = None
    try:
        if not any(" serves " in line for line in nodes.stdout):
            raise Problem("the nodes of Cassandra did not start")
        facade = Facade(f"http://127.0.0.1:{port}")
        driver = Driver(tools, stats(facade.url)["nodes"][0]["cql"])
        yield facade, driver
    finally:
        nodes.terminate()
        nodes.wait()
        if driver:
            driver.process.kill()
            driver.process.wait()


def interval(values: Sequence[float]) -> list[float]:
    """The mean, and the ends of its 95 % interval."""
    return [round(value, 1) for value in repeated.around_mean(values, STUDENT_9)]


def measured(tools: Tools) -> dict[str, list[float]]:
    with turn.held("scripts/bench facade"), running(tools) as (facade, driver):
        wrk2(tools, "put-sequential.lua", [facade], f"-R{2 * PER_SECOND}", f"-d{RECORDS // (2 * PER_SECOND) + 1}s")
        for _ in range(WARM_UPS):
            facade.micros(tools)
            driver.micros()
        found = [(driver.micros(), facade.micros(tools), driver.micros()) for _ in range(ROUNDS)]
    return {
        "driver alone, us of processor time a GET": interval([first for first, _, _ in found]),
        "facade, us of processor time a GET": interval([ours for _, ours, _ in found]),
        "facade - driver alone, us": interval([ours - (first + again) / 2 for first, ours, again in found]),
        "driver again - driver alone, us": interval([again - first for first, _, again in found]),
    }


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench facade",
        description="The processor time that the facade before Cassandra takes for a GET, above what its driver alone takes for the same; six minutes. "
        "The result is a row in data/results.",
    )
    return parser.parse_args(arguments)


def main(tools: Tools) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    cassandra.ready(tools)
    found = measured(tools)
    for what, figure in found.items():
        print(f"{what}: {figure}")
    print(f"kept as {rows.keep('bench-facade', tools.jdk.version, {'measures': found}).relative_to(ROOT)}", flush=True)
