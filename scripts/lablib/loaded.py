# SPDX-License-Identifier: Apache-2.0
"""Servers, loads and a disturber, for measurements outside of notebooks."""

import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

from lablib.paths import JARS, ROOT, STATE
from lablib.problem import Problem
from lablib.tools import Tools

FOLDER = STATE / "bench/measuring"
RECORDS = 20_000
CONNECTIONS = 16
STARTED_SECONDS = 30
BURSTS_SECONDS = (0.05, 0.5)
BURNT_SHARE = 0.3


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stats(url: str) -> dict:
    """What /v0/stats of a server shows."""
    return json.loads(urllib.request.urlopen(f"{url}/v0/stats", timeout=10).read())


class Server:
    """A server process with an empty folder for its data, on a port of its own."""

    def __init__(self, tools: Tools, name: str, *options: str, jvm: tuple[str, ...] = ()):
        data = FOLDER / f"data-{name}"
        shutil.rmtree(data, ignore_errors=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        java = [str(tools.jdk.home / "bin/java"), "-Xmx256m", "--sun-misc-unsafe-memory-access=allow", f"-Djava.io.tmpdir={STATE / 'tmp'}", *jvm]
        command = [*java, "-jar", str(JARS[0]), "--port", str(self.port), "--data", str(data), "--exit-with", str(os.getpid()), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + STARTED_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise Problem(f"the server '{name}' did not start: {' '.join(command)}")
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/v0/status", timeout=1).read()
        except urllib.error.HTTPError:
            return True  # an answer, too
        except OSError:
            return False
        return True

    def stats(self) -> dict:
        return stats(self.url)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def servers(*started: Callable[[], Server]) -> Iterator[list[Server]]:
    running: list[Server] = []
    try:
        for start in started:
            running.append(start())
        yield running
    finally:
        for server in running:
            server.stop()


def wrk2(tools: Tools, script: str, targets: list[Server], *options: str, yardstick: Server | None = None) -> dict:
    """What the generator wrote as JSON; several targets are loaded in turns."""
    out = FOLDER / "found.json"
    processes = [*targets, *([yardstick] if yardstick else [])]
    command = [
        *(
            str(tools.jdk.home / "bin/java"),
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
        ),
        *("-jar", str(JARS[1]), f"-c{CONNECTIONS}", "-t1", "--json", str(out), "--exit-with", str(os.getpid()), *options),
    ]
    if "--rounds" in options or "--knee" in options:
        command += ["--pids", ",".join(str(server.process.pid) for server in processes)]
    if yardstick:
        command += ["--yardstick", yardstick.url]
    command += ["-s", str(ROOT / "scripts/wrk2" / script), *(target.url for target in targets), "--", str(RECORDS) if script.startswith("get") else "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"wrk2.jar failed: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(out.read_text())


def filled(tools: Tools, server: Server) -> None:
    wrk2(tools, "put-sequential.lua", [server], "-R20000", "-d2s")


@contextlib.contextmanager
def disturber(wanted: bool) -> Iterator[None]:
    """Another process that burns a share of a core in bursts."""
    burning = subprocess.Popen([sys.executable, "-c", "from lablib.loaded import burn; burn()"], env=os.environ, cwd=ROOT / "scripts") if wanted else None
    try:
        yield
    finally:
        if burning:
            burning.kill()
            burning.wait()


def burn() -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        seconds = random.uniform(*BURSTS_SECONDS)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        time.sleep(seconds * (1 - BURNT_SHARE) / BURNT_SHARE)
