# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Queue pairs connected by rdma_cm, RC and UD over rxe0, then RC over iWARP (siw0), which can be connected only so. The
figures with and without --cm are printed side by side: the loops are the same, so they differ by noise."""

import re

import pytest

from harness.lab import Lab, Node, check

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.mark.parametrize("column, test, options", [
    *[("bandwidth_mib_s", test, "-n 300") for test in ("send_bw", "write_bw", "read_bw")],
    *[("lat_p50_ns", test, "-n 200") for test in ("send_lat", "write_lat", "read_lat", "atomic_lat")],
    ("bandwidth_mib_s", "send_bw", "-n 300 -c UD"), ("lat_p50_ns", "send_lat", "-n 200 -c UD"),
])
def test_with_and_without_cm(lab: Lab, column: str, test: str, options: str) -> None:
    tcp = check(lab.pair_undisturbed(test, f"--verify {options}"), "connect=tcp")
    rdma_cm = check(lab.pair_undisturbed(test, f"--cm --verify {options}"), "connect=rdma_cm")
    print(f"{test} {options}: {column} by tcp {tcp.row[column]}, by rdma_cm {rdma_cm.row[column]}")


@pytest.mark.parametrize("test, options", [
    ("send_bw", "-n 100 -e -q 8"), ("send_bw", "-n 10 -s 64 -q 200"), ("read_bw", "-n 100 --outstanding 16"),
    ("atomic_bw", "-n 100 --outstanding 4"), ("send_bw", "-n 100 --tclass 32"),
])
def test_on_rxe(lab: Lab, test: str, options: str) -> None:
    check(lab.pair(test, f"--cm --verify {options}"), "connect=rdma_cm")


def test_ipv6_on_rxe(lab: Lab, node2: Node) -> None:
    check(lab.pair("send_bw", f"--cm --verify -n 100 -x {node2.gid_index('fd77:')}"), "connect=rdma_cm")


@pytest.mark.parametrize("test, options, message", [
    ("send_bw", "", "iWARP: needs -R"),
    ("send_bw", "--cm -c UD", "iWARP: siw0 of node[12] has no UD"),
    ("send_bw", "-c UC", "iWARP: siw0 of node[12] has no UC"),
    ("write_bw", "--cm --imm", "iWARP: siw0 of node[12] has no immediate data"),
    ("atomic_bw", "--cm", "has no atomics"),
    ("write_bw", "--cm -b", "the server would have to send before"),
])
def test_refused_by_iwarp(siw: Lab, test: str, options: str, message: str) -> None:
    pair = siw.pair(test, f"{options} -n 10")
    for ended in (pair.client, pair.server):
        assert ended.status == 2 and re.search(message, ended.err), ended


@pytest.mark.parametrize("test, options", [
    *[(f"{name}_{metric}", f"-n 300 {events}") for name in ("send", "write", "read") for metric in ("bw", "lat")
      for events in ("", "-e") if (name, metric, events) != ("write", "lat", "-e")],
    # a list takes the credit of two messages
    ("send_bw", "-n 2000 -s 1k -r 64 -l 16"),
    # the receive queue of QP 5 would lie at an offset that libsiw cannot map (dev_siw_open())
    ("send_bw", "-n 100 -s 1k -q 16"),
])
def test_on_iwarp(siw: Lab, test: str, options: str) -> None:
    check(siw.pair(test, f"--cm --verify {options}"), "connect=rdma_cm")


def test_both_ways_on_iwarp(siw: Lab) -> None:
    check(siw.pair("send_bw", "--cm --verify -n 1000 -b"), "connect=rdma_cm", rows=2)
