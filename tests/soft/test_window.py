# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What lies in the measured window beside the test: page faults of the measuring thread, counted by an observer in its
process."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.cases import some_quick
from harness.emulated import Hca, SOURCE


@pytest.fixture(scope="module")
def observer(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that counts page faults."""
    library = tmp_path_factory.mktemp("window") / "window_faults.so"
    compiler = os.environ.get("CC", "gcc").split()
    subprocess.run([*compiler, f"-I{build}", "-shared", "-fPIC", "-o", library,
                    SOURCE / "tests/soft/preload/window_faults.c", "-ldl"], check=True)
    return library


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
