# SPDX-License-Identifier: Apache-2.0
"""The kernel as somebody meets it who types cells: mistakes, Shift+Tab, completion, what values look like."""

import json
import re
import time

import pytest
from kernels import SECONDS, Notebook

BEGIN = """
var server = Lab.server().start();
var stopped = Lab.server().start();
stopped.stop();
var killed = Lab.server().start();
ProcessHandle.of(killed.stats().at("/jvm/pid").asLong()).get().destroyForcibly();
var store = Lab.store();
store.close();
Knee unfinished = null;
Run noRun = null;
Server noServer = null;
var load = Lab.wrk2().script("get-random.lua", 100).rate(100).duration("1s").warmup("1s");
var cluster = Lab.server().cluster(1);
cluster.stop();
"""
# A cell, and what its one message says: what is wrong, or what to do.
MISTAKES = [
    ('stopped.put("a", "b")', "the server '64 MB' was stopped; run the cell that starts it"),
    ("stopped.stats()", "was stopped; run the cell that starts it"),
    ("stopped.fill(10, \"put-sequential.lua\")", "was stopped; run the cell that starts it"),
    ("load.run(stopped)", "was stopped; run the cell that starts it"),
    ("Lab.knee(stopped).search()", "was stopped; run the cell that starts it"),
    ('Lab.profile(stopped, "cpu").during(() -> {})', "was stopped; run the cell that starts it"),
    ("Lab.timeline(stopped, load)", "was stopped; run the cell that starts it"),
    ('killed.get("a")', "has ended with status 137; run the cell that starts it"),
    ("load.run(noServer)", "there is no server: run the cell that starts it"),
    ("Lab.timeline(noServer, load)", "there is no server: run the cell that starts it"),
    ("cluster.first()", "this cluster was stopped; run the cell that starts it"),
    ("cluster.joinedByOne()", "this cluster was stopped; run the cell that starts it"),
    ('store.put("a", "1")', "this store was closed; run the cell that makes it with Lab.store()"),
    ('store.explain("a")', "this store was closed"),
    ("Charts.knees(unfinished)", "the cell that makes it did not finish; run it again"),
    ("Charts.percentiles(noRun)", "the cell that makes it did not finish; run it again"),
    ("Charts.percentiles()", "Charts.percentiles() needs runs: put them between the brackets"),
    ("Tables.of(unfinished)", "did not finish; run it again"),
    ("load.rate(-5)", "rate(-5.0): it takes 1 or more requests a second"),
    ("load.connections(0)", "connections(0): it takes 1 to"),
    ("load.threads(4).run(server)", "1 connections over 4 threads: each thread needs at least one"),
    ('load.duration("soon")', "'soon' is not a duration like 500ms, 3s or 2m"),
    ('load.duration("15s")', "take at most 10s or at least 20s"),
    ('load.script("get-rnadom.lua")', "there is no load script get-rnadom.lua; scripts/wrk2 has delete.lua, get-existing.lua"),
    ('Lab.wrk2().script("get-random.lua").warmup("1s").run(server)', "say how many records there are: URL -- RECORDS. In a cell they follow the script's name"),
    ("server.fill(-1, \"put-sequential.lua\")", "a fill of -1 records; it takes 1 or more"),
    ('Lab.server().pruning("magic").start()', "'magic' is none of bloom, map, range, range-from-file, none"),
    ('Lab.server().heap("lots")', "'lots' is not a heap size like 128m or 1g"),
    ("Lab.server().heap(null)", "heap got null where it needs a size like 128m"),
    ('Lab.check("999-9", 1.0)', "there is no claim '999-9'"),
    ('Reports.figure("009", 1)', "there is no report '009', they are 000 to 004"),
    ('Lab.profile(server, "gpu")', "'gpu': the events are alloc, cpu, lock, wall"),
    ('Lab.compiled("Nope")', "no cell has declared a class Nope; run its cell first"),
    ("Lab.knee(server).script(\"get-random.lua\", 100).search()", "100.0 % of the answers are errors, so there is no knee to find. If they are 404"),
    ('server.put(null, "x")', "got null where it needs an id: the cell that makes it did not finish"),
    ('Lab.store().put("a", null)', "got null where it needs a text"),
    ("Charts.percentiles(null)", "Charts.percentiles got null where it needs runs"),
    ("Lab.wrk2().script(null)", "got null where it needs a name"),
    ('Lab.server().extension(null)', "got null where it needs a class"),
    ("Lab.help(null)", "got null where it needs something that the lab returned"),
    ('Lab.help("nothing")', "Lab.help knows nothing of a String; it knows Lab, ServerBuilder, Server"),
    ('load.duration("2s").freeze("5s", "1s").run(server)', "the run ends after 2s, before the stop has"),
    ('Lab.assignment("99", "me")', "there is no assignment '99'"),
    ('Lab.row("99")', "there is no experiment '99'"),
    ("Lab.save(null)", "there is no experiment 'null'"),
    ("Lab.inTurns(0, Map.of())", "0 rounds of 0 alternatives"),
    ('server.fill(10, "get-random.lua")', "fill needs a script that puts, as put-sequential.lua"),
    ('Charts.flamegraph(null, null, "cpu")', "Charts.flamegraph got null where it needs two profiles"),
    ('Charts.layers("cpu")', "Charts.layers() needs profiles: put them between the brackets"),
    ("Lab.server().cluster(0)", "a cluster of 0 nodes; it takes 1 to 64"),
]


