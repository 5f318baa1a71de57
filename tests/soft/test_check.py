# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""'verbench check' on the emulated HCA: everything works; a side whose device reports errors, a link that loses
messages; devices, servers and rights that are not there."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Sequence

import pytest

from harness.emulated import Hca
from harness.killed import until_idle
from harness.profiles import profile_file
from harness.programs import Program
from harness.rows import json_rows


@dataclass(frozen=True)
class Checked:
    """A check that has ended: what it prints and its JSON document; what its server prints."""

    out: str
    json: dict
    server: list[str]

    @property
    def table(self) -> str:
        """What it prints, as one line."""
        return " ".join(self.out.split())

    def counts(self, *names: str) -> list[int]:
        return [self.json["counts"][name] for name in names]

    def kinds(self, *keys: str, **values: object) -> set[tuple]:
        """What the rows with these values have in some columns."""
        return {tuple(row[key] for key in keys) for row in self.json["rows"]
                if all(row[key] == value for key, value in values.items())}


def failures(file: Path) -> list[tuple]:
    """The ways that failed, of a document of a check, with their reasons."""
    rows = json.loads(file.read_text()).get("rows", []) if file.exists() else []
    return [(row["transport"], row["opcode"], row["reason"]) for row in rows if row["status"] == "failed"]


def check(hca: Hca, *options: object, status: int = 0, env: Mapping[str, object] = {}, by: Sequence[str] = (),
          server: Optional[Program] = None) -> Checked:
    """Runs a check, which ends with this exit status. by: the command that runs it. A server is stopped after it."""
    file = hca.folder / "check.json"
    ended = hca.run([*by, hca.program("verbench"), "check", "--json", file, *options], env)
    assert ended.status == status, f"{ended}\n{failures(file)}"
    lines = []
    if server:
        until_idle(server)
        served = server.stop()
        assert served.status == 0, served
        lines = (served.out + served.err).splitlines()
    return Checked(ended.out, json.loads(file.read_text()), lines)


def check_pair(hca: Hca, *options: object, status: int = 0, server: Mapping[str, object] = {},
               client: Mapping[str, object] = {}) -> Checked:
    """Runs a server and a check of it. The server ends with 0 and writes no rows, whatever the check finds.

    A process of a busy machine may get no processor for longer than the two seconds that a way has by itself.
    """
    rows = hca.folder / "rows.csv"
    process, port = hca.serve("--csv", rows, "--audit", hca.folder / "audit", "--audit-format", "json", env=server)
    checked = check(hca, "-p", port, "--stall-timeout", "60s", *options, "127.0.0.1", status=status, env=client,
                    server=process)
    assert not rows.exists()
    return checked


def on(profile: str) -> dict[str, Path]:
    """The environment of a device profile."""
    return {"SOFTHCA_PROFILE": profile_file(profile)}


def two_lines(server: list[str]) -> bool:
    """Does the server print two lines, beside the one that it serves this host only?"""
    return len([line for line in server if "only this host" not in line]) == 2


def test_all_that_is_offered_works(hca: Hca) -> None:
    checked = check_pair(hca)
    assert (checked.json["status"], checked.json["error"]) == ("ok", None)
    # RC and XRC: 5 opcodes of both sizes, 2 atomics; RC: atomic writes of one size, flushed writes of both; UC 4, UD 2;
    # one cell each way by rdma_cm
    assert checked.counts("ok", "failed", "not_tried") == [2 * (5 * 8 + 2 * 4) + 4 + 8 + 4 * 8 + 2 * 8 + 2, 0, 0]
    assert checked.kinds("transport", "cause", status="not_offered") == {("DC", "device")}
    assert checked.json["run"]["client"]["limits"]["device"] == "softhca0"
    assert checked.json["run"]["server"]["machine"]["cm_access"] is not None
    assert checked.kinds("size_bytes", size="large", transport="UD") == {(4096,)}
    assert "software" in [warning["code"] for warning in checked.json["warnings"]]
    assert not [row for row in checked.json["rows"] if "verbench check" in (row["reason"] or "")]
    # what both sides have is one line, and counts once
    said = {(warning["code"], warning["text"]) for warning in checked.json["warnings"]}
    assert f"; warnings: {len(said)};" in checked.table
    assert "RC send ok ok ok ok ok ok ok ok" in checked.table
    assert "RC atomic_write ok ok ok ok" in checked.table
    assert "RC write_flush ok ok ok ok ok ok ok ok" in checked.table
    assert "RC by cm send ok ok" in checked.table
    assert "DC: by the device: mlx5dv_is_supported() of libmlx5 says no to softhca0 of" in checked.table
    assert [line for line in checked.out.splitlines() if len(line) > 80] == []
    assert [line for line in checked.server if line.endswith(": check")]
    assert two_lines(checked.server), checked.server


