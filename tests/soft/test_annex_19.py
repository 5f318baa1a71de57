# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Annex A19 on the emulated HCA, --atomic write and --flush: what is written is verified, each takes one of the
responses that both sides limit, and a device without them is refused by name. The verbs alone are in
softhca/tests/verbs/annex_19.c."""

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


@pytest.mark.parametrize("command", some_quick([
    "write_bw -q 3 -l 4 --flush global", "write_lat --flush persistent", "write_bw -b -e --flush global_mr",
    "write_lat -q 2 --completion hybrid --flush persistent_mr", "write_bw --cm --flush global",
    "write_bw --poll-api extended --threads 2 --flush global", "write_bw --reverse --flush persistent",
    "write_bw --buffers odp --flush global", "write_lat --rate 20k --flush global", "write_bw -I 64 --flush global",
    "write_bw --sge 3 -l 2 -Q 4 --flush global", "write_bw -s 256k --flush persistent",
    "write_lat -s 0 --flush global",
], 4))
def test_what_is_flushed(hca: Hca, command: str) -> None:
    test, _, options = command.partition(" ")
    size = "" if options.startswith("-s") else " -s 64"
    pair = hca.pair(test, f"-n 500{size} {options} --verify").passed()
    how = options.rpartition(" ")[2]
    pattern = "probe" if test == "write_lat" else "stream"
    for row in pair.client_rows[:1]:
        assert row.wrong(f"status=ok opcode=write_flush post_api=wr flush={how} pattern={pattern}") == []
        assert int(row["outstanding"]) > 0, row


def test_a_flush_over_a_link_that_loses(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=5us,loss=1%,seed=3"
    hca.pair("write_bw", "--flush global -s 3000 -n 300 -q 2 --verify -u 8").passed()


def test_both_requests_have_room(hca: Hca) -> None:
    """The longest depth is half of the longest queue, and it is refused by name beyond that."""
    hca.env["SOFTHCA_PROFILE"] = str(hca.folder / "short.conf")
    (hca.folder / "short.conf").write_text("max_qp_wr = 64\n")
    hca.pair("write_bw", "--flush global -t 32 -n 500 --verify").passed()
    client = hca.pair("write_bw", "--flush global -t 33 -n 10").client
    assert client.status == 2, client
    assert "room for 32" in client.err, client


@pytest.mark.parametrize("test, options", [
    ("atomic_bw", "--atomic write"), ("write_bw", "-s 8 --flush global"),
])
def test_it_takes_a_response(hca: Hca, test: str, options: str) -> None:
    """One at a time: 20 messages over a link of 2 ms there and 2 ms back are not done before 80 ms."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=2ms"
    hca.env["SOFTHCA_PROFILE"] = str(hca.folder / "one.conf")
    (hca.folder / "one.conf").write_text("max_rd_atomic = 1\nmax_init_rd_atomic = 1\n")
    row = hca.pair(test, f"{options} -n 20 -u 20").passed().row
    assert row.wrong("outstanding=1") == []
    assert float(row["message_rate_per_s"]) <= 1 / 0.004, row


@pytest.mark.parametrize("test, options", [("atomic_bw", "--atomic write"), ("write_bw", "--flush persistent")])
def test_the_zero_cost_mode_has_it(hca: Hca, test: str, options: str) -> None:
    hca.env["SOFTHCA_MODE"] = "null"
    hca.pair(test, f"{options} -n 2000").passed()


@pytest.mark.parametrize("profile", some_quick(sorted(set(NAMES) - {"soft", "efa"}), 2))
@pytest.mark.parametrize("test, options, message", [
    ("atomic_bw", "--atomic write", "has no atomic writes"),
    ("write_bw", "--flush global", "has no flush to global visibility"),
    ("write_lat", "--flush persistent_mr", "has no flush to persistence"),
])
def test_a_device_without_it_is_refused(hca: Hca, profile: str, test: str, options: str, message: str) -> None:
    hca.env["SOFTHCA_PROFILE"] = profile
    client = hca.pair(test, f"{options} -n 10").client
    assert client.status == 2, client
    assert message in client.err, client


def test_a_device_may_have_one_type_of_flush(hca: Hca) -> None:
    profile = hca.folder / "global.conf"
    profile.write_text("rc = send send_imm write write_imm read fetch_add cmp_swap flush_global\n")
    hca.env["SOFTHCA_PROFILE"] = str(profile)
    hca.pair("write_bw", "--flush global_mr -n 200 --verify").passed()
    client = hca.pair("write_bw", "--flush persistent -n 10").client
    assert client.status == 2, client
    assert "has no flush to persistence" in client.err, client


@pytest.mark.parametrize("options, message", [
    ("-c XRC", "write_flush over XRC"), ("-c DC", "write_flush over DC"), ("-c UC", "write_flush over UC"),
    ("--post-api send", "--post-api send"), ("--imm", "--imm"), ("--mw 2", "--mw"),
    ("--buffers device", "--buffers device"),
])
def test_what_excludes_a_flush(hca: Hca, options: str, message: str) -> None:
    client = hca.run([hca.program("vb_write_bw"), "--flush", "global", *options.split(), "localhost"])
    assert client.status == 2, client
    assert message in client.err, client


@pytest.mark.parametrize("options, message", [
    ("-c XRC", "atomic_write over XRC"), ("-c DC", "atomic_write over DC"), ("-c UC", "atomic_write over UC"),
    ("--post-api send", "--post-api send"), ("--buffers device", "--buffers device"),
    ("--buffers null", "--buffers null"),
])
def test_what_excludes_it(hca: Hca, options: str, message: str) -> None:
    client = hca.run([hca.program("vb_atomic_bw"), "--atomic", "write", *options.split(), "localhost"])
    assert client.status == 2, client
    assert message in client.err, client
