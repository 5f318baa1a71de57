# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Rows of a running point (--interval): they are there while it runs, on both sides, and add up to its row; a point
that runs until the user ends it (-D forever); what is left when a side is killed."""

import json
import os
from itertools import accumulate
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

import pytest

from harness.cases import some_quick
from harness.emulated import Hca
from harness.killed import session_of, threads, until_idle
from harness.programs import Program, words
from harness.rows import json_rows

SIDES = ("client", "server")
SUMS = ("messages", "window_messages", "window_ns", "bytes", "lat_samples", "cpu_ns", "polls", "events")


class Running:
    """A server and a client that measures, both with the option --soft; their rows go to files."""

    def __init__(self, hca: Hca, test: str, options: str):
        self.folder = hca.folder
        port = hca.port()
        self.server = self.start(hca, "server", f"verbench serve -p {port}")
        self.server.until_listens(port)
        self.client = self.start(hca, "client", f"vb_{test} -p {port} {options.format(port=port)} 127.0.0.1")

    def start(self, hca: Hca, side: str, command: str) -> Program:
        program, *options = words(command)
        files = ["--jsonl", self.file(side), "--json", self.folder / f"{side}.json"]
        at = 1 if program == "verbench" else 0
        return hca.start([hca.program(program), *options[:at], "--soft", *files, *options[at:]], preload=False)

    def file(self, side: str) -> Path:
        return self.folder / f"{side}.jsonl"

    def rows(self, side: str) -> list[dict]:
        return json_rows(self.file(side))

    def text(self, side: str) -> str:
        """The rows while they are written: the last line may not be whole."""
        return self.file(side).read_text() if self.file(side).exists() else ""

    def document(self, side: str) -> dict:
        return json.loads((self.folder / f"{side}.json").read_text())

    def until_rows(self, count: int) -> None:
        """Waits until both sides have written some rows, while the point runs."""
        for side in SIDES:
            self.client.until(lambda: self.text(side).count("\n") >= count, f"{count} rows of the {side}")
        assert self.client.running()

    def end(self) -> "Running":
        """Both must exit with 0; the server is asked to."""
        ended = self.client.wait()
        assert ended.status == 0, ended
        until_idle(self.server)
        stopped = self.server.stop()
        assert stopped.status == 0, stopped
        return self


def adds_up(rows: list[dict], least: int = 1) -> None:
    """Intervals are numbered, lie end to end, and add up to the result after them, in each direction."""
    ways: dict[tuple, list[dict]] = {}
    for row in rows:
        if (row["pattern"], row["direction"]) != ("stream", "both"):
            ways.setdefault((row["direction"], row.get("receiver")), []).append(row)
    assert ways
    for way, (*intervals, result) in ways.items():
        assert result["kind"] == "result", way
        assert len(intervals) >= least, way
        assert {(row["kind"], row["status"]) for row in intervals} == {("interval", "ok")}, way
        assert [row["interval"] for row in intervals] == list(range(len(intervals))), way
        # an interval without messages has no window
        ends = accumulate(row["window_ns"] or 0 for row in intervals)
        assert [row["interval_start_ns"] for row in intervals] == [0, *ends][:-1], way
        for column in SUMS:
            assert sum(row.get(column) or 0 for row in intervals) == (result.get(column) or 0), (way, column)


@pytest.mark.parametrize("command", some_quick([
    "send_bw -b -q 2 --threads 2 -s 4k", "read_lat -e", "send_bw", "send_bw -c UD -b -e", "write_bw -s 64",
    "read_bw --completion hybrid", "send_lat", "write_lat -c UC",
]))
def test_rows_are_written_while_the_point_runs(hca: Hca, command: str) -> None:
    """It cannot end before they are seen."""
    test, _, options = command.partition(" ")
    running = Running(hca, test, f"{options} -D forever --interval 100ms")
    running.until_rows(2)
    if (hca.folder / "client.json").exists():
        assert running.document("client")["status"] == "running"
    running.client.signal(SIGINT)
    running.end()
    for side in SIDES:
        rows, document = running.rows(side), running.document(side)
        adds_up(rows, 2)
        assert document["status"] == "ok"
        kinds = [row["kind"] for row in rows]
        assert len(document["intervals"]) == kinds.count("interval")
        assert len(document["rows"]) == kinds.count("result")
    assert [line for line in running.client.out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("number", [SIGINT, SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_the_user_of_the_server_ends_a_point_without_end(hca: Hca, number: Signals) -> None:
    running = Running(hca, "send_bw", "-c UD -D forever")
    # the head of the table is printed when both sides have agreed; then the session starts the thread of the loop
    running.client.until_says("each row: until")
    session = session_of(running.server)
    running.server.until(lambda: threads(session) > 1, "a second thread of the session")
    assert running.server.stop(number).status == 0
    ended = running.client.wait()
    client, server = ([row["status"] for row in running.rows(side)] for side in SIDES)
    # a request that comes before the loops run ends the run, not the point
    assert (ended.status, client, server) in [(0, ["ok"], ["ok"]), (1, ["interrupted"], ["interrupted"])], ended


@pytest.mark.parametrize("victim", ["client", "server", "listener"])
def test_a_side_is_killed(hca: Hca, victim: str) -> None:
    """Its whole lines stay; the row of the other one is not ok, and nobody has interrupted it. listener: the process of
    the server that listens, not the one of the session."""
    running = Running(hca, "send_bw", "-s 4k -D forever --interval 100ms")
    running.until_rows(3)
    if victim == "client":
        running.client.kill()
        running.server.until(lambda: '"kind":"result"' in running.text("server"), "the row of the server")
    else:
        os.kill(session_of(running.server) if victim == "server" else running.server.pid, SIGKILL)
        assert running.client.wait().status == 1
    running.server.stop()
    killed, other = SIDES if victim == "client" else SIDES[::-1]
    assert running.text(killed).count('"kind":"interval"') >= 3
    adds_up(running.rows(other), 3)
    last = running.rows(other)[-1]
    assert last["status"] == "incomplete" and "is gone" in last["reason"]


@pytest.mark.parametrize("options", some_quick(["-n 50 --interval 1h --warm-up 20", "-D 1 --interval 250ms"], 1))
def test_each_point_has_an_interval(hca: Hca, options: str) -> None:
    running = Running(hca, "send_bw", options).end()
    for side in SIDES:
        adds_up(running.rows(side))


def test_each_size_has_an_interval(hca: Hca) -> None:
    rows = Running(hca, "send_lat", "-a -n 30 --interval 1h").end().rows("server")
    assert len(rows) > 40
    assert [row["kind"] for row in rows] == ["interval", "result"] * (len(rows) // 2)


@pytest.mark.full
def test_each_receiver_of_a_group_has_rows(hca: Hca) -> None:
    group = "-c UD --mcast 239.1.2.3 -D 1 --interval 200ms 127.0.0.1:{port}"
    rows = Running(hca, "send_bw", group).end().rows("client")
    adds_up(rows)
    assert len({row["receiver"] for row in rows}) == 2
