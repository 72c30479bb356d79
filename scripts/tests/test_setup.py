# SPDX-License-Identifier: Apache-2.0
"""Set-up: what is read, what is found, and that what is missing is said in one line."""

import glob
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lablib import __main__, environment, setup
from lablib.environment import Environment, find_jdk
from lablib.paths import ROOT
from lablib.problem import Problem
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet


def other_pythons() -> list[str]:
    """The interpreters of this machine that set-up accepts, one of each version."""
    found = {}
    for python in ["/usr/bin/python3", *glob.glob("/usr/bin/python3.[0-9]*"), *glob.glob(str(Path.home() / ".pyenv/versions/*/bin/python3"))]:
        asked = subprocess.run(
            [python, "-c", "import ensurepip, venv, sys; print(sys.version_info >= (3, 11), sys.version.split()[0])"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        if asked[:1] == ["True"]:
            found.setdefault(asked[1], python)
    return list(found.values())


def fake_jdk(home: Path, version: str, tools=("java", "javac", "jshell")) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    for tool in tools:
        (home / "bin" / tool).touch()
    return home


def test_environment_yml_is_the_list():
    listed = Environment.read()
    assert listed.java_major == 25
    assert listed.pip[0] == "-c constraints.txt"
    assert "jupyterlab==4.6.6" in listed.pip
    assert all("==" in line for line in listed.pip[1:]), "every version is pinned"


def test_finds_the_listed_jdk_before_newer_and_never_older_or_incomplete_ones(tmp_path):
    old = fake_jdk(tmp_path / "17", "17.0.15")
    newer = fake_jdk(tmp_path / "26", "26")
    runtime = fake_jdk(tmp_path / "jre", "25.0.1", tools=("java",))
    fits = fake_jdk(tmp_path / "25", "25.0.3")
    assert find_jdk(25, [old, newer, runtime, fits, tmp_path / "nothing"]).home == fits
    assert find_jdk(25, [old, newer, runtime]).home == newer
    with pytest.raises(Problem, match=r"needs a full JDK 25; found only 17\.0\.15\. Install one .* LSM_JAVA_HOME"):
        find_jdk(25, [old, runtime])
    with pytest.raises(Problem, match=r"needs a full JDK 25\. Install one"):
        find_jdk(25, [])


def test_a_jdk_that_was_chosen_is_taken_or_refused_by_name(monkeypatch, tmp_path):
    monkeypatch.setenv("LSM_JAVA_HOME", str(fake_jdk(tmp_path / "26", "26.0.1")))
    assert find_jdk(25).version == "26.0.1"
    monkeypatch.setenv("LSM_JAVA_HOME", str(fake_jdk(tmp_path / "17", "17.0.1")))
    with pytest.raises(Problem, match="^LSM_JAVA_HOME is .*/17, which holds JDK 17.0.1; needed is JDK 25 or newer$"):
        find_jdk(25)
    monkeypatch.setenv("LSM_JAVA_HOME", str(tmp_path / "typo"))
    with pytest.raises(Problem, match="^LSM_JAVA_HOME is .*/typo, which holds no full JDK; needed is JDK 25 or newer$"):
        find_jdk(25)


def test_constraints_hold_on_every_python_that_set_up_accepts():
    """One version of each package for each Python, and none that would be refused there: pip calls that ResolutionImpossible."""
    lines = [Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    for version in ("3.11.0", "3.11.2", "3.11.4", "3.11.5", "3.12.0", "3.13.0", "3.14.0", "3.15.0"):
        python = default_environment() | {"python_full_version": version, "python_version": version.rpartition(".")[0]}
        active = [line for line in lines if not line.marker or line.marker.evaluate(python)]
        assert len({line.name for line in active}) == len(active), version
        for line in active:
            try:
                installed = importlib.metadata.distribution(line.name)
            except importlib.metadata.PackageNotFoundError:
                continue
            if str(line.specifier) == f"=={installed.version}":
                assert SpecifierSet(installed.metadata.get("Requires-Python") or "").contains(version), f"{line} on Python {version}"


@pytest.mark.long
@pytest.mark.parametrize("python", other_pythons())
def test_every_python_of_this_machine_can_install_what_is_listed(python, tmp_path):
    """With the pip that comes with it."""
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    words = [word for line in Environment.read().pip for word in line.split()]
    run = subprocess.run([tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    subprocess.run([tmp_path / "venv/bin/python", "-m", "pip", "check"], check=True)
    subprocess.run(
        [tmp_path / "venv/bin/python", "-c", "import jupyterlab, nbclient, nbconvert, plotly, nbgrader, playwright, PIL, zmq, anywidget"], check=True
    )


def test_a_step_that_failed_is_made_again_though_nothing_has_changed(monkeypatch, tmp_path):
    """What it had replaced before it failed is not what its stamp says."""

    class Half(setup.Step):
        name = "half"
        fails = False

        def fingerprint(self):
            return "the same"

        def made(self):
            return True

        def make(self):
            if self.fails:
                raise Problem("the disk is full")

    monkeypatch.setattr(setup, "STATE", tmp_path)
    step = Half()
    step.run()
    assert step.is_done()
    step.fails = True
    with pytest.raises(Problem):
        step.run()
    assert not step.is_done()


def test_set_up_may_replace_the_environment_that_it_runs_in(monkeypatch):
    """As in a terminal of JupyterLab, where that environment's Python comes first on the PATH."""
    commands = []
    step = setup.PythonStep(Environment.read())
    monkeypatch.setattr(step, "call", lambda what, command, *_, **__: commands.append(command))
    monkeypatch.setattr(setup.shutil, "rmtree", lambda *_, **__: None)
    step.make()
    assert not Path(commands[0][0]).resolve().is_relative_to(ROOT / ".lab") and Path(commands[0][0]).exists()


def test_a_missing_jdk_is_one_line_and_a_status(monkeypatch):
    monkeypatch.setattr(environment, "candidate_homes", lambda: [])
    monkeypatch.delenv("LSM_JAVA_HOME", raising=False)
    monkeypatch.setattr(sys, "argv", ["lablib", "lab", "setup"])
    with pytest.raises(SystemExit) as end:
        __main__.main()
    assert end.value.code.startswith("lsm-lab: needs a full JDK 25.") and "\n" not in end.value.code


def test_a_missing_python_is_one_line_and_a_status(tmp_path):
    for tool in ("dirname", "sh"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    run = subprocess.run(["/bin/sh", str(ROOT / "scripts/lab")], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("lsm-lab: needs Python 3.11 to 3.15") and run.stderr.count("\n") == 1
    (tmp_path / "python3").write_text('#!/bin/sh\ncase "$2" in *platform*) echo "; found only 3.9.2";; *) exit 1;; esac\n')
    (tmp_path / "python3").chmod(0o755)
    old = subprocess.run(["/bin/sh", str(ROOT / "scripts/lab")], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert "; found only 3.9.2. Install" in old.stderr and old.stderr.count("\n") == 1


def test_no_network_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "STATE", tmp_path)
    monkeypatch.delenv("CONDA_DEFAULT_ENV", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    for name, value in {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Problem, match="^no network while installing Python packages: the first set-up needs it") as problem:
        setup.PythonStep(Environment(25, ["-c constraints.txt", "no-such-package-for-lsm-lab==1"])).run()
    assert "\n" not in str(problem.value)


def test_a_full_disk_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "STATE", tmp_path)
    monkeypatch.setattr(setup, "NEEDED_FREE_BYTES", 10**18)
    with pytest.raises(Problem, match="^set-up needs .* GB free on the disk of .*, there are [0-9.]+$"):
        setup.everything()


def test_a_second_set_up_does_nothing():
    run = subprocess.run([sys.executable, "-m", "lablib", "lab", "setup"], capture_output=True, text=True, check=True)
    assert run.stdout + run.stderr == ""


def test_an_unknown_notebook_is_one_line_that_lists_those_there_are():
    run = subprocess.run([sys.executable, "-m", "lablib", "lab", "run", "99-nothing"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("lsm-lab: no such notebook: 99-nothing; there are 00-start-here, 00b-instruments")
    assert run.stderr.count("\n") == 1


def test_doctor_says_what_was_found():
    run = subprocess.run([sys.executable, "-m", "lablib", "lab", "doctor"], capture_output=True, text=True, check=False)
    assert run.returncode == 0
    for what in ("JDK:", "load generator:", "profiler engine:", "server sockets:", "jars:  ", "disk:", "noise floor:"):
        assert what in run.stdout
    assert "sockets" in run.stdout.split("server sockets:")[1]
    assert "processor time a request" in run.stdout.split("noise floor:")[-1]


def test_jupyter_keeps_to_the_project():
    variables = setup.Tools(Path(sys.executable), find_jdk(25)).variables()
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTER_PATH"):
        assert Path(variables[name]).is_relative_to(ROOT / ".lab")


@pytest.mark.long
def test_a_fresh_clone_runs_a_notebook(tmp_path):
    """The newcomer's two commands, in a clone of what is committed."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "clone")], check=True)
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON", "PYTHONPATH", "LSM_", "TMPDIR"))}
    before = outside_entries()
    run = subprocess.run(
        ["scripts/lab", "run", "00-start-here"], cwd=tmp_path / "clone", env=outside, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert run.returncode == 0, run.stdout
    assert (tmp_path / "clone/out/00-start-here.html").exists()
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path / "clone", capture_output=True, text=True, check=True)
    assert status.stdout == "", "a run leaves nothing that git would see"
    assert outside_entries() - before == set(), "nothing outside the project but the package managers' caches"


def outside_entries() -> set[str]:
    """What stands in the home folder and the folder for temporary files, caches apart."""
    caches = {".cache", ".m2", ".npm"}
    entries = {str(path) for path in Path.home().iterdir() if path.name not in caches}
    return entries | {str(path) for path in Path("/tmp").iterdir() if not path.name.startswith(".java_pid")}
