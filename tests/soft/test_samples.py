# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--dump-samples: a line for each sample, which the row and its histogram agree with; report reads the file back."""

import csv
import json
import math
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.programs import Ended
from harness.rows import Row, csv_rows
from harness.serving import serving

Points = dict[tuple[str, str, str], list[dict[str, str]]]


def points_of(file: Path) -> Points:
    """Lines by cell, test and size: they are numbered, and as many as each of them says."""
    with file.open(newline="") as lines:
        points: Points = {}
        for line in csv.DictReader(lines):
            assert line["samples_schema"] == "1" and line["emulated"] == "1" and line["status"] == "ok"
            points.setdefault((line["cell"], line["test"], line["size_bytes"]), []).append(line)
    for lines_of_one in points.values():
        assert [int(line["sample"]) for line in lines_of_one] == list(range(len(lines_of_one)))
        assert {line["samples"] for line in lines_of_one} == {str(len(lines_of_one))}
    return points


def times(lines: list[dict[str, str]], column: str) -> list[float]:
    return sorted(float(line[column]) for line in lines)


def percentile(sorted_times: list[float], part: float) -> float:
    """Nearest rank."""
    return sorted_times[math.ceil(round(part * len(sorted_times), 6)) - 1]


def report(hca: Hca, *options: object) -> Ended:
    return hca.run([hca.program("verbench"), "report", *options], cwd=hca.folder, preload=False)


def report_row(hca: Hca, *options: object) -> Row:
    ended = report(hca, "--format", "csv", *options)
    assert ended.status == 0, ended
    rows = list(csv.DictReader(ended.out.splitlines()))
    assert len(rows) == 1, ended
    return Row(rows[0])


@pytest.mark.parametrize("test", ["send_lat", "read_lat"])
def test_closed_loop(hca: Hca, test: str) -> None:
    """Extremes, mean and number are those of the row, percentiles are within a bucket; a warm-up has no sample."""
    file, document = hca.folder / "samples.csv", hca.folder / "run.json"
    row = hca.pair(test, f"-s 64 -n 20k --warm-up 100 --dump-samples {file} --json {document}").passed().row
    (lines,) = points_of(file).values()
    assert {line["measured"] for line in lines} == {row["lat_samples"]} == {str(len(lines))}
    assert {line["lat_kind"] for line in lines} == {row["lat_kind"]}
    samples = times(lines, "latency_ns")
    assert all(line["response_ns"] == line["service_ns"] == "" for line in lines)
    assert samples[0] == pytest.approx(row.number("lat_min_ns"), rel=1e-8, abs=0.002)
    assert samples[-1] == pytest.approx(row.number("lat_max_ns"), rel=1e-8, abs=0.002)
    assert sum(samples) / len(samples) == pytest.approx(row.number("lat_mean_ns"), rel=1e-7, abs=0.001)
    # a round trip is half a sample, and may be one of few: rounded to a thousandth of ns
    for part, column in ((0.5, "lat_p50_ns"), (0.9, "lat_p90_ns"), (0.99, "lat_p99_ns"), (0.999, "lat_p99_9_ns")):
        assert percentile(samples, part) == pytest.approx(row.number(column), rel=0.002, abs=1), column
    # the histogram of the same run: each sample is in its bucket
    for low, high, number in json.loads(document.read_text())["points"][0]["histogram"]["buckets"]:
        slack = low * 0.002 + 1
        assert sum(low - slack <= sample <= high + slack for sample in samples) >= number


