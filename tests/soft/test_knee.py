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
class Trial:
    """The rows of one trial, of both ways those of the two directions."""

    rows: list[Row]

    @property
    def rate(self) -> float:
        return self.rows[0].number("rate_intended_per_s")

    @property
    def is_short(self) -> bool:
        return "--duration 300ms " not in self.rows[0]["cell"]

    def meets(self, bound_ns: float) -> bool:
        return all(row["response_p99_ns"] != "" and row.number("response_p99_ns") <= bound_ns and
                   "saturated" not in row["warning_codes"].split() for row in self.rows)


def trials(rows: list[Row]) -> list[Trial]:
    single = [row for row in rows if row["bidir"] == "0" or row["direction"] != "both"]
    each = 2 if rows[0]["bidir"] == "1" else 1
    return [Trial(single[i:i + each]) for i in range(0, len(single), each)]


def full_trials(all_trials: list[Trial]) -> list[Trial]:
    """Those after the last short one."""
    short = [i for i, trial in enumerate(all_trials) if trial.is_short][-1] + 1
    rates = [trial.rate for trial in all_trials]
    if rates[short] == LEAST and LEAST not in rates[:short]:
        short += 1
    return all_trials[short:]


def loads(all_trials: list[Trial], bound_ns: float) -> dict[float, Optional[bool]]:
    """What the full trials of a rate say: enough of them met the goal, or enough did not."""
    full = full_trials(all_trials)
    found = {}
    for rate in sorted({trial.rate for trial in full}):
        met = [trial.meets(bound_ns) for trial in full if trial.rate == rate]
        assert len(met) <= 3
        found[rate] = True if met.count(True) >= 2 else False if met.count(False) >= 2 else None
    return found


def capacity(closed: Trial) -> float:
    """A side that had no processor all the time has no figure."""
    return min(float(row["message_rate_per_s"] or 0) if row["test"].endswith("_bw") else
               0.5e9 / float(row["lat_mean_ns"] or "inf") for row in closed.rows)


def assert_consistent(ended: Ended, rows: list[Row], bound_ns: float) -> None:
    """The status, the last line and the row of the knee follow from the rows of the trials."""
    knee = [row for row in rows if row["kind"] == "knee"]
    closed, *tried = trials([row for row in rows if row["kind"] == "result"])
    if not tried:
        # a machine that is so busy that it sends less than the lowest load
        assert ended.status == 1 and capacity(closed) < LEAST and not knee
        return
    assert rows[-1:] == knee
    assert all(row["status"] == "ok" for trial in tried for row in trial.rows)
    assert not closed.rows[0]["rate_intended_per_s"]
    full = loads(tried, bound_ns)
    assert None not in full.values()
    lower = max((rate for rate, meets in full.items() if meets), default=None)
    upper = min((rate for rate, meets in full.items() if not meets), default=None)
    found = lower is not None and upper is not None
    assert ended.status == (0 if found else 1), ended
    assert knee[0]["status"] == ("ok" if found else "failed")
    assert [knee[0][name] for name in ("knee_low_per_s", "knee_high_per_s")] == \
        ["" if rate is None else f"{rate:.9g}" for rate in (lower, upper)]
    assert knee[0].number("knee_bound_ns") == bound_ns and knee[0].number("knee_trials") == len(tried)
    assert knee[0].number("knee_capacity_per_s") == pytest.approx(capacity(closed), rel=1e-8)
    assert (knee[0]["cell"], knee[0]["size_bytes"]) == (closed.rows[0]["cell"], "1000")
    if lower is not None and upper is not None:
        assert lower < upper <= lower / 0.98 * 1.001
        assert f"between {lower:.15g} and {upper:.15g} messages/s" in ended.out.splitlines()[-1]


@pytest.mark.parametrize("command", ["vb_send_bw -e --arrival poisson", "run --test send_lat"])
def test_an_interval(hca: Hca, command: str) -> None:
    """A machine without other programs meets the bound at a part of the capacity."""
    ended, rows = search(hca, command, "5ms")
    assert_consistent(ended, rows, 5e6)


def test_both_ways(hca: Hca) -> None:
    """Both directions of a trial must meet the bound, and their sum has no times. A machine that is so busy that no
    trial meets it shows nothing."""
    ended, rows = search(hca, "vb_write_bw -e --both", "10s")
    assert_consistent(ended, rows, 10e9)


def test_no_load_meets_the_bound(hca: Hca) -> None:
    ended, rows = search(hca, "vb_send_bw", "30us")
    assert ended.status == 1, ended
    assert_consistent(ended, rows, 30e3)
    assert ended.err.count("no knee") == 1
    if len(rows) > 1:
        assert set(loads(trials(rows[:-1])[1:], 30e3).values()) == {False}


def test_trials_that_are_too_short(hca: Hca) -> None:
    """The link carries 500 messages in 100 ms, and a p99 needs 1000."""
    slow = {"SOFTHCA_LINK": "bandwidth=40M"}
    at = serving(hca, env=slow)
    ended = at.run("vb_send_bw", "-s 1000 -D 0.1 --find-knee 2ms --csv knee.csv", env=slow)
    assert ended.status == 1, ended
    assert len(csv_rows(at.folder / "knee.csv")) == 1


@pytest.mark.sanitized
def test_two_searches_of_one_file(hca: Hca) -> None:
    """The second one compares its cells with the file's, and then adds trials to them."""
    at = serving(hca, env=SERVICE)
    for _ in range(2):
        ended = at.run("vb_send_bw -e", "-s 1000 -D 0.1 --find-knee 10s --csv knee.csv", env=SERVICE)
        assert ended.status in (0, 1), ended
