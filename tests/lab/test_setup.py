# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench setup on Soft-RoCE. Every row is measured or says why not, and is true; what the driver has is measured."""

import json

import pytest

from harness.lab import Lab, Node
from harness.setup_rows import wrong_setup

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.mark.parametrize("operations, options, present", [
    (30, "--qps 16 --only pd,cq,srq,ah,mw,qp,qps",
     {"ibv_alloc_pd", "ibv_create_cq", "ibv_create_srq", "ibv_create_ah", "ibv_modify_qp to RTR", "create to RTS",
      "ibv_bind_mw (type 1)"}),
    (3, "--only mr", {"ibv_reg_mr", "ibv_dereg_mr"}),
    (30, "--qps 16 --only cm,cms", {"rdma_connect to ESTABLISHED", "rdma_disconnect to its event"}),
])
def test_setup(lab: Lab, node1: Node, node2: Node, operations: int, options: str, present: set[str]) -> None:
    port, file = lab.port(), lab.file("json")
    server = node1.start(f"vb_send_bw -p {port}")
    client = node2.run(f"verbench setup -p {port} -n {operations} "
                       f"--json {file} {options} {node1.address}")
    assert client.status == 0, client
    assert server.wait().status == 0
    rows = json.loads(file.read_text())["rows"]
    assert wrong_setup(rows, operations) == []
    assert present <= {row["operation"] for row in rows if row["status"] == "ok"}
    for row in rows:
        if row["status"] == "unsupported":
            print(f"{row['operation']} is unsupported: {row['reason']}")
        elif row["p50_ns"] is not None:
            times = f"median {row['p50_ns'] / 1000:.0f} us, CPU {row['cpu_ns'] / 1000:.0f} us"
            print(f"{row['measurement']} {row['operation']}: {times}")
