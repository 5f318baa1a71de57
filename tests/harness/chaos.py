# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Sessions in which one thing goes wrong. Whatever it is, both sides end, and who failed says why."""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from typing import Mapping, Optional

from harness.emulated import Hca, SOURCE
from harness.programs import Ended, GUARD, Program, wait_until, words

STEP = int(os.environ.get("CHAOS_STEP", "1"))
"""Only each STEPth case runs."""

SECONDS = int(os.environ.get("CHAOS_SECONDS", "10"))
"""The timeouts of both sides. An emulated machine needs longer ones."""

TIMEOUTS = ("--connect-timeout", f"{SECONDS}s", "--stall-timeout", f"{SECONDS}s")

MESSAGE = re.compile(r"^ *failed: |"
                     r"^(?:vb_[a-z_]+|verbench): (?!waiting for a (?:client|server)|only this host|no status: )", re.M)
"""What a side says of a failure, and not of its work. The first one is a row of 'setup'."""


@dataclass(frozen=True)
class Outcome:
    """Both sides of a session have ended. The server's status is that of the session that it has served."""

    folder: Path
    client: Ended
    server: Ended
    served: int
    waits: bool  # it may wait for a client, and did: it was interrupted
    reason: str  # of the failure, in the log of a server that goes on
    messages: list[str]  # in order: 'c hello' is of the client, 's plan' of the server

    def broken(self, both: bool = False) -> list[str]:
        """The rules that the sides broke. both: they may both succeed."""
        found = []
        sides = [("client", self.client.status, self.client.out + self.client.err)]
        if not self.waits:
            sides.append(("server", self.served, self.server.err + self.reason))
        for side, status, said in sides:
            if status not in (0, 1, 2):
                found.append(f"the {side}: exit {status}")
            if status != 0 and not MESSAGE.search(said):
                found.append(f"the {side}: exit {status}, no message")
        if not both and not self.waits and self.client.status == self.served == 0:
            found.append("both sides succeeded")
        return found + self.torn()

    def torn(self) -> list[str]:
        """A copy is whole or not there. A client that fails although it is there says so."""
        if self.client.argv[2] != "copy":
            return []
        names = [file.name for file in (self.folder / "to").iterdir()]
        if not names:
            return ["no copy"] if self.client.status == 0 else []
        if names != ["copy"]:
            return [f"left: {names}"]
        found = []
        if (self.folder / "to" / "copy").read_bytes() != (self.folder / "file").read_bytes():
            found.append("the copy differs")
        if self.client.status and "the file is complete" not in self.client.err:
            found.append("the client does not know of its copy")
        return found


def compiled(build: Path, folder: Path, name: str, *options: str) -> Path:
    """Compiles a program or library of tests/chaos."""
    compiler = words(os.environ.get("CC", "gcc"))
    subprocess.run([*compiler, "-O1", f"-I{build}", "-D_GNU_SOURCE", *options, "-o", folder / name,
                    SOURCE / "tests" / "chaos" / f"{name}.c"], check=True)
    return folder / name


def audited(audit: str, status: int) -> tuple[int, str]:
    """How a server that goes on has served its only client: as the status of one that does not, and the reason."""
    reason = re.search(r' reason="(.+)"$', audit, re.M)
    outcome = re.search(r' outcome="([a-z]+)"', audit)
    if status == 0 and outcome:
        status = {"measured": 0, "refused": 2}.get(outcome[1], 1)
    return status, f"\nverbench: {reason[1]}\n" if reason else ""


def has_served(server: Program, audit: Path, may_wait: bool) -> bool:
    """Waits until the server has ended, or has told of its session. Where it may wait for a client: for some time."""
    def served() -> bool:
        return not server.running() or (audit.exists() and audit.stat().st_size > 0)

    try:
        wait_until(served, "the end of the server's session", 3 * SECONDS if may_wait else GUARD)
    except AssertionError:
        if not may_wait:
            raise
    return served()


def run_session(hca: Hca, options: str, proxy: Optional[Path] = None, fault: str = "none", may_wait: bool = False,
                at_client: Optional[Mapping[str, str]] = None,
                at_server: Optional[Mapping[str, str]] = None) -> Outcome:
    """Runs the command of a client and its server, with a proxy between them that makes a fault.

    A server to which no client came waits for one: where it may, it is interrupted after some time.
    """
    folder = Path(tempfile.mkdtemp(dir=hca.folder))
    (folder / "to").mkdir()
    audit, key = folder / "audit", folder / "key"
    command, *client = words(options)
    host: list[object] = ["127.0.0.1"]
    server: list[object] = [hca.program(f"vb_{command}")]
    if command == "copy":
        (folder / "file").write_bytes(os.urandom(600000))
        server = [hca.program("verbench"), "copy", "--copy-to", folder / "to"]
        host = [folder / "file", "127.0.0.1:copy"]
    elif command in ("setup", "check"):
        server = [hca.program("verbench"), "serve", "--audit", audit]
    if "--key" in client:
        assert hca.run([hca.program("verbench"), "key", key], preload=False).status == 0
        client.append(str(key))
        server += ["--key", key]
    port = to = hca.port()
    passive = hca.start([*server, "-p", port, "-d", "softhca1", *TIMEOUTS], at_server)
    passive.until_listens(port)
    between = None
    if proxy:
        to = hca.port()
        between = hca.start([proxy, to, port, *fault.split()], preload=False)
        between.until_listens(to)
    active = hca.run([hca.program("verbench"), command, *client, "-p", to, "-d", "softhca0", *TIMEOUTS, *host],
                     at_client)
    waits = not has_served(passive, audit, may_wait)
    ended = passive.stop(SIGINT)
    served, reason = audited(audit.read_text() if audit.exists() else "", ended.status)
    if command == "check" and served == 2:
        served = 0  # it asks for what the server refuses
    messages = between.stop().out.splitlines() if between else []
    return Outcome(folder, active, ended, served, waits, reason, messages)
