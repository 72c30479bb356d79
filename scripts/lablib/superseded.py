# SPDX-License-Identifier: Apache-2.0
"""Rows that nothing uses any more leave the tree. A table keeps what they found, and names the commit that still holds them."""

import csv
import io
import subprocess

from lablib import claims, rows
from lablib.files import write_whole
from lablib.paths import ROOT

DOCUMENTS = ("README.md", "engine/README.md", "engine/*/README.md", "notebooks/*.ipynb", "notebooks/*.md")


def retire() -> list[str]:
    """Moves the committed rows that nothing uses into the table; returns their paths."""
    used = in_use()
    committed = git("ls-files", "data/results/*Z.json").splitlines()
    gone = {name: commit for name in committed if name not in used and (commit := commit_of(name))}
    if gone:
        lines = [*rows.superseded(), *(line(name, commit) for name, commit in gone.items())]
        text = io.StringIO()
        table = csv.DictWriter(text, lines[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(sorted(lines, key=lambda each: each["utc"]))
        write_whole(rows.SUPERSEDED, text.getvalue())
        for name in gone:
            (ROOT / name).unlink()
            rows.beside(ROOT / name).unlink(missing_ok=True)
    return list(gone)


def in_use() -> set[str]:
    """Those a claim's verdict stands in, a text or notebook names, or 90 may draw: the newest of each experiment."""
    stored = rows.stored()
    newest = {path.stem.rpartition("-")[0]: path for path in stored}
    texts = [document.read_text() for pattern in DOCUMENTS for document in ROOT.glob(pattern)]
    named = [path for path in stored if any(path.name in text for text in texts)]
    return {str(path.relative_to(ROOT)) for path in [*newest.values(), *named]} | {result["row"] for result in claims.verdicts()}


def commit_of(name: str) -> str | None:
    """The commit that holds it as it is; None if it was changed since."""
    return None if git("status", "--porcelain", "--", name) else git("log", "-1", "--format=%h", "--abbrev=12", "--", name)


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def line(name: str, commit: str) -> dict[str, str]:
    row = rows.read(ROOT / name)
    machine = row["machine"]
    verdicts = [result | {"intervals": result.get("intervals")} for result in row.get("verdicts", [])]
    found = "; ".join(f"{result['claim']} {result['verdict']} ({claims.measured(result)})" for result in verdicts)
    return {"row": name, "commit": commit, "utc": row["utc"], "machine": f"{machine['cpu']}, {machine['cores']} cores", "found": found}
