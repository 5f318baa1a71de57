# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Programs on the emulated HCA: one fabric per test, so that no test sees the devices of another one."""

import itertools
import os
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Sequence

import pytest

from harness.figures import contradictions
from harness.patient import patient
from harness.programs import Ended, GUARD, Options, Program, kill_sessions, wait_until, words
from harness.rows import Row, csv_rows

SOURCE = Path(__file__).resolve().parents[2]
"""The top of the source tree."""

FIRST_PORT = 12000
PORTS_PER_PROCESS = 500

STOCK_ATTEMPTS = 20
"""On a busy machine several in a row fail."""


class Ports:
    """TCP ports of one process of pytest, below those that the kernel chooses for clients.

    All programs of a network namespace share its ports: other processes of pytest, and runs in other folders or as
    another user. So the ports come in blocks, and a process holds the first port of its block: no other one takes a
    port between its choice and the start of its server, which would let a client measure with the wrong server.
    """

    def __init__(self) -> None:
        end = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
        begin = int(os.environ.get("SOFT_PORT", FIRST_PORT))
        for first in range(begin, end - PORTS_PER_PROCESS + 1, PORTS_PER_PROCESS):
            self._held = socket.socket()
            try:
                self._held.bind(("", first))
            except OSError:
                self._held.close()
                continue
            self._ports = itertools.cycle(range(first + 1, first + PORTS_PER_PROCESS))
            return
        raise pytest.UsageError(f"SOFT_PORT: {begin}..{end} has no {PORTS_PER_PROCESS} ports that are not taken")

    def next(self) -> int:
        """A port that no socket uses now."""
        for port in itertools.islice(self._ports, PORTS_PER_PROCESS):
            with socket.socket() as probe:
                try:
                    probe.bind(("", port))
                except OSError:
                    continue
            return port
        raise AssertionError("all ports of this process are in use")


@dataclass(frozen=True)
class Pair:
    """Both ends of a test that has ended, with their rows of CSV."""

    client: Ended
    server: Ended
    client_rows: list[Row]
    server_rows: list[Row]

    def __post_init__(self) -> None:
        """Whatever a test is about, the rows must be true."""
        for row in self.client_rows + self.server_rows:
            assert contradictions(row) == [], f"{self.client}\n{self.server}"

    @property
    def row(self) -> Row:
        """The client's only row."""
        assert len(self.client_rows) == 1, f"{len(self.client_rows)} rows: {self.client}"
        return self.client_rows[0]

    @property
    def server_row(self) -> Row:
        """The server's only row."""
        assert len(self.server_rows) == 1, f"{len(self.server_rows)} rows: {self.server}"
        return self.server_rows[0]

    def passed(self) -> "Pair":
        """Fails unless both sides exit with 0."""
        assert self.client.status == 0 and self.server.status == 0, f"{self.client}\n{self.server}"
        return self