@pytest.mark.full
def test_the_audit_tells_what_it_ran(hca: Hca) -> None:
    """As of other tests. A cell that is refused is its result. The MTU is its own; so are the retries of the ways that
    have them."""
    checked = check_pair(hca, "--mtu", 512, "--timeout", 18, "--retry", 5)
    assert checked.kinds("transport", status="ok") == {("RC",), ("UC",), ("UD",), ("XRC",)}
    assert checked.json["run"]["client"]["limits"]["active_mtu_bytes"] == 4096
    assert checked.kinds("size_bytes", size="large", transport="UD") == {(512,)}
    (audit,) = json_rows(hca.folder / "audit")
    expected = {"outcome": "measured", "reason": "", "test": "send_bw", "transport": "RC", "size_min_bytes": 8}
    assert {key: audit[key] for key in expected} == expected
    assert audit["points"] > 60 and audit["messages"] > 16 * 60 and audit["bytes"] > 1e6, audit
    assert audit["size_max_bytes"] >= 65536


@pytest.mark.full
def test_the_server_of_one_client_ends_with_0(hca: Hca) -> None:
    """A way that the server refuses is an answer, and no error of it."""
    port = hca.port()
    server = hca.start([hca.program("vb_send_bw"), "-p", port])
    check(hca, "-p", port, "--stall-timeout", "60s", "127.0.0.1")
    assert server.wait().status == 0


def test_a_device_with_ud_alone(hca: Hca) -> None:
    checked = check_pair(hca, server=on("efa"), client=on("efa"))
    assert checked.kinds("transport", status="ok") == {("UD",)}
    assert checked.kinds("transport", "cause", status="not_offered") == {
        (transport, "device") for transport in ("DC", "RC", "UC", "XRC")}
    assert checked.counts("ok", "failed") == [16, 0]
    assert "unspecified, 100 Gbit/s" in checked.table
    # the client asks for the facts over RC first, which this device refuses
    assert two_lines(checked.server), checked.server


@pytest.mark.full
def test_a_device_that_does_not_report_its_longest_message(hca: Hca) -> None:
    checked = check_pair(hca, server=on("mana"), client=on("mana"))
    assert checked.json["run"]["client"]["limits"]["max_msg_bytes"] is None
    assert "longest message, bytes - - queue pairs" in checked.table


def test_iwarp(hca: Hca) -> None:
    checked = check_pair(hca, server=on("irdma-iwarp"), client=on("irdma-iwarp"))
    assert checked.kinds("transport", "opcode", "requests_of", status="ok") == {
        ("RC", opcode, "client") for opcode in ("read", "send", "write")}
    assert checked.counts("ok", "failed") == [13, 0]
    assert ("path",) in checked.kinds("cause", requests_of="server", opcode="write")


def test_two_devices_that_cannot_reach_each_other(hca: Hca) -> None:
    """What one port says does not reach the other."""
    checked = check_pair(hca, status=1, server=on("efa"), client=on("connectx-vport"))
    assert (checked.json["status"], checked.json["error"]) == ("failed", None)
    assert checked.counts("ok", "failed") == [0, 0]
    assert checked.kinds("cause", transport="UD") == {("path",)}
    assert "0 of 0 offered ways work" in checked.table


