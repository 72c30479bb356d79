# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs every workload on this engine and another store and prints the ratios; that takes minutes, so only scripts/test --all does it."""

import os
import subprocess

import pytest

from lablib.paths import ROOT


@pytest.mark.skipif(os.environ.get("LSM_LAB_ALL_TESTS") != "1", reason="scripts/test --all runs it")
def test_quick_benchmark_with_rocksdb():
    run = subprocess.run([ROOT / "scripts/bench", "--stores", "rocksdb", "--value-bytes", "690"],
                         capture_output=True, text=True, timeout=900, check=False)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for workload in ("fill-random", "get-existing, as filled", "get-missing, compacted", "scan", "mixed", "fill-sequential",
                     "fill-synced, 16 threads", "bytes written / user bytes", "disk / user bytes, compacted"):
        line = next(line for line in lines if line.startswith(workload))
        assert float(line.split()[-1]) > 0, line
    assert "not kept: only a full run of all stores is" in lines
    assert not (ROOT / ".lab/bench/rocksdb").exists(), "the stores go when they were measured"
