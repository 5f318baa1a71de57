# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Programs that connect by rdma_cm on the emulated HCA, which has a Unix socket for each of its listeners."""

import re
from pathlib import Path
from typing import Sequence

from harness.emulated import Hca
from harness.programs import Program

ATTEMPTS = 20
"""On a busy machine five in a row fail now and then."""
REFUSED = re.compile("Connection refused|Unexpected CM event bl blka 8")  # 8: rejected


def until_listens_by_cm(hca: Hca, server: Program, port: int) -> None:
    """Waits until a program of this fabric listens to a port of rdma_cm.

    A socket has its name before it listens; then its flags have __SO_ACCEPTCON (Linux, net/unix/af_unix.c).
    """
    name = rf"@vb-softhca/\d+/{hca.env['SOFTHCA_FABRIC']}(\.\d+)?/cm/[0-9a-f]*/{port}/"
    socket = re.compile(rf"^\S+ \S+ \S+ 00010000 .* {name}", re.MULTILINE)
    server.until(lambda: socket.search(Path("/proc/net/unix").read_text()), f"a listener of port {port} of rdma_cm")


def stock_by_cm(hca: Hca, argv: Sequence[object], host: str = "127.0.0.1",
                nodes: tuple[str, str] = ("", "")) -> None:
    """Runs server and client of a program of perftest with -R; both must exit with 0.

    It connects twice, and its server listens twice: a client that comes between is refused, and crashes. It is tried
    again. nodes: of the server and of the client.
    """
    for attempt in range(ATTEMPTS):
        port = hca.port()
        command = [*argv, "-R", "-p", port]
        server = hca.start(command, {"SOFTHCA_NODE": nodes[0]})
        until_listens_by_cm(hca, server, port)
        client = hca.run([*command, host], {"SOFTHCA_NODE": nodes[1]})
        if client.status:
            server.kill()
        ended = server.wait()
        if client.status == 0 and ended.status == 0:
            return
        both = client.out + client.err + ended.out + ended.err
        assert attempt < ATTEMPTS - 1 and REFUSED.search(both), f"{client}\n{ended}"
