# SPDX-License-Identifier: Apache-2.0
"""A kernel of the lab, for tests that type cells."""

import os
import re

from jupyter_client.manager import KernelManager
from lablib.paths import ROOT, UNATTENDED

SECONDS = 120


class Notebook:
    """A kernel and what its cells show."""

    def __init__(self, **variables: str):
        self.manager = KernelManager(kernel_name="java")
        self.manager.start_kernel(cwd=str(ROOT / "notebooks"), env=os.environ | UNATTENDED | variables)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)
        self.html = ""  # what the last cell showed

    def run(self, code: str) -> tuple[str, str]:
        """What the cell shows as plain text, and its error's printed text."""
        shown, errors = {}, []

        def hook(message):
            content = message["content"]
            if message["msg_type"] == "error":
                errors.extend(content["traceback"])
            elif message["msg_type"] in ("display_data", "update_display_data", "execute_result"):
                shown[content.get("transient", {}).get("display_id", len(shown))] = content["data"].get("text/plain", "")
                self.html = content["data"].get("text/html", self.html)
            elif message["msg_type"] == "stream":
                shown[len(shown)] = content["text"]

        self.client.execute_interactive(code, timeout=SECONDS, output_hook=hook)
        return "\n".join(shown.values()), re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(errors))

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()
