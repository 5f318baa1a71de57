#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Stands for the programs that documents name: those of the build run on the emulated HCA, on the port of the test.

With DOCUMENT_LOG, in a script: devices of mlx5 are emulated ones, no -D is longer than 100 ms, and the exit status is
written there. srun, scontrol and scp only start the command that they get.
"""

import os
import re
import subprocess
import sys

SOFTHCA = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../softhca/softhca")
WITHOUT_PORT = {"-p", "--port", "list", "place", "key", "help", "version", "perftest-path", "report"}


def replace(argv: list[str]) -> None:
    """Becomes another program."""
    sys.stdout.flush()
    os.execvp(argv[0], argv)


def here(word: str) -> str:
    """An argument, for this machine."""
    return "any" if word == "10.1.0.0/16" else re.sub(r"^(node[12]|rdma-server)(?=:|$)", "127.0.0.1", word)


def verbench(name: str, args: list[str]) -> None:
    has_port = any(word in WITHOUT_PORT or re.match(r"--help|(node[12]|localhost|.*\..*\..*\..*):\d", word)
                   for word in args)
    args = [here(word) for word in args]
    log = os.environ.pop("DOCUMENT_LOG", "")
    if log:
        args = [re.sub("^mlx5_", "softhca", word) for word in args]
        args = ["100ms" if before == "-D" else word for before, word in zip([""] + args, args)]
    if not has_port:
        args += ["-p", os.environ["DOCUMENT_PORT"]]
    command = [os.path.join(os.environ["DOCUMENT_BUILD"], name), *args]
    if os.environ.get("SOFTHCA_DEVICES") != "0":  # 0: a node without any device
        command = [SOFTHCA, *command]
    if not log:
        replace(command)
    status = subprocess.call(command)
    with open(log, "a") as lines:
        lines.write(f"{status} {name} {' '.join(args)}\n")
    sys.exit(status)


def main(name: str, args: list[str]) -> None:
    if name == "softhca":
        port = ["-p", os.environ["DOCUMENT_PORT"]] if args[0].startswith("ib_") and "-p" not in args else []
        replace([SOFTHCA, *args, *port])
    elif name == "srun":  # srun -N1 -n1 -w NODE COMMAND...
        while args[0].startswith("-"):
            del args[:2 if args[0] == "-w" else 1]
        replace(args)
    elif name == "scontrol":
        print("node1\nnode2")
    elif name != "scp":  # the nodes have one home folder
        verbench(name, args)


main(os.path.basename(sys.argv[0]), sys.argv[1:])
