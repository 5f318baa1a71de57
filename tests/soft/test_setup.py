# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench setup: every row is there and true, the counts are those of the calls, the formats agree, and a server that
goes or a user that stops ends the run with what is measured."""

import csv
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from signal import SIGINT, SIGKILL, Signals

import pytest

from harness.emulated import Hca, SOURCE
from harness.killed import children
from harness.programs import Ended
from harness.rows import json_rows
from harness.serving import Serving, serving, until_lines
from harness.setup_rows import wrong_setup

full = pytest.mark.full
SETUP = "setup --stall-timeout 60"
"""Large memory is slow to register where processes wait for processors."""

QP = ["ibv_create_qp", "ibv_modify_qp to INIT", "exchange with the server", "ibv_modify_qp to RTR",
      "ibv_modify_qp to RTS", "create to RTS", "ibv_destroy_qp"]
CM = ["rdma_create_id", "rdma_resolve_addr to its event", "rdma_resolve_route to its event", "rdma_create_qp",
      "rdma_connect to ESTABLISHED", "rdma_create_id to ESTABLISHED", "rdma_disconnect to its event",
      "rdma_destroy_qp, rdma_destroy_id"]
OPERATIONS = {
    "pd": ["ibv_alloc_pd", "ibv_dealloc_pd"],
    "cq": ["ibv_create_cq", "ibv_destroy_cq", "ibv_resize_cq"],
    "srq": ["ibv_create_srq", "ibv_destroy_srq"],
    "ah": ["ibv_create_ah", "ibv_destroy_ah"],
    "mw": ["ibv_bind_mw (type 1)", "IBV_WR_BIND_MW (type 2)", "IBV_WR_LOCAL_INV (type 2)",
           "SEND_WITH_INV by the server (type 2)",
           *[f"ibv_{verb}_mw (type {kind})" for kind in (1, 2) for verb in ("alloc", "dealloc")]],
    "qp": QP, "qps": QP, "cm": CM, "cms": CM,
}
CALLS = {"cq": {"create_cq": 4}, "qp": {"create_qp": 1, "modify_qp": 3}, "qps": {"modify_qp": 3, "destroy_qp": 1},
         "ah": {"create_ah": 1}, "cm": {"rdma_connect": 1}, "cms": {"rdma_connect": 1}}
"""The calls of an operation."""


@pytest.fixture
def server(hca: Hca) -> Serving:
    return serving(hca)


def measured(server: Serving, options: str, library: object = "") -> tuple[list[dict], Ended]:
    """The rows of a run that passes without a message; all formats have the same. library: what is preloaded."""
    files = [server.folder / f"{server.hca.port()}.{suffix}" for suffix in ("json", "jsonl", "csv")]
    command = server.argv(SETUP, f"{options} --json {files[0]} --jsonl {files[1]} --csv {files[2]}")
    env = {"LD_PRELOAD": library, "COUNT_VERBS": server.folder / "counts"}
    ended = server.hca.run([SOURCE / "softhca" / "softhca", *command], env, preload=False)
    assert ended.status == 0 and not ended.err, ended
    rows = json.loads(files[0].read_text())["rows"]
    assert json_rows(files[1]) == rows
    with files[2].open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == list(rows[0])
    assert [len(line) for line in lines] == [len(rows[0])] * (len(rows) + 1)
    return rows, ended


@pytest.mark.parametrize("operations", [100, pytest.param(1200, marks=full)])
def test_every_operation_of_objects(server: Serving, operations: int) -> None:
    rows, ended = measured(server, f"-n {operations} --qps 8 --only {','.join(OPERATIONS)}")
    assert wrong_setup(rows, operations) == []
    assert {(row["measurement"], row["operation"]) for row in rows} == {
        (measurement, operation) for measurement, steps in OPERATIONS.items() for operation in steps}
    assert re.search("^times in us", ended.out, re.MULTILINE)
    server.stop()


@pytest.fixture(scope="module")
def count_verbs(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that counts the calls of verbs, if it is loaded before the emulated HCA."""
    library = tmp_path_factory.mktemp("preload") / "count_verbs.so"
    source = SOURCE / "tests" / "soft" / "preload" / "count_verbs.c"
    compiler = os.environ.get("CC", "gcc").split()
    subprocess.run([*compiler, f"-I{build}", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def counts(server: Serving) -> dict[str, int]:
    """How often the last run has called each verb."""
    lines = (server.folder / "counts").read_text().splitlines()
    return {name: int(count) for name, count in map(str.split, lines)}


@pytest.mark.parametrize("measurement", [
    "qps", "cms", *[pytest.param(one, marks=full) for one in ("cq", "qp", "ah", "cm")]])
def test_there_are_as_many_calls_as_operations(server: Serving, count_verbs: Path, measurement: str) -> None:
    """What is called beside the measurement is in both runs."""
    found = []
    for operations in (80, 240):
        measured(server, f"-n {operations} --qps 8 --only {measurement}", count_verbs)
        found.append(counts(server))
    few, many = found
    assert {verb: (many[verb] - few[verb]) / 160 for verb in CALLS[measurement]} == CALLS[measurement]


@full
def test_every_memory_region(server: Serving, count_verbs: Path) -> None:
    """Sizes up to 256 MiB: a size, an access and the pages are a row each. Only the measurement registers memory."""
    rows, ended = measured(server, "-n 3 --only mr", count_verbs)
    assert wrong_setup(rows, 3) == []
    assert {row["operation"] for row in rows} == {"ibv_reg_mr", "ibv_dereg_mr"}
    pages = Counter((row["pages"], row["status"]) for row in rows)
    # 5 sizes, 3 accesses, 2 operations; the machine may have no hugepages
    assert pages["small", "ok"] == pages["odp", "ok"] == 30
    huge = [row for row in rows if row["pages"] == "huge"]
    assert len(huge) >= 2 and all(row["status"] == "ok" or "hugepages" in row["reason"] for row in huge)
    registered = [row for row in rows if row["status"] == "ok" and row["operation"] == "ibv_reg_mr"]
    # the first operation of a row is its fourth call
    assert counts(server)["reg_mr"] == 4 * len(registered)
    if any(row["status"] == "unsupported" for row in rows):
        assert re.search(r"huge pages.*\n *unsupported: ", ended.out)


@pytest.mark.parametrize("side, number", [
    pytest.param("client", SIGINT, id="client"), pytest.param("session", SIGKILL, id="session", marks=full)])
def test_a_run_that_is_ended_has_what_was_measured(server: Serving, side: str, number: Signals) -> None:
    """The server serves the next client."""
    file = server.folder / "rows.jsonl"
    client = server.start(SETUP, f"-n 100000 --only pd,qp --jsonl {file}")
    until_lines(client, file, 2)
    os.kill(client.pid if side == "client" else children(server.server.pid)[0], number)
    ended = client.wait()
    assert ended.status == 1 and ended.err, ended
    rows = json_rows(file)
    assert {(row["measurement"], row["status"]) for row in rows} == {("pd", "ok"), ("qp", "incomplete")}
    assert all(row["reason"] for row in rows if row["status"] == "incomplete")
    measured(server, "-n 3 --only qp")
    server.stop()


def test_a_server_for_one_client(hca: Hca) -> None:
    port = hca.port()
    server = hca.start([hca.program("vb_send_bw"), "-p", port])
    client = hca.run([hca.program("verbench"), "setup", "-n", 3, "--only", "qp,mw", "-p", port, "127.0.0.1"])
    ended = server.wait()
    assert (client.status, ended.status) == (0, 0), f"{client}\n{ended}"
    # the server may be later
    assert not [line for line in client.err.splitlines() if ": waiting for a server on " not in line]
