# SPDX-License-Identifier: Apache-2.0
"""Assignments: what students get, and that grading gives what is deserved."""

import io
import json
import os
import subprocess
import sys
import threading
import zipfile

import nbformat
import pytest
from lablib import assignments, course, grading, release, sandbox, similar
from lablib.paths import ROOT, STATE
from lablib.problem import Problem

STEPS = [name for name in course.names() if "-own-" in name]  # of the path to a store of one's own


@pytest.fixture(scope="module")
def released():
    """The students' notebooks by name, as nbgrader makes them of the sources."""
    fresh = course.fresh_course(STATE / "assignments/test")
    return {name: nbformat.read(fresh.release(name), as_version=4) for name in course.names()}


@pytest.mark.parametrize("name", course.names())
def test_the_students_version_is_the_sources(released, name):
    committed = nbformat.read(course.ASSIGNMENTS / f"{name}.ipynb", as_version=4)
    assert [cell.source for cell in committed.cells] == [cell.source for cell in released[name].cells], "scripts/lab assignments build"


@pytest.mark.parametrize("name", course.names())
def test_solutions_and_hidden_tests_stay_with_the_teacher(released, name):
    source = course.source_of(name)
    student = "\n".join(cell.source for cell in released[name].cells)
    answers = [cell.source for cell in source.cells if course.is_answered_in_words(cell)]
    shown = "\n".join(release.REGION.sub("", cell.source) for cell in source.cells if not course.is_answered_in_words(cell))
    kept = [
        line.strip() for text in [*answers, *(region for cell in source.cells for region in release.REGION.findall(cell.source))] for line in text.splitlines()
    ]
    assert len(kept) > 5
    assert not [line for line in kept if len(line) > 25 and line not in shown and line in student]
    assert "BEGIN" not in student
    assert [cell.source for cell in released[name].cells if cell.id == "name"] == ['String student = "";']
    for cell, original in zip(released[name].cells, source.cells, strict=False):
        if "/// BEGIN SOLUTION" in original.source:
            assert "throw new UnsupportedOperationException" in cell.source


@pytest.mark.parametrize("name", course.names())
def test_points_and_submissions(released, name):
    is_step = name in STEPS
    by_machine, by_hand = (4, 10) if name == "08-report" else (10, 0 if is_step else 4)
    assert (course.possible_points(name), course.points_by_hand(name)) == (by_machine, by_hand)
    cells = released[name].cells
    assert sum(cell.metadata.nbgrader.points for cell in cells if course.is_test(cell)) == by_machine
    kinds = {path.stem for path in (course.FIXTURES / name).glob("*.json")}
    if is_step:
        assert len(kinds) == 4 and {"right", "unfinished"} < kinds
    else:
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
    assert graded.stdout.endswith("76 of 76 fixtures graded as expected\n"), graded.stdout + graded.stderr


def test_whose_numbers_a_submission_was_made_with():
    notebook = nbformat.read(course.ASSIGNMENTS / "06-compaction.ipynb", as_version=4)
    assert course.claimed_name(notebook) == ""
    notebook.cells[1].source = 'String student = "Anna B. ";'
    assert course.claimed_name(notebook) == "Anna B."


def test_what_a_submission_prints_has_no_bound(tmp_path):
    endless = "import sys\nfor _ in range(50): sys.stdout.write('y' * 1_000_000)\nprint('\\nDeadKernelError: it died')"
    process = subprocess.Popen([sys.executable, "-c", endless], stdout=subprocess.PIPE)
    tail = course.Tail(process.stdout)
    assert process.wait() == 0
    assert len(tail.text()) == course.Tail.KEPT_BYTES
    assert course.FAILURE.findall(tail.text()) == ["DeadKernelError: it died"]


def test_processes_that_are_left_behind_hold_up_nothing_and_end():
    children = course.Children()
    left = subprocess.Popen(["sh", "-c", "sleep 600 & setsid sh -c 'sleep 601 & sleep 602' & echo done"], stdout=subprocess.PIPE)
    tail = course.Tail(left.stdout)
    assert left.wait() == 0
    assert tail.text() == "done\n"
    assert children.now() - children.known
    children.end_new()
    assert children.now() <= children.known


