# SPDX-License-Identifier: Apache-2.0
"""The scripts behind scripts/lab and scripts/test: set-up, running notebooks, tests.

Until the set-up is done only Python's standard library may be imported; ``notebooks`` and the tests run in the environment it makes.
"""

import sys


def _report(kind, error, trace, otherwise=sys.excepthook) -> None:
    """Ctrl-C while Python still loads a command, before its own code could report it: one line instead of a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        print("\nlsm-lab: interrupted", file=sys.stderr)
    else:
        otherwise(kind, error, trace)


sys.excepthook = _report
