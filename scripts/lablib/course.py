# SPDX-License-Identifier: Apache-2.0
"""A course of nbgrader: the student's version of an assignment, and one submission graded, with all that it may do to the machine."""

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from lablib import sandbox
from lablib.paths import NOTEBOOKS, UNATTENDED
from lablib.problem import Problem

ASSIGNMENTS = NOTEBOOKS / "assignments"
SOURCE = ASSIGNMENTS / "source"
FIXTURES = ASSIGNMENTS / "fixtures"
LIMIT_SECONDS = int(os.environ.get("LSM_LAB_GRADING_SECONDS", "240"))  # tests on a busy machine take more
GRADEBOOK = "gradebook.db"
SNAPSHOT = "gradebook-at-start.db"
INCONCLUSIVE = "IllegalStateException, inconclusive"
TOO_LATE = "not done within"  # what a check with a limit says, too
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
    late: bool = False  # something in it took too long


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

    def __init__(self, root: Path, others: Path | None = None):
        """@param others: the folder of all submissions; these then run in a sandbox, which hides it"""
        self.root = root
        self.others = others
        root.mkdir(parents=True, exist_ok=True)
        (root / "source").unlink(missing_ok=True)
        (root / "source").symlink_to(SOURCE)
        (root / "nbgrader_config.py").write_text(
            f"c = get_config()\nload_subconfig({str(ASSIGNMENTS / 'nbgrader_config.py')!r})\nc.CourseDirectory.root = {str(root)!r}\n"
        )

    def nbgrader(self, *words: str, limit: float | None = None) -> tuple[int, str]:
        """Status and output of a command; one that takes too long is ended, with the kernel and the servers that it started."""
        others = Children()
        command = [sys.executable, "-m", "nbgrader", *words]
        process = subprocess.Popen(
            sandbox.wrapped(self.root, command, self.others) if self.others else command,
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
            raise OutOfTime(f"{TOO_LATE} {limit:.0f} s") from None
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
            return Grade(student, points, possible_points(name), another + remark, late=TOO_LATE in remark)
        except OutOfTime as late:
            return Grade(student, 0, possible_points(name), f"{another}the notebook could not be run to its end: {late}", late=True)

    def points(self, name: str, student: str) -> tuple[float | None, str]:
        """Points, None if the machine could not decide, and a remark."""
        status, output = self.nbgrader("autograde", name, f"--student={student}", "--force", limit=LIMIT_SECONDS)
        graded = self.autograded(name, student)
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
        return sum(score for score, _ in scores_of(self.gradebook, name, student).values()), "".join(errors[:1])

    def autograded(self, name: str, student: str) -> Path:
        return self.root / "autograded" / student / name / f"{name}.ipynb"

    @property
    def gradebook(self) -> Path:
        return self.root / GRADEBOOK

    def snapshot(self) -> None:
        """What :meth:`copy` copies: the gradebook itself changes while others are graded."""
        shutil.copy2(self.gradebook, self.root / SNAPSHOT)

    def copy(self, name: str, root: Path) -> "Course":
        """A course for one submission, so that what runs in it can spoil no other's."""
        shutil.rmtree(root, ignore_errors=True)
        one = Course(root)
        shutil.copy2(self.root / SNAPSHOT, one.gradebook)
        shutil.copytree(self.root / "release" / name, root / "release" / name)
        return one

    def take(self, root: Path, name: str, student: str) -> None:
        """The submission of a copy, with its points, for nbgrader's Formgrader; then the copy is removed. What a submission has left there is not trusted."""
        for folder in ("submitted", "autograded"):
            graded = root / folder / student / name / f"{name}.ipynb"
            kept = self.root / folder / student / name
            shutil.rmtree(kept, ignore_errors=True)
            if graded.is_file() and not graded.is_symlink():
                kept.mkdir(parents=True)
                shutil.copyfile(graded, kept / graded.name)
        scores = {}
        if (self.root / "autograded" / student / name).exists():
            with contextlib.suppress(Exception):  # whatever a submission did to its copy
                scores = scores_of(root / GRADEBOOK, name, student)
        with warnings.catch_warnings(), Gradebook(f"sqlite:///{self.gradebook}") as book:
            warnings.simplefilter("ignore")  # nbgrader's own, of SQLAlchemy, about objects that it has not added yet
            book.update_or_create_student(student)
            submission = book.update_or_create_submission(name, student)
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = scores.get(grade.name, (0, False))
            book.db.commit()
        shutil.rmtree(root, ignore_errors=True)

    def feedback(self, name: str) -> Path:
        self.nbgrader("generate_feedback", name, "--force")
        return self.root / "feedback"


def scores_of(gradebook: Path, name: str, student: str) -> dict[str, tuple[float, bool]]:
    """By cell: points by machine, and whether somebody has to read it."""
    with Gradebook(f"sqlite:///{gradebook}") as book:
        grades = [grade for notebook in book.find_submission(name, student).notebooks for grade in notebook.grades]
        return {grade.name: (grade.auto_score or 0, grade.needs_manual_grade) for grade in grades}


def source_of(name: str):
    return nbformat.read(SOURCE / name / f"{name}.ipynb", as_version=4)


def possible_points(name: str) -> float:
    """By machine."""
    return sum(cell.metadata.nbgrader.points for cell in source_of(name).cells if is_test(cell))


def points_by_hand(name: str) -> float:
    return sum(cell.metadata.nbgrader.points for cell in source_of(name).cells if is_answered_in_words(cell))


def claimed_name(submitted) -> str | None:
    """The name in its first cell."""
    found = [NAME.search(cell.source) for cell in submitted.cells if cell.cell_type == "code"]
    return next((name.group(1).strip() for name in found if name), None)


def is_test(cell) -> bool:
    return graded(cell) == (True, False)


def is_answered_in_words(cell) -> bool:
    """Graded by hand."""
    return graded(cell) == (True, True)


def graded(cell) -> tuple[bool, bool]:
    """Whether a cell has points, and whether the student writes it."""
    marks = cell.metadata.get("nbgrader", {})
    return marks.get("grade", False), marks.get("solution", False)


def errors_of(notebook, which=is_test) -> list[str]:
    """What these cells say that failed, a line each; the graded ones, unless told otherwise."""
    return [
        re.sub(r"\x1b\[[0-9;]*m", "", f"{output.ename}: {output.evalue}").splitlines()[0][:LONGEST_REMARK]
        for cell in notebook.cells
        if cell.cell_type == "code" and which(cell)
        for output in cell.outputs
        if output.output_type == "error"
    ]


def fresh_course(root: Path) -> Course:
    shutil.rmtree(root, ignore_errors=True)
    return Course(root)