def test_a_folder_is_graded_and_what_is_no_notebook_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(grading, "OUT", tmp_path / "out")
    monkeypatch.setattr(grading.similar, "found", lambda *_: {"bob": grading.similar.Pair(0.9, "bob", "zoe")})
    handed_in = tmp_path / "handed-in"
    (handed_in / "bob").mkdir(parents=True)
    (handed_in / "anna.ipynb").write_text("this is no notebook")
    (handed_in / "bob" / "06-compaction.ipynb").write_text("[]")
    another = nbformat.v4.new_notebook(cells=[], metadata={"kernelspec": {"name": "java", "display_name": "Java", "language": "java"}})
    nbformat.write(another, handed_in / "zoe.ipynb")
    assert grading.grade("06-compaction", handed_in, None, False) == 0
    said = capsys.readouterr().out
    assert said.count("could not be graded") == 2
    assert "of 3: zoe 0 of 10  (6 of its test cells are missing" in said
    table = (tmp_path / "out" / "grades-06-compaction.csv").read_text()
    assert "bob,0,10,4,zoe,0.90" in table
    assert "anna,,,anna,,0" in (tmp_path / "out" / "grades-06-compaction-canvas.csv").read_text()
    assert (tmp_path / "out" / "grades-06-compaction-moodle.csv").read_text().startswith("Username,06-compaction,Feedback\n")
    nbformat.write(another, handed_in / "anna.ipynb")  # she hands in another file
    assert grading.grade("06-compaction", handed_in, None, False) == 0
    said = capsys.readouterr().out
    assert "2 of 3 were graded before and have not changed" in said
    assert "1 of 1: anna 0 of 10" in said


def test_a_report_is_read_by_the_reviewer():
    notebook = nbformat.read(course.ASSIGNMENTS / "08-report.ipynb", as_version=4)
    report = next(cell for cell in notebook.cells if cell.id == "report")
    assert grading.reviewed(notebook) == []
    report.source = "The flame graph is not shown, but the server is limited by its CPU: 90 % of the processor time is spent in Bloom filters."
    assert "line 1" in grading.reviewed(notebook)[0]


@pytest.mark.long
@pytest.mark.skipif(not sandbox.available(), reason="needs bubblewrap")
def test_a_submission_in_the_sandbox_reaches_nothing_of_others(tmp_path):
    (tmp_path / "other").write_text("of another student")
    own = tmp_path / "own"
    own.mkdir()
    tries = [
        f"open({str(own / 'mine')!r}, 'w').write('1')",
        f"open({str(tmp_path / 'other')!r}, 'w')",
        "[name for _, name in __import__('socket').if_nameindex()] == ['lo'] or 1 / 0",
        "__import__('os').kill(1, 0) or len([p for p in __import__('os').listdir('/proc') if p.isdigit()]) < 10 or 1 / 0",
    ]
    (own / "gradebook.db").write_text("points")
    (tmp_path / "handed-in").mkdir()
    (tmp_path / "handed-in/other.ipynb").touch()
    tries += [f"open({str(tmp_path / 'handed-in/other.ipynb')!r})", f"open({str(ROOT / '.git/HEAD')!r})"]
    code = f"for each in {tries!r}:\n  try:\n    eval(each)\n    print('could')\n  except Exception as error:\n    print('could not')"
    said = sandbox.run(sandbox.wrapped(own, [sys.executable, "-c", code], tmp_path / "handed-in"), 30, threading.Event())
    assert said.split("\n")[0] == "could"
    assert said.split("\n")[2:6] == ["could", "could", "could not", "could not"]
    assert (tmp_path / "other").read_text() == "of another student"
    kernel = json.loads((own / "lab" / sandbox.KERNEL).read_text())["argv"]
    words = kernel[: next(number for number, word in enumerate(kernel) if word.endswith("/bin/java"))]
    for tried in (f"open({str(own / 'gradebook.db')!r})", f"open({str(own / 'gradebook.db')!r}, 'w')", f"open({str(own / 'other')!r}, 'w')"):
        with pytest.raises(OSError, match=r"Permission denied|Read-only file system"):
            sandbox.run(sandbox.wrapped(own, [*words, sys.executable, "-c", tried]), 30, threading.Event())
    assert (own / "gradebook.db").read_text() == "points"


def test_what_takes_too_long_or_too_much_is_ended(monkeypatch):
    with pytest.raises(sandbox.Ended, match="not done within 1 s"):
        sandbox.run(["sleep", "60"], 1, threading.Event())
    monkeypatch.setattr(sandbox, "MEMORY_BYTES", 50 << 20)
    with pytest.raises(sandbox.Ended, match="of memory"):
        sandbox.run([sys.executable, "-c", "import time; a = bytearray(200_000_000); time.sleep(60)"], 30, threading.Event())


