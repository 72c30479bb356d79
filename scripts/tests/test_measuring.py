# SPDX-License-Identifier: Apache-2.0
"""What scripts/bench measuring says of repetitions, against made-up ones; the measuring itself runs for hours."""

import math
import random
from pathlib import Path

import pytest
from lablib import measuring, repeated, rows
from lablib.environment import Jdk
from lablib.files import write_whole
from lablib.tools import Tools


def trials(threshold: float, count: int, chance: random.Random) -> list[dict]:
    """Trials of a simulated server; every fifth is disturbed, and half of those fail."""
    found = []
    for number in range(count):
        level = threshold * math.exp(chance.uniform(-0.3, 0.3))
        disturbed = number % 5 == 0
        held = chance.random() < (0.5 if disturbed else 0.95) / (1 + math.exp(math.log(level / threshold) / 0.05))
        found.append({"level": level, "held": held, "disturbed": disturbed})
    return found


@pytest.mark.parametrize("threshold", [0.05, 0.4, 1.2])
def test_the_fitted_threshold_is_where_half_of_the_trials_hold(threshold):
    found = repeated.fitted(trials(threshold, 400, random.Random(1)))
    assert found == pytest.approx(threshold, rel=0.03)


def test_what_the_others_found_together_leaves_each_run_out():
    chance = random.Random(2)
    runs = [trials(0.4, 60, chance) for _ in range(5)] + [trials(0.8, 60, chance)]
    pooled = repeated.pooled_thresholds(runs)
    assert pooled[-1] == pytest.approx(0.4, rel=0.05)
    assert repeated.pooled_ratios([[1.0, 1.1], [2.0], [1.2, 1.0]]) == [1.2, 1.05, 1.1]


def test_widths_and_coverage():
    interval = {"median": 1.0, "low": 0.9, "high": 1.1}
    assert repeated.half_width(interval) == pytest.approx(math.sqrt(1.1 / 0.9) - 1)
    assert repeated.half_width(interval | {"high": None}) == math.inf
    assert repeated.covered([interval, interval], [1.05, 1.2]) == 1
    one = {"median": 1.0, "low": 0.8, "high": 1.25}
    assert repeated.combined([one]) == pytest.approx(one)
    assert repeated.half_width(repeated.combined([one] * 4)) == pytest.approx(math.sqrt(1.25) - 1)
    assert repeated.combined([one, one | {"median": 4.0}])["median"] == pytest.approx(2.0)
    assert repeated.deviation([1.0, 1.1, 0.9]) == pytest.approx(0.1, rel=0.1)


def test_what_was_measured_with_other_jars_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "FOLDER", tmp_path)
    monkeypatch.setattr(rows, "RESULTS", tmp_path)
    monkeypatch.setattr(measuring.Part, "jars", lambda part: "these")
    write_whole(tmp_path / "same.json", '{"jars": "others", "found": [{}]}')
    assert measuring.kept("same") == {"jars": "these", "found": []}
    write_whole(tmp_path / "same.json", '{"jars": "these", "found": [{}]}')
    assert len(measuring.kept("same")["found"]) == 1


def test_a_stored_part_of_another_machine_counts_with_the_same_jars(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "FOLDER", tmp_path / "here")
    monkeypatch.setattr(rows, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(measuring.Part, "jars", lambda part: "these")
    tools = Tools(Path("python"), Jdk(Path("jdk"), "25"))
    found = [{"right": "ok", "slow": "ok"}, {"right": "inconclusive", "slow": "ok"}]
    path = measuring.save(tools, "grading-3", {"jars": "these", "found": found})
    assert measuring.kept("grading-3")["found"] == found
    assert measuring.kept("grading-4")["found"] == []
    assert rows.read(path)["measures"]["right submission graded inconclusive"] == "1 of 2"
    monkeypatch.setattr(measuring.Part, "jars", lambda part: "others")
    assert measuring.kept("grading-3")["found"] == []
