# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""One sender and a multicast group of receivers: counts and losses of each receiver against those of the link,
receivers that end early, refuse or never join, and stock programs in the same group."""

import os
import re
import shutil
from signal import SIGINT, SIGKILL
from typing import Optional

import pytest

from harness.cases import some_quick
from harness.emulated import Hca
from harness.killed import children, threads
from harness.programs import GUARD, Ended, Program, words
from harness.rows import Row, csv_rows

IPV4 = "239.1.2.3"


class Group:
    """Receivers of one client each, in ports of their own, and their sender."""

    def __init__(self, hca: Hca, address: str = IPV4):
        self.hca = hca
        self.address = address
        self.receivers: list[Program] = []
        self.hosts: list[str] = []
        self.file = hca.folder / f"{hca.port()}.rows.csv"

    def receive(self, count: int, options: str = "") -> "Group":
        """Starts receivers, and waits until they listen."""
        for _ in range(count):
            port = self.hca.port()
            receiver = self.hca.start([self.hca.program("vb_send_bw"), "-p", port, *words(options)])
            receiver.until_listens(port)
            self.receivers.append(receiver)
            self.hosts.append(f"127.0.0.1:{port}")
        return self

    def start(self, options: str, env: Optional[dict[str, str]] = None) -> Program:
        """Starts the sender."""
        return self.hca.start([self.hca.program("vb_send_bw"), "-c", "UD", "--mcast", self.address, *words(options),
                               "--csv", self.file, *self.hosts], env)

    def send(self, options: str, env: Optional[dict[str, str]] = None) -> list[Row]:
        """The sender and all receivers must exit with 0. Returns a row for each receiver."""
        for ended in [self.start(options, env).wait(), *(receiver.wait() for receiver in self.receivers)]:
            assert ended.status == 0, ended
        return csv_rows(self.file)

    def session(self, number: int, sender: Program) -> int:
        """The process of a receiver whose loop runs: it has a second thread."""
        receiver = self.receivers[number].pid
        sender.until(lambda: any(threads(pid) > 1 for pid in children(receiver)), "a second thread of the session")
        return children(receiver)[0]

    def name(self, number: int) -> str:
        """A receiver as messages name it."""
        return self.hosts[number].replace(":", " port ")

    def fails(self, sender: Ended, status: int, message: str) -> None:
        """The sender has failed, and says why; every receiver fails, too."""
        assert sender.status == status, sender
        assert message in sender.err, sender
        for receiver in self.receivers:
            ended = receiver.wait()
            assert ended.status != 0, ended


def all_get_all(group: Group, options: str) -> None:
    """All messages fit the receives that are posted: what is lost is lost on the link."""
    rows = group.send(f"-n 3000 -r 8192 {options}")
    assert [row["receiver"] for row in rows] == group.hosts
    for row in rows:
        assert row.wrong(f"sent_messages=3000 received_messages=3000 lost=0 status=ok mcast={group.address}") == []


# How many receivers, and options.
@pytest.mark.parametrize("case", some_quick([
    "3 --imm -e --mcast-join cm", "2", "2 -e", "2 --completion hybrid", "2 --imm", "2 --imm -e", "2 --post-api wr",
    "2 --poll-api extended", "2 --verify -s 257", "2 --imm --verify -l 16 -s 1000", "3 --imm -e --mcast-join verbs",
    "1 --imm", "5 --imm -s 64",
]))
def test_all_receivers_get_all(hca: Hca, case: str) -> None:
    count, _, options = case.partition(" ")
    all_get_all(Group(hca).receive(int(count)), options)


def test_a_group_of_ipv6(hca: Hca) -> None:
    all_get_all(Group(hca, "ff0e::1:2:3").receive(2), "-x 0")


@pytest.mark.parametrize("link, receivers", some_quick([
    ("loss=2%,bandwidth=10G", 2),
    ("duplicate=2%,bandwidth=10G", 3),
    ("loss=1%,duplicate=1%,reorder=1%,delay=20us,bandwidth=10G", 5),
], 1))
def test_a_row_counts_what_the_link_did(hca: Hca, link: str, receivers: int) -> None:
    """Probes are on the sender's link, too, so that a few of its losses may be probes."""
    hca.env["SOFTHCA_LINK"] = link
    stats = hca.folder / "stats"
    rows = Group(hca).receive(receivers).send("-n 5000 -r 16384 -s 256 --imm", {"SOFTHCA_STATS": str(stats)})
    # the client looks for its device before it connects: an earlier line has no messages
    last = dict(re.findall(r"(\w+)=(\S+)", stats.read_text().splitlines()[-1]))
    lost, duplicated, probes = int(last["lost"]), int(last["duplicated"]), int(last["sent"]) - 5000
    assert len(rows) == receivers
    assert lost > 9 or "loss" not in link
    assert duplicated > 9 or "duplicate" not in link
    for row in rows:
        received, copies, missing, messages = (int(row[column] or 0) for column in (
            "received_messages", "duplicated", "lost", "messages"))
        assert messages == received - copies
        assert messages + missing == 5000
        assert lost - probes <= missing <= lost
        assert duplicated - probes <= copies <= duplicated


