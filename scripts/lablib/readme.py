# SPDX-License-Identifier: Apache-2.0
"""The README's numbers and its picture, made from stored rows and the published notebook. Needs nothing but the project's files."""

import base64
import json
import re
from collections.abc import Callable

from lablib import claims, rows
from lablib.files import write_whole
from lablib.paths import NOTEBOOKS, ROOT
from lablib.problem import Problem

README = ROOT / "README.md"
PICTURE = NOTEBOOKS / "pictures/block-size.png"
PICTURED = NOTEBOOKS / "01-block-size.ipynb"
CHART = "Chart: response time by percentile"
RATIO = "GET knee 8 MB / 1 MB"
PART = re.compile(r"(<!-- (\w+): written by scripts/lab readme -->\n).*?(\n<!-- end -->)", re.DOTALL)


def caption(results: list[dict]) -> str:
    found = next(result for result in results if result["id"] == "001-3")
    row = rows.read(ROOT / found["row"])
    low, high = (claims.number(end) for end in found["intervals"][RATIO])
    return (
        "*Response time of GET at one rate, from tables of 1, 8 and 64 MB, beside what report 001 measured. On "
        f"{row['machine']['cpu']} with {row['machine']['cores']} cores, tables of 8 MB hold {claims.number(found['measured'][RATIO])} "
        f"times the GET rate of tables of 1 MB ({low} to {high} with 95 % confidence, p99 below 10 ms); the report found 7.8. "
        f"`scripts/lab run 01-block-size --full`, {row['utc'][:10]}, [row]({found['row']}), [published run](notebooks/01-block-size.ipynb).*"
    )


PARTS: dict[str, Callable[[list[dict]], str]] = {"caption": caption, "claims": claims.summary}


def written(text: str) -> str:
    """The README with its numbers as the rows have them."""
    if sorted(part[1] for part in PART.findall(text)) != sorted(PARTS):
        raise Problem(f"README.md must have these parts, each once: {', '.join(PARTS)}")
    results = claims.verdicts()
    return PART.sub(lambda part: part[1] + PARTS[part[2]](results) + part[3], text)


def picture() -> bytes:
    """The published notebook's first chart of response times."""
    for cell in json.loads(PICTURED.read_text())["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "".join(data.get("text/plain", "")).startswith(CHART) and "image/png" in data:
                return base64.b64decode("".join(data["image/png"]))
    raise Problem(f"{PICTURED.relative_to(ROOT)} shows no published chart of response times: scripts/lab publish 01-block-size")


def write() -> None:
    PICTURE.write_bytes(picture())
    write_whole(README, written(README.read_text()))
