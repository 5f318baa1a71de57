# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The lab: one or two guests of scripts/lab with Soft-RoCE, which stay up for many tests.

In each guest harness/agent.py starts the programs. Their output and rows are in a folder that guests and host share
under one name. An emulated processor needs 30 times as long as the host to start a program: what a test looks at is
read by the agent, or on the host.
"""

import contextlib
import itertools
import json
import select
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from signal import SIGKILL, Signals
from typing import Iterator, Mapping, Optional, Sequence

from harness.emulated import Pair, SOURCE
from harness.figures import contradictions, is_sum
from harness.patient import patient
from harness.programs import Ended, GUARD, Options, Program, is_listener, last_lines, wait_until, words
from harness.rows import Row, csv_rows

DEVICES = "/sys/class/infiniband"
PORT = f"{DEVICES}/rxe0/ports/1"

NO_LIMIT = ["-u", 18, "--retry", 7]
"""A guest without a processor is silent for seconds, too; for Soft-RoCE 7 retries are no limit. The time-out is so long
that few packets go twice."""

ENDLESS = {f"{name}_{metric}": "-D 1000" + (" -t 16" if metric == "bw" else "") +
           (" -r 16" if (name, metric) == ("send", "bw") else "")
           for name in ("send", "write", "read", "atomic") for metric in ("bw", "lat")}
"""By test: until it is ended. Queues so short that after 2000 packets both sides have found completions."""

UNDISTURBED = 20
"""Runs at most until a guest had a processor all the time."""


def is_datagram(options: Sequence[str]) -> bool:
    """UC or UD, for which there are no retries."""
    return any(options[index:index + 2] in (["-c", "UC"], ["-c", "UD"]) for index in range(len(options)))


class LabCannotRun(Exception):
    """Something that the lab needs is missing here."""


class Link:
    """The connection to the agent of a guest."""

    def __init__(self, path: Path):
        self.path = path
        self.ended: dict[int, int] = {}  # exit status by process
        self._socket: Optional[socket.socket] = None
        self._greeted = False
        self._pending = b""
        self._numbers = itertools.count()

    def greeted(self, seconds: float) -> bool:
        """Connects; has the agent said hello?"""
        if self._socket is None:
            with contextlib.suppress(OSError):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(str(self.path))
                self._socket = connection
        if self._socket is None:
            time.sleep(seconds)
            return False
        try:
            self._greeted = self._greeted or any("hello" in message for message in self._messages(seconds))
            return self._greeted
        except ConnectionError:
            # scripts/lab starts a guest that hangs again
            self._socket, self._pending, self._greeted = None, b"", False
            return False

    def call(self, operation: str, **values: object) -> dict:
        """One request. Meanwhile it takes note of the programs that have ended."""
        number = next(self._numbers)
        self._socket.sendall(json.dumps({"id": number, "op": operation, **values}).encode() + b"\n")
        end = time.monotonic() + GUARD
        while time.monotonic() < end:
            # one with another number answers a call that was interrupted
            for message in (message for message in self._messages(1) if message.get("id") == number):
                assert "error" not in message, f"{values}: {message['error']}"
                return message
        raise AssertionError(f"no answer of the guest to {operation} {values}")

    def listen(self, seconds: float) -> None:
        """Takes note of the programs that have ended; waits for something to happen."""
        self._messages(seconds)

    def _messages(self, seconds: float) -> list[dict]:
        """What has come, but for the ends of programs."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return []
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError(f"the guest of {self.path.name} is gone")
        *lines, self._pending = (self._pending + data).split(b"\n")
        if not self._greeted:
            # whoever connects while the agent says hello gets the end of it
            lines = [line for line in lines if line.startswith(b"{")]
        found = []
        for message in map(json.loads, lines):
            if "ended" in message:
                self.ended[message["ended"]] = message["status"]
            else:
                found.append(message)
        return found


