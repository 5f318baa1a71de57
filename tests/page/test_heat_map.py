# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""'verbench report' of the rows of a mesh: the picture of its pairs, the worst of them, and the tables.
test_browser.py looks at the page in a browser."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from harness.cluster import Cluster, wiring, write_rows
from harness.images import Image, embedded
from harness.report import Report

BLACK, WHITE, RED = (0, 0, 0), (255, 255, 255), (0xd9, 0x1e, 0x18)
HATCHED = {(0xd6, 0xe4, 0xf2), (0x9d, 0xba, 0xd6)}


def page_of(report: Report, name: str, rows: list[dict[str, object]], *options: object) -> str:
    ended = report.run(write_rows(report.folder / f"{name}.csv", rows), "--html", "-", *options)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def figures(page: str) -> list[str]:
    return re.findall(r"<figure class='pairs'.*?</figure>", page, re.DOTALL)


def worst(figure: str) -> list[str]:
    return re.findall(r"<tr><td>(.*?)<", figure)


def tile(image: Image, nodes: int, client: int, server: int) -> set[tuple[int, int, int]]:
    """The colours of the tile of a pair, if each pair has one."""
    size = image.width // nodes
    return {image.pixels[y][x] for y in range(client * size, (client + 1) * size)
            for x in range(server * size, (server + 1) * size)}


def test_each_pair_has_its_pixels(report: Report) -> None:
    """Client rows and server columns: the slow pair is black, the failed one red, what is not measured hatched."""
    cluster = Cluster(12, 11, slow={(3, 11): 0.6}, failed={(10, 2)}, left_out={(7, 1)})
    figure, = figures(page_of(report, "twelve", cluster.rows()))
    image = embedded(figure)
    assert image.width == image.height == 12 * 40
    for client in range(12):
        for server in range(12):
            wanted = {(3, 11): {BLACK}, (10, 2): {RED}, (7, 1): HATCHED}.get((client, server), {WHITE})
            assert tile(image, 12, client, server) == (HATCHED if client == server else wanted)
    # n10 stands behind n9
    assert re.findall(r"<text x=[^>]*>(n\d+)<", figure) == [f"n{number}" for number in range(12)]
    assert worst(figure)[0] == "n3&gt;n11" and len(worst(figure)) == 10
    assert "1 pair failed: n10&gt;n2" in figure
    assert figure.count("class='mark'") == 2  # in the picture and its legend


def test_nodes_of_a_leaf_are_side_by_side(report: Report) -> None:
    """Names do not follow the cabling: n0, n2, n4, ... are on one switch, n11 is on none. n3 is on the switch of the
    device that it has used."""
    cables = report.folder / "cables"
    even, odd = ([f"n{number} mlx5_0" for number in range(first, 11, 2)] for first in (0, 1))
    cables.write_text(wiring(("leaf b<b>", [*odd, "n0 mlx5_1"]), ("leaf a", [*even, "n3 mlx5_1"])))
    slow = {(client, server): 0.5 for client in range(0, 11, 2) for server in range(1, 11, 2)}
    rows = [{**row, "peer_device": row["device"]} for row in Cluster(12, 11, slow=slow).rows()]
    figure, = figures(page_of(report, "leaves", rows, "--wiring", cables))
    order = [*range(0, 11, 2), *range(1, 11, 2), 11]
    assert re.findall(r"<text x=[^>]*>(n\d+)<", figure) == [f"n{number}" for number in order]
    image = embedded(figure)
    for place, client in enumerate(order):
        for column, server in enumerate(order):
            wanted = HATCHED if client == server else {BLACK} if (client, server) in slow else {WHITE}
            assert tile(image, 12, place, column) == wanted, (client, server)
    left, top = map(float, re.search(r"<image x='(\d+)' y='(\d+)'", figure).groups())
    lines = re.findall(r"<path class='leaf' d='M([\d.]+) [\d.]+v[\d.]+M[\d.]+ ([\d.]+)h", figure)
    assert [(float(x) - left, float(y) - top) for x, y in lines] == [(6 * 40, 6 * 40), (11 * 40, 11 * 40)]
    assert figure.count(">leaf a</text>") == figure.count(">leaf b&lt;b&gt;</text>") == 2
    assert "<small>leaf a &gt; leaf b&lt;b&gt;</small>" in figure


