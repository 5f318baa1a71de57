#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Runs in a guest of the lab: starts programs and reads files for harness/lab.py, which is at the other end of the
second serial port. A request and its answer are a line of JSON each. The end of a program is a line, too, at any time.
Its argument is the folder of the build, whose programs are found by their names.
"""

import contextlib
import glob
import json
import os
import select
import signal
import sys
import tty

PORT = os.open("/dev/ttyS1", os.O_RDWR | os.O_NOCTTY)


def send(message: dict) -> None:
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(PORT, data):]


def start(argv: list, env: dict, out: str, err: str) -> dict:
    """Starts a program in a session of its own, so that a signal reaches its children."""
    files = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)]
    files += [(os.POSIX_SPAWN_OPEN, number, file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
              for number, file in ((1, out), (2, err))]
    # Python ignores SIGPIPE
    pid = os.posix_spawnp(argv[0], argv, {**os.environ, **env}, file_actions=files, setsid=True,
                          setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    return {"pid": pid}


def send_signal(pid: int, number: int, group: bool) -> dict:
    """It is no error if the process is gone."""
    try:
        (os.killpg if group else os.kill)(pid, number)
    except ProcessLookupError:
        return {"sent": False}
    return {"sent": True}


def read(files: list) -> dict:
    """The texts of files, which may be patterns; None for what cannot be read."""
    texts = []
    for pattern in files:
        found = []
        for file in sorted(glob.glob(pattern)):
            with contextlib.suppress(OSError), open(file, errors="replace") as text:
                found.append(text.read())
        texts.append("".join(found) if found else None)
    return {"texts": texts}


def answer(request: dict) -> dict:
    operations = {"start": start, "signal": send_signal, "read": read}
    number = request.pop("id")
    try:
        return {"id": number, **operations[request.pop("op")](**request)}
    except OSError as error:
        return {"id": number, "error": str(error)}


def report_ended() -> None:
    """Reports all programs that have ended, with the status as subprocess has it."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        send({"ended": pid, "status": os.waitstatus_to_exitcode(status)})


def main() -> None:
    os.environ["PATH"] = ":".join([*sys.argv[1:], os.environ["PATH"]])
    tty.setraw(PORT)
    wakeup, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    pending = b""
    greeted = False
    while True:
        if not greeted:
            # what is said while nobody is connected is lost
            send({"hello": sys.version})
        ready, _, _ = select.select([PORT, wakeup], [], [], None if greeted else 1)
        if wakeup in ready:
            os.read(wakeup, 4096)
            report_ended()
        if PORT in ready:
            greeted = True
            *lines, pending = (pending + os.read(PORT, 4096)).split(b"\n")
            for line in lines:
                send(answer(json.loads(line)))


main()
