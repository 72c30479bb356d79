# SPDX-License-Identifier: Apache-2.0
"""A folder of submissions, graded: several at a time where counters decide, one by one where times do. Goes on where it was interrupted."""

import csv
import dataclasses
import functools
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
import psutil

from lablib import review, sandbox, similar
from lablib.course import LIMIT_SECONDS, SOURCE, TOO_LATE, Course, Grade, machines_fault, names, points_by_hand, possible_points
from lablib.files import digest_of_jars, read_note, write_whole
from lablib.paths import JARS, OUT
from lablib.problem import Problem

BY_TIME = ["03-backpressure", "04-admission"]  # these compare times
ALONE = [*BY_TIME, "01-coordinated-omission", "06-compaction", "08-report"]  # and these have bounds in time: one submission after the other
ONE = "one"  # the command of the process that grades a single submission
SLACK_SECONDS = 60  # for what that process does besides running the notebook
REPORT = "report"  # the cell of assignment 8
MOST_REMARKS = 3
NOTE = "grades.json"


def grade(name: str, folder: Path, jobs: int | None, anew: bool) -> int:
    """Returns 1 if the machine could not decide about some."""
    if name not in names():
        raise Problem(f"no such assignment: {name}; there are {', '.join(names())}")
    if jobs is not None and jobs < 1:
        raise Problem(f"--jobs is {jobs}, it must be 1 or more")
    handed_in = submissions(name, folder)
    course = Course(OUT / "assignments" / name)
    course.release(name)
    course.snapshot()
    graded = {} if anew else graded_before(course, name, handed_in)
    if graded:
        print(f"{len(graded)} of {len(handed_in)} were graded before and have not changed; --anew grades them, too")
    others = folder.resolve() if sandbox.available() else None
    if not others:
        print(sandbox.MISSING, file=sys.stderr)
    at_a_time = 1 if name in ALONE or not others else jobs or most_jobs()
    left = {student: path for student, path in handed_in.items() if student not in graded}
    late = {}
    for grade in all_graded(course, name, left, at_a_time, others):
        if grade.late and at_a_time > 1:
            late[grade.student] = left[grade.student]
        else:
            note(course, name, graded, grade, handed_in)
    if late:
        print(f"{len(late)} took too long beside others; once more, one by one")
    for grade in all_graded(course, name, late, 1, others):
        note(course, name, graded, grade, handed_in)
    return report(course, name, dict(sorted(graded.items())), handed_in)


