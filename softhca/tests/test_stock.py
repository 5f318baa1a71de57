# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Programs of ibverbs-utils and perftest run on the emulated HCA without a change: server and client exit with 0."""

import re
from itertools import product
from typing import Iterator

import pytest

from harness.cases import commands, full
from harness.emulated import Hca
from harness.installed import need

QUICK = """
    ibv_rc_pingpong -g 1 -e, ibv_uc_pingpong, ibv_ud_pingpong -g 0, ibv_srq_pingpong -e, ibv_xsrq_pingpong
    ib_send_bw -n 2000, ib_send_bw -n 2000 -c XRC -b, ib_send_bw -n 2000 -c UD -e
    ib_write_bw -n 2000 -q 8 -l 16 -b, ib_write_lat -n 40 -s 8388608
    ib_read_bw -n 2000 --use_old_post_send, ib_read_lat -n 2000 -e, ib_atomic_bw -n 2000 -q 8, ib_atomic_lat -n 2000
"""


def pingpongs() -> Iterator[str]:
    for kind, options in product(("rc", "uc", "ud", "srq"), ("", " -e", " -g 0", " -g 1 -e")):
        # an address handle needs a GID
        if kind != "ud" or "-g" in options:
            yield f"ibv_{kind}_pingpong{options}"
    yield "ibv_rc_pingpong -N -c"
    yield from (f"ibv_xsrq_pingpong{options}" for options in ("", " -e", " -g 0", " -g 1 -e -n 500"))


def perftest() -> Iterator[str]:
    """The options depend on the test: no events for write, only RC for read and atomics."""
    for test, metric in product(("send", "write", "read", "atomic"), ("bw", "lat")):
        options = ["-n 2000"]
        # 8 MiB each: as many as are in flight and a few more. Each size costs 0.2 s of a processor, whose frequency
        # is measured
        if test != "atomic":
            options += [f"-n {140 if metric == 'bw' else 40} {'-a' if test == 'send' else '-s 8388608'}"]
        # not ib_send_lat: harness/emulated.py, stock()
        events = test != "write" and (test, metric) != ("send", "lat")
        options += ["-n 2000 -e"] if events else []
        options += ["-n 2000 -c XRC", "-n 1000 -c XRC --use_old_post_send"]
        if metric == "bw":
            options += ["-n 2000 " + more for more in ("-q 8", "-l 16", "-b", "-q 8 -l 16 -b", "--use_old_post_send",
                                                       "-c XRC -q 4", "-c XRC -b")]
        options += ["-n 2000 " + more for more in {
            "send": ["-c UC", "-c UD", "-I 64 -s 64", "--use-srq"],
            "write": ["-c UC", "-I 64 -s 64"],
        }.get(test, [])]
        options += ["-n 2000 " + more for more in {
            "send_bw": ["-c UC -e", "-c UD -e", "-q 4 --use-srq", "-c UD -b", "-c UD -q 8", "-c UD -l 16"],
            "write_bw": ["-c UC -b", "-c UC -q 8"],
        }.get(f"{test}_{metric}", [])]
        yield from (f"ib_{test}_{metric} {one}" for one in options)


def cases() -> list:
    quick = commands(QUICK)
    every = [*pingpongs(), *perftest()]
    assert set(quick) <= set(every)
    return [pytest.param(one, id=one, marks=[] if one in quick else full) for one in every]


@pytest.mark.parametrize("command", cases())
def test_runs(hca: Hca, command: str) -> None:
    need(command.split()[0])
    hca.stock(command.split(), listening=True)


def test_ibv_devinfo_shows_an_emulated_device(hca: Hca) -> None:
    need("ibv_devinfo")
    ended = hca.run(["ibv_devinfo"])
    assert ended.status == 0
    assert re.search("fw_ver:.*emulated", ended.out)
