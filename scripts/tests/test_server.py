# SPDX-License-Identifier: Apache-2.0
"""scripts/lab server: a local cluster without notebooks."""

import re
import signal
import socket
import subprocess

import psutil
import pytest
from answers import request
from lablib.paths import ROOT

FIRST_PORTS = range(21_000, 28_000, 10)


def three_free_ports() -> int:
    for first in FIRST_PORTS:
        sockets = [socket.socket() for _ in range(3)]
        try:
            for offset, probe in enumerate(sockets):
                probe.bind(("127.0.0.1", first + offset))
            return first
        except OSError:
            continue
        finally:
            for probe in sockets:
                probe.close()
    raise AssertionError("no free ports")


@pytest.fixture
def cluster(tmp_path):
    first = three_free_ports()
    run = subprocess.Popen(
        [ROOT / "scripts/lab", "server", "--nodes", "3", "--port", str(first), "--data", str(tmp_path), "--sharding", "ring", "--peer-timeout", "30s"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = []
    while sum(" serves " in line for line in said) < 3:
        said.append(run.stdout.readline())
        assert said[-1], "".join(said)
    yield run, first, said
    run.kill()
    run.wait()


def test_three_nodes_serve_until_ctrl_c_and_one_may_be_killed(cluster):
    run, first, said = cluster
    assert all(f"[{first + node}] lsm-server: http://127.0.0.1:{first + node} serves " in "".join(said) for node in range(3))
    assert request(first, "PUT", "/v0/entity?id=a", b"x")[0] == 201
    assert request(first + 1, "GET", "/v0/entity?id=a&ack=3") == (200, "x")
    nodes = psutil.Process(run.pid).children(recursive=True)
    victim = next(node for node in nodes if str(first + 2) in node.cmdline())
    victim.kill()
    killed = run.stdout.readline()
    assert re.match(rf"lsm-lab: the server on port {first + 2} ended \(-9\); to start it again:", killed), killed
    assert request(first, "GET", "/v0/entity?id=a")[0] == 200
    assert request(first, "GET", "/v0/entity?id=a&ack=3")[0] == 504
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=120) == 0
    assert not [node for node in nodes if node.is_running() and node.status() != psutil.STATUS_ZOMBIE]


def test_no_node_outlives_a_killed_script(cluster):
    run, _, _ = cluster
    nodes = psutil.Process(run.pid).children(recursive=True)
    assert len(nodes) == 3
    run.kill()
    run.wait()  # or it would count as alive
    _, alive = psutil.wait_procs(nodes, timeout=60)
    assert not alive


def test_a_port_in_use_ends_all_with_one_line(tmp_path):
    first = three_free_ports()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first + 1))
        taken.listen()
        run = subprocess.run(
            [ROOT / "scripts/lab", "server", "--nodes", "3", "--port", str(first), "--data", str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert run.returncode == 1
    assert f"port {first + 1} on 127.0.0.1 is in use" in run.stdout
    assert run.stderr.strip().startswith("lsm-lab: a server ended with an error, see above")


def test_wrong_options_are_explained(tmp_path):
    run = subprocess.run(
        [ROOT / "scripts/lab", "server", "--nodes", "2", "--port", str(three_free_ports()), "--data", str(tmp_path), "--sharding", "none"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 1 and "'none' is none of rendezvous, modulo, ring" in run.stdout
    for arguments in (["server", "--nodes", "0"], ["doctor", "--nodes", "2"]):
        run = subprocess.run([ROOT / "scripts/lab", *arguments], capture_output=True, text=True, timeout=300, check=False)
        assert run.returncode == 2 and "usage: scripts/lab" in run.stderr