def most_jobs() -> int:
    """One for each processor, as far as the memory goes."""
    return max(1, min(os.cpu_count() or 1, psutil.virtual_memory().available // sandbox.MEMORY_BYTES))


def note(course: Course, name: str, graded: dict[str, Grade], grade: Grade, handed_in: dict[str, Path]) -> None:
    graded[grade.student] = grade
    keep(course, name, grade, handed_in[grade.student])
    write_table(name, graded, {})


def report(course: Course, name: str, graded: dict[str, Grade], handed_in: dict[str, Path]) -> int:
    likeness = similar.found(course.root / "similarity", name, handed_in)  # never ends the grading
    table = write_table(name, graded, likeness)
    write_platforms(name, graded)
    feedback = course.feedback(name)
    print(f"\n{table}\nfor Canvas and Moodle: {table.with_suffix('')}-canvas.csv, -moodle.csv\nfeedback: {feedback}")
    print(f"by hand, {points_by_hand(name):g} points each, in JupyterLab on the teacher's page: /formgrader?path={course.root}")
    for pair in sorted(set(likeness.values()), reverse=True)[: similar.SHOWN]:
        print(f"similar: {pair}")
    undecided = [each.student for each in graded.values() if each.points is None]
    if undecided:
        print(
            f"inconclusive, for the machine could not decide: {', '.join(undecided)}; decide by hand: a second grading would be a second chance",
            file=sys.stderr,
        )
    return 1 if undecided else 0


def all_graded(course: Course, name: str, left: dict[str, Path], at_a_time: int, others: Path | None) -> Iterator[Grade]:
    """Each grade when it is there; says how far it is."""
    stop = threading.Event()
    start = time.monotonic()
    with ThreadPoolExecutor(at_a_time) as pool:
        running = [pool.submit(graded_apart, course, name, student, path, others, stop) for student, path in left.items()]
        try:
            for done, future in enumerate(as_completed(running), 1):
                grade = future.result()
                course.take(apart(course, grade.student), name, grade.student)
                minutes = (time.monotonic() - start) / done * (len(left) - done) / 60
                time_left = f"; about {minutes:.0f} min left" if minutes >= 1 else ""
                print(f"{done} of {len(left)}: {grade.student} {in_words(grade)}{time_left}", flush=True)
                yield grade
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def apart(course: Course, student: str) -> Path:
    return course.root / "apart" / student


def graded_apart(course: Course, name: str, student: str, path: Path, others: Path | None, stop: threading.Event) -> Grade:
    """Grades one in a process and a course of its own. WHY a process: it ends all that a submission leaves behind, and takes that for its own children."""
    try:
        one = course.copy(name, apart(course, student))
        copy = one.root / "handed-in.ipynb"
        copy.write_bytes(path.read_bytes())
        words = [sys.executable, "-m", "lablib.assignments", ONE, name, student, str(copy), str(one.root), str(others or "")]
        said = sandbox.run(words, LIMIT_SECONDS + SLACK_SECONDS, stop)
        return Grade(**json.loads(said.strip().splitlines()[-1]))
    except sandbox.Ended as ended:
        return Grade(student, 0, possible_points(name), f"ended: {ended}", late=TOO_LATE in str(ended))
    except (OSError, ValueError, IndexError, TypeError) as error:
        return Grade(student, None, possible_points(name), f"could not be graded here: {error}"[:200])


def one(name: str, student: str, path: str, root: str, others: str) -> None:
    """Prints the grade as JSON."""
    course = Course(Path(root), Path(others) if others else None)
    print(json.dumps(dataclasses.asdict(grade_file(course, name, student, Path(path)))))


def grade_file(course: Course, name: str, student: str, path: Path) -> Grade:
    try:
        notebook = nbformat.read(path, as_version=4)
        course.submit(name, student, notebook)
        grade = course.grade(name, student)
        return dataclasses.replace(grade, remark="; ".join(filter(None, [grade.remark, *reviewed(notebook)])))
    except OSError as error:  # of this machine, not of the student
        return Grade(student, None, possible_points(name), f"could not be graded here: {error}"[:200])
    except Exception as error:  # whatever is wrong with one file, the others are graded
        return Grade(student, None if machines_fault(str(error)) else 0, possible_points(name), f"could not be graded: {error!r}"[:200])


def reviewed(notebook) -> list[str]:
    """What the reviewer asks about a written report."""
    reports = [cell.source for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == REPORT]
    return [f"the reviewer, line {remark.line}: {remark.text}" for report in reports for remark in review.remarks(report)][:MOST_REMARKS]


def submissions(name: str, folder: Path) -> dict[str, Path]:
    """DIR/STUDENT.ipynb, DIR/STUDENT/NAME.ipynb, or nbgrader's DIR/STUDENT/NAME/NAME.ipynb."""
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder; hand over one with STUDENT.ipynb or STUDENT/{name}.ipynb for each student")
    found = {path.stem: path for path in folder.glob("*.ipynb")}
    for pattern in (f"[!.]*/{name}.ipynb", f"[!.]*/{name}/{name}.ipynb"):
        found |= {path.relative_to(folder).parts[0]: path for path in folder.glob(pattern)}
    if not found:
        raise Problem(f"{folder} has neither STUDENT.ipynb nor STUDENT/{name}.ipynb")
    return dict(sorted(found.items()))


def in_words(grade: Grade) -> str:
    points = "inconclusive" if grade.points is None else f"{grade.points:g} of {grade.possible:g}"
    return points + (f"  ({grade.remark})" if grade.remark else "")


@functools.cache
def graders_digest(name: str) -> bytes:
    """Once for all submissions: the jars have thousands of entries."""
    return hashlib.sha256((SOURCE / name / f"{name}.ipynb").read_bytes() + digest_of_jars(JARS).encode()).digest()


def digest(name: str, path: Path) -> str:
    """Of a submission and of what it is graded by; "" of one that can't be read."""
    try:
        return hashlib.sha256(graders_digest(name) + path.read_bytes()).hexdigest()
    except OSError:
        return ""


def graded_before(course: Course, name: str, handed_in: dict[str, Path]) -> dict[str, Grade]:
    """Also those that were inconclusive: who is graded until a comparison comes out well has several chances."""
    notes = read_note(course.root / NOTE, {})
    return {
        student: Grade(**notes[student]["grade"])
        for student, path in handed_in.items()
        if student in notes and notes[student]["digest"] == digest(name, path) != ""
    }


def keep(course: Course, name: str, grade: Grade, path: Path) -> None:
    notes = read_note(course.root / NOTE, {}) | {grade.student: {"digest": digest(name, path), "grade": dataclasses.asdict(grade)}}
    write_whole(course.root / NOTE, json.dumps(notes, indent=1) + "\n")


def write_table(name: str, graded: dict[str, Grade], likeness: dict[str, "similar.Pair"]) -> Path:
    target = OUT / f"grades-{name}.csv"
    by_hand = points_by_hand(name)
    rows = [["student", "points", "possible", "possible by hand", "most similar to", "similarity", "remark"]]
    for student, grade in sorted(graded.items()):
        pair = likeness.get(student)
        alike = [pair.other(student), f"{pair.similarity:.2f}"] if pair else ["", ""]
        rows.append([student, number(grade), grade.possible, by_hand, *alike, grade.remark])
    return write_rows(target, rows)


def write_platforms(name: str, graded: dict[str, Grade]) -> None:
    """The columns that Canvas's and Moodle's imports ask for; what is inconclusive is left out, not zero."""
    ordered = sorted(graded.items())
    canvas = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", name]]
    canvas += [["    Points Possible", "", "", "", "", possible_points(name)]]
    canvas += [[student, "", "", student, "", number(grade)] for student, grade in ordered if grade.points is not None]
    write_rows(OUT / f"grades-{name}-canvas.csv", canvas)
    moodle = [["Username", name, "Feedback"]] + [[student, number(grade), grade.remark] for student, grade in ordered if grade.points is not None]
    write_rows(OUT / f"grades-{name}-moodle.csv", moodle)


def number(grade: Grade) -> str:
    return "" if grade.points is None else f"{grade.points:g}"


def write_rows(target: Path, rows: list[list]) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return target
