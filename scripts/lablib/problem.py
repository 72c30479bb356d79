# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a way the user can mend."""


class Problem(Exception):
    """One line that says what is missing or wrong, and what to do."""
