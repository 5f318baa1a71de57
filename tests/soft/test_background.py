# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--background: a probe beside bulk traffic and alone. The rows say that both ran at once, and the leakage follows from
them. On a link with a queue a message waits behind those of the bulk traffic, whatever the machine does meanwhile."""

import os
from signal import SIGINT, SIGKILL
from typing import Optional

import pytest

from harness.emulated import Hca
from harness.killed import children
from harness.rows import Row, csv_rows
from harness.serving import Serving, serving

LINK = {"SOFTHCA_LINK": "bandwidth=400M"}
"""4096 bytes in 82 us. The bulk traffic has 128 messages in the queue of the link: 11 ms, far less than the 100 ms
after which a round trip over UD is lost."""

ENDLESS = "run --test send_lat -e -D 600 --interval 100ms --background 4k --csv rows.csv"


def measure(hca: Hca, command: str, options: str) -> list[Row]:
    at = serving(hca, env=LINK)
    ended = at.run(command, f"-e {options} --csv rows.csv", env=LINK)
    assert ended.status == 0, ended
    assert at.stop().err.count("interrupted") == 0
    return csv_rows(at.folder / "rows.csv")


def figure(row: Row, percent: str) -> float:
    paced = row["rate_intended_per_s"] != ""
    text = row[f"response_p{percent}_ns" if paced else f"lat_p{percent}_ns"]
    return float(text) if text else float("nan")


def end_ns(row: Row) -> int:
    return int(row["start_ns"]) + int(row["window_ns"])


def check_cell(alone: Row, beside: Row, bulk: Row, asked: str) -> None:
    assert [row["kind"] for row in (alone, beside, bulk)] == ["result", "result", "background"]
    assert {row["status"] for row in (alone, beside, bulk)} == {"ok"}
    assert alone["cell"] == beside["cell"] == bulk["cell"]
    assert (alone["background_qps"], bulk["background_qps"]) == ("0", "")
    assert " ".join(beside[f"background_{key}"] for key in ("bytes", "opcode", "qps")) == asked
    assert f"{bulk['size_bytes']} {bulk['opcode']} {bulk['qps']}" == asked
    assert bulk["test"] == f"{bulk['opcode']}_bw" and bulk["transport"] == alone["transport"]
    assert beside["background_gbit_s"] == bulk["bandwidth_gbit_s"]
    # the probe began and ended while the bulk traffic was measured; both sessions have clocks of their own
    blur = 2 * 10**-4 * end_ns(bulk)
    assert int(bulk["start_ns"]) < int(beside["start_ns"]) + blur and end_ns(beside) < end_ns(bulk) + blur
    assert beside.number("windows_shared_pct") >= 99
    assert beside.number("leakage_p50") == pytest.approx(figure(beside, "50") / figure(alone, "50"), rel=1e-6)
    assert (beside["leakage_p99"] != "") == (figure(beside, "99") == figure(beside, "99") and
                                             figure(alone, "99") == figure(alone, "99"))
    assert not alone["leakage_p50"] + alone["windows_shared_pct"] + bulk["leakage_p50"]


@pytest.mark.parametrize("command, options, asked", [
    ("run --test send_lat", "-s 8,64 -n 20 --background 4k", "4096 write 1"),
    ("vb_write_lat --imm", "-s 8 -n 20 --rounds 2 --background 4k,send,2", "4096 send 2"),
    ("vb_write_bw", "-s 8 -n 40 --rate 200 --background 4k", "4096 write 1"),
    # a round that takes 100 ms has no sample, and a median needs 20
    ("run --test send_lat", "-c UD -s 8 -n 60 --background 4k,send", "4096 send 1"),
])
def test_beside_and_alone(hca: Hca, command: str, options: str, asked: str) -> None:
    rows = measure(hca, command, options)
    cells = 2 if "8,64" in options or "rounds" in options else 1
    assert len(rows) == 3 * cells
    for first in range(0, len(rows), 3):
        check_cell(*rows[first:first + 3], asked=asked)


@pytest.mark.alone
def test_bulk_traffic_delays_the_probe(hca: Hca) -> None:
    """Some hundred times in theory. Where the bulk traffic has no processor for a while, many rounds find no queue."""
    rows = measure(hca, "run --test send_lat", "-s 8 -n 200 --background 4k")
    assert rows[1].number("leakage_p50") > 1


def test_of_reads(hca: Hca) -> None:
    """The other way."""
    check_cell(*measure(hca, "run --test read_lat", "-s 8 -n 20 --background 4k,read"), asked="4096 read 1")


def test_a_server_of_one_client_has_no_place_for_two_sessions(hca: Hca) -> None:
    port = hca.port()
    server = hca.start([hca.program("vb_send_lat"), "-p", port])
    server.until_listens(port)
    ended = Serving(hca, server, port, hca.folder).run("vb_send_lat", "-n 20 --background 4k --csv rows.csv")
    assert ended.status == 1 and "verbench serve" in ended.err, ended
    assert [row["status"] for row in csv_rows(hca.folder / "rows.csv")] in ([], ["failed"])
    server.wait()


@pytest.mark.sanitized
@pytest.mark.parametrize("which", [0, 1, None])
def test_what_ends_one_of_them_ends_both(hca: Hca, which: Optional[int]) -> None:
    """The session of the probe or of the bulk traffic is killed, or the user stops."""
    at = serving(hca, env=LINK)
    client = at.start(ENDLESS, env=LINK)
    client.until(lambda: any(row.get("status") == "ok" for row in csv_rows(at.folder / "rows.csv")), "an interval")
    if which is None:
        client.signal(SIGINT)
    else:
        os.kill(children(at.server.pid)[which], SIGKILL)
    ended = client.wait()
    rows = csv_rows(at.folder / "rows.csv")
    assert ended.status == 1 and ended.err, ended
    assert {row["background_qps"] for row in rows if row["kind"] == "interval"} == {"1"}
    results = [row for row in rows if row["kind"] == "result"]
    assert [row["status"] in ("interrupted", "incomplete", "failed") for row in results] == [True]
    assert results[0]["reason"] and not results[0]["leakage_p50"]
    at.stop()
