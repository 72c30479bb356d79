# SPDX-License-Identifier: Apache-2.0
"""scripts/lab server --engine cassandra: real nodes behind the lab's contract."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time

import psutil
import pytest
from answers import request
from lablib import setup
from lablib.cassandra import JAR
from lablib.loaded import free_port
from lablib.paths import ROOT

GONE_SECONDS = 10
ANSWER_SECONDS = 30


@pytest.fixture(scope="module", autouse=True)
def cassandra():
    """Fetched where that can be done."""
    made = subprocess.run([ROOT / "scripts/lab", "setup", "--engine", "cassandra"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if made.returncode and "no network" in made.stdout:
        pytest.skip(f"Cassandra can't be fetched here: {made.stdout}")
    assert made.returncode == 0, made.stdout


@contextlib.contextmanager
def cluster(data, nodes):
    """The running script, and its port."""
    port = free_port()
    command = [ROOT / "scripts/lab", "server", "--engine", "cassandra", "--nodes", str(nodes), "--port", str(port), "--data", str(data)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    said = []
    try:
        while not any(" serves " in line for line in said):
            said.append(run.stdout.readline())
            assert said[-1], "".join(said)
        yield run, port
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def processes(run):
    return psutil.Process(run.pid).children(recursive=True)


def assert_gone(those):
    deadline = time.monotonic() + GONE_SECONDS
    while left := [one for one in those if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]:
        assert time.monotonic() < deadline, [one.cmdline()[:3] for one in left]
        time.sleep(0.1)


def soon(port, path, status):
    """Asks until this is the answer's status: the nodes take their time to notice that one is dead."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while (answer := request(port, "GET", path))[0] != status:
        assert time.monotonic() < deadline, answer
        time.sleep(0.2)


def test_one_node_keeps_the_contract_and_its_data(tmp_path):
    with cluster(tmp_path, 1) as (run, port):
        assert request(port, "GET", "/v0/entity?id=life")[0] == 404
        assert request(port, "PUT", "/v0/entity?id=life", b"one") == (201, "")
        assert request(port, "PUT", "/v0/entity?id=life", b"two") == (201, "")
        assert request(port, "GET", "/v0/entity?id=life") == (200, "two")
        assert request(port, "DELETE", "/v0/entity?id=life") == (202, "")
        assert request(port, "DELETE", "/v0/entity?id=never") == (202, "")
        assert request(port, "GET", "/v0/entity?id=life")[0] == 404
        assert request(port, "PUT", "/v0/entity?id=empty", b"") == (201, "")
        assert request(port, "GET", "/v0/entity?id=empty") == (200, "")
        assert request(port, "PUT", "/v0/entity?id=%D0%BA%F0%9F%94%91", b"key") == (201, "")
        assert request(port, "GET", "/v0/entity?id=%D0%BA%F0%9F%94%91&ack=1&from=1") == (200, "key")
        for path, status in {
            "/v0/entity": 400,
            "/v0/entity?id=": 400,
            "/v0/entity?id=a&ack=0": 400,
            "/v0/entity?id=a&ack=2": 400,
            "/v0/entity?id=a&from=2": 400,
            "/abracadabra": 400,
            "/v0/entities?start=a": 501,
            "/v0/entities": 400,
            "/v0/status": 200,
            "/metrics": 200,
        }.items():
            assert request(port, "GET", path)[0] == status, path
        assert request(port, "POST", "/v0/entity?id=a", b"x")[0] == 405
        stats = json.loads(request(port, "GET", "/v0/stats")[1])
        assert stats["nodes"][0]["alive"]
        assert stats["engine"]["puts"] >= 6 and stats["engine"]["gets"] >= 5, "a delete is a write, too"
        assert stats["engine"]["cpuNanos"] > 0 and stats["engine"]["memtableBytes"] > 0
        those = processes(run)
        run.send_signal(signal.SIGTERM)
        assert run.wait(timeout=60) == 0
        assert_gone(those)
    with cluster(tmp_path, 1) as (_, port):
        assert request(port, "GET", "/v0/entity?id=empty") == (200, "")


