# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Each message of the control connection is dropped, doubled, delayed, cut, changed, or the last one of its side.

proxy.c makes the fault. In a session with a key it sees records of TLS.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.chaos import STEP, run_session
from harness.emulated import Hca

pytestmark = pytest.mark.full


class Message(NamedTuple):
    """The message of this number of its type, from 0, of those that a side sends: 'c' is the client, 's' the server."""

    side: str
    type: str
    number: int


def to_fault(messages: list[str]) -> list[Message]:
    """The first and the second message of each type, and all records."""
    seen: Counter[str] = Counter()
    chosen = []
    for message in messages:
        side, of_type = message.split()
        if of_type == "record" or (seen[message] < 2 and of_type != "heartbeat"):
            chosen.append(Message(side, of_type, seen[message]))
        seen[message] += 1
    return chosen


def is_harmless(fault: str, message: Message, last: dict[str, int]) -> bool:
    """May both sides succeed? What is said after the result may be lost, and nobody reads what comes after it. No other
    record can be changed or sent again by who has no key."""
    if fault == "delay":
        return True
    if message.type == "record":
        side = message.side if fault == "double" else "c"
        return message.side == side and message.number == last[side]
    return fault in ("double", "flip") or message.type in ("bye", "sent", "alive")


def is_early(message: Message) -> bool:
    """May the server wait for a client? Before hello and plan there is none."""
    if message.type == "record":
        return message.number <= 4
    return message.type in ("hello", "plan", "copy", "setup", "check")


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("fault", ["drop", "double", "delay", "cut", "mute", "flip"])
@pytest.mark.parametrize("session", [
    "send_bw -n 2000", "write_lat -c UC -n 200", "send_bw --cm -n 500", "copy -s 64k",
    "setup --only mw,qp,cm -n 5 -q 2", "check", "send_lat -n 20 --key",
])
def test_both_sides_end_and_say_why(hca: Hca, proxy: Path, session: str, fault: str) -> None:
    whole = run_session(hca, session, proxy)
    assert whole.client.status == whole.served == 0 and not whole.broken(both=True), f"no fault: {whole}"
    last = {side: whole.messages.count(f"{side} record") - 1 for side in "cs"}
    broken = []
    for message in to_fault(whole.messages)[::STEP]:
        outcome = run_session(hca, session, proxy, f"{fault} {' '.join(map(str, message))}", is_early(message))
        print(message, outcome.client.status, "waits" if outcome.waits else outcome.served)
        broken += [f"{message}: {rule}" for rule in outcome.broken(is_harmless(fault, message, last))]
    assert not broken


def test_ud_to_the_address_of_another_device_is_refused(hca: Hca, proxy: Path) -> None:
    """A client says that it is at the address of softhca2: nothing comes to that device."""
    outcome = run_session(hca, "send_bw -c UD --both -D 1", proxy, "set:198.18.0.1=198.18.0.3 c endpoint 0")
    assert not outcome.broken()
    said = outcome.client.err + outcome.server.err
    assert "the peer named" in said or "nothing arrived from the address" in said, outcome