class Remote(Program):
    """A program that runs in a guest."""

    def __init__(self, node: "Node", argv: Sequence[object], env: Mapping[str, object], name: str):
        self.node = node
        self.argv = tuple(str(word) for word in argv)
        self.out_file = node.folder / f"{name}.out"
        self.err_file = node.folder / f"{name}.err"
        for file in (self.out_file, self.err_file):
            file.touch()
        self._pid = node.link.call("start", argv=self.argv, env={key: str(value) for key, value in env.items()},
                                   out=str(self.out_file), err=str(self.err_file))["pid"]

    @property
    def pid(self) -> int:
        return self._pid

    def running(self) -> bool:
        self.node.link.listen(0)
        return self.pid not in self.node.link.ended

    def children(self) -> list[int]:
        """The processes that it has started, as the sessions of a server."""
        return [int(pid) for pid in (self.node.read(f"/proc/{self.pid}/task/{self.pid}/children") or "").split()]

    def until_listens(self, port: int) -> None:
        self.until(lambda: self.node.listens(port), f"a listener of port {port}")

    def signal(self, number: Signals) -> None:
        if self.running():
            self.node.signal(self.pid, number)

    def wait(self, seconds: float = GUARD) -> Ended:
        end = time.monotonic() + seconds
        while self.running():
            if time.monotonic() >= end:
                self.kill()
                raise AssertionError(f"not ended after {seconds} s: {self._ended()}")
            self.node.link.listen(0.2)
        return self._ended(self.node.link.ended[self.pid])

    def kill(self) -> None:
        self.node.signal(self.pid, SIGKILL, group=True)
        end = time.monotonic() + GUARD
        while self.running() and time.monotonic() < end:
            self.node.link.listen(1)


class Node:
    """A guest: node1 or node2."""

    def __init__(self, number: int, link: Link, build: Path, folder: Path):
        self.number = number
        self.link = link
        self.build = build
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.address = f"10.77.0.{number}"
        self._started: list[Remote] = []
        self._names = itertools.count()

    def start(self, argv: Options, env: Optional[Mapping[str, object]] = None) -> Remote:
        """Starts a program, those of the build by their names. At the end of the test it is killed."""
        argv = patient(words(argv))
        name = f"{next(self._names)}.{Path(argv[0]).name}"
        self._started.append(Remote(self, argv, env or {}, name))
        return self._started[-1]

    def run(self, argv: Options, env: Optional[Mapping[str, object]] = None, seconds: float = GUARD) -> Ended:
        """Runs a program to its end."""
        return self.start(argv, env).wait(seconds)

    def must(self, argv: Options) -> str:
        """Runs a program that must succeed; its output."""
        ended = self.run(argv)
        assert ended.status == 0, ended
        return ended.out

    def serve(self, port: int, argv: Options = "verbench serve --allow any") -> Remote:
        """Starts a server, and waits until it listens."""
        server = self.start([*words(argv), "-p", port])
        server.until_listens(port)
        return server

    def signal(self, pid: int, number: Signals, group: bool = False) -> bool:
        """Was there such a process, or group of processes?"""
        return self.link.call("signal", pid=pid, number=int(number), group=group)["sent"]

    def read_all(self, files: Sequence[str]) -> list[Optional[str]]:
        """The texts of files of the guest, which may be patterns; None for one that is not there."""
        return self.link.call("read", files=list(files))["texts"]

    def read(self, file: str) -> Optional[str]:
        return self.read_all([file])[0]

    def listens(self, port: int) -> bool:
        tables = self.read_all(["/proc/net/tcp", "/proc/net/tcp6"])
        return is_listener("".join(table or "" for table in tables), port)

    def counters(self, *names: str) -> list[int]:
        """Counters of rxe0; 0 without rxe0."""
        return [int(text or 0) for text in self.read_all([f"{PORT}/hw_counters/{name}" for name in names])]

    def moved(self) -> int:
        """Packets in both directions: a receiver over UD sends nothing but credit."""
        return sum(self.counters("sent_pkts", "rcvd_pkts"))

    @contextlib.contextmanager
    def loss(self, percent: float) -> Iterator[None]:
        """It loses so many of the packets that it sends."""
        self.must(f"lab-loss {percent}")
        try:
            yield
        finally:
            self.must("lab-loss off")

    @contextlib.contextmanager
    def rate(self, rate: str) -> Iterator[None]:
        """It sends no more than this, as tc takes it."""
        self.must(f"lab-loss 0 0ms {rate}")
        try:
            yield
        finally:
            self.must("lab-loss off")

    def gid_index(self, start: str) -> int:
        """The index of the GID of rxe0 that begins so."""
        gids = [self.read(f"{PORT}/gids/{index}") or "" for index in range(8)]
        return next(index for index, gid in enumerate(gids) if gid.startswith(start))

    def has_gids(self) -> bool:
        """Is rxe0 active, with the GIDs of both addresses? The kernel sets them later than the addresses."""
        state, gids = self.read_all([f"{PORT}/state", f"{PORT}/gids/[0-7]"])
        return bool(state and gids) and "ACTIVE" in state and "ffff:0a4d:" in gids and "fd77:" in gids

    @contextlib.contextmanager
    def changed_network(self, *commands: str) -> Iterator[None]:
        """Changes eth0, its addresses or rxe0 for a while."""
        try:
            for command in commands:
                self.must(command)
            yield
        finally:
            for command in ("ip link set eth0 up mtu 4200", f"ip addr replace {self.address}/24 dev eth0",
                            f"ip -6 addr replace fd77::{self.number}/64 dev eth0 nodad"):
                self.must(command)
            wait_until(self.has_gids, "the GIDs of rxe0")

    def end_test(self) -> None:
        """Kills what the test has left running."""
        for program in self._started:
            if program.running():
                program.kill()
        self._started.clear()
        self.link.ended.clear()


