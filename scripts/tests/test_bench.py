# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run and print what they measured; that takes minutes, so only scripts/test --all does it."""

import subprocess

import pytest
from lablib.paths import ROOT

pytestmark = pytest.mark.long


def test_quick_benchmark_with_rocksdb():
    run = subprocess.run([ROOT / "scripts/bench", "--stores", "rocksdb", "--value-bytes", "690"], capture_output=True, text=True, timeout=900, check=False)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for workload in (
        "fill-random",
        "get-existing, as filled",
        "get-missing, compacted",
        "scan",
        "mixed",
        "fill-sequential",
        "fill-synced, 16 threads",
        "bytes written / user bytes",
        "disk / user bytes, compacted",
    ):
        line = next(line for line in lines if line.startswith(workload))
        assert float(line.split("[")[0].split()[-1]) > 0, line  # an interval may stand behind it
    assert "not kept: only a full run of all stores is" in lines
    assert not (ROOT / ".lab/bench/rocksdb").exists(), "the stores go when they were measured"


def test_quick_benchmark_of_the_load_generator():
    run = subprocess.run([ROOT / "scripts/bench", "load"], capture_output=True, text=True, timeout=900, check=False)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for figure in (
        "static GET, highest rate sustained",
        "counter PUT in Lua, 690 bytes, CPU a request",
        "send lag p99",
        "stall: answered / planned",
        "plan: worst deviation",
    ):
        assert any(line.startswith(figure) for line in lines), run.stdout


def test_quick_benchmark_of_the_server():
    run = subprocess.run([ROOT / "scripts/bench", "server", "--parts", "put"], capture_output=True, text=True, timeout=900, check=False)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for figure in ("PUT knee, p99 below 10 ms: ours / wire", "PUT at half the knee: p99 of ours / wire's", "PUT at half the knee: heap bytes a request"):
        line = next(line for line in lines if line.startswith(figure))
        assert float(line.split()[-1]) > 0, line
    assert any("%  system calls: writing" in line for line in lines), run.stdout
    assert not [left for left in (ROOT / ".lab/bench").glob("*") if left.name.startswith(("ours", "wire"))], "the stores go when they were measured"
