# SPDX-License-Identifier: Apache-2.0
"""Starts JupyterLab on a notebook and says where it is, in one line. Runs in the environment that set-up made.

Usage: python -m lablib.jupyter NOTEBOOK [--no-browser] [option of JupyterLab...]
"""

import logging
import os
import shutil
import signal
import sys
import threading
import webbrowser
from urllib.parse import quote

import psutil
from jupyterlab.labapp import LabApp

from lablib.paths import ROOT, STATE

OPTIONS = {
    "ServerApp.root_dir": str(ROOT),
    "ServerApp.log_level": logging.ERROR,
    "LabApp.log_level": logging.ERROR,
    "ServerApp.open_browser": False,
    # No tabs of last time: each would start a kernel of its own.
    "LabApp.workspaces_dir": str(STATE / "jupyter" / f"workspaces-{os.getpid()}"),
}


def is_worth_a_line(record: logging.LogRecord) -> bool:
    """Jupyter's errors are. Its notices, which have the level above, say what our line says; a tab that is closed while its kernel starts leaves a
    stack and the headers of its request."""
    message = record.getMessage()
    return record.levelno != logging.CRITICAL and "/channels?" not in message and not message.startswith("{\n")


def main() -> None:
    notebook, *others = sys.argv[1:]
    for left in (STATE / "jupyter").glob("workspaces-*"):
        if not psutil.pid_exists(int(left.name.rpartition("-")[2])):
            shutil.rmtree(left, ignore_errors=True)
    show = "--no-browser" not in others
    root = ["--allow-root"] if os.geteuid() == 0 else []
    server = LabApp.initialize_server(
        argv=[*(f"--{name}={value}" for name, value in OPTIONS.items()), *root, *(word for word in others if word != "--no-browser")]
    )
    for handler in server.log.handlers:  # a filter on the logger would miss Tornado's records
        handler.addFilter(is_worth_a_line)
    signal.signal(signal.SIGINT, lambda *_: os.kill(os.getpid(), signal.SIGTERM))  # Ctrl-C asks nothing: notebooks are saved as they are edited
    token = f"?token={server.identity_provider.token}" if server.identity_provider.token else ""
    address = f"http://localhost:{server.port}{server.base_url}lab/tree/{quote(notebook)}{token}"

    def say() -> None:
        print(f"lsm-lab: {address}  (Ctrl-C ends JupyterLab and its notebooks)", flush=True)
        if show:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    server.io_loop.add_callback(say)  # runs after Jupyter's own callback, which binds the port
    server.start()


if __name__ == "__main__":
    main()
