# SPDX-License-Identifier: Apache-2.0
"""scripts/bench measuring: does the lab's measuring say the same twice? Repeats each kind of measurement and counts. Each repetition is kept when it ends."""

import argparse
import contextlib
import json
import math
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lablib import repeated, rows, turn
from lablib.files import digest_of_jars, read_note, write_whole
from lablib.loaded import FOLDER, Server, disturber, filled, servers, wrk2
from lablib.paths import ENGINE, JARS, NOTEBOOKS, ROOT
from lablib.problem import Problem
from lablib.tools import Tools

PLANTED = 1.05
PLANTED_ROUNDS = 60  # at each of the starts: another start of the same servers differs by some percent
PLANTED_STARTS = 2
CALIBRATION_STEPS = 6  # what is planted is not what is measured: a server that is busier waits less often
CALIBRATION_STARTS = 4
CLOSE = 0.007  # of the ratio that is to be planted; about what the calibration itself knows
MEASURES = ("cpuMicrosPerRequest", "throughput", "p50Ms", "p99Ms")


def intervals(found: dict) -> dict[str, dict]:
    """The ratios of the second target to the first, by measure."""
    return {ratio["measure"]: {"median": ratio["median"], "low": ratio["low"], "high": ratio["high"]} for ratio in found["ratios"]}


def same(tools: Tools, times: int) -> Iterator[dict]:
    with servers(lambda: Server(tools, "same")) as (server,):
        filled(tools, server)
        for _ in range(times):
            found = wrk2(tools, "get-random.lua", [server, server], "--closed", "--rounds", "16", "--slice", "100ms", "--warmup", "500ms")
            yield intervals(found) | {"lostShare": found["method"]["lostShare"]}


def knees(tools: Tools, times: int) -> Iterator[dict]:
    for _ in range(times):  # other processes each time: a restart is part of what differs
        with servers(lambda: Server(tools, "knee"), lambda: Server(tools, "yardstick", "--store", "constant")) as (server, yardstick):
            filled(tools, server)
            start = time.monotonic()
            found = wrk2(tools, "get-random.lua", [server], "--knee", "p99=10ms", "-d70s", yardstick=yardstick)["knees"][0]
            yield {
                "share": found["share"],
                "words": found["words"],
                "seconds": time.monotonic() - start,
                "trials": trials(found),
            }


def trials(knee: dict) -> list[dict]:
    return [{"level": trial["share"], "held": trial["held"], "disturbed": trial["disturbed"] is not None} for trial in knee["trials"]]


def planted(tools: Tools, times: int) -> Iterator[dict]:
    classes = ENGINE / "bench/target/classes"

    def start(name: str, nanos: float) -> Server:
        options = ("--flush-threshold", "8MB", "--extension", "lsmlab.bench.Planted", "--extension-path", str(classes))  # tables: a memtable has no filter
        return Server(tools, name, *options, jvm=(f"-Dlsmlab.bench.nanos={nanos}",))

    def compared(nanos: float) -> tuple[dict, float]:
        """The ratio of the processor time a GET, and what it is without the difference for each table that is asked, in nanoseconds."""
        with servers(lambda: start("without", 0), lambda: start("planted", nanos)) as both:
            for server in both:
                filled(tools, server)
            found = wrk2(tools, "get-random.lua", both, "--closed", "--rounds", str(PLANTED_ROUNDS), "--slice", "250ms")
            engine = both[0].stats()["engine"]
        micros = statistics.median(each["targetCpuSeconds"] * 1e6 / each["answers"]["requests"] for each in found["slices"] if each["turn"]["target"] == 0)
        return intervals(found)["cpuMicrosPerRequest"], 1_000 * micros * engine["gets"] / engine["tablesAsked"]

    nanos = calibrated(compared, (PLANTED - 1) * compared(0)[1])
    for _ in range(times):
        start_seconds = time.monotonic()
        found = repeated.combined([compared(nanos)[0] for _ in range(PLANTED_STARTS)])
        yield {"cpuMicrosPerRequest": found, "nanos": nanos, "seconds": time.monotonic() - start_seconds}