@pytest.mark.long
def test_the_contract_tests_of_the_server_pass(tmp_path):
    """All but those of what only the lab's own store has: ranges, its statistics and metrics, the size of a body that it was started with."""
    with cluster(tmp_path, 1) as (_, port):
        tests = [
            "-Dtest=none",
            "-Dit.test=ContractIT",
            "-Dgroups=!own-store",
            "-Dsurefire.failIfNoSpecifiedTests=false",
            "-Dfailsafe.failIfNoSpecifiedTests=false",
        ]
        served = [f"-Dlsmlab.served={port}", "-Dbuild.folder=target/cassandra"]
        assert setup.everything().maven("-q", "-pl", "storage,server", *tests, *served, "verify") == 0


@pytest.mark.long
def test_another_facade_goes_to_nodes_that_run(tmp_path):
    with cluster(tmp_path, 1) as (_, port):
        contact = json.loads(request(port, "GET", "/v0/stats")[1])["nodes"][0]["cql"]
        other = free_port()
        java = setup.everything().jdk.home / "bin/java"
        command = [java, "-jar", JAR, f"--contact={contact}", "--nodes=1", "--consistency=one", f"--port={other}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as facade:
            assert " serves the nodes of Cassandra at " in facade.stdout.readline()
            assert request(other, "PUT", "/v0/entity?id=a", b"there") == (201, "")
            assert request(port, "GET", "/v0/entity?id=a") == (200, "there")
            facade.terminate()


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_it_and_it_starts_again(tmp_path, how):
    with cluster(tmp_path, 3) as (run, port):
        assert request(port, "PUT", "/v0/entity?id=a&ack=3", b"kept") == (201, "")
        nodes = json.loads(request(port, "GET", "/v0/stats")[1])["nodes"]
        those = processes(run)
        run.send_signal(how)
        assert_gone(those)
        for taken in [f"127.0.0.1:{port}", *(node["cql"] for node in nodes), *(f"127.0.0.1:{node['jmxPort']}" for node in nodes)]:
            host, number = taken.split(":")
            with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
                probe.connect((host, int(number)))
    with cluster(tmp_path, 3) as (_, port):
        assert request(port, "GET", "/v0/entity?id=a") == (200, "kept")


@pytest.mark.long
def test_three_nodes_and_what_they_answer_without_one_and_without_two(tmp_path):
    with cluster(tmp_path, 3) as (run, port):
        for served in ["&ack=3", "", "&ack=1&from=3", "&ack=2&from=3", "&replicas=3/3"]:
            assert request(port, "PUT", f"/v0/entity?id=a{served}", b"x") == (201, ""), served
            assert request(port, "GET", f"/v0/entity?id=a{served}")[0] == 200, served
        for each_key_is_everywhere in ["&replicas=1/2", "&from=2", "&ack=1&from=1", "&ack=1&from=2"]:
            assert request(port, "PUT", f"/v0/entity?id=a{each_key_is_everywhere}", b"x")[0] == 501, each_key_is_everywhere
        for bad in [
            "&ack=0&from=3",
            "&ack=4",
            "&ack=3&from=2",
            "&from=4",
            "&from=0",
            "&ack=&from=3",
            "&ack=two",
            "&replicas=0/3",
            "&replicas=",
            "&replicas=1/1&ack=1",
        ]:
            assert request(port, "GET", f"/v0/entity?id=a{bad}")[0] == 400, bad
        assert request(port, "PUT", "/v0/entity?id=a", b"x") == (201, "")
        nodes = [psutil.Process(node["pid"]) for node in json.loads(request(port, "GET", "/v0/stats")[1])["nodes"]]
        nodes[2].kill()
        soon(port, "/v0/entity?id=a", 200)
        assert request(port, "PUT", "/v0/entity?id=a", b"y") == (201, "")
        soon(port, "/v0/entity?id=a&ack=3", 503)
        nodes[1].kill()
        soon(port, "/v0/entity?id=a", 503)
        soon(port, "/v0/entity?id=a&ack=1", 200)
        nodes[0].suspend()
        those = processes(run)
        os.kill(next(one.pid for one in [psutil.Process(run.pid), *those] if "lsm-cassandra.jar" in " ".join(one.cmdline())), signal.SIGKILL)
        assert_gone(those)
