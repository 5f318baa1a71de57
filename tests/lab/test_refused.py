# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Plans that the devices or the machine cannot do: exit status and error message."""

import re

import pytest

from harness.causes import has_commands
from harness.lab import Node

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.mark.parametrize("status, message, test, options", [
    (2, "5000.*4096", "send_bw", "-c UD -s 5000 localhost"),
    (2, "-I 60000", "write_bw", "-s 60000 -I 60000 localhost"),
    (2, "nothere.*rxe0", "send_bw", "-d nothere localhost"),
    (2, "port", "send_bw", "-i 7 localhost"),
    (2, "GID", "send_bw", "-x 200 localhost"),
    (2, "QP", "send_bw", "-q 16384 -t 16384 localhost"),
    (1, "in use", "send_bw", ""),
    (1, "no-such-host", "send_bw", "--connect-timeout 1 no-such-host.invalid"),
])
def test_refused(node: Node, server: int, status: int, message: str, test: str, options: str) -> None:
    ended = node.run(f"vb_{test} -p {server} {options}")
    assert ended.status == status, ended
    assert re.search(message, ended.err), ended
    assert ended.out == ""


def test_nobody_listens(node: Node, port: int) -> None:
    ended = node.run(f"vb_send_bw -p {port} --connect-timeout 300ms localhost")
    assert ended.status == 1 and re.search("refused.*no server", ended.err) and ended.out == "", ended


def test_a_message_beyond_the_device(node: Node, server: int) -> None:
    longest = int(re.search(r"max_msg_sz:\s+(\w+)", node.must("ibv_devinfo -v -d rxe0"))[1], 0)
    if longest >= 1 << 30:
        pytest.skip(f"the device takes {longest} bytes")  # that of Linux 6.12 takes 2 GiB, as IBA does
    ended = node.run(f"vb_write_bw -p {server} -s 1G localhost")
    assert ended.status == 2 and str(longest) in ended.err and ended.out == "", ended


def test_a_port_that_is_down(node: Node, server: int) -> None:
    with node.changed_network("ip link set eth0 down"):
        ended = node.run(f"vb_send_bw -p {server} -d rxe0 localhost")
    assert ended.status == 1 and re.search("down|not active|no .*active", ended.err) and ended.out == "", ended


@pytest.fixture
def poor(node: Node) -> list[str]:
    """Runs a command without the capability to lock more memory than its limit."""
    prefix = [*"setpriv --bounding-set -all --inh-caps -all bash -c".split(), 'ulimit -l 64; exec "$@"', "poor"]
    if node.run([*prefix, "true"]).status:
        pytest.skip("setpriv cannot drop capabilities here")
    return prefix


def test_memory_that_may_not_be_locked(node: Node, server: int, poor: list[str]) -> None:
    ended = node.run([*poor, "vb_send_bw", "-p", server, "-s", "1M", "localhost"])
    assert ended.status == 2 and has_commands("MEMLOCK", ended.err), ended


def test_memory_that_the_server_may_not_lock_is_told_to_the_client(node: Node, port: int, poor: list[str]) -> None:
    node.serve(port, [*poor, *"verbench serve --allow any".split()])
    ended = node.run(f"vb_send_bw -p {port} -s 1M localhost")
    assert ended.status == 2 and "65536 that it may lock" in ended.err and has_commands("MEMLOCK", ended.err), ended
