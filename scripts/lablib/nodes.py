# SPDX-License-Identifier: Apache-2.0
"""Servers for people without notebooks: one, or a local cluster, until Ctrl-C."""

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import threading

from lablib.paths import JARS, STATE
from lablib.problem import Problem
from lablib.tools import Tools


class Node:
    """One server process; what it says is printed behind its port."""

    def __init__(self, tools: Tools, port: int, data: pathlib.Path, heap: str, options: list[str]):
        self.port = port
        java = [str(tools.jdk.home / "bin/java"), f"-Xmx{heap}", "--sun-misc-unsafe-memory-access=allow", f"-Djava.io.tmpdir={STATE / 'tmp'}"]
        self.command = [*java, "-jar", str(JARS[0]), "--port", str(port), "--data", str(data), *options]
        # A group of its own: Ctrl-C is for this script, which then asks the nodes to stop.
        self.process = subprocess.Popen(
            [*self.command, "--exit-with", str(os.getpid())], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        self.printer = threading.Thread(target=self.print_output, daemon=True)
        self.printer.start()

    def print_output(self) -> None:
        for line in self.process.stdout:
            print(f"[{self.port}] {line.rstrip()}", flush=True)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()


def serve(tools: Tools, count: int, first_port: int, data: pathlib.Path, heap: str, options: list[str]) -> None:
    """Returns when all nodes have ended: after Ctrl-C or TERM, or because each of them did."""
    ports = range(first_port, first_port + count)
    if count > 1:
        options = ["--cluster", ",".join(f"http://localhost:{port}" for port in ports), *options]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where a shell starts this in the background
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    nodes = [Node(tools, port, data / f"node-{port}" if count > 1 else data, heap, options) for port in ports]
    try:
        watch(nodes)
    except (KeyboardInterrupt, SystemExit):
        print("lsm-lab: stopping", flush=True)
    finally:
        for node in nodes:
            node.stop()
        for node in nodes:
            node.process.wait()
            node.printer.join()
    if any(node.process.returncode not in (0, -signal.SIGKILL) for node in nodes):
        raise Problem("a server ended with an error, see above; scripts/lab server --options lists the options of servers")


def watch(nodes: list[Node]) -> None:
    """A node that was killed is an experiment, and the others go on; one that could not serve ends them all."""
    running = list(nodes)
    while running:
        pid, status = os.waitpid(-1, 0)
        node = next(node for node in running if node.process.pid == pid)
        running.remove(node)
        node.process.returncode = os.waitstatus_to_exitcode(status)
        if node.process.returncode > 0:
            return
        print(f"lsm-lab: the server on port {node.port} ended ({node.process.returncode}); to start it again:\n  {shlex.join(node.command)}", flush=True)
