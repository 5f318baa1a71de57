# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench on the emulated HCA: every transport and opcode, polled and by events; payload verified at odd sizes;
several pairs at once; a killed process leaves nothing behind."""

import os
import re
from itertools import product
from pathlib import Path
from typing import Iterator

import pytest

from harness.cases import commands, one_in
from harness.emulated import Hca
from harness.killed import kill_server_of
from harness.profiles import profile_file
from harness.rows import csv_rows, Row
from harness.serving import serving


def verified(hca: Hca, command: str) -> Row:
    """Runs 'TEST OPTIONS' with --verify: both sides pass, and the first row (-b has two more) says emulated."""
    test, options = command.split(" ", 1)
    row = hca.pair(test, f"{options} --verify").passed().client_rows[0]
    assert row.wrong("status=ok emulated=1") == []
    return row


def reliable() -> Iterator[str]:
    for test, metric, events in product(("send", "write", "read", "atomic"), ("bw", "lat"), ("", " -e")):
        if (test, metric, events) == ("write", "lat", " -e"):
            continue
        # what a size does is the same with events
        sizes = [""] if test == "atomic" else [" -s 4097"] if events else [" -s 1", " -s 65535"]
        lists = [" -q 8 -l 8", " -b"] if metric == "bw" else []
        yield from (f"{test}_{metric} -n 500{options}{events}" for options in sizes + lists)


def unreliable() -> Iterator[str]:
    for metric in ("bw", "lat"):
        for options in ("-c UC", "-c UC -e", "-c UD", "-c UD -e", "--imm", "--imm -e", "--imm -c UC", "--imm -c UC -e",
                        "--imm -c UD", "--imm -c UD -e", "-I 64 -s 33"):
            yield f"send_{metric} -n 500 {options}"
        for options in ("-c UC", "--imm", "--imm -e", "--imm -c UC", "--imm -c UC -e", "-I 64 -s 33"):
            yield f"write_{metric} -n 500 {options}"


@pytest.mark.parametrize("command", one_in(5, [*reliable(), *unreliable(), *commands("""
    write_bw -n 500 -c UC -e
    atomic_bw -n 500 -A cmp_swap
    atomic_lat -n 500 -A cmp_swap
    send_bw -n 500 -c UD --locks off
    atomic_lat -n 500 -e --locks off
    send_bw -n 500 --walk same
    send_lat -n 500 --walk same
    read_lat -n 500 -s 33 --walk same
""")]))
def test_transport(hca: Hca, command: str) -> None:
    """With one buffer (--walk same) are also the tests of tests/pair/test_session."""
    verified(hca, command)


@pytest.mark.parametrize("api, columns", [
    ("--post-api wr", "post_api=wr poll_api=classic"),
    ("--poll-api extended", "post_api~^send poll_api=extended"),
    ("--post-api wr --poll-api extended -e", "post_api=wr poll_api=extended"),
])
@pytest.mark.parametrize("command", one_in(3, commands("""
    send_bw -n 500 -q 3 -l 4 -s 4097
    send_bw -n 500 -b --imm -I 64 -s 33
    send_bw -n 500 -c UD --imm
    write_bw -n 500 -c UC --imm
    read_bw -n 500
    send_lat -n 500 -q 5
    write_lat -n 500 --imm
    atomic_lat -n 500 -A cmp_swap
    atomic_lat -n 500 -A fetch_add
""")))
def test_second_api_to_post_and_to_poll(hca: Hca, command: str, api: str, columns: str) -> None:
    assert verified(hca, f"{command} {api}").wrong(columns) == []


@pytest.mark.parametrize("asked, used", [("auto", "off"), ("off", "off"), ("on", "on")])
def test_locks(hca: Hca, asked: str, used: str) -> None:
    """One thread owns the queues, so that they need none."""
    row = verified(hca, f"send_bw -n 500 -q 2 -e --locks {asked}")
    assert (row["locks"], row["peer_locks"]) == (used, used)


@pytest.mark.parametrize("command", one_in(4, commands("""
    send_bw -n 500 -s 1001 --threads 2
    send_bw -n 500 -s 1001 --threads 2 -e
    send_bw -n 500 -s 1001 --threads 2 -b
    send_bw -n 500 -s 1001 --threads 2 -b -e
    send_bw -n 500 -s 1001 --threads 2 -q 3 -l 4
    send_bw -n 500 -s 1001 --threads 2 -c UC --imm
    send_bw -n 500 -s 1001 --threads 2 -c UD
    send_bw -n 500 -s 1001 --threads 2 -c UD -b -e
    send_bw -n 500 -s 1001 --threads 2 --locks on
    write_bw -n 500 --threads 3 -q 2
    write_bw -n 500 --threads 3 -b -e
    read_bw -n 500 --threads 2 -e
    atomic_bw -n 500 --threads 2 -q 2 -b
