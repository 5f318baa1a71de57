# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh --rails: nodes with two devices, which measure with those of other nodes."""

import json
import re
from itertools import permutations, product
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.mesh import BASE, SHORT, TEST, TIMED, Mesh
from harness.rows import Row, csv_rows

DEVICES = ("softhca0", "softhca1")
NODES = 6


@pytest.fixture
def two(hca: Hca) -> Hca:
    hca.env["SOFTHCA_DEVICES"] = "2"
    return hca


def fabric(hca: Hca, *lines: str, uplink: str = "200M") -> None:
    """Each rail has a leaf of its own."""
    file = hca.folder / "topology"
    file.write_text("\n".join([f"node n[0-{NODES - 1}] leaf0,leaf1 20M",
                               *(f"uplink leaf{i} spine0 {uplink}" for i in range(2)), *lines]) + "\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(file)


def cables(hca: Hca) -> Path:
    """What ibnetdiscover would print."""
    file = hca.folder / "ibnetdiscover"
    file.write_text(hca.run([hca.program("vb-softhca-topology")]).out)
    return file


def verdicts(hca: Hca, *options: object, rails: str = "same", wiring: bool = False) -> dict[str, str]:
    """What the root says, by what it is about."""
    document = hca.folder / "mesh.json"
    root = ["--json", document, *(("--wiring", cables(hca)) if wiring else ())]
    mesh = Mesh(hca, NODES, *TIMED, "--rails", rails, *options)
    for rank in range(NODES):
        mesh.start(rank, *(root if not rank else ()))
    statuses = mesh.statuses()
    found = [entry["verdict"].split(": ", 1) for entry in json.loads(document.read_text())["verdicts"]]
    assert statuses[0] == (3 if found else 0), mesh.agents[0].wait()
    assert len(found) == len({about for about, _ in found})
    return {about: words for about, words in found}


@pytest.mark.parametrize("rails, pairs", [
    ("same", [(name, name) for name in DEVICES]), ("each", [(name, name) for name in DEVICES]),
    ("cross", list(product(DEVICES, DEVICES)))])
def test_pairs(two: Hca, rails: str, pairs: list[tuple[str, str]]) -> None:
    """Each ordered pair of nodes on each pair of rails once, one rail at a time; a resumed run has the same."""
    two.env["SOFTHCA_LINK"] = "bandwidth=20M"
    # without -d all devices; the verdicts of short rows say nothing
    options = ("--rails", rails, *(("-d", ",".join(DEVICES)) if rails == "cross" else ()))
    mesh = Mesh(two, 3, *SHORT, *options).start_all()
    assert mesh.agents[0].wait().status in (0, 3), mesh.agents[0].wait()
    assert all(row["status"] == "ok" for row in mesh.rows)
    nodes = [f"{a}>{b}" for a, b in permutations(("n0", "n1", "n2"), 2)]
    measured = [(row["pair"], row["device"], row["peer_device"]) for row in mesh.rows]
    assert sorted(measured) == sorted((pair, *ends) for pair in nodes for ends in pairs)
    by_round = {int(row["mesh_round"]): (row["device"], row["peer_device"]) for row in mesh.rows}
    assert len(by_round) == len(mesh.rows)
    order = [by_round[number] for number in sorted(by_round)]
    assert order == ([ends for ends in pairs for _ in range(6)] if rails == "each" else pairs * 6)
    again = Mesh(two, 3, *SHORT, *options)
    again.file = mesh.file
    again.start(0, "--resume", mesh.file)
    for rank in (1, 2):
        again.start(rank)
    assert again.agents[0].wait().status in (0, 3) and len(again.rows) == len(measured)
    assert f"{len(measured)} of" in again.agents[0].err


def test_rails_of_a_file(two: Hca) -> None:
    """Each line is one pair on the rails that it names, in a round that may have several."""
    two.env["SOFTHCA_LINK"] = "bandwidth=20M"
    file = two.folder / "schedule"
    file.write_text("0 0:1 1:1\n0 2 0\n1 0:0 1:1\n1 2:1 0:0\n")
    mesh = Mesh(two, 3, *SHORT, "--rails", "same", "--schedule", file).start_all()
    assert mesh.agents[0].wait().status in (0, 3), mesh.agents[0].wait()
    found = [(row["mesh_round"], row["pair"], row["device"][-1], row["peer_device"][-1]) for row in mesh.rows]
    assert sorted(found) == [("0", "n0>n1", "1", "1"), ("0", "n2>n0", "0", "0"), ("1", "n0>n1", "0", "1"),
                             ("1", "n2>n0", "1", "0")]


@pytest.mark.sanitized
def test_resume_on_other_rails(two: Hca) -> None:
    """A schedule file in which a rail has changed since: the rows that are there are of another run."""
    file = two.folder / "schedule"
    file.write_text("0 0:1 1:1\n1 1:0 0:1\n")
    options = (*SHORT, "--rails", "same", "--schedule", file)
    mesh = Mesh(two, 2, *options).start_all()
    assert mesh.statuses() == [0, 0], mesh.agents[0].wait()
    before = mesh.file.read_text()
    file.write_text("0 0:1 1:1\n1 1:0 0:0\n")
    again = Mesh(two, 2, *options, "--resume", mesh.file)
    again.file = mesh.file
    again.start_all()
    ended = again.agents[0].wait()
    assert ended.status == 2 and "n1>n0 on softhca0 and softhca1 in round 1" in ended.err, ended
    assert mesh.file.read_text() == before


def test_report(two: Hca) -> None:
    """A picture for each rail."""
    fabric(two)
    page = two.folder / "mesh.html"
    mesh = Mesh(two, 3, *SHORT, "--rails", "same", "-d", ",".join(DEVICES))
    mesh.start(0, "--html", page, "--wiring", cables(two))
    for rank in (1, 2):
        mesh.start(rank)
    assert mesh.statuses()[0] in (0, 3), mesh.agents[0].wait()
    pictures = re.findall(r"<figcaption>(.*?)</figcaption>", page.read_text(), re.S)
    assert len(pictures) == 2 and all("6 pairs of 3 nodes" in text for text in pictures), pictures
    assert [name for name, text in zip(DEVICES, pictures) if name in text] == list(DEVICES)
    # a node is on the leaves of both, and no line may say that it is on one
    assert ">leaf" not in page.read_text()


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.parametrize("rails", ["same", "all"])
def test_slow_rail(two: Hca, rails: str) -> None:
    """It is named by its device, and nothing else is."""
    fabric(two, "cable n2.1 bandwidth=5M")
    found = verdicts(two, rails=rails)
    assert set(found) == {"n2 softhca1"}, found
    assert found["n2 softhca1"].startswith("NIC or cable: "), found
    assert "the median of all pairs of softhca1 is" in found["n2 softhca1"], found
    assert "with other nodes' softhca0: 0.00" in found["n2 softhca1"], found
    assert "with its own softhca0: 0.00" in found["n2 softhca1"], found


@pytest.mark.alone
@pytest.mark.waits
def test_healthy(two: Hca) -> None:
    fabric(two)
    assert verdicts(two, wiring=True) == {}


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.parametrize("wiring", [True, False])
def test_swapped_rails(two: Hca, wiring: bool) -> None:
    """The leaves show it, or that each of the two is slow over the spine and good with the other rail."""
    fabric(two, "swap n3.0 n3.1", uplink="5M")
    found = verdicts(two, wiring=wiring)
    assert set(found) == {"n3 softhca0", "n3 softhca1"}, found
    assert all(words.startswith("mis-cabled rail: ") for words in found.values()), found
    if wiring:
        assert found["n3 softhca0"].endswith("it is on leaf1, where other nodes have softhca1"), found


# ---- all rails at the same time


def of_pair(rows: list[Row], total: Row) -> list[Row]:
    """Those that a total is of."""
    return [row for row in rows if row["kind"] == "result" and row["mesh_attempt"] == "0"
            and all(row[column] == total[column] for column in ("pair", "cell", "mesh_round"))]


def totals_of(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["kind"] == "total"]


def window(row: Row) -> tuple[float, float]:
    start = row.number("mesh_start_ns")
    return start, start + row.number("window_ns")


@pytest.mark.sanitized
def test_all_rails_at_once(two: Hca) -> None:
    """In a round both rails of two nodes, which have a part of their time in common; their total has the sums."""
    two.env["SOFTHCA_LINK"] = "bandwidth=20M"
    options = (*BASE, "-t", "16,32", "-D", "1", "--connect-timeout", "60", "--rails", "all")
    mesh = Mesh(two, 2, *options)
    mesh.start(0, "--expect", "pairs >= 3 where kind == total")
    mesh.start(1)
    assert mesh.statuses() == [3, 0], mesh.agents[0].wait()
    rows = csv_rows(mesh.file)
    totals = totals_of(rows)
    assert sorted((row["pair"], row["depth"]) for row in totals) == list(product(("n0>n1", "n1>n0"), ("16", "32")))
    assert len(mesh.rows) == 8
    for total in totals:
        rails = of_pair(rows, total)
        assert sorted((row["device"], row["peer_device"]) for row in rails) == [(name, name) for name in DEVICES]
        (from_0, to_0), (from_1, to_1) = map(window, rails)
        assert max(from_0, from_1) < min(to_0, to_1), rails
        assert total["status"] == "ok" and total["pairs"] == "2" and total["device"] == "", total
        assert total["slowest_pair"] in DEVICES and total["fastest_pair"] in DEVICES
        assert total.number("messages") == sum(row.number("messages") for row in rails)
        assert total.number("bandwidth_gbit_s") > max(row.number("bandwidth_gbit_s") for row in rails)
        shared = min(to_0, to_1) - max(from_0, from_1)
        for row, (begin, end) in zip(rails, map(window, rails)):
            assert row.number("mesh_shared_pct") == pytest.approx(100 * shared / (end - begin)), row
    told = " ".join(mesh.agents[0].out.split())
    assert told.count("2 pairs of nodes, all rails together") == 2 and told.count("4 pairs;") == 2, told


def test_all_rails_resumed(two: Hca) -> None:
    """Two nodes of which one rail has no row are measured again as a whole, the others are taken over."""
    two.env["SOFTHCA_LINK"] = "bandwidth=20M"
    options = (*BASE, "-t", "16,32", "-n", "50", "--connect-timeout", "60", "--rails", "all")
    mesh = Mesh(two, 2, *options).start_all()
    assert mesh.agents[0].wait().status in (0, 3), mesh.agents[0].wait()
    before = mesh.file.read_text().splitlines(keepends=True)
    rows = csv_rows(mesh.file)
    lost = next(i for i, row in enumerate(rows)
                if row["kind"] == "result" and (row["pair"], row["device"]) == ("n1>n0", DEVICES[1]))
    mesh.file.write_text("".join(before[:lost + 1] + before[lost + 2:]))
    again = Mesh(two, 2, *options, "--resume", mesh.file)
    again.file = mesh.file
    again.start_all()
    assert again.agents[0].wait().status in (0, 3), again.agents[0].wait()
    after = csv_rows(mesh.file)
    assert sorted((row["pair"], row["device"], row["depth"]) for row in again.rows) == sorted(
        product(("n0>n1", "n1>n0"), DEVICES, ("16", "32")))
    assert len(totals_of(after)) == 4
    of_lost = (rows[lost]["pair"], rows[lost]["cell"])
    kept = [row for row in rows if row["mesh_round"] and (row["pair"], row["cell"]) != of_lost]
    assert len(kept) == 9 and after[:9] == kept
    assert not [row for row in after[9:] if row in rows]
    assert f"9 of {len(rows) - 1} rows are taken over" in again.agents[0].err, again.agents[0].err


@pytest.mark.parametrize("cable", ["down=0s+3600s", "loss=100%"])
def test_all_rails_but_one(two: Hca, cable: str) -> None:
    """Where one rail cannot begin, or fails while it is measured, the other one of the same nodes has its rows."""
    fabric(two, f"cable n1.1 {cable}")
    mesh = Mesh(two, 3, *TIMED, "--retry", "1", "--rails", "all", "-d", ",".join(DEVICES)).start_all()
    assert mesh.statuses() == [1, 0, 0], mesh.agents[0].wait()
    rows = csv_rows(mesh.file)
    assert len(mesh.rows) == 12
    for row in mesh.rows:
        assert (row["status"] == "failed") == ("n1" in row["pair"] and row["device"] == DEVICES[1]), row
    totals = totals_of(rows)
    assert len(totals) == 6
    for total in totals:
        assert len(of_pair(rows, total)) == 2
        if "n1" in total["pair"]:
            assert total["status"] == "skipped" and f"pair {DEVICES[1]} is failed: " in total["reason"], total
    told = " ".join(mesh.agents[0].out.split())
    assert f"n1 {DEVICES[1]}" in told and f"n1 {DEVICES[0]}" not in told, told


@pytest.mark.alone
@pytest.mark.parametrize("lines, said", [
    (("node n2 leaf0,leaf1 20M", "bus n2 21M"), "so inside the node"),
    (("node n2 own 20M", "uplink own spine0 21M"), "so in the network")])
def test_low_together_only(two: Hca, lines: tuple[str, ...], said: str) -> None:
    """What both rails of n2 share has room for one: its bus, or what is behind a switch of its own."""
    file = two.folder / "topology"
    others = (f"node n{i} leaf0,leaf1 20M" for i in range(NODES) if i != 2)
    file.write_text("\n".join([*others, *(f"uplink leaf{i} spine0 200M" for i in range(2)), *lines]) + "\n")
    two.env["SOFTHCA_TOPOLOGY"] = str(file)
    found = verdicts(two, rails="all")
    assert found and set(found) <= {f"n2 {device}" for device in DEVICES}, found
    assert all(words.startswith("congestion, what it ") and said in words for words in found.values()), found


# ---- command lines


@pytest.mark.parametrize("options, word", [
    (("-d", "softhca0,softhca1"), "--rails"),
    (("-d", "softhca0,softhca0", "--rails", "same"), "softhca0 twice"),
    (("-d", "softhca0,,softhca1", "--rails", "same"), '"" is no name'),
    (("--rails", "same", "--peer-device", "softhca0"), "--peer-device"),
    (("--rails", "both"), "same"),
    (("--rails", "all", "--schedule", "incast:1"), "--rails all excludes --schedule incast:1"),
])
def test_refused(two: Hca, options: tuple[str, ...], word: str) -> None:
    ended = Mesh(two, 2, *SHORT, *options).start(0).wait()
    assert ended.status == 2 and word in ended.err, ended


@pytest.mark.parametrize("options, allowed", [(("--rails", "same"), "0..1"), ((), "0 without --rails")])
def test_rail_that_is_not_there(two: Hca, options: tuple[str, ...], allowed: str) -> None:
    file = two.folder / "schedule"
    file.write_text("0 0:2 1:1\n")
    ended = Mesh(two, 2, *SHORT, *options, "--schedule", file).start(0).wait()
    assert ended.status == 2 and f'has the rail "2"; allowed: {allowed}' in ended.err, ended


def test_other_rails(two: Hca) -> None:
    """Agents with other rails are refused."""
    mesh = Mesh(two, 2, *TEST, "--rails", "same")
    root = mesh.start(0, "--connect-timeout", 5)
    refused = mesh.start(1, "-d", "softhca1", "--connect-timeout", 60).wait()
    assert refused.status == 1 and "its options or its schedule differ from those of rank 0" in refused.err, refused
    assert root.wait().status == 1 and "rank 1" in root.err, root.wait()


def test_dry_run(two: Hca) -> None:
    ended = two.run([two.program("verbench"), "mesh", "--ranks", "0/4", "--dry-run", "--rails", "cross", "-d", "a,b,c",
                     "--test", "write_bw"])
    assert ended.status == 0 and "54 rounds, 108 pairs" in ended.out, ended


def test_dry_run_of_all(two: Hca) -> None:
    """As long as one rail takes, with the results of all."""
    of = [two.program("verbench"), "mesh", "--ranks", "0/4", "--dry-run", "--test", "write_bw"]
    one = two.run([*of])
    three = two.run([*of, "--rails", "all", "-d", "a,b,c"])
    assert one.status == three.status == 0 and "6 rounds, 12 pairs, 12 results, " in one.out, one
    assert three.out == one.out.replace("12 pairs, 12 results", "36 pairs, 36 results"), three
