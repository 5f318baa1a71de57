# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Programs under test: started, waited for, ended. No wait has a fixed length: each has a condition and a deadline."""

import os
import shlex
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from typing import Callable, Optional, Sequence, Union

GUARD = 300
"""Seconds. What takes longer hangs. A busy machine may need much longer than others."""

Options = Union[str, Sequence[object]]


def words(options: Options) -> list[str]:
    """Options as a list: a string is split as a shell does, other values are words themselves."""
    return shlex.split(options) if isinstance(options, str) else [str(word) for word in options]


def wait_until(condition: Callable[[], object], what: str = "the condition", seconds: float = GUARD) -> None:
    """Waits until a condition holds; fails after the time limit."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} does not hold after {seconds} s"
        time.sleep(0.02)


def last_lines(text: str, count: int = 3) -> str:
    return " | ".join(text.strip().splitlines()[-count:])


@dataclass(frozen=True)
class Ended:
    """A program that has ended. A failed assertion on a field prints the exit status and the last lines."""

    argv: tuple[str, ...]
    status: int  # as subprocess has it: -N if signal N ended the program
    out: str
    err: str

    def __repr__(self) -> str:
        # pytest cuts the middle of a long text
        command = " ".join(word.rpartition("/")[2] if word.startswith("/") else word for word in self.argv)
        return f"<exit {self.status}; err: {last_lines(self.err)}; out: {last_lines(self.out)}; {command}>"


class Program:
    """A running program. Its output goes to two files in a folder, and can be read while it runs."""

    def __init__(self, argv: Sequence[object], env: dict[str, str], folder: Path, name: str,
                 stdin: Optional[str] = None, cwd: Optional[Path] = None):
        self.argv = tuple(str(word) for word in argv)
        self.out_file = folder / f"{name}.out"
        self.err_file = folder / f"{name}.err"
        source = subprocess.DEVNULL
        if stdin is not None:
            (folder / f"{name}.in").write_text(stdin)
            source = (folder / f"{name}.in").open()
        with self.out_file.open("wb") as out, self.err_file.open("wb") as err:
            # a session of its own: kill() reaches its children
            self.process = subprocess.Popen(self.argv, env=env, stdin=source, stdout=out, stderr=err, cwd=cwd,
                                            start_new_session=True)
        if stdin is not None:
            source.close()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def out(self) -> str:
        return self.out_file.read_text(errors="replace")

    @property
    def err(self) -> str:
        return self.err_file.read_text(errors="replace")

    def running(self) -> bool:
        return self.process.poll() is None

    def until(self, condition: Callable[[], object], what: str = "the condition") -> None:
        """Waits for a condition; fails when the program has ended without it."""
        held = False

        def over() -> bool:
            # what held once need not hold when it is asked again
            nonlocal held
            held = bool(condition())
            return held or not self.running()

        wait_until(over, what)
        # it may have held between the last question and the end of the program
        assert held or condition(), f"{what} does not hold, and the program has ended: {self.wait()}"

    def until_says(self, text: str) -> None:
        """Waits until the text is in its output, on either stream."""
        self.until(lambda: text in self.out + self.err, f"'{text}' in its output")

    def until_listens(self, port: int) -> None:
        """Waits until a TCP socket of the port listens, whose ever it is."""
        self.until(lambda: listens(port), f"a listener of port {port}")

    def signal(self, number: Signals) -> None:
        if self.running():
            self.process.send_signal(number)

    def wait(self, seconds: float = GUARD) -> Ended:
        """Waits for the end. After the time limit it kills the program, and fails."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"not ended after {seconds} s: {self._ended()}") from None
        return self._ended(status)

    def stop(self, number: Signals = SIGTERM) -> Ended:
        """Sends a signal and waits for the end."""
        self.signal(number)
        return self.wait()

    def kill(self) -> None:
        """Kills the program and its children. It is no error if none runs."""
        try:
            os.killpg(self.pid, SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def _ended(self, status: int = -SIGKILL) -> Ended:
        return Ended(self.argv, status, self.out, self.err)


def members(leaders: set[int]) -> list[int]:
    """The processes of the sessions (setsid) of these leaders that have not ended."""
    found = []
    for process in filter(lambda file: file.name.isdigit(), Path("/proc").iterdir()):
        with suppress(OSError):  # it has ended
            state, _, _, session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) in leaders and state not in "ZX":
                found.append(int(process.name))
    return found


def kill_sessions(leaders: set[int]) -> int:
    """Kills all processes of the sessions of these leaders. Returns how many had not ended."""
    found = members(leaders)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, SIGKILL)
    return len(found)


def listens(port: int) -> bool:
    """Does a TCP socket of this port listen?"""
    # without IPv6 there is one table
    tables = [table for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if table.exists()]
    return is_listener("".join(table.read_text() for table in tables), port)


def is_listener(tables: str, port: int) -> bool:
    """Does a TCP socket of this port listen (state 0A), by the text of /proc/net/tcp?"""
    sockets = (line.split() for line in tables.splitlines() if "local_address" not in line)
    return any(columns[3] == "0A" and int(columns[1].rpartition(":")[2], 16) == port for columns in sockets)