def test_wiring_is_of_a_mesh(report: Report) -> None:
    cables = report.folder / "cables"
    cables.write_text(wiring(("leaf", ["n0 mlx5_0"])))
    ended = report.run(report.rows, "--wiring", cables)
    assert ended.returncode == 2 and "--wiring" in ended.stderr


def test_the_picture_of_an_incast_has_its_pairs(report: Report) -> None:
    """Neither its sums nor its victims, which are in the tables."""
    rows = Cluster(6, 5, slow={(1, 2): 0.5}).rows()
    rows += [{**rows[0], "kind": "total", "pair": f"total>n{server}", "mesh_attempt": ""} for server in range(6)]
    rows += [{**rows[0], "kind": "victim", "pair": "n8>n9", "bandwidth_gbit_s": 1}]
    figure, = figures(page_of(report, "incast", rows))
    assert tile(embedded(figure), 6, 1, 2) == {BLACK} and "30 pairs of 6 nodes" in figure
    assert "total" not in figure and "n8" not in figure
    lines = [line for line in csv.DictReader(io.StringIO(run(report, rows, "--format", "csv"))) if not line["pair"]]
    assert {line["kind"]: line["pairs"] for line in lines} == {"result": "30", "total": "6", "victim": "1"}
    # without pairs there is a picture of what is there
    figure, = figures(page_of(report, "victims", rows, "--where", "kind == victim"))
    assert "1 pairs of 2 nodes" in figure


def test_of_a_latency_more_is_worse(report: Report) -> None:
    cluster = Cluster(6, 5, slow={(0, 4): 0.5, (4, 0): 1.5}, test="send_lat", size=64)
    figure, = figures(page_of(report, "lat", cluster.rows()))
    image = embedded(figure)
    assert (tile(image, 6, 0, 4), tile(image, 6, 4, 0)) == ({BLACK}, {WHITE})
    assert worst(figure)[0] == "n0&gt;n4" and "and more<" in figure
    assert float(re.search(r"n0&gt;n4</td><td class='n'>[\d.]*</td><td class='n'>([\d.]*)<", figure)[1]) == (
        pytest.approx(200, rel=0.01))


def test_a_pair_measured_again_is_what_it_was_in_its_round(report: Report) -> None:
    rows = Cluster(6, 5, slow={(1, 2): 0.5}).rows()
    again = next(row for row in rows if row["pair"] == "n1>n2")
    rows += [{**again, "mesh_round": "", "mesh_attempt": 1, "bandwidth_gbit_s": 390},
             {**again, "mesh_round": "", "mesh_attempt": 1, "bandwidth_gbit_s": "", "status": "failed"}]
    figure, = figures(page_of(report, "again", rows))
    assert tile(embedded(figure), 6, 1, 2) == {BLACK}
    assert "30 pairs of 6 nodes" in figure and "failed:" not in figure


def test_a_picture_for_each_test_and_size(report: Report) -> None:
    clusters = [Cluster(4, 3, size=size, test=test) for test in ("write_bw", "send_lat") for size in (64, 4096)]
    found = figures(page_of(report, "four", [row for cluster in clusters for row in cluster.rows()]))
    assert [re.search("<figcaption>(.*?):", figure)[1] for figure in found] == [
        "write_bw, 64 bytes", "write_bw, 4096 bytes", "send_lat, 64 bytes", "send_lat, 4096 bytes"]


def test_what_failed_is_of_its_settings(report: Report) -> None:
    """A row that failed early does not have the settings that it would have had."""
    rows = [{**row, "depth": depth} for depth in (16, 128) for row in Cluster(4, 3).rows()]
    rows[0].update(status="failed", reason="gone", bandwidth_gbit_s="", depth="")
    found = figures(page_of(report, "depths", rows))
    assert ["depth 16" in figure for figure in found] == [True, False]
    # in the second set the pair has a value
    assert ["1 pair failed" in figure for figure in found] == [True, False]


