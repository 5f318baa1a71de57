# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The report that all tests of the page look at."""

import tempfile
from pathlib import Path

import pytest

from harness.report import Report


@pytest.fixture(scope="session")
def report(build: Path) -> Report:
    with tempfile.TemporaryDirectory(prefix="verbench-") as name:
        yield Report(build, Path(name))
