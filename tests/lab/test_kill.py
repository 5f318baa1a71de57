# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Either side of every test is killed during the measurement, on one node and on two. The other side must notice it,
not run into a time-out, report it, and write the row of what it has measured."""

from signal import SIGCONT, SIGINT, SIGKILL, SIGSTOP

import pytest

from harness.figures import is_sum
from harness.lab import ENDLESS, Lab, Running
from harness.programs import Ended, wait_until

pytestmark = [pytest.mark.full, pytest.mark.lab]

TESTS = [f"{name}_{metric}" for name in ("send", "write", "read", "atomic") for metric in ("bw", "lat")]

def survivor_of(running: Running, victim: str) -> Ended:
    """Kills the client, the session of the server, or the server with its session; waits for the other side."""
    sessions = running.server.children()
    assert len(sessions) == 1
    program, pids = {"client": (running.client, [running.client.pid]), "session": (running.server, sessions),
                     "server": (running.server, [*sessions, running.server.pid])}[victim]
    # a session that still lives when its server is gone ends in good order; a server without its session may have ended
    assert program.node.signal(pids[0], SIGKILL)
    for pid in pids[1:]:
        program.node.signal(pid, SIGKILL)
    return (running.server if victim == "client" else running.client).wait()


def check_survivor(running: Running, victim: str, ended: Ended, expected: str, rows: int = 1) -> None:
    assert 0 < ended.status < 124, ended
    assert "the peer" in ended.err and "is gone" in ended.err, ended
    side = "server" if victim == "client" else "client"
    found = [row for row in running.rows(side) if not is_sum(row)]
    assert len(found) == rows, ended
    for row in found:
        assert row.wrong(rf"role={side} status=incomplete reason~is\sgone {expected}") == [], ended


@pytest.mark.parametrize("victim, test, options", [
    *[(victim, test, "") for test in TESTS for victim in ("client", "server")],
    ("session", "send_bw", "-e"), ("client", "send_bw", "-c UD"), ("server", "send_bw", "-c UD -e"),
    ("client", "send_lat", "-c UC"), ("server", "send_lat", "-c UD"), ("client", "write_bw", "-c UC"),
    ("server", "write_bw", "-b -q 4"), ("client", "read_lat", "-e"),
])
def test_killed(one: Lab, victim: str, test: str, options: str) -> None:
    running = one.start_pair(test, f"{ENDLESS[test]} {options}")
    running.until_moved(2000)
    ended = survivor_of(running, victim)
    # a side that posts nothing and gets no completion measures nothing
    idle = victim == "client" and (test == "write_bw" or test.startswith(("read", "atomic")))
    if "-b" in options:
        check_survivor(running, victim, ended, "qps=4", rows=2)
    else:
        check_survivor(running, victim, ended, "messages=" if idle else "messages>=1")


@pytest.mark.parametrize("test, options", [
    *[(test, "") for test in ("send_bw", "write_bw", "send_lat", "read_bw")], ("send_bw", "-c UD")])
@pytest.mark.parametrize("victim", ["server", "client"])
def test_killed_on_another_node(lab: Lab, victim: str, test: str, options: str) -> None:
    running = lab.start_pair(test, f"{ENDLESS[test]} {options}")
    running.until_moved(2000)
    check_survivor(running, victim, survivor_of(running, victim), "")


def test_a_session_whose_server_is_killed_ends_the_run_and_reports_it(one: Lab) -> None:
    running = one.start_pair("send_bw", ENDLESS["send_bw"])
    running.until_moved(2000)
    session = running.server.children()[0]
    one.nodes[0].signal(running.server.pid, SIGKILL)
    ended = running.client.wait()
    assert ended.status == 1, ended
    row, = running.rows("client")
    assert row.wrong("status=incomplete messages>=1") == []
    wait_until(lambda: one.nodes[0].read(f"/proc/{session}/stat") is None, "the end of the session")


def test_a_second_interrupt_ends_a_client_whose_peer_does_not_answer(one: Lab) -> None:
    """After the first one it waits for the peer; another one, half a second later, ends it."""
    running = one.start_pair("send_bw", ENDLESS["send_bw"])
    running.until_moved(2000)
    session = running.server.children()[0]
    one.nodes[0].signal(session, SIGSTOP)

    def interrupted() -> bool:
        running.client.signal(SIGINT)
        return not running.client.running()

    wait_until(interrupted, "the end of the client")
    assert running.client.wait().status in (130, -SIGINT)
    one.nodes[0].signal(session, SIGCONT)
    server = running.server.wait()
    assert server.status == 1, server
    row, = running.rows("server")
    assert row.wrong(r"status=incomplete reason~is\sgone") == []
