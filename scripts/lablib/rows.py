# SPDX-License-Identifier: Apache-2.0
"""The rows of data/results: those of benchmarks are written here, and scripts/lab diff shows two side by side. Needs nothing but the project's files."""

import base64
import csv
import datetime
import json
import os
import platform
import re
import subprocess
import zlib
from pathlib import Path

from lablib.files import write_whole
from lablib.paths import ROOT
from lablib.problem import Problem

RESULTS = ROOT / "data/results"
SUPERSEDED = ROOT / "data/superseded.csv"


def stored() -> list[Path]:
    """All rows, the newest last."""
    return sorted(RESULTS.glob("*/*/*.json"), key=lambda path: (path.parts[-3], path.stem[-7:]))


def beside(path: Path) -> Path:
    """What is too bulky for a row; there may be none."""
    return path.with_name(f"{path.stem}.more.json.gz")


def superseded() -> list[dict[str, str]]:
    """Rows that left the tree: `row`, the `commit` that still holds it, `utc`, `machine`, and what it `found`."""
    return list(csv.DictReader(SUPERSEDED.read_text().splitlines())) if SUPERSEDED.exists() else []


def keep(experiment: str, jdk: str, fields: dict) -> Path:
    """Writes a benchmark's row, with what it was measured on; returns its file."""
    about = machine(jdk)
    folder = re.sub("[^a-z0-9]+", "-", f"{about['cpu']}, {about['cores']} cores".lower())
    now = datetime.datetime.now(datetime.UTC)
    row = {"experiment": experiment, "mode": "full", "utc": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "machine": about} | fields
    path = RESULTS / now.strftime("%Y%m%d") / folder / f"{experiment}-{now.strftime('%H%M%S')}Z.json"
    write_whole(path, json.dumps(row))
    return path


def machine(jdk: str) -> dict[str, str]:
    try:
        cpu = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        cpu = None
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return {"cpu": cpu[1].strip() if cpu else platform.processor() or "unknown CPU", "cores": str(os.cpu_count()), "jdk": jdk, "git": git}


def found(written: list[str]) -> tuple[Path, Path]:
    """The two rows that were meant."""
    if len(written) == 1:
        same = [path for path in stored() if path.name.startswith(written[0])]
        if len(same) < 2:
            if not same and any(written[0] in str(path.relative_to(RESULTS)) for path in stored()):
                raise Problem(f"{one(written[0]).name} is one row; name a second one")
            raise Problem(f"{len(same)} rows of {written[0]} are stored; name two rows")
        return same[-2], same[-1]
    if len(written) != 2:
        raise Problem("name two rows, or one experiment for its newest two")
    return one(written[0]), one(written[1])


def one(written: str) -> Path:
    if Path(written).is_file():
        return Path(written)
    fitting = [path for path in stored() if written in str(path.relative_to(RESULTS))]
    left = [each for each in superseded() if written in each["row"]]
    if not fitting and left:
        raise Problem(f"{left[-1]['row']} has left the tree; git show {left[-1]['commit']}:{left[-1]['row']} > A-FILE brings it back, then name that file")
    if len(fitting) != 1:
        names = ", ".join(path.name for path in fitting or stored())
        raise Problem(f"{written} is {'no row' if not fitting else 'more than one row'}: {names}")
    return fitting[0]


def compare(written: list[str]) -> None:
    before, after = found(written)
    rows = [read(path) for path in (before, after)]
    for name, path, row in zip("AB", (before, after), rows, strict=True):
        machine = row.get("machine", {})
        print(
            f"{name}: {path.name}, {row.get('utc', '?')}, {machine.get('cpu', '?')}, {machine.get('cores', '?')} cores, JDK {machine.get('jdk', '?')}, {machine.get('git', '?')}"
        )
    measured = [numbers(row) for row in rows]
    names = [name for name in measured[0] if name in measured[1]]
    if not names:
        raise Problem("they measured nothing of the same name")
    width = max(map(len, names))
    print(f"\n{'':{width}} {'A':>12} {'B':>12} {'B / A':>8}")
    for name in names:
        a, b = measured[0][name], measured[1][name]
        print(f"{name:{width}} {short(a):>12} {short(b):>12} {short(b / a) if a and b is not None and a is not None else '–':>8}")
    for letter, own, other in (("A", *measured), ("B", *reversed(measured))):
        alone = [name for name in own if name not in other]
        if alone:
            print(f"\nonly in {letter}: " + "; ".join(alone))
    verdicts = [{verdict["claim"]: verdict["verdict"] for verdict in row.get("verdicts", [])} for row in rows]
    for claim in verdicts[0].keys() & verdicts[1].keys():
        if verdicts[0][claim] != verdicts[1][claim]:
            print(f"\nclaim {claim}: {verdicts[0][claim]} in A, {verdicts[1][claim]} in B")
    print("\nTwo runs of the same differ, too: a ratio is a finding only where it is larger than what a row and its repetition differ by.")


def read(path: Path) -> dict:
    try:
        row = json.loads(path.read_text())
        row = unpacked(row) if isinstance(row, dict) else None
    except (ValueError, OSError, zlib.error):
        row = None
    if row is None or "experiment" not in row:
        raise Problem(f"{path} is no row, or a damaged one; git checkout brings a row of the project back")
    return row


def numbers(row: dict) -> dict[str, float | None]:
    """What a row measured, by name: counters, then processor time, then what clients see."""
    counters, costs, found = {}, {}, {}
    for run in row.get("runs", []):
        result = unpacked(run["result"])
        label = run["label"]
        engine = run.get("engine", {})
        if engine.get("gets"):
            counters[f"{label}: tables asked per GET"] = engine.get("tablesAsked", 0) / engine["gets"]
        if writes := engine.get("puts", 0) + engine.get("deletes", 0):
            counters[f"{label}: bytes written per PUT"] = sum(engine.get(name, 0) for name in ("logBytes", "flushedBytes", "compactionWrittenBytes")) / writes
        if result["achievedPerSecond"]:
            costs[f"{label}: CPU of the server a request, us"] = 1e6 * run["serverCpuShare"] / result["achievedPerSecond"]
        found[f"{label}: answered, /s"] = result["achievedPerSecond"]
        for percentile, quantile in (("p50", 0.5), ("p99", 0.99)):
            found[f"{label}: {percentile}, ms"] = next((point["ms"] for point in result["response"]["spectrum"] if point["quantile"] >= quantile - 1e-9), None)
    for knee in row.get("knees", []):
        name, value = knee_of(knee)
        found[f"{knee['label']}: {name}"] = value
    return counters | costs | found


def knee_of(knee: dict) -> tuple[str, float | None]:
    """Its name with the service level, and requests a second. Rows from before the fitted knee have the highest rate that was sustained, however late the answers were."""
    if "held" in knee:
        return "throughput limit, /s", knee["held"]["result"]["requestedPerSecond"]
    search = knee["search"]
    per_second = search["knees"][0]["perSecond"]
    return f"knee (p{search['percentile']:g} below {search['boundMs']:g} ms), /s", per_second and per_second["median"]


def unpacked(content: dict) -> dict:
    """A row, or a run's result, with what is kept compressed in it."""
    return content | json.loads(zlib.decompress(base64.b64decode(content["packed"]))) if "packed" in content else content


def packed(content: dict) -> str:
    """What `unpacked` finds again under the name "packed"."""
    return base64.b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode()


def short(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