@pytest.fixture(scope="module")
def notebook():
    notebook = Notebook()
    shown, error = notebook.run(BEGIN)
    assert not error
    yield notebook
    notebook.end()


@pytest.mark.parametrize("cell, said", MISTAKES, ids=[cell for cell, _ in MISTAKES])
def test_a_mistake_is_one_message_without_a_stack(notebook, cell, said):
    _, error = notebook.run(cell)
    assert said in error
    assert "\tat " not in error and "Exception" not in error and "Caused by" not in error, error
    assert len(error.splitlines()) <= 3, error


def test_a_fill_that_fails_leaves_no_server(notebook):
    children = "ProcessHandle.current().children().count()"
    before, _ = notebook.run(children)
    _, error = notebook.run('Lab.server().startFilled(10, "get-random.lua", 10)')
    assert "404" in error and "\tat " not in error, error
    assert notebook.run(children) == (before, "")


def test_stopping_and_closing_twice_is_no_mistake(notebook):
    assert notebook.run("stopped.stop(); store.close(); cluster.stop();") == ("", "")


def test_mistakes_of_a_cells_own_code_keep_their_stack(notebook):
    _, error = notebook.run('throw new IllegalArgumentException("mine")')
    assert "mine" in error and "\tat " in error


def test_all_errors_is_not_held(notebook):
    shown, error = notebook.run("var missing = load.run(server); missing")
    assert not error
    assert re.search(r"✗ .*not sustained: 100.0 % errors", shown) and "✓ 64 MB" not in shown, shown
    assert re.search(r"get-random 100 at 100/s .* no  .* 100.0 %", shown), shown


def test_many_connections_offer_the_rate_that_was_asked_for(notebook):
    shown, error = notebook.run('Lab.wrk2().connections(120).rate(2_000).duration("1s").warmup("1s").run(server).result().plannedRequests()')
    assert not error
    assert 1_900 <= int(shown.splitlines()[-1]) <= 2_100


def inspected(notebook, code: str, cursor: int | None = None) -> str:
    reply = notebook.client.inspect(code, len(code) if cursor is None else cursor, reply=True, timeout=SECONDS)
    return reply["content"]["data"].get("text/plain", "") if reply["content"]["found"] else ""


@pytest.mark.parametrize("code, cursor", [("Lab.wrk2().rate", None), ("Lab.wrk2().rate(", None), ("Lab.wrk2().rate(100)", 13), ("load.rate(100)", 6)])
def test_shift_tab_shows_signature_and_javadoc(notebook, code, cursor):
    assert inspected(notebook, code, cursor) == "Load Load.rate(double perSecond)\nRequests a second, all connections together."


def test_shift_tab_knows_types_variables_and_nothing(notebook):
    assert "The lab's vocabulary." in inspected(notebook, "Lab")
    assert "lsmlab.lab.process.Server" in inspected(notebook, "server")
    assert inspected(notebook, "") == "" and inspected(notebook, "1 + ") == ""


def completed(notebook, code: str) -> list[dict]:
    content = notebook.client.complete(code, len(code), reply=True, timeout=SECONDS)["content"]
    types = content["metadata"].get("_jupyter_types_experimental", [])
    return [{"label": label, **kind} for label, kind in zip(content["matches"], types or [{} for _ in content["matches"]], strict=True)]


def test_completion_has_signatures_and_nothing_that_every_object_has(notebook):
    found = completed(notebook, "Lab.server().")
    labels = [one["label"] for one in found]
    assert "heap(String size)" in labels and next(one["text"] for one in found if one["label"] == "heap(String size)") == "heap("
    assert not [label for label in labels if re.match(r"(wait|notify|notifyAll|hashCode|getClass|equals)\(", label)]
    assert [one["label"] for one in completed(notebook, "%ti")] == ["time"] or "time" in str(completed(notebook, "%ti"))
    assert "percentiles(Curve... curves)" in [one["label"] for one in completed(notebook, "Charts.perc")]


