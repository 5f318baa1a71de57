# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The zero-cost mode: in C, then every test of verbench with exact counts, and stock binaries."""

import shutil

import pytest

from harness.cases import commands, some_quick
from harness.emulated import Hca
from harness.in_c import run_in_c
from harness.rows import late_rounds


@pytest.mark.sanitized
def test_in_c(hca: Hca) -> None:
    run_in_c(hca, "soft_null")


@pytest.fixture
def null(hca: Hca) -> Hca:
    hca.env["SOFTHCA_MODE"] = "null"
    return hca


def count(hca: Hca, command: str) -> None:
    """Runs a command; what was sent was received."""
    row = hca.pair(*command.split(" ", 1)).passed().client_rows[0]
    if row["pattern"] != "stream" and row["transport"] != "RC":
        assert row.wrong(late_rounds(int(row["sent_messages"]))) == []
        assert row.number("sent_messages") >= 200
        return
    assert row.wrong("sent_messages>=1 lost~^0?$") == []
    # reflections come at once, without the peer: the run may end before the peer has sent its first message
    if "SOFTHCA_REFLECT" not in hca.env:
        assert row["received_messages"] in ("", row["sent_messages"])


SEND = ("", " -e", " -c UC", " -c UC -e", " -c UD", " -c UD -e", " --imm", " --imm -c UD -e", " -q 8 -l 8", " -b",
        " -b -e --imm")
WRITE = ("", " -e", " -c UC", " --imm", " --imm -c UC -e", " -q 64 -l 16 -b")


@pytest.mark.parametrize("command", [
    *some_quick([f"send_bw -n 3000{options}" for options in SEND]),
    *some_quick([f"write_bw -n 3000{options}" for options in WRITE], 1),
    *some_quick([f"{op}_bw -n 3000{options}" for options in ("", " -e", " -q 8") for op in ("read", "atomic")]),
    *some_quick(["send_bw -D 1 -c UD"], 0),
])
def test_streams(null: Hca, command: str) -> None:
    count(null, command)


@pytest.mark.parametrize("command", some_quick(commands("""
    send_lat -n 200, send_lat -n 200 --imm -c UD -e, read_lat -n 1000, send_lat -n 200 -e, send_lat -n 200 --imm -c UC,
    atomic_lat -n 1000, read_lat -n 1000 -e, atomic_lat -n 1000 -e, write_lat --imm -n 200
""")))
def test_ping_pongs(null: Hca, command: str) -> None:
    count(null, command)


@pytest.mark.parametrize("command", some_quick(commands("""
    write_lat -n 1000, send_lat -c UC -n 200, send_lat -c UD -n 200
"""), 1))
def test_reflections(null: Hca, command: str) -> None:
    """Nothing is copied, so a test that polls memory sees reflections only."""
    null.env["SOFTHCA_REFLECT"] = "100000"
    count(null, command)


def test_ahead_of_its_peer_a_ping_pong_never_waits(null: Hca) -> None:
    """Nothing depends on time, so no poll finds nothing, twice."""
    null.env["SOFTHCA_AHEAD"] = "1000000"
    for _ in range(2):
        assert null.pair("send_lat", "-n 100000 -s 64").passed().row["empty_polls"] == "0"


@pytest.mark.parametrize("command", some_quick(commands("""
    ib_write_bw -n 3000, ib_send_lat -n 200, ib_write_bw -n 3200 -l 16 -q 4, ib_send_bw -n 3000, ib_send_bw -n 3000 -e,
    ib_send_bw -n 3000 -c UD, ib_send_bw -n 3000 --use-srq, ib_read_bw -n 3000, ib_atomic_bw -n 3000,
    ib_read_lat -n 1000, ib_read_lat -n 1000 -e, ib_write_lat -n 1000
""")))
def test_stock(null: Hca, command: str) -> None:
    if not shutil.which(command.split()[0]):
        pytest.skip("perftest is not installed")
    if command.startswith("ib_write_lat"):
        null.env["SOFTHCA_REFLECT"] = "100000"
    null.stock(command.split(), listening=True)
