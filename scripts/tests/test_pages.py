# SPDX-License-Identifier: Apache-2.0
"""The site: whole, without anything from another host, and its simulators compute what the JVM computes."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lablib import pages
from lablib.paths import ENGINE, ROOT

pytestmark = pytest.mark.long
LOADED = re.compile(r'(?:src|href)="((?!data:|#|mailto:)[^"]+)"')
GOLDEN = ENGINE / "simulators/src/test/resources/golden.txt"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("pages") / "site"
    start = time.monotonic()
    made = subprocess.run([sys.executable, "-m", "lablib.pages", target], cwd=ROOT, text=True, capture_output=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert time.monotonic() - start < 240  # the first time the compiler is fetched
    return target


def test_each_published_notebook_has_a_page_with_live_charts(site):
    names = pages.published()
    assert len(names) > 10
    for name in names:
        text = (site / f"{name}.html").read_text()
        assert "Plotly.newPlot" in text or name in ("00b-instruments", "12-a-real-cluster"), name


def test_nothing_is_loaded_from_another_host_and_links_lead_somewhere(site):
    for page in site.glob("*.html"):
        for part in re.findall(r"<(?:script|link|img|iframe)[^>]+>", page.read_text()):
            for target in LOADED.findall(part):
                assert (site / target.partition("#")[0]).exists(), f"{page.name} loads {target}"
        for target in re.findall(r'<a [^>]*href="([^"#]+)', page.read_text()):
            assert target.startswith(("https:", "http:", "mailto:")) or (site / target).exists(), f"{page.name} leads to {target}"


def test_the_simulators_compute_what_the_jvm_computes(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    failures = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    start = time.monotonic()
    page.goto((site / "simulators.html").as_uri())
    page.wait_for_function("document.querySelectorAll('#keys rect').length === 400")
    assert time.monotonic() - start < 10  # a busy machine; a benchmark says how long it takes
    for line in GOLDEN.read_text().splitlines():
        function, name, *numbers, result = line.split()
        found = page.evaluate(f"Array.from([{function}({json.dumps(name)}, {', '.join(numbers)})]).map(x => typeof x === 'number' ? [x] : Array.from(x))[0]")
        assert found == [float(number) for number in result.split(",") if number], line
    page.locator("#rule").select_option("modulo")
    assert "keys move" in page.locator("#moved").inner_text()
    assert not failures


def test_no_page_is_wider_than_a_telephone(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    for each in sorted(site.glob("*.html")):
        page.goto(each.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), each.name


def test_the_search_finds_a_section(site, browser):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.locator("#search").fill("write amplification")
    first = page.locator("#found a").first
    assert ".html" in first.get_attribute("href")
    first.click()
    page.wait_for_load_state()
    assert "html" in page.url


def test_another_folder_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(pages.Problem, match="something else"):
        pages.prepare(tmp_path)
    assert (tmp_path / "mine.txt").exists()
