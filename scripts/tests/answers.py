# SPDX-License-Identifier: Apache-2.0
"""Requests to servers on this machine."""

import urllib.error
import urllib.request


def request(port: int, method: str, path: str, body: bytes | None = None) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body, method=method), timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
