# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Processes of the programs under test, and a server that is killed."""

import os
from pathlib import Path
from signal import SIGKILL

from harness.emulated import Hca
from harness.programs import Program, wait_until, words
from harness.rows import csv_rows


def children(pid: int) -> list[int]:
    """The processes that a process has started and that run, the oldest first; none when it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def until_idle(server: Program) -> None:
    """Waits until a server has no session: the process of one outlives its client, and is counted when it has ended."""
    server.until(lambda: not children(server.pid), "no session")


def session_of(server: Program) -> int:
    """The only session of a server, which has begun; one before it may take a while to end."""
    found: list[int] = []

    def is_alone() -> bool:
        # one that ends while the kernel lists them may hide the next one
        found[:] = children(server.pid)
        return len(found) == 1 and found == children(server.pid)

    server.until(is_alone, "one session")
    return found[0]


def until_gone(pids: list[int]) -> None:
    """Waits until processes have ended, whose parent may have ended before."""
    wait_until(lambda: not any(map(is_alive, pids)), "the end of the processes")


def is_alive(pid: int) -> bool:
    """Has a process not ended? Nobody may have asked for its status."""
    return state_of(pid) not in "ZX"


def state_of(pid: int) -> str:
    """The letter of proc_pid_stat(5); X: it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def threads(pid: int) -> int:
    """How many threads a process has; none when it has ended."""
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    except OSError:
        return 0


def kill_server_of(hca: Hca, test: str, options: str) -> None:
    """Kills a server, with its session, while it measures: its client fails, with a row that is not complete."""
    port = hca.port()
    rows = hca.folder / f"{port}.csv"
    server = hca.start([hca.program(f"vb_{test}"), "-p", port])
    client = hca.start([*server.argv[1:], "-D", "forever", *words(options), "--csv", rows, "127.0.0.1"])
    client.until_says("each row")
    for session in children(server.pid):
        os.kill(session, SIGKILL)
    server.kill()
    ended = client.wait()
    assert ended.status == 1, ended
    assert csv_rows(rows)[0]["status"] in ("incomplete", "failed"), ended
