# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a way the user can mend, and how a command ends that is interrupted."""

import errno

from lablib.paths import ROOT


class Problem(Exception):
    """One line that says what is missing or wrong, and what to do."""


INTERRUPTED = 130  # 128 + SIGINT, as shells count
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def one_line(error: OSError) -> str | None:
    """What to print for an error of the machine rather than of the lab: a full disk, a missing permission. None for any other."""
    if error.errno in (*NO_ROOM, errno.EROFS, errno.EACCES):
        what = "; make room on that disk, then do this again" if error.errno in NO_ROOM else ""
        return f"lsm-lab: {error.strerror}: {error.filename or ROOT}{what}"
    return None
