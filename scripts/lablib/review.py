# SPDX-License-Identifier: Apache-2.0
"""scripts/lab review: reads a report with outputs of wrk2, in English or Russian, and says what a teacher would ask about it."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lablib.problem import Problem
from lablib.wrk2text import Output, outputs

HELD_SHARE = 0.95  # of the rate that was asked for
SAME_RATE = 0.05
ERRORS_SHARE = 0.001
LEAST_BEYOND = 10  # requests slower than a percentile, or it says little
NEAR_LINES = 8
SAME_VALUE = 0.3
SAME_FACTOR = 2.0
CLEAR_CHANGE = 1.15

ADMITS_OVERLOAD = re.compile(
    r"захл[её]б|утон|не справ|задых|перегруз|насыщ|не держ|не выдерж|отказ|предел|смерт|saturat|overload|keep up|backlog|too much|died|collapse|can.t take|not held|limit",
    re.I,
)
ADMITS_ERRORS = re.compile(r"ошиб|404|non-2xx|тайм-?аут|timeout|error|не ?найден|несуществ|missing|absent|refus|mixed|смеша", re.I)
PROFILE_CLAIM = re.compile(
    r"(?:cpu|процессор|врем|аллокац|блокировк|allocat|processor|lock|time)\S*.{0,60}(?:трат[ия]т|уход[ия]т|занима|львин|bottleneck|узкое место|spen[dt]|goes to|go to|dominat)"
    r"|(?:трат[ия]т|уход[ия]т|занима|львин|spen[dt]|dominat).{0,60}(?:cpu|процессор|врем|аллокац|allocat|processor)",
    re.I,
)
GRAPH = re.compile(r"!\[|<img|\.svg|\.html|\.png", re.I)
CONCLUSION = re.compile(r"вывод|заключ|итог|conclu|summary|result", re.I)
RATE_IN_TEXT = re.compile(
    r"(?<![\d.,])(\d[\d \u00a0']*)\s*([kкKК]?)\s*(?:rps|запросов в сек|requests?(?: a|/| per) ?s|req/s)"
    r"|(?:rps|рейт\w*|rate)\s*(?:=|:|of|в|на)?\s*(\d[\d \u00a0']*)([kкKК]?)(?!\s*%|[\d.,])"
    r"|(?:\bна|\bдо|\bat|\bto)\s+(\d+)\s?([kкKК])\b",
    re.I,
)
PERCENTILE_IN_TEXT = re.compile(r"(?<![\d.,])(?:p\s?)?(9\d[.,]\d{1,5})(?![\d])")
MILLIS_IN_TEXT = re.compile(r"(\d+(?:[.,]\d+)?)(?:\s*[-–]\s*(\d+(?:[.,]\d+)?))?\s*(?:ms|мс)\b")
SAYS_SAME = re.compile(r"одинаков|аналогич|не (?:по|из)менил|не поменял|the same|unchanged|no difference|did not change", re.I)
SAYS_BETTER = re.compile(
    r"быстрее|лучше|улучш|(?:задержк|латенси|latency)\S* (?:уменьш|сниз|упал)|faster|better|improv|(?:latency|response times?) (?:fell|dropped|went down|is lower)",
    re.I,
)
SAYS_WORSE = re.compile(
    r"медленн|хуже|ухудш|(?:задержк|латенси|latency)\S* (?:вырос|увелич)|slower|worse|(?:latency|response times?) (?:rose|grew|went up|is higher)", re.I
)
PROMISES_OUTPUT = re.compile(r"(?:результат|вывод(?!ы)|output|result)[^.!?]*:\s*$", re.I)
FENCE = re.compile(r"^\s*(?:```|~~~)")
HEADING = re.compile(r"^\s*(#+)\s")

TAUGHT_BY = {
    "rate not reached": "06-finding-the-knee",
    "output of another rate": "06-finding-the-knee",
    "text and command differ": "06-finding-the-knee",
    "too short": "00b-instruments",
    "errors": "00b-instruments",
    "too few requests": "00b-instruments",
    "no flame graph": "00-start-here",
    "number not in the output": "00b-instruments",
    "contradicted": "00b-instruments",
    "output missing": "00-start-here",
}


@dataclass(frozen=True, order=True)
class Remark:
    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Paragraph:
    """Lines of prose without a gap; counted from 1."""

    first: int
    last: int
    text: str
    is_heading: bool


class Report:
    """A report's prose and its outputs."""

    def __init__(self, text: str):
        self.lines = text.splitlines()
        self.outputs = outputs(self.lines)
        self.headings = [i + 1 for i, line in enumerate(self.lines) if HEADING.match(line)]
        self.paragraphs = list(self._paragraphs())

    def _paragraphs(self) -> Iterator[Paragraph]:
        printed = {line for output in self.outputs for line in range(output.line, output.last_line + 1)}
        fenced, begin, kept = False, 0, []
        for number, line in enumerate([*self.lines, ""], start=1):
            if FENCE.match(line):
                fenced = not fenced
            is_prose = not fenced and not FENCE.match(line) and number not in printed and bool(re.sub(r"<[^>]*>", "", line).strip())
            if kept and (not is_prose or HEADING.match(line)):
                yield Paragraph(begin, number - 1, " ".join(kept), bool(HEADING.match(kept[0])))
                kept = []
            if is_prose:
                begin = begin if kept else number
                kept.append(line)
                if HEADING.match(line):
                    yield Paragraph(number, number, line, True)
                    kept = []

    def chapter(self, line: int) -> str:
        """What belongs together for a claim: from a heading of the first two levels to the next; for a conclusion, everything."""
        large = [heading for heading in self.headings if len(HEADING.match(self.lines[heading - 1])[1]) <= 2]
        begin = max((heading for heading in large if heading <= line), default=1)
        if CONCLUSION.search(self.lines[begin - 1]):
            return "\n".join(self.lines)
        return "\n".join(self.lines[begin - 1 : min((heading for heading in large if heading > line), default=len(self.lines) + 1) - 1])

    def section(self, line: int) -> tuple[int, int]:
        """The lines from the last heading on, before the next."""
        begin = max((heading for heading in self.headings if heading <= line), default=1)
        return begin, min((heading for heading in self.headings if heading > line), default=len(self.lines) + 1) - 1

    def near(self, output: Output) -> str:
        """The heading, and the prose around an output; outputs without prose between them share it."""
        begin, _ = self.section(output.line)
        heading = " ".join(each.text for each in self.paragraphs if each.is_heading and each.first == begin)
        return f"{heading} {self.above(output)} {self.below(output)}"

    def above(self, output: Output) -> str:
        """The prose before an output, since the last one or the heading before."""
        before = max((other.last_line for other in self.outputs if other.last_line < output.line), default=0)
        first = max(before + 1, output.line - NEAR_LINES, self.section(output.line)[0])
        return " ".join(each.text for each in self.paragraphs if first <= each.last < output.line)

    def below(self, output: Output) -> str:
        following = next((other for other in self.outputs if other.line > output.last_line), None)
        last = min(following.line if following else len(self.lines) + 1, output.last_line + NEAR_LINES)
        between = " ".join(each.text for each in self.paragraphs if output.last_line < each.first <= last)
        return between or (self.below(following) if following else "")


