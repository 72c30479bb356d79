# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from pathlib import Path


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
