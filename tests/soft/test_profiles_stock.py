# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Stock programs meet on each device profile what the code of its provider does; the functions are named in the
profiles."""

import re
import shutil

import pytest

from harness.by_cm import stock_by_cm
from harness.emulated import Hca
from harness.profiles import profile_file
from harness.programs import listens, wait_until


def full(*cases: tuple) -> list:
    """Cases of which one or two alike are enough for a quick run."""
    return [pytest.param(*case, marks=pytest.mark.full) for case in cases]


@pytest.fixture
def programs(request: pytest.FixtureRequest) -> None:
    """Skips the test if its program is not installed."""
    program = request.getfixturevalue("command").split()[0]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")


@pytest.mark.parametrize("profile, lines", [
    ("connectx-ib", ["port_lid: 1691", "link_layer: InfiniBand", "max_qp_wr: 32768", "active_speed: 100.0 Gbps (128)"]),
    ("irdma-iwarp", ["transport: iWARP (1)", "vendor_part_id: 5522"]),
    ("efa", ["transport: unspecified (4)", "link_layer: Unspecified", "hw_ver: 0xEFA0"]),
    ("mana", ["max_msg_sz: 0x0", "gid_tbl_len: 16"]),
])
def test_ibv_devinfo_shows_the_device(hca: Hca, profile: str, lines: list[str]) -> None:
    if not shutil.which("ibv_devinfo"):
        pytest.skip("ibv_devinfo is not installed")
    info = hca.run(["ibv_devinfo", "-v"], env={"SOFTHCA_PROFILE": profile_file(profile)})
    shown = [re.sub(r"\s+", " ", line).strip() for line in info.out.splitlines()]
    assert [line for line in lines if not any(one.startswith(line) for one in shown)] == [], shown


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("profile, command", [
    # by LID, without a GRH
    ("connectx-ib", "ibv_rc_pingpong"),
    ("connectx-vport", "ib_send_bw -n 200 -x 0 --pkey_index=1 --use_old_post_send"),
    # unlike ibv_rc_pingpong, it does not ask for a LID
    ("efa", "ibv_ud_pingpong -g 0"),
    *full(
        ("connectx-ib", "ibv_ud_pingpong"),
        ("connectx-ib", "ib_send_bw -n 200 --use_old_post_send"),
        ("connectx-ib", "ib_write_lat -n 200 --use_old_post_send"),
        # 8192 requests of four blocks are all that a send queue takes
        ("connectx-ib", "ib_write_bw -n 8192 -t 8192 -I 0 --use_old_post_send"),
        ("connectx-roce-lag", "ibv_rc_pingpong -g 3"),
        ("connectx-xdr", "ib_send_bw -n 200 -e --use_old_post_send"),
        ("bnxt_re", "ibv_ud_pingpong -g 1"),
        ("bnxt_re", "ib_write_lat -n 200 -I 96 -s 64"),
        ("irdma-roce", "ib_send_bw -n 200"),
        ("mana", "ib_write_lat -n 200 -I 200 -s 64"),
        ("rxe", "ibv_uc_pingpong -g 1"),
        ("rxe", "ib_send_bw -n 200 -c UD"),
    ),
])
def test_works(hca: Hca, profile: str, command: str) -> None:
    hca.env["SOFTHCA_PROFILE"] = str(profile_file(profile))
    hca.stock(command.split(), listening=True)


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("profile, command", [
    ("irdma-iwarp", "ib_send_bw -n 200"),
    *full(("irdma-iwarp", "ib_read_bw -n 200")),
])
def test_works_by_rdma_cm(hca: Hca, profile: str, command: str) -> None:
    hca.env["SOFTHCA_PROFILE"] = str(profile_file(profile))
    stock_by_cm(hca, command.split())


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("profile, command, message", [
    ("connectx-vport", "ibv_rc_pingpong", "Failed to modify QP to RTR"),
    ("irdma-roce", "ib_send_bw -n 200 -c UC", "Unable to create QP"),
    # iWARP: INIT and RTR succeed, RTS wants the connection of rdma_cm
    ("irdma-iwarp", "ibv_rc_pingpong -g 0", "Failed to modify QP to RTS"),
    *full(
        ("connectx-ib", "ib_write_bw -n 10000 -t 8193 -I 0 --use_old_post_send", "Unable to create QP"),
        ("connectx-vport", "ibv_ud_pingpong", "Failed to create AH"),
        # entry 0 is a limited member on both sides, which do not hear each other; entry 1 is a full one
        ("connectx-vport", "ibv_rc_pingpong -g 0", "transport retry counter exceeded"),
        ("connectx-roce-lag", "ibv_rc_pingpong", "Failed to modify QP to RTR"),
        ("bnxt_re", "ibv_uc_pingpong -g 1", "Couldn't create QP"),
        ("bnxt_re", "ib_write_lat -n 200 -I 97 -s 64", "Unable to create QP"),
        ("siw", "ibv_rc_pingpong -g 0", "Failed to modify QP to RTS"),
        ("erdma", "ibv_rc_pingpong -g 0", "Failed to modify QP to RTS"),
        ("irdma-iwarp", "ibv_ud_pingpong -g 0", "Couldn't create QP"),
        ("efa", "ibv_rc_pingpong -g 0", "Couldn't create QP"),
        ("mana", "ibv_ud_pingpong -g 0", "Couldn't create QP"),
    ),
])
def test_fails_as_the_provider_does(hca: Hca, profile: str, command: str, message: str) -> None:
    """The client fails, and a side says the message that the provider's errors give."""
    hca.env["SOFTHCA_PROFILE"] = str(profile_file(profile))
    port = hca.port()
    server = hca.start([*command.split(), "-p", port])
    # it may fail before it listens
    wait_until(lambda: listens(port) or not server.running(), "the server listens, or has ended")
    client = hca.run([*command.split(), "-p", port, "127.0.0.1"])
    assert client.status == 1, client
    if message not in client.out + client.err:
        server.until_says(message)