""")))
def test_threads(hca: Hca, command: str) -> None:
    """Each thread of both sides has separate queue pairs."""
    verified(hca, command)


def test_fairness_of_two_threads(hca: Hca) -> None:
    row = verified(hca, "send_bw -D 1 -s 64 --threads 2 -q 2")
    for column in ("qp_fairness", "thread_fairness"):
        assert 0 < row.number(column) <= 1, column


@pytest.mark.parametrize("command", one_in(5, commands("""
    send_bw -n 4000 -s 4097
    send_bw -n 4000 -s 65535 -q 3 -e
    send_bw -n 4000 -s 99 -b
    send_bw -n 4000 -s 99 -c UC
    send_bw -n 4000 -s 99 -c UD
    write_bw -n 4000 -s 65535 -t 20 -l 4
    write_bw -n 4000 -s 4097 -b -q 2
    write_bw -n 4000 -s 1 --imm -e
    write_bw -n 4000 -s 4097 -c UC
    read_bw -n 4000 -s 4097 -q 3
    read_bw -n 4000 -s 65535 -e
    atomic_bw -n 60000
    atomic_bw -n 60000 -A cmp_swap
    send_lat -n 4000 -s 4097
    write_lat -n 4000 -s 1 --imm
    read_lat -n 4000 -s 4097
    atomic_lat -n 1000 -A cmp_swap
""")))
def test_walk_over_more_memory_than_is_in_flight(hca: Hca, command: str) -> None:
    """In rings that are no multiple of the size or of the list."""
    row = verified(hca, f"{command} --walk random --footprint 3M")
    assert row.wrong("walk=random footprint_bytes=3145728") == []


@pytest.mark.parametrize("command", one_in(5, commands("""
    send_bw -n 4000 -s 4097 --threads 2 -q 2
    write_bw -n 4000 -s 65535 --threads 3 -b
    atomic_bw -n 30000 -A cmp_swap --threads 2
    send_lat -n 1003 -s 99 -q 3
    write_lat -n 1003 --imm -q 5
    atomic_lat -n 1003 -A cmp_swap -q 3
""")))
def test_walk_is_divided_among_queue_pairs(hca: Hca, command: str) -> None:
    """Each thread walks over the same amount."""
    verified(hca, f"{command} --walk random --footprint 300k")


def test_three_pairs_at_once(hca: Hca) -> None:
    """They share a fabric and the QP numbers."""
    command = [hca.program("vb_send_bw"), "-n", 2000, "--verify"]
    ports = [hca.port() for _ in range(3)]
    running = [hca.start([hca.program("vb_send_bw"), "-p", port]) for port in ports]
    running += [hca.start([*command, "-s", 4097 + number, "-p", port, "127.0.0.1"])
                for number, port in enumerate(ports)]
    for program in running:
        assert program.wait().status == 0


@pytest.mark.parametrize("link, faults, said", [
    ("", "", "as fast as memory"),
    ("bandwidth=10G,delay=5us", "", "bandwidth=10G delay=5us"),
    ("bandwidth=2.5G,loss=1%", "post:EIO@7", "bandwidth=2.5G faults loss=1%"),
    ("delay=1500ns,stall=1ms/0.1s", "", "delay=1.5us stall=1ms/100ms"),
    ("bandwidth=10G,delay=5us,loss=1%,duplicate=0.1%,reorder=0.1%", "",
     "bandwidth=10G delay=5us loss=1% duplicate=0.1%..."),
])
def test_device_says_its_link(hca: Hca, link: str, faults: str, said: str) -> None:
    """Its firmware version names the settings of its link, so that they are in every row."""
    listed = hca.run([hca.program("verbench"), "list"], env={"SOFTHCA_LINK": link, "SOFTHCA_FAULTS": faults})
    text = " ".join(re.search(r"^softhca0 .*?(?=^  transport)", listed.out, re.M | re.S)[0].split())
    assert re.sub(r".* GUID \S* ", "", text) == f"emulated link {said}"


def test_row_says_both_links(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=5us"
    row = hca.pair("send_lat", "-n 10").passed().row
    said = "emulated link bandwidth=10G delay=5us"
    assert (row["firmware"], row["peer_firmware"]) == (said, said)


def test_rows_say_both_machines(hca: Hca) -> None:
    """Also those of the second test of a session, which asks the port again."""
    model = re.search(r"^model name\s*: *(.*)", Path("/proc/cpuinfo").read_text(), re.M)
    here = {"kernel": os.uname().release, "cpu_model": model[1][:63] if model else ""}
    if not Path("/sys/devices/system/cpu/cpu0/cpufreq").exists():
        here["governor"] = ""
    server = serving(hca)
    assert server.run("run", "--test send_bw,write_lat -n 10 --csv rows.csv").status == 0
    rows = csv_rows(server.folder / "rows.csv")
    assert [row["test"] for row in rows] == ["send_bw", "write_lat"]
    for row, (column, value) in product(rows, here.items()):
        assert (row[column], row[f"peer_{column}"]) == (value, value)


@pytest.mark.parametrize("profile, texts", [
    ("connectx-vport", ["transport IB", "  InfiniBand  400 Gbit/s (4X NDR)  ", "  LID ", "  needs GRH",
                        "    P_Keys 0x7fff 0x8001"]),
    ("efa", ["transport unspecified", "  unspecified  100 Gbit/s (4X EDR)  "]),
    ("siw", ["transport iWARP", "  Ethernet  "]),
])
def test_list_of_a_profile_in_80_columns(hca: Hca, profile: str, texts: list[str]) -> None:
    listed = hca.run([hca.program("verbench"), "list"], env={"SOFTHCA_PROFILE": profile_file(profile)}).out
    assert [text for text in texts if text not in listed] == [], listed
    assert [line for line in listed.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("options", ["", "--threads 3"])
def test_server_is_killed(hca: Hca, options: str) -> None:
    kill_server_of(hca, "write_bw", options)
