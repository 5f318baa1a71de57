# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The effect of the options, sizes and MTUs, which side starts first, interrupts."""

import re
from signal import SIGINT
from typing import Iterator

import pytest

from harness.lab import ENDLESS, NO_LIMIT, Lab, Node, Running, check, check_rows

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.mark.parametrize("test, options, expected", [
    ("send_bw", "-q 8 -n 50 -s 1000 --verify", "messages=400 qps=8"),
    ("write_bw", "-q 8 -n 50 -s 1000 -e --imm --verify", "messages=400 qps=8"),
    ("send_bw", "-q 4 -n 50 -s 1000 -c UD --verify", "sent_messages=200 lost=0"),
    # a post list with a ragged end
    ("send_bw", "-l 16 -t 64 -Q 32 -n 203 -s 1000 --verify",
     "messages=203 post_list=16 depth=64 signal_interval=32"),
    ("write_bw", "-q 4 -l 8 -n 101 -s 1000 --verify", "messages=404 qps=4 post_list=8"),
    ("write_bw", "-Q 1 -t 16 -n 200 -s 100", "messages=200 signal_interval=1 depth=16"),
    ("send_bw", "-t 1 -n 50 -s 100", "messages=50 depth=1 signal_interval=1"),
    ("send_bw", "-r 1 -n 50 -s 100", "messages=50 recv_depth=1"),
    ("read_bw", "-o 4 -n 200 -s 5000 --verify", "messages=200 outstanding=4"),
    ("atomic_bw", "-o 2 -n 200 --verify", "messages=200 outstanding=2"),
    ("send_bw", "-n 1 -s 1 --verify", "messages=1"),
    ("write_lat", "-n 1 --verify", "lat_samples=1 lat_p50_ns="),
    ("send_lat", "-s 64 -I 64 -n 50 --verify", "inline_bytes=64 lat_samples=50"),
    ("write_bw", "-s 100 -I 100 -n 200 --verify", "inline_bytes=100 messages=200"),
    ("send_lat", "-s 64 -I 0 -n 50", "inline_bytes=0 lat_samples=50"),
    # a receiver that is stopped for three seconds, from the first message on, has still seen one
    ("send_bw", "-D 4 -s 1000", "messages>=1 window_ns>=500000000"),
    ("read_lat", "-D 1 -e", "lat_samples>=1 window_ns>=500000000"),
    ("send_bw", "-D 1 -s 1000 -c UD", "received_messages>=1 lost=0"),
])
def test_option(lab: Lab, test: str, options: str, expected: str) -> None:
    check(lab.pair(test, options), expected)


@pytest.mark.parametrize("test, options, expected", [
    *[(test, "-n 100 -s 3000 --verify", "messages=100 bidir=1") for test in ("send_bw", "write_bw", "read_bw")],
    ("atomic_bw", "-n 100", "messages=100 bidir=1"),
    ("send_bw", "-n 100 -c UD -s 1000 --verify", "sent_messages=100 lost=0"),
    ("send_bw", "-n 100 -c UC -s 3000 --imm -e --verify", "sent_messages=100 lost=0"),
])
def test_both_ways(lab: Lab, test: str, options: str, expected: str) -> None:
    check(lab.pair(test, f"-b {options}"), expected, rows=2)


@pytest.mark.parametrize("test, options, expected, rows", [
    ("write_bw", "-n 3", "messages=3", 23),
    ("send_lat", "-n 5 -c UD", "lat_samples=5", 12),
])
def test_all_sizes(lab: Lab, test: str, options: str, expected: str, rows: int) -> None:
    check(lab.pair_undisturbed(test, f"-a {options}"), expected, rows)


def test_ipv6_control_connection(lab: Lab) -> None:
    check(lab.pair("send_bw", "-s 1000 -n 50", host="fd77::1"), "messages=50")


def test_ipv6_gid_by_index(lab: Lab, node2: Node) -> None:
    index = node2.gid_index("fd77:")
    pair = check(lab.pair("write_bw", f"-x {index} -s 1000 -n 50", host="fd77::1"), "messages=50")
    assert (pair.server_row["gid"], pair.row["gid"]) == ("fd77::1", "fd77::2")


def test_ipv6_datagrams(lab: Lab, node2: Node) -> None:
    index = node2.gid_index("fd77:")
    check(lab.pair("send_bw", f"-x {index} -s 1000 -n 50 -c UD --verify", host="fd77::1"), "messages=50 lost=0")


def test_the_device_sends_packets_of_the_mtu(lab: Lab, node2: Node) -> None:
    before = node2.counters("sent_pkts")[0]
    check(lab.pair("write_bw", "-m 256 -s 2560 -n 100 --verify"), "mtu_bytes=256 messages=100")
    assert node2.counters("sent_pkts")[0] - before >= 1000, "100 messages have 10 packets each"


@pytest.fixture
def small_port(node1: Node) -> Iterator[None]:
    """The port of the server has an MTU of 1024."""
    node1.must("ip link set eth0 mtu 1500")
    yield
    node1.must("ip link set eth0 mtu 4200")


@pytest.mark.parametrize("options, expected", [
    ("-s 5000 -n 100 --verify", "mtu_bytes=1024 messages=100"),
    ("-c UD -n 100 --verify", "mtu_bytes=1024 size_bytes=1024"),
])
def test_the_mtu_is_that_of_the_smaller_port(lab: Lab, small_port: None, options: str, expected: str) -> None:
    check(lab.pair("send_bw", options), expected)


def test_an_mtu_above_the_port_of_the_peer_is_refused(lab: Lab, small_port: None) -> None:
    pair = lab.pair("send_bw", "-m 4096 -n 10")
    for ended in (pair.client, pair.server):
        assert ended.status in (1, 2)
        assert re.search("4096.*1024", ended.err), ended


def failed_attempts(node: Node) -> int:
    """How often the node could not connect by TCP."""
    names, values = (line.split() for line in node.read("/proc/net/snmp").splitlines() if line.startswith("Tcp:"))
    return int(values[names.index("AttemptFails")])


def test_the_client_starts_first(lab: Lab, node1: Node, node2: Node) -> None:
    """The server starts after a failed attempt of the client to connect."""
    port, before = lab.port(), failed_attempts(node2)
    files = [lab.file("client.csv"), lab.file("server.csv")]
    client = node2.start(["vb_send_bw", "-p", port, *NO_LIMIT, "-n", 50, "--csv", files[0], node1.address])
    client.until(lambda: failed_attempts(node2) > before, "a failed attempt to connect")
    server = node1.start(f"vb_send_bw -p {port} --csv {files[1]}")
    check(Running(client, server, files).wait(), "messages=50")


@pytest.mark.parametrize("side, test, options", [
    ("client", "send_bw", ""), ("server", "send_bw", ""), ("server", "write_bw", ""),
    ("client", "send_lat", ""), ("server", "send_bw", "-c UD"), ("client", "send_bw", "-b"),
])
def test_both_sides_report_after_an_interrupt(lab: Lab, side: str, test: str, options: str) -> None:
    running = lab.start_pair(test, f"{ENDLESS[test]} {options}")
    running.until_moved(2000)
    getattr(running, side).signal(SIGINT)
    pair = running.wait()
    assert (pair.client.status, pair.server.status) == (1, 1), pair
    check_rows(pair, r"status=interrupted messages>=1 reason~^interrupted\son\sthe\s(server|client)$",
               rows=2 if "-b" in options else 1)
