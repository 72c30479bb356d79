# SPDX-License-Identifier: Apache-2.0
"""What set-up made, ready to be used: the Python environment, the JDK, and how each is started."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lablib.environment import Jdk
from lablib.paths import ENGINE, KERNELS, STATE


@dataclass(frozen=True)
class Tools:
    """What the set-up found and made."""

    python: Path
    jdk: Jdk

    def variables(self, teacher: bool = False) -> dict[str, str]:
        """The environment of everything the lab starts: the JDK that was found, and Jupyter's folders inside the project."""
        jupyter = STATE / "jupyter"
        return os.environ | {
            "JUPYTER_PATH": str(KERNELS.parent),
            "JAVA_HOME": str(self.jdk.home),
            "PATH": f"{self.jdk.home / 'bin'}{os.pathsep}{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "JUPYTER_CONFIG_DIR": str(config_folder(teacher)),
            "JUPYTER_DATA_DIR": str(jupyter / "data"),
            "JUPYTER_RUNTIME_DIR": str(jupyter / "runtime"),
            "IPYTHONDIR": str(jupyter / "ipython"),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "TMPDIR": str(STATE / "tmp"),
        }

    def become(self, arguments: list[str], teacher: bool = False) -> None:
        """Replaces this process by the environment's Python, so that no process stands between the terminal and the work."""
        sys.stdout.flush()
        os.execve(self.python, [str(self.python), *arguments], self.variables(teacher))

    def java(self, arguments: list[str]) -> None:
        """Replaces this process by the JDK's java."""
        sys.stdout.flush()
        java = str(self.jdk.home / "bin/java")
        os.execve(java, [java, f"-Djava.io.tmpdir={STATE / 'tmp'}", *arguments], self.variables())

    def maven(self, *goals: str, output=None) -> int:
        """Runs Maven's wrapper on the engine, its output shown or written to a file; returns its status."""
        return subprocess.run(maven_command("-ntp", *goals), cwd=ENGINE, env=self.variables(), stdout=output, stderr=output, check=False).returncode


def maven_command(*goals: str) -> list[str]:
    return ["sh", str(ENGINE / "mvnw"), "-B", "-Dstyle.color=never", *goals]


def config_folder(teacher: bool) -> Path:
    return STATE / "jupyter" / ("config-teacher" if teacher else "config")


def write_json(path: Path, content: dict) -> None:
    text = json.dumps(content, indent=1) + "\n"
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
