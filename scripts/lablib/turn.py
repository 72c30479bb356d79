# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is to measure: notebooks and benchmarks wait for each other."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator

from lablib.paths import STATE


def hold(what: str) -> int:
    """Waits until nobody measures; from then on others wait until the file that this returns is closed, or this process ends, also as another program."""
    path = STATE / "run/measuring"
    path.parent.mkdir(exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print(f"lsm-lab: waits for {os.read(file, 200).decode(errors='replace') or 'a notebook that measures'}", file=sys.stderr, flush=True)
        fcntl.lockf(file, fcntl.LOCK_EX)
    os.ftruncate(file, 0)
    os.pwrite(file, f"{what} (process {os.getpid()})".encode(), 0)
    os.set_inheritable(file, True)
    return file


@contextlib.contextmanager
def held(what: str) -> Iterator[None]:
    file = hold(what)
    try:
        yield
    finally:
        os.close(file)
