# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The command selftest: its figures beside emulated links, an injected error, and what it leaves behind."""

import json
import signal
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.programs import wait_until


def selftest(hca: Hca, *options: object) -> tuple[int, dict, Path]:
    """Runs it in a folder of its own; returns exit status, document and folder."""
    folder = hca.folder / "tmp"
    folder.mkdir()
    document = hca.folder / "selftest.json"
    ended = hca.run([hca.program("verbench"), "selftest", "--json", document, *options], {"TMPDIR": folder},
                    preload=False)
    return ended.status, json.loads(document.read_text()), folder


@pytest.mark.alone
def test_figures_are_those_of_the_links(hca: Hca) -> None:
    """On an idle machine all are. What is not has a row that says why."""
    status, document, folder = selftest(hca)
    wrong = [row for row in document["rows"] if row["status"] != "ok"]
    assert status == (1 if wrong else 0) and document["status"] == ("failed" if wrong else "ok")
    assert [row for row in wrong if not row["warning_codes"]] == []
    assert len(document["rows"]) == 6 and all(row["link"] for row in document["rows"])
    assert document["machine"]["longest_wait_us"] >= document["machine"]["wait_us"][0] >= 10
    assert list(folder.iterdir()) == []


@pytest.mark.alone
@pytest.mark.full
def test_an_injected_error_is_found(hca: Hca) -> None:
    status, document, _ = selftest(hca, "--inject", "3")
    assert status == 1 and document["status"] == "failed"
    for row in document["rows"]:
        no_figure = row["status"] == "no_figure" and row["warning_codes"]
        assert no_figure or row["status"] == ("wrong" if row["bound"] else "ok"), row
    errors = [row["error"] for row in document["rows"] if row["unit"] == "Gbit/s" and row["error"] is not None]
    assert max(errors) < -0.025


def test_a_signal_ends_it_and_nothing_is_left(hca: Hca) -> None:
    folder = hca.folder / "tmp"
    folder.mkdir()
    document = hca.folder / "selftest.json"
    program = hca.start([hca.program("verbench"), "selftest", "--json", document], {"TMPDIR": folder}, preload=False)
    wait_until(lambda: list(folder.glob("*/log")), "the first figure")
    program.signal(signal.SIGTERM)
    assert program.wait().status == 1
    assert json.loads(document.read_text())["status"] == "interrupted"
    assert list(folder.iterdir()) == []
