# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Device profiles: every kind and every feature on each of them is measured as it was asked, or refused before
anything is created. What each cell comes to is in results/profiles.md; UPDATE=1 in the environment writes it."""

import fcntl
import os
import re
from pathlib import Path

import pytest

from harness.emulated import Hca, SOURCE
from harness.profiles import NAMES, profile_file, profile_like
from harness.programs import Ended
from harness.rows import json_rows
from profile_tables import section

OUTCOMES = SOURCE / "results" / "profiles.md"
SCENARIOS = [SOURCE / "tests" / "soft" / "profiles" / f"{name}.bench" for name in ("kinds", "features")]
QUICK = ("efa", "siw")

# the option of a cell, and the column that says that it was in force
FLAGS = {"--cm": ("connect", "rdma_cm"), "--srq": ("recv_queue", "srq"), "--one-qp": ("recv_queue", "one_qp"),
         "--fence": ("fence", "1")}
VALUES = {"--mw": "mw", "--buffers": "buffers", "--poll-api": "poll_api", "--post-api": "post_api",
          "--completion": "completion", "--disturb": "disturb", "--locks": "locks", "--mcast-join": "mcast_join",
          "--depth": "depth", "--sge": "sges", "--outstanding": "outstanding", "--size": "size_bytes",
          "--threads": "threads", "--signal-interval": "signal_interval", "--solicited": "solicited",
          "--inline": "inline_bytes", "--flush": "flush"}


def sections() -> dict[str, str]:
    """The sections of results/profiles.md by profile; what is before them has the key ''."""
    parts = re.split(r"^(?=## )", OUTCOMES.read_text(), flags=re.MULTILINE)
    return {part.partition("\n")[0][3:] if part.startswith("## ") else "": part.rstrip("\n") for part in parts}


def update(profile: str, text: str) -> None:
    """Writes the section of a profile; other processes write those of others."""
    with OUTCOMES.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = {**sections(), profile: text.rstrip("\n")}
        OUTCOMES.write_text("\n\n".join(known[name] for name in ["", *NAMES] if name in known) + "\n")


def run(hca: Hca, *arguments: object, server: Path, client: Path) -> tuple[Ended, list[dict]]:
    """Runs scenarios between two profiles: the client and its rows."""
    rows = hca.folder / "rows.jsonl"
    _, port = hca.serve(env={"SOFTHCA_PROFILE": server})
    ended = hca.run([hca.program("verbench"), "run", "-p", port, *arguments, "--jsonl", rows, "127.0.0.1"],
                    env={"SOFTHCA_PROFILE": client})
    return ended, json_rows(rows)


def count_of_cells(hca: Hca) -> int:
    """The cells of the scenarios, with those that are skipped already without a device."""
    dry = hca.run([hca.program("verbench"), "run", *SCENARIOS, "--dry-run"], preload=False)
    return sum(int(measured) + int(skipped)
               for measured, skipped in re.findall(r"^(\d+) cells.*; (\d+) skipped$", dry.out, re.MULTILINE))


def not_as_asked(row: dict) -> list[str]:
    """The options of the cell whose columns have another value."""
    asked = dict(re.findall(r"(--[a-z-]+)(?: (?!--)(\S+))?", row["cell"]))
    wanted = {column: value for option, (column, value) in FLAGS.items() if option in asked}
    for option, column in VALUES.items():
        if option in asked:
            wanted[column] = re.sub(r"^(\d+)([kM])$", scaled, asked[option])
    return [f"{row['cell']}: {column} is {row[column]}"
            for column, value in wanted.items() if str(row[column]) != value]


def scaled(number: re.Match) -> str:
    return str(int(number[1]) * {"k": 1 << 10, "M": 1 << 20}[number[2]])


@pytest.mark.parametrize("profile", [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in NAMES])
def test_each_cell_is_measured_as_asked_or_refused(hca: Hca, profile: str) -> None:
    file = profile_file(profile)
    ended, rows = run(hca, *SCENARIOS, server=file, client=file)
    assert ended.status == 0, ended
    assert len({row["cell"] for row in rows}) == count_of_cells(hca)
    for row in rows:
        assert row["status"] in ("ok", "skipped"), f"{row['cell']}: {row['status']}: {row['reason']}"
        assert row["status"] == "ok" or row["reason"], f"{row['cell']}: there is no reason"
    assert sum((not_as_asked(row) for row in rows if row["status"] == "ok" and row["direction"] != "both"), []) == []
    if "UPDATE" in os.environ:
        update(profile, section(profile, rows))
    assert section(profile, rows).splitlines() == sections()[profile].splitlines()


@pytest.mark.skipif("UPDATE" in os.environ, reason="they are being written")
def test_each_profile_has_its_outcomes() -> None:
    assert list(sections()) == ["", *NAMES]


@pytest.mark.parametrize("server, client, options, status, reason", [
    ("connectx-ib", "connectx-xdr", "", "ok", ""),
    # the same device in another subnet: the path goes by the router, so it has a GRH
    ("connectx-ib", "other-subnet", "", "ok", ""),
    ("connectx-ib", "connectx-vport", "--pkey 0xffff", "ok", ""),
    ("bnxt_re", "connectx-roce-lag", "", "ok", ""),
    ("hns", "rxe", "", "ok", ""),
    ("connectx-ib", "bnxt_re", "", "skipped", "InfiniBand|Ethernet"),
    ("irdma-iwarp", "irdma-roce", "", "skipped", "cannot reach each other"),
    ("irdma-iwarp", "siw", "--cm on", "ok", ""),
    ("efa", "rxe", "", "skipped", ""),
])
def test_unlike_devices_agree_or_refuse(hca: Hca, server: str, client: str, options: str, status: str,
                                        reason: str) -> None:
    other_subnet = profile_like(hca.folder / "other-subnet.conf", "connectx-ib", subnet_prefix="0xfec0000000000001")
    own = other_subnet if client == "other-subnet" else profile_file(client)
    ended, rows = run(hca, "--test", "send_bw,write_bw", "-n", 100, "-s", 64, "--verify", "on", *options.split(),
                  server=profile_file(server), client=own)
    assert {row["status"] for row in rows} == {status}, ended
    assert any(re.search(reason, row["reason"] or "") for row in rows), rows
