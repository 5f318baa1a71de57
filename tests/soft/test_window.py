# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What lies in the measured window beside the test: page faults of the measuring thread, counted by an observer in its
process; and first touches of pages, which make it unsteady."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.cases import some_quick
from harness.emulated import Hca, SOURCE
from harness.rows import is_disturbed

UNDISTURBED = 10
"""Runs at most, where another program or virtual machine hides the slow part."""


def made_library(build: Path, folder: Path, name: str) -> Path:
    """A library of preload/, built."""
    library = folder / f"{name}.so"
    compiler = os.environ.get("CC", "gcc").split()
    subprocess.run([*compiler, f"-I{build}", "-shared", "-fPIC", "-o", library,
                    SOURCE / f"tests/soft/preload/{name}.c", "-ldl"], check=True)
    return library


@pytest.fixture(scope="module")
def observer(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that counts page faults."""
    return made_library(build, tmp_path_factory.mktemp("window"), "window_faults")


@pytest.fixture(scope="module")
def unpopulated(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that takes the pages of the buffers away before the window."""
    return made_library(build, tmp_path_factory.mktemp("window"), "window_touch")


@pytest.mark.parametrize("command", some_quick([
    "send_bw -c UD -s 4k", "write_bw", "send_bw", "read_bw",
    "send_bw --footprint 16M -s 4k --mem 0", "read_bw --walk random --footprint 16M",
    *[f"{test} --footprint 64M -s 4k -n 20000" for test in ("write_bw", "read_bw")],
]))
def test_page_faults(hca: Hca, observer: Path, command: str) -> None:
    """Fewer than 20 minor faults. Before pages were populated: 2185 with 8 MiB, 17417 with 64 MiB."""
    hca.runtime = str(observer)
    counts = hca.folder / "faults"
    test, _, options = command.partition(" ")
    hca.pair(test, options, at_client={"WINDOW_FAULTS": counts}).passed()
    posts, faults = (int(count) for count in counts.read_text().split())
    assert posts >= 1000
    assert 0 <= faults < 20


@pytest.mark.alone
@pytest.mark.parametrize("test", ["write_bw", "read_bw"])
def test_first_touch(hca: Hca, unpopulated: Path, test: str) -> None:
    """Pages that the window touches for the first time: the row is unsteady, and says by how much. Beside other
    programs the rest of the window may be as slow."""
    hca.runtime = str(unpopulated)
    for _ in range(UNDISTURBED):
        row = hca.pair(test, "--footprint 128M -s 4k -n 320000 --warm-up 0").passed().row
        shown = float(row["slices_first_pct"] or 100) < 80 < 120 < float(row["slices_last_pct"] or 100)
        if shown or not is_disturbed(row):
            break
    assert shown and "unsteady" in row["warning_codes"].split(), row
    assert 10 <= int(row["slices"]) <= 64


def test_slices(hca: Hca) -> None:
    """Slices are of any window that is long enough, on the side whose counts a row has, also of latency. A main thread
    that had no processor has read too few: then all is absent."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=1G"
    for test, options in (("write_bw", ""), ("send_bw", "-c UD -s 1k"), ("send_lat", ""), ("read_lat", "")):
        pair = hca.pair(test, f"{options} -D 1").passed()
        for row in pair.client_rows + pair.server_rows:
            figures = [row[f"slices{part}"] for part in ("", "_first_pct", "_last_pct", "_correlation",
                                                         "_outliers_mild", "_outliers_severe")]
            unsteady = "unsteady" in row["warning_codes"]
            if figures[0] == "":
                assert not any(figures) and not unsteady, row
                continue
            n, first, last, correlation, mild, severe = map(float, figures)
            assert 10 <= n <= 64 and mild + severe <= n, row
            assert unsteady <= (abs(last - first) > 5 or correlation > 0.5), row
    short = hca.pair("write_bw", "-n 20").passed().row
    assert short["slices"] == "" and "unsteady" not in short["warning_codes"]


@pytest.mark.parametrize("options", ["-q 1", "-q 2", "-c UC"])
def test_a_warm_up_of_latency_ends_after_a_round(hca: Hca, options: str) -> None:
    """Not only after a batch of 16: a round of 64 KiB takes 52 ms, so 200 ms are over after 4."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    row = hca.pair("send_lat", f"-s 64k -n 4 --warm-up 64 {options}").passed().row
    assert 1 <= row.number("warm_up_messages") < 16
