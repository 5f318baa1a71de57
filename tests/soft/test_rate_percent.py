# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--rate in percent: the rates that are due are parts of what the closed loop before them had, in the same run."""

import pytest

from harness.emulated import Hca
from harness.rows import Row, csv_rows
from harness.serving import serving


def capacity(row: Row) -> float:
    """Messages per second, or round trips that follow each other."""
    return row.number("message_rate_per_s") if row["test"].endswith("_bw") else 0.5e9 / row.number("lat_mean_ns")


@pytest.mark.parametrize("command", [
    # more messages than receives: a receiver that sees all at once has no rate
    "vb_send_bw -e -n 1000 --rate 10%,50%",
    "run --test send_lat -n 300 --rate 50%,12.5% --arrival poisson",
])
@pytest.mark.parametrize("rounds", [1, 2])
def test_parts_of_the_closed_loop(hca: Hca, command: str, rounds: int) -> None:
    """The sizes differ in their capacity, and so do rounds."""
    at = serving(hca)
    ended = at.run(command, f"-s 64,32k --rounds {rounds} --csv rows.csv")
    rows = csv_rows(at.folder / "rows.csv")
    assert ended.status == 0 and len(rows) == 6 * rounds, ended
    of: dict[str, float] = {}
    for row in rows:
        rate = row["cell"].split("--rate ")[1].split()[0]
        if rate == "none":
            assert row["rate_intended_per_s"] == row["rate_asked_pct"] == row["arrival"] == ""
            of[row["size_bytes"]] = capacity(row)
        else:
            assert row["rate_asked_pct"] == rate.rstrip("%") and row["rate_asked_per_s"] == ""
            assert row["arrival"] == ("poisson" if "poisson" in command else "fixed")
            assert row.number("rate_intended_per_s") == \
                pytest.approx(of[row["size_bytes"]] * float(rate.rstrip("%")) / 100, rel=1e-7, abs=0.001)


def test_runs_are_compared_by_percentage(hca: Hca) -> None:
    """Not by the rates that it made, which differ in each round."""
    at = serving(hca)
    for file in ("a.csv", "b.csv"):
        assert at.run("vb_send_bw", f"-e -s 64 -n 1000 --rate 50% --rounds 4 --csv {file}").status == 0
    program = hca.program("verbench")
    compared = hca.run([program, "report", "--compare", "a.csv", "b.csv"], cwd=at.folder, preload=False)
    assert compared.status == 0, compared
    shown = hca.run([program, "report", "a.csv"], cwd=at.folder, preload=False)
    assert shown.status == 0, shown


def test_the_scenario(hca: Hca) -> None:
    """The capacity and ten loads; the command that it prints makes the picture."""
    at = serving(hca)
    ended = at.run("run latency-under-load", "-e -s 64 -n 1000 --csv rows.csv")
    rows = csv_rows(at.folder / "rows.csv")
    assert ended.status == 0 and len(rows) == 11, ended
    assert [row["rate_intended_per_s"] == "" for row in rows] == [True] + 10 * [False]
    report = ended.out.splitlines()[-1].split()
    assert report[:2] == ["verbench", "report"]
    drawn = hca.run([hca.program("verbench"), *report[1:]], cwd=at.folder, preload=False)
    assert drawn.status == 0, drawn
    assert (at.folder / "latency-under-load.svg").stat().st_size > 1000


def test_both_ways(hca: Hca) -> None:
    """Of the slower direction."""
    at = serving(hca)
    ended = at.run("vb_write_bw", "-e --both -n 1000 --rate 10% --csv rows.csv")
    rows = csv_rows(at.folder / "rows.csv")
    assert ended.status == 0 and len(rows) == 6, ended
    slower = min(capacity(row) for row in rows[:2])
    for row in rows[3:5]:
        assert row.number("rate_intended_per_s") == pytest.approx(slower / 10, rel=1e-7, abs=0.001)
