# SPDX-License-Identifier: Apache-2.0
"""Makes the site: one page for each published notebook, the claims, the rows and the glossary, with a search. Nothing in it is loaded from another
host. Runs in the environment that set-up made, runs no notebook, and needs no network once the simulators are compiled.

Usage: python -m lablib.pages DIR
"""

import html
import json
import re
import shutil
import sys
import time
from pathlib import Path

import jinja2
import nbformat
from markupsafe import Markup
from nbconvert.filters import markdown2html

from lablib import claims, rows
from lablib.environment import Environment, find_jdk
from lablib.notebooks import PLOTLY_JS, exported
from lablib.paths import ENGINE, NOTEBOOKS, ROOT, notebook_names
from lablib.problem import Problem
from lablib.publish import is_frame
from lablib.setup import ProfileStep

PARTS = Path(__file__).parent / "site"
PICTURES = NOTEBOOKS / "pictures"
LINK = re.compile(r'href="(?!https?:|#|mailto:|data:)([^"#]*)(#[^"]*)?"')
HEADING = re.compile(r'<h[1-3] id="([^"]*)">(.*?)</h[1-3]>', re.DOTALL)
TAGS = re.compile(r"<[^>]+>")
QUESTION = re.compile(r"\| \[([\w-]+)\]\(notebooks/\1\.ipynb\) \| (.*?) \|")
PICTURE = re.compile(r"\(pictures/([\w-]+\.(?:svg|png))\)")
SIMULATORS = ENGINE / "simulators/target/site/page/simulators.js"
OWN = ("index.html", "simulators.html", "claims.html", "results.html", "glossary.html", "site.css")
MADE_BY_US = "made-by-lsm-lab"  # a folder with this file may be written anew


def make(target: Path) -> None:
    start = time.monotonic()
    script_of_simulators = simulators()  # before anything is removed: it may fail
    prepare(target)
    shutil.copy2(script_of_simulators, target)
    parts = jinja2.Environment(loader=jinja2.FileSystemLoader(PARTS), autoescape=True)
    questions = dict(QUESTION.findall((ROOT / "README.md").read_text()))
    pages, sections = [], []
    known = published()
    for name in known:
        print(f"{name}.html", flush=True)
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        text = within_site(exported(live(notebook), name, "site"), known)
        (target / f"{name}.html").write_text(text)
        sections += found_in(notebook, name)
        pages.append({"name": name, "question": questions.get(name, ""), "picture": picture(notebook)})
    for each in PICTURES.iterdir():
        shutil.copy2(each, target / "pictures")
    glossary = (NOTEBOOKS / "glossary.md").read_text()
    sections += sections_of(markdown2html(glossary), "glossary.html", "Glossary")
    results = claims.verdicts()
    page(parts, target, "glossary", "Glossary", within_site(markdown2html(glossary), known))
    page(parts, target, "claims", "Claims", part(parts, "claims", summary=claims.summary(results), claims=[shown(result) for result in results]))
    page(parts, target, "results", "Results", part(parts, "results", rows=copied_rows(target)))
    page(parts, target, "simulators", "Play", part(parts, "simulators"))
    script = Markup(json.dumps(sections, ensure_ascii=False).replace("</", "<\\/"))
    unpublished = [name for name in notebook_names() if name not in {each["name"] for each in pages}]
    notes = f"Not published yet: {', '.join(unpublished)}." if unpublished else ""
    page(parts, target, "index", "LSM Lab", part(parts, "index", summary=claims.summary(results), pages=pages, sections=script, notes=notes))
    size = sum(each.stat().st_size for each in target.rglob("*") if each.is_file())
    print(f"{target / 'index.html'}: {len(pages)} notebooks, {size / 1e6:.0f} MB, made in {time.monotonic() - start:.0f} s")


