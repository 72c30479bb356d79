# SPDX-License-Identifier: Apache-2.0
"""What the tests share: one execution of every notebook, a browser, a JupyterLab."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from lablib import loaded
from lablib.browser import find_chromium
from lablib.paths import NOTEBOOKS, ROOT, notebook_names
from playwright.sync_api import sync_playwright

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


CASSANDRA = "12-a-real-cluster"  # starts three nodes of Cassandra, whose jars take a download
SMOKED = [name for name in notebook_names() if name != CASSANDRA or os.environ.get("LSM_LAB_ALL_TESTS")]
AT_A_TIME = 2  # with three on two cores a run of one second got no answer at all


@dataclass(frozen=True)
class Executed:
    status: int
    printed: str


def pytest_collection_modifyitems(items):
    """What takes longer runs only with scripts/test --all."""
    if not os.environ.get("LSM_LAB_ALL_TESTS"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="takes longer: scripts/test --all"))


def pytest_configure(config):
    config.addinivalue_line("markers", "long: runs only with scripts/test --all")


@pytest.fixture(scope="session")
def executed() -> Executed:
    """All notebooks of SMOKED, executed in smoke mode, some at a time."""
    with ThreadPoolExecutor(AT_A_TIME) as executor:
        runs = list(executor.map(smoke, SMOKED))
    return Executed(max(run.returncode for run in runs), "".join(run.stdout for run in runs))


def smoke(name: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "lablib.notebooks", "smoke", str(NOTEBOOKS / f"{name}.ipynb")]
    variables = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}  # kernels and servers live for seconds: compiling less is quicker
    for _ in range(3):  # a search on a busy machine may honestly find that no rate was held
        run = subprocess.run(command, cwd=ROOT, env=variables, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3600)
        if run.returncode == 0:
            break
    return run


@pytest.fixture(scope="session")
def browser():
    chromium = find_chromium()
    if not chromium:
        if os.environ.get("CI") == "true":
            pytest.fail("no Chromium on this machine, and CI must not skip browser tests")
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS, timeout=180_000)
        yield browser
        browser.close()


@pytest.fixture
def free_port() -> int:
    return loaded.free_port()
