# SPDX-License-Identifier: Apache-2.0
"""An executed notebook in a real JupyterLab in a real browser, and its page without one."""

import itertools
import json
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import nbformat
import pytest
import texts
from conftest import SMOKED
from lablib import opened
from lablib.paths import NOTEBOOKS, OUT, ROOT, notebook_names
from playwright.sync_api import Error as PlaywrightError

PERCENTILES = "Response time by percentile"
SCREENSHOTS = OUT / "screenshots"
POINT_OF_CURVE = """(path, share) => {
  const point = path.getPointAtLength(path.getTotalLength() * share).matrixTransform(path.getScreenCTM());
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
    """Its address."""
    with opened.jupyterlab(free_port) as address:
        yield address


def assert_chart_is_drawn_and_interactive(page, chart):
    line = chart.locator("g.trace path.js-line").first
    line.wait_for(state="attached", timeout=30_000)
    assert line.get_attribute("d").count("L") > 10, "a curve of many points"
    deadline = time.monotonic() + 60
    shares = itertools.cycle((0.5, 0.3, 0.7))  # one may lie below a label
    while not chart.locator("g.hoverlayer g.hovertext").count():  # it listens some time after it has drawn
        assert time.monotonic() < deadline, "hovering shows nothing"
        chart.scroll_into_view_if_needed()
        x, y = line.evaluate(POINT_OF_CURVE, next(shares))  # each time: cells above that are drawn late move the chart
        page.mouse.move(x + 1, y)
        page.mouse.move(x, y)
        page.wait_for_timeout(200)
    before = line.get_attribute("d")
    box = chart.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, y, steps=5)
    page.mouse.up()
    while line.get_attribute("d") == before:
        assert time.monotonic() < deadline, "dragging zooms"
        page.wait_for_timeout(200)


def await_in_flame_graph(page, frame_element, script, holds):
    """Until what the script returns in the frame is as wanted."""
    frame = frame_element.element_handle().content_frame()
    found = None
    for _ in range(240):
        page.wait_for_timeout(250)
        try:
            found = frame.evaluate(script)
        except PlaywrightError:
            continue  # the page loads itself again when its width has changed
        if holds(found):
            return
    pytest.fail(f"the flame graph stays at {found}")


def assert_flame_graph_is_not_blank(page, frame_element):
    frame_element.scroll_into_view_if_needed()
    await_in_flame_graph(page, frame_element, COLOURED_PIXELS, lambda pixels: pixels > 10_000)


def test_executed_notebook_in_jupyterlab(executed, browser, jupyterlab):
    assert executed.status == 0
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(180_000)
    page.goto(f"{jupyterlab}/lab/workspaces/test/tree/out/01-block-size.ipynb?token=test")
    page.locator(".jp-Notebook").wait_for()
    notebook = page.locator(".jp-WindowedPanel-outer, .jp-Notebook").first
    found = {"chart": False, "flame graph": False}
    notebook.hover()
    for _ in range(400):
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


CHARTS = """() => [...document.querySelectorAll('.js-plotly-plot')].filter(chart => chart._fullLayout && chart.offsetWidth).map(chart => {
  const axes = chart.querySelector('.nsewdrag').getBoundingClientRect(), drawing = chart.querySelector('svg.main-svg').getBoundingClientRect();
  return {axes: axes.height, share: axes.width / drawing.width, width: drawing.width, height: drawing.height};
})"""
LEAST_AXES_PIXELS = 300
WIDTHS = (1300, 700, 500, 900, 1600, 1300)


def charts(pages) -> list[dict[str, float]]:
    return [chart for page in pages for chart in page.evaluate(CHARTS)]


def sizes_at_rest(pages):
    """Of all charts in the pages, in whole pixels, once they have been the same for two seconds."""
    deadline = time.monotonic() + 120
    sizes, since = None, 0
    while time.monotonic() < deadline:
        now = [[round(value, 0 if name != "share" else 1) for name, value in chart.items()] for chart in charts(pages)]
        if now != sizes:
            sizes, since = now, time.monotonic()
        elif time.monotonic() - since > 2:
            return sizes
        pages[0].wait_for_timeout(250)
    raise AssertionError(f"charts are still changing: {sizes}")


def assert_charts_hold(pages, resize):
    """While the width changes and when it is back; resize is called with each width."""
    for width in WIDTHS[-2:]:  # JupyterLab may draw a chart before it is shown: it has Plotly's own width until the first change
        resize(width)
        pages[0].wait_for_timeout(1_500)
    before = sizes_at_rest(pages)
    assert before
    for width in WIDTHS:
        resize(width)
        pages[0].wait_for_timeout(1_500)
        for chart in charts(pages):
            assert chart["axes"] >= LEAST_AXES_PIXELS, f"{width} px: {chart}"
            assert chart["width"] < 300 or chart["share"] > 0.4, f"{width} px: curves fill the box: {chart}"
    after = sizes_at_rest(pages)
    assert len(after) == len(before)
    for chart, same in zip(after, before, strict=True):
        assert all(abs(now - then) <= (1 if then > 1 else 0) for now, then in zip(chart, same, strict=True)), (
            f"as before, but for a rounded pixel: {chart}, {same}"
        )


def test_charts_of_pages_hold_their_height(executed, browser):
    pages = [browser.new_page(viewport={"width": WIDTHS[0], "height": 900}) for _ in SMOKED]
    for page, name in zip(pages, SMOKED, strict=True):
        page.goto((OUT / f"{name}.html").as_uri())
    pages[0].wait_for_timeout(2_000)

    def resize(width):
        for page in pages:
            page.set_viewport_size({"width": width, "height": 900})

    assert_charts_hold(pages, resize)
    for page in pages:
        page.close()


@pytest.mark.parametrize("name", SMOKED)
def test_no_text_of_a_chart_lies_over_another_or_outside(executed, browser, name):
    page = browser.new_page(viewport={"width": texts.WIDTHS[0], "height": 900})
    page.goto((OUT / f"{name}.html").as_uri())
    found = {}
    for width in texts.WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(800)
        found[width] = page.evaluate(texts.COLLISIONS, ".js-plotly-plot")
    page.close()
    assert found == dict.fromkeys(texts.WIDTHS, [])


@pytest.mark.long
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_charts_in_jupyterlab_hold_their_height(executed, browser, jupyterlab, theme):
    """With the window's width, with the sidebar, and in both themes; nothing is a white block in the dark one."""
    page = browser.new_page(viewport={"width": WIDTHS[0], "height": 1000})
    page.set_default_timeout(180_000)
    page.goto(f"{jupyterlab}/lab/workspaces/{theme.split()[1]}/tree/out/01-block-size.ipynb?token=test")
    notebook = page.locator(".jp-WindowedPanel-outer, .jp-Notebook").first
    notebook.wait_for()
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).first.hover()
    page.get_by_text(theme, exact=True).first.click()
    notebook.hover()
    for _ in range(200):
        if page.locator(".jp-Notebook .js-plotly-plot").count() >= 2 and page.locator(".jp-Notebook iframe.lsmlab-flamegraph").count():
            break
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(150)
    page.wait_for_timeout(2_000)

    def resize(width):
        page.set_viewport_size({"width": width, "height": 1000})
        for _ in range(2):  # the sidebar goes and comes back
            page.keyboard.press("Control+b")
            page.wait_for_timeout(800)
            assert all(chart["axes"] >= LEAST_AXES_PIXELS for chart in page.evaluate(CHARTS))

    assert_charts_hold([page], resize)
    background, clear = "element => getComputedStyle(element).backgroundColor", "rgba(0, 0, 0, 0)"
    assert page.locator(".js-plotly-plot .main-svg").first.evaluate(background) == clear
    flames = page.locator(".jp-Notebook iframe.lsmlab-flamegraph").first
    assert flames.evaluate(background) == clear
    await_in_flame_graph(page, flames, "() => getComputedStyle(document.body).backgroundColor", lambda colour: colour == clear)
    flames.scroll_into_view_if_needed()
    screenshot(page, f"jupyterlab-{theme.split()[1].lower()}")
    page.close()