def prepare(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir()) and not (target / MADE_BY_US).exists()):
        raise Problem(f"{target} holds something else; name a folder that is new, empty, or an earlier site")
    shutil.rmtree(target, ignore_errors=True)
    (target / "pictures").mkdir(parents=True)
    (target / MADE_BY_US).touch()
    for name in ("site.css", "search.js", "play.js"):
        shutil.copy2(PARTS / name, target)
    shutil.copy2(PLOTLY_JS / "plotly.min.js", target)


def simulators() -> Path:
    """The simulators as JavaScript. The first time it takes the network, for the compiler."""
    ProfileStep(find_jdk(Environment.read().java_major), "site", SIMULATORS, "storage", "server", "simulators").ensure()
    return SIMULATORS


def published() -> list[str]:
    """The notebooks whose committed form shows what a full run found."""
    return [name for name in notebook_names() if any(cell.get("outputs") for cell in json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"])]


def live(notebook):
    """Without the stills of frames: here the frames themselves are shown."""
    for cell in notebook.cells:
        if any(is_frame(output) for output in cell.get("outputs", [])):
            cell.outputs = [output for output in cell.outputs if not is_still(output)]
    return notebook


def is_still(output) -> bool:
    return output.output_type == "display_data" and set(output.data) <= {"image/png", "text/plain"} and "image/png" in output.data


def within_site(text: str, known: list[str]) -> str:
    """Links between notebooks lead to their pages; the text of one that leads out of the site stays, without its link."""

    def target(link: re.Match) -> str:
        path, anchor = link[1], link[2] or ""
        if path.endswith(".ipynb") and Path(path).stem in known:
            return f'href="{Path(path).stem}.html{anchor}"'
        if path.endswith("glossary.md"):
            return f'href="glossary.html{anchor}"'
        if "data/results/" in path:
            return f'href="{copied_row(path.rpartition("data/results/")[2])}"'
        if path in OWN:
            return link[0]
        return f'title="{html.escape(path)}, in the project"'

    return LINK.sub(target, text)


def found_in(notebook, name: str) -> list[dict]:
    """The notebook's sections, for the search."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return sections_of(markdown2html(text), f"{name}.html", name)


def sections_of(text: str, page: str, title: str) -> list[dict]:
    parts = HEADING.split(text)
    return [
        {"page": page, "title": title, "anchor": anchor, "heading": plain(heading).rstrip("¶"), "text": plain(body)}
        for anchor, heading, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    ]


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(TAGS.sub(" ", text))).strip()


def picture(notebook) -> str:
    found = PICTURE.search("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown"))
    return f"pictures/{found[1] if found else 'lsm.svg'}"


def shown(result: dict) -> dict:
    row = result["row"]
    link = copied_row(row.removeprefix("data/results/")) if row else ""
    return result | {"text": claims.measured(result), "link": link, "day": row.split("/")[2] if row else ""}


def copied_row(within_results: str) -> str:
    """Where the site has a row, by its path within data/results."""
    return f"rows/{within_results.replace('/', '-')}"


def copied_rows(target: Path) -> list[dict]:
    """All rows, copied beside the pages, by experiment and the newest first."""
    (target / "rows").mkdir()
    found = []
    for path in rows.stored():
        row = rows.read(path)
        link = copied_row(str(path.relative_to(rows.RESULTS)))
        shutil.copy2(path, target / link)
        machine = f"{row['machine']['cpu']}, {row['machine']['cores']} cores"
        found.append({"experiment": row["experiment"], "utc": row["utc"], "machine": machine, "link": link, "kilobytes": path.stat().st_size // 1_000})
    return sorted(sorted(found, key=lambda row: row["utc"], reverse=True), key=lambda row: row["experiment"])


def part(parts: jinja2.Environment, name: str, **values) -> str:
    return parts.get_template(f"{name}.html.j2").render(**values)


def page(parts: jinja2.Environment, target: Path, name: str, title: str, body: str) -> None:
    (target / f"{name}.html").write_text(part(parts, "page", title=title, body=Markup(body)))


def main() -> None:
    try:
        make(Path(sys.argv[1]))
    except Problem as problem:
        sys.exit(f"lsm-lab: {problem}")


if __name__ == "__main__":
    main()
