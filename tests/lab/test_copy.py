# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A file goes from the second node to the first, and messages go back and forth as with ibv_rc_pingpong. On real verbs
a write and the send after it are packets on a wire, and the data must be there when the send is."""

import hashlib
import re

import pytest

from harness.lab import NO_LIMIT, Lab, Node, is_datagram
from harness.programs import Ended, words

pytestmark = [pytest.mark.full, pytest.mark.lab]


def both_sides(lab: Lab, command: str, at_server: str, at_client: str) -> Ended:
    """Runs server and client of a command of verbench, which must exit with 0; the client."""
    port = lab.port()
    options = words(at_client)
    retries = [] if is_datagram(options) else NO_LIMIT
    server = lab.nodes[0].start(f"verbench {command} -p {port} {at_server}")
    client = lab.nodes[1].run(["verbench", command, "-p", port, *retries, *options])
    assert client.status == 0, client
    ended = server.wait()
    assert ended.status == 0, ended
    return client


@pytest.mark.parametrize("size, options", [
    (0, ""), (1, ""), (1048577, ""), (20000003, ""), (5000001, "-e"), (5000001, "--completion hybrid"),
    (300001, "-s 4096 -e"),
])
def test_copy(lab: Lab, node1: Node, size: int, options: str) -> None:
    source, folder = lab.file("source"), f"/tmp/copy.{lab.port()}"
    data = (f"verbench {folder}\n".encode() * (size // 20 + 1))[:size]
    source.write_bytes(data)
    truth = hashlib.sha256(data).hexdigest()
    node1.must(f"mkdir {folder}")
    client = both_sides(lab, "copy", f"--copy-to {folder}", f"{options} {source} {node1.address}:copy")
    assert f"sha256 {truth}" in client.out.splitlines(), client
    assert node1.must(f"sha256sum {folder}/copy").split()[0] == truth
    assert node1.must(f"ls -A {folder}").split() == ["copy"]
    node1.must(f"rm -r {folder}")
    source.unlink()


@pytest.mark.parametrize("events", ["", "-e"])
@pytest.mark.parametrize("transport", ["RC", "UC", "UD"])
def test_pingpong(lab: Lab, node1: Node, transport: str, events: str) -> None:
    out = both_sides(lab, "pingpong", "", f"-c {transport} {events} {node1.address}").out
    assert re.search(r"^  local address:  LID 0x[0-9a-f]+, QPN 0x[0-9a-f]+, PSN 0x[0-9a-f]+, GID ", out, re.MULTILINE)
    size, seconds, rate = map(float, re.search(r"(\d+) bytes in ([\d.]+) seconds = ([\d.]+) Mbit/sec", out).groups())
    count, each = map(float, re.search(r"(\d+) iters in [\d.]+ seconds = ([\d.]+) usec/iter", out).groups())
    timed_out = re.search(r"(\d+) more iters timed out", out)
    lost = int(timed_out[1]) if timed_out else 0
    # UC and UD lose what the kernel of a busy guest drops
    assert count + lost == 1000 and lost <= (0 if transport == "RC" else 100)
    assert rate == pytest.approx(size * 8 / (seconds * 1e6), rel=1 / 200, abs=0.006)
    assert each == pytest.approx(seconds * 1e6 / count, rel=1 / 200, abs=0.006)