@pytest.mark.long
def test_the_five_steps_together_are_a_store_that_is_served_and_loaded(released):
    mine = {name: json.loads((course.FIXTURES / name / "right.json").read_text())["cells"] for name in STEPS}
    last = STEPS[-1]
    methods = [
        line
        for name in STEPS[:-1]
        for cell in released[name].cells
        if cell.id == "given-06"
        for line in cell.source.split("\n")
        if line.startswith("    public ")
    ]
    own = next(cell.source.split("\n") for cell in released[last].cells if cell.id == "my-store")
    classes = [line for name in STEPS[:-1] for line in mine[name]["mine"]]
    names = [line.split()[1] for name in STEPS for line in mine[name]["mine"] if line.startswith("class ")]
    own = [line.replace('"MyFilter"', ", ".join(f'"{name}"' for name in names)) for line in own if not line.strip().startswith("//")]
    whole = course.fresh_course(STATE / "assignments/whole")
    whole.release(last)
    cells = mine[last] | {"my-store": [*classes, own[0], *methods, *own[1:]]}
    whole.submit(last, "right", assignments.submission(nbformat.read(course.ASSIGNMENTS / f"{last}.ipynb", as_version=4), cells))
    grade = whole.grade(last, "right")
    assert assignments.broken_cells(whole.autograded(last, "right")) == []
    graded = nbformat.read(whole.autograded(last, "right"), as_version=4)
    assert grade.points == grade.possible
    assert "my store" in str(next(cell.outputs for cell in graded.cells if cell.id == "my-store"))


@pytest.mark.long
def test_copied_classes_are_found(tmp_path):
    handed_in = {}
    for student, kind in (("anna", "right"), ("bob", "right"), ("carl", "wrong")):
        notebook = nbformat.read(course.ASSIGNMENTS / "06-compaction.ipynb", as_version=4)
        cells = json.loads((course.FIXTURES / "06-compaction" / f"{kind}.json").read_text())["cells"]
        nbformat.write(assignments.submission(notebook, cells), tmp_path / f"{student}.ipynb")
        handed_in[student] = tmp_path / f"{student}.ipynb"
    found = similar.found(tmp_path / "work", "06-compaction", handed_in)
    assert found["anna"] == found["bob"] and found["anna"].similarity > 0.95
    assert "carl" not in found


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    """What students get."""
    target = tmp_path_factory.mktemp("release") / "students"
    release.release(target)
    return target


def test_what_students_get_has_no_line_of_a_solution(students):
    assert not list(students.rglob("*.java"))
    assert not list(students.rglob("*-sources.jar"))
    assert not [path for path in students.rglob("*") if {"source", "fixtures", "solutions"} & set(path.relative_to(students).parts)]
    assert len(release.secrets()) > 300
    with pytest.raises(Problem, match="is there already"):
        release.release(students)


@pytest.mark.parametrize("hide", ["text", "notebook", "jar in a jar"])
def test_a_line_of_a_solution_is_found_wherever_it_is(students, tmp_path, hide):
    line = next(line for line in sorted(release.secrets()) if line.startswith("return size()"))
    if hide == "text":
        (tmp_path / "notes.txt").write_text(f"    {line}\n")
    elif hide == "notebook":
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(f"int a = 1;\n  {line}\n")]), tmp_path / "a.ipynb")
    else:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as jar:
            jar.writestr("Solution.java", f"class Solution {{\n{line}\n}}")
        with zipfile.ZipFile(tmp_path / "outer.jar", "w", zipfile.ZIP_DEFLATED) as jar:
            jar.writestr("lib/inner.jar", inner.getvalue())
    assert [found.endswith(line) for found in release.leaks(tmp_path)] == [True]


@pytest.mark.long
def test_students_set_up_without_maven_and_each_assignment_opens(students):
    set_up = subprocess.run([students / "scripts/lab", "setup"], text=True, capture_output=True, check=False)
    assert set_up.returncode == 0, set_up.stdout + set_up.stderr
    assert "Maven" not in set_up.stdout
    for name in course.names():
        notebook = nbformat.read(students / f"notebooks/assignments/{name}.ipynb", as_version=4)
        next(cell for cell in notebook.cells if cell.id == "name").source = 'String student = "anna";'
        notebook.cells.append(nbformat.v4.new_code_cell("me"))  # not each first cell greets by name
        path = students / "work" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, path)
        code = (
            "import sys, nbformat; from nbclient import NotebookClient; from lablib import setup; import os;"
            "os.environ.update(setup.everything().variables());"
            "nb = nbformat.read(sys.argv[1], as_version=4); NotebookClient(nb, kernel_name='java', allow_errors=True, timeout=100).execute();"
            "nbformat.write(nb, sys.argv[1])"
        )
        environment = os.environ | {"PYTHONPATH": str(students / "scripts"), "LSM_LAB_PREDICTIONS": "none"}
        subprocess.run([students / ".lab/venv/bin/python", "-c", code, path], cwd=students, env=environment, check=True)
        opened = nbformat.read(path, as_version=4)
        given = next(cell for cell in opened.cells if cell.id == "given-03")
        assert [output.output_type for output in given.outputs] == ["execute_result"], f"{name}: {given.outputs}"
        assert "anna" in str(opened.cells[-1].outputs), name
        assert all(cell.outputs and cell.outputs[-1].output_type == "error" for cell in opened.cells if course.is_test(cell)), name
