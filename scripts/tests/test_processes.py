# SPDX-License-Identifier: Apache-2.0
"""However a run ends, no process of it is left soon after, and what it says of its end is one word."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time

import nbformat
import psutil
import pytest
from jupyter_client.connect import write_connection_file
from jupyter_client.manager import start_new_kernel
from lablib.paths import KERNELS, NOTEBOOKS, OUT, ROOT, STATE

SECONDS_TO_END = 30  # it takes two on an idle machine, and these processes would go on for minutes
BUSY_CELL = """
var server = Lab.server().flushThreshold("1MB").heap("128m").start();
Lab.wrk2().script("put-sequential.lua").rate(500).warmup("120s").duration("120s").run(server);
"""


@pytest.fixture
def busy_notebook():
    """A notebook that keeps a server and a load generator busy for minutes."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(BUSY_CELL.strip())])
    folder = STATE / "tmp" / "busy"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "99-busy.ipynb"
    nbformat.write(notebook, path)
    yield path
    for leftover in [*OUT.glob("99-busy.*"), path]:
        leftover.unlink()


def start(notebook, **options) -> psutil.Process:
    process = subprocess.Popen([sys.executable, "-m", "lablib.notebooks", "quick", str(notebook)], cwd=ROOT, **options)
    return psutil.Process(process.pid)


def await_processes(run: psutil.Process, *wanted: str) -> dict[str, psutil.Process]:
    """Waits until each of the wanted texts stands in the command of a descendant; returns all descendants, these by their text."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found, others = {}, {}
        for child in run.children(recursive=True):
            others[f"other {child.pid}"] = child
            try:
                command = " ".join(child.cmdline())
            except psutil.NoSuchProcess:
                continue
            found |= {text: child for text in wanted if text in command}
        if len(found) == len(wanted):
            return found | others
        assert run.is_running() and run.status() != psutil.STATUS_ZOMBIE, "the run ended early"
        time.sleep(0.1)
    commands = [child.cmdline() for child in run.children(recursive=True)]
    run.kill()
    pytest.fail(f"no {wanted} among {commands}")


def assert_all_end(processes: list[psutil.Process]):
    _, alive = psutil.wait_procs(processes, timeout=SECONDS_TO_END)
    alive = [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    left = [" ".join(process.cmdline()) for process in alive]
    for process in alive:
        process.kill()
    assert not left


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP])
def test_when_the_run_is_ended(busy_notebook, ending):
    run = start(busy_notebook)
    processes = await_processes(run, "jjava.jar", "lsm-server.jar", "wrk2.jar")
    run.send_signal(ending)
    assert_all_end([run, *processes.values()])


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_when_the_kernel_is_ended(busy_notebook, ending):
    run = start(busy_notebook)
    processes = await_processes(run, "jjava.jar", "lsm-server.jar", "wrk2.jar")
    processes["jjava.jar"].send_signal(ending)
    assert_all_end(list(processes.values()))
    psutil.wait_procs([run], timeout=180)  # nbclient sees that the kernel died, and the run fails
    assert not run.is_running() or run.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("moment", ["jjava.jar", "lsm-server.jar", "wrk2.jar"])
def test_ctrl_c_is_one_word_and_a_status(busy_notebook, moment):
    """While the kernel starts, while a server starts, while a cell measures."""
    run = subprocess.Popen(
        [sys.executable, "-m", "lablib.notebooks", "quick", str(busy_notebook)], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    processes = await_processes(psutil.Process(run.pid), moment)
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=60)
    assert run.returncode == 130
    assert said.strip().endswith("lsm-lab: interrupted") and "Traceback" not in said and "Error" not in said, said
    assert_all_end(list(processes.values()))


def test_ctrl_c_in_a_command_without_notebooks():
    run = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from lablib import __main__ as m; m.lab = lambda _: __import__('time').sleep(100); "
            "sys.argv = ['lablib', 'lab']; print('here', flush=True); m.main()",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # a job in the background ignores it
    run.stdout.readline()
    time.sleep(0.5)  # until it sleeps
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert (run.returncode, said) == (130, "\nlsm-lab: interrupted\n")


def test_when_the_terminal_is_closed(busy_notebook):
    controller, terminal = os.openpty()
    run = start(
        busy_notebook, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    )
    os.close(terminal)
    processes = await_processes(run, "jjava.jar", "lsm-server.jar", "wrk2.jar")
    os.close(controller)
    assert_all_end([run, *processes.values()])


def test_a_frozen_server_is_ended_too(busy_notebook):
    """A stopped process can't watch its parent: what stopped it must let it go on."""
    notebook = nbformat.read(busy_notebook, as_version=4)
    notebook.cells[0].source = notebook.cells[0].source.replace(".run(server)", '.warmup("1s").freeze("12s", "100s").run(server)')
    nbformat.write(notebook, busy_notebook)
    run = start(busy_notebook)
    processes = await_processes(run, "jjava.jar", "lsm-server.jar", "wrk2.jar", "kill -CONT")
    deadline = time.monotonic() + 180
    while processes["lsm-server.jar"].status() != psutil.STATUS_STOPPED and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes["lsm-server.jar"].status() == psutil.STATUS_STOPPED
    processes["jjava.jar"].kill()
    assert_all_end(list(processes.values()))


def test_a_real_wrk2_is_ended_too(busy_notebook, tmp_path):
    """A program in place of wrk2 that takes its options and never ends."""
    program = tmp_path / "wrk2"
    program.write_text('#!/bin/sh\nif [ "$1" = --help ]; then echo "  -R, --rate  <T>"; exit 1; fi\nexec sleep 300\n')
    program.chmod(0o755)
    run = start(busy_notebook, env=os.environ | {"WRK2": str(program)})
    processes = await_processes(run, "jjava.jar", "lsm-server.jar", "sleep 300")
    processes["jjava.jar"].kill()
    assert_all_end(list(processes.values()))


def test_a_kernel_whose_jupyter_ended_while_it_started_ends(tmp_path):
    """Its parent is init by then, which never ends."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    specification = json.loads((KERNELS / "java/kernel.json").read_text())
    connection = tmp_path / "kernel.json"
    write_connection_file(str(connection))
    kernel = subprocess.Popen(
        [word.replace("{connection_file}", str(connection)) for word in specification["argv"]],
        stdout=subprocess.DEVNULL,
        env=os.environ | specification["env"] | {"PATH": os.environ["PATH"], "JPY_PARENT_PID": str(gone.pid)},
    )
    try:
        assert kernel.wait(120) == 1
    finally:
        kernel.kill()


def test_a_kernel_that_is_told_to_end_ends_by_itself():
    """Jupyter waits for that at each restart, and kills it in the end."""
    manager, client = start_new_kernel(kernel_name="java", cwd=str(NOTEBOOKS))
    try:
        client.execute_interactive("var server = Lab.server().start();", timeout=180)
        servers = psutil.Process(manager.provisioner.pid).children(recursive=True)
        manager.request_shutdown()
        assert manager.provisioner.process.wait(SECONDS_TO_END) == 0
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert servers
    assert_all_end(servers)