def remarks(text: str) -> list[Remark]:
    """All remarks about a report, by line."""
    report = Report(text)
    found = [remark for output in report.outputs for check in OF_OUTPUT for remark in check(report, output)]
    found += [remark for check in OF_PROSE for remark in check(report)]
    return sorted(found)


def rates(text: str) -> list[float]:
    """The rates that prose names."""
    found = []
    for groups in RATE_IN_TEXT.findall(text):
        digits, kilo = "".join(groups[::2]), "".join(groups[1::2])
        if re.search(r"\d", digits):
            found.append(float(re.sub(r"\D", "", digits)) * (1_000 if kilo else 1))
    return found


def rate_not_reached(report: Report, output: Output) -> Iterator[Remark]:
    asked = output.rate or max(rates(report.above(output)), default=None)
    if not asked or not output.achieved or output.achieved >= HELD_SHARE * asked:
        return
    backlog_ms = 1_000 * output.seconds * (1 - output.achieved / asked)
    if output.rate and output.max_ms < 0.5 * backlog_ms:
        yield Remark(
            output.line,
            "output of another rate",
            f"the command asks for {asked:,.0f}/s and {output.achieved:,.0f}/s were answered. A backlog of up to {backlog_ms / 1_000:.1f} s would show, but the longest response "
            f"took {output.max_ms:,.0f} ms: this output belongs to another rate",
        )
    elif not ADMITS_OVERLOAD.search(report.near(output)):
        yield Remark(
            output.line,
            "rate not reached",
            f"{output.achieved:,.0f} of {asked:,.0f} requests a second were answered. The server was saturated, so the response times are those of a backlog "
            "that grows with the run; the text does not say so",
        )


def too_short(report: Report, output: Output) -> Iterator[Remark]:
    if output.seconds < output.calibration_seconds() + 1:
        yield Remark(
            output.line,
            "too short",
            f"the run lasted {output.seconds:.0f} s. wrk2 calibrates itself for {output.calibration_seconds():.0f} s, so the figures are of that time, warm-up included",
        )


def errors(report: Report, output: Output) -> Iterator[Remark]:
    mixed = output.refused + output.socket_errors
    if output.requests and mixed > ERRORS_SHARE * output.requests and not ADMITS_ERRORS.search(report.near(output)):
        yield Remark(
            output.line,
            "errors",
            f"{mixed:,} of {output.requests:,} answers were errors or had none ({100 * mixed / output.requests:.1f} %), and their times are among the others",
        )


def other_rate(report: Report, output: Output) -> Iterator[Remark]:
    named = rates(report.above(output))
    if output.rate and named and all(abs(rate / output.rate - 1) > SAME_RATE for rate in named):
        yield Remark(
            output.line, "text and command differ", f"the text says {', '.join(f'{rate:,.0f}/s' for rate in named)}, the command asks for {output.rate:,.0f}/s"
        )