def test_a_large_mesh_is_a_small_page(report: Report) -> None:
    """4096 nodes, of which each measures with 16: blocks that a reader can see, and the bad pairs in a list."""
    cluster = Cluster(4096, 16, slow={(1234, 3210): 0.5, (77, 4000): 0.7}, failed={(3000, 100)})
    page = page_of(report, "large", cluster.rows())
    assert len(page) < 3e6
    figure, = figures(page)
    image = embedded(figure)
    block = int(re.search(r"a tile is (\d+) clients by \1 servers", figure)[1])
    side = -(-4096 // block)
    size = image.width // side
    assert image.width == image.height == side * size <= 1024

    def pixel(client: int, server: int) -> tuple[int, int, int]:
        return image.pixels[client * side // 4096 * size + 1][server * side // 4096 * size + 1]

    assert (pixel(1234, 3210), pixel(77, 4000), pixel(3000, 100)) == (BLACK, BLACK, RED)
    shown = [image.pixels[y * size][x * size] for y in range(side) for x in range(side)]
    assert shown.count(BLACK) == 2 and shown.count(RED) == 1
    assert sum(color in HATCHED for color in shown) < len(shown) / 10
    assert worst(figure)[:2] == ["n1234&gt;n3210", "n77&gt;n4000"] and len(worst(figure)) == 10


def run(report: Report, rows: list[dict[str, object]], *options: str) -> str:
    ended = report.run(write_rows(report.folder / "rows.csv", rows), *options)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_tables_have_the_worst_pairs_first(report: Report) -> None:
    rows = Cluster(30, 29, slow={(1, 20 - i): 0.3 + 0.05 * i for i in range(12)}, failed={(5, 6)}).rows()
    text = run(report, rows)
    table = text[text.index("Worst pairs"):text.index("1 pair failed: n5>n6")]
    assert re.findall(r"^(n\S+)", table, re.MULTILINE) == [f"n1>n{20 - i}" for i in range(10)]
    assert len(text.splitlines()) < 30

    lines = list(csv.DictReader(io.StringIO(run(report, rows, "--format", "csv"))))
    first, *pairs = lines
    assert (first["pair"], first["nodes"], first["pairs"], first["failed"]) == ("", "30", "869", "1")
    assert float(first["median"]) == pytest.approx(390, rel=0.01) and float(first["worst"]) == pytest.approx(117)
    assert [(pair["pair"], pair["nodes"]) for pair in pairs] == [(f"n1>n{20 - i}", "") for i in range(10)]
    document = json.loads(run(report, rows, "--format", "json"))
    assert [line["pair"] for line in document["results"]] == [None] + [pair["pair"] for pair in pairs]
    assert document["remarks"][0] == "write_bw RC poll 65536: 1 pair failed: n5>n6"


def test_columns_side_by_side_have_no_limit_of_64(report: Report) -> None:
    """--by pair of a mesh of nine nodes, and of a hundred."""
    assert "n8>n7" in run(report, Cluster(9, 8).rows(), "--by", "pair")
    lines = run(report, Cluster(100, 99).rows(), "--by", "pair", "--format", "csv").splitlines()
    assert [len(line.split(",")) for line in lines] == [1 + 9900] * 2


def test_a_table_has_a_limit(report: Report, tmp_path: Path) -> None:
    """It would take a gigabyte for nothing."""
    rows = [{**row, "depth": 1 + number} for number, row in enumerate(2 * Cluster(2100, 1).rows())]
    ended = report.run(write_rows(tmp_path / "rows.csv", rows), "--by", "pair")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "a table of 2100 columns and 4200 lines, which is too large" in ended.stderr


def test_no_picture_of_curves(report: Report) -> None:
    ended = report.run(write_rows(report.folder / "rows.csv", Cluster(4, 3).rows()), "--plot", report.folder / "x.png")
    assert ended.returncode == 2 and "--html" in ended.stderr
