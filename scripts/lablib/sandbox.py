# SPDX-License-Identifier: Apache-2.0
"""A submission's own corner of the machine: folders of its own, a limit of memory and of time, and no network but loopback. By bubblewrap, on Linux.

One sandbox holds nbgrader with what it keeps. Inside of it the kernel, where the submission's code runs, has another one without that.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import psutil

from lablib.paths import KERNELS, NOTEBOOKS, OUT, ROOT, STATE

MEMORY_BYTES = 4 << 30  # of all its processes: a kernel, two servers and a load generator take two
LOOK_SECONDS = 0.5
SHARED = ("venv", "jupyter/config")  # parts of .lab that it reads; the rest is its own
HIDDEN = (NOTEBOOKS / "assignments/source", NOTEBOOKS / "assignments/fixtures", NOTEBOOKS / "solutions", OUT, ROOT / ".git")
KERNEL = (KERNELS / "java/kernel.json").relative_to(STATE)
KERNELS_OWN = (
    *("bwrap", "--die-with-parent", "--unshare-pid", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"),
    *("--setenv", "JPY_PARENT_PID", "1"),  # this sandbox, which ends with the kernel's parent; that one's own number is another process here
)
MISSING = (
    "bubblewrap is not here, or this system does not let it work: submissions run one by one, with your rights and your network. "
    "Debian, Ubuntu: apt install bubblewrap"
)


class Ended(Exception):
    """A submission was ended; the message says why."""


def options() -> list[str]:
    """What a submission sees: the machine to read, no other processes, no network but loopback."""
    return [
        *("bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
        *("--ro-bind", str(ROOT), str(ROOT)),  # which may stand in /tmp
    ]


def available() -> bool:
    """Whether there is a bubblewrap, and the system allows what it does."""
    return bool(shutil.which("bwrap")) and subprocess.run([*options(), *KERNELS_OWN, "true"], capture_output=True, check=False).returncode == 0


def wrapped(folder: Path, words: list[str], others: Path | None = None) -> list[str]:
    """The command with this folder to write, a .lab of its own inside it, and without the folders of answers and of other submissions."""
    own = folder / "lab"
    for name in ("tmp", *SHARED):
        (own / name).mkdir(parents=True, exist_ok=True)
    write_kernel(folder, own / KERNEL)
    all_hidden = [each for each in (*HIDDEN, others) if each and each.exists() and not ROOT.is_relative_to(each)]
    hidden = [word for each in all_hidden for word in ("--tmpfs", str(each))]
    shared = [word for name in SHARED if (STATE / name).exists() for word in ("--ro-bind", str(STATE / name), str(STATE / name))]
    return [*options(), *hidden, "--bind", str(own), str(STATE), *shared, "--bind", str(folder), str(folder), "--chdir", str(folder), *words]


def write_kernel(folder: Path, target: Path) -> None:
    """The lab's kernel, which can't change what nbgrader keeps in the folder, and sees neither its gradebook nor its process."""
    kernel = json.loads((STATE / KERNEL).read_text())
    gradebooks = [word for path in folder.glob("*.db") for word in ("--ro-bind", "/dev/null", str(path))]
    kernel["argv"] = [*KERNELS_OWN, "--ro-bind", str(folder), str(folder), *gradebooks, *kernel["argv"]]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(kernel))


def run(words: list[str], seconds: float, stop: threading.Event) -> str:
    """What a command printed, if it ended well. It and all that it started are ended when it takes too much, or when this is to stop."""
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    deadline = time.monotonic() + seconds
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                said = process.communicate(timeout=LOOK_SECONDS)[0]
                if process.returncode != 0:
                    raise OSError(f"it ended with {process.returncode}: {said[-200:]!r}")
                return said
            if stop.is_set():
                raise Ended("interrupted")
            if time.monotonic() > deadline:
                raise Ended(f"not done within {seconds:.0f} s")
            if memory_bytes(process.pid) > MEMORY_BYTES:
                raise Ended(f"its processes took more than {MEMORY_BYTES >> 30} GB of memory")
    finally:
        end(process)


def memory_bytes(pid: int) -> int:
    total = 0
    with contextlib.suppress(psutil.Error):
        for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
    return total


def end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    child.kill()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
