# SPDX-License-Identifier: Apache-2.0
"""What the tests share: one execution of every notebook, a browser, a JupyterLab."""

import os
import socket
import subprocess
import sys
from dataclasses import dataclass

import pytest
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
    """All notebooks, executed in smoke mode, two at a time."""
    left, printed = notebook_names(), ""
    for _ in range(3):  # a search on a busy machine may honestly find that no rate was held
        runs = [smoke(left[::2]), smoke(left[1::2])]
        texts = [run.communicate(timeout=3600)[0] for run in runs]
        printed += "".join(texts)
        left = [name for name in left if any(f"{name}: failed in" in text for text in texts)]
        if not left:
            break
    return Executed(max(run.returncode for run in runs), printed)


def smoke(names: list[str]) -> subprocess.Popen:
    command = [sys.executable, "-m", "lablib.notebooks", "smoke", *(str(NOTEBOOKS / f"{name}.ipynb") for name in names)]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
