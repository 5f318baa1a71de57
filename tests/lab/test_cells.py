# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Every transport x opcode x completion, bandwidth and latency: the rows of both sides, and the packets that each rxe0
has counted. These counters do not depend on the program."""

import pytest

from harness.emulated import Pair
from harness.lab import Lab, Node, check

pytestmark = [pytest.mark.full, pytest.mark.lab]

WATCHED = ("sent_pkts", "rcvd_pkts", "send_rnr_err", "rcvd_rnr_err")

OPCODES = {  # the test, and the options of the opcode
    "send": ("send", ""), "send_imm": ("send", "--imm"), "write": ("write", ""), "write_imm": ("write", "--imm"),
    "read": ("read", ""), "cmp_swap": ("atomic", "-A cmp_swap"), "fetch_add": ("atomic", "-A fetch_add"),
}


def cells() -> list[tuple[str, str, str, str]]:
    """Metric, completion, transport, opcode."""
    opcodes = {"RC": list(OPCODES), "UC": ["send", "send_imm", "write", "write_imm"], "UD": ["send", "send_imm"]}
    return [(metric, completion, transport, opcode) for metric in ("bw", "lat") for completion in ("poll", "event")
            for transport in opcodes for opcode in opcodes[transport]
            # the target of a plain write gets no completion, so it cannot sleep
            if (metric, completion, opcode) != ("lat", "event", "write")]


def run_cell(lab: Lab, metric: str, completion: str, transport: str, opcode: str) -> tuple[Pair, int, int]:
    """The result, the number of messages, and that of the packets of a message."""
    name, options = OPCODES[opcode]
    count = 200 if metric == "bw" else 60
    size, packets = (8, 1) if name == "atomic" else (1000, 1) if transport == "UD" else (5000, 5)
    options += f" -c {transport} --completion {completion} --verify -m 1024 -n {count}"
    # few receives: a receiver that was held up could find all messages at its first look, and would not sleep
    options += " -r 16" if (completion, metric, name) == ("event", "bw", "send") else ""
    options += f" -s {size}" if name != "atomic" else ""
    pair = lab.pair_undisturbed(f"{name}_{metric}", options)
    check(pair, f"transport={transport} opcode={opcode} completion={completion} test={name}_{metric} "
                f"size_bytes={size} sent_messages={count}")
    return pair, count, packets


def check_counts(pair: Pair, metric: str, transport: str, opcode: str, count: int) -> None:
    """What the rows of both sides count."""
    expected = ""
    if transport == "RC":
        expected += f"messages={count} "
    if metric == "lat":
        expected += f"lat_samples={count} " + ("lost=0" if opcode.startswith(("send", "write")) else "lost=")
    elif transport != "RC" and opcode != "write":
        # an uncongested link loses nothing, and credits keep the sender from outrunning the receives
        expected += f"lost=0 messages={count}"
    for row in (pair.row, pair.server_row):
        assert row.wrong(expected) == []


def packets_since(node: Node, before: list[int]) -> tuple[int, int]:
    """Packets that its device has sent and received since."""
    sent, received, *errors = (now - then for now, then in zip(node.counters(*WATCHED), before))
    assert errors == [0, 0], f"a message found no receive at node {node.number}, in spite of credits"
    return sent, received


@pytest.mark.parametrize("metric, completion, transport, opcode", cells())
def test_cell(lab: Lab, node1: Node, node2: Node, metric: str, completion: str, transport: str, opcode: str) -> None:
    before = [node.counters(*WATCHED) for node in lab.nodes]
    pair, count, packets = run_cell(lab, metric, completion, transport, opcode)
    check_counts(pair, metric, transport, opcode, count)
    sender, receiver = (0, 1) if opcode == "read" else (1, 0)
    moved = [packets_since(node, counters) for node, counters in zip(lab.nodes, before)]
    assert moved[sender][0] >= count * packets
    assert moved[receiver][1] >= count * packets
    # a side that waits for an answer sleeps; a sender of a stream may not
    if (metric, completion) == ("lat", "event"):
        assert pair.row.wrong("events>=1") == []
        if opcode.startswith("send"):
            assert pair.server_row.wrong("events>=1") == []


def test_a_receiver_of_bandwidth_by_events_sleeps(lab: Lab) -> None:
    """One that is always late never finds its queue empty: it happens, but not in each of the cells."""
    kinds = [(transport, opcode) for transport in ("RC", "UC", "UD") for opcode in ("send", "send_imm")]
    assert any(run_cell(lab, "bw", "event", *kind)[0].server_row.wrong("events>=1") == [] for kind in kinds)
