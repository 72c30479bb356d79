# SPDX-License-Identifier: Apache-2.0
"""What students get: a folder with notebooks, jars and scripts, without the engine's source and without anything that answers an assignment."""

import re
import shutil
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import nbformat

from lablib.course import ASSIGNMENTS, FIXTURES, SOURCE, is_answered_in_words
from lablib.paths import ENGINE, JARS, NOTEBOOKS, ROOT
from lablib.problem import Problem

STUDENTS_README = ASSIGNMENTS / "students.md"
FILES = ["LICENSE", "environment.yml", "constraints.txt", "scripts/lab", "scripts/find-python.sh", "notebooks/glossary.md", "notebooks/reference.md"]
FOLDERS = {
    "scripts/lablib": "**/*",
    "scripts/wrk2": "*.lua",
    "data": "**/*",
    "notebooks/pictures": "*",
    "notebooks": "[0-9]*.ipynb",
    "notebooks/assignments": "[0-9]*.ipynb",
}
FOR_TEACHERS = ["assignments.py", "course.py", "grading.py", "pages.py", "release.py", "sandbox.py", "similar.py", "similarity/", "site/"]  # of scripts/lablib
IGNORED = ".lab\nout\nwork\n.ipynb_checkpoints/\n__pycache__/\n"
REGION = re.compile(r"/// BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)/// END", re.DOTALL)
SHORTEST_TELLING = 26  # letters; a shorter line, like "return best;", gives nothing away and is found everywhere


def release(target: Path) -> None:
    """Writes it into a folder that is new or empty, or writes nothing."""
    target = target.resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Problem(f"{target} is there already; name a folder that is new or empty")
    unfinished = target.with_name(target.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        files = list(released())
        for file in files:
            copy = unfinished / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)
        shutil.copy2(STUDENTS_README, unfinished / "README.md")
        (unfinished / ".gitignore").write_text(IGNORED)
        found = list(leaks(unfinished))
        if found:
            raise Problem("not released, for this would tell a solution:\n" + "\n".join(found))
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    print(f"{target}: {len(files) + 2} files; no line of a solution, hidden test or fixture in them or in their jars")


def released() -> Iterator[Path]:
    yield from (ROOT / name for name in FILES)
    yield from [*JARS, ENGINE / "storage/target/lsm-storage.jar"]
    for folder, pattern in FOLDERS.items():
        for path in sorted((ROOT / folder).glob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts and not is_for_teachers(path):
                yield path


def is_for_teachers(path: Path) -> bool:
    return str(path.relative_to(ROOT)).startswith(tuple(f"scripts/lablib/{name}" for name in FOR_TEACHERS))


def leaks(folder: Path) -> Iterator[str]:
    """Where in a folder a line stands that only teachers should have."""
    secret = secrets()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            for name, content in contents(str(path.relative_to(folder)), path.read_bytes()):
                for line in sorted(secret & lines(content)):
                    yield f"{name}: {line}"


def secrets() -> set[str]:
    """Telling lines of solutions, hidden tests and fixtures that stand in no notebook that students get."""
    texts = []
    for path in SOURCE.glob("*/*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            texts += [cell.source] if is_answered_in_words(cell) else REGION.findall(cell.source)
    for path in (NOTEBOOKS / "solutions").glob("*.ipynb"):
        texts += [cell.source for cell in nbformat.read(path, as_version=4).cells]
    known = set()
    for pattern in ("[0-9]*.ipynb", "assignments/[0-9]*.ipynb"):
        for path in NOTEBOOKS.glob(pattern):
            known |= lines(path.read_bytes())
    found = set().union(*(lines(text.encode()) for text in texts), *(lines(path.read_bytes()) for path in FIXTURES.glob("*/*.json")))
    return {line for line in found - known if len(line) >= SHORTEST_TELLING}


def contents(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file, and of an archive each entry, however deep."""
    yield name, content
    if zipfile.is_zipfile(BytesIO(content)):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for entry in archive.namelist():
                yield from contents(f"{name}!{entry}", archive.read(entry))


def lines(content: bytes) -> set[str]:
    """Without what JSON puts around a line, so that a cell's text is the same in a notebook, in a fixture and in a program."""
    text = content.decode(errors="replace").replace("\\n", "\n").replace('\\"', '"')
    return {line.strip(' \t\r",') for line in text.split("\n")}
