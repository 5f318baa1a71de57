# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Some of the faults of tests/chaos/test_server_calls.py: a call fails in the process of a server that accepts
connections."""

from pathlib import Path

import pytest

from harness.chaos import compiled
from harness.emulated import Hca
from harness.server_faults import run_faulty

pytestmark = pytest.mark.sanitized


@pytest.fixture(scope="session")
def server_fails(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that is preloaded."""
    return compiled(build, tmp_path_factory.mktemp("chaos"), "server_fails", "-fPIC", "-shared")


@pytest.mark.parametrize("case, number, lasts", [
    # it does not start: the descriptor of its signals, the process that looks for a device
    ("eventfd EMFILE", 0, False),
    ("fork EAGAIN", 0, False),
    # no session
    ("fork EAGAIN", 1, False),
    # the process that has looked for a device
    ("waitpid EINTR", 0, False),
    # a client that nobody accepts, and who asks for the status
    ("accept4 EMFILE", 0, True),
    # it waits for connections
    ("poll ENOMEM", 1, True),
])
def test_the_server_ends_or_serves_who_comes_next(hca: Hca, server_fails: Path, case: str, number: int,
                                                  lasts: bool) -> None:
    outcome = run_faulty(hca, server_fails, case, number, lasts)
    assert outcome.fault == case and not outcome.broken(), outcome
