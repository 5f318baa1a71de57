# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What the tests with faults share. They take minutes to hours: scripts/check leaves them out."""

from pathlib import Path

import pytest

from harness.chaos import compiled
from harness.emulated import Hca


@pytest.fixture
def hca(hca: Hca) -> Hca:
    """The third device is that of somebody else."""
    hca.env["SOFTHCA_DEVICES"] = "3"
    return hca


@pytest.fixture(scope="session")
def proxy(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stands between both sides, and makes a fault (proxy.c)."""
    return compiled(build, tmp_path_factory.mktemp("chaos"), "proxy")
