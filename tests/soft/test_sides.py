# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Options that one side has for itself: --peer-completion, --peer-buffers (GPU memory: test_gpu.py), --peer-size."""

import pytest

from harness.emulated import Hca
from harness.link import Record
from harness.rows import Row

EVENTS = {"poll": "events=0", "event": "events>=1", "hybrid": "spin_us=1"}


def wrong(row: Row, own: str, peer: str) -> list[str]:
    """Is the row of a side that waits by 'own', while its peer waits by 'peer'?"""
    return row.wrong(f"completion={own} peer_completion={'' if own == peer else peer} {EVENTS[own]}")


@pytest.mark.parametrize("command", ["send_lat", "send_lat -c UD -q 2", "write_lat --imm -c UC", "send_bw -b -t 1",
                                     "write_bw --imm --reverse -t 1", "read_bw -b -t 1"])
@pytest.mark.parametrize("client, server", [("poll", "event"), ("event", "poll")])
def test_each_waits_its_own_way(hca: Hca, command: str, client: str, server: str) -> None:
    """One message is under way: the side that waits by events has to sleep."""
    test, _, options = command.partition(" ")
    hca.env["SOFTHCA_LINK"] = "delay=20us"
    pair = hca.pair(test, f"{options} -n 2000 --completion {client} --peer-completion {server}").passed()
    assert wrong(pair.client_rows[0], client, server) == []
    assert wrong(pair.server_rows[0], server, client) == []


def test_one_spins_before_it_sleeps(hca: Hca) -> None:
    pair = hca.pair("send_lat", "-n 500 -e --peer-completion hybrid --spin 1us").passed()
    assert pair.row.wrong("completion=event peer_completion=hybrid spin_us=1") == []
    assert pair.server_row.wrong("completion=hybrid peer_completion=event spin_us=1") == []


def test_both_wait_the_same_way(hca: Hca) -> None:
    pair = hca.pair("send_lat", "-n 500 -e --peer-completion event").passed()
    assert wrong(pair.row, "event", "event") == wrong(pair.server_row, "event", "event") == []


