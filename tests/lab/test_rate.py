# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A link of a known rate (netem): the figure beside what the network interface sent in the same window."""

from pathlib import Path

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
        print(before, sent, time.monotonic_ns(), file=out)
        time.sleep(0.01)
"""
"""Writes the bytes that eth0 has sent, between the times before and after, by the clock of the column window_at_ns."""


def sent_by(samples: list[tuple[int, int, int]], at_ns: int) -> tuple[int, int]:
    """The least and the most that was sent until then. A guest without a processor has no sample for long, and what it
    sends meanwhile is not in proportion."""
    least = max(sent for _, sent, after in samples if after <= at_ns)
    return least, min(sent for before, sent, _ in samples if before >= at_ns)


def samples_of(file: Path) -> list[tuple[int, int, int]]:
    # the last line may be a part of one
    return [tuple(map(int, line.split())) for line in file.read_text().splitlines()[:-1]]


@pytest.mark.parametrize("test", ["write_bw", "send_bw"])
def test_bandwidth_is_that_of_the_interface(lab: Lab, test: str) -> None:
    client = lab.nodes[1]
    file = lab.file("sent")
    with client.rate("20mbit"):
        client.start(["/usr/bin/python3", "-c", SAMPLER, file])
        wait_until(lambda: file.exists() and samples_of(file), "a sample from before the window")
        # nothing is lost, and what a stopped guest does not acknowledge for 30 s must not go twice
        row = lab.pair(test, f"-s {MESSAGE} -m {MTU} -D 10 -t 8 -Q 1 -u 23").passed().row
        end = int(row["window_at_ns"]) + int(row["window_ns"])
        wait_until(lambda: samples_of(file)[-1][0] >= end, "a sample from after the window")
    begins, ends = (sent_by(samples_of(file), at) for at in (int(row["window_at_ns"]), end))
    least, most = ((last - first) * MESSAGE / FRAMES * 8 / int(row["window_ns"])
                   for first, last in zip(reversed(begins), ends))
    print(f"{row['bandwidth_gbit_s']} Gbit/s, interface {least:.6g} to {most:.6g}")
    assert least * (1 - RATE_BOUND) <= row.number("bandwidth_gbit_s") <= most * (1 + RATE_BOUND)
    # an emulated processor may be slower than the link
    assert 0 < most and least <= 0.02 * MESSAGE / FRAMES * (1 + RATE_BOUND)
