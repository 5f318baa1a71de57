# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Who may ask a server: --key, --allow, --bind, and what a server listens on when nothing says who may."""

import filecmp
import shlex
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.serving import serving

TEST = "vb_send_bw -n 100"


@pytest.fixture
def key(hca: Hca) -> Path:
    """The file of a key."""
    assert hca.run([hca.program("verbench"), "key", hca.folder / "key"]).status == 0
    return hca.folder / "key"


@pytest.mark.parametrize("command", [
    TEST,
    pytest.param("run -n 20 --test send_bw -s 64,1M", marks=pytest.mark.full),
    pytest.param("check --stall-timeout 60s", marks=pytest.mark.full),
    "setup --only pd",
])
def test_the_key_is_accepted(hca: Hca, key: Path, command: str) -> None:
    assert serving(hca, "--key", key).run(f"{command} --key {key}").status == 0


def test_a_copy_with_the_key(hca: Hca, key: Path) -> None:
    (hca.folder / "in").mkdir()
    served = serving(hca, "--key", key, "--copy-to", hca.folder / "in")
    source = hca.program("verbench")
    assert served.run(f"copy --key {key} {shlex.quote(source)} 127.0.0.1:it", hosts="").status == 0
    assert filecmp.cmp(source, hca.folder / "in" / "it", shallow=False)


@pytest.mark.parametrize("options, client_options, client_says, server_says", [
    ("--key {key}", "", "requires a key: use --key FILE", "uses no key: a client needs --key FILE"),
    ("--key {key}", "--key {other}", "has a different key, or none", "has a different key, or none"),
    ("", "--key {key}", "has no key: start it with --key FILE", "uses a key, but this server has none"),
], ids=["no key", "another key", "a server without a key"])
def test_the_key_is_refused(hca: Hca, key: Path, options: str, client_options: str, client_says: str,
                            server_says: str) -> None:
    other = hca.folder / "other"
    assert hca.run([hca.program("verbench"), "key", other]).status == 0
    served = serving(hca, *options.format(key=key).split())
    client = served.run(f"{TEST} {client_options.format(key=key, other=other)}")
    assert client.status == 1 and client_says in client.err, client
    served.server.until_says(server_says)


def test_a_key_that_others_can_read_is_not_taken(hca: Hca, key: Path) -> None:
    key.chmod(0o640)
    ended = hca.run([hca.program("verbench"), "serve", "--key", key, "-p", hca.port()])
    assert ended.status != 0
    assert "mode 0640 lets others than its owner at the key: chmod 600" in ended.err, ended


def test_allow_names_the_clients(hca: Hca) -> None:
    """Addresses of this host stand for other hosts: 127.0.0.2 is the server, the others are clients."""
    served = serving(hca, "--allow", "127.0.0.3,10.0.0.0/8")
    assert served.run(f"{TEST} --bind 127.0.0.3", hosts="127.0.0.2").status == 0
    other = served.run(f"{TEST} --bind 127.0.0.1", hosts="127.0.0.2")
    assert other.status == 1 and "is gone" in other.err, other
    served.server.until_says("ignored a connection from 127.0.0.1: --allow does not have it")


def test_bind_names_the_addresses_of_the_server(hca: Hca) -> None:
    served = serving(hca, "--bind", "127.0.0.2,127.0.0.4")
    served.server.until_says(f"port {served.port} of 127.0.0.2 and 127.0.0.4\n")
    assert served.run(TEST, hosts="127.0.0.4").status == 0
    elsewhere = served.run("vb_send_bw --connect-timeout 300ms", hosts="127.0.0.1")
    assert elsewhere.status != 0 and "no server is listening" in elsewhere.err, elsewhere


def addresses(port: int) -> set[str]:
    """What the sockets of this port listen on, as the kernel's tables have it."""
    lines = [line.split() for table in ("tcp", "tcp6") if Path(f"/proc/net/{table}").exists()
             for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    return {columns[1].split(":")[0] for columns in lines if columns[3] == "0A" and columns[1].endswith(f":{port:04X}")}


def test_without_options_only_this_host_can_connect(hca: Hca) -> None:
    """The server says how to open it."""
    served = serving(hca)
    served.server.until_says(f"waiting for a client on port {served.port} of this host; others need --allow\n")
    assert addresses(served.port) <= {"0100007F", "00000000000000000000000001000000"}


def test_the_server_says_whom_it_serves(hca: Hca) -> None:
    served = serving(hca, "--allow", "127.0.0.0/8,10.1.0.0/16")
    served.server.until_says("; from 127.0.0.0/8,10.1.0.0/16\n")


def test_bind_does_not_open_a_server_to_everybody(hca: Hca) -> None:
    ended = hca.run([hca.program("verbench"), "serve", "--bind", "0.0.0.0", "-p", hca.port()])
    assert ended.status == 2 and "give --key FILE or --allow" in ended.err, ended
