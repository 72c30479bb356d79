# SPDX-License-Identifier: Apache-2.0
"""Each program on its own: what stands on stderr, what a pipe that closes early and a link to a script do, and README's examples."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from lablib import claims, rows
from lablib.paths import JARS, ROOT, STATE

LAB = str(ROOT / "scripts/lab")
JAVA = str(Path(os.environ["JAVA_HOME"], "bin/java"))
PROGRAMS = {
    "scripts/lab": [LAB],
    "scripts/lab run": [LAB, "run"],
    "scripts/lab server": [LAB, "server"],
    "scripts/lab wrk2": [LAB, "wrk2"],
    "scripts/lab assignments": [LAB, "assignments"],
    "scripts/lab claims": [LAB, "claims"],
    "scripts/lab diff": [LAB, "diff"],
    "scripts/lab doctor": [LAB, "doctor"],
    "scripts/lab kernel": [LAB, "kernel"],
    "scripts/lab open": [LAB, "open"],
    "scripts/lab publish": [LAB, "publish"],
    "scripts/test": [str(ROOT / "scripts/test")],
    "scripts/bench": [str(ROOT / "scripts/bench")],
    "scripts/bench load": [str(ROOT / "scripts/bench"), "load"],
    "scripts/bench measuring": [str(ROOT / "scripts/bench"), "measuring"],
    "scripts/bench instruments": [str(ROOT / "scripts/bench"), "instruments"],
    "scripts/bench server": [str(ROOT / "scripts/bench"), "server"],
    "scripts/bench versions": [str(ROOT / "scripts/bench"), "versions"],
    "lsm-server.jar": [JAVA, "-jar", str(JARS[0])],
    "wrk2.jar": [JAVA, "-jar", str(JARS[1])],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_writes_nothing_to_stderr(program):
    run = subprocess.run([*PROGRAMS[program], "--help"], capture_output=True, text=True, check=False, timeout=600)
    assert (run.returncode, run.stderr) == (0, "")
    assert "usage" in run.stdout.lower()


@pytest.mark.parametrize("program", [program for program in PROGRAMS if program != "scripts/lab server"])  # which hands it to the servers
def test_an_unknown_option_is_all_that_stderr_says(program):
    complete = {
        "lsm-server.jar": ["--data", "x"],
        "scripts/lab assignments": ["build"],
        "scripts/bench versions": ["--before", "x.jar"],
        "scripts/lab diff": ["x"],
        "scripts/lab open": ["01"],
        "scripts/lab publish": ["01"],
        "wrk2.jar": ["-R1", "http://localhost"],
        "scripts/lab wrk2": ["-R1", "http://localhost"],
    }
    run = subprocess.run([*PROGRAMS[program], *complete.get(program, []), "--nonsense"], capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode in (1, 2)
    said = [line for line in run.stderr.splitlines() if not line.startswith((" ", "usage:"))]
    assert len(said) == 1 and "nonsense" in said[0], run.stderr


NEWEST = next(path.name for path in reversed(rows.stored()) if not path.name.startswith("bench"))


@pytest.mark.parametrize("command", ["claims", "claims --long", "doctor", f"diff {NEWEST} {NEWEST}"])
def test_a_reader_that_has_enough_is_no_error(command):
    run = subprocess.run(["sh", "-c", f"{LAB} {command} | head -1"], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.count("\n") == 1 and run.stderr == ""


def test_ctrl_c_while_a_command_is_loading_is_one_line():
    loading = "import lablib, os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"
    run = subprocess.run(
        [sys.executable, "-c", loading],
        cwd=ROOT / "scripts",
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert run.stderr == "\nlsm-lab: interrupted\n" and run.returncode == -signal.SIGINT


def test_a_link_to_a_script_works_from_anywhere(tmp_path):
    (tmp_path / "first").symlink_to(LAB)
    (tmp_path / "second").symlink_to("first")
    run = subprocess.run([tmp_path / "second", "claims"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stdout.strip().endswith(claims.summary(claims.verdicts())), run.stderr


def test_claims_have_a_short_table():
    short = subprocess.run([LAB, "claims"], capture_output=True, text=True, check=True).stdout.splitlines()
    long = subprocess.run([LAB, "claims", "--long"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(short) == len(claims.verdicts()) + 4 < len(long) and short[-1] == long[-1]


@pytest.mark.parametrize("damaged", [b"", b'{"experiment": "02", "verd', b"[]", bytes(range(256))])
def test_a_damaged_row_is_named_and_left_out(tmp_path, monkeypatch, capsys, damaged):
    before = claims.verdicts()
    row = tmp_path / "02-key-range-pruning-000000Z.json"
    row.write_bytes(damaged)
    stored = rows.stored()
    monkeypatch.setattr(rows, "stored", lambda: [*stored, row, tmp_path])
    assert claims.verdicts() == before
    assert capsys.readouterr().err.startswith(f"lsm-lab: left out: {row} is no row, or a damaged one")


def test_a_broken_choice_of_python_is_refused():
    run = subprocess.run([LAB, "doctor"], env=os.environ | {"LSM_PYTHON": "/no/such/python"}, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and run.stderr == "lsm-lab: LSM_PYTHON is /no/such/python, which is no Python 3.11 to 3.15 with its venv module\n"


def test_jars_and_the_java_that_runs_them_are_named():
    printed = subprocess.run([LAB, "jar"], capture_output=True, text=True, check=True).stdout
    for jar in re.findall(r"/\S+\.jar", printed):
        assert Path(jar).exists()
    assert os.access(re.search(r"^java: +(.*)$", printed, re.MULTILINE).group(1), os.X_OK)


def test_two_rows_are_compared(tmp_path):
    newest = [path for path in rows.stored() if path.name.startswith("01-block-size")][-1]
    other = rows.read(newest)
    other["verdicts"][0] |= {"verdict": "not reproduced"}
    (tmp_path / "other.json").write_text(json.dumps(other))
    told = subprocess.run([LAB, "diff", newest.name, tmp_path / "other.json"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^1 MB tables, put-sequential: knee \(p99 below 10 ms\), /s +([\d,]+) +\1 +1$", told, re.MULTILINE), told
    before = rows.read(newest)["verdicts"][0]
    assert f"claim {before['claim']}: {before['verdict']} in A, not reproduced in B" in told
    alone = subprocess.run([LAB, "diff", newest.stem[-7:]], capture_output=True, text=True, check=False)
    assert alone.stderr == f"lsm-lab: {newest.name} is one row; name a second one\n"
    for words in (["nothing"], ["README.md", "README.md"], ["01", "02", "03"]):
        wrong = subprocess.run([LAB, "diff", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1, wrong.stderr


@pytest.mark.parametrize("written", ["99999", "-1", "0", "x"])
def test_a_port_that_is_none_is_refused(written):
    for command in (["--no-browser"], ["server"]):
        wrong = subprocess.run([LAB, *command, "--port", written], capture_output=True, text=True, check=False, timeout=60)
        assert wrong.returncode == 2 and wrong.stderr.splitlines()[-1].endswith(f"{written} is no port, it must be 1 to 65535"), wrong.stderr


def test_the_kernel_is_installed_under_a_name_of_its_own(tmp_path):
    subprocess.run([LAB, "kernel", "--install", "--prefix", str(tmp_path)], check=True, capture_output=True)
    specification = tmp_path / "share/jupyter/kernels/lsm-lab/kernel.json"
    assert str(ROOT) in specification.read_text()
    subprocess.run([LAB, "kernel", "--remove", "--prefix", str(tmp_path)], check=True, capture_output=True)
    assert not specification.exists()
    again = subprocess.run([LAB, "kernel", "--remove", "--prefix", str(tmp_path)], capture_output=True, text=True, check=False)
    assert again.returncode == 1 and again.stderr.count("\n") == 1


def test_the_installed_kernel_runs_without_the_labs_environment(tmp_path):
    """As VS Code or a hub starts it: nothing of scripts/lab's variables."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "LSM_", "JAVA_HOME", "IPYTHON"))}
    subprocess.run([LAB, "kernel", "--install", "--prefix", str(tmp_path)], check=True, capture_output=True)
    code = (
        "from jupyter_client.manager import start_new_kernel; m, c = start_new_kernel(kernel_name='lsm-lab'); "
        "c.execute_interactive('Lab.about()', timeout=120, output_hook=lambda m: print(m['content'].get('data', m['content']))); c.stop_channels(); m.shutdown_kernel()"
    )
    python = str(STATE / "venv/bin/python") if (STATE / "venv").exists() else "python3"
    run = subprocess.run(
        [python, "-c", code],
        env=outside | {"JUPYTER_PATH": str(tmp_path / "share/jupyter")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "This machine, quick mode" in run.stdout


def test_the_generators_examples_run_as_printed(tmp_path, free_port):
    """The README's lines, in order and shortened, in zsh where there is one; the first writes what the others ask for."""
    text = (ROOT / "engine/load/README.md").read_text()
    examples = [line for line in re.search(r"```sh\n(scripts/lab wrk2.*?)```", text, re.DOTALL).group(1).splitlines() if "--knee" not in line]
    server = subprocess.Popen([LAB, "server", "--port", str(free_port), "--data", str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert " serves " in server.stdout.readline() or " serves " in server.stdout.readline()
        shell = next(path for path in ("/usr/bin/zsh", "/bin/zsh", "/bin/sh") if Path(path).exists())
        for line in examples:
            line = (
                re.sub(r"-d\d+s", "-d2s", line)
                .replace("8080", str(free_port))
                .replace("5s --json", "1s --json")
                .replace("run.json", str(tmp_path / "run.json"))
            )
            run = subprocess.run([shell, "-c", line], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
            assert run.returncode == 0 and "Requests/sec" in run.stdout, run.stderr
            assert "Non-2xx" not in run.stdout or "40000" in line, "fewer ids were written in the shortened run: " + run.stdout
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(120)


def test_readmes_server_answers_as_printed(tmp_path, free_port):
    text = (ROOT / "README.md").read_text()
    commands = re.search(r"```sh\n(scripts/lab server.*?)```", text, re.DOTALL).group(1).splitlines()
    start = commands[0].split("#")[0].replace("/tmp/store", str(tmp_path)) + f" --port {free_port}"
    server = subprocess.Popen(start.split(), cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://localhost:{free_port}/v0/status", timeout=5)
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        told = subprocess.run(["sh", "-c", commands[1].replace("8080", str(free_port))], capture_output=True, text=True, check=True)
        assert told.stdout == "hello"
        loaded = subprocess.run(["sh", "-c", commands[2].replace("8080", str(free_port))], cwd=ROOT, capture_output=True, text=True, check=True)
        assert "Non-2xx" not in loaded.stdout and "Requests/sec" in loaded.stdout
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(120)
