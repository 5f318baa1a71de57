# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--until: a sweep ends when its intervals are narrow enough, or says which are not. What it decides is compared with
the rows that it wrote, whatever the machine did meanwhile."""

import math
from math import comb
from pathlib import Path
from typing import Sequence

import pytest

from harness.emulated import Hca
from harness.programs import Ended
from harness.rows import Row, csv_rows
from harness.serving import Serving, serving

CELLS = 2


@pytest.fixture
def at(hca: Hca) -> Serving:
    return serving(hca)


def half_width(values: Sequence[float]) -> float:
    """Percent of the median. Hettmansperger and Sheather (1986), as stats/repeats.h has it."""
    n, ordered = len(values), sorted(values)
    if n < 6:
        return math.inf

    def cover(place: int) -> float:
        return 1 - 2 * sum(comb(n, k) for k in range(place)) / 2 ** n

    place = max(d for d in range(1, n // 2 + 1) if cover(d) >= 0.95)
    part = (cover(place) - 0.95) / (cover(place) - cover(place + 1))
    weight = (n - place) * part / (place + (n - 2 * place) * part)
    low = (1 - weight) * ordered[place - 1] + weight * ordered[place]
    high = (1 - weight) * ordered[n - place] + weight * ordered[n - place - 1]
    return (high - low) / (ordered[(n - 1) // 2] + ordered[n // 2]) * 100


def widest(rows: list[Row], rounds: int, figure: str) -> float:
    cells = {row["cell"] for row in rows}
    return max(half_width([row.number(figure) for row in rows if row["cell"] == cell][:rounds]) for cell in cells)


def sweep(at: Serving, command: str, options: str, file: str = "until.csv") -> tuple[Ended, list[Row]]:
    ended = at.run(command, f"-s 64,4k -n 300 --quiet --csv {file} {options}")
    return ended, csv_rows(at.folder / file)


def wide(ended: Ended) -> int:
    return ended.err.count("not within ")


@pytest.mark.parametrize("command, figure", [
    pytest.param("vb_write_bw", "message_rate_per_s", id="a test"),
    pytest.param("run --test send_lat", "lat_p50_ns", id="run"),
    pytest.param("run --test send_bw --shuffle 5", "message_rate_per_s", id="shuffled"),
])
def test_it_ends_when_all_cells_are_narrow(at: Serving, command: str, figure: str) -> None:
    ended, rows = sweep(at, command, "--until 25% --max-rounds 12")
    rounds = len(rows) // CELLS
    assert len(rows) == CELLS * rounds and 6 <= rounds <= 12
    assert all({row["cell"] for row in rows[i:i + CELLS]} == {row["cell"] for row in rows}
               for i in range(0, len(rows), CELLS)), "a round has each cell once"
    assert not [n for n in range(6, rounds) if widest(rows, n, figure) <= 25], "it could have ended before"
    narrow = widest(rows, rounds, figure) <= 25
    assert ended.status == (0 if narrow else 4)
    assert bool(wide(ended)) == (not narrow)
    assert narrow or rounds == 12


def test_what_is_not_reached_is_said(at: Serving) -> None:
    ended, rows = sweep(at, "vb_write_bw", "--until 0.01% --max-rounds 7")
    assert len(rows) == 7 * CELLS
    assert ended.status == 4
    assert wide(ended) == CELLS
    for size in (64, 4096):
        assert f", {size} bytes: +- " in ended.err


def test_at_least_so_many_rounds(at: Serving) -> None:
    ended, rows = sweep(at, "vb_write_bw", "--until 50% --rounds 8 --max-rounds 8")
    assert len(rows) == 8 * CELLS
    assert ended.status in (0, 4)


def cut(file: Path, lines: int) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(True)[:lines]))


@pytest.mark.parametrize("kept", [
    pytest.param(0, id="all rows"),
    pytest.param(1 + 4 * CELLS, id="four rounds"),
    pytest.param(1 + 6 * CELLS + 1, id="within a round"),
])
def test_it_goes_on(at: Serving, kept: int) -> None:
    options = "--until 0.01% --max-rounds 7"
    sweep(at, "vb_write_bw", options)
    file = at.folder / "until.csv"
    if kept:
        cut(file, kept)
    before = file.read_bytes()
    ended = at.run("vb_write_bw", f"-s 64,4k -n 300 --quiet {options} --resume {file}")
    assert ended.status == 4 and wide(ended) == CELLS
    assert file.read_bytes().startswith(before)
    assert len(csv_rows(file)) == 7 * CELLS


def test_what_was_enough_stays_enough(at: Serving) -> None:
    options = "--until 50% --max-rounds 100"
    ended, rows = sweep(at, "vb_write_bw", options)
    again = at.run("vb_write_bw", f"-s 64,4k -n 300 --quiet {options} --resume until.csv")
    assert again.status == ended.status == 0
    assert csv_rows(at.folder / "until.csv") == rows


@pytest.mark.parametrize("rules, status", [
    pytest.param("message_rate_per_s > 0; status == ok", 0, id="met"),
    pytest.param("message_rate_per_s < 1", 3, id="not met"),
    pytest.param("message_rate_per_s > 0; message_rate_per_s < 1", 3, id="one of two"),
])
def test_confident(at: Serving, rules: str, status: int) -> None:
    ended, _ = sweep(at, "vb_write_bw", f"--rounds 6 --confident --expect '{rules}'")
    assert ended.status == status, ended.out


def test_a_rule_inside_the_interval_is_unsure(at: Serving) -> None:
    """The rule is one of the rates that were measured; report compares the same rows."""
    _, rows = sweep(at, "vb_write_bw", "--rounds 6")
    rates = sorted(row.number("message_rate_per_s") for row in rows if row["size_bytes"] == "64")
    rule = f"message_rate_per_s > {rates[2]} where size_bytes == 64"
    ended = at.hca.run([at.hca.program("verbench"), "report", "--quiet", "--confident", "--expect", rule, "until.csv"],
                       cwd=at.folder, preload=False)
    assert ended.status == 4, ended
    assert ended.out.startswith("UNSURE "), ended


def test_few_rounds_are_refused(at: Serving) -> None:
    ended, rows = sweep(at, "vb_write_bw", "--rounds 5 --confident --expect 'lost == 0'")
    assert ended.status == 2 and not rows
    assert "--rounds 5" in ended.err and "at least 6" in ended.err
