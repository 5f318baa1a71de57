# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The open loop (--rate): counts and times of every kind, low rates, stalls and too little bandwidth of the link.
Exact times are in tests/fake/test_paced_times.c: here other programs of the machine may delay everything."""

import pytest

from harness.cases import commands, some_quick
from harness.emulated import Hca
from harness.rows import Row

TIMES = ("p50", "p99", "p99_9", "max")


def assert_open(row: Row, count: int, lost: int = 0) -> None:
    """All that was due was sent, and no message took longer from its post than from when it was due."""
    assert row.wrong(f"status=ok sent_messages={count} intended_messages={count} unsent_messages=0") == []
    for time in TIMES:
        if row[f"response_{time}_ns"]:
            # the widths of two buckets
            assert row.number(f"response_{time}_ns") * 1.004 >= row.number(f"service_{time}_ns")
    assert row.number("response_mean_ns") > 0
    assert row["lat_samples"] == "" and row["harness_ns_per_msg"] == ""
    assert int(row["lost"] or 0) == lost


@pytest.mark.parametrize("command", some_quick(commands("""
    send_bw
    send_lat
    read_lat
    send_bw -e
    write_bw -c UC
    write_bw -q 4 --threads 2
    write_bw --imm -c XRC
    read_bw --completion hybrid
    atomic_bw -e
    send_bw --srq -q 3
    send_bw --verify
    write_lat
    send_lat -e
    send_lat --completion hybrid -q 2
    write_lat --imm --srq -q 2
    read_lat -e
    atomic_lat --completion hybrid
""".strip()), quick=5))
@pytest.mark.parametrize("arrival", ["fixed", "poisson"])
def test_counts(hca: Hca, command: str, arrival: str) -> None:
    test, _, options = command.partition(" ")
    row = hca.pair(test, f"{options} --rate 4k --arrival {arrival} -n 100").passed().row
    assert_open(row, 100 * int(row["qps"]))
    assert row.wrong(f"rate_intended_per_s=4000 arrival={arrival}") == []


def test_closed(hca: Hca) -> None:
    """A closed loop has none of the columns."""
    row = hca.pair("read_lat", "-n 100").passed().row
    for column, value in row.items():
        if column.startswith(("response_", "service_", "late_", "intended_", "unsent_", "backlog_", "rate_intended")):
            assert value == "", column
    assert row["arrival"] == ""


def test_both_ways(hca: Hca) -> None:
    """Each direction has its own times, and their sum has none."""
    pair = hca.pair("send_bw", "-b --rate 2k -n 200").passed()
    for row in pair.client_rows[:2]:
        assert_open(row, 200)
    assert pair.client_rows[2]["response_p50_ns"] == "" and pair.client_rows[2]["intended_messages"] == ""


def test_reverse(hca: Hca) -> None:
    """The server sends, and the client has its times."""
    assert_open(hca.pair("write_bw", "--reverse --rate 2k -n 200").passed().row, 200)


def test_time(hca: Hca) -> None:
    """What is due until the end is sent or counted."""
    row = hca.pair("send_bw", "-D 0.5 --rate 2k").passed().row
    assert int(row["intended_messages"]) == int(row["sent_messages"]) + int(row["unsent_messages"])
    # a machine that is late ends it late
    assert int(row["intended_messages"]) >= 900


@pytest.mark.parametrize("command", some_quick(["send_bw", "read_lat -e", "send_lat", "write_bw -e"]))
def test_low_rate(hca: Hca, command: str) -> None:
    """A message each six seconds is no stall, whatever the stall timeout; both sides know the rate."""
    test, _, options = command.partition(" ")
    pair = hca.pair(test, f"{options} --rate 0.167 -n 2 --stall-timeout 5s").passed()
    assert pair.row.wrong("status=ok intended_messages=2 unsent_messages=0 sent_messages=2") == []
    assert pair.row.number("window_ns") >= 5.9e9


@pytest.mark.parametrize("test", some_quick(["send_lat", "send_bw -s 64", "write_bw -s 64 -e"], quick=1))
def test_stalls(hca: Hca, test: str) -> None:
    """100 ms of each second: the tenth of the messages that is due then waits, evenly spread. With a count of messages
    each part of the period occurs twice, wherever it starts, and all that is due is sent; the last stall could hold
    what is due at the end of a time."""
    name, _, options = test.partition(" ")
    row = hca.pair(name, f"{options} --rate 10k -n 20000", at_client={"SOFTHCA_LINK": "stall=100ms/1s"}).passed().row
    assert row.number("response_p99_ns") >= 85e6


@pytest.mark.parametrize("test", some_quick(["send_bw", "read_lat", "write_bw -e"]))
def test_saturated(hca: Hca, test: str) -> None:
    """The link carries 125 messages of 1000 bytes per second."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=1M"
    name, _, options = test.partition(" ")
    row = hca.pair(name, f"{options} -s 1000 -t 4 --rate 1k -D 1" if "bw" in name else
                   f"{options} -s 1000 --rate 1k -D 1").passed().row
    assert "saturated" in row["warning_codes"].split()
    assert int(row["unsent_messages"]) > 500 and int(row["backlog_max_messages"]) > 500


def test_not_saturated(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = "bandwidth=1M"
    row = hca.pair("send_bw", "-s 1000 --rate 10 -D 1").passed().row
    assert "saturated" not in row["warning_codes"].split()


@pytest.mark.parametrize("options", some_quick(["-c UC --imm", "-c UD"], quick=1))
def test_lost(hca: Hca, options: str) -> None:
    """A message whose answer does not come in 100 ms is lost; those that were due meanwhile have waited for it."""
    link = {"SOFTHCA_LINK": "loss=10%,seed=1"}
    row = hca.pair("send_lat", f"{options} --rate 200 -n 100", at_client=link).passed().row
    assert row.wrong("status=ok sent_messages=100 intended_messages=100 unsent_messages=0 lost>=1") == []
    assert row.number("response_max_ns") >= 90e6


def test_intervals(hca: Hca) -> None:
    """They have counts; the times are those of the whole point."""
    rows = hca.pair("send_bw", "--rate 2k -D 3 --interval 0.1").passed().client_rows
    assert [row["kind"] for row in rows][-1] == "result" and len(rows) > 2
    assert sum(int(row["messages"]) for row in rows[:-1]) == int(rows[-1]["messages"])
    for row in rows[:-1]:
        assert row["response_p50_ns"] == "" and row["intended_messages"] == ""
    assert rows[-1]["response_p50_ns"]