def calibrated(compared: Callable[[float], tuple[dict, float]], guess: float) -> float:
    """How much to plant, between two amounts one of which is too little and one too much, by a straight line."""
    tried: dict[float, float] = {}
    nanos = guess
    for step in range(CALIBRATION_STEPS):
        tried[nanos] = repeated.combined([compared(nanos)[0] for _ in range(CALIBRATION_STARTS)])["median"]
        print(f"planted: {nanos:.0f} ns a table make a ratio of {tried[nanos]:.4f}, calibration {step + 1}", flush=True)
        if abs(tried[nanos] - PLANTED) < CLOSE:
            break
        below = max((each for each in tried if tried[each] < PLANTED), default=0)
        above = min((each for each in tried if tried[each] > PLANTED), default=None)
        low = tried.get(below, 1)
        nanos = 2 * below if above is None else below + (above - below) * (PLANTED - low) / (tried[above] - low)
    return nanos


def quick(tools: Tools, times: int) -> Iterator[dict]:
    """01 in quick mode with one cell more, which writes what was measured."""
    out = FOLDER / "quick.json"
    notebook = json.loads((NOTEBOOKS / "01-block-size.ipynb").read_text())
    last = next(number for number, cell in enumerate(notebook["cells"]) if "Lab.save(" in "".join(cell["source"]))
    more = {"cell_type": "code", "id": "measured", "metadata": {}, "execution_count": None, "outputs": [], "source": QUICK_CELL.replace("FILE", str(out))}
    notebook["cells"].insert(last, more)
    path = FOLDER / "01-measured.ipynb"
    write_whole(path, json.dumps(notebook))
    for _ in range(times):
        start = time.monotonic()
        done = subprocess.run(
            [str(tools.python), "-m", "lablib.notebooks", "quick", str(path)],
            cwd=ROOT / "scripts",
            env=tools.variables(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise Problem(f"01 failed in quick mode:\n{done.stdout[-2000:]}")
        found = json.loads(out.read_text())
        yield {
            "seconds": time.monotonic() - start,
            "cpu": found["cpu"],
            "ratios": found["compared"]["found"]["ratios"],
            "rounds": round_ratios(found["compared"]),
            "knees": {name: found[name]["search"]["knees"][0] | {"trials": trials(found[name]["search"]["knees"][0])} for name in ("get1", "get8")},
            "over": found["over"],
            "claims": found["claims"],
            "measured": found["measured"],
            "tablesAsked": found["tablesAsked"],
            "machine": found["machine"],
        }


QUICK_CELL = """
var checks = List.of(claim1, claim2, claim3, claim4, claim5);
lsmlab.lab.environment.Json.MAPPER.writeValue(new java.io.File("FILE"), Map.of("compared", cost, "cpu", cost.interval(1, "cpuMicrosPerRequest"),
    "get1", knees[0], "get8", knees[1], "over", knees[1].over(knees[0]),
    "claims", checks.stream().collect(Collectors.toMap(check -> check.claim().id(), check -> check.outcome().toString())),
    "measured", checks.stream().collect(Collectors.toMap(check -> check.claim().id(), check -> check.measured())),
    "tablesAsked", Stream.of(felt).map(run -> run.perGet("tablesAsked")).toList(), "machine", Generator.conditions()));
"""


def round_ratios(compared: dict) -> list[float]:
    """Processor time a request of the second server over the first, of each round whose last slices were undisturbed."""
    last = {}
    for each in compared["found"]["slices"]:
        last[each["turn"]["round"], each["turn"]["target"]] = each
    clean = {key: each for key, each in last.items() if each["disturbed"] is None}
    cpu = {key: each["targetCpuSeconds"] / each["answers"]["requests"] for key, each in clean.items()}
    return [cpu[number, 1] / cpu[number, 0] for number, target in cpu if target == 1 and (number, 0) in cpu]


def graded(name: str) -> Callable[[Tools, int], Iterator[dict]]:
    """An assignment's right submission and the slow one that must fail."""

    def grading(tools: Tools, times: int) -> Iterator[dict]:
        for _ in range(times):
            yield {kind: grade(tools, name, kind) for kind in ("right", "slow")}

    return grading


def grade(tools: Tools, name: str, kind: str) -> str:
    done = subprocess.run(
        [str(tools.python), "-m", "lablib.assignments", "check", name, "--only", kind],
        cwd=ROOT / "scripts",
        env=tools.variables(),
        capture_output=True,
        text=True,
        check=False,
    )
    line = next((line for line in done.stdout.splitlines() if name in line), done.stdout[-300:])
    return "ok" if line.startswith("ok") else "inconclusive" if "given inconclusive" in line else "wrong"


@dataclass(frozen=True)
class Part:
    """A kind of measurement, how often it is repeated, and whether it is a notebook's, which uses the lab's jar, too, and waits its turn by itself."""

    measure: Callable[[Tools, int], Iterator[dict]]
    times: int
    in_notebook: bool = False
    disturbed: bool = False

    def jars(self) -> str:
        """Changes when what is in the jars does that this measures with."""
        return digest_of_jars(JARS if self.in_notebook else JARS[:2])


PARTS = {
    "same": Part(same, 200),
    "knees": Part(knees, 20),
    "knees-disturbed": Part(knees, 20, disturbed=True),
    "planted": Part(planted, 20),
    "quick": Part(quick, 10, in_notebook=True),
    "grading-3": Part(graded("03-backpressure"), 20, in_notebook=True),
    "grading-4": Part(graded("04-admission"), 20, in_notebook=True),
}


def kept(name: str) -> dict:
    """`found` with today's jars, here or in a stored row, which may be of another machine: the same sources make the same jars everywhere."""
    jars = PARTS[name].jars()
    states = [read_note(FOLDER / f"{name}.json", {}), *stored(name)]
    return next((state for state in states if state.get("jars") == jars), {"jars": jars, "found": []})


def stored(name: str) -> Iterator[dict]:
    """A part's rows, the newest first."""
    for path in reversed(rows.stored()):
        if path.name.startswith("bench-measuring-") and (row := rows.read(path)).get("part") == name:
            yield row


def run(tools: Tools, name: str) -> list[dict]:
    part = PARTS[name]
    state = kept(name)
    left = part.times - len(state["found"])
    if left > 0:
        with contextlib.nullcontext() if part.in_notebook else turn.held(f"scripts/bench measuring, {name}"), disturber(part.disturbed):
            start = time.monotonic()
            for number, found in enumerate(part.measure(tools, left), 1):
                state["found"].append(found)
                write_whole(FOLDER / f"{name}.json", json.dumps(state))
                minutes = (time.monotonic() - start) / number * (left - number) / 60
                print(f"{name}: {len(state['found'])} of {part.times}, {math.ceil(minutes)} min left", flush=True)
        print(f"kept as {save(tools, name, state).relative_to(ROOT)}")
    return state["found"]


def figures(name: str, found: list[dict]) -> dict[str, object]:
    """What the repetitions say, by the words of the table of figures."""
    if name == "same":
        return {
            f"comparisons with itself that differ, {measure}": f"{sum(not repeated.holds(each[measure], 1) for each in found)} of {len(found)}"
            for measure in MEASURES
        } | {"time lost between slices, median": round(statistics.median(each["lostShare"] for each in found), 4)}
    if name.startswith("knees"):
        known = [each for each in found if each["share"]]
        if len(known) < 2:
            return {"without a knee": f"{len(found) - len(known)} of {len(found)}"}
        pooled = repeated.pooled_thresholds([each["trials"] for each in known])
        return {
            "share of the yardstick, standard deviation": round(repeated.deviation([each["share"]["median"] for each in known]), 4),
            "intervals that cover the others' pooled share": f"{repeated.covered([each['share'] for each in known], pooled)} of {len(known)}",
            "half-width, median": round(statistics.median(repeated.half_width(each["share"]) for each in known), 4),
            "seconds, median": round(statistics.median(each["seconds"] for each in known), 1),
            "without a knee": f"{len(found) - len(known)} of {len(found)}",
        }
    if name == "planted":
        cpu = [each["cpuMicrosPerRequest"] for each in found]
        return {
            "planted ratio, median of all": round(statistics.median(each["median"] for each in cpu), 4),
            "found": f"{sum(each['low'] > 1 for each in cpu)} of {len(cpu)}",
            "half-width, median": round(statistics.median(map(repeated.half_width, cpu)), 4),
            "seconds, longest": round(max(each["seconds"] for each in found), 1),
        }
    if name == "quick":
        return quick_figures(found)
    return {
        f"{key} submission graded {outcome}": f"{sum(each[key] == outcome for each in found)} of {len(found)}"
        for key in found[0]
        for outcome in ("wrong", "inconclusive")
    }


def quick_figures(found: list[dict]) -> dict[str, object]:
    shares = {name: repeated.pooled_thresholds([each["knees"][name]["trials"] for each in found]) for name in ("get1", "get8")}
    pooled = [eight / one for one, eight in zip(shares["get1"], shares["get8"], strict=True)]
    rounds = repeated.pooled_ratios([each["rounds"] for each in found])
    cpu = [each["cpu"] for each in found]
    outcomes = {claim: [each["claims"][claim] for each in found] for claim in found[0]["claims"]}
    return {
        "processor time per GET, 8 MB / 1 MB, standard deviation": round(repeated.deviation([each["median"] for each in cpu]), 4),
        "its half-width, median": round(statistics.median(map(repeated.half_width, cpu)), 4),
        "its intervals that cover the others' rounds": f"{repeated.covered(cpu, rounds)} of {len(found)}",
        "claims reproduced in one run and not in another": sum({"YES", "NO"} <= set(all_runs) for all_runs in outcomes.values()),
        "claims that can't be told, of all runs": {claim: f"{all_runs.count('INCONCLUSIVE')} of {len(all_runs)}" for claim, all_runs in outcomes.items()},
        "intervals of the GET knee ratio that cover the pooled ratio": f"{repeated.covered([each['over'] for each in found], pooled)} of {len(found)}",
        "pooled GET knee ratio": round(statistics.median(pooled), 3),
        "tables asked per GET at 1, 8 and 64 MB, least to most": [
            [round(end(asked), 1) for end in (min, max)] for asked in zip(*(each["tablesAsked"] for each in found), strict=True)
        ],
        "seconds, longest": round(max(each["seconds"] for each in found)),
    }


def save(tools: Tools, name: str, state: dict) -> Path:
    """A complete part as a row, with all that its figures are counted from."""
    fields = {"part": name, "jars": state["jars"], "measures": figures(name, state["found"]), "packed": rows.packed({"found": state["found"]})}
    return rows.keep(f"bench-measuring-{name}", tools.jdk.version, fields)


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench measuring",
        description="Repeats each kind of measurement of the lab and counts how often it says the same. Goes on where it stopped, unless the jars are others. "
        "A part that is complete is a row in data/results, and is not measured again with the same jars.",
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="only this one; may be repeated")
    parser.add_argument("--show", action="store_true", help="measure nothing, only show what is there")
    return parser.parse_args(arguments)


def main(options: argparse.Namespace, tools: Tools) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in options.part or PARTS:
        found = kept(name)["found"] if options.show else run(tools, name)
        print(f"\n{name}: {len(found)} of {PARTS[name].times}")
        for what, figure in figures(name, found).items() if len(found) > 1 else ():
            print(f"  {what}: {figure}")
