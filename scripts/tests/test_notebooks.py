# SPDX-License-Identifier: Apache-2.0
"""Every notebook: its text, its execution in quick mode, and the page that is made of it."""

import re

import nbformat
import pytest

from lablib.paths import NOTEBOOKS, OUT, ROOT, notebook_names

MAX_CELL_LINES = 20
MAX_WORDS = 2_500


@pytest.mark.parametrize("name", notebook_names())
def test_is_committed_clean_and_readable(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    assert notebook.metadata.kernelspec.name == "java"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code), "outputs are made, not committed"
    assert max(len(cell.source.splitlines()) for cell in code) <= MAX_CELL_LINES
    assert sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown") <= MAX_WORDS


@pytest.mark.parametrize("document", ["README.md", "data/README.md", *(f"notebooks/{name}.ipynb" for name in notebook_names())])
def test_links_lead_somewhere(document):
    path = ROOT / document
    for link in re.findall(r"\]\(([^)#: ]+)\)", path.read_text()):
        assert (path.parent / link).exists(), f"{document}: {link}"


def test_all_run_in_quick_mode(executed):
    assert executed.status == 0, executed.printed
    for name in notebook_names():
        assert re.search(rf"^{name}: done in \d+ s, see .*out/{name}\.html$", executed.printed, re.MULTILINE), executed.printed
    assert "✓" in executed.printed, "progress is shown"
    assert "Highest rate held, quick mode" in executed.printed, "the tables of results are printed"


@pytest.mark.parametrize("claim", ["001-1", "001-2", "001-3", "001-4", "002-1"])
def test_block_size_checks_its_claims_and_keeps_nothing(executed, claim):
    assert re.search(rf"^Claim {claim}: .* Verdict: (not )?reproduced \(quick run: a hint, not kept\)$", executed.printed, re.MULTILINE)


@pytest.mark.parametrize("name", notebook_names())
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
    assert len(frames) == 4
