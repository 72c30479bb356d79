# SPDX-License-Identifier: Apache-2.0
"""Set-up: Python environment, jars, kernel. Each step is done again only when what it depends on has changed."""

import fcntl
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lablib.environment import Environment, Jdk, find_jdk
from lablib.paths import ENGINE, JARS, ROOT, STATE
from lablib.problem import Problem

NEEDED_FREE_BYTES = 1_500_000_000
KERNELS = STATE / "jupyter/path/kernels"
OFFLINE_SIGNS = ("Could not resolve", "Unknown host", "UnknownHost", "No route to host", "Network is unreachable", "NewConnectionError",
                 "Name or service not known", "Temporary failure in name resolution", "Failed to establish", "Failed to fetch",
                 "Connection refused", "ConnectionError", "ProxyError", "(from versions: none)")


@dataclass(frozen=True)
class Tools:
    """What the set-up found and made."""

    python: Path
    jdk: Jdk

    def variables(self) -> dict[str, str]:
        """The environment of everything the lab starts: the JDK that was found, and Jupyter's folders inside the project."""
        jupyter = STATE / "jupyter"
        return os.environ | {
            "JUPYTER_PATH": str(KERNELS.parent),
            "JAVA_HOME": str(self.jdk.home),
            "PATH": f"{self.jdk.home / 'bin'}{os.pathsep}{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "JUPYTER_CONFIG_DIR": str(jupyter / "config"),
            "JUPYTER_DATA_DIR": str(jupyter / "data"),
            "JUPYTER_RUNTIME_DIR": str(jupyter / "runtime"),
            "IPYTHONDIR": str(jupyter / "ipython"),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "TMPDIR": str(STATE / "tmp"),
        }

    def become(self, arguments: list[str]) -> None:
        """Replaces this process by the environment's Python, so that no process stands between the terminal and the work."""
        sys.stdout.flush()
        os.execve(self.python, [str(self.python), *arguments], self.variables())

    def maven(self, *goals: str, output=None) -> int:
        """Runs Maven's wrapper on the engine, its output shown or written to a file; returns its status."""
        return subprocess.run(maven_command(*goals), cwd=ENGINE, env=self.variables(), stdout=output, stderr=output, check=False).returncode


def maven_command(*goals: str) -> list[str]:
    return ["sh", str(ENGINE / "mvnw"), "-B", "-ntp", "-Dstyle.color=never", *goals]


def everything() -> Tools:
    """Does what is missing, the slow steps side by side; returns in well under a second when nothing is."""
    environment = Environment.read()
    jdk = find_jdk(environment.java_major)
    STATE.mkdir(exist_ok=True)
    steps = [PythonStep(environment), JarStep(jdk)]
    with (STATE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second start waits for what the first one makes
        tools = make_missing(steps, jdk)
    return tools


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
    install_kernel(tools)
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
        return self.made() and self.stamp.exists() and self.stamp.read_text() == self.fingerprint()

    def run(self) -> None:
        fingerprint = self.fingerprint()
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
        self.call("making a virtual environment", [sys.executable, "-m", "venv", str(self.folder)])
        started = time.monotonic()

        def progress(line: str) -> None:
            if line.startswith("Installing collected"):
                say(f"Python environment: downloaded after {time.monotonic() - started:.0f} s, installing")

        words = [word for line in self.environment.pip for word in line.split()]
        self.call("installing Python packages", [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *words],
                  progress, cwd=ROOT)
        say("Python environment: done")


class JarStep(Step):
    """The engine's jars, built by Maven's wrapper."""

    name = "jars"

    def __init__(self, jdk: Jdk):
        self.jdk = jdk

    def fingerprint(self) -> str:
        sources = [path for path in ENGINE.rglob("*") if path.is_file() and not {"target", "test"} & set(path.relative_to(ENGINE).parts)]
        digest = hashlib.sha256(self.jdk.version.encode())
        for path in sorted(sources):
            digest.update(str(path.relative_to(ENGINE)).encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def made(self) -> bool:
        return all(jar.exists() for jar in JARS)

    def make(self) -> None:
        say("engine: building the jars with Maven (about half a minute)")

        def progress(line: str) -> None:
            if line.startswith("[INFO] Building ") and "[" in line[7:]:
                say(f"engine: {line[16:].strip()}")

        self.call("building the engine", maven_command("-Dmaven.test.skip=true", "package"), progress,
                  cwd=ENGINE, env=os.environ | {"JAVA_HOME": str(self.jdk.home)})
        say("engine: done")


def install_kernel(tools: Tools) -> None:
    """Points the Java kernel at the JDK that was found and at the lab's jar. JJava's own launcher would take any java on the PATH.

    The kernel is the project's, not the Python environment's: two clones may share a conda environment.
    """
    jjava = tools.python.parent.parent / "share/jupyter/kernels/java/jjava.jar"
    tmp = STATE / "tmp"
    tmp.mkdir(exist_ok=True)
    spec = {
        "argv": [str(tools.jdk.home / "bin/java"), "-Xmx1g", "-ea", f"-Djava.io.tmpdir={tmp}", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED",
                 "--add-opens", "jdk.jshell/jdk.jshell=ALL-UNNAMED", "-jar", str(jjava), "{connection_file}"],
        "display_name": f"Java {tools.jdk.major} (LSM Lab)",
        "language": "java",
        "interrupt_mode": "message",
        "metadata": {},
        "env": {
            "JAVA_HOME": str(tools.jdk.home),
            "PATH": f"{tools.jdk.home / 'bin'}{os.pathsep}${{PATH}}",
            "JJAVA_CLASSPATH": str(JARS[2]),
            "JJAVA_COMPILER_OPTS": "-parameters",
            "LSM_LAB_ROOT": str(ROOT),
        },
    }
    write_json(KERNELS / "java/kernel.json", spec)
    # JupyterLab's news would ask for the network, and a dialog would greet every newcomer.
    write_json(STATE / "jupyter/config/labconfig/page_config.json",
               {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}})


def write_json(path: Path, content: dict) -> None:
    text = json.dumps(content, indent=1) + "\n"
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
