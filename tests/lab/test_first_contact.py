# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The failures that people meet first, each provoked on the real kernel. The message has the commands of its row in
src/base/causes/remedy.def.

Not here: NO_GID, since the GID of the MAC address stays; NO_ACK, since Soft-RoCE takes a short cut to itself that no
firewall sees (test_check.py has it); MEMLOCK (test_refused.py). tests/soft has those that a device profile can make.
"""

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Sequence

import pytest

from harness.causes import has_commands
from harness.lab import PORT, Node
from harness.programs import wait_until

pytestmark = [pytest.mark.full, pytest.mark.lab]

DEV = "/dev/infiniband"
WITHOUT = ["unshare", "-m", "bash", "-c",
           'while [[ $1 != -- ]]; do mount -t tmpfs none "$1" || exit 3; shift; done; shift; exec "$@"', "without"]
"""Before directories, '--' and a command: runs the command where the directories are empty."""


def meet(cause: str, node: Node, port: int, options: str = "localhost", prefix: Sequence[object] = ()) -> None:
    """A client that must fail with the commands of a row."""
    ended = node.run([*prefix, "vb_send_bw", "-p", port, *options.split()])
    assert ended.status in (1, 2) and has_commands(cause, ended.err), ended


def test_a_container_without_devices(node: Node, server: int) -> None:
    meet("CONTAINER", node, server, prefix=[*WITHOUT, DEV, "--"])


def test_no_ib_uverbs(node: Node, server: int) -> None:
    """rdma_rxe itself needs ib_uverbs, but this is all that a program sees of it."""
    meet("NO_UVERBS", node, server, prefix=[*WITHOUT, DEV, "/sys/class/infiniband_verbs", "--"])


def test_no_library_of_the_driver(node: Node, server: int) -> None:
    files = [file for lib in ("lib/*", "lib64") for file in Path("/usr").glob(f"{lib}/libibverbs/librxe-rdmav*.so")]
    if not files:
        pytest.skip("it is not a file of its own here")
    meet("NO_PROVIDER", node, server, prefix=[*WITHOUT, files[0].parent, "--"])


@contextmanager
def changed(node: Node, command: str, undo: str) -> Iterator[None]:
    """Runs a command, and one that undoes it at the end."""
    node.must(command)
    try:
        yield
    finally:
        node.must(undo)
        wait_until(node.has_gids, "the GIDs of rxe0")


def test_no_rights_on_uverbs0(node: Node, server: int) -> None:
    with changed(node, f"chmod 600 {DEV}/uverbs0", f"chmod 666 {DEV}/uverbs0"):
        meet("RIGHTS", node, server, prefix="setpriv --reuid 65534 --regid 65534 --clear-groups".split())


def test_no_rdma_cm(node: Node, server: int) -> None:
    with changed(node, f"mv {DEV}/rdma_cm /tmp/rdma_cm", f"mv /tmp/rdma_cm {DEV}/rdma_cm"):
        meet("NO_RDMA_CM", node, server, "localhost --cm")


def test_no_device(node: Node, server: int) -> None:
    with changed(node, "rdma link delete rxe0", "rdma link add rxe0 type rxe netdev eth0"):
        meet("NO_DEVICE", node, server)


@pytest.mark.parametrize("cause, options", [
    ("NO_SERVER_HERE", "--connect-timeout 300ms localhost"),
    ("NO_ROUTE", "--connect-timeout 1 192.0.2.1"),
    ("NO_NAME", "--connect-timeout 1 fe80::1%none"),
    # the guests have no DNS server
    ("NO_DNS", "--connect-timeout 1 no-such-host.invalid"),
])
def test_no_way_to_the_server(node: Node, port: int, cause: str, options: str) -> None:
    meet(cause, node, port, options)


def test_a_host_that_does_not_answer(node: Node, port: int) -> None:
    """Its hardware address is known: else Linux says after 3 s that there is no route, and a client that has had no
    processor for so long sees that first."""
    neighbour = "10.77.0.99 dev eth0"
    node.must(f"ip neigh replace {neighbour} lladdr 52:54:00:77:00:63 nud permanent")
    meet("NO_ANSWER", node, port, "--connect-timeout 1 10.77.0.99")
    node.must(f"ip neigh del {neighbour}")


def test_a_server_of_its_own_host_only(node: Node, port: int) -> None:
    node.serve(port, "verbench serve")
    meet("NO_SERVER", node, port, f"--connect-timeout 300ms {node.address}")


def test_the_port_is_in_use(node: Node, server: int) -> None:
    meet("PORT_IN_USE", node, server, "")


@pytest.mark.parametrize("cause, change, options", [
    ("MTU", "ip link set eth0 mtu 1500", "-m 4096 localhost"),
    ("PORT_DOWN", "ip link set eth0 down", "-d rxe0 localhost"),
])
def test_the_network_of_the_port(node: Node, server: int, cause: str, change: str, options: str) -> None:
    with node.changed_network(change):
        meet(cause, node, server, options)


def test_eth0_has_no_address(node: Node, server: int) -> None:
    """The GID of the MAC address stays (ib_cache_gid_set_default_gid()), and no route leads there."""
    with node.changed_network("ip addr flush dev eth0"):
        wait_until(lambda: "ffff:0a4d" not in node.read(f"{PORT}/gids/[0-7]"), "no GID of the address")
        meet("NEIGHBOUR", node, server)
