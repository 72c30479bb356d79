# SPDX-License-Identifier: Apache-2.0
"""Finds a Chromium for tests."""

import os
import shutil


def find_chromium() -> str | None:
    """$LSM_CHROMIUM, or a Chromium or Chrome on the path; None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("LSM_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
