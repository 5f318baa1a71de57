# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Receive queues that several peers share: SRQs, and one UD QP for all QPs of the sender. Counts are exact, also with
losses; limit events refill an SRQ; a killed server does not leave its client waiting."""

import pytest

from harness.cases import commands, some_quick
from harness.emulated import Hca
from harness.killed import kill_server_of
from harness.rows import Row, late_rounds


def check(hca: Hca, command: str, columns: str) -> Row:
    """Runs a command; the first row of its client is ok and has these columns (-b has two more rows)."""
    row = hca.pair(*command.split(" ", 1)).passed().client_rows[0]
    assert row.wrong(f"status=ok {columns}") == []
    return row


def rounds(transport: str, count: int) -> str:
    return f"lat_samples={count}" if transport == "RC" else late_rounds(count)


def of_each_transport() -> list[tuple[str, str]]:
    """Every kind that takes receives."""
    found = []
    for transport in ("RC", "UC", "UD"):
        streams = ["send_bw", "send_bw --imm"] + ["write_bw --imm"] * (transport != "UD")
        for stream in [f"{one} -c {transport}" for one in streams]:
            found += [(f"{stream} {events}-q {qps} -n 300 -s 999 --srq --verify",
                       f"messages={qps * 300} recv_queue=srq verified_messages>=1")
                      for qps in (4, 1, 64) for events in ("", "-e ")]
            found += [(f"{stream} -q 2 --threads 2 -n 300 --srq --verify", "messages=1200 lost=0"),
                      (f"{stream} -q 3 -b -n 300 --srq --verify", "sent_messages=900 lost=0")]
        found += [(f"send_lat -c {transport} -q 3 -n 100 {options}--srq --verify", rounds(transport, 300))
                  for options in ("", "--imm -e ")]
    return found


@pytest.mark.parametrize("command, columns", some_quick(of_each_transport()) + some_quick([
    ("send_bw -q 4 -n 300 --srq --verify --post-api wr -l 4", "messages=1200 lost=0"),
    ("send_bw -q 4 -n 300 --srq --verify --completion hybrid", "messages=1200 lost=0"),
    ("send_bw -q 4 -n 300 --srq --verify --poll-api extended", "messages=1200 lost=0"),
    ("write_lat -q 3 -n 100 --imm --srq --verify", "lat_samples=300"),
    # long and short walks; messages of many packets that end out of order
    ("send_bw -q 4 -n 4000 -s 99 --srq --verify --footprint 3M --walk random", "verified_messages>=4000"),
    ("send_bw -q 4 -n 500 -s 65537 -t 4 -r 8 --srq --verify", "messages=2000"),
    ("send_bw -q 4 -n 100 -r 1 -t 1 --srq --verify", "messages=400"),
    ("send_bw -q 4 -D 1 --srq", ""),
    ("send_bw -q 4 -D 1 -c UD --imm -e --srq", ""),
], 1))
def test_srq(hca: Hca, command: str, columns: str) -> None:
    check(hca, command, columns)


LIMITED = commands("""
    send_bw, send_bw -e, send_bw --completion hybrid, send_bw -c UC, send_bw -c UD -e
