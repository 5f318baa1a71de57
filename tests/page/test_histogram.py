# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The pictures of a distribution in a page, from the histogram of a JSON document: its curves are those of the samples,
and they stay small."""

import json
import math
import random
import re
from pathlib import Path

import pytest

from harness.report import Report

SAMPLES = 200000
SHOWN = [50, 90, 99, 99.9, 99.99]


def bounds(ns: float) -> tuple[int, int]:
    """The bucket of verbench-row(5), in ps: 512 per power of two of 2 * ps + 1."""
    ps = int(ns * 1000)
    width = 2 ** max((2 * ps + 1).bit_length() - 11, 0)
    return ps // width * width, ps // width * width + width


@pytest.fixture(scope="module")
def samples() -> list[float]:
    """In ns: lognormal around 2 us, with a tail of 1 % around 300 us."""
    source = random.Random(7)
    return sorted(source.lognormvariate(math.log(300e3 if i % 100 == 0 else 2e3), 0.3) for i in range(SAMPLES))


@pytest.fixture(scope="module")
def page(report: Report, samples: list[float]) -> str:
    buckets: dict[tuple[int, int], int] = {}
    for ns in samples:
        buckets[bounds(ns)] = buckets.get(bounds(ns), 0) + 1
    row = {"schema": 1, "test": "send_lat", "size_bytes": 64, "status": "ok", "lat_samples": SAMPLES,
           "lat_min_ns": samples[0], "lat_p50_ns": samples[SAMPLES // 2], "lat_max_ns": samples[-1]}
    point = {"size_bytes": 64, "histogram": {
        "samples": SAMPLES, "min_ns": samples[0], "max_ns": samples[-1],
        "buckets": [[low / 1000, high / 1000, n] for (low, high), n in sorted(buckets.items())]}}
    assert len(buckets) > 1500
    document = report.folder / "histogram.json"
    document.write_text(json.dumps({"rows": [row], "points": [point]}))
    ended = report.run(document, "--html", "-")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def figure(page: str, name: str) -> str:
    return re.search(rf"<figure id='plot-{name}'>(.*?)</figure>", page, re.DOTALL)[1]


def values(page: str, name: str) -> list[tuple[str, float]]:
    """The table of values below a picture."""
    cells = re.findall(r"<tr><td>(.*?)</td><td class='n'>(.*?)</td>", figure(page, name))
    return [(x, float(y)) for x, y in cells]


def line(page: str, name: str) -> list[tuple[float, float]]:
    """Of the curve, in units of the picture."""
    path = re.search(r"<path class='line'[^>]* d='(.*?)'", figure(page, name))[1]
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](\S+?) ([\d.]+)", path)]


def rank(samples: list[float], percent: float) -> float:
    """In us, as the rows have it."""
    return samples[math.ceil(round(SAMPLES * percent / 100, 6)) - 1] / 1000


def test_values_are_the_percentiles(page: str, samples: list[float]) -> None:
    table = values(page, "percentiles")
    assert [x for x, _ in table] == [f"{percent:g} %" for percent in SHOWN]
    for percent, (_, y) in zip(SHOWN, table):
        assert y == pytest.approx(rank(samples, percent), rel=0.002)
    shares = values(page, "distribution")
    assert [y for _, y in shares] == [0, *SHOWN, 100]
    for (x, percent) in shares[1:-1]:
        assert float(x) == pytest.approx(rank(samples, percent), rel=0.002)


@pytest.mark.parametrize("name", ["percentiles", "distribution"])
def test_a_curve_is_fine_and_small(page: str, name: str) -> None:
    points = line(page, name)
    assert 100 < len(points) < 1000
    assert len(figure(page, name)) < 30000
    # it never goes back: right, and up, which is down in SVG
    assert points == sorted(points, key=lambda p: (p[0], -p[1]))


def test_the_line_is_where_the_samples_are(page: str, samples: list[float]) -> None:
    """The curve between the least and the largest sample, on a logarithmic axis: at each of its points as many samples
    are below as it says."""
    points = line(page, "distribution")
    bottom, top = points[0][1], points[-1][1]
    left, right = points[0][0], points[-1][0]
    span = math.log(samples[-1] / samples[0])
    at = 0
    for x, y in points:
        ns = samples[0] * math.exp((x - left) / (right - left) * span)
        # coordinates have a step of 0.1, so the share is between those at x - 0.1 and x + 0.1; a bucket adds 0.2 %
        few, many = (ns * math.exp(sign * (0.1 * span / (right - left) + 0.002)) for sign in (-1, 1))
        while at < SAMPLES and samples[at] < few:
            at += 1
        above = at
        while above < SAMPLES and samples[above] <= many:
            above += 1
        share = (bottom - y) / (bottom - top)
        assert at / SAMPLES - 0.001 <= share <= above / SAMPLES + 0.001


def test_samples_make_the_same_picture(report: Report, page: str, samples: list[float]) -> None:
    """A file of --dump-samples, in any order: the same curves, and the same values."""
    file = report.folder / "samples.csv"
    shuffled = random.Random(8).sample(samples, SAMPLES)
    file.write_text("samples_schema,scenario,cell,test,transport,opcode,completion,size_bytes,emulated,lat_kind,status,"
                    "measured,samples,sample,latency_ns,response_ns,service_ns\n" +
                    "".join(f"1,,,send_lat,,,,64,,,ok,{SAMPLES},{SAMPLES},{number},{ns:.3f},,\n"
                            for number, ns in enumerate(shuffled)))
    ended = report.run(file, "--html", "-")
    assert ended.returncode == 0, ended.stderr
    for name in ("percentiles", "distribution"):
        assert [x for x, _ in values(ended.stdout, name)] == [x for x, _ in values(page, name)]
        assert len(line(ended.stdout, name)) == len(line(page, name))
        for (x, y), (other_x, other_y) in zip(line(ended.stdout, name), line(page, name)):
            assert abs(x - other_x) <= 0.1 and abs(y - other_y) <= 0.1


@pytest.mark.usefixtures("page")
def test_a_damaged_histogram_is_refused(report: Report, tmp_path: Path) -> None:
    document = json.loads((report.folder / "histogram.json").read_text())
    document["points"][0]["histogram"]["buckets"][3][2] += 1
    (tmp_path / "bad.json").write_text(json.dumps(document))
    ended = report.run(tmp_path / "bad.json", "--html", "-")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "bad.json, line 1: row 1 of the document: histogram" in ended.stderr
