# SPDX-License-Identifier: Apache-2.0
"""Where things are in the project."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
OUT = ROOT / "out"
STATE = ROOT / ".lab"
ENGINE = ROOT / "engine"
JARS = [ENGINE / "server/target/lsm-server.jar", ENGINE / "load/target/wrk2.jar", ENGINE / "lab/target/lsm-lab.jar"]


def notebook_names() -> list[str]:
    """Names of the lab's notebooks, in order, without their ending."""
    return sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))
