# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A server in which a call of the process that accepts connections fails: tests/chaos/server_fails.c."""

import errno
import os
import socket
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGHUP

from harness.causes import has_commands
from harness.emulated import Hca
from harness.killed import children
from harness.programs import Ended, Program, members, wait_until
from harness.serving import Serving

WAITS = "waiting for a client"
MISSING = "lines of this log are missing"

HARMLESS = {"accept4 ECONNABORTED", "accept4 EINTR", "accept4 EAGAIN", "poll EINTR", "recv EAGAIN", "recv EINTR",
            "waitpid EINTR", "send EAGAIN", "send EPIPE", "getpeername ENOTCONN"}
"""The server need not tell these: it tries again, or the other end is gone."""

CAUSES = {"EMFILE": "DESCRIPTORS", "ENFILE": "OPEN_FILES", "ENOMEM": "MEMORY", "EAGAIN": "PROCESSES",
          "EADDRINUSE": "PORT_IN_USE"}
"""The advice of a server that cannot start (remedy.def)."""

MOST_POLLS = 3000
"""In all sessions of a case the server makes less than a hundred, and then ten in a second. One that does not wait
makes many thousands."""

LEFT_SECONDS = 60
"""After this time a process that has not ended is one that is left."""


@dataclass(frozen=True)
class Outcome:
    """A server that has ended, and what was seen of it."""

    server: Ended
    next: list[Ended]  # who came after the fault
    left: list[int]  # its processes that were there without a client, or without it
    calls: list[str]
    lasts: bool

    @property
    def fault(self) -> str:
        """The case that failed: "accept4 EMFILE"; "" for none."""
        return next((line.removesuffix(" fails") for line in self.calls if line.endswith(" fails")), "")

    def polls(self) -> int:
        """Calls of poll() since the fault that wait for connections."""
        at = self.calls.index(f"{self.fault} fails") if self.fault else 0
        return sum(line.startswith("poll ENOMEM") for line in self.calls[at:])

    def told(self) -> int:
        """The number of lines that have the text of the error, or say that lines are missing."""
        text = os.strerror(getattr(errno, self.fault.split()[1]))
        return sum(text in line or MISSING in line for line in self.server.err.splitlines())

    def broken(self) -> list[str]:
        """The rules that the server broke."""
        if not self.fault:
            return [] if not self.server.status and not self.left else [f"no fault: {self}"]
        if WAITS not in self.server.err and MISSING not in self.server.err:
            return self.broken_start()
        found = [f"processes are left: {self.left}"] if self.left else []
        if self.server.status != 0:
            found.append(f"exit {self.server.status}")
        found += [f"who came next: {ended}" for ended in self.next if ended.status]
        if self.polls() > MOST_POLLS:
            found.append(f"{self.polls()} polls")
        if self.fault not in HARMLESS and (not self.told() or (self.told() > 1 and not self.lasts)):
            found.append(f"told in {self.told()} lines")
        return found

    def broken_start(self) -> list[str]:
        found = [f"processes are left: {self.left}"] if self.left else []
        cause = CAUSES.get(self.fault.split()[1])
        if self.server.status not in (1, 2):
            found.append(f"exit {self.server.status} at its start")
        if not (has_commands(cause, self.server.err) if cause else self.told()):
            found.append("it does not say why it cannot start, and what to do")
        return found


class Faulty:
    """A server with a key, an audit, metrics, and a service manager."""

    def __init__(self, hca: Hca, library: Path, case: str, number: int, lasts: bool):
        self.hca = hca
        self.folder = Path(tempfile.mkdtemp(dir=hca.folder))
        self.calls_file = self.folder / "calls"
        self.lasts_file = self.folder / "lasts"
        self.lasts = lasts
        if lasts:
            self.lasts_file.touch()
        (self.folder / "metrics.prom").write_text("# HELP verbench_\n")
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(self.folder / "manager"))
        self.key = self.folder / "key"
        assert hca.run([hca.program("verbench"), "key", self.key], preload=False).status == 0
        self.env = {"RUNTIME_DIRECTORY": str(self.folder / "run")}
        env = {**self.env, "LD_PRELOAD": library, "NOTIFY_SOCKET": self.folder / "manager",
               "CHAOS_CALLS": self.calls_file, "CHAOS_LASTS": self.lasts_file,
               **({"CHAOS_CASE": case, "CHAOS_FAILS": number} if case else {})}
        port = hca.port()
        self.server = hca.start([hca.program("verbench"), "serve", "-p", port, "--key", self.key,
                                 "--audit", self.folder / "audit", "--metrics", self.folder / "metrics.prom"], env)
        self.served = Serving(hca, self.server, port, self.folder)
        wait_until(lambda: WAITS in self.server.err or MISSING in self.server.err or not self.server.running(),
                   "a server that waits")

    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def failed(self) -> bool:
        """Has the call failed?"""
        return any(line.endswith(" fails") for line in self.calls())

    def client(self, seconds: int = 20) -> Ended:
        """seconds: its timeouts."""
        return self.served.run(f"vb_send_bw -n 10 --quiet --key {self.key} --connect-timeout {seconds}s "
                               f"--stall-timeout {seconds}s")

    def ask(self) -> Program:
        """Asks for the status."""
        return self.hca.start([self.hca.program("verbench"), "serve", "--status", "-p", self.served.port], self.env,
                              preload=False)

    def reload(self) -> None:
        """Until it reads its options again."""
        def opens() -> int:
            return sum(line.startswith("open EMFILE") for line in self.calls())

        before = opens()
        self.server.signal(SIGHUP)
        wait_until(lambda: opens() > before or not self.server.running(), "a reload")

    def sessions(self) -> list[Ended]:
        """A client, the status, a reload, a client. After the fault one of each, which are the ones returned: what
        lasts has been lifted then."""
        self.client(1 if self.lasts else 20)
        asks = self.ask()
        if not self.lasts:
            asks.wait()
        self.reload()
        self.client(1 if self.lasts else 20)
        if not self.failed():
            return []
        self.lasts_file.unlink(missing_ok=True)
        asks.wait()
        has_status = "verbench: no status: " not in self.server.err
        return [self.client(), *([self.ask().wait()] if has_status else [])]

    def end(self, following: list[Ended]) -> Outcome:
        with suppress(AssertionError):
            wait_until(lambda: not children(self.server.pid), "no session", LEFT_SECONDS)
        # one that has ended is there until the server asks for its status
        left = children(self.server.pid)
        ended = self.server.stop()
        self.manager.close()
        with suppress(AssertionError):
            wait_until(lambda: not members({self.server.pid}), "no process", LEFT_SECONDS)
        left += members({self.server.pid})
        return Outcome(ended, following, left, self.calls(), self.lasts)


def run_faulty(hca: Hca, library: Path, case: str = "", number: int = 0, lasts: bool = False) -> Outcome:
    """Sessions of a server in which a call fails. case: "accept4 EMFILE", the one of this number; "": none. lasts: and
    those after it, until the fault is lifted."""
    faulty = Faulty(hca, library, case, number, lasts)
    return faulty.end(faulty.sessions() if faulty.server.running() else [])
