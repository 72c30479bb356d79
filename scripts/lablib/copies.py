# SPDX-License-Identifier: Apache-2.0
"""The reader's own copies of the notebooks, in work/: without outputs, and never changed behind their back.

The notebooks of notebooks/ show what full runs on another machine found. JupyterLab opens the copies, so that answers don't stand below the
questions and git sees no change. A copy that was changed is never touched again, except by ``reset``, which keeps it under its date.
"""

import hashlib
import json
import os
import re
import time
from pathlib import Path

from lablib.files import read_note, write_whole
from lablib.paths import NOTEBOOKS, STATE, WORK
from lablib.problem import Problem

MADE = STATE / "copies.json"
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
PUBLISHED = "\n\n*This is your copy. [The published run]({link}) shows what a full run on another machine found; look at it after your own.*"


def originals() -> list[Path]:
    """All notebooks that readers get, the assignments last."""
    return sorted(NOTEBOOKS.glob("[0-9]*.ipynb")) + sorted((NOTEBOOKS / "assignments").glob("[0-9]*.ipynb"))


def copy_of(original: Path) -> Path:
    return WORK / original.relative_to(NOTEBOOKS)


def refresh() -> list[str]:
    """Makes the copies that are missing and renews unchanged ones; returns the names of changed ones whose original is newer."""
    made = read_made()
    outdated = []
    for original in originals():
        name = str(original.relative_to(NOTEBOOKS).with_suffix(""))
        copy = copy_of(original)
        fresh = text_of_copy(original)
        newest, now = digest(fresh), digest(copy.read_text()) if copy.exists() else None
        if now not in (None, newest, made.get(name)):  # the user changed it
            if made.get(name) != newest:
                outdated.append(name)
            continue
        if now != newest:
            write_whole(copy, fresh)
        made[name] = newest
    write_made(made)
    return outdated


def reset(name: str) -> Path | None:
    """Makes a fresh copy; returns where the old one is kept, if it was another."""
    original = NOTEBOOKS / f"{name}.ipynb"
    copy, fresh, kept = copy_of(original), text_of_copy(original), None
    if copy.exists() and digest(copy.read_text()) != digest(fresh):
        stamp = time.strftime("%Y-%m-%d-%H%M%S", time.localtime(copy.stat().st_mtime))
        kept = copy.with_name(f"{copy.stem}-{stamp}.ipynb")
        if kept.exists():
            raise Problem(f"{kept} is there already; move it away first")
        copy.rename(kept)
    write_whole(copy, fresh)
    write_made(read_made() | {name: digest(fresh)})
    return kept


def text_of_copy(original: Path) -> str:
    """The notebook without outputs, with links that hold from where the copy stands."""
    notebook = json.loads(original.read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        elif cell["cell_type"] == "markdown":
            source = LINK.sub(lambda link: moved_link(link, original), "".join(cell["source"]))
            if cell is notebook["cells"][0] and original.parent == NOTEBOOKS:
                source += PUBLISHED.format(link=os.path.relpath(original, copy_of(original).parent))
            cell["source"] = source.splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def moved_link(link: re.Match, original: Path) -> str:
    """Other notebooks are linked as copies; everything else where it is."""
    start, target, anchor, end = link.groups()
    path = (original.parent / target).resolve()
    if ":" in target or path in originals():
        return link.group()
    return start + os.path.relpath(path, copy_of(original).parent) + (anchor or "") + end


def digest(text: str) -> str:
    """The digest of what a user changes: sources and outputs. JupyterLab writes metadata of its own as soon as it opens a notebook."""
    try:
        cells = [[cell["cell_type"], "".join(cell["source"]), cell.get("outputs")] for cell in json.loads(text)["cells"]]
    except (ValueError, KeyError, TypeError):
        return "no notebook"
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def read_made() -> dict[str, str]:
    """The digest of each copy as it was made. Without one, a copy that differs counts as changed, and is kept."""
    return read_note(MADE, {})


def write_made(made: dict[str, str]) -> None:
    write_whole(MADE, json.dumps(made, indent=1) + "\n")
