# SPDX-License-Identifier: Apache-2.0
"""Set-up: Python environment, jars, kernel. Each step is done again only when what it depends on has changed."""

import fcntl
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lablib import kernel
from lablib.environment import Environment, Jdk, find_jdk
from lablib.paths import ENGINE, JARS, KERNELS, ROOT, STATE, is_students_copy
from lablib.problem import Problem
from lablib.tools import Tools, config_folder, maven_command, write_json

NEEDED_FREE_BYTES = 1_500_000_000
LANGUAGE_SERVERS = {"jupyter_lsp": False}  # there are none for Java here, and looking for them runs npm, which writes into the home folder
NBGRADER = ("assignment_list", "course_list", "formgrader", "validate_assignment")
# Left out of a student's file browser: the teacher's folders, and code.
HIDDEN_FROM_STUDENTS = ["source", "fixtures", "engine", "scripts", "__pycache__"]
OFFLINE_SIGNS = (
    "Could not resolve",
    "Unknown host",
    "UnknownHost",
    "No route to host",
    "Network is unreachable",
    "NewConnectionError",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Failed to establish",
    "Failed to fetch",
    "Connection refused",
    "ConnectionError",
    "ProxyError",
    "(from versions: none)",
)


def everything() -> Tools:
    """Does what is missing, the slow steps side by side; returns in well under a second when nothing is."""
    environment = Environment.read()
    jdk = find_jdk(environment.java_major)
    STATE.mkdir(exist_ok=True)
    steps = [PythonStep(environment), JarStep(jdk)]
    with (STATE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second start waits for what the first one makes
        return make_missing(steps, jdk)


def make_missing(steps: list["Step"], jdk: Jdk) -> Tools:
    start = time.monotonic()
    missing = [step for step in steps if not step.is_done()]
    if missing:
        if shutil.disk_usage(STATE).free < NEEDED_FREE_BYTES:
            raise Problem(f"set-up needs {NEEDED_FREE_BYTES / 1e9:.1f} GB free on the disk of {ROOT}, there are {shutil.disk_usage(STATE).free / 1e9:.1f}")
        with ThreadPoolExecutor() as pool:
            for finished in [pool.submit(step.run) for step in missing]:
                finished.result()
    tools = Tools(steps[0].python, jdk)
    configure_jupyter(tools)
    if missing:
        say(f"set up in {time.monotonic() - start:.0f} s with JDK {jdk.version}")
    return tools


def say(text: str) -> None:
    print(f"lsm-lab: {text}", flush=True)


class Step:
    """A part of the set-up with a stamp that says what it was made from."""

    name: str

    def fingerprint(self) -> str:
        raise NotImplementedError

    def made(self) -> bool:
        raise NotImplementedError

    def make(self) -> None:
        raise NotImplementedError

    @property
    def stamp(self) -> Path:
        return STATE / "stamps" / self.name

    def is_done(self) -> bool:
        return self.made() and self.stamp.exists() and self.stamp.read_text(errors="replace") == self.fingerprint()

    def ensure(self) -> None:
        if not self.is_done():
            self.run()

    def run(self) -> None:
        fingerprint = self.fingerprint()
        self.stamp.unlink(missing_ok=True)  # until all of it is made, it is not
        self.make()
        self.stamp.parent.mkdir(parents=True, exist_ok=True)
        self.stamp.write_text(fingerprint)

    def call(self, what: str, command: list[str], progress=lambda line: None, **options) -> None:
        """Runs a command into a log file; on failure says what is wrong in a line."""
        log = STATE / "logs" / f"{self.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as out:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
            for line in process.stdout:
                out.write(line)
                progress(line)
        if process.wait() != 0:
            text = log.read_text()
            if "No space left" in text:
                raise Problem(f"the disk is full while {what}")
            if any(sign in text for sign in OFFLINE_SIGNS) and "require a different python" not in text:
                raise Problem(f"no network while {what}: the first set-up needs it. The whole output: {log}")
            raise Problem(f"failed {what}; the end of its output:\n" + "".join(text.splitlines(keepends=True)[-15:]) + f"The whole: {log}")


class PythonStep(Step):
    """A virtual environment with what environment.yml lists; in the conda environment made from that file, nothing is to do."""

    name = "python"

    def __init__(self, environment: Environment):
        self.environment = environment
        self.conda = os.environ.get("CONDA_PREFIX") if os.environ.get("CONDA_DEFAULT_ENV") == "lsm-lab" else None
        self.folder = Path(self.conda) if self.conda else STATE / "venv"
        self.python = self.folder / "bin" / "python"

    def fingerprint(self) -> str:
        files = [(ROOT / name).read_text() for name in ("environment.yml", "constraints.txt")]
        return hashlib.sha256("\n".join([*files, str(self.folder), sys.version]).encode()).hexdigest()

    def made(self) -> bool:
        return self.python.exists()

    def is_done(self) -> bool:
        if not self.conda:
            return super().is_done()
        wrong = [pin for pin in self.environment.pip if "==" in pin and not self.has(*pin.split("=="))]
        if wrong:
            raise Problem(f"the conda environment lacks {', '.join(wrong)}: conda env update -f environment.yml")
        return True

    @staticmethod
    def has(package: str, version: str) -> bool:
        try:
            return importlib.metadata.version(package) == version
        except importlib.metadata.PackageNotFoundError:
            return False

    def make(self) -> None:
        say(f"Python environment: {len(self.environment.pip) - 1} packages of environment.yml (about half a minute)")
        shutil.rmtree(self.folder, ignore_errors=True)
        # WHY the base: in a terminal of JupyterLab this very process runs on the environment that is about to be replaced.
        self.call("making a virtual environment", [sys._base_executable, "-m", "venv", str(self.folder)])
        started = time.monotonic()

        def progress(line: str) -> None:
            if line.startswith("Installing collected"):
                say(f"Python environment: downloaded after {time.monotonic() - started:.0f} s, installing")

        words = [word for line in self.environment.pip for word in line.split()]
        self.call(
            "installing Python packages", [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *words], progress, cwd=ROOT
        )
        say("Python environment: done")


class MavenStep(Step):
    """What Maven's wrapper fetches or builds."""

    def __init__(self, jdk: Jdk):
        self.jdk = jdk

    def digest(self, sources: Iterable[Path]) -> str:
        """Of the JDK and these files of the engine."""
        digest = hashlib.sha256(self.jdk.version.encode())
        for path in sorted(sources):
            digest.update(str(path.relative_to(ENGINE)).encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def maven(self, what: str, *goals: str, progress=lambda line: None) -> None:
        self.call(what, maven_command(*goals), progress, cwd=ENGINE, env=os.environ | {"JAVA_HOME": str(self.jdk.home)})


class DependenciesStep(MavenStep):
    """What a pom names, as a folder of jars."""

    def __init__(self, jdk: Jdk, name: str, pom: Path, folder: Path, what: str):
        super().__init__(jdk)
        self.name = name
        self.pom = pom
        self.folder = folder
        self.what = what

    def fingerprint(self) -> str:
        return hashlib.sha256(self.pom.read_bytes()).hexdigest()

    def made(self) -> bool:
        return self.folder.is_dir()

    def make(self) -> None:
        say(f"{self.what}: fetching jars")
        fetched = 0

        def progress(line: str) -> None:
            nonlocal fetched
            if line.startswith("[INFO] Downloaded ") and ".jar " in line:
                fetched += 1
                if fetched % 20 == 0:
                    say(f"{self.what}: {fetched} jars")

        shutil.rmtree(self.folder, ignore_errors=True)
        copy = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={self.folder}"]
        self.maven(f"fetching {self.what}", "-f", str(self.pom), *copy, progress=progress)


class JarStep(MavenStep):
    """The engine's jars."""

    name = "jars"

    def fingerprint(self) -> str:
        left_out = {"target", "test", "cassandra", "simulators"}
        return self.digest(path for path in ENGINE.rglob("*") if path.is_file() and not left_out & set(path.relative_to(ENGINE).parts))

    def made(self) -> bool:
        return all(jar.exists() for jar in JARS)

    def is_done(self) -> bool:
        return self.made() if is_students_copy() else super().is_done()

    def make(self) -> None:
        say("engine: building the jars with Maven (about half a minute)")

        def progress(line: str) -> None:
            if line.startswith("[INFO] Building ") and "[" in line[7:]:
                say(f"engine: {line[16:].strip()}")

        self.maven("building the engine", "-Dmaven.test.skip=true", "package", progress=progress)
        say("engine: done")


class ProfileStep(MavenStep):
    """What a profile of the engine's build makes of some modules, in folders of its own: the jars in other folders may be running."""

    def __init__(self, jdk: Jdk, profile: str, product: Path, *modules: str):
        super().__init__(jdk)
        self.name = profile
        self.product = product
        self.modules = modules

    def fingerprint(self) -> str:
        files = (path for module in self.modules for path in [ENGINE / module / "pom.xml", *(ENGINE / module / "src/main").rglob("*")])
        return self.digest(path for path in files if path.is_file())

    def made(self) -> bool:
        return self.product.exists()

    def make(self) -> None:
        say(f"building {self.product.name}")
        where = ["-pl", ",".join(self.modules), f"-Dbuild.folder=target/{self.name}"]
        self.maven(f"building {self.product.name}", f"-P{self.name}", *where, "-Dmaven.test.skip=true", "package")


def configure_jupyter(tools: Tools) -> None:
    """The lab's kernel, and JupyterLab as students and as teachers see it."""
    kernel.install_for_project(tools, KERNELS)
    # JupyterLab's news would ask for the network, and a dialog would greet every newcomer.
    news = {"@jupyterlab/apputils-extension:announcements": True}
    write_json(config_folder(teacher=True) / "labconfig/page_config.json", {"disabledExtensions": news})
    write_json(config_folder(teacher=False) / "labconfig/page_config.json", {"disabledExtensions": news | {"@jupyter/nbgrader": True}})
    write_json(config_folder(teacher=True) / "jupyter_server_config.json", {"ServerApp": {"jpserver_extensions": LANGUAGE_SERVERS}})
    write_json(
        config_folder(teacher=False) / "jupyter_server_config.json",
        {
            "ServerApp": {
                "jpserver_extensions": LANGUAGE_SERVERS | {f"nbgrader.server_extensions.{name}": False for name in NBGRADER},
                "contents_manager_class": "lablib.contents.ReaderContents",
            },
            "ContentsManager": {"hide_globs": HIDDEN_FROM_STUDENTS},
        },
    )
