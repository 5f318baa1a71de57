# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The agents of verbench mesh, each on a node of the emulated HCA."""

from pathlib import Path
from typing import Mapping, Optional

from harness.emulated import Hca
from harness.programs import Program
from harness.rows import Row, csv_rows

# by events: many agents that poll have no processor left for each other
BASE = ("--test", "write_bw", "--completion", "event", "-s", "4k", "--warm-up", "0", "--stall-timeout", "20")
TEST = (*BASE, "-t", "16")
SHORT = (*TEST, "-n", "50", "--connect-timeout", "60")
LONG = (*TEST, "-n", "400", "--connect-timeout", "60")
# what is in flight keeps a link busy while a process waits for a CPU
STEADY = (*BASE, "-t", "128", "-n", "200", "--connect-timeout", "60")
TIMED = (*BASE, "-t", "64", "-D", "0.2", "--connect-timeout", "60")


class Mesh:
    """The agents of a run, rank 0 first; the root writes rows.csv."""

    def __init__(self, hca: Hca, size: int, *options: object):
        self.hca = hca
        self.size = size
        self.options = options
        self.join = f"localhost:{hca.port()}"
        self.file = hca.folder / "rows.csv"
        self.agents: dict[int, Program] = {}

    def start(self, rank: int, *options: object, env: Optional[Mapping[str, object]] = None,
              stdin: Optional[str] = None, name: str = "") -> Program:
        command = [self.hca.program("verbench"), "mesh", "--name", name or f"n{rank}", "--ranks", f"{rank}/{self.size}",
                   "--join", self.join, *self.options, *options]
        if rank == 0:
            command += ["--csv", self.file]
        self.agents[rank] = self.hca.start(command, {"SOFTHCA_NODE": f"n{rank}", **(env or {})}, stdin)
        return self.agents[rank]

    def start_all(self, env: Optional[Mapping[str, object]] = None) -> "Mesh":
        for rank in range(self.size):
            self.start(rank, env=env)
        return self

    def statuses(self) -> list[int]:
        return [agent.wait().status for agent in self.agents.values()]

    @property
    def rows(self) -> list[Row]:
        """Those of rounds."""
        return [row for row in csv_rows(self.file) if row["mesh_attempt"] == "0" and row["kind"] == "result"]

    @property
    def again(self) -> list[Row]:
        """Of pairs that were low, alone."""
        return [row for row in csv_rows(self.file) if row["mesh_attempt"] != "0" and row["kind"] == "result"]


def rows_of_rounds(file: Path) -> list[Row]:
    """Pairs, totals and victims, without the pairs that were measured again because they were low."""
    return [row for row in csv_rows(file)
            if row["mesh_round"] and (row["mesh_attempt"] in ("", "0") or row["kind"] == "victim")]
