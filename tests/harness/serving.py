# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A server of many sessions, and its clients, whose files are in one folder."""

from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Callable, Mapping, Optional, Sequence

from harness.emulated import Hca
from harness.programs import Ended, Options, Program, words
from harness.rows import csv_rows

ENDLESS = "vb_send_bw -s 64 -D 600 --interval 100ms"
"""A test that lasts longer than any test waits for it."""


@dataclass(frozen=True)
class Serving:
    """A server that runs. Its clients run in the folder: the names of their files are relative to it."""

    hca: Hca
    server: Program
    port: int
    folder: Path

    def argv(self, command: str, options: Options = "", hosts: str = "127.0.0.1") -> list[str]:
        """A client, as 'run' and 'vb_send_bw -n 5' name it; options come before the hosts."""
        name, *others = words(command)
        program = [name] if name.startswith("vb_") else ["verbench", name]
        return [self.hca.program(program[0]), *program[1:], "-p", str(self.port), *others, *words(options),
                *words(hosts)]

    def start(self, command: str, options: Options = "", hosts: str = "127.0.0.1",
              env: Optional[Mapping[str, object]] = None) -> Program:
        return self.hca.start(self.argv(command, options, hosts), env, cwd=self.folder)

    def run(self, command: str, options: Options = "", hosts: str = "127.0.0.1",
            env: Optional[Mapping[str, object]] = None) -> Ended:
        return self.start(command, options, hosts, env).wait()

    def measuring(self, command: str = ENDLESS) -> Program:
        """Starts a client with --interval, and waits for its first interval: the loops of the point run."""
        file = self.folder / f"{self.hca.port()}.intervals.csv"
        client = self.start(f"{command} --csv {file}")
        client.until(lambda: any((row.get("kind"), row.get("status")) == ("interval", "ok") for row in csv_rows(file)),
                     "a row of an interval")
        return client

    def stop(self) -> Ended:
        """Ends the server with SIGTERM; it must exit with 0."""
        ended = self.server.stop()
        assert ended.status == 0, ended
        return ended


def serving(hca: Hca, *options: object, through: Sequence[object] = (),
            env: Optional[Mapping[str, object]] = None) -> Serving:
    """Starts 'verbench serve' with options, for clients in the folder of the test. through: a command that gets the
    server's and becomes it."""
    port = hca.port()
    server = hca.start([*through, hca.program("verbench"), "serve", "-p", port, *options], env)
    server.until_listens(port)
    return Serving(hca, server, port, hca.folder)


def lines(file: Path) -> int:
    """The number of whole lines of a file. One that is not there has none."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def until_lines(program: Program, file: Path, count: int) -> None:
    """Waits until a file that the program writes has so many lines."""
    program.until(lambda: lines(file) >= count, f"{count} lines in {file.name}")


def until_next(program: Program, file: Path) -> None:
    """Waits until a file of CSV has the result of a point, and intervals of the next one: it is measured now."""
    def kinds() -> list[str]:
        return [row["kind"] for row in csv_rows(file)]
    program.until(lambda: "result" in kinds() and kinds()[-1] == "interval", f"a second point in {file.name}")


def until_disturbed(seconds: Sequence[float], disturb: Callable[[float], bool]) -> float:
    """Disturbs a run of so many seconds, while it lasts. On a machine that stops a test for seconds it may come too
    late, and says so: then a longer run is next. Returns the seconds of the run that was disturbed."""
    disturbed = next((one for one in seconds if disturb(one)), None)
    assert disturbed, f"even a run of {seconds[-1]} s had ended before it was disturbed"
    return disturbed


def ends_within(program: Program, seconds: float) -> bool:
    """Does it end in this time? To let a program run for a while; nothing may depend on how far it gets."""
    try:
        program.process.wait(seconds)
    except TimeoutExpired:
        return False
    return True
