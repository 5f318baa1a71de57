# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Faults and the link: in C, then how verbench reports them. A fault is set for one side only."""

import re

import pytest

from harness.emulated import Hca
from harness.in_c import run_in_c
from harness.link import sent_by


@pytest.mark.sanitized
@pytest.mark.parametrize("program", ["soft_faults", "soft_link"])
def test_in_c(hca: Hca, program: str) -> None:
    run_in_c(hca, program)


@pytest.mark.parametrize("side, fault, message, test, options", [
    *[("client", f"wc:{status}@100", f"send of message 99 failed .*: {status} ", "send_bw", "-n 5000")
      for status in ("REM_ACCESS_ERR", "RETRY_EXC_ERR", "GENERAL_ERR")],
    ("server", "wc:GENERAL_ERR@2", "credit message .* failed .*: GENERAL_ERR ", "send_bw", "-n 20000"),
    ("server", "wc:RNR_RETRY_EXC_ERR@50", "send of message .* failed .*: RNR_RETRY_EXC_ERR ", "send_lat", "-n 5000"),
    ("client", "wc:LOC_QP_OP_ERR@7", "failed .*: LOC_QP_OP_ERR ", "send_bw", "-c UD -n 5000"),
    # the first call posts the receives; the lists have four requests
    ("client", "post:EIO@50", "post of request 192 .*: Input/output error", "send_bw", "-n 5000 -l 4"),
    ("client", "post:EIO@1", "post 16 receives .*: Input/output error", "send_bw", "-n 5000"),
    ("server", "post:ENOMEM@3", "post of a credit message .*: Cannot allocate memory", "send_bw", "-n 20000"),
    # the time begins when the device is opened, and the point must have begun by then, also where a side has no
    # processor for some seconds
    ("client", "port-down@8s+100s", "PORT_ERR: the link went down", "write_bw", "-D 600"),
    ("server", "async:DEVICE_FATAL@8s", "DEVICE_FATAL: the device failed", "send_bw", "-D 600"),
])
def test_failure(hca: Hca, side: str, fault: str, message: str, test: str, options: str) -> None:
    """The side with the fault prints what failed; the other side prints the message of its peer."""
    pair = hca.pair(test, options, **{f"at_{side}": {"SOFTHCA_FAULTS": fault}})
    here, there = (pair.client, pair.server) if side == "client" else (pair.server, pair.client)
    assert (here.status, there.status) == (1, 1)
    assert re.search(message, here.err), here
    assert re.search(f"reports: .*{message}", there.err), there
    for row in (pair.row, pair.server_row):
        assert row["status"] in ("failed", "incomplete")


def test_a_change_is_no_failure(hca: Hca) -> None:
    changes = "async:LID_CHANGE@1ms,async:GID_CHANGE@2ms,async:CLIENT_REREGISTER@3ms"
    pair = hca.pair("send_bw", "-n 50000", at_client={"SOFTHCA_FAULTS": changes}).passed()
    assert pair.row["status"] == "ok"


@pytest.mark.parametrize("transport", ["UC", "UD"])
@pytest.mark.parametrize("link", [
    "loss=1%",
    # with the default seed the last message has a copy, which comes after the end of the receiver's window
    "duplicate=1%,seed=2",
    "bandwidth=1G,reorder=1%,reorder_by=100ms",
])
def test_row_counts_what_the_link_did(hca: Hca, transport: str, link: str) -> None:
    """All messages may come while the receiver sleeps: there are receives for messages and copies, so that only the
    link loses any. Before the messages are datagrams that prove the address: one, or more while nobody answers, which
    the link may lose, too."""
    stats = hca.folder / "stats"
    hca.env["SOFTHCA_STATS"] = str(stats)
    options = f"-c {transport} --imm -n 5000 -s 1024 -r 8000 --warm-up 0"
    pair = hca.pair("send_bw", options, at_client={"SOFTHCA_LINK": link}).passed()
    did = sent_by(stats, 5000)
    assert did["lost"] + did["duplicated"] + did["reordered"] > 0, "the link did nothing"
    for column, count in (("lost", "lost"), ("duplicated", "duplicated"), ("out_of_order", "reordered")):
        assert did[count] - did["more"] <= int(pair.row[column]) <= did[count], stats.read_text()


def test_a_seed_decides_what_is_lost(hca: Hca) -> None:
    first, same, other = (hca.run([hca.program("softhca/tests/soft_link"), "losses"],
                                  env={"SOFTHCA_LINK": f"loss=1%,seed={seed}"}).out for seed in (7, 7, 8))
    assert first.strip() and other.strip()
    assert first == same
    assert first != other
