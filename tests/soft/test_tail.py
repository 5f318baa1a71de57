# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The tail of latency: histograms in JSON agree with the rows, and can be merged; the bounds of p99."""

import json
import math
from collections import Counter
from typing import Any

import pytest

from harness.emulated import Hca

Buckets = dict[tuple[float, float], int]


def buckets_of(histogram: dict[str, Any]) -> Buckets:
    """The buckets of a histogram, by their bounds: they ascend and do not overlap."""
    buckets = histogram["buckets"]
    for before, after in zip(buckets, buckets[1:]):
        assert before[0] < before[1] <= after[0] < after[1]
    return {(low, high): samples for low, high, samples in buckets}


def percentile(buckets: Buckets, part: float) -> float:
    """As docs/schema.md says: the middle of the bucket with that sample."""
    rank = math.ceil(part * sum(buckets.values()))
    for (low, high), samples in sorted(buckets.items()):
        rank -= samples
        if rank <= 0:
            return (low + high) / 2
    raise AssertionError(f"{part} of {buckets}")


@pytest.mark.parametrize("test", ["send_lat", "read_lat"])
def test_histogram(hca: Hca, test: str) -> None:
    """Its percentiles are those of the row; two runs become one by adding equal buckets."""
    merged: Counter[tuple[float, float]] = Counter()
    samples = 0
    for number in range(2):
        file = hca.folder / f"{number}.json"
        hca.pair(test, f"-n 20k --json {file}").passed()
        document = json.loads(file.read_text())
        row, histogram = document["rows"][0], document["points"][0]["histogram"]
        buckets = buckets_of(histogram)
        assert histogram["samples"] == sum(buckets.values()) == row["lat_samples"]
        assert histogram["min_ns"] == pytest.approx(row["lat_min_ns"], rel=1e-8, abs=0.001)
        assert histogram["max_ns"] == pytest.approx(row["lat_max_ns"], rel=1e-8, abs=0.001)
        for part, key in ((0.5, "lat_p50_ns"), (0.9, "lat_p90_ns"), (0.99, "lat_p99_ns"), (0.999, "lat_p99_9_ns")):
            assert percentile(buckets, part) == pytest.approx(row[key], rel=0.003), key
        assert row["lat_p90_ns"] <= row["lat_p99_within_low_ns"] <= row["lat_p99_ns"] <= row["lat_p99_within_high_ns"]
        assert row["lat_p99_within_high_ns"] <= row["lat_max_ns"]
        merged.update(buckets)
        samples += row["lat_samples"]
    assert sum(merged.values()) == samples
    # bounds of two runs with clocks of their own are the same numbers
    assert len(merged) < 2 * len(buckets)
    ordered = sorted(merged)
    assert all(a[1] <= b[0] for a, b in zip(ordered, ordered[1:]))


def test_few_samples(hca: Hca) -> None:
    """Bounds need as many samples as the percentile; bandwidth has no histogram."""
    row = hca.pair("send_lat", "-n 999").passed().row
    assert row["lat_p99_ns"] == row["lat_p99_within_low_ns"] == row["lat_p99_within_high_ns"] == ""
    file = hca.folder / "bw.json"
    hca.pair("write_bw", f"-n 100 --json {file}").passed()
    assert all("histogram" not in point for point in json.loads(file.read_text())["points"])
