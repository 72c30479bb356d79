# SPDX-License-Identifier: Apache-2.0
"""An executed notebook in a real JupyterLab in a real browser, and its page without one."""

import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from playwright.sync_api import Error as PlaywrightError

from lablib.paths import OUT, ROOT, STATE

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
