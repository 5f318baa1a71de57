# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What the links of the emulated HCA did, from the file SOFTHCA_RECORD (softhca(1)), to compare rows with it."""

import csv
import re
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from harness.rows import Row

FIELDS = ["pid", "event", "qpn", "number", "bytes", "queued_ns", "begun_ns", "left_ns", "due_ns", "seen_ns"]
EDGE_NS = 20000


@dataclass(frozen=True)
class Event:
    """A line of the record. None: the event has no such field."""

    pid: int
    event: str
    qpn: int
    number: int | None
    bytes: int | None
    queued_ns: int | None
    begun_ns: int | None
    left_ns: int | None
    due_ns: int | None
    seen_ns: int | None


class Record:
    """The record of a run."""

    def __init__(self, file: Path):
        with file.open(newline="") as lines:
            self.events = [
                Event(int(pid), event, *(int(number) if number else None for number in numbers))
                for pid, event, *numbers in csv.reader(lines)]

    def of_size(self, size: int) -> "Record":
        """Only of the QPs that sent messages of this size, or had them as responses, and what was seen of them."""
        one = copy(self)
        qpns = {e.qpn for e in self.events if e.event in ("sent", "response") and e.bytes == size}
        one.events = [e for e in self.events if (e.bytes == size if e.event == "polled" else e.qpn in qpns)]
        return one

    def gbit_s(self, row: Row, counted: str) -> float:
        """The rate at which the link carried bytes in the window of the row. A message counts by its part in it.
        counted: the event at which the row counts it ('arrived', 'completed'). It is due some time after the message
        has left: the window is so much earlier.
        """
        due = {(e.qpn, e.number): e.due_ns for e in self.events if e.event == counted}
        begin = int(row["window_at_ns"])
        end = begin + int(row["window_ns"])
        carried = 0.0
        for e in self.events:
            if e.left_ns and (e.qpn, e.number) in due:
                later = due[e.qpn, e.number] - e.left_ns
                carried += e.bytes * inside(e, begin - later, end - later)
        return carried * 8 / (end - begin)

    def received_gbit_s(self, row: Row) -> float:
        """The rate at which the process of the receiver saw messages in the window of the row. Of the first one the
        window has no gap. A clock that is read next to the edge of a window may be on its other side."""
        begin = int(row["window_at_ns"])
        end = begin + int(row["window_ns"])
        seen = [e.bytes for e in self.events
                if e.event == "polled" and e.bytes and begin - EDGE_NS < e.seen_ns < end + EDGE_NS]
        return sum(seen[1:]) * 8 / (end - begin)

    def half_round_trip_ns(self, row: Row) -> float:
        """The median of the rounds in the window: from each request to its answer, which is on the other side the
        request with the same number."""
        first, second = self._sides()
        asked = {e.number: e.queued_ns for e in first if e.event == "sent"}
        answered = {e.number: e.seen_ns for e in second if e.event == "arrived"}
        return median(seen - asked[number] for number, seen in answered.items() if in_window(row, asked[number])) / 2

    def completion_ns(self, row: Row) -> float:
        """The median of the requests in the window: from each request to its completion."""
        asked = {(e.qpn, e.number): e.queued_ns for e in self.events if e.event == "sent"}
        seen = {(e.qpn, e.number): e.seen_ns for e in self.events if e.event == "completed"}
        return median(seen[request] - asked[request] for request in seen if in_window(row, asked[request]))

    def _sides(self) -> tuple[list[Event], list[Event]]:
        """The events of the two processes of a ping-pong: first the one that begins."""
        pids = list(dict.fromkeys(e.pid for e in sorted(self.events, key=lambda e: e.queued_ns or e.seen_ns)))
        assert len(pids) == 2, pids
        first, second = ([e for e in self.events if e.pid == pid] for pid in pids)
        return first, second


def sent_by(stats: Path, messages: int) -> dict[str, int]:
    """The counts of the process that sent so many messages, in the file SOFTHCA_STATS. Before the messages it sends a
    datagram that proves its address; more: how many others, because the peer did not answer in 100 ms."""
    counts = [{name: int(count) for name, count in re.findall(r"(\w+)=(\d+)(?= |$)", line)}
              for line in stats.read_text().splitlines()]
    found = [one for one in counts if messages <= one.get("sent", 0) < messages + 100]
    assert len(found) == 1, stats.read_text()
    return {**found[0], "more": max(found[0]["sent"] - messages - 1, 0)}


def in_window(row: Row, at_ns: int) -> bool:
    begin = int(row["window_at_ns"])
    return begin <= at_ns < begin + int(row["window_ns"])


def inside(e: Event, begin: int, end: int) -> float:
    """The part of the message that left in this time."""
    if e.left_ns == e.begun_ns:
        return float(begin <= e.left_ns < end)
    return max(0, min(e.left_ns, end) - max(e.begun_ns, begin)) / (e.left_ns - e.begun_ns)