def test_the_first_screen_is_the_notebook_and_the_terminal_has_one_line(browser, free_port):
    """What scripts/lab prints, opened twice: no launcher, no log, and no tabs of last time."""
    process = subprocess.Popen([ROOT / "scripts/lab", "--no-browser", "--port", str(free_port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = process.stdout.readline()
        address = re.fullmatch(r"lsm-lab: (http://localhost:\d+/lab/tree/work/00-start-here\.ipynb\?token=\w+)  \(Ctrl-C .*\)\n", line).group(1)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(180_000)
        page.goto(address)
        page.get_by_role("link", name="The published run").wait_for()
        assert not page.locator(".jp-Launcher").is_visible()
        assert page.get_by_text("Nbgrader", exact=True).count() == 0, "a teacher's menu"
        assert page.locator(".jp-Notebook .jp-OutputArea-output").count() == 0, "no answers below the questions"
        page.wait_for_timeout(2_000)
        page.close()
    finally:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    assert [said for said in rest.splitlines() if said.strip()] == [], rest


def test_a_tab_that_is_closed_while_its_kernel_starts_leaves_no_line(free_port):
    process = subprocess.Popen([ROOT / "scripts/lab", "--no-browser", "--port", str(free_port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        token = re.search(r"token=(\w+)", process.stdout.readline()).group(1)
        headers = {"Authorization": f"token {token}"}
        ask = urllib.request.Request(f"http://localhost:{free_port}/api/kernels", b'{"name": "java"}', headers)
        kernel = json.load(urllib.request.urlopen(ask, timeout=60))["id"]
        headers |= {
            "Host": "localhost",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "bm90IGEgc2VjcmV0IGF0IQ==",
        }
        with socket.create_connection(("localhost", free_port)) as tab:
            lines = [f"GET /api/kernels/{kernel}/channels?session_id=tab HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
            tab.sendall("\r\n".join(lines).encode())
            time.sleep(0.1)
        time.sleep(5)  # Jupyter needs a moment to notice the closed connection
    finally:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=120)[0]
    assert rest.strip() == ""


def test_a_published_notebook_can_be_read_and_not_saved(jupyterlab):
    """Opened and autosaved, it would be another file to git."""
    address = f"{jupyterlab}/api/contents/notebooks/00-start-here.ipynb?token=test"
    model = json.load(urllib.request.urlopen(address, timeout=60))
    assert model["writable"] is False
    request = urllib.request.Request(
        address,
        data=json.dumps({"type": "notebook", "format": "json", "content": model["content"]}).encode(),
        method="PUT",
        headers={"Content-Type": "application/json"},
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)
    assert refused.value.code == 403
    mine = json.load(urllib.request.urlopen(f"{jupyterlab}/api/contents/work/00-start-here.ipynb?content=0&token=test", timeout=60))
    assert mine["writable"] is True


def test_students_see_no_solutions(jupyterlab):
    listed = json.load(urllib.request.urlopen(f"{jupyterlab}/api/contents/notebooks/assignments?token=test", timeout=60))
    names = {entry["name"] for entry in listed["content"]}
    assert "02-pruning.ipynb" in names and not names & {"source", "fixtures"}


@pytest.mark.long
@pytest.mark.parametrize("name", notebook_names())
def test_restart_and_run_all(name, browser, jupyterlab):
    """As a student does it: the menu's Restart and Run All, then Save. On a copy, since the committed ones show full runs."""
    copy = OUT / f"{name}-by-hand.ipynb"
    OUT.mkdir(exist_ok=True)
    shutil.copy(NOTEBOOKS / f"{name}.ipynb", copy)
    page = opened.with_kernel(browser, jupyterlab, copy, timeout_seconds=180)
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Restart Kernel and Run All Cells").first.click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.wait_for_timeout(5_000)  # the old kernel is idle until it is gone
    opened.await_kernel(jupyterlab, "idle", seconds=1_200)
    page.keyboard.press("Control+s")
    page.wait_for_timeout(10_000)
    screenshot(page, f"run-all-{name}")
    page.close()
    code = [cell for cell in nbformat.read(copy, as_version=4).cells if cell.cell_type == "code"]
    copy.unlink()
    assert not [output.evalue for cell in code for output in cell.outputs if output.output_type == "error"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))


LIVE = """
var server = Lab.server().flushThreshold("256KB").device("seek=1ms,rate=1MB,cache=64MB").start();
var live = Lab.live(server, Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(2_000).duration("6s"));
live
"""


def test_the_live_picture_moves_while_a_cell_runs(browser, jupyterlab):
    """And what stays in the notebook is the replay. The device is slow, so that writes stall: the picture goes on."""
    path = opened.written("live-picture.ipynb", LIVE, "server.stop();")
    page = opened.with_kernel(browser, jupyterlab, path, timeout_seconds=120)
    opened.run_all(page)
    picture = page.locator(".lsmlab-live")
    picture.wait_for()
    seen = []
    for _ in range(600):
        if page.locator("iframe.lsmlab-replay").count():
            break
        words = page.evaluate("document.querySelector('.lsmlab-live svg')?.getAttribute('aria-label')")
        if words and words not in seen:
            seen.append(words)
            if len(seen) == 10:
                screenshot(page, "live-picture")
        page.wait_for_timeout(50)
    assert len(seen) >= 12, f"two frames a second for six seconds: {seen}"
    assert any("writes stall" in words for words in seen)
    assert len({re.search(r"(\d+) runs? with", words).group(1) for words in seen if "with" in words}) > 1, "flushes make runs"
    opened.await_kernel(jupyterlab, "idle", seconds=60)
    page.keyboard.press("Control+s")
    page.wait_for_timeout(3_000)
    assert picture.count() == 0, "without a kernel it could not be drawn"
    assert page.locator(".jp-Notebook [data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    page.close()
    kept = json.dumps(nbformat.read(path, as_version=4))
    assert "widget-view" not in kept and "lsmlab-replay" in kept
    path.unlink()


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
