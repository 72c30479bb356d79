# SPDX-License-Identifier: Apache-2.0
"""Assignments, by nbgrader: what students get, what they hand in graded, and the grader graded. Runs in the environment that set-up made.

Usage: python -m lablib.assignments build | release DIR | grade NAME DIR | check [--repeat N] [--only KIND] [NAME...]
"""

import argparse
import json
import sys
from pathlib import Path

import nbformat

from lablib import grading, release
from lablib.course import ASSIGNMENTS, FIXTURES, errors_of, fresh_course, names
from lablib.grading import BY_TIME, in_words
from lablib.paths import STATE
from lablib.problem import Problem

RIGHT = "right"  # the fixture in which no cell fails


def build() -> None:
    course = fresh_course(STATE / "assignments/build")
    for name in names():
        student = nbformat.read(course.release(name), as_version=4)
        nbformat.write(student, ASSIGNMENTS / f"{name}.ipynb")
        print(f"notebooks/assignments/{name}.ipynb")


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
                because = wanted.get("because", "")
                broken = broken_cells(course.autograded(name, fixture.stem)) if fixture.stem == RIGHT else []
                is_right = graded.points == wanted["points"] and because in graded.remark and not broken
                total += 1
                right += is_right
                expected = f"{wanted['points']:g}" + (f" because of '{because}'" if because else "")
                print(f"{'ok ' if is_right else 'NOT'} {name} {fixture.stem}: expected {expected}, given {in_words(graded)}", *broken, flush=True)
    print(f"{right} of {total} fixtures graded as expected")
    return 0 if right == total > 0 else 1


def broken_cells(graded: Path) -> list[str]:
    """Errors in any cell of a submission in which there should be none."""
    return errors_of(nbformat.read(graded, as_version=4), lambda cell: True)


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
    given = commands.add_parser("release", help="write what students get, without solutions and the engine's source")
    given.add_argument("target", metavar="DIR", type=Path, help="a new folder, or an empty one")
    graded = commands.add_parser("grade", help="grade what was handed in")
    graded.add_argument("name", metavar="NAME", help="like 02-pruning")
    graded.add_argument("folder", metavar="DIR", type=Path, help="with STUDENT.ipynb or STUDENT/NAME.ipynb for each student")
    graded.add_argument("--jobs", type=int, metavar="N", help="how many at a time where counters decide (one for each processor)")
    graded.add_argument("--anew", action="store_true", help="also those that were graded before and have not changed")
    checked = commands.add_parser("check", help="grade submissions of which it is known what they deserve")
    checked.add_argument("names", metavar="NAME", nargs="*")
    checked.add_argument("--repeat", type=int, default=1, metavar="N", help="only the right ones of the assignments that are graded by time, so often")
    checked.add_argument(
        "--only", default="*", metavar="KIND", help="right, wrong, unfinished, slow, crashing, hanging or cheating; of the steps also what is wrong"
    )
    if sys.argv[1:2] == [grading.ONE]:  # a process of grade's own
        grading.one(*sys.argv[2:])
        return
    options = parser.parse_args()
    try:
        if options.command == "build":
            build()
        elif options.command == "release":
            release.release(options.target)
        elif options.command == "grade":
            sys.exit(grading.grade(options.name, options.folder, options.jobs, options.anew))
        else:
            chosen, kind = (options.names or BY_TIME, RIGHT) if options.repeat > 1 else (options.names, options.only)
            sys.exit(check(chosen, kind, options.repeat))
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")
    except KeyboardInterrupt:
        sys.exit("\nlsm-lab: interrupted")


if __name__ == "__main__":
    main()
