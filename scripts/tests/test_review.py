# SPDX-License-Identifier: Apache-2.0
"""scripts/lab review: planted mistakes are found where they are, and reports without one get no remark."""

import subprocess

import pytest
from lablib import review
from lablib.paths import ROOT

OUTPUT = """wrk -t1 -c{connections} -d{seconds}s -R{rate} -L -s put.lua http://localhost:8080
Running {seconds}s test @ http://localhost:8080
  1 threads and {connections} connections
  Thread calibration: mean lat.: 1.153ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     {mean}ms    1.24ms  {longest}ms   95.69%
    Req/Sec     1.06k   157.18     3.44k    84.11%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    0.90ms
 99.000%    {p99}ms
 99.900%    {p999}ms
 99.990%   17.10ms
100.000%   {longest}ms
#[Max     =       33.150, Total count    =       {counted}]
  {requests} requests in {seconds}.00s, 4.23MB read
{errors}Requests/sec:   {achieved}
Transfer/sec:     72.27KB
"""
USUAL = {"connections": 1, "seconds": 30, "rate": 1000, "requests": 29990, "counted": 19990, "errors": "", "achieved": 999.9}
USUAL |= {"mean": 1.32, "longest": 33.15, "p99": 5.1, "p999": 9.8}
BACKLOG = {"rate": 50000, "achieved": 18018.5, "mean": 23370, "longest": 38370}


def output(**changes):
    return f"```\n{OUTPUT.format(**USUAL | changes)}```\n"


def report(*parts, heading="## PUT"):
    return "# Report\n\n" + heading + "\n\n" + "\n".join(parts)


GOOD = [
    report("At 1k RPS:\n", output(), "It holds, with a p99 of 5.1 ms.\n"),
    report("На 1к RPS:\n", output(), "Держит. Попробуем повысить до 50к.\n", output(**BACKLOG), "Захлебнулись.\n"),
    report(output(errors="  Non-2xx or 3xx responses: 400\n"), "1 % of the ids are missing: these are 404.\n", heading="## GET"),
    report(output(), output(mean=1.4), "The same on a second run.\n"),
    report(output(), output(mean=3.4), "Latency went up: it is slower with pruning off.\n"),
    report("The longest times are at 99.9 %: 9.8 ms.\n", output()),
    report(output(), "Most of the processor time goes to the socket:\n\n![cpu](cpu.svg)\n"),
    report("Half of the CPU is spent in flush.\n\n[flame graph](cpu.html)\n"),
    "# A report without an output\n\nNothing was measured.\n",
    "",
]
MISTAKES = {
    "rate not reached": [
        report("At 50k RPS:\n", output(**BACKLOG), "The mean is 23 s.\n"),
        report("На 50к RPS:\n", output(**BACKLOG), "Среднее время ответа 23 с.\n"),
        report("With a rate of 300:\n", output(rate=300, achieved=218.5, mean=4430, longest=7720), "So the median is 1.35 s.\n"),
    ],
    "output of another rate": [
        report(output(rate=40000, achieved=34930.6, longest=71.7, requests=698608), "It holds 40k RPS.\n"),
        report(output(rate=2000, achieved=1000.1), "Fine.\n"),
    ],
    "too short": [report(output(seconds=10)), report(output(seconds=5)), report(output(seconds=16, connections=1200))],
    "errors": [
        report(output(errors="  Non-2xx or 3xx responses: 900\n"), "A p50 of 0.9 ms is good.\n"),
        report(output(errors="  Socket errors: connect 0, read 0, write 0, timeout 412\n"), "Хороший результат.\n"),
    ],
    "text and command differ": [
        report("At 2k RPS:\n", output(), "Good.\n"),
        report("Теперь 500 RPS:\n", output(), "Хорошо.\n"),
        report("With rate = 10 000:\n", output(), "Good.\n"),
    ],
    "too few requests": [
        report(output(counted=1998), "The p99.9 is what users feel.\n"),
        report(output(counted=19990), "На 99.99 перцентили виден скачок.\n"),
    ],
    "number not in the output": [
        report(output(), "The 99.9th percentile fell to 4 ms.\n"),
        report(output(counted=299900), "Задержка на 99.9-99.99 уменьшилась с 80 мс до 40 мс.\n"),
    ],
    "no flame graph": [
        report(output(), "Most of the processor time is spent in the network stack.\n"),
        report(output(), "Процессорное время в основном тратится на запись в сокет.\n"),
        report(output(), "Half of the allocations go to parsing, which dominates.\n"),
    ],
    "contradicted": [
        report(output(), output(mean=6.4), "The mean is the same as before.\n"),
        report(output(), output(mean=2.6), "With the pool it is faster.\n"),
        report(output(mean=4.4), output(), "Стало медленнее.\n"),
        report(output(mean=1.2), output(mean=1.9), "Задержка уменьшилась.\n"),
    ],
    "output missing": [
        report("Результаты нагрузки:\n\nСредняя задержка одинакова.\n", heading="##### По модулю"),
        report("The output of the second run:\n\nAs expected.\n"),
    ],
}


@pytest.mark.parametrize("text", GOOD)
def test_a_report_without_a_mistake_gets_no_remark(text):
    assert review.remarks(text) == []


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in MISTAKES.items() for text in texts])
def test_a_planted_mistake_is_found_and_nothing_else(kind, text):
    assert [remark.kind for remark in review.remarks(text)] == [kind]


def test_each_remark_names_the_notebook_that_teaches_it():
    assert set(review.TAUGHT_BY) == set(MISTAKES)
    assert all((ROOT / f"notebooks/{name}.ipynb").exists() for name in review.TAUGHT_BY.values())


def test_the_command_prints_a_line_for_each(tmp_path):
    path = tmp_path / "report.md"
    path.write_text(MISTAKES["errors"][0])
    run = subprocess.run([ROOT / "scripts/lab", "review", path, tmp_path / "none.md"], capture_output=True, text=True, check=False)
    assert run.stdout.startswith(f"{path}:7: errors: 900 of 29,990 answers were errors")
    assert f"{path}: 1 remark on 1 output of wrk2" in run.stdout
    assert run.returncode == 1 and "none.md can't be read" in run.stderr
