# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The documents, their blocks, and a machine on which their commands run."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from harness.emulated import Hca, SOURCE
from harness.programs import Ended, Program

DOCUMENTS = [*sorted(SOURCE.glob("*.md")), *sorted((SOURCE / "docs").rglob("*.md")), SOURCE / "results" / "README.md"]
PROGRAM = r"(?:(?:vb|ib)_(?:send|write|read|atomic)_(?:bw|lat)|verbench|softhca)"
STAND_INS = ["verbench", "softhca", "scp", "srun", "scontrol",
             *(f"vb_{verb}_{kind}" for verb in ("send", "write", "read", "atomic") for kind in ("bw", "lat"))]


@dataclass(frozen=True)
class Block:
    """Lines of a document between two lines of "```"; line is the number of the first of these."""

    document: Path
    line: int
    kind: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{name_of(self.document)}:{self.line}"


def name_of(document: Path) -> str:
    return str(document.relative_to(SOURCE))


def blocks() -> list[Block]:
    """The blocks of all documents."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text()
        for match in re.finditer(r"^```(.*)\n((?:.*\n)*?)```$", text, re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(document, line, match[1], tuple(match[2].splitlines())))
    return found


class Machine:
    """Runs commands of documents, in its home folder: node1 and node2 are this machine, as 10.1.0.0/16 is.

    The programs that they name are tests/soft/document_program.py, which starts those of the build on the emulated HCA.
    """

    def __init__(self, hca: Hca):
        self.hca = hca
        self.home = hca.folder / "home"
        self.home.mkdir()
        programs = hca.folder / "bin"
        programs.mkdir()
        for name in STAND_INS:
            (programs / name).symlink_to(SOURCE / "tests" / "soft" / "document_program.py")
        hca.env.update(PATH=f"{programs}:{os.environ['PATH']}", HOME=str(self.home), DOCUMENT_PORT=str(hca.port()),
                       DOCUMENT_BUILD=str(hca.build), SOFTHCA_LINK="bandwidth=10G,delay=5us", SOFTHCA_DEVICES="2")

    def start(self, command: str, **env: object) -> Program:
        """Starts a command of bash. Its standard output has its standard error, too."""
        argv = ["bash", "-c", 'exec 2>&1; exec bash -c "$0"', command]
        return self.hca.start(argv, env, cwd=self.home, preload=False)

    def run(self, command: str, tries: int = 1, **env: object) -> Ended:
        """Runs it to its end. tries: a busy machine loses messages of UC and UD; then a test exits with 1."""
        for _ in range(tries):
            ended = self.start(command, **env).wait()
            if ended.status != 1:
                break
        return ended
