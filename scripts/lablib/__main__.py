# SPDX-License-Identifier: Apache-2.0
"""The command lines of scripts/lab, scripts/test and scripts/bench."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys

from lablib import cassandra, claims, copies, doctor, facade, instruments, kernel, measuring, nodes, readme, review, rows, setup, turn
from lablib.paths import ENGINE, JARS, NOTEBOOKS, ROOT, STATE, WORK, assignment_names, is_students_copy, notebook_names, whole_name
from lablib.problem import INTERRUPTED, Problem, one_line
from lablib.tools import Tools

CASSANDRA = "cassandra"
ENGINES = ("lsm", CASSANDRA)


def lab_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/lab",
        description="LSM Lab. Without a command: sets up what is missing and opens JupyterLab on your copy of the first notebook.",
        epilog="Set-up keeps everything inside the project's folder .lab; delete it to start anew. Your copies of the notebooks are in work.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    run = commands.add_parser("run", help="execute notebooks without a browser and write out/NAME.html")
    run.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="like 01-block-size, or 01; all of them if none is named")
    sizes = run.add_mutually_exclusive_group()
    sizes.add_argument("--smoke", action="store_true", help="only see that every cell runs, in a second a step: its numbers mean nothing")
    sizes.add_argument(
        "--full",
        action="store_true",
        help="the reports' sizes and durations; rows are kept in data/results. Without names it goes on where an earlier one stopped",
    )
    run.add_argument("--mine", action="store_true", help="run your copies, in work, instead of the project's notebooks")
    opened = commands.add_parser("open", help="open JupyterLab on your copy of a notebook")
    opened.add_argument("notebook", metavar="NOTEBOOK", help="like 01-block-size, 01 or assignments/02-pruning")
    reset = commands.add_parser("reset", help="make a fresh copy of a notebook; the old one is kept beside it under its date")
    reset.add_argument("notebook", metavar="NOTEBOOK", help="like 01-block-size, 01 or assignments/02-pruning")
    server = commands.add_parser(
        "server",
        help="start a server, or a local cluster of them, until Ctrl-C",
        epilog="All other options go to the servers; scripts/lab server --options lists them.",
    )
    server.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="ours, or Apache Cassandra behind the same contract (lsm)")
    server.add_argument("--nodes", type=int, default=1, metavar="N", help="how many; more than one are a cluster (1)")
    server.add_argument("--port", type=port, default=8080, dest="first_port", metavar="N", help="of the first; the others take the next ones (8080)")
    server.add_argument("--data", type=pathlib.Path, metavar="DIR", help="where they keep their data (.lab/server, .lab/cassandra/data)")
    server.add_argument("--heap", default="256m", metavar="SIZE", help="of each (256m)")
    server.add_argument("--options", action="store_true", help="print the server's own options")
    commands.add_parser("wrk2", help="run the load generator; its own options follow, --help lists them")
    commands.add_parser("jar", help="say where the jars are that set-up built, and the java that runs them")
    verdicts = commands.add_parser("claims", help="say what the stored full runs found of the reports' claims")
    verdicts.add_argument("--long", action="store_true", help="each claim with what was reported, what was measured, and the row it stands in")
    verdicts.add_argument("--json", action="store_true", help="as one JSON array of id, statement, reported, measured, intervals, verdict, row")
    compared = commands.add_parser("diff", help="compare two stored rows, or the newest two of an experiment")
    compared.add_argument("rows", nargs="+", metavar="ROW", help="two files of data/results, or parts of their names; or one experiment, like 01-block-size")
    published = commands.add_parser("publish", help="put what full runs showed into the notebooks, for people who only read them; needs a Chromium")
    published.add_argument("notebooks", nargs="+", metavar="NOTEBOOK", help="like 01-block-size, after scripts/lab run 01-block-size --full")
    site = commands.add_parser("site", help="make a site of the published notebooks, their claims and rows, to be read without installing anything")
    site.add_argument("target", type=pathlib.Path, metavar="DIR", help="a folder that is new, empty, or an earlier site")
    commands.add_parser("readme", help="write the README's numbers and picture anew, from the stored rows and the published notebooks")
    commands.add_parser("assignments", help="build, release, grade and check assignments")
    reviewed = commands.add_parser("review", help="say what a teacher would ask about a report with outputs of wrk2, in English or Russian")
    reviewed.add_argument("reports", nargs="+", type=pathlib.Path, metavar="REPORT.md")
    elsewhere = commands.add_parser("kernel", help="the lab's kernel for VS Code, a hub or another Jupyter")
    elsewhere.add_argument("--install", action="store_true", help="install it under the name lsm-lab")
    elsewhere.add_argument("--remove", action="store_true", help="remove it again")
    elsewhere.add_argument("--prefix", type=pathlib.Path, metavar="DIR", help="into DIR/share/jupyter instead of your own Jupyter folder, as for a hub")
    only = commands.add_parser("setup", help="only set up")
    only.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="cassandra: also what scripts/lab server --engine cassandra needs")
    commands.add_parser("doctor", help="say what was found on this machine")
    for each in (parser, opened):
        each.add_argument("--no-browser", action="store_true", default=argparse.SUPPRESS, help="start JupyterLab, print its address, open nothing")
        each.add_argument("--port", type=port, metavar="N", default=argparse.SUPPRESS, help="port of JupyterLab (8888, or the next that is free)")
        each.add_argument(
            "--ip", metavar="ADDRESS", default=argparse.SUPPRESS, help="address that JupyterLab listens on, as 0.0.0.0 in a container (127.0.0.1)"
        )
        each.add_argument("--teacher", action="store_true", default=argparse.SUPPRESS, help="with nbgrader's menus and the folders of solutions")
    return parser


def port(written: str) -> int:
    """argparse's type of a port."""
    if not written.isascii() or not written.isdigit() or not 1 <= int(written) <= 65535:
        raise argparse.ArgumentTypeError(f"{written} is no port, it must be 1 to 65535")
    return int(written)


