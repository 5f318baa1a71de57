# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""librdmacm on the emulated HCA: its programs, and perftest with -R, run without a change. In C: test_verbs.py."""

import os
from signal import SIGCONT, SIGKILL, SIGSTOP

import pytest

from harness.by_cm import stock_by_cm, until_listens_by_cm
from harness.emulated import Hca
from harness.installed import need, need_ipv6
from harness.killed import state_of
from harness.programs import Ended, last_lines, wait_until


def ended_well(ended: Ended) -> bool:
    """rping closes its channel at its end; its thread that then asks for the next event makes the status 255."""
    closed = ended.err.endswith("rdma_get_cm_event: Bad file descriptor\n")
    return ended.status == 0 or (ended.status == 255 and closed)


def run_both(hca: Hca, server: str, client: str, nodes: tuple[str, str] = ("", "")) -> None:
    need(server.split()[0], client.split()[0])
    port = hca.port()
    passive = hca.start(server.replace("PORT", str(port)).split(), {"SOFTHCA_NODE": nodes[0]})
    until_listens_by_cm(hca, passive, 7174 if server.startswith("udaddy") else port)
    active = hca.run(client.replace("PORT", str(port)).split(), {"SOFTHCA_NODE": nodes[1]})
    assert ended_well(active), f"{active}; the server: {last_lines(passive.out + passive.err)}"
    assert server.startswith("cmtime") or ended_well(passive.wait())


@pytest.mark.parametrize("server, client", [
    ("rping -s -a 127.0.0.1 -p PORT -C 100 -V", "rping -c -a 127.0.0.1 -p PORT -C 100 -V"),
    ("rping -s -a 198.18.0.1 -p PORT -C 100 -V -S 4000", "rping -c -a 198.18.0.1 -p PORT -C 100 -V -S 4000"),
    ("rping -s -a :: -p PORT -C 100 -V", "rping -c -a ::1 -p PORT -C 100 -V"),
    ("rping -s -a 127.0.0.1 -p PORT -C 100 -q", "rping -c -a 127.0.0.1 -p PORT -C 100 -q"),
    ("ucmatose -p PORT -c 20 -C 50", "ucmatose -s 127.0.0.1 -p PORT -c 20 -C 50"),
    ("ucmatose -p PORT -m", "ucmatose -s 127.0.0.1 -p PORT -m -t 32"),
    ("rdma_server -p PORT", "rdma_client -s 127.0.0.1 -p PORT"),
    # its port is fixed
    ("udaddy -c 4 -C 20", "udaddy -s 127.0.0.1 -c 4 -C 20"),
    # its server does not end
    ("cmtime -p PORT", "cmtime -s 127.0.0.1 -p PORT -c 100"),
])
def test_program_of_librdmacm(hca: Hca, server: str, client: str) -> None:
    if "::1" in client:
        need_ipv6()
    run_both(hca, server, client)


@pytest.mark.parametrize("server, client", [
    ("rping -s -a 198.19.0.16 -p PORT -C 100 -V", "rping -c -a 198.19.0.16 -p PORT -C 100 -V"),
    ("ucmatose -p PORT -c 20 -C 50", "ucmatose -s 198.19.0.16 -p PORT -c 20 -C 50"),
    ("udaddy -c 4 -C 20", "udaddy -s 198.19.0.16 -c 4 -C 20"),
])
def test_program_of_librdmacm_between_nodes(hca: Hca, server: str, client: str) -> None:
    run_both(hca, server, client, ("n0", "n1"))


def test_perftest_between_nodes(hca: Hca) -> None:
    need("ib_send_bw")
    stock_by_cm(hca, ["ib_send_bw", "-n", 2000], "198.19.0.16", ("n0", "n1"))


@pytest.mark.parametrize("command", [
    "ib_send_bw -n 2000 -q 4 -e", "ib_send_lat -n 1000 -c UD", "ib_read_bw -n 2000 -q 4",
    *(pytest.param(command, marks=pytest.mark.full) for command in (
        "ib_send_bw -n 2000", "ib_send_bw -n 2000 -c UD", "ib_write_bw -n 2000 -z", "ib_write_lat -n 1000",
        "ib_atomic_bw -n 2000"))])
def test_perftest(hca: Hca, command: str) -> None:
    need(command.split()[0])
    stock_by_cm(hca, command.split())


def test_mckey_with_two_receivers(hca: Hca) -> None:
    need("mckey")
    command = ["-m", "239.1.1.1", "-C", 20]
    receivers = [hca.start(["stdbuf", "-oL", "mckey", *command]) for _ in range(2)]
    for receiver in receivers:
        receiver.until_says("joined dgid")
    sender = hca.run(["mckey", "-s", *command])
    assert sender.status == 0
    assert "joined dgid: ::ffff:239.1.1.1" in sender.out
    for receiver in receivers:
        assert receiver.wait().status == 0


@pytest.mark.parametrize("command, message", [
    pytest.param("rping -c -a 127.0.0.1 -p 9 -C 1", "REJECTED, error 8", id="nobody listens"),
    pytest.param("udaddy -s 198.18.0.1", "UNREACHABLE, error: 1", id="nobody listens, UD"),
    pytest.param("ucmatose -s 192.0.2.1", "ADDR_ERROR, error: -113", id="an address of no device"),
])
def test_says_why_it_does_not_connect(hca: Hca, command: str, message: str) -> None:
    need(command.split()[0])
    ended = hca.run(command.split())
    assert message in ended.out + ended.err, ended


def test_server_of_rping_is_stopped(hca: Hca) -> None:
    """While it waits for an event: Ctrl-Z and fg are no error for it."""
    need("rping")
    port = hca.port()
    command = ["-a", "127.0.0.1", "-p", port, "-C", 10]
    server = hca.start(["rping", "-s", *command])
    until_listens_by_cm(hca, server, port)
    os.kill(server.pid, SIGSTOP)
    wait_until(lambda: state_of(server.pid) == "T")
    os.kill(server.pid, SIGCONT)
    wait_until(lambda: state_of(server.pid) != "T")
    client = hca.run(["rping", "-c", *command])
    assert ended_well(client) and ended_well(server.wait()), (client, server.wait())


@pytest.mark.parametrize("attempt", range(5))
def test_client_of_rping_is_killed(hca: Hca, attempt: int) -> None:
    """At any time, also while it delivers a message: the server gets an event, and no signal ends it. What its exit
    status is depends on where its loop is."""
    need("rping")
    port = hca.port()
    command = ["-a", "127.0.0.1", "-p", port, "-C", 100000000]
    server = hca.start(["rping", "-s", *command])
    until_listens_by_cm(hca, server, port)
    client = hca.start(["rping", "-c", "-v", *command])
    client.until(lambda: client.out, "a message")
    os.kill(client.pid, SIGKILL)
    ended = server.wait()
    assert ended.status >= 0 and "DISCONNECT EVENT" in ended.out + ended.err, ended
