# SPDX-License-Identifier: Apache-2.0
"""An executed notebook in a real JupyterLab in a real browser, and its page without one."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from playwright.sync_api import Error as PlaywrightError

from lablib.paths import NOTEBOOKS, OUT, ROOT, STATE, notebook_names

PERCENTILES = "Response time by percentile"
SCREENSHOTS = OUT / "screenshots"
MIDDLE_OF_CURVE = """path => {
  const point = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
  return [point.x, point.y];
}"""
COLOURED_PIXELS = """() => {
  const canvas = document.querySelector('canvas');
  if (!canvas || !canvas.width) return 0;
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let coloured = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] && (pixels[i] < 250 || pixels[i + 1] < 250 || pixels[i + 2] < 250)) coloured++;
  }
  return coloured;
}"""


@pytest.fixture
def jupyterlab(free_port):
    """JupyterLab as scripts/lab starts it; yields its address and token."""
    log = (STATE / "logs" / "jupyterlab-test.log").open("w")
    process = subprocess.Popen([sys.executable, "-m", "lablib", "lab", "--no-browser", f"--port={free_port}"], cwd=ROOT,
                               env=os.environ | {"JUPYTER_TOKEN": "test"}, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{free_port}"
    try:
        await_status(process, f"{address}/api/status?token=test")
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def await_status(process, url):
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(url, timeout=10)
            return
        except OSError:
            assert process.poll() is None and time.monotonic() < deadline, "JupyterLab did not start"
            time.sleep(0.2)


def assert_chart_is_drawn_and_interactive(page, chart):
    chart.scroll_into_view_if_needed()
    line = chart.locator("g.trace path.js-line").first
    line.wait_for(state="attached", timeout=30_000)
    assert line.get_attribute("d").count("L") > 10, "a curve of many points"
    x, y = line.evaluate(MIDDLE_OF_CURVE)
    page.mouse.move(x, y)
    chart.locator("g.hoverlayer g.hovertext").first.wait_for(state="attached", timeout=10_000)
    before = line.get_attribute("d")
    box = chart.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, y, steps=5)
    page.mouse.up()
    page.wait_for_timeout(500)
    assert line.get_attribute("d") != before, "dragging zooms"


def assert_flame_graph_is_not_blank(page, frame_element):
    frame_element.scroll_into_view_if_needed()
    frame = frame_element.element_handle().content_frame()
    for _ in range(40):
        page.wait_for_timeout(250)
        try:
            if frame.evaluate(COLOURED_PIXELS) > 10_000:
                return
        except PlaywrightError:
            continue  # the page loads itself again when it learns its width
    pytest.fail("the flame graph stays blank")


def test_executed_notebook_in_jupyterlab(executed, browser, jupyterlab):
    assert executed.status == 0
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{jupyterlab}/lab/workspaces/test/tree/out/01-block-size.ipynb?token=test")
    page.locator(".jp-Notebook").wait_for(timeout=90_000)
    notebook = page.locator(".jp-WindowedPanel-outer, .jp-Notebook").first
    found = {"chart": False, "flame graph": False}
    notebook.hover()
    for _ in range(120):
        chart, flames = page.locator(".jp-Notebook .js-plotly-plot", has_text=PERCENTILES).first, page.locator(".jp-Notebook iframe.lsmlab-flamegraph").first
        if not found["chart"] and chart.count():
            assert_chart_is_drawn_and_interactive(page, chart)
            screenshot(page, "jupyterlab-chart")
            found["chart"] = True
        elif not found["flame graph"] and flames.count():
            assert_flame_graph_is_not_blank(page, flames)
            screenshot(page, "jupyterlab-flame-graph")
            found["flame graph"] = True
        elif all(found.values()):
            break
        notebook.hover()
        page.mouse.wheel(0, 500)  # JupyterLab renders a cell when it comes into view
        page.wait_for_timeout(150)
    assert all(found.values()), found
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("name", notebook_names())
def test_restart_and_run_all(name, browser, jupyterlab):
    """As a student does it: the menu's Restart and Run All, then Save. On a copy, since the committed ones show full runs."""
    copy = OUT / f"{name}-by-hand.ipynb"
    OUT.mkdir(exist_ok=True)
    shutil.copy(NOTEBOOKS / f"{name}.ipynb", copy)
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{jupyterlab}/lab/workspaces/{name}/tree/out/{copy.name}?token=test")
    page.locator(".jp-Notebook").wait_for(timeout=90_000)
    await_kernel(jupyterlab, "idle", seconds=60)
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Restart Kernel and Run All Cells").first.click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.wait_for_timeout(5_000)  # the old kernel is idle until it is gone
    await_kernel(jupyterlab, "idle", seconds=300)
    page.keyboard.press("Control+s")
    page.wait_for_timeout(3_000)
    screenshot(page, f"run-all-{name}")
    page.close()
    code = [cell for cell in nbformat.read(copy, as_version=4).cells if cell.cell_type == "code"]
    copy.unlink()
    assert not [output.evalue for cell in code for output in cell.outputs if output.output_type == "error"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))


def await_kernel(jupyterlab, state: str, seconds: int) -> None:
    """Until it has been in the state for three seconds: between two cells a kernel is idle, too."""
    deadline = time.monotonic() + seconds
    since = None
    while since is None or time.monotonic() - since < 3:
        assert time.monotonic() < deadline, f"the kernel is not {state} after {seconds} s"
        kernels = json.load(urllib.request.urlopen(f"{jupyterlab}/api/kernels?token=test", timeout=10))
        states = [kernel["execution_state"] for kernel in kernels]
        since = (since or time.monotonic()) if states == [state] else None
        time.sleep(0.2)


def test_page_without_jupyter_or_network(executed, browser):
    assert executed.status == 0
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    page.goto((OUT / "01-block-size.html").as_uri())
    assert_chart_is_drawn_and_interactive(page, page.locator(".js-plotly-plot", has_text=PERCENTILES).first)
    assert_flame_graph_is_not_blank(page, page.locator("iframe.lsmlab-flamegraph").first)
    screenshot(page, "page")
    assert page.locator("img").first.evaluate_all("all => all.every(i => i.naturalWidth > 0)")
    context.close()


def screenshot(page, name):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
