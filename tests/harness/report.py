# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""'verbench report' of tests/page/sweep.csv, and of the same rows with texts that are markup, commands and formats."""

import csv
import os
import subprocess
from pathlib import Path

from harness.emulated import SOURCE
from harness.programs import GUARD

# The devices are the names of two curves: texts that begin with a quote, have several in a row, end with a backslash.
DEVICES = ["''' '''; system('touch HACKED') # \\", "'; system('touch HACKED'); '"]
HOSTILE = {
    "host": "<script>alert(1)</script>`touch HACKED`'\";&amp; @x _{y}^2 %s",
    "peer_host": "--><img src=http://host.example/x.png>",
    "warnings": "</td></table><style>*{display:none}</style>",
}
REASON = "</style><link rel=stylesheet href=//host.example/x.css> ]]> ${IFS}"


class Report:
    """Runs 'verbench report' in a folder; pages and pictures are made when they are asked for, once."""

    def __init__(self, build: Path, folder: Path):
        self.program = build / "verbench"
        self.folder = folder
        self.rows = SOURCE / "tests" / "page" / "sweep.csv"

    def run(self, *arguments: object, **env: str) -> subprocess.CompletedProcess:
        """Runs the program to its end; env adds to the environment."""
        command = [self.program, "report", *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, env={**os.environ, **env}, capture_output=True, text=True,
                              timeout=GUARD)

    def write(self, name: str, rows: list[dict[str, str]]) -> Path:
        """Writes rows as CSV."""
        with (self.folder / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        return self.folder / name

    def hostile_rows(self) -> Path:
        """Each row of sweep.csv twice; each fifth has failed for a reason."""
        with self.rows.open(newline="") as file:
            rows = [{**row, **HOSTILE, **({"status": "failed", "reason": REASON} if number % 5 == 0 else {})}
                    for number, row in enumerate(csv.DictReader(file), 2)]
        return self.write("hostile.csv", [{**row, "device": device} for row in rows for device in DEVICES])

    def _made(self, name: str, option: str, to: Path) -> Path:
        if not to.exists():
            ended = self.run(self.rows if name == "page" else self.hostile_rows(), option, to)
            assert ended.returncode == 0, ended.stderr
        return to

    def page(self, name: str) -> Path:
        """The page of the rows: 'page' of sweep.csv, 'hostile' of the hostile ones."""
        return self._made(name, "--html", self.folder / f"{name}.html")

    def pictures(self, name: str) -> Path:
        """The folder of their pictures."""
        return self._made(name, "--plot", self.folder / f"{name}-pictures")
