# SPDX-License-Identifier: Apache-2.0
"""Assignments, by nbgrader: what students get, what they hand in graded, and the grader graded. Runs in the environment that set-up made.

Usage: python -m lablib.assignments build | grade NAME DIR | check [--repeat N] [--only KIND] [NAME...]
"""

import argparse
import contextlib
import csv
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from lablib.paths import NOTEBOOKS, OUT, STATE, UNATTENDED
from lablib.problem import Problem

ASSIGNMENTS = NOTEBOOKS / "assignments"
SOURCE = ASSIGNMENTS / "source"
FIXTURES = ASSIGNMENTS / "fixtures"
LIMIT_SECONDS = int(os.environ.get("LSM_LAB_GRADING_SECONDS", "180"))  # tests on a busy machine take more
INCONCLUSIVE = "IllegalStateException, inconclusive"
BY_TIME = ["03-backpressure", "04-admission"]
LONGEST_REMARK = 160
MACHINE_SIGNS = {
    "No space left on device": "the disk is full",
    "database or disk is full": "the disk is full",
    "database is locked": "nbgrader's database is in use: close the teacher's page",
}
FAILURE = re.compile(r"\b\w{0,80}(?:Error|Exception): .*")  # bounded: over a line of a million letters \w+ would take hours
NAME = re.compile(r'String student = "([^"]*)"')


def names() -> list[str]:
    return sorted(path.name for path in SOURCE.iterdir() if path.is_dir())


@dataclass
class Grade:
    """Of one submission; points are None where the machine could not decide."""

    student: str
    points: float | None
    possible: float
    remark: str


def machines_fault(text: str) -> str | None:
    """What was wrong with this machine, by what was printed; None if that says nothing of it."""
    return next((reason for sign, reason in MACHINE_SIGNS.items() if sign in text), None)


class OutOfTime(Exception):
    """A command was ended because it took too long."""


class Tail:
    """Reads a pipe as long as anything comes, and keeps the last of it: what a submission prints has no bound."""

    KEPT_BYTES = 1 << 20
    WAIT_SECONDS = 2  # for what is in the pipe; a process that the submission left behind may hold it open for ever

    def __init__(self, pipe):
        self.kept = b""
        self.reader = threading.Thread(target=self.read, args=[pipe], daemon=True)
        self.reader.start()

    def read(self, pipe) -> None:
        while piece := os.read(pipe.fileno(), 1 << 16):
            self.kept = (self.kept + piece)[-self.KEPT_BYTES :]

    def text(self) -> str:
        self.reader.join(self.WAIT_SECONDS)
        return self.kept.decode(errors="replace")


class Children:
    """The processes that this one had when this was made. What a submission starts and leaves behind would slow down all that are graded later."""

    LIMIT_SECONDS = 10  # for a submission that starts them faster than they end
    ADOPTS_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER, see prctl(2)
    TASKS = Path("/proc/self/task")  # Linux only; elsewhere orphans are not found

    def __init__(self):
        if self.TASKS.exists():
            ctypes.CDLL(None).prctl(self.ADOPTS_ORPHANS, 1, 0, 0, 0)
        self.known = self.now()

    def now(self) -> set[int]:
        found = set()
        for children in self.TASKS.glob("*/children"):
            with contextlib.suppress(OSError):  # that thread has just ended
                found.update(map(int, children.read_text().split()))
        return found

    def end_new(self) -> None:
        """Again and again, since the children of one that ended are then children of this process."""
        deadline = time.monotonic() + self.LIMIT_SECONDS
        while (new := self.now() - self.known) and time.monotonic() < deadline:
            for pid in new:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)


