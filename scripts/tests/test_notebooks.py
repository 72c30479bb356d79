# SPDX-License-Identifier: Apache-2.0
"""Every notebook: its text, its execution in smoke mode, and the page that is made of it."""

import json
import re
import subprocess

import nbformat
import pytest
from conftest import SMOKED, smoke
from lablib import publish
from lablib.paths import NOTEBOOKS, OUT, ROOT, notebook_names

MAX_CELL_LINES = 20
MAX_WORDS = 2_500
LESSONS = [name for name in notebook_names() if name != "90-report-figures"]  # which measures nothing
INSTRUMENTS = "00b-instruments"  # explains them one at a time, and has no single question that it answers
CLAIMS = json.loads((ROOT / "data/claims.json").read_text())


@pytest.mark.parametrize("name", notebook_names())
def test_is_readable(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    assert notebook.metadata.kernelspec.name == "java"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert max(len(cell.source.splitlines()) for cell in code) <= MAX_CELL_LINES
    assert sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown") <= MAX_WORDS


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_its_form(name):
    """A question with a picture, predictions, curves, a flame graph, a replay, what was learned, and questions to check oneself by."""
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert len(code) <= 25
    assert max(len(cell.splitlines()) for cell in code) <= 12
    assert max(len(line) for cell in code for line in cell.splitlines()) <= 110
    assert len(text.split()) <= 2_000
    headings = {"## Predict", "## Check yourself", "## Exercises", "## Read on"} | (set() if name == INSTRUMENTS else {"## Why", "## What we learned"})
    assert headings <= set(re.findall(r"^## [A-Z][\w ]*\w", text, re.MULTILINE))
    assert "](pictures/" in text and "](http" in text and "](glossary.md)" in text
    assert 3 <= text.count("<details>") <= 5
    asked, compared = (set(re.findall(rf'Lab\.{call}\("([^"]+)"', "\n".join(code))) for call in ("predict", "predicted"))
    assert asked and asked == compared
    for call in ("Charts.percentiles(", "Charts.flamegraph(", "Lab.autopsy(", "Lab.predictions()"):
        assert any(call in cell for cell in code), call
    assert any("Lab.live(" in cell or "Lab.replay(" in cell for cell in code)


@pytest.mark.long
@pytest.mark.parametrize("name", LESSONS)
def test_solutions_run(name):
    run = smoke(f"solutions/{name}-solutions")
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name", notebook_names())
def test_what_is_committed_was_made_by_a_full_run_and_can_be_seen_without_one(name):
    path = NOTEBOOKS / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert all(cell.execution_count is None for cell in code)
    assert path.stat().st_size <= publish.MAX_BYTES
    assert "smoke mode" not in str(outputs) and "quick mode" not in str(outputs) and (not outputs or "full mode" in str(outputs))
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    assert pictures == sum(publish.interactive(output) for output in outputs), "a static picture beside each interactive one"


@pytest.mark.parametrize("document", ["README.md", "data/README.md", *(f"notebooks/{name}.ipynb" for name in notebook_names())])
def test_links_lead_somewhere(document):
    path = ROOT / document
    for link in re.findall(r"\]\(([^)#: ]+)\)", path.read_text()):
        assert (path.parent / link).exists(), f"{document}: {link}"


def test_all_run_in_smoke_mode(executed):
    assert executed.status == 0, executed.printed
    for name in SMOKED:
        assert re.search(rf"^{name}: done in \d+ s, see .*out/{name}\.html$", executed.printed, re.MULTILINE), executed.printed
    assert "✓" in executed.printed, "progress is shown"
    assert "no backlog; trials of 100 ms, smoke mode" in executed.printed, "the tables of results are printed"


@pytest.mark.parametrize("claim", [claim["id"] for claim in CLAIMS if claim["notebook"] in SMOKED])
def test_each_claim_is_checked_by_its_notebook_and_smoke_runs_keep_nothing(executed, claim):
    assert re.search(rf"^Claim {claim}: .* Verdict: none from a smoke run; --full decides$", executed.printed, re.MULTILINE)


def test_claims_are_told_from_stored_rows():
    told = subprocess.run([ROOT / "scripts/lab", "claims", "--json"], capture_output=True, text=True, check=True)
    claims = json.loads(told.stdout)
    assert [claim["id"] for claim in claims] == [claim["id"] for claim in CLAIMS]
    for claim in claims:
        assert claim["verdict"] in ("reproduced", "not reproduced", "can't tell here", "not run")
        assert (claim["row"] is None) == (claim["measured"] is None) == (claim["verdict"] == "not run")
        if claim["row"]:
            row = json.loads((ROOT / claim["row"]).read_text())
            assert row["mode"] == "full"
            stored = next(verdict for verdict in row["verdicts"] if verdict["claim"] == claim["id"])
            assert stored["verdict"] == claim["verdict"] and stored["measured"] == claim["measured"] and stored.get("intervals", {}) == claim["intervals"]
    table = subprocess.run([ROOT / "scripts/lab", "claims"], capture_output=True, text=True, check=True).stdout
    summary = table.strip().splitlines()[-1]
    assert summary in (ROOT / "README.md").read_text(), "the README shows the summary"


@pytest.mark.parametrize("name", SMOKED)
def test_page_is_self_contained(executed, name):
    assert executed.status == 0
    page = (OUT / f"{name}.html").read_text()
    assert page.count("plotly.js v") == 1, "Plotly once"
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=\"?(https?:)?//", page), "nothing is loaded from elsewhere"
    assert "lsmlab-chart" in page


def test_block_size_shows_flame_graphs(executed):
    assert executed.status == 0
    page = (OUT / "01-block-size.html").read_text()
    frames = re.findall(r'<iframe class="lsmlab-flamegraph" sandbox="allow-scripts"[^>]* srcdoc="', page)
    assert len(frames) + page.count(": nothing was recorded") == 4 and len(frames) >= 3, "locks may not have been waited for"
