# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Options of a test on a server of one client and on 'serve', and the device of the server chosen by the client."""

import pytest

from harness.emulated import Hca
from harness.serving import serving


def test_like_perftest(hca: Hca) -> None:
    """The row has perftest's settings, and names them."""
    row = hca.pair("write_bw", "-n 1000 --like perftest").passed().row
    assert not row.wrong("like=perftest footprint_bytes=65536 signal_interval=1 depth=128 locks=on messages=1000")


@pytest.mark.parametrize("test, options", [
    ("write_bw", "-s 64k -n 1000"),
    ("send_bw", "-s 4k -n 1000 -b"),
    ("send_lat", "-n 100 -c UD -e"),
    ("read_bw", "-n 1000 -q 4 -o 4 --pin none"),
])
def test_both_sides_may_have_the_same_options(hca: Hca, test: str, options: str) -> None:
    """Scripts of perftest do it."""
    hca.pair(test, options, options).passed()


@pytest.mark.parametrize("server, client, message", [
    ("-s 64k", "-n 100 -s 4k", "-s (--size): server 64k, client 4k"),
    ("-b", "-n 100", "server yes, client no"),
    ("", "--peer-device none0", "no RDMA device is called none0; there are: softhca0"),
], ids=["size", "direction", "device"])
def test_both_sides_say_what_is_refused(hca: Hca, server: str, client: str, message: str) -> None:
    pair = hca.pair("write_bw", client, server)
    for side in (pair.client, pair.server):
        assert side.status == 2 and message in side.err, side


def test_serve_refuses_one_client_and_serves_the_next(hca: Hca) -> None:
    served = serving(hca, "-s", "4k")
    options = ["-s 64k", "-s 4k", "-s 8k", "-s 4k -b"]
    assert [served.run(f"vb_write_bw -n 100 {each}").status for each in options] == [2, 0, 2, 0]
    served.stop()


@pytest.fixture
def without_device(hca: Hca) -> Hca:
    """Programs do not find a device, unless they get --soft."""
    listed = hca.run([hca.program("verbench"), "list"], preload=False).out
    if listed and not listed.startswith("no RDMA devices"):
        pytest.skip("this host has an RDMA device")
    return hca


def test_soft_is_for_both_sides(without_device: Hca) -> None:
    """The message names the side that has no device."""
    hca, port = without_device, without_device.port()
    server = hca.start([hca.program("vb_write_bw"), "-p", port, "--soft"], preload=False)
    client = hca.run([hca.program("vb_write_bw"), "-p", port, "127.0.0.1"], preload=False)
    for side in (client, server.wait()):
        assert "uses the emulated one: start both sides with --soft" in side.err, side


@pytest.mark.parametrize("command", [["vb_write_bw"], ["verbench", "serve"], ["perftest/ib_write_bw"]], ids=" ".join)
def test_a_server_without_a_device_does_not_wait(without_device: Hca, command: list[str]) -> None:
    hca = without_device
    ended = hca.run([hca.program(command[0]), *command[1:], "-p", hca.port()], preload=False)
    said = ended.out + ended.err
    assert ended.status == 1 and "no RDMA device found: " in said and "--soft on both sides" in said, ended
    assert "waiting" not in said.lower()
