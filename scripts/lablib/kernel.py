# SPDX-License-Identifier: Apache-2.0
"""The lab's kernel: for the project's own JupyterLab, and under a name of its own for VS Code, hubs and other Jupyters."""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from lablib.paths import JARS, ROOT, STATE
from lablib.problem import Problem
from lablib.tools import Tools, write_json

NAME = "lsm-lab"


def specification(tools: Tools) -> dict:
    """What Jupyter starts. JJava's own launcher would take any java on the PATH."""
    jjava = tools.python.parent.parent / "share/jupyter/kernels/java/jjava.jar"
    tmp = STATE / "tmp"
    tmp.mkdir(exist_ok=True)
    return {
        "argv": [
            str(tools.jdk.home / "bin/java"),
            "-Xmx1g",
            "-ea",
            f"-Djava.io.tmpdir={tmp}",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED",
            "--add-opens",
            "jdk.jshell/jdk.jshell=ALL-UNNAMED",
            "-Dlsmlab.connection={connection_file}",
            "-jar",
            str(jjava),
            "{connection_file}",
        ],
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


def install_for_project(tools: Tools, kernels: Path) -> None:
    """The kernel is the project's, not the Python environment's: two clones may share a conda environment."""
    write_json(kernels / "java/kernel.json", specification(tools))


def manage(tools: Tools, options: argparse.Namespace) -> None:
    """scripts/lab kernel --install or --remove."""
    folder = (options.prefix / "share/jupyter" if options.prefix else own_data_folder()) / "kernels" / NAME
    if options.install == options.remove:
        raise Problem("say what to do with the kernel: --install or --remove")
    if options.remove:
        if not is_ours(folder):
            raise Problem(f"there is no kernel of the lab in {folder}")
        shutil.rmtree(folder)
        print(f"lsm-lab: removed {folder}")
        return
    if folder.exists() and not is_ours(folder):
        raise Problem(f"{folder} is another kernel; move it away first")
    write_json(folder / "kernel.json", specification(tools))
    print(
        f"lsm-lab: installed as {NAME} in {folder}\n"
        f"Choose the kernel '{specification(tools)['display_name']}' in VS Code, or open a notebook of {ROOT} in any Jupyter of yours. "
        "scripts/lab kernel --remove removes it."
    )


def is_ours(folder: Path) -> bool:
    try:
        return "LSM_LAB_ROOT" in json.loads((folder / "kernel.json").read_text())["env"]
    except (OSError, ValueError, KeyError):
        return False


def own_data_folder() -> Path:
    """Where Jupyter looks for a user's kernels."""
    if os.environ.get("JUPYTER_DATA_DIR"):
        return Path(os.environ["JUPYTER_DATA_DIR"])
    return Path.home() / ("Library/Jupyter" if sys.platform == "darwin" else ".local/share/jupyter")
