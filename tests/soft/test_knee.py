# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--find-knee: what it says is compared with the rows of its trials, whatever the machine did meanwhile. Whether it
finds the knee of theory is in tests/unit/test_knee.c."""

from dataclasses import dataclass
from typing import Optional

import pytest

from harness.emulated import Hca
from harness.programs import Ended
from harness.rows import Row, csv_rows
from harness.serving import serving

SERVICE = {"SOFTHCA_LINK": "bandwidth=200M"}
"""1000 bytes in 40 us: 25,000 messages per second."""

LEAST = 4000
"""1200 messages in 300 ms. A short trial of this rate is as long as a full one."""


def search(hca: Hca, command: str, bound: str) -> tuple[Ended, list[Row]]:
    at = serving(hca, env=SERVICE)
    ended = at.run(command, f"-s 1000 -D 0.3 --find-knee {bound} --csv knee.csv", env=SERVICE)
    return ended, csv_rows(at.folder / "knee.csv")


@dataclass(frozen=True)
class Load:
    """What the full trials of a rate say: enough of them met the goal, or enough did not."""

    rate: float
    meets: Optional[bool]


def meets(trial: Row, bound_ns: float) -> bool:
    return trial["response_p99_ns"] != "" and trial.number("response_p99_ns") <= bound_ns and \
        "saturated" not in trial["warning_codes"].split()


def full_trials(trials: list[Row]) -> list[Row]:
    """Those after the last short one."""
    short = [i for i, row in enumerate(trials) if "--duration 300ms " not in row["cell"]][-1] + 1
    rates = [row.number("rate_intended_per_s") for row in trials]
    if rates[short] == LEAST and LEAST not in rates[:short]:
        short += 1
    return trials[short:]


def loads(rows: list[Row], bound_ns: float) -> list[Load]:
    full = full_trials(rows[1:])
    found = []
    for rate in sorted({row.number("rate_intended_per_s") for row in full}):
        met = [meets(row, bound_ns) for row in full if row.number("rate_intended_per_s") == rate]
        assert len(met) <= 3
        found.append(Load(rate, True if met.count(True) >= 2 else False if met.count(False) >= 2 else None))
    return found


def capacity(row: Row) -> float:
    return row.number("message_rate_per_s") if row["test"].endswith("_bw") else 0.5e9 / row.number("lat_mean_ns")


def assert_consistent(ended: Ended, rows: list[Row], bound_ns: float) -> None:
    """The status, and the interval of the last line, follow from the rows."""
    if len(rows) == 1:
        # a machine that is so busy that it sends less than the lowest load
        assert ended.status == 1 and capacity(rows[0]) < LEAST
        return
    assert all(row["status"] == "ok" for row in rows)
    assert rows[0]["rate_intended_per_s"] == "" and all(row["rate_intended_per_s"] for row in rows[1:])
    full = loads(rows, bound_ns)
    assert None not in [load.meets for load in full]
    lower = max((load.rate for load in full if load.meets), default=None)
    upper = min((load.rate for load in full if not load.meets), default=None)
    found = lower is not None and upper is not None
    assert ended.status == (0 if found else 1), ended
    if lower is not None and upper is not None:
        assert lower < upper <= lower / 0.98 * 1.001
        assert f"between {lower:.15g} and {upper:.15g} messages/s" in ended.out.splitlines()[-1]


@pytest.mark.parametrize("command", ["vb_send_bw -e --arrival poisson", "run --test send_lat"])
def test_an_interval(hca: Hca, command: str) -> None:
    """A machine without other programs meets the bound at a part of the capacity."""
    ended, rows = search(hca, command, "5ms")
    assert_consistent(ended, rows, 5e6)


def test_both_ways(hca: Hca) -> None:
    """Both directions of a trial must meet the bound, and their sum has no times."""
    ended, rows = search(hca, "vb_write_bw -e --both", "30us")
    assert ended.status == 1, ended
    assert len(rows) % 3 == 0
    assert [row["direction"] for row in rows] == ["to_server", "to_client", "both"] * (len(rows) // 3)


def test_no_load_meets_the_bound(hca: Hca) -> None:
    ended, rows = search(hca, "vb_send_bw", "30us")
    assert ended.status == 1, ended
    assert_consistent(ended, rows, 30e3)
    assert ended.err.count("no knee") == 1
    assert {load.meets for load in loads(rows, 30e3)} == {False}


def test_trials_that_are_too_short(hca: Hca) -> None:
    """The link carries 500 messages in 100 ms, and a p99 needs 1000."""
    slow = {"SOFTHCA_LINK": "bandwidth=40M"}
    at = serving(hca, env=slow)
    ended = at.run("vb_send_bw", "-s 1000 -D 0.1 --find-knee 2ms --csv knee.csv", env=slow)
    assert ended.status == 1, ended
    assert len(csv_rows(at.folder / "knee.csv")) == 1
