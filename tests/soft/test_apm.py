# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Path migration on the emulated HCA with two ports: every QP migrates while messages flow, on request and when a port
goes down; each QP raises one event on each side, and no message is lost. What cannot migrate is refused."""

import pytest

from harness.cases import some_quick
from harness.emulated import Hca

pytestmark = [pytest.mark.alone, pytest.mark.waits]


@pytest.fixture
def two_ports(hca: Hca) -> Hca:
    hca.env["SOFTHCA_PORTS"] = "2"
    return hca


def migrate(hca: Hca, command: str, qps: int) -> None:
    """Each QP migrates once on each side; payload verified."""
    test, options = command.split(" ", 1)
    row = hca.pair(test, f"{options} --verify").passed().client_rows[0]
    assert row.wrong(f"path_migrations={qps} peer_path_migrations={qps}") == []


@pytest.mark.parametrize("command, qps", some_quick([
    ("send_bw -D 8 --migrate-after 200 -q 4 -e", 4),
    ("send_bw -D 8 --migrate-after 200 -q 2 --threads 2 -b --alternate-port 2", 4),
    *[(f"{test} -D 8 --migrate-after 200", 1)
      for test in ("write_bw", "read_bw", "atomic_bw", "send_lat", "write_lat", "read_lat")],
], 1))
def test_every_qp_migrates(two_ports: Hca, command: str, qps: int) -> None:
    migrate(two_ports, command, qps)


@pytest.mark.full
def test_the_port_of_both_sides_goes_down(two_ports: Hca) -> None:
    two_ports.env["SOFTHCA_FAULTS"] = "port-down:1@8s+100s"
    migrate(two_ports, "send_bw -D 16 --migrate-after 15000 -u 8", 1)


@pytest.mark.parametrize("options, settings, message", [
    ("--migrate-after 10", {}, "has no other active port"),
    ("--migrate-after 10 --alternate-port 3", {"SOFTHCA_PORTS": "2"}, "has no other active port"),
    ("--migrate-after 10", {"SOFTHCA_PORTS": "2", "SOFTHCA_MODE": "null"}, "(IBV_DEVICE_AUTO_PATH_MIG)"),
    ("-n 100 --migrate-after 30000", {"SOFTHCA_PORTS": "2"}, "the paths did not migrate"),
], ids=["one port", "no third port", "the zero-cost mode", "fewer messages"])
def test_refused(hca: Hca, options: str, settings: dict[str, str], message: str) -> None:
    hca.env.update(settings)
    client = hca.pair("send_bw", options).client
    assert client.status in (1, 2) and message in client.err, client
