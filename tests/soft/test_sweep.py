# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Sweeps: every cell has its rows, once and in order; cells that cannot be measured say why; a server that is gone, a
signal and a full disk leave whole cells."""

import contextlib
import json
import os
import re
import time
from pathlib import Path
from signal import SIGINT, SIGKILL

import pytest

from harness.emulated import Hca, SOURCE
from harness.killed import children
from harness.programs import Ended, Program, wait_until, words
from harness.rows import csv_rows, json_rows
from harness.serving import serving, Serving, until_disturbed

SECONDS = (0.5, 5, 30)
"""Of a cell that is disturbed."""


@pytest.fixture
def at(hca: Hca) -> Serving:
    return serving(hca)


def sweep(at: Serving, options: str, status: int = 0) -> tuple[Ended, list[dict]]:
    """Runs a sweep, which must have an exit status; returns its rows too."""
    ended = at.run("run", f"{options} --jsonl s.jsonl")
    assert ended.status == status
    return ended, json_rows(at.folder / "s.jsonl")


def column(rows: list[dict], *names: str) -> list:
    """A column, or tuples of several ones."""
    return [row[names[0]] if len(names) == 1 else tuple(row[name] for name in names) for row in rows]


def results(file: Path) -> list[dict]:
    return [row for row in json_rows(file) if row["kind"] != "interval"]


def assert_fits(text: str) -> None:
    """A line has 80 columns at most."""
    assert not [line for line in text.splitlines() if len(line) > 80]


@pytest.mark.full
def test_size_sweep(at: Serving) -> None:
    ended, rows = sweep(at, "size-sweep -n 20 --csv s.csv --json s.json")
    assert column(rows, "status") == 69 * ["ok"]
    assert len(set(column(rows, "cell"))) == 69
    assert set(column(rows, "scenario")) == {"size-sweep"}
    assert len(set(column(rows, "size_bytes"))) == 23
    assert rows[0]["cell"] == "write_bw --completion poll --size 2 --messages 20"
    assert_same_rows(at.folder, rows)
    assert_reports(at, ended)
    assert re.search("^question", ended.out, re.MULTILINE)
    assert len(re.findall("^(?:poll|event|hybrid) ", ended.out, re.MULTILINE)) == 69, "a line for each row"
    assert len(re.findall("^completion ", ended.out, re.MULTILINE)) == 1, "heads of columns, once"
    assert_fits(ended.out)


def assert_same_rows(folder: Path, rows: list[dict]) -> None:
    """CSV and the document have the same rows; the document has options and plan of each cell."""
    cells, document = column(rows, "cell"), json.loads((folder / "s.json").read_text())
    assert column(csv_rows(folder / "s.csv"), "cell") == cells
    assert document["status"] == "ok"
    for rows_of in ("rows", "cells", "points"):
        assert column(document[rows_of], "cell") == cells, rows_of
    for cell, row in zip(document["cells"], rows):
        plan = cell["plan"]["points"][0]
        assert (cell["scenario"], cell["options"]["completion"], plan["size_bytes"]) == (
            "size-sweep", row["completion"], row["size_bytes"])
        assert not cell.get("self") and not cell.get("peer"), "the same hosts again"
    assert document["run"]["plan"] == document["cells"][0]["plan"]


def assert_reports(at: Serving, ended: Ended) -> None:
    """The report that a scenario suggests is printed; all that are suggested can be made. That of an open loop needs
    its rows: test_rate_percent.py."""
    assert ended.out.splitlines()[-1] == "verbench report --by completion s.csv"
    for scenario in (SOURCE / "bench").glob("*.bench"):
        for options in re.findall("^report (.*)", scenario.read_text(), re.MULTILINE):
            if "response_" in options:
                continue
            report = at.hca.run([at.hca.program("verbench"), "report", *words(options), at.folder / "s.csv"])
            assert report.status == 0, scenario


def test_options_come_in_place_of_those_of_two_scenarios(at: Serving) -> None:
    _, rows = sweep(at, "size-sweep mtu -n 5 -s 64 --completion poll")
    assert column(rows, "scenario", "status") == [("size-sweep", "ok"), *10 * [("mtu", "ok")]]
    assert set(column(rows, "mtu_bytes")) == {256, 512, 1024, 2048, 4096}


def test_what_a_transport_cannot_do_is_skipped(at: Serving) -> None:
    ended, rows = sweep(at, "--test read_bw,send_lat -c RC,UC,XRC -s 64,4k -e -n 20")
    skipped = [row for row in rows if row["status"] == "skipped"]
    assert column(skipped, "size_bytes") == [64, 4096]
    assert all(reason.startswith("read over UC: ") for reason in column(skipped, "reason"))
    assert column(rows, "status").count("ok") == 10 and len(rows) == 12
    assert re.search(r"\sskipped:\s+read\s+over\s+UC", ended.out)


def test_what_a_device_refuses_is_skipped(at: Serving) -> None:
    _, rows = sweep(at, "--test send_bw -e -s 64 --mtu 1024,4096 -x 0,200 -n 20")
    assert sorted(column(rows, "status")) == ["ok", "ok", "skipped", "skipped"]
    assert [row["gid_index"] for row in rows if row["status"] == "skipped"] == [None, None]


def test_on_and_off(at: Serving) -> None:
    _, rows = sweep(at, "--test send_bw -e -b on,off --imm on,off -n 20 --verify")
    one_way = [row for row in rows if row["direction"] != "both"]
    assert column(one_way, "status") == 6 * ["ok"]
    assert [(bool(row["bidir"]), row["opcode"]) for row in rows if row["direction"] == "to_server"] == [
        (True, "send_imm"), (True, "send"), (False, "send_imm"), (False, "send")]


def test_nothing_that_can_be_run(at: Serving) -> None:
    _, rows = sweep(at, "--test send_bw -c UD -s 100000 -n 20", status=2)
    assert len(rows) == 1 and rows[0]["status"] != "ok"


def test_rounds_in_a_random_order(at: Serving) -> None:
    options = "--test send_bw -e -s 64 -q 1:6 --shuffle 4 -n 20 --rounds 2"
    _, rows = sweep(at, options)
    assert column(rows, "status") == 12 * ["ok"]
    qps = column(rows, "qps")
    assert sorted(qps) == sorted([*range(1, 7), *range(1, 7)]) != qps
    assert column(rows, "cell") == at.run("run", f"{options} --dry-run").out.splitlines()[:-1]


@pytest.mark.full
def test_standard_output_has_whole_cells_of_csv_and_nothing_else(at: Serving) -> None:
    ended = at.run("run", "--test send_bw -e -q 1,2 -a -n 5 --quiet --csv -")
    assert (ended.status, ended.err) == (0, "")
    (at.folder / "out.csv").write_text(ended.out)
    rows = csv_rows(at.folder / "out.csv")
    assert len(ended.out.splitlines()) == 47 and column(rows, "status") == 46 * ["ok"]


def test_lists_over_one_connection(hca: Hca) -> None:
    """A server of one client takes one connection."""
    file = hca.folder / "s.jsonl"
    hca.pair("send_bw", f"-s 64,4k -t 1,16 --completion poll,event -n 50 --jsonl {file}").passed()
    assert column(json_rows(file), "status", "test", "scenario") == 8 * [("ok", "send_bw", None)]


def start_long(at: Serving, seconds: float, options: str) -> Program:
    """Starts a sweep of cells that last, and waits until its second cell is measured or the sweep has ended."""
    for file in at.folder.glob("s.*"):
        file.unlink()
    program = at.start("run", f"--test send_bw -e -s 64 -D {seconds} --interval 100ms --stall-timeout 60 "
                              f"--jsonl s.jsonl --csv s.csv {options}")

    def second_cell() -> bool:
        kinds = [row.get("kind") for row in csv_rows(at.folder / "s.csv")]
        return "result" in kinds and kinds[-1] == "interval"
    wait_until(lambda: second_cell() or not program.running(), "a second cell")
    return program


def kill(at: Serving) -> None:
    """Ends the server and its sessions, none of which can do anything more."""
    for pid in [*children(at.server.pid), at.server.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, SIGKILL)
    at.server.wait()


def test_a_cell_fails_with_its_server_and_the_next_ones_are_measured(hca: Hca) -> None:
    """The server is killed during a cell and starts again."""
    def disturb(seconds: float) -> bool:
        at = serving(hca)
        program = start_long(at, seconds, "--connect-timeout 5m -q 1:5")
        kill(at)
        hca.start([hca.program("verbench"), "serve", "-p", at.port])
        ended = program.wait()
        if ended.status == 0:
            return False
        assert ended.status == 1, ended
        assert sorted(row["status"] == "ok" for row in results(at.folder / "s.jsonl")) == [False, *4 * [True]], ended
        assert re.search("^verbench: send_bw --completion event .*--qps", ended.err, re.MULTILINE)
        return True
    until_disturbed(SECONDS, disturb)


def test_a_sweep_ends_without_a_server(hca: Hca) -> None:
    """A cell fails, and no other one is tried."""
    def disturb(seconds: float) -> bool:
        at = serving(hca)
        program = start_long(at, seconds, f"-q 1:8 --connect-timeout {4 * seconds}")
        kill(at)
        ended = program.wait()
        rows = results(at.folder / "s.jsonl")
        # it may not have got its first connection in this time
        if ended.status == 0 or not rows:
            return False
        assert ended.status == 1, ended
        *measured, last = column(rows, "status")
        assert set(measured) == {"ok"} and last in ("incomplete", "failed"), rows
        return True
    until_disturbed(SECONDS, disturb)


def test_an_interrupted_sweep_ends_after_the_rows_of_its_cell(at: Serving) -> None:
    def disturb(seconds: float) -> bool:
        program = start_long(at, seconds, "-q 1:8 --json s.json")
        ended = program.stop(SIGINT)
        if ended.status == 0:
            return False
        assert ended.status == 1, ended
        rows = results(at.folder / "s.jsonl")
        assert len(rows) < 8 and rows[-1]["status"] in ("interrupted", "ok")
        assert json.loads((at.folder / "s.json").read_text())["status"] == "interrupted"
        return True
    until_disturbed(SECONDS, disturb)


def test_a_full_disk_ends_it(at: Serving) -> None:
    ended = at.run("run", "--test send_bw -q 1:4 -n 20 --jsonl /dev/full")
    assert ended.status == 1 and "No space left" in ended.err, ended
    assert len(re.findall("^[1-4] ", ended.out, re.MULTILINE)) == 1, "it goes on"


@pytest.mark.full
def test_compare_completion(at: Serving) -> None:
    ended = at.run("compare-completion", "-n 2000 -s 64 --rounds 1")
    assert ended.status == 0
    for pattern, count in (("(?:send_(?:bw|lat) +64| ) +(?:poll|event|hybrid) ", 6),
                           ("(?:CPU time|Rate|Latency): events not decided; hybrid not decided$", 3)):
        assert len(re.findall(f"^{pattern}", ended.out, re.MULTILINE)) == count, (pattern, ended.out)
    assert_fits(ended.out)


@pytest.mark.alone
@pytest.mark.full
def test_it_takes_the_time_of_the_dry_run(at: Serving) -> None:
    """Within 20 %; and more than 90 % of the time is in windows. The machine may stand still for two seconds."""
    options = "--test send_bw,send_lat -s 64 --completion event,hybrid -D 8"
    total = at.run("run", f"{options} --dry-run").out.splitlines()[-1]
    expected = float(re.fullmatch("4 cells, 4 points, ([0-9.]+) s", total)[1])
    begun = time.monotonic()
    _, rows = sweep(at, options)
    took = time.monotonic() - begun
    assert column(rows, "status") == 4 * ["ok"]
    assert 0.8 * took <= expected <= 1.2 * took
    assert sum(column(rows, "window_ns")) / 1e9 > 0.9 * took