class Course:
    """nbgrader's folders, with the project's source notebooks. What is in them stays: gradebooks hold teachers' comments."""

    def __init__(self, root: Path):
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        (root / "source").unlink(missing_ok=True)
        (root / "source").symlink_to(SOURCE)
        (root / "nbgrader_config.py").write_text(
            f"c = get_config()\nload_subconfig({str(ASSIGNMENTS / 'nbgrader_config.py')!r})\nc.CourseDirectory.root = {str(root)!r}\n"
        )

    def nbgrader(self, *words: str, limit: float | None = None) -> tuple[int, str]:
        """Status and output of a command; one that takes too long is ended, with the kernel and the servers that it started."""
        others = Children()
        process = subprocess.Popen(
            [sys.executable, "-m", "nbgrader", *words],
            cwd=self.root,
            env=os.environ | {"WRK2": "wrk2.jar"} | UNATTENDED,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        tail = Tail(process.stdout)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise OutOfTime(f"not done within {limit:.0f} s") from None
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            raise
        finally:
            others.end_new()
        return process.returncode, tail.text()

    def release(self, name: str) -> Path:
        """The student's version, without solutions and hidden tests."""
        status, output = self.nbgrader("generate_assignment", name, "--create", "--force")
        if status != 0:
            raise Problem(f"no student's version of {name}:\n{output}")
        return self.root / "release" / name / f"{name}.ipynb"

    def submit(self, name: str, student: str, notebook) -> None:
        """Puts it where nbgrader looks for it."""
        folder = self.root / "submitted" / student / name
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")

    def grade(self, name: str, student: str) -> Grade:
        """Once: who is graded until a comparison comes out well has several chances of a false pass."""
        claimed = claimed_name(nbformat.read(self.root / "submitted" / student / name / f"{name}.ipynb", as_version=4))
        another = f"made for '{claimed}', whose numbers are others; " if claimed and claimed.lower() != student.lower() else ""
        try:
            points, remark = self.points(name, student)
        except OutOfTime as late:
            points, remark = 0, f"the notebook could not be run to its end: {late}"
        return Grade(student, points, possible_points(name), another + remark)

    def points(self, name: str, student: str) -> tuple[float | None, str]:
        """Points, None if the machine could not decide, and a remark."""
        status, output = self.nbgrader("autograde", name, f"--student={student}", "--force", limit=LIMIT_SECONDS)
        graded = self.root / "autograded" / student / name / f"{name}.ipynb"
        if status != 0 and (fault := machines_fault(output)):
            raise OSError(fault)
        if status != 0 or not graded.exists():
            reasons = FAILURE.findall(output) or output.strip().split("\n")
            last_words = [reason for reason in reasons if not reason.startswith("DeadKernelError")] or reasons
            return 0, f"the notebook could not be run to its end: {last_words[-1][:LONGEST_REMARK]}"
        notebook = nbformat.read(graded, as_version=4)
        errors = errors_of(notebook)
        missing = sum(map(is_test, source_of(name).cells)) - sum(map(is_test, notebook.cells))
        if missing:
            return 0, f"{missing} of its test cells are missing: is it this assignment's notebook?"
        undecided = [error for error in errors if INCONCLUSIVE in error]
        if undecided:
            return None, undecided[0]
        with Gradebook(f"sqlite:///{self.root}/gradebook.db") as book:
            return book.find_submission(name, student).score, "".join(errors[:1])

    def feedback(self, name: str) -> Path:
        self.nbgrader("generate_feedback", name, "--force")
        return self.root / "feedback"


def source_of(name: str):
    return nbformat.read(SOURCE / name / f"{name}.ipynb", as_version=4)


def possible_points(name: str) -> float:
    return sum(cell.metadata.nbgrader.points for cell in source_of(name).cells if is_test(cell))


def claimed_name(submitted) -> str | None:
    """The name in its first cell."""
    found = [NAME.search(cell.source) for cell in submitted.cells if cell.cell_type == "code"]
    return next((name.group(1).strip() for name in found if name), None)


def is_test(cell) -> bool:
    return cell.metadata.get("nbgrader", {}).get("grade", False)


def errors_of(notebook) -> list[str]:
    """What the graded cells that failed say, a line each."""
    return [
        re.sub(r"\x1b\[[0-9;]*m", "", f"{output.ename}: {output.evalue}").splitlines()[0][:LONGEST_REMARK]
        for cell in notebook.cells
        if is_test(cell)
        for output in cell.outputs
        if output.output_type == "error"
    ]


def fresh_course(root: Path) -> Course:
    shutil.rmtree(root, ignore_errors=True)
    return Course(root)


def build() -> None:
    course = fresh_course(STATE / "assignments/build")
    for name in names():
        student = nbformat.read(course.release(name), as_version=4)
        nbformat.write(student, ASSIGNMENTS / f"{name}.ipynb")
        print(f"notebooks/assignments/{name}.ipynb")


def grade(name: str, folder: Path) -> int:
    if name not in names():
        raise Problem(f"no such assignment: {name}; there are {', '.join(names())}")
    handed_in = submissions(name, folder)
    course = Course(OUT / "assignments" / name)
    course.release(name)
    target = OUT / f"grades-{name}.csv"
    grades = []
    with target.open("w", newline="", buffering=1) as file:
        table = csv.writer(file)
        table.writerow(["student", "points", "possible", "remark"])
        for number, (student, path) in enumerate(handed_in.items(), 1):
            print(f"{number} of {len(handed_in)}: {student} ...", end=" ", flush=True)
            grade = grade_file(course, name, student, path)
            grades.append(grade)
            table.writerow([student, "" if grade.points is None else grade.points, grade.possible, grade.remark])
            print(in_words(grade), flush=True)
    feedback = course.feedback(name)
    print(f"\n{target}\nfeedback: {feedback}\nin JupyterLab, see the teacher's page: /formgrader?path={course.root}")
    undecided = [each.student for each in grades if each.points is None]
    if undecided:
        print(
            f"inconclusive, for the machine could not decide: {', '.join(undecided)}; decide by hand: a second grading would be a second chance",
            file=sys.stderr,
        )
    return 1 if undecided else 0


def grade_file(course: Course, name: str, student: str, path: Path) -> Grade:
    try:
        course.submit(name, student, nbformat.read(path, as_version=4))
        return course.grade(name, student)
    except OSError as error:  # of this machine, not of the student
        return Grade(student, None, possible_points(name), f"{path} could not be graded here: {error}"[:200])
    except Exception as error:  # whatever is wrong with one file, the others are graded
        return Grade(student, None if machines_fault(str(error)) else 0, possible_points(name), f"{path} could not be graded: {error!r}"[:200])


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


def check(only: list[str], kind: str, repeat: int) -> int:
    """Grades submissions of which it is known what they deserve."""
    course = fresh_course(STATE / "assignments/check")
    right = total = 0
    for name in only or names():
        if name not in names():
            raise Problem(f"no such assignment: {name}; there are {', '.join(names())}")
        released = course.release(name)
        for fixture in sorted((FIXTURES / name).glob(f"{kind}.json")):
            wanted = json.loads(fixture.read_text())
            course.submit(name, fixture.stem, submission(nbformat.read(released, as_version=4), wanted["cells"]))
            for _ in range(repeat):
                graded = course.grade(name, fixture.stem)
                total += 1
                right += graded.points == wanted["points"]
                print(
                    f"{'ok ' if graded.points == wanted['points'] else 'NOT'} {name} {fixture.stem}: expected {wanted['points']:g}, given {in_words(graded)}",
                    flush=True,
                )
    print(f"{right} of {total} fixtures graded as expected")
    return 0 if right == total > 0 else 1


def submission(notebook, cells: dict[str, list[str]]):
    """The student's version with other sources in some cells, by their ids."""
    left = dict(cells)
    for cell in notebook.cells:
        source = left.pop(cell.id, None)
        if source is not None:
            cell.source = "\n".join(source)
    if left:
        raise Problem(f"the notebook has no cell {', '.join(left)}")
    return notebook


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/lab assignments")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="make the students' notebooks from those in source/")
    graded = commands.add_parser("grade", help="grade what was handed in")
    graded.add_argument("name", metavar="NAME", help="like 02-pruning")
    graded.add_argument("folder", metavar="DIR", type=Path, help="with STUDENT.ipynb or STUDENT/NAME.ipynb for each student")
    checked = commands.add_parser("check", help="grade submissions of which it is known what they deserve")
    checked.add_argument("names", metavar="NAME", nargs="*")
    checked.add_argument("--repeat", type=int, default=1, metavar="N", help="only the right ones of the assignments that are graded by time, so often")
    checked.add_argument("--only", default="*", metavar="KIND", help="right, wrong, unfinished, slow, crashing, hanging or cheating")
    options = parser.parse_args()
    try:
        if options.command == "build":
            build()
        elif options.command == "grade":
            sys.exit(grade(options.name, options.folder))
        else:
            chosen, kind = (options.names or BY_TIME, "right") if options.repeat > 1 else (options.names, options.only)
            sys.exit(check(chosen, kind, options.repeat))
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")
    except KeyboardInterrupt:
        sys.exit("\nlsm-lab: interrupted")


if __name__ == "__main__":
    main()
