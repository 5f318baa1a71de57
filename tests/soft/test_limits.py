# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The limits of a server's owner that its processes enforce while sessions run: time, memory, descriptors."""

import os
import time
from pathlib import Path
from resource import RLIMIT_NOFILE, prlimit
from signal import SIGSTOP

import pytest

from harness.emulated import Hca
from harness.killed import children, session_of
from harness.programs import wait_until
from harness.rows import csv_rows, json_rows
from harness.serving import Serving, serving

ENDLESS = "vb_write_bw -n 1000000000000"
"""It has an end by count only, so that no limit of time refuses it."""

SILENCE = ["--max-idle", "6s", "--max-stall", "6s"]
"""A session may be silent for the first and twice the second: 18 s."""


def stop_session(served: Serving) -> None:
    """Stops the only session: it shows no sign of life any more."""
    session = session_of(served.server)
    os.kill(session, SIGSTOP)
    wait_until(lambda: "\nState:\tT" in Path(f"/proc/{session}/status").read_text(), "that the session is stopped")


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.full
def test_a_session_that_does_not_end_is_killed(hca: Hca) -> None:
    """Until then it has its memory, and no other session can have it."""
    served = serving(hca, "--max-point-time", "8", "--max-total-memory", "96M")
    client = served.measuring(f"{ENDLESS} --footprint 25M --interval 100ms")
    stop_session(served)
    refused = served.run(f"{ENDLESS} --footprint 25M")
    assert refused.status != 0
    assert "--max-total-memory 100663296 of the server's owner: the test asks for " in refused.err, refused
    served.server.until_says("is killed: --max-point-time 8s of the server's owner")
    assert client.wait().status != 0
    assert served.run("vb_write_bw -n 10 --footprint 25M").status == 0
    served.stop()


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.parametrize("limit, seconds", [("--max-point-time", 1), ("--max-session-time", 10)])
def test_a_test_ends_in_time(hca: Hca, limit: str, seconds: int) -> None:
    """It ends by itself, with what was measured: the point begins before the time of the session is over."""
    file = hca.folder / "rows.csv"
    assert serving(hca, limit, seconds).run(f"{ENDLESS} --csv {file}").status != 0
    row = csv_rows(file)[0]
    assert row["status"] == "interrupted" and f"{limit} {seconds}s of the server's owner is over" in row["reason"]


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.full
def test_a_silent_session_is_killed_between_points(hca: Hca) -> None:
    """Measurements of setup have no points: a session that shows no sign of life is killed, one that works is not."""
    served = serving(hca, *SILENCE)
    client = served.start("setup --stall-timeout 6s --only qp -n 1000000")
    client.until(lambda: children(served.server.pid), "a session")
    # longer than a session may be silent
    end = time.monotonic() + 20
    client.until(lambda: time.monotonic() > end, "a session that works")
    stop_session(served)
    served.server.until_says("is killed: --max-idle 6s and twice --max-stall 6s of the server's owner, "
                              "without a sign of life")
    assert client.wait().status != 0


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.full
def test_a_copy_may_take_longer_than_silence(hca: Hca) -> None:
    """A copy has no points, and its client says nothing on TCP while the windows move. This one takes 20 s."""
    source, taken = hca.folder / "long", hca.folder / "taken"
    source.write_bytes(b"x" * (32 << 20))
    taken.mkdir()
    served = serving(hca, *SILENCE, "--copy-to", taken)
    client = served.run(f"copy -s 64K --stall-timeout 6s {source} 127.0.0.1:long", hosts="",
                        env={"SOFTHCA_LINK": "bandwidth=13M"})
    assert client.status == 0
    assert (taken / "long").read_bytes() == source.read_bytes()


def test_limits_of_a_file(hca: Hca) -> None:
    """The command line replaces what the owner's file has."""
    port = hca.port()
    file = hca.folder / "serve.conf"
    file.write_text(f"# of this test\nsoft = yes\nport = {port}\nmax-threads = 1 # few\nmax-qps = 3\n")
    program = hca.start([hca.program("verbench"), "serve", "--config", file, "--max-threads", 2], preload=False)
    program.until_listens(port)
    served = Serving(hca, program, port, hca.folder)
    assert served.run("vb_write_bw -n 10 --threads 2").status == 0
    refused = served.run("vb_write_bw -n 10 --threads 2 -q 2")
    assert refused.status != 0
    assert "--max-qps 3 of the server's owner: the test asks for 4 queue pairs" in refused.err, refused


def test_queue_pairs_of_setup(hca: Hca) -> None:
    """The plan of setup has one QP, and then it asks for more, also by rdma_cm."""
    served = serving(hca, "--max-qps", "200")
    file = hca.folder / "rows.jsonl"
    assert served.run(f"setup --depth 8 --only qps,cms --qps 201 -n 1 --jsonl {file}").status == 0
    assert {(row["status"], row["reason"]) for row in json_rows(file)} == {
        ("unsupported", "--max-qps 200 of the server's owner: --qps 201")}


def test_memory_of_connections_of_setup(hca: Hca) -> None:
    """The plan needs little less than the limit: there is room for the queues of some 140 QPs."""
    served = serving(hca, "--max-memory", "1200K")
    # all rounds together have more
    assert served.run("setup --depth 8 --only qps,cms --qps 40 -n 400").status == 0
    assert served.run("setup --depth 8 --only cms --qps 200 -n 1").status != 0
    served.server.until_says("is rejected: --max-memory 1228800 of the server's owner: ")


def test_too_few_descriptors(hca: Hca) -> None:
    command = [hca.program("verbench"), "serve", "-p", hca.port()]
    ended = hca.run(["bash", "-c", 'ulimit -n 143 && exec "$@"', "_", *command])
    assert ended.status == 2
    assert "--max-sessions 16 needs 144 descriptors, and the hard limit is 143" in ended.err, ended


def test_a_server_has_the_descriptors_of_its_sessions(hca: Hca) -> None:
    """A session has those of select(2)."""
    served = serving(hca, "--max-sessions", "600", through=["bash", "-c", 'ulimit -Sn 24 && exec "$@"', "_"])
    served.measuring(f"{ENDLESS} --interval 100ms")
    assert prlimit(served.server.pid, RLIMIT_NOFILE)[0] == 1264
    assert prlimit(session_of(served.server), RLIMIT_NOFILE)[0] == 1024
    served.stop()