def too_few(report: Report) -> Iterator[Remark]:
    """Percentiles that prose speaks about."""
    for paragraph, percentiles in named_percentiles(report):
        highest = max(percentiles)
        for output in of_section(report, paragraph):
            beyond = output.measured() * (1 - highest / 100)
            if output.percentiles and beyond < LEAST_BEYOND:
                few = f"{highest:g} % of the run at line {output.line} leaves {beyond:.1f} requests beyond it: a percentile of that few says little"
                yield Remark(paragraph.first, "too few requests", few)


def numbers(report: Report) -> Iterator[Remark]:
    """Response times that prose gives for percentiles, beside those that were printed."""
    for paragraph, percentiles in named_percentiles(report):
        given = [float(end.replace(",", ".")) for pair in MILLIS_IN_TEXT.findall(paragraph.text) for end in pair if end]
        low, high = min(percentiles), max(percentiles)
        for output in of_section(report, paragraph)[-1:]:
            printed = [ms for percentile, ms in output.percentiles.items() if low <= percentile <= high]
            if given and printed and not any(abs(value / ms - 1) <= SAME_VALUE for value in given for ms in printed):
                said = f"the text gives {', '.join(f'{value:g}' for value in given)} ms for {low:g} to {high:g} %"
                yield Remark(
                    paragraph.first, "number not in the output", f"{said}; the output at line {output.line} has {min(printed):g} to {max(printed):g} ms"
                )


def named_percentiles(report: Report) -> Iterator[tuple[Paragraph, list[float]]]:
    for paragraph in report.paragraphs:
        percentiles = [float(each.replace(",", ".")) for each in PERCENTILE_IN_TEXT.findall(paragraph.text)]
        if percentiles:
            yield paragraph, percentiles


def of_section(report: Report, paragraph: Paragraph) -> list[Output]:
    """The outputs above a paragraph in its section, or, if it has none, the last one before it."""
    before = [output for output in report.outputs if output.last_line < paragraph.first]
    begin, _ = report.section(paragraph.first)
    return [output for output in before if output.line >= begin] or before[-1:]


def no_flame_graph(report: Report) -> Iterator[Remark]:
    for paragraph in report.paragraphs:
        if PROFILE_CLAIM.search(paragraph.text) and not GRAPH.search(report.chapter(paragraph.first)):
            yield Remark(
                paragraph.first, "no flame graph", "this says where time or memory goes, and the section shows no flame graph for it, nor a link to one"
            )


def contradicted(report: Report) -> Iterator[Remark]:
    """Words about a change, right below the second of two outputs of one rate."""
    for earlier, later in zip(report.outputs, report.outputs[1:], strict=False):
        if not later.rate or earlier.rate != later.rate or not earlier.mean_ms > 0 or not later.mean_ms > 0:
            continue
        below = [each for each in report.paragraphs if later.last_line < each.first <= later.last_line + NEAR_LINES and not each.is_heading][:1]
        for paragraph in below:
            change = later.mean_ms / earlier.mean_ms
            wrong = (
                ("the same", max(change, 1 / change) > SAME_FACTOR and SAYS_SAME.search(paragraph.text)),
                ("better", change > CLEAR_CHANGE and SAYS_BETTER.search(paragraph.text) and not SAYS_WORSE.search(paragraph.text)),
                ("worse", change < 1 / CLEAR_CHANGE and SAYS_WORSE.search(paragraph.text) and not SAYS_BETTER.search(paragraph.text)),
            )
            for words, is_wrong in wrong:
                if is_wrong:
                    yield Remark(
                        paragraph.first,
                        "contradicted",
                        f"the text says {words}; the mean response time went from {earlier.mean_ms:.3g} ms (line {earlier.line}) to {later.mean_ms:.3g} ms (line {later.line})",
                    )


def output_missing(report: Report) -> Iterator[Remark]:
    """A line that announces results, with prose below it instead."""
    for paragraph, following in itertools.zip_longest(report.paragraphs, report.paragraphs[1:]):
        until = following.first if following else len(report.lines) + 1
        between = report.lines[paragraph.last : until - 1]
        shown = any(FENCE.match(line) or GRAPH.search(line) or "<" in line or "wrk" in line for line in between)
        printed = any(paragraph.last < output.line < until for output in report.outputs)
        if (
            PROMISES_OUTPUT.search(paragraph.text)
            and not shown
            and not printed
            and not (following and ("wrk" in following.text or GRAPH.search(following.text)))
        ):
            yield Remark(paragraph.last, "output missing", "this announces an output, and none follows")


OF_OUTPUT = (rate_not_reached, too_short, errors, other_rate)
OF_PROSE = (too_few, numbers, no_flame_graph, contradicted, output_missing)


def main(paths: list[Path]) -> None:
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Problem(f"{path} can't be read: {error}") from error
        found = remarks(text)
        for remark in found:
            print(f"{path}:{remark.line}: {remark.kind}: {remark.text} [{TAUGHT_BY[remark.kind]}]")
        runs = len(Report(text).outputs)
        print(f"{path}: {len(found)} remark{'' if len(found) == 1 else 's'} on {runs} output{'' if runs == 1 else 's'} of wrk2")
