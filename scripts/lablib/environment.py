# SPDX-License-Identifier: Apache-2.0
"""Reads environment.yml, the one list of what the lab needs, and finds a JDK that fits it."""

import glob
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from lablib.paths import ROOT
from lablib.problem import Problem


@dataclass(frozen=True)
class Environment:
    """The list: the JDK's major version and the lines for pip."""

    java_major: int
    pip: list[str]

    @staticmethod
    def read(path: Path = ROOT / "environment.yml") -> "Environment":
        text = path.read_text()
        java = re.search(r"^\s*- openjdk=(\d+)", text, re.MULTILINE)
        pip = re.search(r"^( *)- pip:\n((?:\1 +- .*\n?)+)", text, re.MULTILINE)
        if not java or not pip:
            raise Problem(f"{path} names no openjdk or no pip packages")
        return Environment(int(java.group(1)), [line.strip()[2:] for line in pip.group(2).splitlines()])


@dataclass(frozen=True)
class Jdk:
    home: Path
    version: str

    @property
    def major(self) -> int:
        return int(re.match(r"\d+", self.version).group())


def jdk_at(home: Path) -> Jdk | None:
    """The JDK in a folder, if there is a whole one: compiler and jshell included."""
    try:
        version = re.search(r'^JAVA_VERSION="([^"]+)"', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        return None
    whole = all((home / "bin" / tool).exists() for tool in ("java", "javac", "jshell"))
    return Jdk(home, version.group(1)) if version and whole else None


def candidate_homes() -> list[Path]:
    """Folders that may hold a JDK, the likeliest first."""
    chosen = [os.environ["JAVA_HOME"]] if os.environ.get("JAVA_HOME") else []
    if os.environ.get("CONDA_PREFIX"):
        chosen.append(os.environ["CONDA_PREFIX"] + "/lib/jvm")
    javac = shutil.which("javac")
    if javac:
        chosen.append(str(Path(javac).resolve().parents[1]))
    patterns = [
        "/usr/lib/jvm/*",
        "/usr/lib64/jvm/*",
        "/opt/*jdk*",
        "/opt/java/*",
        "/Library/Java/JavaVirtualMachines/*/Contents/Home",
        str(Path.home() / "Library/Java/JavaVirtualMachines/*/Contents/Home"),
        "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
        "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
        str(Path.home() / ".sdkman/candidates/java/*"),
        str(Path.home() / ".jdks/*"),
    ]
    return [Path(home) for home in chosen + [match for pattern in patterns for match in sorted(glob.glob(pattern))]]


def find_jdk(major: int, homes: list[Path] | None = None) -> Jdk:
    """$LSM_JAVA_HOME, or else the first JDK of this major version, or else the first newer one."""
    own = os.environ.get("LSM_JAVA_HOME")
    if own and homes is None:
        jdk = jdk_at(Path(own))
        if not jdk or jdk.major < major:
            raise Problem(f"LSM_JAVA_HOME is {own}, which holds {f'JDK {jdk.version}' if jdk else 'no full JDK'}; needed is JDK {major} or newer")
        return jdk
    found = [jdk for jdk in map(jdk_at, candidate_homes() if homes is None else homes) if jdk]
    for fits in (lambda jdk: jdk.major == major, lambda jdk: jdk.major > major):
        for jdk in found:
            if fits(jdk):
                return jdk
    older = f"; found only {', '.join(sorted({jdk.version for jdk in found}))}" if found else ""
    raise Problem(f"needs a full JDK {major}{older}. Install one (adoptium.net, or your package manager), or set LSM_JAVA_HOME to its folder.")
