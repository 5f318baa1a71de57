# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench --cm with the stock librdmacm: every kind over RC and UD, many QPs, sides that are killed or interrupted."""

import os
from itertools import product
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals

import pytest

from harness.emulated import Hca
from harness.in_c import run_in_c
from harness.killed import children, until_gone
from harness.profiles import profile_like

KINDS = [
    *product(["send_bw", "send_lat", "write_bw", "read_bw", "read_lat", "atomic_bw", "atomic_lat"], [""]),
    *product(["send_bw", "send_lat"], ["-c UD", "-c UD --imm", "--imm"]),
    *product(["write_bw", "write_lat"], ["--imm"]),
    ("send_bw", "-b"), ("write_bw", "-b"), ("send_bw", "-b -c UD"),
]
CASES = [
    *((test, f"-n 200 --verify {options} {events}") for events in ("", "-e") for test, options in KINDS),
    ("write_lat", "-n 200 --verify"),
    ("send_bw", "-n 200 --verify --srq -q 4"),
    ("send_bw", "-n 200 --tclass 32 -u 16 --retry 3 --rnr-retry 2 --min-rnr-timer 10"),
    ("send_bw", "-a -n 20"),
    ("send_bw", "-n 20 -s 1k -q 64 --threads 2"),
    ("send_bw", "-n 20 -s 1k -q 64 --threads 2 -c UD"),
    ("write_bw", "-n 20 -s 64 -q 1000"),
    *((test, f"-n 200 -q 3 --outstanding {most} --verify") for most in (1, 4, 16) for test in ("read_bw", "atomic_bw")),
]
QUICK = ["send_bw -n 200 --verify", "read_lat -n 200 --verify -e", "send_lat -n 200 --verify -c UD --imm",
         "send_bw -n 200 --verify --srq -q 4", "send_bw -n 20 -s 1k -q 64 --threads 2 -c UD"]


def case(test: str, options: str) -> object:
    """A case with its name; all but some are for the full run."""
    name = " ".join([test, *options.split()])
    return pytest.param(test, options, id=name, marks=[] if name in QUICK else pytest.mark.full)


@pytest.mark.parametrize("test, options", [case(*each) for each in CASES])
def test_connected_by_cm(hca: Hca, test: str, options: str) -> None:
    """The row says that the test was connected by it."""
    pair = hca.pair(test, f"{options} --cm").passed()
    assert {row["connect"] for row in pair.client_rows} == {"rdma_cm"}


def test_attributes_are_the_same_by_tcp_and_by_cm(hca: Hca) -> None:
    """The RNR timer and the retry counts are the plan's, which rdma_cm does not know: a sender without receives would
    else wait 655 ms for each."""
    tcp, cm = (hca.pair("read_bw", f"-n 20 {cm}").passed().row for cm in ("", "--cm"))
    for column in ("qp_timeout", "retry", "rnr_retry", "min_rnr_timer", "outstanding", "mtu_bytes"):
        assert tcp[column] == cm[column] != "", column


def test_uc_is_refused_with_the_reason(hca: Hca) -> None:
    ended = hca.run([hca.program("vb_send_bw"), "--cm", "-c", "UC", "127.0.0.1"])
    assert ended.status == 2 and "no port space for UC" in ended.err, ended


@pytest.mark.parametrize("program", ["vb_send_bw", "perftest/ib_send_bw", "verbench copy", "verbench setup"])
@pytest.mark.parametrize("options, state, status, message", [
    ("-d none-such", "active", 2, "no RDMA device is called none-such"),
    ("-i 9", "active", 2, "port 9 does not exist"),
    ("-d softhca0", "down", 1, "no active port of softhca0"),
])
def test_a_client_without_its_device_asks_no_server(hca: Hca, program: str, options: str, state: str, status: int,
                                                    message: str) -> None:
    """Nobody listens there: who asks fails with another cause."""
    profile = profile_like(hca.folder / "own.conf", "bnxt_re", port_state=state)
    name, *command = program.split()
    host = [__file__, "127.0.0.1:copy"] if "copy" in command else ["127.0.0.1"]
    ended = hca.run([hca.program(name), *command, *options.split(), "-p", hca.port(), *host],
                    {"SOFTHCA_PROFILE": profile})
    assert message in " ".join(ended.err.split()), ended
    assert ended.status == (1 if "perftest" in program else status), ended


def files_of(pid: int) -> list[Path]:
    """The files of a process where the processes of a user meet."""
    return [file for parent in ("/run", "/tmp", "/dev/shm", "/var/tmp")
            for file in Path(parent).glob(f"softhca-{os.geteuid()}/*.{pid}.*")]


@pytest.mark.parametrize("who, number, message", [
    ("server", SIGKILL, "is gone"), ("client", SIGKILL, "is gone"), ("client", SIGTERM, "interrupted"),
], ids=["the server is killed", "the client is killed", "the user stops the client"])
def test_a_side_ends_in_the_middle(hca: Hca, who: str, number: Signals, message: str) -> None:
    """The other one ends, says why, and nothing is left behind."""
    port = hca.port()
    server = hca.start([hca.program("vb_send_bw"), "-p", port])
    client = hca.start([hca.program("vb_send_bw"), "--cm", "-D", 600, "-q", 4, "-p", port, "127.0.0.1"])
    client.until_says("each row")
    users = [client.pid, *children(server.pid)]
    assert all(map(files_of, users))
    ending, other = (server, client) if who == "server" else (client, server)
    os.killpg(ending.pid, number)
    ended = other.wait()
    ending.wait()
    until_gone(users)
    assert ended.status == 1 and (message in ended.err or "reports" in ended.err), ended
    # the next one removes what a killed one has left
    run_in_c(hca, "soft_place", "leave")
    assert not any(map(files_of, users))