def test_report(hca: Hca) -> None:
    """Its percentiles are samples; the page has their distribution."""
    file = hca.folder / "samples.csv"
    hca.pair("send_lat", f"-s 64 -n 20k --dump-samples {file}").passed()
    (lines,) = points_of(file).values()
    samples = times(lines, "latency_ns")
    show = "lat_min_ns,lat_p50_ns,lat_p99_ns,lat_p99_9_ns,lat_max_ns,lat_samples"
    row = report_row(hca, "--of", show, file)
    assert row["size_bytes"] == "64" and row["test"] == "send_lat"
    assert row.number("lat_samples") == 20000
    for part, column in ((0.5, "lat_p50_ns"), (0.99, "lat_p99_ns"), (0.999, "lat_p99_9_ns"), (1, "lat_max_ns")):
        assert row.number(column) == pytest.approx(percentile(samples, part), rel=1e-8, abs=0.001), column
    page = hca.folder / "page.html"
    assert report(hca, "--html", page, file).status == 0
    text = page.read_text()
    assert "samples that took no longer (%)" in text and "not a result of hardware" in text
    # a rule of it, as of any row
    assert report(hca, "--expect", "lat_samples == 20000", file).status == 0
    assert report(hca, "--expect", f"lat_p50_ns > {samples[-1]}", file).status == 3


def test_open_loop(hca: Hca) -> None:
    """Response and service time of each message: none is answered sooner than it was posted or due."""
    file = hca.folder / "samples.csv"
    row = hca.pair("send_lat", f"-e -s 64 -n 2k --rate 20k --dump-samples {file}").passed().row
    (lines,) = points_of(file).values()
    assert len(lines) == 2000 and {line["measured"] for line in lines} == {"2000"}
    assert all(line["latency_ns"] == line["lat_kind"] == "" for line in lines)
    assert all(float(line["response_ns"]) >= float(line["service_ns"]) > 0 for line in lines)
    of_report = report_row(hca, "--of", "response_p50_ns,response_p99_ns,service_p50_ns", file)
    for column, part in (("response_p50_ns", 0.5), ("response_p99_ns", 0.99), ("service_p50_ns", 0.5)):
        samples = times(lines, column.split("_")[0] + "_ns")
        assert percentile(samples, part) == pytest.approx(row.number(column), rel=0.003, abs=1), column
        assert of_report.number(column) == pytest.approx(percentile(samples, part), rel=1e-8, abs=0.001), column


def test_sweep(hca: Hca) -> None:
    """A point for each cell of a latency test, with its name; runs add to the file; bandwidth has no samples."""
    at = serving(hca)
    for _ in range(2):
        ended = at.run("run --test write_bw,send_lat", "-s 8,64 -n 500 --dump-samples samples.csv --csv rows.csv")
        assert ended.status == 0, ended
    rows = [row for row in csv_rows(at.folder / "rows.csv") if row["test"] == "send_lat"]
    with (at.folder / "samples.csv").open(newline="") as file:
        firsts = [line["cell"] for line in csv.DictReader(file) if line["sample"] == "0"]
    assert firsts == [row["cell"] for row in rows] and len(firsts) == 4
    shown = report(hca, "--format", "csv", "--of", "lat_max_ns", at.folder / "samples.csv")
    assert {row["size_bytes"]: row["n"] for row in csv.DictReader(shown.out.splitlines())} == {"8": "2", "64": "2"}
    text = (at.folder / "samples.csv").read_text()
    assert text.count("samples_schema") == 1 and len(text.splitlines()) == 1 + 4 * 500
    assert "write_bw" not in text


def test_by_time(hca: Hca) -> None:
    """Without a number of messages; to standard output there is nothing else."""
    pair = hca.pair("read_lat", "-D 1 --dump-samples -").passed()
    lines = pair.client.out.splitlines()
    assert lines[0].startswith("samples_schema,") and len(lines) > 1
    assert {line.split(",")[12] for line in lines[1:]} == {str(len(lines) - 1)}


def test_refused(hca: Hca) -> None:
    """Where nothing fills it; on a file of something else."""
    for program, options in (("vb_write_bw", ["localhost"]), ("vb_send_lat", []),
                             ("verbench", ["run", "--test", "write_bw,read_bw", "localhost"])):
        ended = hca.run([hca.program(program), *options, "--dump-samples", hca.folder / "a"])
        assert ended.status == 2 and "--dump-samples has no effect" in ended.err, ended
        assert not (hca.folder / "a").exists()
    other = hca.folder / "rows.csv"
    other.write_text("schema,test\n")
    ended = hca.run([hca.program("vb_send_lat"), "--dump-samples", other, "localhost"])
    assert ended.status == 2 and str(other) in ended.err and other.read_text() == "schema,test\n"
