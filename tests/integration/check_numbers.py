#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_numbers.py RUN: the numbers of a run's reports, worked out a second time.

Reads what cyclictest wrote in each trial and computes minimum, average, maximum and
nearest-rank quantiles independently of rtsweep; then looks for them in report.json, in
the text report and in the page.
"""
import json
import math
import pathlib
import re
import sys

QUANTILES = [50, 90, 99, 99.9, 99.99, 99.999, 99.9999]


def expected(raw):
    histogram, cycles, total = {}, 0, 0.0
    for thread in raw["thread"].values():
        cycles += thread["cycles"]
        total += thread["cycles"] * thread["avg"]
        for latency, count in thread["histogram"].items():
            histogram[int(latency)] = histogram.get(int(latency), 0) + count
    numbers = {
        "samples": cycles,
        "min_us": min(t["min"] for t in raw["thread"].values()),
        "max_us": max(t["max"] for t in raw["thread"].values()),
        "avg_us": total / cycles,
    }
    for percent in QUANTILES:
        rank = max(1, math.ceil(round(cycles * percent / 100, 6)))
        seen, value = 0, None
        for latency in sorted(histogram):
            seen += histogram[latency]
            if seen >= rank:
                value = latency
                break
        numbers["p" + str(percent)] = value
    return numbers


def check(condition, what):
    if not condition:
        sys.exit("check_numbers: " + what)


def main():
    run = pathlib.Path(sys.argv[1])
    report = json.loads((run / "report/report.json").read_text())
    text = (run / "report/report.txt").read_text()
    page = (run / "report/report.html").read_text()
    check(report["trials"], "no trials")
    for trial in report["trials"]:
        raw = json.loads((run / trial["directory"] / "cyclictest.json").read_text())
        want = expected(raw)
        name = trial["directory"]
        for key in ("samples", "min_us", "max_us"):
            check(trial[key] == want[key], f"{name}: {key} {trial[key]}, not {want[key]}")
        check(abs(trial["avg_us"] - want["avg_us"]) < 0.01, f"{name}: average")
        for quantile, value in trial["quantiles_us"].items():
            check(value == want[quantile], f"{name}: {quantile} {value}, not {want[quantile]}")
        for histogram, thread in zip(trial["histograms"], raw["thread"].values()):
            counts = [[int(k), v] for k, v in sorted(thread["histogram"].items(), key=lambda i: int(i[0]))]
            check(histogram["counts"] == counts, f"{name}: histogram of CPU {histogram['cpu']}")
        # "  #4  36  43.0  41  66  76  137  137  137  5016"
        row = re.search(r"^ +#%d +(.*)$" % trial["id"], text, re.M)
        check(row, f"{name}: no row in the text report")
        cells = row.group(1).split()
        shown = [str(want["min_us"]), "%.1f" % want["avg_us"], str(want["p50"]), str(want["p99"]),
                 str(want["p99.9"]), str(want["p99.99"]), str(want["p99.999"]), str(want["max_us"]),
                 str(want["samples"])]
        check(cells == shown, f"{name}: the text report has {cells}, not {shown}")
    data = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S)
    check(data, "the page has no data")
    embedded = json.loads(data.group(1))
    check_page(embedded, report)
    print(f"{len(report['trials'])} trials agree in JSON, text and page")


def check_page(embedded, report):
    """The page's own data: each trial's maximum and every histogram count."""
    by_id = {trial["id"]: trial for trial in embedded["trials"]}
    for trial in report["trials"]:
        shown = by_id[trial["id"]]
        check(shown["max"] == trial["max_us"], f"page: maximum of trial {trial['id']}")
        check(shown["quantiles"] == trial["quantiles_us"], f"page: quantiles of {trial['id']}")
        for cpu, histogram in zip(shown["cpus"], trial["histograms"]):
            check(unpacked(cpu["counts"]) == histogram["counts"], f"page: counts of {trial['id']}")


def unpacked(counts):
    """[37, 4, 1, 5, ...]: steps of latency and their counts, as the page holds them."""
    pairs, latency = [], 0
    for step, count in zip(counts[::2], counts[1::2]):
        latency += step
        pairs.append([latency, count])
    return pairs


main()
