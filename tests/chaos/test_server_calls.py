# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Each call of the process of a server that accepts connections fails (server_calls.def, server_fails.c): once, or
until the fault is lifted. The server does not start and says why, or it serves who comes next."""

from pathlib import Path

import pytest

from harness.chaos import STEP, compiled
from harness.emulated import Hca
from harness.server_faults import HARMLESS, run_faulty

pytestmark = [pytest.mark.full, pytest.mark.sanitized]


@pytest.fixture(scope="session")
def server_fails(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that is preloaded."""
    return compiled(build, tmp_path_factory.mktemp("chaos"), "server_fails", "-fPIC", "-shared")


def whole(hca: Hca, library: Path) -> list[str]:
    """The cases of a server without a fault."""
    outcome = run_faulty(hca, library)
    assert not outcome.broken(), outcome
    return outcome.calls


@pytest.mark.timeout(7200)
def test_a_call_fails_once(hca: Hca, server_fails: Path) -> None:
    calls = whole(hca, server_fails)
    broken = []
    for i in range(0, len(calls), STEP):
        number = calls[:i].count(calls[i])
        outcome = run_faulty(hca, server_fails, calls[i], number)
        print(calls[i], number, outcome.fault != "", outcome.server.status, outcome.polls(), outcome.broken())
        # the numbers of some calls differ from run to run
        if outcome.fault:
            broken += [f"{calls[i]} ({number}): {rule}" for rule in outcome.broken()]
    assert not broken


@pytest.mark.timeout(3600)
def test_a_call_fails_for_some_time(hca: Hca, server_fails: Path) -> None:
    """The first one of each kind that a server makes after its start. What is harmless does not last."""
    calls = whole(hca, server_fails)
    begin = calls.index("accept4 EMFILE")
    broken = []
    for case in sorted(set(calls[begin:]) - HARMLESS)[::STEP]:
        outcome = run_faulty(hca, server_fails, case, calls[:begin].count(case), lasts=True)
        print(case, outcome.server.status, outcome.polls(), outcome.told(), outcome.broken())
        broken += [f"{case}: {rule}" for rule in outcome.broken()]
        broken += [] if outcome.fault else [f"{case}: it does not fail"]
    assert not broken
