# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The command report on rows that verbench has just written, --expect on a run, and a million rows."""

import csv
import io
import subprocess
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.programs import Ended, words
from harness.rows import csv_rows


def run(hca: Hca, options: str) -> Ended:
    """vb_send_bw of 100 messages, with --soft on both sides."""
    port = hca.port()
    server = hca.start([hca.program("verbench"), "serve", "--soft", "-p", port, "--quiet"], preload=False)
    server.until_listens(port)
    argv = [hca.program("vb_send_bw"), "--soft", "-p", port, "-n", 100, *words(options), "127.0.0.1"]
    return hca.run(argv, cwd=hca.folder, preload=False)


@pytest.mark.parametrize("options, status, said", [
    pytest.param("--quiet --expect 'lost == 0; size_bytes == 64k where opcode == send; "
                 "warnings lacks memory_displaced'", 0,
                 ["PASS send_bw RC poll 65536: lost 0", "3 passed, 0 failed"], id="met"),
    pytest.param("--quiet --expect 'lost > 0; message_rate_per_s > 0'", 3,
                 ["FAIL send_bw RC poll 65536: lost 0, expected > 0", "PASS "], id="not met"),
    pytest.param("--quiet --expect 'lat_p99_ns <= 5us'", 3, ["lat_p99_ns none (not measured), expected <= 5us"],
                 id="not measured"),
    pytest.param("--quiet -s 2,64 --expect 'lost == 0 where size_bytes == 3'", 3, ["FAIL no row is selected by "],
                 id="no row"),
])
def test_expect(hca: Hca, options: str, status: int, said: list[str]) -> None:
    ended = run(hca, options)
    assert ended.status == status
    text = " ".join((ended.out + ended.err).split())
    assert all(part in text for part in said), text


def test_what_reads_csv_from_standard_output_reads_nothing_else(hca: Hca) -> None:
    ended = run(hca, "--csv - --expect 'lost == 0'")
    assert ended.status == 0
    assert [row["lost"] for row in csv.DictReader(io.StringIO(ended.out))] == ["0"]


def report(hca: Hca, *options: object, folder: Path) -> Ended:
    return hca.run([hca.program("verbench"), "report", "--format", "csv", *options], cwd=folder, preload=False)


def test_one_summary_of_three_formats(hca: Hca) -> None:
    assert run(hca, "-a --csv rows.csv --jsonl rows.jsonl --json rows.json").status == 0
    summaries = [report(hca, f"rows.{name}", folder=hca.folder) for name in ("csv", "jsonl", "json")]
    assert [summary.status for summary in summaries] == [0, 0, 0]
    assert len({summary.out for summary in summaries}) == 1
    assert len(summaries[0].out.splitlines()) == 24


@pytest.mark.full
def test_a_million_rows_in_256_mib(hca: Hca) -> None:
    """Of a sweep, with all columns; the program is in the 256 MiB of address space too.

    There is no limit of time, which a busy machine would break: verbench-report(1) has a figure.
    """
    assert run(hca, "-a --csv rows.csv").status == 0
    head, *rows = (hca.folder / "rows.csv").read_bytes().splitlines(True)
    command = ["prlimit", f"--as={256 << 20}", hca.program("verbench"), "report", "--format", "csv", "-"]
    summary = hca.folder / "summary.csv"
    with summary.open("wb") as out, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out) as program:
        program.stdin.write(head)
        for first in range(0, 1_000_000, len(rows)):
            program.stdin.write(b"".join(rows[:1_000_000 - first]))
        program.stdin.close()
    assert program.returncode == 0
    assert sum(row.number("n") for row in csv_rows(summary)) == 1_000_000
