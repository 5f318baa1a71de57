# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The disk is full, or becomes full."""

import pytest

from harness.chaos import TIMEOUTS
from harness.disk import SmallDisk
from harness.emulated import Hca
from harness.rows import csv_rows
from harness.serving import serving

pytestmark = pytest.mark.full


def test_each_output_that_is_full_is_told(hca: Hca) -> None:
    port = hca.port()
    command = [hca.program("vb_send_bw"), "-p", port, *TIMEOUTS, "--csv", "/dev/full", "--json", "/dev/full"]
    server = hca.start(command)
    server.until_listens(port)
    for ended in (hca.run([*command, "-D", "1", "127.0.0.1"]), server.wait()):
        assert ended.status == 1, ended
        assert "write CSV to /dev/full" in ended.err and "write JSON to /dev/full" in ended.err, ended


def test_a_disk_that_becomes_full_has_no_part_of_a_row(hca: Hca) -> None:
    rows = SmallDisk(hca, "16k").path / "rows"
    server = serving(hca, "--quiet")
    full = 0
    for run in range(40):
        ended = server.run(f"vb_send_bw {' '.join(TIMEOUTS)} -n 10 --quiet --csv {rows}")
        if ended.status:
            full += 1
            assert "write CSV to " in ended.err and "No space left" in ended.err, ended
        if full == 3:
            break
    server.stop()
    assert full == 3, f"the disk is not full after {run + 1} runs"
    assert rows.read_bytes().endswith(b"\n")
    # a column too few is None as a value, one too many has None as its name
    assert len(csv_rows(rows)) > 1
    assert all(None not in row and None not in row.values() for row in csv_rows(rows))