def named(written: list[str], names: list[str]) -> list[str]:
    """The names that were meant; a Problem that lists those there are if one is none of them."""
    found = {one: whole_name(one, names) for one in written}
    unknown = [one for one, name in found.items() if name is None]
    if unknown:
        raise Problem(f"no such notebook: {', '.join(unknown)}; there are {', '.join(names)}")
    return list(found.values())


def lab(arguments: list[str]) -> None:
    parser = lab_parser()
    if arguments[:1] in (["assignments"], ["site"]) and is_students_copy():
        raise Problem(f"this is a student's copy: scripts/lab {arguments[0]} is for teachers, in the whole project")
    if arguments[:1] == ["wrk2"]:  # whose options are its own, --help too
        setup.everything().java(["-jar", str(JARS[1]), *arguments[1:]])
    if arguments[:1] == ["assignments"]:
        setup.everything().become(["-m", "lablib.assignments", *arguments[1:]])
    options, others = parser.parse_known_args(arguments)
    if others and options.command != "server":
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    if options.command == "server" and not 1 <= options.nodes <= 64:
        parser.error(f"--nodes is {options.nodes}, it must be 1 to 64")
    if options.command in ("doctor", "claims", "diff", "review"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader like head may have enough before the end
    if options.command == "doctor":
        sys.exit(doctor.report())
    elif options.command == "claims":
        claims.show(options.json, options.long)
    elif options.command == "readme":
        readme.write()
    elif options.command == "diff":
        rows.compare(options.rows)
    elif options.command == "review":
        review.main(options.reports)
    elif options.command == "reset":
        reset(*named([options.notebook], notebook_names() + assignment_names()))
    else:
        lab_with_tools(parser, options, others)


def lab_with_tools(parser: argparse.ArgumentParser, options: argparse.Namespace, others: list[str]) -> None:
    """The commands that need what set-up makes; names are checked before that, since it may take a minute."""
    if options.command == "run" and options.full and options.mine:
        parser.error("--full keeps rows of the project's notebooks; --mine runs your own")
    every = options.command == "run" and not options.notebooks
    if options.command in ("run", "publish"):
        options.notebooks = notebook_names() if every else named(options.notebooks, notebook_names())
    shown = named([options.notebook], notebook_names() + assignment_names())[0] if options.command == "open" else notebook_names()[0]
    tools = setup.everything()
    if options.command == "run":
        mode = "smoke" if options.smoke else "quick" if not options.full else "rest" if every else "full"
        if options.mine:
            warn_of_outdated(copies.refresh())
        tools.become(["-m", "lablib.notebooks", mode, *(str((WORK if options.mine else NOTEBOOKS) / f"{name}.ipynb") for name in options.notebooks)])
    elif options.command == "publish":
        tools.become(["-m", "lablib.publish", *options.notebooks])
    elif options.command == "site":
        tools.become(["-m", "lablib.pages", str(options.target)])
    elif options.command == "server":
        server(tools, options, others)
    elif options.command == "setup" and options.engine == CASSANDRA:
        cassandra.setup(tools)
    elif options.command == "jar":
        jars(tools)
    elif options.command == "kernel":
        kernel.manage(tools, options)
    elif options.command in (None, "open"):
        warn_of_outdated(copies.refresh())
        words = ["--no-browser"] if "no_browser" in options else []
        words += [f"--{name}={vars(options)[name]}" for name in ("port", "ip") if name in options]
        tools.become(["-m", "lablib.jupyter", str((WORK / f"{shown}.ipynb").relative_to(ROOT)), *words], teacher="teacher" in options)


def server(tools: Tools, options: argparse.Namespace, others: list[str]) -> None:
    if options.engine == CASSANDRA:
        data = options.data or STATE / "cassandra/data"
        cassandra.serve(tools, options.nodes, options.first_port, data.absolute(), ["--help"] if options.options else others)
    elif options.options:
        tools.java(["-jar", str(JARS[0]), "--help"])
    else:
        nodes.serve(tools, options.nodes, options.first_port, (options.data or STATE / "server").absolute(), options.heap, others)


def warn_of_outdated(names: list[str]) -> None:
    for name in names:
        print(
            f"lsm-lab: {name} of the project is newer than your copy, which you changed; scripts/lab reset {name} brings the new one and keeps yours beside it",
            flush=True,
        )


def reset(name: str) -> None:
    kept = copies.reset(name)
    print(f"lsm-lab: {(WORK / name).relative_to(ROOT)}.ipynb is new" + (f"; the old one is {kept.relative_to(ROOT)}" if kept else ""))


def jars(tools: Tools) -> None:
    for what, jar in zip(("server", "load generator", "lab", "engine alone"), [*JARS, ENGINE / "storage/target/lsm-storage.jar"], strict=True):
        print(f"{what + ':':16} {jar}")
    print(f"{'java:':16} {tools.jdk.home / 'bin/java'}")
    print(f"\n{tools.jdk.home / 'bin/java'} -jar {JARS[0]} --port 8080 --data DIR")


def test(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/test", description="Sets up what is missing and runs all tests.")
    parser.add_argument(
        "--all",
        action="store_true",
        help="also those that take longer: set-up from a fresh clone, more kills, malformed requests, "
        "damaged files and histories of a cluster, ten thousand tables, the benchmarks",
    )
    options = parser.parse_args(arguments)
    tools = setup.everything()
    os.environ["LSM_LAB_ALL_TESTS"] = "1" if options.all else ""
    print("lsm-lab: Java tests", flush=True)
    if tools.maven("-Pstrict,bench,site" if options.all else "-Pstrict", "verify") != 0:
        raise Problem("the Java tests failed")
    print("lsm-lab: notebooks, scripts and browser", flush=True)
    tools.become(["-m", "pytest", "-p", "no:cacheprovider", "-v", "--durations=10", str(ROOT / "scripts/tests")])


def bench(arguments: list[str]) -> None:
    """Builds the benchmarks, which set-up leaves out, and becomes their process, or measures how the lab measures."""
    repetitions = measuring.parsed(arguments[1:]) if arguments[:1] == ["measuring"] else None
    costs = instruments.parsed(arguments[1:]) if arguments[:1] == ["instruments"] else None
    of_facade = facade.parsed(arguments[1:]) if arguments[:1] == ["facade"] else None
    tools = setup.everything()
    log = STATE / "logs/bench.log"
    with log.open("w") as out:
        if tools.maven("-Pbench", "-pl", "storage,server,load,bench", "-q", "-DskipTests", "package", output=out) != 0:
            raise Problem(f"the benchmarks could not be built; see {log}")
    if repetitions:
        measuring.main(repetitions, tools)
        return
    if costs:
        instruments.main(costs, tools)
        return
    if of_facade:
        facade.main(tools)
        return
    classes = ENGINE / "bench/target"
    class_path = os.pathsep.join([str(classes / "classes"), (classes / "classpath").read_text()])
    if not {"-h", "--help", "-V", "--version"} & set(arguments):
        turn.hold(" ".join(["scripts/bench", *arguments]))
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    tools.java(["-cp", class_path, "lsmlab.bench.Main", "--folder", str(STATE / "bench"), "--root", str(ROOT), "--git", git or "unknown", *arguments])


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
        print("\nlsm-lab: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
