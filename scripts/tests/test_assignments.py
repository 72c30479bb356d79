# SPDX-License-Identifier: Apache-2.0
"""Assignments: what students get, and that grading gives what is deserved."""

import os
import re
import subprocess
import sys

import nbformat
import pytest
from lablib import assignments
from lablib.paths import ROOT, STATE

SOLUTION = re.compile(r"/// BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)/// END", re.DOTALL)


@pytest.fixture(scope="module")
def course():
    course = assignments.fresh_course(STATE / "assignments/test")
    course.released = {name: nbformat.read(course.release(name), as_version=4) for name in assignments.names()}
    return course


@pytest.mark.parametrize("name", assignments.names())
def test_the_students_version_is_the_sources(course, name):
    committed = nbformat.read(assignments.ASSIGNMENTS / f"{name}.ipynb", as_version=4)
    assert [cell.source for cell in committed.cells] == [cell.source for cell in course.released[name].cells], "scripts/lab assignments build"


@pytest.mark.parametrize("name", assignments.names())
def test_solutions_and_hidden_tests_stay_with_the_teacher(course, name):
    source = assignments.source_of(name)
    student = "\n".join(cell.source for cell in course.released[name].cells)
    kept = [line.strip() for cell in source.cells for region in SOLUTION.findall(cell.source) for line in region.splitlines()]
    assert len(kept) > 10
    assert not [line for line in kept if len(line) > 25 and line in student]
    assert "BEGIN" not in student
    assert [cell.source for cell in course.released[name].cells if cell.id == "name"] == ['String student = "";']
    for cell, original in zip(course.released[name].cells, source.cells, strict=False):
        if "/// BEGIN SOLUTION" in original.source:
            assert "throw new UnsupportedOperationException" in cell.source


@pytest.mark.parametrize("name", assignments.names())
def test_ten_points_and_seven_submissions(course, name):
    graded = [cell.metadata.nbgrader.points for cell in course.released[name].cells if assignments.is_test(cell)]
    assert sum(graded) == 10
    kinds = {path.stem for path in (assignments.FIXTURES / name).glob("*.json")}
    assert kinds == {"right", "wrong", "unfinished", "slow", "crashing", "hanging", "cheating"}


@pytest.mark.parametrize("name, kind", [("06-compaction", "right"), ("04-admission", "cheating")])
def test_a_submission_gets_what_it_deserves(name, kind):
    said = ""
    for _ in range(3):  # bounds in time are wide, but a machine may be busier still
        graded = subprocess.run(
            [sys.executable, "-m", "lablib.assignments", "check", name, "--only", kind],
            cwd=ROOT,
            text=True,
            env=os.environ | {"LSM_LAB_GRADING_SECONDS": "900"},
            capture_output=True,
            check=False,
        )
        said += graded.stdout + graded.stderr
        if graded.returncode == 0:
            break
    assert graded.stdout.endswith("1 of 1 fixtures graded as expected\n"), said


@pytest.mark.long
def test_all_submissions_get_what_they_deserve():
    graded = subprocess.run([sys.executable, "-m", "lablib.assignments", "check"], cwd=ROOT, text=True, capture_output=True, check=False)
    assert graded.stdout.endswith("42 of 42 fixtures graded as expected\n"), graded.stdout + graded.stderr


def test_whose_numbers_a_submission_was_made_with():
    notebook = nbformat.read(assignments.ASSIGNMENTS / "06-compaction.ipynb", as_version=4)
    assert assignments.claimed_name(notebook) == ""
    notebook.cells[1].source = 'String student = "Anna B. ";'
    assert assignments.claimed_name(notebook) == "Anna B."


def test_what_a_submission_prints_has_no_bound(tmp_path):
    endless = "import sys\nfor _ in range(50): sys.stdout.write('y' * 1_000_000)\nprint('\\nDeadKernelError: it died')"
    process = subprocess.Popen([sys.executable, "-c", endless], stdout=subprocess.PIPE)
    tail = assignments.Tail(process.stdout)
    assert process.wait() == 0
    assert len(tail.text()) == assignments.Tail.KEPT_BYTES
    assert assignments.FAILURE.findall(tail.text()) == ["DeadKernelError: it died"]


def test_processes_that_are_left_behind_hold_up_nothing_and_end():
    children = assignments.Children()
    left = subprocess.Popen(["sh", "-c", "sleep 600 & setsid sh -c 'sleep 601 & sleep 602' & echo done"], stdout=subprocess.PIPE)
    tail = assignments.Tail(left.stdout)
    assert left.wait() == 0
    assert tail.text() == "done\n"
    assert children.now() - children.known
    children.end_new()
    assert children.now() <= children.known


def test_a_folder_is_graded_and_what_is_no_notebook_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(assignments, "OUT", tmp_path / "out")
    handed_in = tmp_path / "handed-in"
    (handed_in / "bob").mkdir(parents=True)
    (handed_in / "anna.ipynb").write_text("this is no notebook")
    (handed_in / "bob" / "06-compaction.ipynb").write_text("[]")
    another = nbformat.v4.new_notebook(cells=[], metadata={"kernelspec": {"name": "java", "display_name": "Java", "language": "java"}})
    nbformat.write(another, handed_in / "zoe.ipynb")
    assert assignments.grade("06-compaction", handed_in) == 0
    said = capsys.readouterr().out
    assert said.count("could not be graded") == 2
    assert "zoe ... 0 of 10  (4 of its test cells are missing" in said
    assert "bob,0,10" in (tmp_path / "out" / "grades-06-compaction.csv").read_text()
