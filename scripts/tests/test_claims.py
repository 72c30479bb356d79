# SPDX-License-Identifier: Apache-2.0
"""Which of several rows decides a claim."""

from lablib import claims, rows
from lablib.paths import ROOT

RATIO = "PUT knee of three nodes, jdk / jdk-locked"
SLICES = "share of the engine's allocated bytes that are slices"


def decided(monkeypatch, claim, *found):
    """The verdict, of rows in the order of their times: each a verdict, a measure, its value, and its interval."""
    stored = [ROOT / f"data/results/row-{i}Z.json" for i in range(len(found))]
    content = {
        path: {
            "mode": "full",
            "utc": f"2026-11-2{i}T00:00:00Z",
            "verdicts": [{"claim": claim, "verdict": verdict, "measured": {measure: value}, "intervals": {measure: interval} if interval else {}}],
        }
        for i, (path, (verdict, measure, value, interval)) in enumerate(zip(stored, found, strict=True))
    }
    monkeypatch.setattr(rows, "stored", lambda: stored)
    monkeypatch.setattr(rows, "read", content.get)
    return next(result["verdict"] for result in claims.verdicts() if result["id"] == claim)


def test_the_most_precise_row_counts_whatever_it_found(monkeypatch):
    narrow, wide = ("reproduced", RATIO, 5.0, [4.5, 5.6]), ("can't tell here", RATIO, 4.0, [1.5, 9.0])
    assert decided(monkeypatch, "004-2", narrow, wide) == "reproduced"
    assert decided(monkeypatch, "004-2", wide, narrow) == "reproduced"
    assert decided(monkeypatch, "004-2", ("not reproduced", RATIO, 1.0, [0.98, 1.02]), narrow) == "not reproduced"
    assert decided(monkeypatch, "004-2", narrow, ("can't tell here", RATIO, 4.0, [None, 9.0])) == "reproduced"


def test_of_counters_the_newest_row_counts(monkeypatch):
    assert decided(monkeypatch, "000-10", ("reproduced", SLICES, 0.9, None), ("not reproduced", SLICES, 0.01, None)) == "not reproduced"


def test_a_row_that_was_checked_by_an_earlier_condition_counts_only_alone(monkeypatch):
    earlier = ("reproduced", "another measure", 5.0, [4.9, 5.1])
    assert decided(monkeypatch, "004-2", earlier) == "reproduced"
    assert decided(monkeypatch, "004-2", ("not reproduced", RATIO, 1.0, [0.2, 5.0]), earlier) == "not reproduced"
