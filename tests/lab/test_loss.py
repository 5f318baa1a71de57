# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Each node loses some of the packets that it sends (netem), also those of the control connection: RC completes; UC and
UD end and count what is missing; nothing hangs."""

from contextlib import ExitStack
from typing import Iterator

import pytest

from harness.lab import ENDLESS, Lab, check, check_rows

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.fixture
def lossy(lab: Lab) -> Iterator[Lab]:
    """Both nodes lose 5 % of what they send."""
    with ExitStack() as stack:
        for node in lab.nodes:
            stack.enter_context(node.loss(5))
        yield lab


@pytest.mark.parametrize("test, options, expected", [
    # four packets of the MTU in each message
    *[(test, "-n 300 -s 16k --verify", "messages=300") for test in ("send_bw", "write_bw", "read_bw")],
    ("atomic_bw", "-n 300 --verify", "messages=300"),
    ("write_bw", "--imm -e -n 300 -s 5000 --verify", "messages=300"),
    *[(test, "-n 50 --verify", "lat_samples=50") for test in ("send_lat", "write_lat", "read_lat")],
])
def test_reliable(lossy: Lab, test: str, options: str, expected: str) -> None:
    # what is lost is sent again after 70 ms
    check(lossy.pair(test, f"-u 14 --retry 7 {options}"), expected)


LOST = "sent_messages=1000 lost>=1 received_messages>=500"


@pytest.mark.parametrize("test, options, expected", [
    ("send_bw", "-c UC -n 1000 -s 1000 --verify", LOST),
    ("send_bw", "-c UC -n 1000 -s 1000 --imm --verify", LOST),
    ("send_bw", "-c UC -n 300 -s 9000 --verify", "sent_messages=300 lost>=1"),
    ("send_bw", "-c UD -n 1000 -s 1000 --verify", LOST),
    ("send_bw", "-c UD -n 1000 -s 1000 -e --verify", LOST),
    ("send_bw", "-c UD -n 250 -q 4 -s 1000 --imm --verify", "sent_messages=1000 lost>=1"),
    ("write_bw", "-c UC -n 1000 -s 1000", "sent_messages=1000"),
    ("write_bw", "-c UC -n 1000 -s 1000 --imm --verify", LOST),
    # a guest that is stopped for three seconds loses 30
    ("send_lat", "-c UD -n 300 --verify", "sent_messages=300 lat_samples>=50 lost>=1"),
    *[(test, f"-n 300 {options}", "lat_samples>=50 lost>=1") for test, options in [
        ("send_lat", "-c UD --imm -e"), ("send_lat", "-c UC"), ("write_lat", "-c UC"), ("write_lat", "-c UC --imm")]],
    ("send_bw", "-c UD -D 1 -s 1000", "received_messages>=1"),
])
def test_unreliable(lossy: Lab, test: str, options: str, expected: str) -> None:
    check(lossy.pair(test, options), expected)


@pytest.mark.parametrize("test, options", [
    # before, a guest that is stopped for seconds must not end the run
    ("send_bw", "-u 18"), ("send_bw", "-c UD"), ("send_lat", "-c UD"), ("write_bw", "-u 18")])
def test_every_packet_is_lost_from_the_middle_of_a_run_on(lab: Lab, test: str, options: str) -> None:
    running = lab.start_pair(test, f"{ENDLESS[test]} --stall-timeout 10 {options}")
    running.until_moved(2000)
    with ExitStack() as stack:
        for node in lab.nodes:
            stack.enter_context(node.loss(100))
        pair = running.wait()
    assert (pair.client.status, pair.server.status) == (1, 1), pair
    check_rows(pair, "status~^(incomplete|failed)$ reason~.")
    assert pair.row.wrong("messages>=1") == []
    # the target of a write gets no completion
    assert pair.server_row.wrong("messages=" if test == "write_bw" else "messages>=1") == []
