# SPDX-License-Identifier: Apache-2.0
"""The outputs of wrk2 in a text, like a student's report."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

CALIBRATION_SECONDS = 10
START_SECONDS = 0.005  # a connection
COMMAND_LINES = 12  # above an output, in which its command is looked for
MILLIS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "m": 60_000.0, "h": 3_600_000.0}
RUNNING = re.compile(r"Running\s+([\d.]+)(s|m|h)\s+test\s+@")
CONNECTIONS = re.compile(r"(\d+)\s+threads?\s+and\s+(\d+)\s+connections?")
LATENCY = re.compile(r"^\s*Latency\s+([\d.]+)(us|ms|s|m|h)\s+([\d.]+)(us|ms|s|m|h)\s+([\d.]+)(us|ms|s|m|h)")
PERCENTILE = re.compile(r"^\s*(\d+\.\d+)%\s+([\d.]+)(us|ms|s|m|h)\s*$")
COUNTED = re.compile(r"Total count\s*=\s*(\d+)")
REQUESTS = re.compile(r"^\s*(\d+)\s+requests\s+in")
ACHIEVED = re.compile(r"Requests/sec:\s*([\d.]+)")
REFUSED = re.compile(r"Non-2xx or 3xx responses:\s*(\d+)")
SOCKET = re.compile(r"Socket errors:.*")
RATE = re.compile(r"(?:^|\s)(?:-R|--rate)[ =]?\s*(\d+)([kKmM]?)")
END = re.compile(r"Transfer/sec:")


@dataclass
class Output:
    """What wrk2 printed of a run; lines are counted from 1."""

    line: int
    last_line: int
    seconds: float
    rate: float | None = None  # that its command asks for
    connections: int = 1
    mean_ms: float = float("nan")
    max_ms: float = float("nan")
    percentiles: dict[float, float] = field(default_factory=dict)  # milliseconds
    counted: int | None = None  # requests in its histogram
    requests: int = 0
    achieved: float = 0.0
    refused: int = 0  # answers with a status above 399
    socket_errors: int = 0

    def calibration_seconds(self) -> float:
        """What wrk2 leaves out of the figures, if the run is longer."""
        return CALIBRATION_SECONDS + START_SECONDS * self.connections

    def measured(self) -> float:
        """The requests that the figures are made of."""
        if self.counted is not None:
            return self.counted
        share = 1 - self.calibration_seconds() / self.seconds
        return self.requests * share if share > 0 else self.requests


def outputs(lines: Sequence[str]) -> list[Output]:
    """All of a text, in order. One that was cut off ends where the next begins."""
    begins = [i for i, line in enumerate(lines) if RUNNING.search(line)]
    found = []
    for begin, limit in itertools.pairwise([*begins, len(lines)]):
        end = next((i for i in range(begin, limit) if END.search(lines[i])), limit - 1)
        before = found[-1].last_line if found else 0
        found.append(read(lines, begin, end, lines[max(before, begin - COMMAND_LINES) : begin]))
    return found


def read(lines: Sequence[str], begin: int, end: int, above: Sequence[str]) -> Output:
    length = RUNNING.search(lines[begin])
    output = Output(begin + 1, end + 1, float(length[1]) * MILLIS[length[2]] / 1_000)
    for line in reversed(above):
        asked = RATE.search(line)
        if "wrk" in line and asked:
            output.rate = float(asked[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[asked[2].lower()]
            break
    for line in lines[begin : end + 1]:
        if found := CONNECTIONS.search(line):
            output.connections = int(found[2])
        elif found := LATENCY.search(line):
            output.mean_ms, output.max_ms = float(found[1]) * MILLIS[found[2]], float(found[5]) * MILLIS[found[6]]
        elif found := PERCENTILE.search(line):
            output.percentiles[float(found[1])] = float(found[2]) * MILLIS[found[3]]
        elif found := COUNTED.search(line):
            output.counted = int(found[1])
        elif found := REQUESTS.search(line):
            output.requests = int(found[1])
        elif found := ACHIEVED.search(line):
            output.achieved = float(found[1])
        elif found := REFUSED.search(line):
            output.refused = int(found[1])
        elif SOCKET.search(line):
            output.socket_errors = sum(int(count) for count in re.findall(r"\d+", line))
    return output
