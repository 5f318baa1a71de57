# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""'verbench check' on Soft-RoCE. Everything works; a firewall lets nothing of RDMA through; one machine alone, well and
with its port down."""

import json
import re

import pytest

from harness.causes import has_commands
from harness.lab import NO_LIMIT, Lab, Node
from harness.programs import Ended

pytestmark = [pytest.mark.full, pytest.mark.lab]


def check_of_two(lab: Lab, node1: Node, node2: Node, *options: object) -> tuple[Ended, dict, Ended]:
    """Checks the first node from the second: the result and the document of the client, and the server."""
    port, file = lab.port(), lab.file("json")
    server = node1.serve(port)
    client = node2.run(["verbench", "check", "-p", port, "--json", file, *options, node1.address])
    return client, json.loads(file.read_text()), server.stop()


def causes_of_not_offered(document: dict) -> set[tuple[str, str]]:
    return {(row["transport"], row["cause"]) for row in document["rows"] if row["status"] == "not_offered"}


def test_all_that_is_offered_works(lab: Lab, node1: Node, node2: Node) -> None:
    client, document, server = check_of_two(lab, node1, node2, "--connect-timeout", 60, "--stall-timeout", 60,
                                            *NO_LIMIT)
    assert [row for row in document["rows"] if row["status"] == "failed"] == []
    assert (client.status, server.status) == (0, 0), client
    assert re.search(": check$", server.out, re.MULTILINE), server
    assert (document["status"], document["error"]) == ("ok", None)
    # RC: 5 opcodes in 2 sizes and 2 atomics; UC: 4 opcodes, UD: 2, in 2 sizes; all by 2 completions, of both sides. And
    # a connection by rdma_cm each way. Annex A19 (atomic_write, write_flush) is not in the kernel of the lab.
    counts = document["counts"]
    assert (counts["ok"], counts["failed"], counts["not_tried"]) == (4 * (5 * 2 + 2 + 4 * 2 + 2 * 2) + 2, 0, 0)
    assert causes_of_not_offered(document) == {("DC", "device"), ("RC", "device"), ("XRC", "device")}
    assert document["run"]["server"]["limits"]["device"] == "rxe0"
    assert document["run"]["client"]["machine"]["cm_access"] is not None
    assert re.search("^ *RC .*ok", client.out, re.MULTILINE), client


@pytest.fixture
def firewall(node1: Node) -> None:
    """What is for UDP port 4791 of the first node is dropped, by a rule before that of its own addresses: no module is
    needed."""
    for command in ("ip rule add pref 10 lookup local", "ip rule del pref 0",
                    # the number of UDP, as a minimal system has no /etc/protocols
                    "ip rule add pref 5 ipproto 17 dport 4791 blackhole"):
        node1.must(command)
    yield
    for command in ("ip rule del pref 5", "ip rule add pref 0 lookup local", "ip rule del pref 10"):
        node1.must(command)


def test_a_firewall(lab: Lab, node1: Node, node2: Node, firewall: None) -> None:
    client, document, server = check_of_two(lab, node1, node2)
    assert (client.status, server.status) == (1, 0), client
    assert document["status"] == "failed"
    assert document["counts"]["failed"] > 0 and document["counts"]["ok"] == 0
    assert {cause for _, cause in causes_of_not_offered(document)} == {"device"}
    assert has_commands("NO_ACK", client.out), client


def check_alone(lab: Lab, node: Node) -> tuple[Ended, dict]:
    file = lab.file("json")
    ended = node.run(f"verbench check --json {file}")
    return ended, json.loads(file.read_text())


def test_a_machine_alone(lab: Lab) -> None:
    for node in lab.nodes:
        ended, document = check_alone(lab, node)
        assert ended.status == 0, ended
        assert (document["status"], document["problems"]) == ("ok", [])
        device, = document["run"]["devices"]
        assert device["transports"] == {"RC": True, "UC": True, "UD": True, "XRC": False, "DC": False}
        assert "software" in [warning["code"] for warning in document["warnings"]]


def test_a_machine_whose_port_is_down(lab: Lab) -> None:
    for node in lab.nodes:
        with node.changed_network("ip link set eth0 down"):
            ended, document = check_alone(lab, node)
        assert ended.status == 1 and document["status"] == "failed", ended
        problem, = document["problems"]
        assert problem["code"] == "no_active_port"
        assert "ip link set NETDEV up" in problem["remedy"]
