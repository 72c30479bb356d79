# SPDX-License-Identifier: Apache-2.0
"""What the stored rows of full runs say of the reports' claims. Needs nothing but the project's files."""

import json
import math
import shutil
import sys
import textwrap

from lablib import rows
from lablib.paths import ROOT
from lablib.problem import Problem

NOT_RUN = "not run"
VERDICTS = ("reproduced", "not reproduced", "can't tell here", NOT_RUN)


def verdicts() -> list[dict]:
    """
    One object a claim: id, statement, source (of a paper's), reported, measured, verdict, row. Of several rows the most precise one counts, whatever it found: the one that could
    have seen the smallest effect. Where precision does not differ, as with counters, it is the newest.
    """
    claims = {claim["id"]: claim for claim in json.loads((ROOT / "data/claims.json").read_text())}
    best = {}
    for path in rows.stored():
        try:
            row = rows.read(path)
        except Problem as problem:
            print(f"lsm-lab: left out: {problem}", file=sys.stderr)
            continue
        by_throughput = any("held" in knee for knee in row.get("knees", []))
        for verdict in row.get("verdicts", []):
            if row.get("mode") == "full" and verdict["claim"] in claims:
                found = result(claims[verdict["claim"]], {"row": str(path.relative_to(ROOT)), "byThroughput": by_throughput, **verdict})
                width = widest(found)
                precedence = (not found["earlier"], found["keptIntervals"], width is not None, -(width or 0), row["utc"])
                if verdict["claim"] not in best or best[verdict["claim"]][0] < precedence:
                    best[verdict["claim"]] = precedence, found
    return [best[name][1] if name in best else result(claim, None) for name, claim in claims.items()]


def result(claim: dict, stored: dict | None) -> dict:
    """`earlier`: whether the row was checked by an earlier condition: of other measures than today's, or of a rate that is held, which then had no bound on response times."""
    asked = {condition["measure"] for condition in claim["conditions"]}
    return {
        "id": claim["id"],
        "statement": claim["statement"],
        "source": claim.get("source"),
        "reported": claim["reported"],
        "measured": stored["measured"] if stored else None,
        "intervals": stored.get("intervals", {}) if stored else None,
        "keptIntervals": bool(stored) and "intervals" in stored,
        "verdict": stored["verdict"] if stored else NOT_RUN,
        "row": stored["row"] if stored else None,
        "earlier": bool(stored) and (not asked <= set(stored["measured"]) or stored["byThroughput"] and "held" in claim["relation"]),
        "relation": claim["relation"],
        "replaced": claim.get("replaced"),
    }


def summary(results: list[dict]) -> str:
    count = {verdict: sum(r["verdict"] == verdict for r in results) for verdict in VERDICTS}
    return f"{len(results)} claims: " + ", ".join(f"{number} {verdict}" for verdict, number in count.items())


def measured(result: dict) -> str:
    intervals = result["intervals"] or {}
    return "; ".join(f"{name}: {number(value)}{within(intervals.get(name))}" for name, value in (result["measured"] or {}).items())


def number(value: float | None) -> str:
    return "no number" if value is None else format(value, ".3g")


def within(interval: list | None) -> str:
    return "" if interval is None else f" ({number(interval[0])} to {number(interval[1])})"


def smallest_effect(result: dict) -> str:
    """The smallest effect that the row could have seen: half of its widest interval, as a share of the value; of counters, which are exact, none is too small."""
    if result["row"] is None:
        return ""
    if result["earlier"]:
        return "earlier"
    share = widest(result)
    if share == math.inf:
        return "no bound"
    return f"±{100 * share:.0f} %" if share is not None else "exact" if result["keptIntervals"] else "not known"


def widest(result: dict) -> float | None:
    """Half of the widest interval, as a share of its value; infinite if an end is not known, and None if there is no interval."""
    shares = []
    for name, (low, high) in (result["intervals"] or {}).items():
        value = result["measured"][name]
        shares.append(math.inf if None in (low, high, value) or value == 0 else (high - low) / 2 / abs(value))
    return max(shares, default=None)


def short_table(results: list[dict]) -> str:
    """A line a claim, cut at the terminal's width."""
    width = min(shutil.get_terminal_size().columns, 140)
    lines = [f"{r['id']:12} {r['verdict']:15} {smallest_effect(r):>9} {r['statement']}" for r in results]
    return "\n".join(
        [
            *(line if len(line) <= width else line[: width - 1] + "…" for line in lines),
            "",
            "The third column is the smallest effect that the row could have seen. "
            '"exact": of counters and single runs; "not known": the row kept no intervals; "earlier": checked by an earlier condition.',
            "scripts/lab claims --long adds what was reported and measured",
            summary(results),
        ]
    )


def long_table(results: list[dict]) -> str:
    """A paragraph a claim."""
    width = min(shutil.get_terminal_size().columns, 140)
    lines = []
    for r in results:
        lines.append(f"{r['id']} {r['verdict'].upper()}")
        for name, text in (
            ("claim", r["statement"]),
            ("source", r["source"]),
            ("reported", r["reported"]),
            ("checked", r["relation"]),
            ("replaced", r["replaced"]),
            ("measured", measured(r)),
            ("sees", smallest_effect(r)),
            ("row", (r["row"] or "") + (", checked by an earlier condition" if r["earlier"] else "")),
        ):
            if text:
                lines += textwrap.wrap(text, width, initial_indent=f"  {name + ':':10}", subsequent_indent=" " * 12, break_on_hyphens=False)
        lines.append("")
    return "\n".join([*lines, summary(results)])


def show(as_json: bool, long: bool) -> None:
    results = verdicts()
    print(json.dumps(results, indent=1, ensure_ascii=False) if as_json else long_table(results) if long else short_table(results))
