# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Nodes and topologies of the emulated HCA: who shares what, and what a port can receive. In C: exact times."""

import re
from collections import defaultdict

import pytest

from harness.emulated import Hca
from harness.in_c import run_in_c
from harness.installed import need
from harness.link import Record

BYTES = 8192


@pytest.mark.sanitized
@pytest.mark.parametrize("program", ["soft_buffer", "soft_node", "soft_topology"])
def test_in_c(hca: Hca, program: str) -> None:
    run_in_c(hca, program)


def identity(hca: Hca, node: str) -> set[str]:
    shown = hca.run(["ibv_devinfo", "-v"], env={"SOFTHCA_NODE": node, "SOFTHCA_PROFILE": "connectx-ib"})
    assert shown.status == 0, shown
    return set(re.findall(r"(?:guid|port_lid|GID\[ *\d+\]):\s+(\S+)", shown.out))


def test_processes_of_a_node_have_one_identity(hca: Hca) -> None:
    need("ibv_devinfo")
    first, again, other, none = (identity(hca, node) for node in ("n1", "n1", "n2", ""))
    assert first == again
    assert len(first) == len(other) == len(none) >= 3
    assert not first & other and not first & none and not other & none


@pytest.mark.parametrize("env, status", [
    ({"SOFTHCA_NODE": "n1", "SOFTHCA_LINK": "bandwidth=1G,loss=1%"}, 0),
    ({"SOFTHCA_NODE": "n1", "SOFTHCA_LINK": "bandwidth=2G"}, 1),
    ({"SOFTHCA_NODE": "n1", "SOFTHCA_LINK": "bandwidth=1G", "SOFTHCA_PROFILE": "rxe"}, 1),
    ({"SOFTHCA_NODE": "rack0-n1", "SOFTHCA_LINK": "bandwidth=1G"}, 1),
    ({"SOFTHCA_NODE": "n2", "SOFTHCA_LINK": "bandwidth=2G"}, 0),
])
def test_processes_of_a_node_have_one_link(hca: Hca, env: dict[str, str], status: int) -> None:
    need("ibv_asyncwatch")
    need("ibv_devinfo")
    watch = hca.start(["stdbuf", "-oL", "ibv_asyncwatch"], env={"SOFTHCA_NODE": "n1", "SOFTHCA_LINK": "bandwidth=1G"})
    watch.until_says("async event")
    assert hca.run(["ibv_devinfo"], env=env).status == status
    watch.stop()
    assert hca.run(["ibv_devinfo"], env=env).status == 0, "the node has no process now"


@pytest.mark.parametrize("test, out, into", [("write_bw", "sent", "arrived"), ("read_bw", "response", "completed")])
def test_three_clients_share_what_a_node_receives_or_sends(hca: Hca, test: str, out: str, into: str) -> None:
    """Each client is a node, and the three servers are one. No two messages need its port at a time."""
    file = hca.folder / "record"
    hca.env |= {"SOFTHCA_LINK": "bandwidth=100M", "SOFTHCA_RECORD": str(file)}
    ports = [hca.port() for _ in range(3)]
    command = [hca.program("verbench"), test, "-s", BYTES, "-n", 40, "--warm-up", 0, "-p"]
    servers = [hca.start([*command, port], env={"SOFTHCA_NODE": "n0"}) for port in ports]
    for server, port in zip(servers, ports):
        server.until_listens(port)
    clients = [hca.start([*command, port, "localhost"], env={"SOFTHCA_NODE": f"n{i}"})
               for i, port in enumerate(ports, 1)]
    for program in [*clients, *servers]:
        assert program.wait().status == 0
    events = Record(file).events
    sent = {(e.qpn, e.number): e for e in events if e.event == out and e.bytes == BYTES}
    # at the port of the servers: writes arrive, the data of reads leave
    ends = sorted(e.due_ns if test == "write_bw" else sent[e.qpn, e.number].left_ns
                  for e in events if e.event == into and (e.qpn, e.number) in sent)
    assert len(ends) == 3 * 40
    need_ns = BYTES * 80
    assert min(b - a for a, b in zip(ends, ends[1:])) >= need_ns - 1
    by_qp = defaultdict(list)
    for e in events:
        if e.event == into:
            by_qp[e.qpn].append((e.number, e.due_ns))
    assert all(sorted(of) == sorted(of, key=lambda pair: pair[1]) for of in by_qp.values())


@pytest.mark.parametrize("options", [[], ["--cm"]])
def test_clients_of_one_leaf_share_its_uplink(hca: Hca, options: list[str]) -> None:
    """Two nodes send to two other ones by way of the only spine. No two messages need its cable at a time."""
    record, topology = hca.folder / "record", hca.folder / "topology"
    topology.write_text("node n[0-1] leaf0 200M\nnode n[2-3] leaf1 200M\nuplink leaf0 spine0 100M\n"
                        "uplink leaf1 spine0 0\n")
    hca.env |= {"SOFTHCA_TOPOLOGY": str(topology), "SOFTHCA_RECORD": str(record)}
    command = [hca.program("verbench"), "write_bw", "-s", BYTES, "-n", 40, "--warm-up", 0, "-p"]
    ports = [hca.port() for _ in range(2)]
    servers = [hca.start([*command, port], env={"SOFTHCA_NODE": f"n{i}"}) for i, port in enumerate(ports, 2)]
    for server, port in zip(servers, ports):
        server.until_listens(port)
    clients = [hca.start([*command, port, *options, "localhost"], env={"SOFTHCA_NODE": f"n{i}"})
               for i, port in enumerate(ports)]
    for program in [*clients, *servers]:
        assert program.wait().status == 0
    events = Record(record).events
    sent = {(e.qpn, e.number) for e in events if e.event == "sent" and e.bytes == BYTES}
    ends = sorted(e.due_ns for e in events if e.event == "arrived" and (e.qpn, e.number) in sent)
    assert len(ends) == 2 * 40
    # each cable behind the uplink is faster, so what leaves it arrives in its distance
    assert min(b - a for a, b in zip(ends, ends[1:])) >= BYTES * 80 - 1


@pytest.mark.parametrize("node, lines", [
    ("", "node n1 leaf0 1G"),
    ("n2", "node n1 leaf0 1G"),
    ("m1", "node n1 leaf0 1G"),
    ("n1", "node n1 leaf0 2G"),
])
def test_a_process_is_on_a_node_of_the_topology_of_all(hca: Hca, node: str, lines: str) -> None:
    need("ibv_asyncwatch")
    need("ibv_devinfo")
    first, second = (hca.folder / name for name in ("first", "second"))
    first.write_text("node n1 leaf0 1G")
    second.write_text(lines)
    watch = hca.start(["stdbuf", "-oL", "ibv_asyncwatch"], env={"SOFTHCA_NODE": "n1", "SOFTHCA_TOPOLOGY": first})
    watch.until_says("async event")
    for file, status in ((second, False), (first, node == "n1")):
        shown = hca.run(["ibv_devinfo"], env={"SOFTHCA_NODE": node, "SOFTHCA_TOPOLOGY": file})
        assert ("softhca0" in shown.out and shown.status == 0) == status, shown
