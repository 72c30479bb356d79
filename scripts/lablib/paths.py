# SPDX-License-Identifier: Apache-2.0
"""Where things are in the project."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
OUT = ROOT / "out"
WORK = ROOT / "work"  # the reader's copies of the notebooks
STATE = ROOT / ".lab"
KERNELS = STATE / "jupyter/path/kernels"  # of the project's own JupyterLab
ENGINE = ROOT / "engine"
JARS = [ENGINE / "server/target/lsm-server.jar", ENGINE / "load/target/wrk2.jar", ENGINE / "lab/target/lsm-lab.jar"]

UNATTENDED = {"LSM_LAB_PREDICTIONS": "none"}  # the environment of an unattended run, which asks for no predictions


def is_students_copy() -> bool:
    """Whether this is what scripts/lab assignments release writes: jars, and nothing to build them from."""
    return not (ENGINE / "pom.xml").exists()


def notebook_names() -> list[str]:
    """Names of the lab's notebooks, in order, without their ending; 02b-filters follows 02-key-range-pruning."""
    return sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]*-*.ipynb"))


def assignment_names() -> list[str]:
    """Names of the assignments, as assignments/02-pruning."""
    return sorted(f"assignments/{path.stem}" for path in (NOTEBOOKS / "assignments").glob("[0-9][0-9]-*.ipynb"))


def whole_name(written: str, names: list[str]) -> str | None:
    """The name that was meant: itself, with or without its ending or folder, or a beginning that only one has, as 01 of 01-block-size."""
    name = written.removesuffix("/").removesuffix(".ipynb").removeprefix("./").removeprefix("notebooks/").removeprefix("work/")
    if name in names:
        return name
    if name.isdigit():
        name = name.zfill(2)
    fitting = [one for one in names if one.startswith(f"{name}-")] or [one for one in names if one.startswith(name)]
    return fitting[0] if name and len(fitting) == 1 else None
