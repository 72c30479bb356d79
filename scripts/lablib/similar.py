# SPDX-License-Identifier: Apache-2.0
"""Which submissions look alike: JPlag compares the classes that students wrote. It points at pairs; whether one was copied is for a person to say."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import nbformat

from lablib.course import ASSIGNMENTS
from lablib.environment import Environment, find_jdk
from lablib.paths import STATE
from lablib.problem import Problem
from lablib.setup import DependenciesStep, say

HERE = Path(__file__).parent / "similarity"
LIBRARIES = STATE / "jplag"
SHOWN = 10  # pairs in the terminal; the table has each student's nearest
WORTH_A_LOOK = 0.5


@dataclass(frozen=True, order=True)
class Pair:
    similarity: float
    first: str
    second: str

    def other(self, student: str) -> str:
        return self.second if student == self.first else self.first

    def __str__(self) -> str:
        return f"{self.first} and {self.second}, {self.similarity:.2f}"


def found(folder: Path, name: str, handed_in: dict[str, Path]) -> dict[str, Pair]:
    """Each student's nearest, where the two are worth a look; nothing, and a line that says so, where they can't be compared."""
    try:
        return nearest(compared(folder, name, handed_in))
    except (Problem, OSError, ValueError) as problem:
        say(f"submissions are not compared: {problem}")
        return {}


def compared(folder: Path, name: str, handed_in: dict[str, Path]) -> list[Pair]:
    jdk = find_jdk(Environment.read().java_major)
    DependenciesStep(jdk, "jplag", HERE / "pom.xml", LIBRARIES, "JPlag, which compares submissions, 7 MB").ensure()
    shutil.rmtree(folder, ignore_errors=True)
    given = folder / "given"
    write_classes(ASSIGNMENTS / f"{name}.ipynb", given)
    for student, path in handed_in.items():
        write_classes(path, folder / "submissions" / student)
    if sum(any(each.iterdir()) for each in (folder / "submissions").iterdir()) < 2:
        return []
    command = [str(jdk.home / "bin/java"), "-cp", f"{LIBRARIES}/*", str(HERE / "Similarity.java"), str(folder / "submissions"), str(given)]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise Problem(done.stderr.strip()[-200:])
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return [Pair(float(similarity), first, second) for first, second, similarity in lines]


def nearest(pairs: list[Pair]) -> dict[str, Pair]:
    best: dict[str, Pair] = {}
    for pair in sorted(pairs):
        if pair.similarity >= WORTH_A_LOOK:
            best[pair.first] = best[pair.second] = pair
    return best


def write_classes(notebook: Path, folder: Path) -> None:
    """The cells that declare a class, each as a Java file; what can't be read has none."""
    folder.mkdir(parents=True)
    try:
        cells = nbformat.read(notebook, as_version=4).cells
    except Exception:  # whatever a student handed in
        return
    for number, cell in enumerate(cells):
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution") and "class " in cell.source:
            (folder / f"Cell{number}.java").write_text(cell.source)