class Lab:
    """The guests, from the start to the end of scripts/lab."""

    def __init__(self, options: Sequence[str], count: int, build: Path):
        self._temporary = tempfile.TemporaryDirectory(prefix="verbench-lab-tests-")
        folder = Path(self._temporary.name)
        # a guest may read files of the host as another user
        folder.chmod(0o755)
        self.folder = folder / "out"
        self.folder.mkdir()
        self._log = folder / "log"
        links = [Link(folder / f"serial.{number}") for number in range(1, count + 1)]
        command = ["setpriv", "--pdeathsig", "TERM", SOURCE / "scripts" / "lab", "run", "-q", "-t", "999999",
                   "-n", str(count), *options, "-o", self.folder, "--serial", folder / "serial",
                   "--", "/usr/bin/python3", SOURCE / "tests" / "harness" / "agent.py", build]
        with self._log.open("wb") as log:
            # in a session of its own: Ctrl-C ends pytest first, which still has a use for the guests
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             start_new_session=True)
        self._kind = "rxe"
        self._ports = itertools.count(19001)
        self._files = itertools.count()
        # a port to which nobody is connected takes nothing
        while not all([link.greeted(0.1) for link in links]):
            if not self.runs():
                reason = last_lines(self.said())
                self.close()
                raise LabCannotRun(reason)
        self.nodes = [Node(number, link, build, self.folder) for number, link in enumerate(links, 1)]
        if count == 2:
            self._few_drivers()

    def _few_drivers(self) -> None:
        """A program that opens a device loads the libraries of all drivers, of which the guests have two."""
        script = ("mkdir /run/drivers && cp /etc/libibverbs.d/rxe.driver /etc/libibverbs.d/siw.driver /run/drivers && "
                  "mount --bind /run/drivers /etc/libibverbs.d")
        for node in self.nodes:
            node.run(["sh", "-c", script])

    def said(self) -> str:
        """What scripts/lab has said; for a guest that is gone, the end of its console."""
        return self._log.read_text(errors="replace")

    def runs(self) -> bool:
        return self._process.poll() is None

    def port(self) -> int:
        return next(self._ports)

    def use(self, kind: str) -> None:
        """Sees to it that the only device of each node is rxe0 or siw0."""
        self._kind = kind
        changed = [node for node in self.nodes if node.read(f"{DEVICES}/{kind}0/ports/1/state") is None]
        for node in changed:
            node.must(["rdma", "link", "delete", {"rxe": "siw0", "siw": "rxe0"}[kind]])
            node.must(["rdma", "link", "add", f"{kind}0", "type", kind, "netdev", "eth0"])
        for node in changed:
            wait_until(lambda: "ACTIVE" in (node.read(f"{DEVICES}/{kind}0/ports/1/state") or ""), f"{kind}0 is active")
            if kind == "rxe":
                wait_until(node.has_gids, "the GIDs of rxe0")

    def file(self, name: str) -> Path:
        """The name of a new file that guests and host share."""
        return self.folder / f"{next(self._files)}.{name}"

    def start_pair(self, test: str, options: Options = "", host: str = "") -> "Running":
        """Starts vb_TEST on both nodes, or on one: options are the client's; the server is on the first node. Without a
        time-out of its own a QP of rxe0 tries again without limit."""
        port, options = self.port(), words(options)
        if self._kind == "rxe" and not is_datagram(options) and "-u" not in options:
            options += map(str, NO_LIMIT)
        passive, active = self.nodes[0], self.nodes[-1]
        command = [f"vb_{test}", "-p", port]
        host = host or (passive.address if active is not passive else "localhost")
        files = [self.file("client.csv"), self.file("server.csv")]
        before = [active.moved(), passive.moved()]
        server = passive.start([*command, "--csv", files[1]])
        client = active.start([*command, *options, "--csv", files[0], host])
        return Running(client, server, files, before)

    def pair(self, test: str, options: Options = "", host: str = "") -> Pair:
        """Runs vb_TEST on both nodes to its end."""
        return self.start_pair(test, options, host).wait()

    def pair_undisturbed(self, test: str, options: Options = "") -> Pair:
        """The same, where no guest was without a processor: over UC and UD a round trip of 100 ms has lost its message.
        What loses messages by itself does so in each run."""
        for _ in range(UNDISTURBED):
            pair = self.pair(test, options)
            if not (test.endswith("_lat") and any(row["lost"] not in ("", "0") for row in pair.client_rows)):
                break
        return pair

    def end_test(self) -> None:
        """Kills what the test has left running. Fails when a guest is gone."""
        try:
            for node in self.nodes:
                node.end_test()
        except ConnectionError:
            self._process.wait(GUARD)
            raise AssertionError(f"the lab has ended: {self.said()}") from None

    def close(self) -> None:
        """Ends the guests."""
        self._process.terminate()
        self._process.wait()
        self._temporary.cleanup()


