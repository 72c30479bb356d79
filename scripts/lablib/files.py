# SPDX-License-Identifier: Apache-2.0
"""The lab's own files: written whole or not at all, and read though damaged."""

import json
from pathlib import Path


def read_note(path: Path, otherwise: dict) -> dict:
    """What a note of the lab's own says. One that is missing or damaged says nothing: it is written again."""
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return otherwise


def write_whole(path: Path, text: str) -> None:
    """Replaces the file in one step, so it is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise
