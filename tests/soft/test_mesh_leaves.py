# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh --wiring: nodes of several leaves, and what is wrong with a leaf."""

import json

import pytest

from harness.emulated import Hca
from harness.mesh import SHORT, TIMED, Mesh

LEAVES = 4
NODES = 16


class Cluster:
    """Nodes 0 to 15, four on each leaf; mesh has what ibnetdiscover would print."""

    def __init__(self, hca: Hca, *lines: str):
        own = hca.folder / "topology"
        per_leaf = NODES // LEAVES
        nodes = [f"node n[{per_leaf * i}-{per_leaf * i + per_leaf - 1}] leaf{i} 20M" for i in range(LEAVES)]
        named = {line.split()[1] for line in lines if line.startswith("uplink")}
        uplinks = [f"uplink leaf{i} spine0 200M" for i in range(LEAVES) if f"leaf{i}" not in named]
        own.write_text("\n".join([*nodes, *uplinks, *lines]) + "\n")
        hca.env["SOFTHCA_TOPOLOGY"] = str(own)
        self.hca = hca
        self.file = hca.folder / "ibnetdiscover"
        self.page = hca.folder / "mesh.html"
        printed = hca.run([hca.program("vb-softhca-topology")])
        assert printed.status == 0, printed
        self.file.write_text(printed.out)

    def verdicts(self, *options: object) -> dict[str, str]:
        """What the root says, by what it is about."""
        document = self.hca.folder / "mesh.json"
        mesh = Mesh(self.hca, NODES, *TIMED, *options)
        for rank in range(NODES):
            mesh.start(rank, *(("--json", document, "--html", self.page, "--wiring", self.file) if not rank else ()))
        statuses = mesh.statuses()
        found = [entry["verdict"].split(": ", 1) for entry in json.loads(document.read_text())["verdicts"]]
        assert statuses == [3 if found else 0, *[0] * (NODES - 1)], mesh.agents[0].wait()
        assert len(found) == len({about for about, _ in found})
        return {about: words for about, words in found}


@pytest.mark.alone
def test_full_uplink(hca: Hca) -> None:
    """One pair has room in it, four have not. Half of the pairs between leaves pass it."""
    cluster = Cluster(hca, "uplink leaf2 spine0 20M")
    verdicts = cluster.verdicts()
    assert set(verdicts) == {"leaf2"}, verdicts
    assert verdicts["leaf2"].startswith("congestion, what it "), verdicts
    page = cluster.page.read_text()
    assert page.count("<path class='leaf'") == LEAVES - 1 and page.count(">leaf2</text>") == 2


@pytest.mark.alone
def test_slow_uplink(hca: Hca) -> None:
    """One pair has no room in it either."""
    verdicts = Cluster(hca, "uplink leaf2 spine0 10M").verdicts()
    assert set(verdicts) == {"leaf2"}, verdicts
    assert verdicts["leaf2"].startswith("leaf: what it "), verdicts


# ---- files


@pytest.mark.parametrize("text, said", [
    ("node n1 leaf0\n", ':1: "node n1 leaf0": expected what ibnetdiscover prints'), ("", "no switch with devices")])
def test_wrong_file(hca: Hca, text: str, said: str) -> None:
    """Rank 0 refuses it before anything starts."""
    file = hca.folder / "wrong"
    file.write_text(text)
    ended = Mesh(hca, 2, *SHORT, "--wiring", file).start(0).wait()
    assert ended.status == 2 and f"{file}" in ended.err and said in ended.err, ended


def test_unknown_node(hca: Hca) -> None:
    """It is named, and measured as all others."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    file = hca.folder / "cables"
    file.write_text('Switch\t2 "S-0000000000000001"\t\t# "leaf"\n'
                    'Ca\t1 "H-0000000000000002"\t\t# "n0 softhca0"\n'
                    '[1]\t"S-0000000000000001"[1]\t\t# lid 1 lmc 0 "leaf" lid 2 4xHDR\n')
    mesh = Mesh(hca, 2, *SHORT)
    mesh.start(0, "--wiring", file)
    mesh.start(1)
    assert mesh.statuses() == [0, 0] and len(mesh.rows) == 2
    assert f"n1: {file} does not say" in mesh.agents[0].err and "n0: " not in mesh.agents[0].err
