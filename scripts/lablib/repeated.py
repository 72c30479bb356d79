# SPDX-License-Identifier: Apache-2.0
"""What repeated measurements of the same say of the measuring itself: how far apart they are, and how often their intervals hold what the others found together."""

import math
import statistics
from collections.abc import Sequence
from itertools import product

SPREADS = (0.02, 0.05, 0.1, 0.2, 0.4)
LAPSES = (0.02, 0.06, 0.12, 0.25)
DISTURBED_LAPSES = (0.1, 0.3, 0.6)
FINEST = 0.002  # of a threshold, in logarithms


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of positive values, as a share."""
    return statistics.stdev(map(math.log, values))


def ends(interval: dict) -> tuple[float, float]:
    """Of an interval as JSON has it: one without an end is unknown there, and JSON has no infinity of its own."""
    low, high = interval["low"], interval["high"]
    return (0.0 if low is None else float(low)), (math.inf if high is None else float(high))


def half_width(interval: dict) -> float:
    """Half of an interval's width, as a share; of one without an end infinite."""
    low, high = ends(interval)
    return math.sqrt(high / low) - 1 if low else math.inf


def around_mean(values: Sequence[float], student: float) -> tuple[float, float, float]:
    """The mean, and the ends of its interval: this quantile of Student's t says how wide."""
    half = student * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), statistics.mean(values) - half, statistics.mean(values) + half


def holds(interval: dict, value: float) -> bool:
    low, high = ends(interval)
    return low <= value <= high


def combined(intervals: Sequence[dict]) -> dict:
    """Of ratios that were measured independently of each other: their geometric mean, with the interval that follows from theirs."""
    middle = statistics.mean(math.log(each["median"]) for each in intervals)
    width = math.sqrt(sum(math.log1p(half_width(each)) ** 2 for each in intervals)) / len(intervals)
    return {"median": math.exp(middle), "low": math.exp(middle - width), "high": math.exp(middle + width)}


def covered(intervals: Sequence[dict], pooled_of_others: Sequence[float]) -> int:
    """How many intervals hold what all others found together."""
    return sum(holds(interval, pooled) for interval, pooled in zip(intervals, pooled_of_others, strict=True))


def pooled_thresholds(runs: Sequence[Sequence[dict]]) -> list[float]:
    """Of each run, the threshold that fits the trials of all others best. A trial has `level`, `held` and `disturbed`."""
    return [fitted([trial for other in runs if other is not run for trial in other]) for run in runs]


def fitted(trials: Sequence[dict]) -> float:
    """The level at which half of the undisturbed trials hold, by the greatest likelihood: a grid of curves, and for each the best threshold."""
    points = [(math.log(trial["level"]), trial["held"], bool(trial["disturbed"])) for trial in trials]
    curves = product(SPREADS, LAPSES, DISTURBED_LAPSES)
    return math.exp(max(best(points, *curve) for curve in curves)[1])


def best(points: list[tuple[float, bool, bool]], spread: float, lapse: float, disturbed_lapse: float) -> tuple[float, float]:
    """The greatest likelihood of a curve, in logarithms, and its threshold's logarithm: where it is found by halving, the likelihood has one maximum."""
    low, high = min(point[0] for point in points), max(point[0] for point in points)
    while high - low > FINEST:
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if likelihood(points, left, spread, lapse, disturbed_lapse) < likelihood(points, right, spread, lapse, disturbed_lapse):
            low = left
        else:
            high = right
    middle = (low + high) / 2
    return likelihood(points, middle, spread, lapse, disturbed_lapse), middle


def likelihood(points: list[tuple[float, bool, bool]], threshold: float, spread: float, lapse: float, disturbed_lapse: float) -> float:
    total = 0.0
    for level, held, disturbed in points:
        above = min(50.0, (level - threshold) / spread)
        probability = (1 - (disturbed_lapse if disturbed else lapse)) / (1 + math.exp(above))
        total += math.log(probability if held else 1 - probability)
    return total


def pooled_ratios(runs: Sequence[Sequence[float]]) -> list[float]:
    """Of each run, the median ratio of the rounds of all others."""
    return [statistics.median([ratio for other in runs if other is not run for ratio in other]) for run in runs]
