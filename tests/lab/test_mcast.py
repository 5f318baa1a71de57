# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Node 2 sends to a multicast group with two receivers on node 1 and perhaps one on its own node, each joined by
rdma_cm (IGMP), or by ibv_attach_mcast alone, which no other host hears of."""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import pytest

from harness.lab import Lab, Node, Remote
from harness.programs import Ended
from harness.rows import csv_rows

pytestmark = [pytest.mark.full, pytest.mark.lab]

GROUP = "239.1.2.3"


@dataclass
class Receiver:
    program: Remote
    host: str  # with the port
    file: Path


def receivers(lab: Lab, own: int) -> list[Receiver]:
    """Two on node 1, and some on the node of the sender."""
    found = []
    for node in [lab.nodes[0]] * 2 + [lab.nodes[1]] * own:
        port, file = lab.port(), lab.file("csv")
        server = node.serve(port, f"vb_send_bw --csv {file}")
        found.append(Receiver(server, f"{node.address}:{port}", file))
    return found


def send(lab: Lab, to: list[Receiver], group: str, options: str, file: Path) -> Ended:
    """Sends messages that fit the receives that are posted."""
    hosts = " ".join(one.host for one in to)
    return lab.nodes[1].run(f"vb_send_bw -c UD --mcast {group} -n 1000 -r 2048 -s 1000 {options} "
                            f"--csv {file} {hosts}")


def check_delivered(lab: Lab, own: int, options: str, expected: str) -> None:
    """All receivers get all messages."""
    to, file = receivers(lab, own), lab.file("csv")
    sender = send(lab, to, GROUP, options, file)
    ends = [one.program.wait() for one in to]
    assert [sender.status, *(ended.status for ended in ends)] == [0] * (1 + len(to)), sender
    whole = "status=ok sent_messages=1000 received_messages=1000 lost=0 "
    rows = csv_rows(file)
    assert len(rows) == len(to)
    for row in rows:
        assert row.wrong(f"{whole} mcast={GROUP} {expected}") == []
    for one in to:
        row, = csv_rows(one.file)
        assert row.wrong("status=ok received_messages=1000 lost=0") == []


@pytest.mark.parametrize("own, options, expected", [
    (0, "--mcast-join cm", "duplicated="),
    (1, "--mcast-join cm --imm --verify", "duplicated=0"),
    # joined by what both nodes have
    (0, "--imm -e", "duplicated=0"),
])
def test_delivered(lab: Lab, own: int, options: str, expected: str) -> None:
    check_delivered(lab, own, options, expected)


@pytest.fixture
def joined_host(lab: Lab, node1: Node) -> Iterator[None]:
    """The administrator joins the IP group."""
    node1.must(f"ip addr add {GROUP}/32 dev eth0 autojoin")
    yield
    node1.must(f"ip addr del {GROUP}/32 dev eth0")


def test_verbs_are_enough_when_the_host_has_joined(lab: Lab, joined_host: None) -> None:
    check_delivered(lab, 0, "--mcast-join verbs", "duplicated=")


@pytest.mark.parametrize("group, options, message", [
    (GROUP, "--mcast-join verbs --stall-timeout 10", f"got no message of the group {GROUP}"),
    ("ff0e::1:2:3", "--mcast-join cm -x 0", "joining the multicast group"),
])
def test_not_joined(lab: Lab, group: str, options: str, message: str) -> None:
    """Verbs alone reach no other host, and an IPv6 group has no rdma_cm."""
    to = receivers(lab, 0)
    sender = send(lab, to, group, options, lab.file("csv"))
    assert sender.status == 1 and message in sender.err, sender
    assert [one.program.wait().status for one in to] == [1, 1]
