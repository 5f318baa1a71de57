# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A link of a known rate (netem): the figure beside what the network interface sent in the same window."""

import pytest

from harness.lab import Lab
from harness.programs import wait_until

pytestmark = [pytest.mark.full, pytest.mark.lab]

RATE_BOUND = 0.005

MTU = 1024
MESSAGE = 65536
# Ethernet, IPv4, UDP, BTH and ICRC of each packet, and the RETH of the first one of a message
FRAMES = MESSAGE + MESSAGE // MTU * (14 + 20 + 8 + 12 + 4) + 16

SAMPLER = """
import sys, time
counter = open("/sys/class/net/eth0/statistics/tx_bytes")
with open(sys.argv[1], "w", buffering=1) as out:
    while True:
        counter.seek(0)
        before = time.monotonic_ns()
        sent = counter.read().strip()
        print((before + time.monotonic_ns()) // 2, sent, file=out)
        time.sleep(0.01)
"""
"""Writes the bytes that eth0 has sent, and when, by the clock of the column window_at_ns."""


def sent_by(samples: list[tuple[int, int]], at_ns: int) -> float:
    """The bytes sent until then, between two samples in proportion."""
    after = next(index for index, (time_ns, _) in enumerate(samples) if time_ns >= at_ns)
    (t0, b0), (t1, b1) = samples[after - 1:after + 1]
    return b0 + (b1 - b0) * (at_ns - t0) / (t1 - t0)


@pytest.mark.parametrize("test", ["write_bw", "send_bw"])
def test_bandwidth_is_that_of_the_interface(lab: Lab, test: str) -> None:
    client = lab.nodes[1]
    file = lab.file("sent")
    with client.rate("20mbit"):
        client.start(["/usr/bin/python3", "-c", SAMPLER, file])
        wait_until(lambda: file.exists() and file.read_text(), "a sample from before the window")
        row = lab.pair(test, f"-s {MESSAGE} -m {MTU} -D 10 -t 8 -Q 1").passed().row
    # the last line may be a part of one
    samples = [(int(time_ns), int(sent)) for time_ns, sent in map(str.split, file.read_text().splitlines()[:-1])]
    begin = int(row["window_at_ns"])
    end = begin + int(row["window_ns"])
    payload = (sent_by(samples, end) - sent_by(samples, begin)) * MESSAGE / FRAMES
    truth = payload * 8 / (end - begin)
    print(f"{row['bandwidth_gbit_s']} Gbit/s, interface {truth:.6g}")
    assert row.number("bandwidth_gbit_s") == pytest.approx(truth, rel=RATE_BOUND)
    # an emulated processor may be slower than the link
    assert 0 < truth <= 0.02 * MESSAGE / FRAMES * (1 + RATE_BOUND)
