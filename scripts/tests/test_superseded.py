# SPDX-License-Identifier: Apache-2.0
"""Which rows leave the tree, and what is kept of them."""

import json
import subprocess

import pytest
from lablib import claims, rows, superseded
from lablib.problem import Problem

OLD, NEW, NAMED, CHANGED = (f"data/results/202611{day}/cpu-2-cores/01-block-size-0404{day}Z.json" for day in (21, 24, 22, 23))


def write_row(root, name: str, verdict: str) -> None:
    row = {"experiment": "01-block-size", "mode": "full", "utc": name[13:21], "machine": {"cpu": "CPU", "cores": 2}}
    row["verdicts"] = [{"claim": "001-1", "verdict": verdict, "measured": {"ratio": 1.5}, "intervals": {"ratio": [1.4, 1.6]}}]
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(json.dumps(row))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Four rows of one experiment: an old one, one that the README names, one that was changed after its commit, and the newest."""
    for module in (superseded, claims, rows):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(rows, "RESULTS", tmp_path / "data/results")
    monkeypatch.setattr(rows, "SUPERSEDED", tmp_path / "data/superseded.csv")
    for name in (OLD, NAMED, CHANGED, NEW):
        write_row(tmp_path, name, "reproduced")
    (tmp_path / "data/claims.json").write_text('[{"id": "001-1", "statement": "it is, \\"mostly\\"", "reported": "", "relation": "", "conditions": []}]')
    (tmp_path / "README.md").write_text(f"See {NAMED}.")
    for words in (["init", "--quiet"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "rows"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    write_row(tmp_path, CHANGED, "not reproduced")
    return tmp_path


def test_only_a_committed_row_that_nothing_uses_leaves_the_tree(project):
    assert superseded.retire() == [OLD]
    assert [str(path.relative_to(project)) for path in rows.stored()] == [NAMED, CHANGED, NEW]
    assert superseded.retire() == []


def test_the_table_says_what_it_found_and_its_commit_brings_it_back(project):
    text = (project / OLD).read_text()
    superseded.retire()
    (kept,) = rows.superseded()
    assert (kept["row"], kept["machine"], kept["found"]) == (OLD, "CPU, 2 cores", "001-1 reproduced (ratio: 1.5 (1.4 to 1.6))")
    brought = subprocess.run(["git", "show", f"{kept['commit']}:{OLD}"], cwd=project, capture_output=True, text=True, check=True)
    assert brought.stdout == text
    with pytest.raises(Problem, match=f"git show {kept['commit']}:{OLD}"):
        rows.one("20261121")


def test_what_stands_beside_a_row_leaves_with_it(project):
    for name in (OLD, NEW):
        rows.beside(project / name).write_text("bulky")
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    assert superseded.retire() == [OLD]
    assert not rows.beside(project / OLD).exists()
    assert rows.beside(project / NEW).exists()


MEGABYTE = 1 << 20


@pytest.mark.parametrize("row", rows.stored(), ids=lambda path: path.name)
def test_a_row_has_a_megabyte_at_most_and_what_stands_beside_it_two(row):
    assert row.stat().st_size <= MEGABYTE
    assert not rows.beside(row).exists() or rows.beside(row).stat().st_size <= 2 * MEGABYTE
