# SPDX-License-Identifier: Apache-2.0
"""The pages that show the inside of a run, in a real browser: the autopsy and the replay. The server was stopped for 300 ms."""

import pytest
from kernels import Notebook
from texts import COLLISIONS, WIDTHS

BEGIN = """
var traced = Lab.server().flushThreshold("256KB").start();
var slow = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(1_000).duration("2s").freeze("500ms", "300ms").run(traced);
traced.stop();
"""
FIRST = {"autopsy": "#slowest g[role=option]", "replay": "#cursor"}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """What a notebook shows, by kind."""
    notebook = Notebook()
    try:
        _, error = notebook.run(BEGIN)
        assert not error
        found = {}
        for kind in FIRST:
            shown, error = notebook.run(f"Lab.{kind}(slow)")
            assert not error
            assert "the process was stopped" in shown, "in plain text, too"
            found[kind] = notebook.html
        return found
    finally:
        notebook.end()


@pytest.fixture
def opened(browser, pages):
    """Opens a page in a browser and returns its frame."""
    tabs = []

    def open_page(kind, width=900, scheme="light"):
        tab = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
        tabs.append(tab)
        tab.set_content(f"<!DOCTYPE html><body>{pages[kind]}</body>")
        frame = tab.locator(f"iframe.lsmlab-{kind}").element_handle().content_frame()
        frame.wait_for_selector(FIRST[kind], state="attached")
        return frame

    yield open_page
    for tab in tabs:
        tab.close()


def test_the_autopsy_says_and_draws_why_the_slowest_were_slow(opened):
    frame = opened("autopsy")
    assert "the process was stopped" in frame.inner_text("#sentence")
    assert 18 <= frame.locator("#slowest g[role=option]").count() <= 22, "one in a hundred of 2,000"
    assert frame.locator("#slowest g[role=option]").count() == frame.locator("#typical g[role=option]").count()
    assert "% the process was stopped" in frame.inner_text("#requestParts")
    assert frame.locator("#causes tr").first.inner_text().startswith("the process was stopped")


def test_a_click_or_a_key_chooses_a_request(opened):
    frame = opened("autopsy")
    frame.locator("#slowest g[role=option]").nth(2).click()
    assert frame.inner_text("#requestTitle").startswith("Number 3 of the slowest")
    frame.locator("#slowest").press("ArrowRight")
    assert frame.inner_text("#requestTitle").startswith("Number 4 of the slowest")
    assert "stopped" in frame.locator("#request text").all_text_contents(), "the event beside the request"
    frame.locator("#typical g[role=option]").first.click()
    assert frame.inner_text("#requestTitle").startswith("A typical request")
    assert frame.locator("#typical g[aria-selected=true]").count() == 1


def test_bars_that_are_drawn_again_while_the_button_is_down_are_chosen_all_the_same(opened):
    frame = opened("autopsy")
    bar = frame.locator("#typical g[role=option]").first
    bar.hover()
    frame.page.mouse.down()
    bar.evaluate("bar => bar.replaceWith(bar.cloneNode(true))")
    frame.page.mouse.up()
    assert frame.inner_text("#requestTitle").startswith("A typical request")


def test_without_a_cause_the_curve_is_another(opened):
    frame = opened("autopsy")
    assert "the process was stopped" in frame.inner_text("#withoutTitle")
    before = frame.locator("#curve polyline").nth(1).get_attribute("points")
    frame.locator("#causes input:enabled").nth(1).check()
    assert "the process was stopped" not in frame.inner_text("#withoutTitle")
    assert frame.locator("#curve polyline").nth(1).get_attribute("points") != before


def clock(frame) -> float:
    return float(frame.inner_text("#clock").split()[0])


def test_the_replay_plays_and_the_tree_moves(opened):
    frame = opened("replay")
    frame.locator("#time").fill("0")
    first = frame.inner_text("#words")
    frame.select_option("#speed", "4")
    frame.click("#play")
    frame.wait_for_function("document.getElementById('play').textContent === 'Play'", timeout=10_000)
    assert clock(frame) == pytest.approx(2.0, abs=0.2), "it has come to the end"
    last = frame.inner_text("#words")
    assert "memtable" in first and "memtable" in last and first != last
    assert frame.locator("#tree rect.moves").count() >= 1, "1.4 MB were flushed 256 KB at a time"
    frame.click("#play")
    assert frame.inner_text("#play") == "Pause"


def test_a_moment_leads_to_its_requests_and_a_request_to_its_moment(opened):
    frame = opened("replay")
    box = frame.locator("#axis").bounding_box()
    frame.locator("#axis").click(position={"x": 112 + (box["width"] - 126) * 0.35, "y": 40})
    assert clock(frame) == pytest.approx(0.7, abs=0.1)
    request = frame.locator("#requests button").first
    assert "the process was stopped" in request.inner_text()
    due = float(request.inner_text().split("due at ")[1].split()[0])
    request.click()
    assert clock(frame) == pytest.approx(due, abs=0.02)
    assert "process stopped" in frame.locator("#request text").all_text_contents(), "what happened around it"
    assert "the process was stopped" in frame.get_attribute("#request", "aria-label")


def test_a_stopped_process_is_said(opened):
    frame = opened("replay")
    frame.locator("#time").fill("700")
    assert "the process is stopped" in frame.inner_text("#words")
    assert frame.locator("#tree").get_attribute("aria-label") == frame.inner_text("#words"), "a screen reader gets the same"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", FIRST)
def test_no_text_lies_over_another_or_outside(opened, kind, width):
    frame = opened(kind, width, "dark" if width == WIDTHS[1] else "light")
    frame.wait_for_timeout(300)
    assert frame.evaluate(COLLISIONS, "svg") == []
    assert frame.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
