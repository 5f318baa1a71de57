# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Programs of others and names, which a machine may lack."""

import shutil
import socket

import pytest


def need(*programs: str) -> None:
    """Skips the test if a program is not installed."""
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")


def need_ipv6() -> None:
    """Skips the test if IPv6 is switched off."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("IPv6 is switched off")


def need_localhost() -> None:
    """Skips the test if nothing resolves localhost, as in a system without /etc/hosts."""
    try:
        socket.gethostbyname("localhost")
    except OSError:
        pytest.skip("nothing resolves localhost")
