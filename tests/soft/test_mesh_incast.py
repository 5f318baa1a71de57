# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh --schedule incast:N: what a receiver gets of its senders together, and what a pair
beside them loses."""

import json
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.mesh import BASE, LONG, TEST, Mesh, rows_of_rounds
from harness.rows import Row, csv_rows

# the window of all rows is the same; what is in flight does not fit into a buffer
SAME = (*BASE, "-t", "32", "-D", "500ms", "--connect-timeout", "60")


@pytest.fixture
def slow(hca: Hca) -> Hca:
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    return hca


def of_kind(file: Path, kind: str) -> list[Row]:
    return [row for row in csv_rows(file) if row["kind"] == kind]


def test_totals(slow: Hca) -> None:
    """A row for each receiver has the sum of its senders, and how fair their shares are."""
    document = slow.folder / "mesh.json"
    mesh = Mesh(slow, 5, "--schedule", "incast:2", "--json", document, *LONG).start_all()
    assert mesh.statuses() == [0] * 5, mesh.agents[0].wait()
    totals = of_kind(mesh.file, "total")
    assert sorted(row["pair"] for row in totals) == [f"total>n{i}" for i in range(5)]
    for total in totals:
        rows = [row for row in mesh.rows if row["pair"].split(">")[1] == total["pair"].split(">")[1]]
        assert len(rows) == 2 and {row["mesh_round"] for row in rows} == {total["mesh_round"]}
        assert total["status"] == "skipped" or total.wrong(
            "status=ok pairs=2 messages=800 pair_fairness>=0.5 pair_fairness<=1 bandwidth_gbit_s>=0") == []
        assert total["status"] == "skipped" or total["slowest_pair"] in {row["pair"] for row in rows}
    found = [row for row in json.loads(document.read_text())["rows"] if row["kind"] == "total"]
    assert [row["pair"] for row in found] == [row["pair"] for row in totals]
    page = slow.run([slow.program("verbench"), "report", mesh.file, "--html", "-"]).out
    assert page.count("<figure class='pairs'") == 1 and "10 pairs of 5 nodes" in page
    told = " ".join(mesh.agents[0].out.split())
    assert "2 to one" in told and told.count("Jain's index") >= 1


def test_one_sender(slow: Hca) -> None:
    mesh = Mesh(slow, 2, "--schedule", "incast:1", *LONG).start_all()
    assert mesh.statuses() == [0, 0]
    assert [row["pair_fairness"] for row in of_kind(mesh.file, "total")] == ["", ""]


def leaf(node: str) -> int:
    return int(node[1:]) // 3


def crosses(row: Row, rows: list[Row]) -> bool:
    """Does the victim share the cable into the leaf of the receiver with a sender?"""
    source, target = row["pair"].split(">")
    return any(leaf(source) != leaf(target) == leaf(other["pair"].split(">")[1]) != leaf(other["pair"].split(">")[0])
               for other in rows if other["mesh_round"] == row["mesh_round"])


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.parametrize("full, spreads", [("pause", True), ("drop", False)])
def test_victim(hca: Hca, full: str, spreads: bool) -> None:
    """Where full buffers hold back what comes, a pair loses that has nothing to do with the receiver; where they drop
    it, that pair has all of its link. The counters say what it was."""
    topology = hca.folder / "topology"
    cables = "".join(f"cable n{i} buffer=64k full={full}\n" for i in range(6))
    uplinks = "".join(f"uplink leaf{i} spine0 200M buffer=64k full={full}\n" for i in range(2))
    topology.write_text(f"node n[0-2] leaf0 20M\nnode n[3-5] leaf1 20M\n{uplinks}{cables}")
    hca.env["SOFTHCA_TOPOLOGY"] = str(topology)
    mesh = Mesh(hca, 6, "--schedule", "incast:3", "--victim", *SAME).start_all()
    assert mesh.statuses()[1:] == [0] * 5, mesh.agents[0].wait()
    victims = of_kind(mesh.file, "victim")
    beside = [row for row in victims if row["mesh_attempt"] == "0"]
    alone = {row["mesh_round"]: row for row in victims if row["mesh_attempt"] == "1"}
    assert len(beside) == len(alone) == 6 and all(alone[row["mesh_round"]]["pair"] == row["pair"] for row in beside)
    concerned = [row for row in beside if crosses(row, mesh.rows)]
    assert concerned
    sums = [sum(row.number("bandwidth_gbit_s") for row in rows)
            for rows in (concerned, [alone[row["mesh_round"]] for row in concerned])]
    # without pauses only the load of this machine makes it slow
    assert not spreads or sums[0] < 0.8 * sums[1], sums
    assert all("port_xmit_wait" in row["device_counters"] for row in concerned) == spreads
    totals = of_kind(mesh.file, "total")
    assert any("port_xmit_wait" in row["device_counters"] for row in totals) == spreads
    assert any("port_rcv_errors" in row["peer_device_counters"] for row in totals) != spreads
    assert ("pause" in mesh.agents[0].out) == spreads and mesh.agents[0].out.count("victim n") == 6


def test_victim_to_a_sender(slow: Hca) -> None:
    """If only one node is left; and a run that was whole is taken over whole."""
    options = ("--schedule", "incast:1", "--victim", *LONG)
    mesh = Mesh(slow, 3, *options).start_all()
    assert mesh.statuses() == [0] * 3, mesh.agents[0].wait()
    assert len(mesh.rows) == 3 and len(of_kind(mesh.file, "victim")) == 6
    for row in of_kind(mesh.file, "victim"):
        pair = next(one["pair"] for one in mesh.rows if one["mesh_round"] == row["mesh_round"])
        assert row["pair"] == f"{({'n0', 'n1', 'n2'} - set(pair.split('>'))).pop()}>{pair.split('>')[0]}"
    again = Mesh(slow, 3, *options, "--resume", mesh.file)
    again.file = slow.folder / "again.csv"
    again.start_all()
    assert again.statuses() == [0] * 3, again.agents[0].wait()
    in_rounds = rows_of_rounds(mesh.file)
    assert rows_of_rounds(again.file) == in_rounds


def test_each_round_has_a_victim(slow: Hca) -> None:
    """Also where groups of the size of the incast would leave no node."""
    mesh = Mesh(slow, 4, "--schedule", "incast:1", "--victim", *LONG).start_all()
    assert mesh.statuses() == [0] * 4, mesh.agents[0].wait()
    assert sorted(row["pair"].split(">")[1] for row in mesh.rows) == [f"n{i}" for i in range(4)]
    victims = of_kind(mesh.file, "victim")
    assert {(row["mesh_round"], row["mesh_attempt"]) for row in victims} == {
        (row["mesh_round"], attempt) for row in mesh.rows for attempt in "01"} and len(victims) == 8


@pytest.mark.parametrize("options, words", [
    (("--ranks", "0/4"), ("--schedule is all", "incast:N")),
    (("--ranks", "0/4", "--schedule", "incast:3"), ("incast:3", "1..2")),
    (("--ranks", "0/4", "--schedule", "incast:4"), ("1..3",)),
])
def test_refused(hca: Hca, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    ended = hca.run([hca.program("verbench"), "mesh", "--join", "localhost", "--victim", *TEST, *options])
    assert ended.status == 2 and all(word in ended.err for word in words), ended
