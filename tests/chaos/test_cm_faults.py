# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Each call of librdmacm or for multicast (cm_calls.def), and each event of rdma_cm, fails once (cm_fails.c)."""

import re
from pathlib import Path

import pytest

from harness.chaos import STEP, Outcome, compiled, run_session
from harness.emulated import Hca

pytestmark = [pytest.mark.full, pytest.mark.sanitized]


@pytest.fixture(scope="session")
def cm_fails(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that is preloaded."""
    return compiled(build, tmp_path_factory.mktemp("chaos"), "cm_fails", "-fPIC", "-shared")


def may_both_succeed(calls: list[str], outcome: Outcome, side: str) -> bool:
    """calls: up to the one that fails. What is measured stays so when an object cannot be removed afterwards; and the
    first id is one of librdmacm itself, which asks the kernel for AF_IB (ucma_set_af_ib_support())."""
    *before, failing = calls
    removes = ("rdma_disconnect", "rdma_leave_multicast", "ibv_detach_mcast")
    if failing == "rdma_destroy_id" or any(call.startswith(removes) for call in calls):
        return True
    if "rdma_destroy_id" not in before and re.search(r"_create_id$|_channel$|_bind_addr$", failing):
        return True
    # 'setup' writes what fails into a row, or, on the server, a line of its log
    return side == "server" and bool(re.search(r"^verbench: (setup|rdma_cm): ", outcome.server.err, re.M))


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("session", [
    "send_bw --cm -n 200 --verify", "write_lat --cm --imm -n 50 -e", "send_bw --cm -c UD -n 200 --both",
    "read_bw --cm -n 100 -q 3 --threads 2", "send_bw -c UD --mcast 239.1.2.3 --mcast-join cm -n 100",
    "send_bw -c UD --mcast 239.1.2.3 --mcast-join verbs -n 100", "send_bw --disturb cq -n 2000",
    "setup --only cm -n 3 -q 2",
])
def test_both_sides_end_and_say_why(hca: Hca, cm_fails: Path, session: str, side: str) -> None:
    def run(number: str) -> tuple[Outcome, list[str]]:
        """A session whose call of this number fails. The calls of the side, up to that one."""
        file = hca.folder / "calls"
        file.write_text("")
        env = {"LD_PRELOAD": str(cm_fails), "CHAOS_CALLS": str(file), **({"CHAOS_FAILS": number} if number else {})}
        outcome = run_session(hca, session, **{f"at_{side}": env})
        calls, fails, _ = file.read_text().partition(" fails\n")
        return outcome, calls.splitlines() if fails or not number else []

    whole, all_calls = run("")
    assert whole.client.status == whole.served == 0 and not whole.broken(both=True), f"no fault: {whole}"
    broken = []
    for number in range(0, len(all_calls), STEP):
        outcome, calls = run(str(number))
        print(number, calls[-1:], outcome.client.status, outcome.served)
        # the session may end before that call
        if calls:
            broken += [f"{calls[-1]} ({number}): {rule}" for rule in
                       outcome.broken(may_both_succeed(calls, outcome, side))]
    assert not broken
