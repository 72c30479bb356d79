# SPDX-License-Identifier: Apache-2.0
"""Full runs that are taken up again, which jars they were made with, and what of them is put into the committed notebooks."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from lablib import notebooks, publish, readme, rows
from lablib.browser import find_chromium
from lablib.files import digest_of_jars
from lablib.notebooks import FullRun, Terminal, run_all
from lablib.paths import NOTEBOOKS, OUT, ROOT, notebook_names
from lablib.problem import Problem


@pytest.fixture
def full_runs(tmp_path, monkeypatch):
    """Two notebooks in a folder of their own, and a stand-in for their execution that fails those in \"failing\"."""
    paths = [shutil.copy(NOTEBOOKS / f"{name}.ipynb", tmp_path) for name in ("00-start-here", "01-block-size")]
    monkeypatch.setattr(notebooks, "FINISHED", tmp_path / "finished")
    ran, failing = [], set()

    def run(path, mode, terminal):
        ran.append(path.stem)
        return path.stem not in failing

    monkeypatch.setattr(notebooks, "run", run)
    return [type(NOTEBOOKS)(path) for path in paths], ran, failing


def test_a_finished_experiment_is_not_run_again_until_its_code_changes(full_runs, capsys):
    paths, ran, failing = full_runs
    failing.add("01-block-size")
    assert run_all(paths, "rest", Terminal()) == ["01-block-size"]
    failing.clear()
    assert run_all(paths, "rest", Terminal()) == []
    assert ran == ["00-start-here", "01-block-size", "01-block-size"], "the failed one only"
    assert "00-start-here: finished earlier" in capsys.readouterr().out
    assert run_all(paths, "full", Terminal()) == [], "those that are named are run in any case"
    assert ran[3:] == ["00-start-here", "01-block-size"]
    text = json.loads(paths[0].read_text())
    next(cell for cell in text["cells"] if cell["cell_type"] == "code")["source"] = ["Lab.about();"]
    paths[0].write_text(json.dumps(text))
    assert not FullRun(paths[0]).is_finished() and FullRun(paths[1]).is_finished()


def test_jars_that_are_built_again_are_the_same_until_a_class_changes(tmp_path):
    """Shading what was shaded before, as a second build does, orders the classes anew and adds lines to the notices."""
    first, again, changed, service = (tmp_path / f"{name}.jar" for name in ("first", "again", "changed", "service"))
    written(first, {"META-INF/NOTICE": "notices", "lsmlab/A.class": "a", "lsmlab/B.class": "b"})
    written(again, {"lsmlab/B.class": "b", "lsmlab/A.class": "a", "META-INF/NOTICE": "\nnotices"})
    written(changed, {"META-INF/NOTICE": "notices", "lsmlab/A.class": "a", "lsmlab/B.class": "B"})
    written(service, {"META-INF/NOTICE": "notices", "META-INF/services/S": "lsmlab.A", "lsmlab/A.class": "a", "lsmlab/B.class": "b"})
    assert digest_of_jars([first]) == digest_of_jars([again]) != digest_of_jars([changed])
    assert digest_of_jars([first]) != digest_of_jars([service]), "services and classes for a newer Java are in META-INF, too"
    assert digest_of_jars([first]) != digest_of_jars([first, first])


def written(jar: Path, entries: dict[str, str]) -> None:
    with zipfile.ZipFile(jar, "w") as zip:
        for name, text in entries.items():
            zip.writestr(name, text)


def test_a_run_that_is_not_full_is_not_published(executed):
    assert executed.status == 0
    with pytest.raises(Problem, match="is no full run"):
        publish.publish("01-block-size")


