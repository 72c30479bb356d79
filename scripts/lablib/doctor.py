# SPDX-License-Identifier: Apache-2.0
"""scripts/lab doctor: what was found on this machine, a line each, and what is missing."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from lablib import cassandra
from lablib.browser import find_chromium
from lablib.environment import Environment, find_jdk
from lablib.paths import JARS, ROOT, STATE
from lablib.problem import Problem
from lablib.setup import JarStep, PythonStep


def report() -> int:
    """Prints the findings; returns 1 when the lab can't run here, else 0."""
    environment = Environment.read()
    line("system", f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} cores")
    free = shutil.disk_usage(ROOT).free
    line("disk", f"{free / 1e9:.0f} GB free")
    line("Python", f"{platform.python_version()} at {sys.executable}")
    try:
        jdk = find_jdk(environment.java_major)
    except Problem as problem:
        line("JDK", str(problem))
        return 1
    line("JDK", f"{jdk.version} at {jdk.home}")
    python = PythonStep(environment)
    line("Python environment", f"{'ready' if python.is_done() else 'to be made by scripts/lab setup'}, {python.folder}")
    line("jars", "ready" if JarStep(jdk).is_done() else "to be built by scripts/lab setup")
    line("load generator", generator())
    line("profiler engine", profiler_engine())
    line("server sockets", sockets(jdk))
    line("noise floor", *noise_floor(jdk))
    line("Cassandra", cassandra.found())
    line("browser for tests", str(find_chromium() or "no Chromium found: browser tests are skipped"))
    return 0


def line(what: str, *found: str) -> None:
    for text in found:
        print(f"{what + ':':20} {text}", flush=True)


def generator() -> str:
    """The same choice as the lab's Generator makes."""
    chosen = os.environ.get("WRK2")
    if chosen == "wrk2.jar":
        return "the lab's own wrk2.jar, as $WRK2 says"
    for program in [chosen] if chosen else [shutil.which("wrk2"), shutil.which("wrk")]:
        if program and "--rate" in output([program, "--help"]):
            return f"real wrk2, {program}"
    return f"none: $WRK2 is {chosen}, which is no wrk2" if chosen else "the lab's own wrk2.jar"


def profiler_engine() -> str:
    try:
        paranoid = int(Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    except OSError:
        return "async-profiler without perf_events: cpu profiles show no kernel frames"
    return f"async-profiler, perf_event_paranoid is {paranoid}: " + (
        "cpu profiles may show kernel frames" if paranoid < 2 or os.geteuid() == 0 else "cpu profiles show user frames only"
    )


def sockets(jdk) -> str:
    """What one-nio's native library finds here, asked of the server jar itself."""
    if not JARS[0].exists():
        return "known once the jars are built"
    found = output(
        [
            str(jdk.home / "bin/java"),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            f"-Djava.io.tmpdir={scratch()}",
            "-XX:-UsePerfData",
            "-jar",
            str(JARS[0]),
            "--version",
        ]
    )
    return found.strip().rpartition("\n")[2] or "unknown: the server jar does not run"


def noise_floor(jdk) -> list[str]:
    """What the lab's own comparison makes of a server and itself, a line each; about five seconds."""
    if not all(jar.exists() for jar in JARS):
        return ["known once the jars are built"]
    java = [str(jdk.home / "bin/java"), f"-Djava.io.tmpdir={scratch()}", "-XX:-UsePerfData", "-cp", str(JARS[2])]
    found = output([*java, "lsmlab.lab.measure.NoiseFloor"], LSM_LAB_ROOT=str(ROOT))
    return found.strip().splitlines() or ["unknown: the lab's jar does not run"]


def scratch() -> Path:
    tmp = STATE / "tmp"
    tmp.mkdir(parents=True, exist_ok=True)
    return tmp


def output(command: list[str], **variables: str) -> str:
    try:
        return subprocess.run(command, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
