# SPDX-License-Identifier: Apache-2.0
"""Puts what full runs showed into the committed notebooks, with a static picture beside each interactive one. Runs in the
environment that set-up made, with a Chromium.

Usage: python -m lablib.publish NAME...
"""

import base64
import gzip
import html
import io
import re
import sys

import nbformat
from PIL import Image
from playwright.sync_api import sync_playwright

from lablib import rows, superseded
from lablib.browser import find_chromium
from lablib.notebooks import RUN, code_digest
from lablib.paths import NOTEBOOKS, OUT, ROOT
from lablib.problem import Problem

MAX_BYTES = 1_600_000  # the page of all figures has more than twenty flame graphs
PLOTLY = "application/vnd.plotly.v1+json"
PROGRESS = ("✓", "✗", "▓", "░")
WIDTH_PIXELS = 900
FRAMES = ("flamegraph", "autopsy", "replay")  # interactive pages in frames of their own, by the end of their class; an output may have several
FRAME = re.compile(f'<iframe class="lsmlab-(?:{"|".join(FRAMES)})"')
NOT_TRUSTED = re.compile(r"\[([\w ]+) hidden: this notebook is not trusted\. Run the cell, or choose File &gt; Trust Notebook\.\]")
BELOW_PICTURE = r"[The picture above is a still. File &gt; Trust Notebook shows the interactive one here: \1.]"
FRAME_COLOURS = 64
COLOUR = re.compile("#[0-9a-fA-F]{6}")
HEAT_COLOURS = ("#00204D", "#31446B", "#4E576C", "#666970", "#7D7C78", "#958F78", "#AFA370", "#CAB969", "#E4CF5B", "#FFEA46")
SRCDOC = re.compile(r'srcdoc="([^"]*)"')
INDENTATION = re.compile("^ +", re.MULTILINE)  # a quarter of the file: each number of a chart has its line
UNPACK = """<script>
(async () => {
  const bytes = Uint8Array.from(atob("%s"), letter => letter.charCodeAt(0));
  const page = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  document.open();
  document.write(page);
  document.close();
})();
</script>"""


def is_frame(output) -> bool:
    return bool(FRAME.search(output.get("data", {}).get("text/html", "")))


def interactive(output) -> int:
    """How many charts and frames an output shows. Each of them has a picture in a published notebook."""
    return len(FRAME.findall(output.get("data", {}).get("text/html", ""))) or int(PLOTLY in output.get("data", {}))


def pictures(name: str) -> list[str]:
    """Each chart and frame of out/NAME.html in order, as PNG in base64."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH_PIXELS, "height": 1000})
        page.goto((OUT / f"{name}.html").as_uri())
        page.wait_for_timeout(1_000)
        found = []
        for element in page.locator(", ".join([".js-plotly-plot", *(f"iframe.lsmlab-{frame}" for frame in FRAMES)])).all():
            element.scroll_into_view_if_needed()
            page.wait_for_timeout(1_200)  # a flame graph loads itself again when it learns its width
            figure = element.evaluate("e => e.tagName === 'IFRAME' ? null : JSON.stringify([e.data, e.layout])")
            found.append(small(element.screenshot(), figure))
        browser.close()
    return found


def palette(figure: str) -> Image.Image:
    """A chart's own colours, some greys, and those of heat maps. A palette made to measure would give a colour of few pixels to another."""
    own = sorted(set(COLOUR.findall(figure)))
    greys = [f"#{level:02X}{level:02X}{level:02X}" for level in (255, 229, 180, 120, 68, 0)]
    image = Image.new("P", (1, 1))
    image.putpalette([int(colour[i : i + 2], 16) for colour in [*own, *greys, *HEAT_COLOURS] for i in (1, 3, 5)])
    return image


def small(png: bytes, figure: str | None) -> str:
    """As PNG in base64, with few colours; without a figure it is a frame. An octree keeps colours of few pixels."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image = image.quantize(FRAME_COLOURS, Image.Quantize.FASTOCTREE) if figure is None else image.quantize(palette=palette(figure), dither=Image.Dither.NONE)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def packed(frames: str) -> str:
    """The same frames, their pages compressed: a flame graph's is stacks, most of which begin like others."""

    def loader(srcdoc: re.Match) -> str:
        page = html.unescape(srcdoc.group(1))
        return f'srcdoc="{html.escape(UNPACK % base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode())}"'

    return SRCDOC.sub(loader, frames)


def publish(name: str) -> int:
    """Returns the size of the notebook in bytes."""
    committed = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    executed = nbformat.read(OUT / f"{name}.ipynb", as_version=4)
    code = [cell for cell in committed.cells if cell.cell_type == "code"]
    ran = [cell for cell in executed.cells if cell.cell_type == "code"]
    if [cell.source for cell in code] != [cell.source for cell in ran]:
        raise Problem(f"out/{name}.ipynb ran other code than notebooks/{name}.ipynb has: scripts/lab run {name} --full")
    finished = executed.metadata.get(RUN)
    if not finished or [cell.execution_count for cell in ran] != list(range(1, len(ran) + 1)):
        raise Problem(f"out/{name}.ipynb is of a run that failed or was interrupted: scripts/lab run {name} --full")
    if finished["mode"] != "full":
        raise Problem(f"out/{name}.ipynb is no full run: scripts/lab run {name} --full")
    if finished["code"] != code_digest(executed):
        raise Problem(f"out/{name}.ipynb was run with other jars than there are now: scripts/lab run {name} --full")
    static = iter(pictures(name))
    for cell, source in zip(code, ran, strict=True):
        cell.outputs = []
        cell.execution_count = None
        for output in source.outputs:
            if output.get("data", {}).get("text/plain", "").startswith(PROGRESS):
                continue
            if "metadata" in output:
                output.metadata = {}
            if output.output_type == "execute_result":
                output.execution_count = None
            if is_frame(output):  # hosting sites show no frames, and of a bundle the HTML first
                for number in range(interactive(output)):
                    cell.outputs.append(
                        nbformat.v4.new_output("display_data", {"image/png": next(static), "text/plain": "" if number else output.data["text/plain"]})
                    )
                output.data["text/html"] = NOT_TRUSTED.sub(BELOW_PICTURE, packed(output.data["text/html"]))
            elif interactive(output):
                output.data["image/png"] = next(static)
            cell.outputs.append(output)
    text = (INDENTATION.sub("", nbformat.writes(committed)) + "\n").encode()
    if len(text) > MAX_BYTES:
        raise Problem(f"notebooks/{name}.ipynb would have {len(text):,} bytes, at most {MAX_BYTES:,} are allowed")
    (NOTEBOOKS / f"{name}.ipynb").write_bytes(text)
    return len(text)


def main() -> None:
    try:
        for name in sys.argv[1:]:
            if not (OUT / f"{name}.ipynb").is_file():
                raise Problem(f"there is no run of {name} to publish: scripts/lab run {name} --full comes first")
            print(f"notebooks/{name}.ipynb: {publish(name):,} bytes")
        for row in superseded.retire():
            print(f"{row}: superseded, removed; {rows.SUPERSEDED.relative_to(ROOT)} says what it found and which commit holds it")
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")


if __name__ == "__main__":
    main()
