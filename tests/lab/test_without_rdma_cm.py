# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A node without the module rdma_ucm. The guests end after these tests, which are the last ones of two guests."""

from typing import Iterator

import pytest

from harness.lab import Lab, check

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.fixture(scope="module")
def ends(labs) -> Iterator[None]:
    yield
    labs.close()


@pytest.fixture
def without(ends: None, lab: Lab) -> Lab:
    """The kernel loads rdma_ucm for who asks for its device (MODULE_ALIAS_RDMA_CLIENT of ucma.c), so where the host has
    the modules of the guest's kernel it would be back at once."""
    if lab.nodes[0].read("/sys/module/rdma_ucm/refcnt") is not None:
        lab.nodes[0].must(["sh", "-c", "echo >/proc/sys/kernel/modprobe; rmmod rdma_ucm"])
    return lab


def test_the_node_is_named(without: Lab) -> None:
    pair = without.pair("send_bw", "-n 10 --cm")
    for ended in (pair.client, pair.server):
        assert ended.status == 2 and "node1 has no rdma_cm: " in ended.err and "modprobe rdma_ucm" in ended.err, ended


def test_nothing_of_it_is_needed_without_cm(without: Lab) -> None:
    check(without.pair("send_bw", "-n 10"), "connect=tcp")
