# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The emulated HCA works from a folder whose path has a blank, at which the dynamic linker splits LD_PRELOAD."""

import shutil
from pathlib import Path

import pytest

from harness.emulated import Hca


@pytest.fixture
def installed(hca: Hca) -> Path:
    """A copy of the program and of the emulated HCA."""
    to = hca.folder / "my verbench"
    to.mkdir()
    for name in ("verbench", "libvb-softhca.so"):
        shutil.copy(hca.program(name), to)
    return to


def test_option_soft(hca: Hca, installed: Path) -> None:
    del hca.env["SOFTHCA_LIB"]
    for others in ("", str(hca.folder)):
        listed = hca.run([installed / "verbench", "list", "--soft"], {"LD_LIBRARY_PATH": others}, preload=False)
        assert "softhca0" in listed.out and "ld.so" not in listed.err, listed


def test_script_softhca(hca: Hca, installed: Path) -> None:
    listed = hca.run([installed / "verbench", "list"], {"SOFTHCA_LIB": installed / "libvb-softhca.so"})
    assert "softhca0" in listed.out and "ld.so" not in listed.err, listed
