# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--flow-label: which of two paths of equal cost each queue pair takes, by the records of the emulated fabric."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.link import Event, Record
from harness.rows import Row

BYTES = 8192
NEED_NS = BYTES * 80
"""At 100 Mbit/s."""
DELAY_NS = 10_000_000
"""Of the second spine: longer than a message of each of four queue pairs."""
NEAR, FAR = "0x3", "7"
"""From n0 to n2 these labels choose the first and the second spine."""


def fabric(hca: Hca, second: str = "100M delay=10ms") -> None:
    """Two leaves and two spines: two paths."""
    topology = hca.folder / "topology"
    topology.write_text("node n[0-1] leaf0 0\nnode n[2-3] leaf1 0\nuplink leaf0 spine0 100M\nuplink leaf1 spine0 0\n"
                        f"uplink leaf0 spine1 {second}\nuplink leaf1 spine1 0\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(topology)


def messages_of(file: Path, size: int) -> list[tuple[Event, Event]]:
    """When each message of that size was sent, and when it arrived."""
    events = Record(file).events
    arrived = {(e.qpn, e.number): e for e in events if e.event == "arrived"}
    return [(e, arrived[e.qpn, e.number]) for e in events if e.event == "sent" and e.bytes == size
            and (e.qpn, e.number) in arrived]


def measured(hca: Hca, options: str, test: str = "write_bw") -> tuple[Row, list[tuple[Event, Event]]]:
    """The row, and the messages of the client."""
    file = hca.folder / "record"
    file.unlink(missing_ok=True)
    hca.env["SOFTHCA_RECORD"] = str(file)
    row = hca.pair(test, f"--warm-up 0 {options}", at_client={"SOFTHCA_NODE": "n0"},
                   at_server={"SOFTHCA_NODE": "n2"}).passed().row
    return row, messages_of(file, int(row["size_bytes"]))


def spines(messages: Sequence[tuple[Event, Event]]) -> list[int]:
    """The spine of each queue pair, in the order in which they were made: all its messages take one."""
    taken: dict[int, set[int]] = {}
    for sent, arrived in messages:
        taken.setdefault(sent.qpn, set()).add(int(arrived.due_ns - sent.left_ns >= DELAY_NS))
    assert all(len(of) == 1 for of in taken.values()), taken
    return [taken[qpn].pop() for qpn in sorted(taken)]


@pytest.mark.parametrize("test, options, taken", [
    ("write_bw", f"-q 4 --flow-label {NEAR}", [0, 0, 0, 0]),
    ("write_bw", f"-q 4 --flow-label {FAR}", [1, 1, 1, 1]),
    ("write_bw", f"-q 4 --flow-label {NEAR},{FAR}", [0, 1, 0, 1]),
    ("write_bw", f"--threads 2 -q 1 --flow-label {FAR},{NEAR}", [1, 0]),
    ("send_bw", f"-c UC -q 3 --flow-label {FAR},{NEAR}", [1, 0, 1]),
    ("send_bw", f"-c UD -q 4 --flow-label {NEAR},{FAR},{FAR}", [0, 1, 1, 0]),
    ("send_bw", f"-c XRC -q 2 --flow-label {FAR},{NEAR}", [1, 0]),
])
def test_the_label_chooses_the_path(hca: Hca, test: str, options: str, taken: list[int]) -> None:
    fabric(hca)
    size = 4096 if "UD" in options else BYTES
    row, messages = measured(hca, f"-s {size} -n 10 -t 1 {options}", test)
    assert row["flow_label"] == options.split()[-1]
    assert spines(messages) == taken


def test_two_labels_carry_more_than_one(hca: Hca) -> None:
    """On a path no two messages arrive in less than the time that one needs; on two paths they do."""
    fabric(hca)

    def closest(labels: str) -> int:
        due = sorted(arrived.due_ns for _, arrived in measured(hca, f"-s {BYTES} -n 400 -q 2 --flow-label {labels}")[1])
        assert len(due) == 800
        return min(b - a for a, b in zip(due, due[1:]))

    assert closest(NEAR) >= NEED_NS - 1
    assert closest(FAR) >= NEED_NS - 1
    assert closest(f"{NEAR},{FAR}") < NEED_NS / 2 + 1


def test_the_row_names_the_bad_path(hca: Hca) -> None:
    fabric(hca, "10M")
    row = measured(hca, f"-s {BYTES} -D 0.5 -q 4 --flow-label {NEAR},{FAR}")[0]
    assert row["flow_label_worst"] == f"{int(FAR, 0):#x}"
    assert int(row["qp_messages_min"]) < int(row["qp_messages_max"]) and float(row["qp_fairness"]) < 1
    row = measured(hca, f"-s {BYTES} -D 0.5 -q 4 --flow-label {FAR}")[0]
    assert row["flow_label_worst"] == ""


def test_drop_in_program(hca: Hca) -> None:
    fabric(hca)
    hca.env["SOFTHCA_RECORD"] = str(hca.folder / "record")
    command = [hca.program("perftest/ib_write_bw"), "-s", BYTES, "-n", 10, "-t", 1, "-q", 3,
               f"--flow_label={FAR},{NEAR}", "-L", 9, "-p", hca.port()]
    server = hca.start(command, {"SOFTHCA_NODE": "n2"})
    client = hca.run([*command, "127.0.0.1"], {"SOFTHCA_NODE": "n0"})
    assert [client.status, server.wait().status] == [0, 0], client
    assert spines(messages_of(hca.folder / "record", BYTES)) == [1, 0, 1]
