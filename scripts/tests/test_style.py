# SPDX-License-Identifier: Apache-2.0
"""Layout and habits of the Python code; ruff.toml has the rules."""

import subprocess
import sys

import pytest
from lablib.paths import ROOT


@pytest.mark.parametrize("arguments", [["check", "--quiet"], ["format", "--check", "--quiet"]])
def test_ruff_has_nothing_to_say(arguments):
    run = subprocess.run([sys.executable, "-m", "ruff", *arguments, "--no-cache", "scripts"], cwd=ROOT, text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
