# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Several pairs of devices at the same time: a row for each and their total, one server or two, and what one pair that
fails does to the others. No case depends on speed: where the windows were not one, the total says so."""

import os
import re
from pathlib import Path
from signal import SIGINT, SIGKILL

import pytest

from harness.emulated import Hca
from harness.killed import children
from harness.programs import Program, words
from harness.rows import Row, csv_rows
from harness.serving import until_disturbed

WRITES = "--test write_bw -s 4k"
TWO_DEVICES = "-d softhca0,softhca1"


@pytest.fixture
def four(hca: Hca) -> Hca:
    """Four devices."""
    hca.env.update(SOFTHCA_DEVICES="4", SOFTHCA_LINK="bandwidth=100M,delay=20us")
    return hca


def rows_file(hca: Hca) -> Path:
    return hca.folder / "rows.csv"


def start(hca: Hca, options: str, *hosts: str) -> Program:
    return hca.start([hca.program("verbench"), "run", "--csv", rows_file(hca), *words(options), *hosts])


def measure(hca: Hca, options: str, *hosts: str) -> list[Row]:
    """Runs a client, which must exit with 0."""
    ended = start(hca, options, *hosts).wait()
    assert ended.status == 0, ended
    return csv_rows(rows_file(hca))


def start_endless(hca: Hca, options: str, *hosts: str) -> Program:
    """Starts a client, and waits until both its pairs have had an interval."""
    client = start(hca, f"--interval 100ms --completion event {options}", *hosts)
    client.until(lambda: len({row.get("pair") for row in csv_rows(rows_file(hca)) if row.get("status")}) == 2,
                 "an interval of both pairs")
    return client


def are_together(rows: list[Row], pairs: int, cells: int) -> None:
    """Every pair ran at the same time, on one axis; the total is the sum of its rows, or says why there is none."""
    assert [row["kind"] for row in rows] == [*["result"] * pairs, "total"] * cells
    for first in range(0, len(rows), pairs + 1):
        *results, total = rows[first:first + pairs + 1]
        for row in results:
            assert row.wrong(f"status=ok pairs={pairs}") == []
        assert total.wrong(f"pair=total pairs={pairs}") == []
        # on a busy machine a receiver may not see two messages arrive, and has no rate
        unknown = [row["pair"] for row in results if not row["message_rate_per_s"]]
        assert bool(total["pair_fairness"]) != bool(unknown)
        if unknown:
            assert total.wrong("status=skipped") == [] and unknown[0] in total["reason"]
            continue
        assert 0 < total.number("pair_fairness") <= 1
        if total["status"] == "ok":
            begins = [int(row["start_ns"]) for row in results]
            ends = [begin + int(row["window_ns"]) for begin, row in zip(begins, results)]
            assert max(begins) < min(ends), "the windows have nothing in common"
            assert total.number("messages") == sum(row.number("messages") for row in results)
        else:
            assert total["reason"] == "no total: the pairs did not run at the same time"


@pytest.mark.full
def test_two_pairs_two_servers_two_cells(four: Hca) -> None:
    one, two = four.serve()[1], four.serve()[1]
    rows = measure(four, f"--test write_bw -s 4k,64k -D 1s --completion event {TWO_DEVICES}",
                   f"127.0.0.1:{one}:softhca2", f"127.0.0.1:{two}:softhca3")
    are_together(rows, 2, 2)


def test_four_pairs_one_server_one_operand(four: Hca) -> None:
    devices = ["softhca0", "softhca1", "softhca2", "softhca3"]
    rows = measure(four, f"--test send_bw -c UC -s 4k -D 1s --completion event -d {','.join(devices)}",
                   f"127.0.0.1:{four.serve()[1]}")
    are_together(rows, 4, 1)
    assert [row["device"] for row in rows[:4]] == devices


@pytest.mark.full
def test_four_pairs_on_the_devices_of_two_servers_with_intervals(four: Hca) -> None:
    """What a pair has sent is the sum of its intervals."""
    one, two = four.serve()[1], four.serve()[1]
    rows = measure(four, f"{WRITES} -D 6s --interval 500ms --completion event", f"127.0.0.1:{one}:softhca0",
                   f"127.0.0.1:{one}:softhca1", f"127.0.0.1:{two}:softhca2", f"127.0.0.1:{two}:softhca3")
    intervals = [row for row in rows if row["kind"] == "interval"]
    results = [row for row in rows if row["kind"] == "result"]
    assert len(intervals) >= 8 and len(results) == 4
    for result in results:
        of_pair = [row for row in intervals if row["pair"] == result["pair"]]
        assert result.number("messages") == sum(row.number("messages") for row in of_pair)


@pytest.mark.full
def test_both_ways_by_messages(four: Hca) -> None:
    rows = measure(four, f"--test send_bw -b -n 300 -s 4k {TWO_DEVICES}",
                   f"127.0.0.1:{four.serve()[1]}", f"127.0.0.1:{four.serve()[1]}")
    assert [(row["kind"], row["direction"]) for row in rows] == [
        (kind, way) for way in ("to_server", "to_client", "both") for kind in ("result", "result", "total")]


@pytest.mark.full
def test_one_server_is_killed(four: Hca) -> None:
    """The rows of the others stand."""
    _, one = four.serve()

    def disturb(seconds: float) -> bool:
        nonlocal ended, pairs
        doomed, two = four.serve()
        rows_file(four).unlink(missing_ok=True)
        pairs = [f"127.0.0.1:{one}:softhca2", f"127.0.0.1:{two}:softhca3"]
        client = start_endless(four, f"{WRITES} -D {seconds} {TWO_DEVICES}", *pairs)
        for session in children(doomed.pid):
            os.kill(session, SIGKILL)
        doomed.kill()
        ended = client.wait()
        return ended.status != 0

    ended, pairs = None, []
    until_disturbed((3, 10, 30), disturb)
    assert ended.status == 1, ended
    kept, broken, total = (row for row in csv_rows(rows_file(four)) if row["kind"] != "interval")
    assert kept.wrong(f"kind=result pair={pairs[0]} status=ok reason=") == []
    assert broken.wrong(f"kind=result pair={pairs[1]} status=incomplete reason~.") == []
    assert total.wrong("kind=total pair=total status=skipped") == []
    assert total["reason"].startswith(f"no total: pair {pairs[1]} is incomplete: ")
    assert re.search(f"pair {pairs[1]}: the peer .* is gone", ended.err), ended


def test_one_that_cannot_connect_is_named_and_nothing_runs(four: Hca) -> None:
    nobody = f"127.0.0.1:{four.port()}:softhca3"
    # the first one that cannot connect is named: the other one may not answer in this time
    ended = start(four, f"--connect-timeout 500ms {WRITES} -D 3600 {TWO_DEVICES}", nobody,
                  f"127.0.0.1:{four.serve()[1]}:softhca2").wait()
    assert ended.status == 1, ended
    assert f"pair {nobody}: cannot connect" in ended.err, ended
    assert ended.out == ""


def test_one_that_is_refused_and_no_pair_runs(four: Hca) -> None:
    (server, one), (_, two) = four.serve(), four.serve("-d", "softhca1")
    ended = start(four, f"{WRITES} -D 3600", f"127.0.0.1:{one}:softhca2", f"127.0.0.1:{two}:softhca3").wait()
    assert ended.status == 2, ended
    row, = csv_rows(rows_file(four))
    assert row["status"] == "skipped"
    assert re.match(f"pair 127.0.0.1:{two}:softhca3: .*softhca1", row["reason"]), row
    server.until(lambda: re.search(r"^127.*: write_bw.*, refused$", server.out, re.MULTILINE), "that it refused")


def test_the_user_stops_them(four: Hca) -> None:
    _, port = four.serve()
    client = start_endless(four, f"{WRITES} -D 3600 {TWO_DEVICES}", *[f"127.0.0.1:{port}:softhca{n}" for n in (2, 3)])
    ended = client.stop(SIGINT)
    assert ended.status == 1, ended
    rows = [row for row in csv_rows(rows_file(four)) if row["kind"] != "interval"]
    assert [(row["kind"], row["status"]) for row in rows] == [
        ("result", "interrupted"), ("result", "interrupted"), ("total", "skipped")]


@pytest.mark.parametrize("options, hosts, message", [
    (TWO_DEVICES, "a b c", "2 devices for 3 operands"),
    ("--peer-device softhca1", "a:softhca0 b", "two names for the device of the server"),
    ("", "a:soft+hca b", "is no name of a device"),
    ("-p 18516", "a:18517 b", "two different ports for one server"),
])
def test_usage(four: Hca, options: str, hosts: str, message: str) -> None:
    """Refused before a connection is made."""
    ended = start(four, f"--test write_bw {options}", *hosts.split()).wait()
    assert ended.status == 2 and message in ended.err, ended
