# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Tests in C: of the emulated HCA, of the verbs on any device (softhca/tests/verbs), and random requests."""

import os
import shutil

import pytest

from harness.emulated import Hca, SOURCE
from harness.in_c import must_pass, run_in_c

ANY_DEVICE = sorted(f"verbs/{file.stem}" for file in (SOURCE / "softhca" / "tests" / "verbs").glob("*.c"))
VERBS = ["soft_verbs", "soft_errors", "soft_queues", "soft_xrc", *ANY_DEVICE]
OWN = ["soft_apm", "soft_atomics", "soft_cm", "soft_cm_addr", "soft_cm_node", "soft_dc", "soft_dmabuf", "soft_poll",
       "soft_profile", "soft_sysfs"]


@pytest.mark.sanitized
@pytest.mark.parametrize("program", [*VERBS, *OWN])
def test_in_c(hca: Hca, program: str) -> None:
    if program == "soft_dc" and not os.path.exists(hca.program("softhca/tests/soft_dc")):
        pytest.skip("this build is without libmlx5")
    run_in_c(hca, program)


@pytest.mark.parametrize("program", ["soft_late", "soft_process"])
def test_what_programs_do_beside_verbs(hca: Hca, program: str) -> None:
    run_in_c(hca, program)


@pytest.mark.sanitized
@pytest.mark.parametrize("case", [
    "join", "in-flight", *(pytest.param(slow, marks=pytest.mark.full) for slow in ("stopped-join", "crowd"))])
def test_processes_join_and_leave(hca: Hca, case: str) -> None:
    run_in_c(hca, "soft_fabric", case)


@pytest.mark.full
@pytest.mark.parametrize("program", VERBS)
def test_under_valgrind(hca: Hca, program: str) -> None:
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    # of leaks the build with sanitizers tells; valgrind would read the whole memory of the fabric for them
    run_in_c(hca, program, under=["valgrind", "-q", "--leak-check=no", "--error-exitcode=9"])


@pytest.mark.alone
@pytest.mark.sanitized
@pytest.mark.parametrize("seconds", [3, pytest.param(30, marks=pytest.mark.full)])
def test_random_requests(hca: Hca, seconds: int) -> None:
    """Legal and illegal ones of two processes; at the same time others over a link, in a fabric of their own."""
    program = [hca.program("softhca/tests/soft_fuzz"), seconds]
    link = {"SOFTHCA_LINK": "bandwidth=10G,delay=5us", "SOFTHCA_FABRIC": hca.env["SOFTHCA_FABRIC"] + "link"}
    for running in [hca.start(program), hca.start(program, link)]:
        must_pass(running.wait())