@pytest.mark.full
def test_a_link_that_loses_messages_in_one_direction(hca: Hca) -> None:
    """What fails is named, with its side; what does not fail is ok."""
    checked = check_pair(hca, status=1, server={"SOFTHCA_LINK": "loss=40%,seed=3"})
    assert checked.json["status"] == "failed"
    assert checked.kinds("requests_of", "transport", status="failed") == {("server", "UC"), ("server", "UD")}
    assert checked.kinds("status", transport="RC") == {("ok",)}
    assert "UD send ok ok ok ok FAILED" in checked.table
    assert "of 16 messages were lost" in checked.table


@pytest.mark.full
def test_a_device_that_reports_errors(hca: Hca) -> None:
    checked = check_pair(hca, status=1, client={"SOFTHCA_FAULTS": "wc:REM_ACCESS_ERR@1"})
    assert checked.kinds("opcode", transport="RC", status="failed")
    assert "REM_ACCESS_ERR" in checked.table
    assert "Failed RC" in checked.table


def test_no_such_device_on_the_client(hca: Hca) -> None:
    checked = check_pair(hca, "-d", "nosuch", status=2)
    assert checked.json["status"] == "refused" and "nosuch" in checked.json["error"]
    assert checked.json["run"]["server"] is not None
    assert len([line for line in checked.server if line.endswith(": check")]) == 1, checked.server


def test_no_such_device_on_the_server(hca: Hca) -> None:
    checked = check_pair(hca, "--peer-device", "nosuch", status=2)
    assert checked.json["status"] == "refused" and "nosuch" in checked.json["error"]
    assert checked.json["run"]["client"] is None


def test_no_server(hca: Hca) -> None:
    checked = check(hca, "-p", hca.port(), "--connect-timeout", "300ms", "127.0.0.1", status=1)
    assert checked.json["status"] == "failed" and "127.0.0.1" in checked.json["error"]


@pytest.mark.parametrize("profile, devices, transports, paging", [
    ("soft", 2, "RC UC UD XRC", "odp, prefetch"), ("irdma-iwarp", 1, "RC", "none")])
def test_this_machine(hca: Hca, profile: str, devices: int, transports: str, paging: str) -> None:
    checked = check(hca, env={"SOFTHCA_DEVICES": devices, **on(profile)})
    assert (checked.json["status"], checked.json["problems"]) == ("ok", [])
    assert [device["transports"] for device in checked.json["run"]["devices"]] == devices * [
        {transport: transport in transports.split() for transport in ("RC", "UC", "UD", "XRC", "DC")}]
    assert f"queue pairs: {transports.replace(' ', ', ')} on-demand paging: {paging} " in checked.table
    assert {device["paging"] for device in checked.json["run"]["devices"]} == {paging}


@pytest.mark.skipif(Path("/sys/class/infiniband").exists(), reason="this machine may have a device")
def test_this_machine_without_a_device(hca: Hca) -> None:
    checked = check(hca, status=1, env={"SOFTHCA_DEVICES": 0})
    assert checked.json["status"] == "failed"
    assert [problem["code"] for problem in checked.json["problems"]] == ["no_device"]
    assert "no RDMA device found: SOFTHCA_DEVICES is 0, or it cannot start" in checked.table


def test_this_machine_without_such_a_device(hca: Hca) -> None:
    ended = hca.run([hca.program("verbench"), "check", "-d", "nosuch"])
    assert ended.status == 2
    assert "no RDMA device is called nosuch; there are: softhca0" in " ".join((ended.out + ended.err).split())


def test_this_machine_locks_little_memory(hca: Hca) -> None:
    """The limit of a user; root has none."""
    limited = ["prlimit", "--memlock=65536:65536"]
    if os.geteuid() == 0:
        limited += ["setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock"]
    checked = check(hca, by=limited)
    assert checked.json["run"]["devices"][0]["machine"]["memlock_bytes"] == 65536
    assert "memlock" in [warning["code"] for warning in checked.json["warnings"]]
    assert "ulimit -l unlimited" in checked.table
