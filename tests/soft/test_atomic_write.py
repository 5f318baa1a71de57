# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--atomic write on the emulated HCA: what is stored is verified, it takes one of the responses that both sides limit,
and a device without it is refused by name. The verb itself: softhca/tests/verbs/atomic_write.c."""

import pytest

from harness.cases import some_quick
from harness.emulated import Hca
from harness.profiles import NAMES


@pytest.mark.parametrize("command", some_quick([
    "atomic_bw -q 3 -l 4", "atomic_lat", "atomic_bw -b -e", "atomic_lat -q 2 --completion hybrid",
    "atomic_bw --poll-api extended --threads 2", "atomic_bw --reverse", "atomic_bw --buffers odp --mw 2",
    "atomic_bw --rate 20k",
], 3))
def test_what_is_stored(hca: Hca, command: str) -> None:
    test, _, options = command.partition(" ")
    pair = hca.pair(test, f"{options} --atomic write -n 500 --verify").passed()
    # the directions of so short a run may have no sum
    for row in pair.client_rows[:1] + pair.server_rows[:1]:
        assert row.wrong("status=ok opcode=atomic_write post_api=wr size_bytes=8") == []
        assert int(row["verified_messages"]) > 0, row


def test_over_a_link_that_loses(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=5us,loss=1%,seed=3"
    hca.pair("atomic_bw", "--atomic write -n 300 -q 2 --verify -u 8").passed()


def test_it_takes_a_response(hca: Hca) -> None:
    """One at a time: 20 messages over a link of 2 ms there and 2 ms back are not done before 80 ms."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=2ms"
    row = hca.pair("atomic_bw", "--atomic write -n 20 -o 1 -u 20").passed().row
    assert row.wrong("outstanding=1") == []
    assert float(row["message_rate_per_s"]) <= 1 / 0.004, row


def test_the_zero_cost_mode_has_it(hca: Hca) -> None:
    hca.env["SOFTHCA_MODE"] = "null"
    hca.pair("atomic_bw", "--atomic write -n 2000").passed()


@pytest.mark.parametrize("profile", some_quick(sorted(set(NAMES) - {"soft", "efa"}), 2))
def test_a_device_without_it_is_refused(hca: Hca, profile: str) -> None:
    hca.env["SOFTHCA_PROFILE"] = profile
    client = hca.pair("atomic_bw", "--atomic write -n 10").client
    assert client.status == 2, client
    assert "has no atomic writes" in client.err, client


@pytest.mark.parametrize("options, message", [
    ("-c XRC", "atomic_write over XRC"), ("-c DC", "atomic_write over DC"), ("-c UC", "atomic_write over UC"),
    ("--post-api send", "--post-api send"), ("--buffers device", "--buffers device"),
    ("--buffers null", "--buffers null"),
])
def test_what_excludes_it(hca: Hca, options: str, message: str) -> None:
    client = hca.run([hca.program("vb_atomic_bw"), "--atomic", "write", *options.split(), "localhost"])
    assert client.status == 2, client
    assert message in client.err, client
