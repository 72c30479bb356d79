# SPDX-License-Identifier: Apache-2.0
"""The command lines of scripts/lab, scripts/test and scripts/bench."""

import argparse
import os
import pathlib
import subprocess
import sys

from lablib import claims, doctor, nodes, setup
from lablib.paths import ENGINE, NOTEBOOKS, ROOT, STATE, notebook_names
from lablib.problem import Problem, one_line


def lab_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/lab",
        description="LSM Lab. Without a command: sets up what is missing and opens JupyterLab on the first notebook.",
        epilog="Set-up keeps everything inside the project's folder .lab; delete it to start anew.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    run = commands.add_parser("run", help="execute notebooks without a browser and write out/NAME.html")
    run.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="like 01-block-size; all of them if none is named")
    run.add_argument("--full", action="store_true", help="the reports' sizes and durations; rows are kept in data/results. Without names it goes on where an earlier one stopped")
    server = commands.add_parser("server", help="start a server, or a local cluster of them, until Ctrl-C",
                                 epilog="All other options go to the servers; java -jar engine/server/target/lsm-server.jar --help lists them.")
    server.add_argument("--nodes", type=int, default=1, metavar="N", help="how many; more than one are a cluster (1)")
    server.add_argument("--port", type=int, default=8080, dest="first_port", metavar="N", help="of the first; the others take the next ones (8080)")
    server.add_argument("--data", type=pathlib.Path, default=STATE / "server", metavar="DIR", help="where they keep their data (.lab/server)")
    server.add_argument("--heap", default="256m", metavar="SIZE", help="of each (256m)")
    published = commands.add_parser("publish", help="put what full runs showed into the notebooks, for those who only read them; needs a Chromium")
    published.add_argument("notebooks", nargs="+", metavar="NOTEBOOK", help="like 01-block-size, after scripts/lab run 01-block-size --full")
    opened = commands.add_parser("open", help="open JupyterLab on a notebook")
    opened.add_argument("notebook", metavar="NOTEBOOK", help="like 01-block-size or assignments/02-pruning")
    classroom = commands.add_parser("assignments", help="build, grade and check assignments", add_help=False)
    classroom.add_argument("words", nargs=argparse.REMAINDER)
    verdicts = commands.add_parser("claims", help="say what the stored full runs found of the reports' claims")
    verdicts.add_argument("--json", action="store_true", help="as one JSON array of id, statement, reported, measured, verdict, row")
    commands.add_parser("setup", help="only set up")
    commands.add_parser("doctor", help="say what was found on this machine")
    parser.add_argument("--no-browser", action="store_true", help="start JupyterLab, print its address, open nothing")
    parser.add_argument("--port", type=int, metavar="N", help="port of JupyterLab (8888, or the next that is free)")
    return parser


def lab(arguments: list[str]) -> None:
    parser = lab_parser()
    options, others = parser.parse_known_args(arguments)
    if others and options.command not in ("server", "assignments"):
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    if options.command == "server" and not 1 <= options.nodes <= 64:
        parser.error(f"--nodes is {options.nodes}, it must be 1 to 64")
    if options.command == "doctor":
        sys.exit(doctor.report())
    if options.command == "claims":
        claims.show(options.json)
        return
    if options.command in ("run", "publish"):
        unknown = [name for name in options.notebooks if name not in notebook_names()]
        if unknown:
            raise Problem(f"no such notebook: {', '.join(unknown)}; there are {', '.join(notebook_names())}")
    shown = NOTEBOOKS / f"{options.notebook if options.command == 'open' else '00-start-here'}.ipynb"
    if not shown.is_file():
        raise Problem(f"no such notebook: {shown}; there are {', '.join(notebook_names())} and those in notebooks/assignments")
    tools = setup.everything()
    if options.command == "run":
        mode = "quick" if not options.full else "full" if options.notebooks else "rest"
        names = options.notebooks or notebook_names()
        tools.become(["-m", "lablib.notebooks", mode, *(str(NOTEBOOKS / f"{name}.ipynb") for name in names)])
    elif options.command == "publish":
        tools.become(["-m", "lablib.publish", *options.notebooks])
    elif options.command == "assignments":
        tools.become(["-m", "lablib.assignments", *options.words, *others])
    elif options.command == "server":
        nodes.serve(tools, options.nodes, options.first_port, options.data.absolute(), options.heap, others)
    elif options.command in (None, "open"):
        jupyter = ["-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}", str(shown.relative_to(ROOT))]
        jupyter += ["--no-browser"] if options.no_browser else []
        jupyter += [f"--port={options.port}"] if options.port else []
        jupyter += ["--allow-root"] if os.geteuid() == 0 else []
        tools.become(jupyter)


def test(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/test", description="Sets up what is missing and runs all tests.")
    parser.add_argument("--all", action="store_true", help="also those that take longer: set-up from a fresh clone, forty kills, ten thousand tables, the benchmarks")
    options = parser.parse_args(arguments)
    tools = setup.everything()
    os.environ["LSM_LAB_ALL_TESTS"] = "1" if options.all else ""
    print("lsm-lab: Java tests", flush=True)
    if tools.maven("-Pstrict,bench" if options.all else "-Pstrict", "verify") != 0:
        raise Problem("the Java tests failed")
    print("lsm-lab: notebooks, scripts and browser", flush=True)
    tools.become(["-m", "pytest", "-p", "no:cacheprovider", "-v", "--durations=10", str(ROOT / "scripts/tests")])


def bench(arguments: list[str]) -> None:
    """Builds the benchmarks, which set-up leaves out, and becomes their process."""
    tools = setup.everything()
    log = STATE / "logs/bench.log"
    with log.open("w") as out:
        if tools.maven("-Pbench", "-pl", "storage,server,load,bench", "-q", "-DskipTests", "package", output=out) != 0:
            raise Problem(f"the benchmarks could not be built; see {log}")
    classes = ENGINE / "bench/target"
    class_path = os.pathsep.join([str(classes / "classes"), (classes / "classpath").read_text()])
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    java = str(tools.jdk.home / "bin/java")
    os.execve(java, [java, f"-Djava.io.tmpdir={STATE / 'tmp'}", "-cp", class_path, "lsmlab.bench.Main",
                     "--folder", str(STATE / "bench"), "--root", str(ROOT), "--git", git or "unknown", *arguments],
              tools.variables())


def main() -> None:
    try:
        {"lab": lab, "test": test, "bench": bench}[sys.argv[1]](sys.argv[2:])
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")
    except OSError as error:
        if not (line := one_line(error)):
            raise
        sys.exit(line)
    except KeyboardInterrupt:
        sys.exit("lsm-lab: interrupted")


if __name__ == "__main__":
    main()