class Hca:
    """The emulated HCA, for one test: a fabric, a folder, ports, and the programs of a build.

    env is what all its programs get; a test adds SOFTHCA_LINK and others to it. In the arguments, an environment
    adds to it, for one program.
    """

    _fabrics = itertools.count()

    def __init__(self, build: Path, folder: Path, ports: Ports):
        self.build = build
        self.folder = folder
        self.ports = ports
        self.runtime = sanitizer_runtime(build)
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("SOFTHCA_", "VERBENCH_"))}
        self.env["SOFTHCA_LIB"] = str(build / "libvb-softhca.so")
        self.env["SOFTHCA_FABRIC"] = f"test{os.getpid()}n{next(self._fabrics)}"
        self._started: list[Program] = []

    def port(self) -> int:
        return self.ports.next()

    def program(self, name: str) -> str:
        """The path of a program of the build."""
        return str(self.build / name)

    def start(self, argv: Sequence[object], env: Optional[Mapping[str, object]] = None, stdin: Optional[str] = None,
              cwd: Optional[Path] = None, preload: bool = True) -> Program:
        """Starts a program on the emulated HCA; without preload, as it is. At the end of the test it is killed. A
        session whose limits of time are not the subject gets long ones."""
        own = {**self.env, **{key: str(value) for key, value in (env or {}).items()}}
        command = patient([str(word) for word in argv])
        if preload:
            command = [str(SOURCE / "softhca" / "softhca"), *command]
            own["LD_PRELOAD"] = ":".join(filter(None, [self.runtime, str((env or {}).get("LD_PRELOAD", ""))]))
        name = f"{len(self._started)}.{Path(str(argv[0])).name}"
        self._started.append(Program(command, own, self.folder, name, stdin, cwd))
        return self._started[-1]

    def run(self, argv: Sequence[object], env: Optional[Mapping[str, object]] = None, stdin: Optional[str] = None,
            cwd: Optional[Path] = None, preload: bool = True, seconds: float = GUARD) -> Ended:
        """Runs a program to its end."""
        return self.start(argv, env, stdin, cwd, preload).wait(seconds)

    def serve(self, *options: object, env: Optional[Mapping[str, object]] = None) -> tuple[Program, int]:
        """Starts 'verbench serve' on a port of its own, and waits until it listens."""
        port = self.port()
        server = self.start([self.program("verbench"), "serve", "-p", port, *options], env)
        server.until_listens(port)
        return server, port

    def pair(self, test: str, options: Options = "", server: Options = "",
             at_client: Optional[Mapping[str, object]] = None,
             at_server: Optional[Mapping[str, object]] = None) -> Pair:
        """Runs vb_TEST on both sides: options are the client's, server those of the server."""
        port = self.port()
        files = {side: self.folder / f"{port}.{side}.csv" for side in ("client", "server")}
        command = [self.program(f"vb_{test}"), "-p", port]
        passive = self.start([*command, *words(server), "--csv", files["server"]], at_server)
        active = self.run([*command, *words(options), "--csv", files["client"], "127.0.0.1"], at_client)
        return Pair(active, passive.wait(), csv_rows(files["client"]), csv_rows(files["server"]))

    def stock(self, argv: Sequence[object], client: Sequence[object] = (),
              listening: bool = False) -> tuple[Ended, Ended]:
        """Runs server and client of a program that takes -p PORT and the host at its end; both must exit with 0.
        Returns the client and the server.

        listening: the client does not wait for its server. perftest measures the frequency of the processor and
        fails, or prints "inf", if another process gets the processor meanwhile (its get_clock.c): that says nothing of
        the emulated HCA, so such a run is repeated. No test runs ib_send_lat with -e: waiting for a completion of its
        send queue it takes the event of its receive queue, if that one is earlier, and then sleeps without end (4.5).
        """
        for attempt in range(STOCK_ATTEMPTS):
            port = self.port()
            passive = self.start([*argv, "-p", port])
            if listening:
                passive.until_listens(port)
            active = self.run([*argv, "-p", port, *client, "127.0.0.1"])
            if active.status:
                passive.kill()
            ended = passive.wait()
            disturbed = "Correlation coefficient" in active.out + active.err + ended.out + ended.err
            if active.status == 0 and ended.status == 0 and not disturbed:
                return active, ended
            assert attempt < STOCK_ATTEMPTS - 1 and disturbed, f"{active}\n{ended}"

    def close(self) -> None:
        """Kills what runs. What a server has started is a process group of its own, and may write into the folder."""
        for program in self._started:
            program.kill()
        leaders = {program.pid for program in self._started}
        wait_until(lambda: not kill_sessions(leaders), "the end of all processes of the test")


def sanitizer_runtime(build: Path) -> str:
    """What must be loaded before a library with sanitizers, or nothing."""
    symbols = subprocess.run(["nm", "-D", build / "libvb-softhca.so"], capture_output=True, text=True, check=True)
    if "__asan_init" not in symbols.stdout:
        return ""
    compiler = os.environ.get("CC", "gcc")
    command = [*compiler.split(), "-print-file-name=libasan.so"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return found.stdout.strip()