def test_three_receivers_of_one_server(hca: Hca) -> None:
    server, port = hca.serve()
    group = Group(hca)
    group.hosts = [f"127.0.0.1:{port}"] * 3
    rows = group.send("-n 2000 -r 4096")
    assert [row["receiver"] for row in rows] == [f"127.0.0.1:{port}{number}" for number in ("", "#2", "#3")]
    assert [row["received_messages"] for row in rows] == ["2000"] * 3
    assert server.stop().status == 0


@pytest.mark.full
def test_stock_mckey_receives_what_verbench_sends(hca: Hca) -> None:
    """It joins some time after its start, and says nothing until it ends."""
    if not shutil.which("mckey"):
        pytest.skip("mckey is not installed")
    key = hca.start(["mckey", "-m", IPV4, "-b", "198.18.0.1", "-C", 100, "-S", 64])
    for _ in range(GUARD):
        if key.running():
            Group(hca).receive(1).send("-s 64 --imm --mcast-join cm")
    assert not key.running()
    assert "data transfers complete" in key.out.splitlines(), key.wait()


@pytest.mark.parametrize("options", some_quick(["-s 64", "-s 64 --imm", "-s 64 -e --poll-api extended"], 1))
def test_another_sender_sends_meanwhile(hca: Hca, options: str) -> None:
    """A message per ms. Links keep both slow enough for the receives that are posted, also where a receiver waits 5 s
    for a CPU, and verbench long enough to get some of the others' messages."""
    noise = Group(hca).receive(1)
    other = noise.start("-D forever -s 64", {"SOFTHCA_LINK": "bandwidth=500k"})
    noise.session(0, other)
    hca.env["SOFTHCA_LINK"] = "bandwidth=10M"
    all_get_all(Group(hca).receive(2), options)
    assert other.running(), other.wait()


def test_a_receiver_is_killed(hca: Hca) -> None:
    group = Group(hca).receive(3)
    sender = group.start("-D forever")
    os.kill(group.session(1, sender), SIGKILL)
    group.fails(sender.wait(), 1, group.name(1))


def test_a_receiver_is_stopped(hca: Hca) -> None:
    """All are interrupted, with a row for each."""
    group = Group(hca).receive(3)
    sender = group.start("-D 3600")
    os.kill(group.session(1, sender), SIGINT)
    group.fails(sender.wait(), 1, "")
    assert [row["status"] for row in csv_rows(group.file)] == ["interrupted"] * 3


def test_the_sender_is_killed(hca: Hca) -> None:
    group = Group(hca).receive(2)
    sender = group.start("-D forever")
    group.session(1, sender)
    sender.kill()
    group.fails(sender.wait(), -SIGKILL, "")


def test_a_receiver_is_busy(hca: Hca) -> None:
    group = Group(hca).receive(2)
    group.hosts.append(group.hosts[0])
    group.fails(group.start("").wait(), 1, group.name(0))


@pytest.mark.full
def test_a_receiver_is_not_there(hca: Hca) -> None:
    group = Group(hca).receive(2)
    group.hosts.append("127.0.0.1:1")
    sender = group.start("--connect-timeout 8").wait()
    assert sender.status == 1 and "127.0.0.1 port 1" in sender.err, sender


@pytest.mark.full
def test_no_message_reaches_a_receiver(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = "loss=100%"
    group = Group(hca).receive(2)
    group.fails(group.start("--stall-timeout 6").wait(), 1,
                f"receiver {group.name(0)} got no message of the group {IPV4} within 6000 ms")


def test_a_receiver_has_no_gid_that_reaches_the_sender(hca: Hca) -> None:
    group = Group(hca).receive(1).receive(1, "-x 0")
    group.fails(group.start("-x 1").wait(), 2, f"receiver {group.hosts[1]}: no GID pair fits")
