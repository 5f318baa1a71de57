# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench pingpong on the emulated HCA: what it prints is consistent and has the form of ibv_rc_pingpong, over RC, UC
and UD, polled and by events, with one receive queue for all QPs too."""

import re
import shutil

import pytest

from harness.emulated import Hca
from harness.programs import Ended
from harness.rows import csv_rows


def pingpong(hca: Hca, *options: object) -> tuple[Ended, Ended]:
    """Both sides of a ping-pong; the options are the client's."""
    return hca.stock([hca.program("verbench"), "pingpong"], options)


def iterations(side: Ended, size: int, count: int) -> int:
    """Checks the figures of a side, which are rounded, against each other. Returns what was not lost on the way."""
    figures = r"^([0-9.]+) %s in ([0-9.]+) seconds = ([0-9.]+) %s"
    sent, seconds, mbit = re.search(figures % ("bytes", "Mbit/sec"), side.out, re.M).groups()
    done, same, usec = re.search(figures % ("iters", "usec/iter"), side.out, re.M).groups()
    # over UC and UD, on a busy machine
    more = re.search(r"^(\d+) more iters timed out", side.out, re.M)
    assert int(done) + int(more[1] if more else 0) == count, side
    assert int(sent) == size * int(done) * 2, side
    assert seconds == same, side
    assert float(mbit) == pytest.approx(int(sent) * 8 / (float(seconds) * 1e6), rel=0.005, abs=0.006), side.out
    assert float(usec) == pytest.approx(float(seconds) * 1e6 / int(done), rel=0.005, abs=0.006), side.out
    return int(done)


def addresses(side: Ended, whose: str) -> list[str]:
    """The addresses that a side prints, of 'local' or 'remote'."""
    return re.findall(rf"^  {whose} address: *(.*)", side.out, re.M)


def form(side: Ended) -> list[str]:
    """The lines without the numbers, and without what ibv_rc_pingpong does not print. The progress is part of that: a
    busy machine prints it after ten seconds."""
    left_out = r"^emulated|: waiting for|more iters timed out| of \d* messages, "
    text = re.sub(r"0x[0-9a-f]+", "X", side.out + side.err)
    text = re.sub(r"^[0-9.]+", "N", re.sub("GID .*", "GID", text), flags=re.M)
    return [re.sub(r" [0-9.]+ ", " N ", line) for line in text.splitlines() if not re.search(left_out, line)]


@pytest.mark.parametrize("size, count, options", [
    (4096, 1000, "-c RC"),
    (4096, 1000, "-c UC -e"),
    (1024, 1000, "-c UD"),
    (4096, 1000, "--srq -c RC -e"),
    (4096, 1000, ""),
    (1, 3000, "-s 1 -n 3000"),
    (1048576, 20, "-s 1M -n 20"),
    *[pytest.param(size, 1000, options, marks=pytest.mark.full) for size, options in [
        (4096, "-c RC -e"), (4096, "-c UC"), (1024, "-c UD -e"), (4096, "--srq -c RC"), (4096, "--srq -c UC"),
        (4096, "--srq -c UC -e"), (1024, "--srq -c UD")]],
])
def test_figures_are_consistent(hca: Hca, size: int, count: int, options: str) -> None:
    file = hca.folder / "rows.csv"
    client, server = pingpong(hca, *options.split(), "--csv", file)
    done = iterations(client, size, count)
    iterations(server, size, count)
    assert len(addresses(client, "local")) == 1
    assert addresses(client, "local") == addresses(server, "remote")
    assert addresses(client, "remote") == addresses(server, "local")
    (row,) = csv_rows(file)
    assert row.wrong(f"test=send_lat lat_samples={done}") == []


def test_each_run_has_other_psns(hca: Hca) -> None:
    psns = [psn for _ in range(3) for psn in re.findall("PSN 0x[0-9a-f]*", pingpong(hca)[0].out)]
    assert len(set(psns)) == 6, psns


def test_send_lat_prints_a_table(hca: Hca) -> None:
    pair = hca.pair("send_lat", "-n 100").passed()
    assert " iters in " not in pair.client.out + pair.server.out


def test_the_server_says_that_the_client_runs_another_test(hca: Hca) -> None:
    port = hca.port()
    server = hca.start([hca.program("verbench"), "pingpong", "-p", port])
    hca.run([hca.program("vb_write_bw"), "-p", port, "-n", 100, "127.0.0.1"])
    ended = server.wait()
    assert re.search("^the client runs write_bw", ended.out + ended.err, re.M), ended


@pytest.mark.parametrize("transport", ["rc", "uc"])
def test_the_form_is_that_of_the_stock_program(hca: Hca, transport: str) -> None:
    program = f"ibv_{transport}_pingpong"
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    stock, _ = hca.stock([program, "-g", 0], listening=True)
    ours, _ = pingpong(hca, "-c", transport.upper())
    assert form(ours) == form(stock)
