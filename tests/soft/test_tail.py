# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The tail of latency: histograms in JSON and in HdrHistogram logs agree with the rows; the bounds of p99."""

import base64
import json
import math
import shutil
import struct
import subprocess
import zlib
from collections import Counter
from pathlib import Path
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
    """As verbench-row(5) says: the middle of the bucket with that sample."""
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
    # buckets of two runs with clocks of their own are the same, or do not overlap
    bounds = sorted(merged)
    assert all(left[1] <= right[0] for left, right in zip(bounds, bounds[1:]))
    ordered = sorted(merged)
    assert all(a[1] <= b[0] for a, b in zip(ordered, ordered[1:]))


def test_few_samples(hca: Hca) -> None:
    """Bounds need as many samples as the percentile; bandwidth has no histogram."""
    row = hca.pair("send_lat", "-n 999").passed().row
    assert row["lat_p99_ns"] == row["lat_p99_within_low_ns"] == row["lat_p99_within_high_ns"] == ""
    file = hca.folder / "bw.json"
    hca.pair("write_bw", f"-n 100 --json {file}").passed()
    assert all("histogram" not in point for point in json.loads(file.read_text())["points"])


READER = Path("/usr/share/java/hdrhistogram.jar")
"""The library that the format comes from: Debian's libhdrhistogram-java."""


def decoded(text: str) -> dict[int, int]:
    """Counts by the lowest value of their bucket, from one histogram of a log, as its format describes it."""
    data = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack_from(">II", data)
    assert cookie == 0x1c849314 and length == len(data) - 8
    plain = zlib.decompress(data[8:])
    cookie, length, offset, digits, lowest, highest, ratio = struct.unpack_from(">IIIIqqd", plain)
    assert (cookie, length, offset, digits, lowest, ratio) == (0x1c849313, len(plain) - 40, 0, 3, 1, 1.0)
    counts: dict[int, int] = {}
    index, at = 0, 40
    while at < len(plain):
        value = shift = 0
        while True:
            byte = plain[at]
            at += 1
            value |= (byte if shift == 56 else byte & 0x7f) << shift
            shift += 7
            if byte < 0x80 or shift == 63:
                break
        number = (value >> 1) ^ -(value & 1)
        if number < 0:
            index -= number
            continue
        bucket = max(index // 1024 - 1, 0)
        counts[(index - bucket * 1024) << bucket] = number
        index += 1
    assert max(counts) < highest
    return counts


def lines_of(log: Path) -> dict[str, list[str]]:
    """The fields of the lines of a log after their tags, by tag."""
    head, *lines = log.read_text().splitlines()
    assert head == "#[Histogram log format version 1.3]"
    return {line.split(",")[0].removeprefix("Tag="): line.split(",")[1:] for line in lines}


def test_hdr(hca: Hca) -> None:
    """The log has each sample, its percentiles are those of the rows; runs add to it; its own reader reads it."""
    log = hca.folder / "latency.hlog"
    rows = {}
    for test, size in (("send_lat", 64), ("read_lat", 4096)):
        rows[f"{test}_{size}"] = hca.pair(test, f"-s {size} -n 20k --hdr {log}").passed().row
    hca.pair("write_lat", f"-s 2,8 -n 2k --hdr {log}").passed()
    lines = lines_of(log)
    assert list(lines)[:2] == list(rows)
    # of several sizes the tag is the cell
    assert len(lines) == 4 and all(tag.startswith("write_lat_--size_") for tag in list(lines)[2:])
    for tag, row in rows.items():
        start, length, most, text = lines[tag]
        counts = decoded(text)
        assert float(length) == pytest.approx(int(row["window_ns"]) / 1e9, abs=0.001) and float(start) > 1e9
        assert float(most) == pytest.approx(float(row["lat_max_ns"]) / 1e6, abs=2e-6)
        assert sum(counts.values()) == int(row["lat_samples"])
        rank = math.ceil(0.99 * sum(counts.values()))
        for value in sorted(counts):
            rank -= counts[value]
            if rank <= 0:
                assert value == pytest.approx(float(row["lat_p99_ns"]), rel=0.004, abs=1)
                break
    if not READER.exists() or not shutil.which("java"):
        pytest.skip("the reader of HdrHistogram is not installed: java, libhdrhistogram-java")
    for tag, row in rows.items():
        read = subprocess.run(["java", "-cp", READER, "org.HdrHistogram.HistogramLogProcessor", "-i", log,
                               "-tag", tag, "-outputValueUnitRatio", "1"], check=True, capture_output=True, text=True)
        assert f"Total count    = {int(row['lat_samples']):12}]" in read.stdout, read


def test_hdr_refused(hca: Hca) -> None:
    """Where there is no histogram, and on files that are no logs."""
    ended = hca.run([hca.program("vb_write_bw"), "--hdr", hca.folder / "a", "localhost"])
    assert ended.status == 2 and "--hdr" in ended.err and not (hca.folder / "a").exists()
    other = hca.folder / "other"
    other.write_text("something else\n")
    ended = hca.run([hca.program("vb_send_lat"), "--hdr", other, "localhost"])
    assert ended.status == 2 and str(other) in ended.err and other.read_text() == "something else\n"
