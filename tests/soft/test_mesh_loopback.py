# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh measures a node that is low with itself: is the fault inside it, or on its cable?"""

import json

import pytest

from harness.emulated import Hca
from harness.mesh import TIMED, Mesh

NODES = 8


@pytest.mark.alone
@pytest.mark.parametrize("port, uplink, said", [("20M", "200M loss=20%", "so not the node"),
                                                ("5M", "200M", "so not the cable")])
def test_node_or_cable(hca: Hca, port: str, uplink: str, said: str) -> None:
    """n2 has a switch of its own, so that what is behind its port may be bad, and the port good."""
    file, document = hca.folder / "topology", hca.folder / "mesh.json"
    others = "\n".join(f"node n{i} leaf0 20M" for i in range(NODES) if i != 2)
    file.write_text(f"{others}\nnode n2 leaf1 {port}\nuplink leaf0 leaf1 {uplink}\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(file)
    mesh = Mesh(hca, NODES, *TIMED)
    for rank in range(NODES):
        mesh.start(rank, *(("--json", document) if not rank else ()))
    assert mesh.statuses() == [3, *[0] * (NODES - 1)], mesh.agents[0].wait()
    words, = (entry["verdict"] for entry in json.loads(document.read_text())["verdicts"])
    assert words.startswith("n2: NIC or cable: ") and said in words, words
    itself = [row["pair"] for row in mesh.again if row["status"] == "ok" and len(set(row["pair"].split(">"))) == 1]
    assert "n2>n2" in itself and set(itself) - {"n2>n2"} == {"n3>n3"}, itself
