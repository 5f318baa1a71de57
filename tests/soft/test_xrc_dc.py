# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""XRC and DC on the emulated HCA, which is an mlx5 device with SOFTHCA_MLX5DV: every test, polled and by events, one
and several QPs, both ways, over a link that loses, payload verified; a server that is killed; perftest; what is refused
by name. A build without libmlx5 refuses DC."""

import shutil

import pytest

from harness.cases import commands, some_quick
from harness.emulated import Hca
from harness.killed import kill_server_of


EACH_METRIC = [("send", "-s 4097"), ("send", "-s 1 --imm"), ("write", "-s 4097 --imm"), ("read", "-s 65535"),
               ("atomic", ""), ("atomic", "-A cmp_swap")]


def kinds(events: str) -> list[str]:
    """Every test, with the options of its completion."""
    both = [f"{op}_{metric} {options}" for metric in ("bw", "lat") for op, options in EACH_METRIC]
    return [" ".join(f"{command} {events}".split()) for command in [*both, "write_bw -s 65535"]]


def shapes(after_lat: str) -> list[str]:
    """Both ways, several QPs, lists; after_lat: what the ping-pongs also have."""
    return [f"{op}_{options}".strip() for op in ("send", "write", "read", "atomic")
            for options in ("bw -b -q 2 -e", "bw -q 8 -l 8", "bw -q 2 -l 4 --post-api wr --poll-api extended",
                            f"lat -q 3 {after_lat}")]


KINDS = [*kinds(""), *kinds("-e"), *kinds("--completion hybrid"), "write_lat -s 1"]
OF_DC = commands("""
    send_bw -n 501 -q 3 --threads 2 -r 7 --imm -b, send_bw --sge 3 -s 4097 -q 2, write_bw --sge 3 -s 4097 -q 2,
    read_bw --sge 3 -s 4097 -q 2, send_bw -I 64 -s 33 --imm -b, write_bw -I 64 -s 33 --sge 2, send_bw -s 0 -e,
    read_bw --fence --locks on
""")
LOSSES = commands("""
    read_bw -n 300 -s 4097 -u 8, send_bw -s 4097 -q 2 -b, send_lat -n 200 -u 8
""")


@pytest.fixture
def mlx5(hca: Hca) -> Hca:
    """The emulated HCA as an mlx5 device, which has DC."""
    if not (hca.build / "softhca/tests/soft_dc").exists():
        pytest.skip("the build has no libmlx5")
    hca.env["SOFTHCA_MLX5DV"] = "1"
    return hca


def verify(hca: Hca, command: str) -> None:
    """Runs a command of 500 messages, if it does not say how many; payload verified."""
    test, options = command.split(" ", 1)
    count = "" if " -n " in command else "-n 500"
    pair = hca.pair(test, f"{options} {count} --verify").passed()
    assert pair.client_rows[0].wrong("emulated=1 status=ok") == []


@pytest.mark.parametrize("command", some_quick(KINDS, 3) + some_quick([
    *shapes("--post-api wr"), "send_bw -n 501 -q 3 --threads 2 -r 7 --imm -b",
    "send_bw -I 64 -s 33 --imm -b --post-api wr",
], 1))
def test_xrc(hca: Hca, command: str) -> None:
    verify(hca, f"{command} -c XRC")


@pytest.mark.parametrize("command", some_quick(KINDS, 3) + some_quick(shapes("") + OF_DC, 1))
def test_dc(mlx5: Hca, command: str) -> None:
    verify(mlx5, f"{command} -c DC")


@pytest.mark.parametrize("command", some_quick(LOSSES, 1))
def test_xrc_over_a_link_that_loses(hca: Hca, command: str) -> None:
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=5us,loss=1%,seed=3"
    verify(hca, f"{command} -c XRC")


@pytest.mark.parametrize("command", some_quick(LOSSES, 1))
def test_dc_over_a_link_that_loses(mlx5: Hca, command: str) -> None:
    mlx5.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=5us,loss=1%,seed=3"
    verify(mlx5, f"{command} -c DC")


@pytest.mark.parametrize("options", ["-c DC", "-c DC -q 3 -e"])
def test_the_server_is_killed(mlx5: Hca, options: str) -> None:
    kill_server_of(mlx5, "write_bw", options)


@pytest.mark.parametrize("command", some_quick([
    f"ib_{op}_{options}" for op in ("send", "write", "read", "atomic") for options in ("bw", "lat", "bw -q 4", "bw -b")
], 1))
def test_perftest_over_dc(mlx5: Hca, command: str) -> None:
    if not shutil.which(command.split()[0]):
        pytest.skip("perftest is not installed")
    mlx5.stock([*command.split(), "-c", "DC", "-n", 1000], listening=True)


@pytest.mark.parametrize("transport, settings, message", [
    ("XRC", {"SOFTHCA_MODE": "null"}, "has no XRC (IBV_DEVICE_XRC)"),
    ("DC", {"SOFTHCA_MLX5DV": 0}, "has it with SOFTHCA_MLX5DV=1"),
    ("DC", {"SOFTHCA_MLX5DV": 1, "SOFTHCA_MODE": "null"}, "has it with SOFTHCA_MLX5DV=1"),
], ids=["no XRC", "no mlx5 device", "the zero-cost mode"])
def test_refused_by_name(hca: Hca, transport: str, settings: dict, message: str) -> None:
    hca.env.update({key: str(value) for key, value in settings.items()})
    if transport == "DC" and not (hca.build / "softhca/tests/soft_dc").exists():
        message = "was built without libmlx5"
    client = hca.pair("send_bw", f"-c {transport} -n 10").client
    assert client.status == 2, client
    assert message in client.err, client
