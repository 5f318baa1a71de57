# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The server: clients that do not follow the protocol, sessions, its owner's file, and standard output."""

import csv
import io
import json
from signal import SIGHUP, SIGINT, SIGKILL
from typing import Callable, Iterator

import pytest

from harness.figures import contradictions
from harness.lab import ENDLESS, Lab, Node, Remote
from harness.programs import wait_until
from harness.rows import Row, csv_rows

pytestmark = [pytest.mark.full, pytest.mark.lab]

CONNECT = "exec 9<>/dev/tcp/localhost/{port}; "
RUDE = {  # what bash sends; where it reads, the server must refuse it at once, not after a time-out
    "garbage": CONNECT + "head -c 4000 /dev/urandom >&9",
    "half a frame": CONNECT + r"""printf '\0\0\1\0{{"type":"hel' >&9""",
    "an oversized frame": CONNECT + r"""printf '\377\377\377\377{{"type":"hello"}}' >&9; timeout 20 cat <&9""",
    "no object": CONNECT + r"printf '\0\0\0\7[1,2,3]' >&9; timeout 20 cat <&9",
    # A server keeps 64 that sent no plan (SERVE_MAX_NEW). Each costs it a process: after a thousand, of
    # tests/pair/test_serve.c, a guest on a busy machine has no time for a client within a minute.
    "200 connections": "for ((i = 0; i < 200; i++)); do exec {{fd}}<>/dev/tcp/localhost/{port}; done",
}


IMPATIENT = "--connect-timeout 10"
"""So long what is no client may keep a server waiting."""


def measure(lab: Lab, port: int) -> None:
    """One measurement with a server."""
    file = lab.file("csv")
    ended = lab.nodes[0].run(f"vb_send_bw -p {port} -n 50 -s 1000 --csv {file} localhost")
    assert ended.status == 0, ended
    row, = csv_rows(file)
    assert row.wrong("status=ok messages=50") == [] and contradictions(row) == [], ended


def send_rubbish(node: Node, server: Remote, port: int, what: str) -> None:
    node.run(["bash", "-c", RUDE[what].format(port=port)])
    assert server.running(), f"the server has ended after {what}: {server.wait()}"


@pytest.fixture
def silent(node: Node, port: int) -> Callable[[], None]:
    """Starts what connects to the port and says nothing."""
    def start() -> None:
        script = CONNECT.format(port=port) + "echo connected; exec sleep 10000"
        node.start(["bash", "-c", script]).until_says("connected")
    return start


def test_a_server_for_many_clients_survives_rubbish(one: Lab, node: Node, port: int,
                                                    silent: Callable[[], None]) -> None:
    server = node.serve(port, f"verbench serve --allow any {IMPATIENT}")
    silent()
    for what in RUDE:
        send_rubbish(node, server, port, what)
        measure(one, port)


def test_a_server_for_one_client_survives_rubbish(one: Lab, node: Node, port: int, silent: Callable[[], None]) -> None:
    file = one.file("csv")
    server = node.serve(port, f"vb_send_bw {IMPATIENT} --csv {file}")
    silent()
    for what in RUDE:
        send_rubbish(node, server, port, what)
    measure(one, port)
    assert server.wait().status == 0
    row, = csv_rows(file)
    assert row.wrong("status=ok messages=50") == []


def test_sessions(one: Lab, node: Node, port: int) -> None:
    """Two at the same time; one crashes; after an interrupt the server exits with 0, and each has left its row."""
    file = one.file("csv")
    server = node.serve(port, f"verbench serve --allow any --csv {file}")
    before = node.moved()
    client = node.start(f"vb_send_bw -p {port} {ENDLESS['send_bw']} localhost")
    client.until(lambda: node.moved() >= before + 400, "packets")
    session, = server.children()
    measure(one, port)
    node.signal(session, SIGKILL)
    assert client.wait().status == 1
    server.until_says("signal 9")
    measure(one, port)
    assert server.stop(SIGINT).status == 0
    rows = csv_rows(file)
    assert len(rows) == 2
    for row in rows:
        assert row.wrong("status=ok messages=50") == []


def test_csv_on_standard_output(one: Lab, node: Node, port: int) -> None:
    server = node.start(f"vb_write_bw -p {port} --csv -")
    client = node.run(f"vb_write_bw -p {port} --csv - -n 50 -b localhost")
    assert client.status == 0, client
    for role, text in (("client", client.out), ("server", server.wait().out)):
        both = [Row(row) for row in csv.DictReader(io.StringIO(text)) if row["direction"] != "both"]
        assert len(both) == 2
        for row in both:
            assert row.wrong(f"status=ok role={role}") == [] and contradictions(row) == []


def test_json_on_standard_output(one: Lab, node: Node, port: int) -> None:
    """Both formats have the same keys."""
    file = one.file("csv")
    server = node.start(f"vb_read_lat -p {port} --json -")
    client = node.run(f"vb_read_lat -p {port} --json - -n 50 --csv {file} localhost")
    assert client.status == 0, client
    row, = csv_rows(file)
    assert row.wrong("status=ok lat_samples=50") == []
    document_row, = json.loads(client.out)["rows"]
    assert list(document_row) == list(row)
    assert json.loads(server.wait().out)["rows"][0]["lat_samples"] == 50


def refuses_8_qps(node: Node, port: int) -> None:
    ended = node.run(f"vb_send_bw -p {port} -n 10 -q 8 localhost")
    assert ended.status != 0 and "--max-qps 4 of the server's owner" in ended.err, ended


@pytest.fixture
def owners_file(node: Node) -> Iterator[str]:
    """The owner's file in /etc, which is that of the guest alone."""
    node.must(["sh", "-c", "mkdir -p /etc/verbench && echo max-qps = 4 >/etc/verbench/serve.conf"])
    yield "/etc/verbench/serve.conf"
    node.must("rm -r /etc/verbench")


def test_a_hangup_reads_the_owners_file_again(one: Lab, node: Node, port: int, owners_file: str) -> None:
    """One that is there and cannot be opened (here a link to itself: root has all rights) is not the same as none."""
    server = node.serve(port)
    server.signal(SIGHUP)
    server.until_says("reloaded")
    refuses_8_qps(node, port)
    node.must(f"ln -sfn serve.conf {owners_file}")
    server.signal(SIGHUP)
    wait_until(lambda: f"reload: cannot open {owners_file}: " in server.err, "a failed reload")
    assert "the server goes on as before" in server.err
    refuses_8_qps(node, port)
    server.kill()
    other = node.run(f"verbench serve -p {port} --idle-exit 1s")
    assert other.status != 0 and f"cannot open {owners_file}: " in other.err, other
