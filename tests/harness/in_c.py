# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The programs in C of softhca/tests, which have cases of cmocka or print what they miss."""

import shlex
from typing import Mapping, Optional, Sequence

from harness.emulated import Hca
from harness.programs import Ended


def run_in_c(hca: Hca, program: str, *arguments: object, env: Optional[Mapping[str, object]] = None,
             under: Sequence[str] = ()) -> None:
    """Runs a program on the emulated HCA, also under another one; it must exit with 0."""
    must_pass(hca.run([*under, hca.program(f"softhca/tests/{program}"), *arguments], env))


def must_pass(ended: Ended) -> None:
    """Fails with the cases of cmocka that failed, or the one that a crash ended, and with the last lines."""
    if ended.status == 0:
        return
    lines = [line for line in ended.out.splitlines() if line.startswith(("[ RUN", "[  FAILED"))]
    cases = lines[-1:] if ended.status < 0 else [line for line in lines if "FAILED" in line]
    last = [line for line in (ended.err or ended.out).splitlines() if not line.startswith(("[  PASSED", "[  FAILED"))]
    raise AssertionError("\n".join([f"{shlex.join(ended.argv[1:])}: exit {ended.status}", *cases, *last[-20:]]))