""")
EVENTS = "lost=0 srq_limit>=60 peer_srq_limit_events>=1"


# A list is 48 receives (-r 64 -t 8), so 20 messages never fill one: only the limit makes the thread post them again.
@pytest.mark.parametrize("command, columns", some_quick([
    *[(f"{one} -n 20 -r 64 -t 8 --srq --srq-limit 60 --verify", f"messages=20 {EVENTS}") for one in LIMITED],
    *[(f"{one} -q 4 -n 5000 -r 64 -t 8 --srq --srq-limit 250 --verify", f"messages=20000 {EVENTS}") for one in LIMITED],
], 1) + some_quick([
    ("send_lat -n 1000 --srq --srq-limit 60", "srq_limit_events>=1 peer_srq_limit_events>=1"),
    ("send_bw -q 4 -n 1000 --srq --srq-limit 0", "srq_limit=0 peer_srq_limit_events=0"),
    ("send_bw -n 100", "recv_queue=own srq_limit= peer_srq_limit_events="),
], 1))
def test_limit(hca: Hca, command: str, columns: str) -> None:
    check(hca, command, columns)


@pytest.mark.parametrize("command, columns", some_quick([
    (f"send_bw -c UD -q {qps} -n 300 --one-qp --verify{options}", f"messages={qps * 300} lost=0 recv_queue=one_qp")
    for qps in (4, 1, 64) for options in ("", " -e", " --imm", " --imm -e", " --poll-api extended")
]) + some_quick([
    ("send_lat -c UD -q 4 -n 100 --one-qp --verify", rounds("UD", 400)),
    ("send_lat -c UD -q 4 -n 100 --one-qp --imm -e", rounds("UD", 400)),
    ("send_bw -c UD -q 2 --threads 2 -n 300 --one-qp --verify", "messages=1200 lost=0"),
    ("send_bw -c UD -q 4 -D 1 --one-qp", "qp_messages_min>=1"),
], 1))
def test_one_qp_of_the_server_for_all_of_the_client(hca: Hca, command: str, columns: str) -> None:
    check(hca, command, columns)


# The server has the client's address from the first message of each QP.
@pytest.mark.parametrize("command, columns", some_quick([
    *[(f"send_bw -c UD -n 300 --ah first --verify {options}", "ah=first lost=0 verified_messages>=1")
      for options in ("-q 3", "-q 3 -e --threads 2", "-q 4 --srq -b", "-q 4 --one-qp --imm", "--post-api wr")],
    ("send_lat -c UD -n 100 -q 3 --one-qp --ah first --verify", f"ah=first {rounds('UD', 300)}"),
    ("send_bw -c UD -n 100", "ah=address"),
], 1))
def test_address_from_the_first_message(hca: Hca, command: str, columns: str) -> None:
    check(hca, command, columns)


# What is repeated must not take the receive that waits for what was lost. A seed is a pattern of losses.
SEEDS = [(f"send_bw -c UD -n 100 -q 8 --ah first --{options}", f"loss=20%,seed={seed},bandwidth=10G")
         for seed in range(1, 9) for options in ("srq", "one-qp --threads 2")]


@pytest.mark.parametrize("command, link", [
    pytest.param(command, link, id=f"{command} {link}", marks=[] if number in (1, 4) else pytest.mark.full)
    for number, (command, link) in enumerate([
        *[(f"send_bw -c UD -n 100 -q 8 --ah first{options}", "loss=30%,bandwidth=10G")
          for options in ("", " --srq", " --one-qp")],
        *SEEDS,
        ("send_bw -c UD -n 100 -q 64 --ah first --one-qp", "loss=20%,duplicate=20%,bandwidth=10G")])
])
def test_the_first_messages_may_be_lost(hca: Hca, command: str, link: str) -> None:
    hca.env["SOFTHCA_LINK"] = link
    qps = int(command.split("-q ")[1].split()[0])
    check(hca, command, f"ah=first lost>=1 sent_messages={100 * qps * (1 + ('--threads' in command))}")


@pytest.mark.parametrize("command", some_quick([
    *[f"send_bw -c {transport} -q 4 -n 2000 -s 500 {options}" for transport in ("UD", "UC")
      for options in ("--srq", "--srq --imm -e", "--srq -b --imm")],
    "send_bw -c UD -q 4 -n 2000 -s 500 --imm --one-qp",
], 1))
def test_what_was_sent_and_not_received_is_lost(hca: Hca, command: str) -> None:
    hca.env["SOFTHCA_LINK"] = "loss=2%,bandwidth=10G"
    row = check(hca, command, "sent_messages=8000 lost>=1")
    assert row.number("received_messages") + row.number("lost") == 8000


@pytest.mark.parametrize("command, columns", some_quick([
    ("send_bw -q 4 -n 200 -s 500 -u 10 --srq --verify", "messages=800 lost=0"),
    ("send_lat -c UC -q 4 -n 200 --srq", "lost>=1"),
    ("send_lat -c UD -q 4 -n 200 --srq", "lost>=1"),
], 1))
def test_a_link_that_loses(hca: Hca, command: str, columns: str) -> None:
    hca.env["SOFTHCA_LINK"] = "loss=2%,bandwidth=10G"
    check(hca, command, columns)


@pytest.mark.parametrize("options", some_quick(["--srq -q 4 -b -e", "--srq -q 4", "--srq -q 4 --threads 2 -c UD --imm",
                                                "--one-qp -q 4 -c UD"], 1))
def test_the_server_is_killed(hca: Hca, options: str) -> None:
    kill_server_of(hca, "send_bw", options)