def test_only_the_side_that_sleeps_is_woken(hca: Hca) -> None:
    """One message in eight wakes the server; the client polls for its completions."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=1G"
    pair = hca.pair("send_bw", "-n 4000 -s 4k --peer-completion event --solicited 8").passed()
    assert pair.row.wrong("solicited=8 events=0") == [] and pair.server_row.wrong("events>=1") == []


def test_a_server_expects_what_is_its_own(hca: Hca) -> None:
    pair = hca.pair("send_lat", "-n 500 --peer-completion event", server="-e").passed()
    assert wrong(pair.server_row, "event", "poll") == []
    pair = hca.pair("send_lat", "-n 10 -e --peer-completion poll", server="-e")
    assert pair.client.status == pair.server.status == 2
    assert "different options: --completion: server event, client poll" in pair.client.err, pair.client


def test_a_sweep_of_both(hca: Hca) -> None:
    pair = hca.pair("send_lat", "-n 100 --completion poll,event --peer-completion poll,event,same")
    assert [(row["completion"], row["peer_completion"]) for row in pair.client_rows] == [
        ("poll", ""), ("poll", "event"), ("poll", ""), ("event", "poll"), ("event", ""), ("event", "")]


@pytest.mark.parametrize("client, server", [("host", "odp"), ("device", "host"), ("odp", "device")])
@pytest.mark.parametrize("command", ["write_bw --verify", "send_bw -b --verify", "send_lat --verify",
                                     "read_bw --reverse"])
def test_each_has_its_memory(hca: Hca, command: str, client: str, server: str) -> None:
    test, options = command.split(" ", 1)
    pair = hca.pair(test, f"{options} -n 300 --buffers {client} --peer-buffers {server}").passed()
    assert pair.client_rows[0].wrong(f"buffers={client} peer_buffers={server}") == []
    assert pair.server_rows[0].wrong(f"buffers={server} peer_buffers={client}") == []


def test_what_arrives_is_dropped_on_one_side(hca: Hca) -> None:
    pair = hca.pair("send_bw", "-n 300 --peer-buffers null").passed()
    assert pair.row.wrong("buffers=host peer_buffers=null received_messages=300") == []


def test_memory_of_both_the_same(hca: Hca) -> None:
    pair = hca.pair("write_bw", "-n 300 --buffers device --peer-buffers device").passed()
    assert pair.row.wrong("buffers=device peer_buffers=") == pair.server_row.wrong("buffers=device peer_buffers=") == []


def test_the_lines_above_the_rows(hca: Hca) -> None:
    pair = hca.pair("send_lat", "-n 100 --peer-completion event --buffers device --peer-buffers host --imm").passed()
    for ended in (pair.client, pair.server):
        text = " ".join(ended.out.split())
        assert "completions by poll, server by event" in text and "of device memory, server: host" in text, ended


def sizes(row: Row) -> tuple[str, str, str]:
    return row["direction"], row["size_bytes"], row["peer_size_bytes"]


@pytest.mark.parametrize("client, server", [("64", "1048576"), ("1048576", "64")])
@pytest.mark.parametrize("command", ["write_bw", "write_bw -c UC -q 2", "write_bw --imm --post-api wr", "send_bw -t 16",
                                     "send_bw -q 3 --srq", "send_bw --sge 3", "send_bw -I 64", "read_bw -q 2",
                                     "send_bw --peer-buffers odp --footprint 4M"])
def test_each_has_its_size(hca: Hca, command: str, client: str, server: str) -> None:
    """The payload is compared, and the link says what each process sent."""
    test, _, options = command.partition(" ")
    hca.env |= {"SOFTHCA_LINK": "bandwidth=10G", "SOFTHCA_RECORD": str(hca.folder / "record")}
    pair = hca.pair(test, f"{options} -b -n 60 --verify -s {client} --peer-size {server}").passed()
    ways = ("to_server", "to_client") if test != "read_bw" else ("to_client", "to_server")
    for rows in (pair.client_rows, pair.server_rows):
        assert [sizes(row) for row in rows] == [(ways[0], client, server), (ways[1], server, client),
                                                ("both", client, server)]
    sent = {}
    for event in Record(hca.folder / "record").events:
        if event.event in ("sent", "response") and event.bytes:
            sent.setdefault((event.pid, event.qpn), set()).add(event.bytes)
    assert sorted(map(list, sent.values())) == sorted([[64], [1048576]] * (len(sent) // 2)) != []


def test_the_sum_of_two_sizes(hca: Hca) -> None:
    """The harness computes the figures of each row from its integers."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=100M"
    pair = hca.pair("send_bw", "-b -D 300ms -c UD -s 2k --peer-size 64").passed()
    *ways, both = pair.client_rows
    assert both.wrong("size_bytes=2048 peer_size_bytes=64") == []
    assert both["status"] == "skipped" or both.number("window_bytes") > 0
    assert "messages of the server: 64 bytes" in " ".join(pair.client.out.split()), pair.client
    assert all(row["window_bytes"] == "" for row in ways)


def test_one_size_of_both(hca: Hca) -> None:
    pair = hca.pair("write_bw", "-b -n 50 -s 64 --peer-size 64").passed()
    assert [sizes(row)[1:] for row in pair.client_rows] == [("64", "")] * 3


def test_a_server_expects_its_size(hca: Hca) -> None:
    hca.pair("write_bw", "-b -n 50 -s 64 --peer-size 4k", server="-s 4k").passed()
    pair = hca.pair("write_bw", "-b -n 50 -s 4k --peer-size 64", server="-s 4k")
    assert pair.client.status == pair.server.status == 2
    assert "different options: -s (--size): server 4k, client 64" in pair.client.err, pair.client


def test_sizes_of_a_sweep(hca: Hca) -> None:
    pair = hca.pair("write_bw", "-b -n 50 -s 64,4k --peer-size 64,1M")
    assert [sizes(row)[1:] for row in pair.client_rows if row["direction"] == "both"] == [
        ("64", ""), ("64", "1048576"), ("4096", "64"), ("4096", "1048576")]
