# SPDX-License-Identifier: Apache-2.0
"""The lab's own files: written whole or not at all, and read though damaged; and what its jars hold."""

import hashlib
import json
import zipfile
from collections.abc import Iterable
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


def digest_of_jars(jars: Iterable[Path]) -> str:
    """Of what runs from them. Not of their bytes: a second build orders the same classes and joins the libraries' notices in another way."""
    content = hashlib.sha256()
    for jar in jars:
        with zipfile.ZipFile(jar) as opened:
            entries = sorted((entry.filename, entry.CRC) for entry in opened.infolist() if entry.filename != "META-INF/NOTICE")
        content.update(json.dumps(entries).encode())
    return content.hexdigest()
