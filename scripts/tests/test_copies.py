# SPDX-License-Identifier: Apache-2.0
"""The reader's copies of the notebooks."""

import json
import re
import subprocess

import pytest
from lablib import copies
from lablib.paths import NOTEBOOKS, ROOT, assignment_names, notebook_names, whole_name


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The copies' folder and the note of what was made, elsewhere."""
    monkeypatch.setattr(copies, "WORK", tmp_path / "work")
    monkeypatch.setattr(copies, "MADE", tmp_path / "copies.json")
    return tmp_path / "work"


def cells(path, kind):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def test_copies_have_no_outputs_and_say_where_the_published_run_is(project):
    assert copies.refresh() == []
    assert sorted(path.stem for path in project.glob("*.ipynb")) == notebook_names()
    assert len(list((project / "assignments").glob("*.ipynb"))) == len(assignment_names())
    for path in project.rglob("*.ipynb"):
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path, "code"))
        original = NOTEBOOKS / path.relative_to(project)
        assert [cell["source"] for cell in cells(path, "code")] == [cell["source"] for cell in cells(original, "code")]
    assert re.search(r"\[The published run\]\(.*notebooks/01-block-size\.ipynb\)", (project / "01-block-size.ipynb").read_text())


def test_a_damaged_note_of_what_was_made_loses_nothing(project):
    copies.refresh()
    changed = project / "00-start-here.ipynb"
    changed.write_text(changed.read_text().replace('"metadata"', '"metadata" ', 1))
    before = changed.read_text()
    copies.MADE.write_text("")
    copies.refresh()
    assert changed.read_text() == before


def test_links_and_pictures_work_from_the_copies():
    copies.refresh()
    for path in [*copies.WORK.glob("[0-9]*.ipynb"), *(copies.WORK / "assignments").glob("[0-9]*.ipynb")]:
        for cell in cells(path, "markdown"):
            for link in re.findall(r"\]\(([^)#: ]+)\)", "".join(cell["source"])):
                assert (path.parent / link).exists(), f"{path}: {link}"


def test_an_update_renews_what_nobody_changed_and_never_touches_the_rest(project, monkeypatch):
    copies.refresh()
    mine, untouched = project / "01-block-size.ipynb", project / "00-start-here.ipynb"
    notebook = json.loads(mine.read_text())
    next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")["source"] = ["// my own"]
    mine.write_text(json.dumps(notebook))
    opened = json.loads(untouched.read_text())
    opened["metadata"]["language_info"] = {"name": "Java"}  # as JupyterLab writes as soon as it opens it
    untouched.write_text(json.dumps(opened))
    before = mine.read_text()
    made = copies.text_of_copy
    monkeypatch.setattr(copies, "text_of_copy", lambda original: made(original).replace("block", "Block").replace("LSM store", "LSM STORE"))
    assert copies.refresh() == ["01-block-size"]
    assert mine.read_text() == before
    assert "LSM STORE" in untouched.read_text()
    kept = copies.reset("01-block-size")
    assert kept.read_text() == before and re.fullmatch(r"01-block-size-\d{4}-\d\d-\d\d-\d{6}\.ipynb", kept.name)
    assert "Block" in mine.read_text() and copies.refresh() == []
    assert copies.reset("01-block-size") is None, "a copy that was not changed need not be kept"


def test_copies_outlive_a_set_up_that_starts_anew(project):
    copies.refresh()
    copies.MADE.unlink()  # with .lab, which the help says may be deleted
    assert copies.refresh() == [], "nobody changed them"


def test_names_may_be_short():
    names = ["00-start-here", "01-block-size", "02-key-range-pruning", "02b-filters"]
    for written, meant in (
        ("01", "01-block-size"),
        ("01-block-size.ipynb", "01-block-size"),
        ("notebooks/01-block-size.ipynb", "01-block-size"),
        ("01-bl", "01-block-size"),
        ("02", "02-key-range-pruning"),
        ("02b", "02b-filters"),
        ("1", "01-block-size"),
        ("", None),
        ("9", None),
    ):
        assert whole_name(written, names) == meant, written


def test_git_sees_nothing_of_the_copies():
    copies.refresh()
    assert subprocess.run(["git", "status", "--porcelain", "work"], cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""


def test_a_copy_is_run_where_it_is_meant():
    run = subprocess.run([ROOT / "scripts/lab", "run", "--mine", "--full", "01"], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "--full keeps rows of the project's notebooks" in run.stderr