def test_a_run_that_was_interrupted_is_not_published(executed, monkeypatch, tmp_path):
    """Whatever stands in the cells that it did not reach."""
    assert executed.status == 0
    interrupted = nbformat.read(OUT / "01-block-size.ipynb", as_version=4)
    for cell in [cell for cell in interrupted.cells if cell.cell_type == "code"][10:]:
        cell.execution_count = None
    monkeypatch.setattr(publish, "OUT", tmp_path)
    nbformat.write(interrupted, tmp_path / "01-block-size.ipynb")
    with pytest.raises(Problem, match="of a run that failed or was interrupted"):
        publish.publish("01-block-size")
    for cell in interrupted.cells:
        cell.pop("execution_count", None)
    interrupted.metadata[notebooks.RUN] = {"mode": "full", "code": "another"}
    for number, cell in enumerate([cell for cell in interrupted.cells if cell.cell_type == "code"], 1):
        cell.execution_count = number
    nbformat.write(interrupted, tmp_path / "01-block-size.ipynb")
    with pytest.raises(Problem, match="was run with other jars"):
        publish.publish("01-block-size")


def test_nothing_of_an_earlier_run_is_left_in_a_new_one():
    published = nbformat.read(NOTEBOOKS / "01-block-size.ipynb", as_version=4)
    assert any(cell.get("outputs") for cell in published.cells)
    assert not any(cell.get("outputs") for cell in notebooks.without_outputs(published).cells)


def test_the_readmes_numbers_and_picture_are_those_of_the_stored_rows():
    text = readme.README.read_text()
    assert readme.written(text) == text, "scripts/lab readme writes them"
    assert readme.written(text.replace("times the GET rate", "times the rate")) == text, "whatever stood there"
    assert readme.PICTURE.read_bytes() == readme.picture()
    row = rows.read(ROOT / re.search(r"\[row\]\(([^)]*)\)", text).group(1))
    shares = {knee["label"].split(" MB")[0]: knee["search"]["knees"][0]["share"]["median"] for knee in row["knees"] if "get-sequential" in knee["label"]}
    ratio = f"{shares['8'] / shares['1']:.3g}"
    assert f"tables of 8 MB hold {ratio} times the GET rate of tables of 1 MB" in text
    assert f"GET knee, 8 MB tables over 1 MB tables: measured {ratio} (" in readme.PICTURED.read_text()
    with pytest.raises(Problem, match="must have these parts"):
        readme.written("")


def test_nothing_is_hidden_under_a_published_picture():
    for name in notebook_names():
        text = (NOTEBOOKS / f"{name}.ipynb").read_text()
        assert not publish.NOT_TRUSTED.search(text), "under a picture there is nothing hidden"


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium")
def test_a_published_notebook_has_a_picture_beside_each_chart_and_flame_graph(executed, tmp_path):
    assert executed.status == 0
    name = "01-block-size"
    shutil.copy(NOTEBOOKS / f"{name}.ipynb", tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    for ending in ("ipynb", "html"):  # as if the run had been a full one
        text = (OUT / f"{name}.{ending}").read_text().replace("smoke mode", "full mode")
        (out / f"{name}.{ending}").write_text(text.replace('"mode": "smoke"', '"mode": "full"'))
    code = f"import pathlib, lablib.publish as p; p.NOTEBOOKS = pathlib.Path({str(tmp_path)!r}); p.OUT = pathlib.Path({str(out)!r}); p.publish({name!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")}, check=True, timeout=900)
    published = nbformat.read(tmp_path / f"{name}.ipynb", as_version=4)
    outputs = [output for cell in published.cells if cell.cell_type == "code" for output in cell.outputs]
    interactive = sum(publish.interactive(output) for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) == interactive >= 6
    assert not any(output.get("data", {}).get("text/plain", "").startswith(publish.PROGRESS) for output in outputs)


def test_without_a_run_there_is_nothing_to_publish(monkeypatch, tmp_path):
    monkeypatch.setattr(publish, "OUT", tmp_path)
    monkeypatch.setattr("sys.argv", ["publish", "01-block-size"])
    with pytest.raises(SystemExit, match="no run of 01-block-size to publish: scripts/lab run 01-block-size --full comes first"):
        publish.main()
