# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""One node: profiles of the emulated HCA, --soft, the verbs themselves, and the wall time of a short run."""

import re
import shutil
import time

import pytest

from harness.emulated import SOURCE
from harness.in_c import must_pass
from harness.lab import Lab, Node
from harness.rows import csv_rows

pytestmark = [pytest.mark.full, pytest.mark.lab]

SOFTHCA = SOURCE / "softhca" / "softhca"
KEYS = re.compile(
    r"\s*(transport|vendor_id|vendor_part_id|hw_ver|phys_port_cnt|max_(mr|qp|sge|sge_rd|cq|cqe|srq|mw)|"
    r"max_qp_(rd_atom|init_rd_atom)|atomic_cap|state|max_mtu|active_mtu|link_layer|max_msg_sz|active_(width|speed)):")


@pytest.fixture
def softhca(node: Node) -> dict[str, object]:
    return {"SOFTHCA_LIB": node.build / "libvb-softhca.so"}


def test_a_profile_from_a_device_of_the_kernel(one: Lab, node: Node, softhca: dict[str, object]) -> None:
    """From what ibv_devinfo -v prints of rxe0. Compares what a profile has keys for."""
    real, profile = one.file("rxe0"), one.file("conf")
    real.write_text(node.must("ibv_devinfo -v -d rxe0"))
    made = node.run([SOFTHCA, "--profile-from", real], softhca)
    profile.write_text(made.out)
    # a limit above those of the emulated HCA is cut, and what no profile has is named
    assert all(re.fullmatch(r"softhca: --profile-from: (cut to 131072: max_(srq|qp)_wr: 1048576|"
                            r"left out, no profile has it: local_ca_ack_delay \d+)", line)
               for line in made.err.splitlines()), made
    emulated = node.run([SOFTHCA, *"ibv_devinfo -v -d softhca0".split()], {**softhca, "SOFTHCA_PROFILE": profile})
    assert emulated.err == ""
    lines, truth = (list(filter(KEYS.match, text.splitlines())) for text in (emulated.out, real.read_text()))
    assert len(truth) >= 20
    assert lines == truth


def test_soft_beside_a_device_of_the_kernel(one: Lab, node: Node, port: int, softhca: dict[str, object]) -> None:
    """An address of rxe0 is also one of this host, so both kinds of devices could take the test."""
    file = one.file("csv")
    node.start(f"verbench serve --soft --allow any -p {port}", softhca).until_listens(port)
    ended = node.run(f"vb_send_bw --soft -p {port} -n 100 --csv {file} {node.address}", softhca)
    assert ended.status == 0, ended
    row, = csv_rows(file)
    assert row.wrong("status=ok device=softhca0 peer_device=softhca0 emulated=1") == []


@pytest.mark.parametrize("program", sorted(
    file.stem for file in (SOURCE / "softhca" / "tests" / "verbs").glob("*.c") if "int main(" in file.read_text()))
def test_verbs(node: Node, program: str) -> None:
    """Their cases are what the founding documents say of verbs, see tests/statements.md."""
    must_pass(node.run(f"{node.build}/softhca/tests/verbs/{program}",
                       {"VERBS_DEVICE": "rxe0", "CM_ADDRESS": node.address}))


def ours(lab: Lab, node: Node) -> None:
    lab.pair("send_bw", "-n 1000 -s 64").passed()


def perftest(lab: Lab, node: Node) -> None:
    command, port = "ib_send_bw -d rxe0 -x 1 -n 1000 -s 64", lab.port()
    # it connects only once, so the server must listen before
    server = node.serve(port, command)
    client = node.run(f"{command} -p {port} {node.address}")
    # perftest fails when its two measures of the clock's frequency differ
    if client.status:
        server.kill()
    server.wait()


def test_the_time_of_1000_messages(one: Lab, node: Node) -> None:
    """From the start of both programs to the end of both, the fastest of three runs, beside that of perftest: most of
    it is start-up. It is printed only, since a machine may be busy during all runs of one program."""
    programs = [ours, perftest] if shutil.which("ib_send_bw") else [ours]
    for program in programs:
        times = []
        for _ in range(3):
            begun = time.monotonic()
            program(one, node)
            times.append(time.monotonic() - begun)
        print(f"1000 messages of 64 bytes by {program.__name__}: {1000 * min(times):.0f} ms")