class Running:
    """A pair while it runs."""

    def __init__(self, client: Remote, server: Remote, files: Sequence[Path], before: Sequence[int] = (0, 0)):
        self.client = client
        self.server = server
        self._files = files
        self._before = before

    def until_moved(self, packets: int) -> None:
        """Waits until the devices of both sides have sent and received so many packets for it."""
        for program, before in zip((self.client, self.server), self._before):
            program.until(lambda: program.node.moved() >= before + packets, f"{packets} packets")

    def rows(self, side: str) -> list[Row]:
        """What the client or the server has written."""
        rows = csv_rows(self._files[0 if side == "client" else 1])
        for row in rows:
            assert contradictions(row) == []
        return rows

    def wait(self) -> Pair:
        client = self.client.wait()
        try:
            # the server of a client that has not even connected waits for it for ever
            server = self.server.wait(GUARD if client.status == 0 else 60)
        except AssertionError as late:
            raise AssertionError(f"{client}: {late}") from None
        return Pair(client, server, self.rows("client"), self.rows("server"))


def check(pair: Pair, expected: str, rows: int = 1) -> Pair:
    """Both sides exit with 0, and their rows are as in check_rows."""
    check_rows(pair.passed(), "status=ok " + expected, rows)
    return pair


def check_rows(pair: Pair, expected: str, rows: int = 1) -> None:
    """Each side has so many rows, beside the sum of both directions, and in each what is expected."""
    for role, ended, all_rows in (("client", pair.client, pair.client_rows), ("server", pair.server, pair.server_rows)):
        ones = [row for row in all_rows if not is_sum(row)]
        assert len(ones) == rows, f"{len(ones)} rows of the {role}: {ended}"
        for row in ones:
            wrong = row.wrong(f"role={role} {expected}")
            assert not wrong, f"{wrong} {row['reason']} {ended}"
