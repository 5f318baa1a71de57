# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""softhca --profile-from: the profile that is made from the output of 'ibv_devinfo -v' gives the same output. Only what
the output cannot have differs: the firmware version says that the device is emulated."""

import re
from pathlib import Path

import pytest

from harness.emulated import Hca, SOURCE
from harness.installed import need
from harness.programs import Ended

SAID = "softhca: --profile-from: "


@pytest.fixture(autouse=True)
def needed() -> None:
    need("ibv_devinfo")


def devinfo(hca: Hca, profile: object, **env: object) -> str:
    """The output for the devices of a profile, without the firmware version."""
    shown = hca.run(["ibv_devinfo", "-v"], env={"SOFTHCA_PROFILE": profile, **env})
    assert shown.status == 0
    return re.sub(r".*fw_ver:.*\n", "", shown.out)


def profile_from(hca: Hca, file: Path) -> Ended:
    return hca.run([SOURCE / "softhca" / "softhca", "--profile-from", file], preload=False)


def made(hca: Hca, text: str) -> tuple[Path, list[str]]:
    """The profile that is made from an output, and what standard error tells of it."""
    (hca.folder / "devinfo").write_text(text, newline="")
    ended = profile_from(hca, hca.folder / "devinfo")
    profile = hca.folder / "made.conf"
    profile.write_text(ended.out)
    lines = ended.err.splitlines()
    assert all(line.startswith(SAID) for line in lines), lines
    return profile, [line.removeprefix(SAID) for line in lines]


@pytest.mark.parametrize("profile", ["soft", "connectx-ib", "connectx-roce-lag", "irdma-iwarp", "efa", "mana", "rxe"])
def test_profile_gives_what_it_was_made_from(hca: Hca, profile: str) -> None:
    shown = devinfo(hca, profile)
    again, told = made(hca, shown)
    assert told == []
    assert devinfo(hca, again) == shown


def test_values_that_a_profile_cannot_have(hca: Hca) -> None:
    """What drivers leave 0: ibv_devinfo says so. They are told on standard error and in the profile."""
    shown = devinfo(hca, "mana")
    for key, value in [("max_mtu", "invalid MTU (0)"), ("active_width", "invalid width (0)"),
                       ("active_speed", "invalid speed (0)"), ("num_comp_vectors", "0"), ("max_pd", "0"),
                       ("max_mr_size", "0x0"), ("max_qp_wr", "200000")]:
        shown, number = re.subn(rf"({key}:\s*).*", rf"\g<1>{value}", shown)
        assert number == 1, key
    profile, told = made(hca, shown)
    assert told == ["left out: max_mr_size: 0x0", "cut to 131072: max_qp_wr: 200000", "left out: max_pd: 0",
                    "left out: num_comp_vectors: 0", "left out: max_mtu: invalid MTU (0)",
                    "left out: active_width: invalid width (0)", "left out: active_speed: invalid speed (0)"]
    assert re.findall("^# (.*)", profile.read_text(), re.M) == told
    assert re.search("max_msg_sz:.*0x0", devinfo(hca, profile))


def test_two_ports_in_lines_as_of_windows(hca: Hca) -> None:
    shown = devinfo(hca, "soft", SOFTHCA_PORTS=2)
    profile, told = made(hca, shown.replace("\n", "\r\n"))
    assert told == []
    assert devinfo(hca, profile) == shown


def test_what_no_profile_has_is_told(hca: Hca) -> None:
    """As a real device has it, after the mark that programs of Windows write."""
    shown = devinfo(hca, "soft")
    for key, value in [("max_tso", "262144"), ("local_ca_ack_delay", "16"), ("qp_rate_limit_max", "100kbps")]:
        shown, number = re.subn(rf"({key}:\s*).*", rf"\g<1>{value}", shown)
        assert number == 1, key
    profile, told = made(hca, "\ufeff" + shown)
    assert told == ["left out, no profile has it: local_ca_ack_delay 16, max_tso 262144, qp_rate_limit_max 100kbps"]
    assert re.findall("^# (.*)", profile.read_text(), re.M) == told


def test_second_port_that_differs(hca: Hca) -> None:
    first, second = devinfo(hca, "soft", SOFTHCA_PORTS=2).split("port:\t2")
    second = re.sub(r"(active_mtu:\s*).*", r"\g<1>1024 (3)", second)
    assert made(hca, f"{first}port:\t2{second}")[1] == ["left out, port 2: active_mtu: 1024 (3)"]


def test_port_that_is_down(hca: Hca) -> None:
    (hca.folder / "down.conf").write_text("port_state = down\n")
    shown = devinfo(hca, hca.folder / "down.conf")
    profile, told = made(hca, shown)
    assert told == ["no message goes over port 1: state: PORT_DOWN (1)"]
    assert devinfo(hca, profile) == shown


@pytest.mark.parametrize("case, message", [
    ("another file", "this is not the output of ibv_devinfo -v"),
    ("without -v", "this is not the output of ibv_devinfo -v"),
    ("two devices", "2 devices; allowed: the output for one, as of ibv_devinfo -v -d softhca0"),
    ("without an end", "this is not the output of ibv_devinfo -v"),
])
def test_refused(hca: Hca, case: str, message: str) -> None:
    file = hca.folder / "devinfo"
    if case == "another file":
        file.write_text("nothing\n")
    elif case == "without -v":
        file.write_text(hca.run(["ibv_devinfo"]).out)
    elif case == "two devices":
        file.write_text(devinfo(hca, "soft", SOFTHCA_DEVICES=2))
    else:
        file = Path("/dev/zero")
    ended = profile_from(hca, file)
    assert (ended.status != 0, ended.out) == (True, "")
    assert SAID + message in ended.err.splitlines()
