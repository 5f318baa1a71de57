# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Shared receive queues of rxe, over RC, UC and UD, polled and by events, and their limit events; one UD QP for all QPs
of the sender."""

import pytest

from harness.lab import Lab, check

pytestmark = [pytest.mark.full, pytest.mark.lab]


SHARED = [
    *[(test, f"{options}-q 4 -n 200 -s 1000", "sent_messages=800 lost=0 recv_queue=srq", 1)
      for test, options in [("send_bw", ""), ("send_bw", "--imm "), ("write_bw", "--imm ")]],
    ("send_bw", "-b -q 3 -n 100 -s 1000", "sent_messages=300 lost=0", 2),
    ("send_lat", "-q 3 -n 50", "lat_samples=150", 1),
]


@pytest.mark.parametrize("transport, events, test, options, expected, rows", [
    (transport, events, *case) for transport in ("RC", "UC", "UD") for events in ("", "-e") for case in SHARED
    # UD has no writes
    if (transport, case[0]) != ("UD", "write_bw")])
def test_shared(lab: Lab, transport: str, events: str, test: str, options: str, expected: str, rows: int) -> None:
    check(lab.pair_undisturbed(test, f"-c {transport} {events} {options} --srq --verify"), expected, rows)


@pytest.mark.parametrize("test, options, expected", [
    ("send_bw", "-q 64 -n 50 -s 100 --srq --verify", "messages=3200 qps=64"),
    ("send_bw", "-q 2 --threads 2 -n 200 -s 100 --srq --verify --pin none --peer-pin none",
     "messages=800 threads=2"),
    ("send_bw", "-c UD -q 4 -n 200 -s 1000 --one-qp --verify", "sent_messages=800 lost=0 recv_queue=one_qp"),
    ("send_lat", "-c UD -q 3 -n 50 -e --one-qp", "lat_samples=150"),
    ("send_bw", "-c UD -q 3 -n 200 -s 1000 --ah first --verify", "sent_messages=600 lost=0 ah=first"),
    ("send_lat", "-c UD -q 3 -n 50 -e --one-qp --ah first", "lat_samples=150 ah=first"),
])
def test_others(lab: Lab, test: str, options: str, expected: str) -> None:
    check(lab.pair_undisturbed(test, options), expected)


@pytest.mark.parametrize("options, expected", [
    # a list is 48 receives: only the limit makes the server post any again
    ("-n 20 -r 64 -t 8 --srq-limit 60", "messages=20 srq_limit=60"),
    ("-q 4 -n 500 -r 64 -t 8 --srq-limit 250 -e", "messages=2000"),
])
def test_limit_events(lab: Lab, options: str, expected: str) -> None:
    pair = check(lab.pair("send_bw", f"--srq --verify {options}"), expected)
    assert pair.row.wrong("peer_srq_limit_events>=1") == []
    assert pair.server_row.wrong("srq_limit_events>=1") == []
