# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What options ask of each request, on rxe: pieces, fence, solicited messages, no payload, memory windows, and queues
that change while they are in use."""

import pytest

from harness.lab import Lab, check

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.mark.parametrize("test, options, expected", [
    # pieces
    ("send_bw", "--sge 4 -s 4097 -n 200", "messages=200 sges=4"),
    ("send_bw", "--sge 3 -s 3001 -c UC -e -n 200", "sent_messages=200 lost=0 sges=3"),
    ("send_bw", "--sge 5 -s 999 -c UD -n 200", "sent_messages=200 lost=0 sges=5"),
    ("write_bw", "--sge 4 -s 61 -I 64 -n 200", "messages=200 sges=4 inline_bytes=64"),
    ("read_bw", "--sge 7 -s 9001 -n 200", "messages=200 sges=7"),
    ("send_lat", "--sge 2 -s 33 -n 50", "lat_samples=50 sges=2"),
    # flags
    ("read_bw", "--fence -s 5000 -n 200", "messages=200 fence=1"),
    ("atomic_bw", "--fence -n 200 --post-api wr", "messages=200 fence=1"),
    ("send_bw", "-e --solicited 16 -n 500 -s 1000", "messages=500 solicited=16"),
    ("send_bw", "-c UD -e --solicited 4 -n 300 -s 1000", "sent_messages=300 lost=0"),
    ("write_bw", "--imm -e --solicited 5 -n 300 -s 1000", "messages=300"),
    ("send_lat", "-e --solicited 1 -n 100", "lat_samples=100"),
    # no payload
    ("send_bw", "-s 0 -n 200", "messages=200 bytes=0"),
    ("send_bw", "-s 0 -c UC -e -n 200", "sent_messages=200 lost=0"),
    ("send_bw", "-s 0 -c UD --imm -n 200", "sent_messages=200 lost=0"),
    ("send_lat", "-s 0 -n 50", "lat_samples=50"),
    ("write_bw", "-s 0 -n 200", "messages=200 bytes=0"),
    ("write_lat", "-s 0 --imm -n 50", "lat_samples=50"),
    ("read_bw", "-s 0 -n 200", "messages=200 bytes=0"),
    ("read_lat", "-s 0 -e -n 50", "lat_samples=50"),
    # the size of CQs changes, also if one side is stopped for three seconds
    ("send_bw", "--disturb cq -q 2 -D 4 -s 1000", "messages>=1 disturbances>=1"),
    ("send_bw", "--disturb cq -c UD -e -D 4 -s 1000", "received_messages>=1 lost=0 disturbances>=1"),
    ("send_lat", "--disturb cq -D 4", "lat_samples>=1 disturbances>=1"),
])
def test_asked_for(lab: Lab, test: str, options: str, expected: str) -> None:
    check(lab.pair(test, f"{options} --verify"), expected)


@pytest.mark.parametrize("test, options, expected", [
    ("write_bw", "--fence -n 100 -s 3000", "messages=100 fence=1"),
    ("send_bw", "-e --solicited 7 -n 300 -s 1000", "messages=300 solicited=7"),
    ("send_bw", "--disturb cq -D 4 -s 1000", "messages>=1 disturbances>=1"),
])
def test_asked_for_both_ways(lab: Lab, test: str, options: str, expected: str) -> None:
    check(lab.pair(test, f"-b {options} --verify"), expected, rows=2)


@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("test, options, expected, rows", [
    ("write_bw", "-q 4 -n 100 -s 3000", "messages=400 qps=4", 1),
    ("write_lat", "-n 50", "lat_samples=50", 1),
    ("read_bw", "-b -n 100 -s 3000", "messages=100", 2),
    ("atomic_bw", "-n 100 --post-api wr", "messages=100", 1),
])
def test_window(lab: Lab, test: str, options: str, expected: str, rows: int, kind: int) -> None:
    check(lab.pair(test, f"--mw {kind} {options} --verify"), f"mw={kind} {expected}", rows)


@pytest.mark.parametrize("test, options, reason", [
    ("send_bw", "--sge 4 --post-api wr", "--sge 4 with --post-api wr on rxe0 of "),
    # what rxe of Linux 6.1 does not have
    ("write_bw", "--buffers odp", "--buffers odp: rxe0 of "),
    ("send_bw", "--disturb sq", "--disturb sq on rxe0 of "),
])
def test_refused(lab: Lab, test: str, options: str, reason: str) -> None:
    pair = lab.pair(test, f"{options} -n 10")
    for ended in (pair.client, pair.server):
        assert ended.status == 2 and reason in ended.err, ended
