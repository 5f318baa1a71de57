# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What options ask of each request (--sge, --fence, --solicited, -s 0, --mw, --buffers, --disturb): with every
transport that has it, polled and by events, by both ways to post; payload verified."""

import re

import pytest

from harness.cases import commands, some_quick
from harness.emulated import Hca
from harness.profiles import profile_file


def ask(hca: Hca, command: str, columns: str) -> None:
    """Runs a command; the first row of its client has these columns (-b has two more). No side misses an event.

    A sender that waits for a processor for 40 ms between a completion at its peer and the event of it looks as if the
    event was lost: such a run is repeated.
    """
    test, options = command.split(" ", 1)
    for _ in range(3):
        pair = hca.pair(test, f"{options} --verify").passed()
        assert pair.client_rows[0].wrong(columns) == []
        codes = " ".join(row["warning_codes"] for row in pair.client_rows + pair.server_rows)
        if "missed_events" not in codes:
            return
    raise AssertionError(f"{codes}: {pair.client}")


# Messages in pieces, of sizes that do not divide, inline and not.
IN_PIECES = """
    send_bw --sge 4 -s 4097, send_bw --sge 3 -s 33 -c UC -e, write_bw --sge 5 -s 777, send_bw --sge 4 -s 4097 -e,
    send_bw --sge 32 -s 33 -c UD, send_bw --sge 2 -c UD -e, send_bw --sge 4 -b -I 64 -s 61,
    send_bw --sge 4 -q 3 -l 4 --imm, send_lat --sge 2, send_lat --sge 2 -s 4097 -e, send_lat --sge 5 -s 99 -c UC,
    send_lat --sge 5 -s 99 -c UD -e, write_bw --sge 5 -s 777 -c UC -e, write_bw --sge 30 -s 64 -I 64 -b,
    write_bw --sge 4 --imm -e, write_lat --sge 4 -s 5, write_lat --sge 4 -s 4097 -c UC, write_lat --sge 3 --imm -e,
    read_bw --sge 7 -s 70000, read_bw --sge 4 -b -e, read_lat --sge 4 -s 6, read_lat --sge 4 -e
"""


@pytest.mark.parametrize("command", [*some_quick(commands(IN_PIECES)),
                                     *some_quick(commands(IN_PIECES, "--post-api wr"), 1)])
def test_in_pieces(hca: Hca, command: str) -> None:
    pieces = re.search(r"--sge (\d+)", command)[1]
    ask(hca, f"{command} -n 500", f"sges={pieces}")


@pytest.mark.parametrize("command", some_quick(commands("""
    read_bw -l 4 --post-api wr, atomic_bw -A cmp_swap -e, send_bw -q 2 -l 4, send_lat -e -I 64, write_bw -b, write_lat,
    read_bw -e -b, read_lat, atomic_bw --post-api wr
""", "--fence")))
def test_requests_wait_for_those_before_them(hca: Hca, command: str) -> None:
    """On reads and atomics a fence has an effect."""
    ask(hca, f"{command} -n 500", "fence=1")


@pytest.mark.parametrize("command", some_quick(commands("""
    send_lat -e --solicited 1 -c UD, send_bw -e --solicited 7 -l 4 -q 3, write_bw --imm -c UC -e --solicited 5,
    send_bw -e --solicited 1, send_bw -e --solicited 16, send_bw -e --solicited 16 -b,
    send_bw -e --solicited 16 -b --imm --post-api wr, send_bw --completion hybrid --solicited 8,
    send_bw -c UC -e --solicited 3, send_bw -c UD -e --solicited 3, write_bw --imm -e --solicited 5,
    send_lat -e --solicited 1, write_lat --imm -e --solicited 1
""")))
def test_receivers_wait_for_some_messages_only(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -n 500", "solicited>=1")


@pytest.mark.parametrize("command", some_quick(commands("""
    send_bw -c UD -e --imm, read_bw -b --post-api wr, write_lat --imm, send_bw, send_bw -e -c UC, send_bw -c UD,
    send_bw --imm --post-api wr, send_lat, send_lat -e, send_lat --imm -c UC, send_lat --imm -c UD -e, write_bw -b,
    write_bw -c UC -e, write_bw --imm, write_bw --imm -c UC -e --post-api wr, write_lat --imm -c UC -e, read_bw -e,
    read_lat, read_lat -e
""", "-s 0")))
def test_messages_without_payload(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -n 500", "bytes=0")


# One-sided requests whose R_Key is that of a window; the region grants no remote right.
WINDOWS = """
    write_bw, read_bw -e --poll-api extended, write_bw -b -q 3 --threads 2, write_bw -c UC -e,
    write_bw --imm --locks on, write_bw --sge 3 --post-api wr, write_lat -I 64, write_lat -c UC, write_lat --imm -e,
    read_bw -b --post-api wr, read_lat -e, atomic_bw -q 2 -b, atomic_lat --post-api wr
