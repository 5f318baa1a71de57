# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Files and folders of the devices for programs that nobody here wrote: ls, find, grep, shells, python and perl. What
verbench knows of the interrupts of a device."""

import re
import shutil

import pytest

from harness.emulated import Hca
from harness.profiles import profile_file

TOP = "/sys/class/infiniband"
PORT = f"{TOP}/softhca0/ports/1"


@pytest.fixture
def infiniband(hca: Hca) -> Hca:
    hca.env["SOFTHCA_PROFILE"] = str(profile_file("connectx-ib"))
    return hca


@pytest.mark.parametrize("argv, line", [
    (["ls", TOP], "softhca0"),
    (["ls", PORT], "state"),
    (["find", TOP, "-name", "state"], f"{PORT}/state"),
    (["grep", "-r", ".", f"{PORT}/counters"], f"{PORT}/counters/symbol_error:0"),
    (["sh", "-c", f"cat {PORT}/hw_counters/*"], "10"),
    (["sh", "-c", f"cd {PORT} && cat state"], "4: ACTIVE"),
    (["bash", "-c", f"[[ -d {PORT} && -r {PORT}/rate ]] && echo there"], "there"),
    (["bash", "-c", f"[[ -L {TOP}/softhca0/device/driver ]] && echo link"], "link"),
    (["python3", "-c", f"import glob; print(*glob.glob('{TOP}/softhca*/ports/*/rate'))"], f"{PORT}/rate"),
    (["perl", "-e", rf"print join('', map {{ qq($_\n) }} glob('{PORT}/li*'))"], f"{PORT}/lid"),
], ids=["ls", "ls of a port", "find", "grep", "cat", "cd", "a test", "a link", "python", "perl"])
def test_a_program_finds(infiniband: Hca, argv: list[str], line: str) -> None:
    if not shutil.which(argv[0]):
        pytest.skip(f"{argv[0]} is not installed")
    ended = infiniband.run(argv)
    assert ended.status == 0 and line in ended.out.splitlines(), ended


@pytest.mark.parametrize("setting", ["SOFTHCA_CONF", "SOFTHCA_PROFILE"])
def test_a_setting_is_no_file_of_a_device(hca: Hca, setting: str) -> None:
    """The settings are read before there are devices."""
    ended = hca.run([hca.program("verbench"), "list"], env={setting: f"{PORT}/rate"})
    assert re.search(rf"^softhca: .*{PORT}/rate.*No such file", ended.err, re.MULTILINE), ended


def test_verbench_lists_the_interrupts(infiniband: Hca) -> None:
    out = infiniband.run([infiniband.program("verbench"), "list", "--topology"]).out
    assert re.search(r"interrupt \d+, completion vector 62: cpus \d+$", out, re.MULTILINE), out
