# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh where switches choose among ways of equal cost, one of which is bad: it is named by its flow labels."""

import json
import re

import pytest

from harness.emulated import Hca
from harness.mesh import TIMED, Mesh
from harness.rows import Row

WAYS = 4


def verdicts(hca: Hca, nodes: int, leaves: int, *options: object, wiring: bool = False,
             bad: str = "bandwidth=5M") -> tuple[dict[str, str], list[Row]]:
    """What the root says, by what it is about, and what was measured again. One uplink of leaf0 is bad."""
    own, printed, document = (hca.folder / name for name in ("topology", "ibnetdiscover", "mesh.json"))
    per_leaf = nodes // leaves
    own.write_text("\n".join([
        *(f"node n[{per_leaf * i}-{per_leaf * (i + 1) - 1}] leaf{i} 20M" for i in range(leaves)),
        *(f"uplink leaf{i} spine{way} 200M {bad if not i and way == 2 else ''}"
          for i in range(leaves) for way in range(WAYS))]) + "\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(own)
    printed.write_text(hca.run([hca.program("vb-softhca-topology")]).out)
    mesh = Mesh(hca, nodes, *TIMED, *options)
    for rank in range(nodes):
        mesh.start(rank, *(("--json", document, *(("--wiring", printed) if wiring else ())) if not rank else ()))
    statuses = mesh.statuses()
    found = [entry["verdict"].split(": ", 1) for entry in json.loads(document.read_text())["verdicts"]]
    assert statuses == [3 if found else 0, *[0] * (nodes - 1)], mesh.agents[0].wait()
    assert len(found) == len({about for about, _ in found}), found
    return {about: words for about, words in found}, mesh.again


def labels_of(words: str) -> tuple[set[str], set[str]]:
    """With which the pair is low, and good."""
    low, good = re.findall(r"with flow labels? ([\d,]*\d)", words)
    return set(low.split(",")), set(good.split(","))


def check(found: dict[str, str], again: list[Row]) -> None:
    """Each verdict on a pair names labels with which it was measured, alone."""
    for about, words in found.items():
        if ">" not in about:
            continue
        low, good = labels_of(words)
        assert low and good and not low & good and low | good <= {str(i) for i in range(1, 9)}, words
        measured = {row["flow_label"] for row in again if row["pair"] == about and row["flow_label"]}
        assert low | good <= measured, (words, measured)


@pytest.mark.alone
@pytest.mark.parametrize("bad", ["bandwidth=5M", "loss=20%"])
def test_bad_way(hca: Hca, bad: str) -> None:
    """Only pairs that may take it are named, and all as paths."""
    found, again = verdicts(hca, 8, 2, bad=bad)
    assert found and all(words.startswith("path: ") for words in found.values()), found
    assert all((int(a) < 4) != (int(b) < 4) for a, b in (re.findall(r"\d+", about) for about in found)), found
    check(found, again)


@pytest.mark.alone
def test_bad_way_of_a_leaf(hca: Hca) -> None:
    """Where leaves are known, the one whose uplink it is."""
    found, again = verdicts(hca, 9, 3, wiring=True)
    assert all(words.startswith("path: ") for words in found.values()), found
    assert "leaf0" in found and len(found) == 3, found
    check(found, again)


@pytest.mark.alone
def test_node_whose_ways_are_bad(hca: Hca) -> None:
    """All that n0 sends to the other leaf takes the bad uplink by this label, and its own port is good."""
    found, again = verdicts(hca, 8, 2, "--flow-label", 2507)
    assert any(about.startswith("n0>") for about in found), found
    assert all(words.startswith("path: ") for words in found.values()), found
    check(found, again)