"""


@pytest.mark.parametrize("command", [*some_quick(commands(WINDOWS, "--mw 1"), 1),
                                     *some_quick(commands(WINDOWS, "--mw 2"))])
def test_windows(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -n 500", f"mw={command[-1]}")


@pytest.mark.parametrize("command", some_quick(commands("""
    send_bw -e, read_bw -b --mw 2, send_bw -c UD, send_lat -c UC, write_bw --sge 3, write_lat -c UC, atomic_bw -e
""", "--buffers odp")))
def test_memory_for_paging_on_demand(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -n 500", "buffers=odp")


@pytest.mark.parametrize("command", some_quick(commands("""
    write_bw -b -q 2, read_lat -e, send_bw -c UD
""", "--buffers prefetch")))
def test_memory_that_is_prefetched(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -n 500", "buffers=prefetch")


def test_no_paging_on_demand(hca: Hca) -> None:
    hca.env["SOFTHCA_PROFILE"] = str(profile_file("efa"))
    pair = hca.pair("send_bw", "-c UD -n 10 --buffers prefetch")
    assert pair.client.status == 2, pair.client
    assert "on-demand paging" in pair.client.err


@pytest.mark.parametrize("command", some_quick(commands("""
    send_bw -e -c UC -s 1001, read_bw -s 4099 --sge 2 -e, write_bw -b -s 2001 --threads 2, send_bw, send_bw -c UD,
    send_bw -c UD -e -s 7 -q 2, send_bw -s 4097 --sge 3, send_bw --srq -q 3 -s 999, send_lat -s 33,
    send_lat -c UC --imm -e, send_lat -c UD --imm -s 3, send_lat -c UD --imm --ah first, write_bw,
    write_bw -c UC -e -s 5 --post-api wr, write_bw --imm -e, write_lat --imm -s 9, write_bw -s 0, read_bw -b,
    read_lat -s 3, atomic_bw -q 2 -b, atomic_lat -A cmp_swap
""", "--buffers device")))
def test_memory_of_the_device(hca: Hca, command: str) -> None:
    """Sizes that are no multiple of a word are read and written beside the words of others."""
    ask(hca, f"{command} -n 500", "buffers=device")


@pytest.mark.parametrize("command", some_quick(commands("""
    write_bw -e -b, write_bw --mw 2 -q 3, write_lat --imm, read_bw -s 4099 --sge 2, read_lat -e, send_bw -c UD,
    send_bw --srq -q 3 -s 999 -e, send_lat --post-api wr
""", "--buffers null")))
def test_null_memory(hca: Hca, command: str) -> None:
    """Nothing is left that could be verified."""
    test, options = command.split(" ", 1)
    pair = hca.pair(test, f"{options} -n 500").passed()
    assert pair.client_rows[0].wrong("buffers=null") == []


@pytest.mark.parametrize("command", some_quick(commands("""
    write_bw -q 3 -s 999, write_bw -b -q 2 --threads 2 -e, write_bw -c XRC -q 3, write_bw --mw 2 -q 3,
    write_lat -q 2, read_bw -q 3 -s 4099 --sge 2, atomic_bw -q 3 -b, send_bw -q 3 --srq, send_bw -c UD -q 3 --one-qp,
    send_bw --buffers odp -q 2
""", "--regions 1") + commands("""
    write_bw -q 3 -s 999, read_bw -q 2 -s 4099 --sge 2 --walk random, atomic_bw -b, send_bw -q 2 --srq,
    write_bw -c XRC -q 2, send_bw -c UD, write_bw --buffers prefetch
""", "--regions 7")))
def test_several_regions(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -n 500", f"regions={command[-1]}")


def test_regions_are_an_axis_of_a_sweep(hca: Hca) -> None:
    pair = hca.pair("write_bw", "-n 500 -s 64 --regions 0,1,16,512").passed()
    assert [row["regions"] for row in pair.client_rows] == ["0", "1", "16", "512"]


def test_no_null_memory(hca: Hca) -> None:
    hca.env["SOFTHCA_PROFILE"] = str(profile_file("rxe"))
    pair = hca.pair("write_bw", "-n 10 --buffers null")
    assert pair.client.status == 2, pair.client
    assert "ibv_alloc_null_mr: EOPNOTSUPP" in pair.client.err


def test_more_than_the_device_has(hca: Hca) -> None:
    pair = hca.pair("write_bw", "-s 200000 -n 10 --buffers device")
    assert pair.client.status == 2, pair.client
    assert "262144 (max_dm_size)" in pair.client.err


# Queues that change while they are in use: nothing is lost, neither completion nor event.
QUEUES_IN_USE = """
    send_bw -b -e, send_bw -q 3, write_bw -c UC --imm -e, read_bw --poll-api extended, send_bw -c UD --threads 2,
    send_lat -e, atomic_bw -l 4
"""


@pytest.mark.parametrize("command", [*some_quick(commands(QUEUES_IN_USE, "--disturb cq"), 1),
                                     *some_quick(commands(QUEUES_IN_USE, "--disturb sq"), 1)])
def test_queues_that_change_while_in_use(hca: Hca, command: str) -> None:
    ask(hca, f"{command} -D 1", "disturbances>=2")