def test_values_say_what_they_are(notebook):
    for code, said in (
        ('Lab.server().flushThreshold("1MB")', "a server to be started with .start(): heap 128m, flush-threshold 1MB"),
        ("load", "a load to be run with .run(server): get-random 100 at 100/s, 1 connection, 1 thread, 1s"),
        ("Lab.knee(server)", "a search for the knee, to be run with .search()"),
        ('Lab.profile(server, "cpu")', "a profile of 64 MB, to be taken with .during(() -> ...): cpu"),
        ("server", "server http://127.0.0.1:"),
        ("stopped", "stopped"),
        ("Lab.store()", "a small store: mem 0"),
    ):
        assert said in notebook.run(code)[0]
    stats, _ = notebook.run("server.stats()")
    assert re.search(r"^/engine/gets +\d", stats, re.MULTILINE) and "{" not in stats


def test_help_lists_what_a_cell_can_say(notebook):
    shown, _ = notebook.run("Lab.help()")
    assert re.search(r"Lab\.wrk2\(\) +A load to be configured and run", shown), shown
    assert re.search(r"\.rate\(double perSecond\) +Requests a second", notebook.run("Lab.help(load)")[0])
    assert "percentiles(Curve... curves)" in notebook.run('Lab.help("Charts")')[0]


def test_a_percentile_is_no_share_and_none_is_above_the_maximum(notebook):
    shown, error = notebook.run('server.fill(100, "put-sequential.lua"); var held = load.run(server);')
    assert not error
    assert notebook.run("held.percentileMs(99.99) <= held.result().response().maxMs()")[0].endswith("true")
    for wrong in ("0.99", "101", "-1"):
        assert "percentiles go from 1 to 100, the 99th is percentileMs(99)" in notebook.run(f"held.percentileMs({wrong})")[1]


def test_a_second_notebook_waits_and_says_for_whom(notebook):
    other = Notebook()
    try:
        _, error = other.run("var mine = Lab.server().start();")  # first: on a busy machine it takes as long as a run
        assert not error
        long = notebook.client.execute('Lab.wrk2().rate(50).duration("8s").warmup("1s").run(server).sustained()')
        time.sleep(1.5)  # until it measures
        shown, error = other.run('Lab.wrk2().rate(50).duration("1s").warmup("1s").run(mine).server().get("measured beside")')
        assert not error
        assert "waited until the other notebook had measured" in shown, shown
        notebook.client.get_shell_msg(timeout=SECONDS) if long else None
        notebook.client.execute('var disturbed = Lab.wrk2().rate(50).duration("6s").run(server);')
        time.sleep(1)
        shown, error = other.run('Lab.measureAlongside(); Lab.wrk2().rate(50).duration("1s").run(mine).server().get("measured beside")')
        assert not error
        assert "(process " in shown and "waited" not in shown, shown
        notebook.client.get_shell_msg(timeout=SECONDS)
        assert "(process " in notebook.run("disturbed.measuredBeside()")[0], "the run that was disturbed is marked, too"
        assert "(process " not in notebook.run('Lab.wrk2().rate(50).duration("1s").run(server).measuredBeside()')[0]
    finally:
        other.end()


def test_checks_that_pass_say_so(notebook):
    shown, error = notebook.run('var test = Lab.assignment("02-pruning", "anna"); for (int i = 0; i < 3; i++) test.check(true, "no");')
    assert shown == "✓ 3 checks passed" and not error
    shown, error = notebook.run('test.check(true, "no"); test.check(1 > 2, "1 is not more than %d", 2);')
    assert shown == "" and error == "1 is not more than 2"


def test_a_prediction_is_asked_for_before_it_is_measured(tmp_path):
    record = tmp_path / "predictions.jsonl"
    notebook = Notebook(LSM_LAB_PREDICTIONS=str(record), LSM_LAB_NOTEBOOK="a-lesson")
    try:
        ask, compare = 'Lab.predict("tables asked per GET")', 'Lab.predicted("tables asked per GET", 20.0)'
        assert "no cell of this kernel has asked for" in notebook.run(compare)[1]
        for cell in (ask, compare):
            error = notebook.run(cell)[1]
            assert "what do you expect? tables asked per GET: write your number into the cell that asks, as .is(" in error
            assert "20.0" not in error, "the answer is not given away"
        assert notebook.run(f"{ask}.skip()") == ("tables asked per GET: skipped", "")
        assert "no prediction" in notebook.run(compare)[0]
        assert notebook.run("Lab.predictions()") == ("Your predictions so far: none\nasked  expected  measured  ", "")
        assert not record.exists()
        assert notebook.run(f"{ask}.is(10)") == ("tables asked per GET: you expect 10", "")
        assert notebook.run(compare) == ("tables asked per GET: you expected 10, measured 20.0: 2.00 times too small", "")
        assert json.loads(record.read_text())["said"] == 10
        assert "0 of 1 within a factor of 1.5" in notebook.run("Lab.predictions()")[0]
    finally:
        notebook.end()


def test_an_unattended_run_does_not_ask(notebook):
    assert notebook.run('Lab.predict("a ratio")') == ("a ratio: no prediction", "")
    assert notebook.run('Lab.predicted("a ratio", 2.0)') == ("a ratio: measured 2.00: no prediction", "")
