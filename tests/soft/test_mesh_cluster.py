# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A whole cluster on the emulated HCA, with one fault of each kind: all are named, and nothing else; healthy it has no
verdict. It takes minutes, and runs only if the environment says how many nodes: NODES=64, or NODES=16 for fewer.
"""

import json
import os
from signal import SIGKILL
from typing import Optional

import pytest

from harness.emulated import Hca
from harness.mesh import Mesh
from harness.serving import lines

NODES = int(os.environ.get("NODES", 64))
pytestmark = [pytest.mark.alone, pytest.mark.skipif("NODES" not in os.environ, reason="NODES is not set")]
LEAVES = 4
PER_LEAF = NODES // LEAVES
# 64 agents share the processors of the machine: all pairs of them take an hour
SCHEDULE = "all" if NODES <= 16 else "sample:12"
KILLED, SLOW, FULL_LEAF, LOSSY = 2, PER_LEAF + 1, 2, 3 * PER_LEAF + 1


def measured(hca: Hca, kill_after: Optional[int], *cables: str, rails: int = 1) -> dict[str, str]:
    """The verdicts, by what they are about. After so many rounds a node is killed. Each rail has a leaf of its own."""
    own, printed, document = (hca.folder / name for name in ("topology", "ibnetdiscover", "mesh.json"))
    per_group, hca.env["SOFTHCA_DEVICES"] = rails * PER_LEAF, str(rails)
    nodes = [f"node n[{per_group * i}-{per_group * (i + 1) - 1}] "
             f"{','.join(f'leaf{rails * i + rail}' for rail in range(rails))} 20M" for i in range(LEAVES // rails)]
    uplinks = [f"uplink leaf{i} spine0 {20 * NODES}M" for i in range(LEAVES)
               if f"uplink leaf{i}" not in "".join(cables)]
    own.write_text("\n".join([*nodes, *uplinks, *cables]) + "\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(own)
    printed.write_text(hca.run([hca.program("vb-softhca-topology")]).out)
    mesh = Mesh(hca, NODES, "--test", "write_bw", "-s", "4k", "-t", 64, "-D", "0.2", "--warm-up", 0,
                "--schedule", SCHEDULE, "--connect-timeout", 120, "--stall-timeout", 60,
                *(("--rails", "same") if rails > 1 else ()))
    for rank in range(NODES):
        mesh.start(rank, *(("--json", document, "--wiring", printed) if not rank else ()))
    if kill_after is not None:
        mesh.agents[0].until(lambda: lines(mesh.file) > kill_after * NODES // 2, "the round")
        mesh.agents[KILLED].signal(SIGKILL)
    mesh.agents[0].wait(3000)
    found = [entry["verdict"].split(": ", 1) for entry in json.loads(document.read_text())["verdicts"]]
    assert len(found) == len({about for about, _ in found}), found
    return {about: words for about, words in found}


def test_faults(hca: Hca) -> None:
    found = measured(hca, 20, f"cable n{SLOW} bandwidth=10M", f"cable n{LOSSY} loss=3%",
                     f"uplink leaf{FULL_LEAF} spine0 20M")
    assert set(found) == {f"n{KILLED}", f"n{SLOW}", f"n{LOSSY}", f"leaf{FULL_LEAF}"}, found
    assert found[f"n{KILLED}"] == "unreachable" and found[f"leaf{FULL_LEAF}"].startswith("congestion"), found
    assert all(found[f"n{node}"].startswith("NIC or cable") for node in (SLOW, LOSSY)), found
    assert "its port counted" in found[f"n{LOSSY}"], found


def test_healthy(hca: Hca) -> None:
    assert measured(hca, None) == {}


def test_swapped_rail(hca: Hca) -> None:
    """Its uplinks have room for all, so no figure shows it: the cables do."""
    found = measured(hca, None, f"swap n{SLOW}.0 n{SLOW}.1", rails=2)
    assert set(found) == {f"n{SLOW} softhca{rail}" for rail in range(2)}, found
    assert all(words.startswith("mis-cabled rail: ") for words in found.values()), found
