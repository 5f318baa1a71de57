# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--qp-rate: the emulated HCA paces QPs, and nothing left on its link faster; devices that do not pace are named."""

import re

import pytest

from harness.emulated import Hca

MBIT_S = 200
SIZE = 65536


def left(hca: Hca, qps: int = 1) -> float:
    """Mbit/s of the payload that left the client, without the last message of each QP, which begins in its turn."""
    ports = [dict(re.findall(r"(\w+)=(\S+)", line)) for line in (hca.folder / "stats").read_text().splitlines()]
    port = max(ports, key=lambda p: int(p["bytes"]))
    return (int(port["bytes"]) - SIZE * qps) * 8e3 / (int(port["departed_last_ns"]) - int(port["departed_first_ns"]))


# without pacing such a link, and memory even more, carries several Gbit/s on any machine
@pytest.mark.parametrize("test, options, qps", [
    ("write_bw", "", 1), ("write_bw", "-q 2", 2), ("send_bw", "-c UC", 1), ("write_bw", "-R", 1),
    ("write_bw", "--rate 1M -l 1", 1),
])
def test_no_qp_is_faster(hca: Hca, test: str, options: str, qps: int) -> None:
    hca.env |= {"SOFTHCA_LINK": "bandwidth=100G", "SOFTHCA_STATS": str(hca.folder / "stats")}
    row = hca.pair(test, f"-s {SIZE} -n 64 --warm-up 0 --qp-rate {MBIT_S}M {options}").passed().row
    assert row.wrong(f"qp_rate_bit_s={MBIT_S}000000 messages={64 * qps}") == []
    assert left(hca, qps) <= MBIT_S * qps * 1.001


def test_drop_in_program(hca: Hca) -> None:
    hca.env |= {"SOFTHCA_LINK": "bandwidth=100G", "SOFTHCA_STATS": str(hca.folder / "stats")}
    command = [hca.program("perftest/ib_write_bw"), "-s", SIZE, "-n", 64, f"--rate_limit={MBIT_S}000",
               "--rate_limit_type=PP", "-p", hca.port()]
    server = hca.start(command)
    assert [ended.status for ended in (hca.run([*command, "127.0.0.1"]), server.wait())] == [0, 0]
    assert left(hca) <= MBIT_S * 1.001


@pytest.mark.parametrize("profile, transport, reason", [
    ("irdma-roce", "RC", "paces no QPs"),
    ("connectx-roce-lag", "RC", "paces only QPs of raw Ethernet"),
    ("bnxt_re", "UD", "paces only QPs of RC"),
])
def test_refused_by_name(hca: Hca, profile: str, transport: str, reason: str) -> None:
    hca.env["SOFTHCA_PROFILE"] = profile
    pair = hca.pair("send_bw", f"-c {transport} -n 10 --qp-rate 1G")
    assert pair.client.status == 2
    assert reason in pair.client.err
