# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh --hosts: one command starts the agents of all hosts, by what stands in for ssh or clush on this one."""

import os
import shutil
import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.rows import csv_rows

TEST = ("--test", "write_bw", "-s", "4k", "-t", "16", "-n", "50", "--warm-up", "0", "--stall-timeout", "20")
LONG = ("--connect-timeout", "60")
HEAD = "#!/bin/sh\nSTART() { SLURMD_NODENAME=$1 SOFTHCA_NODE=$1 sh -c \"$2\"; }\n"
SSH = HEAD + 'echo "$2" >>"$0.said"\nSTART "$1" "$2"\n'
# for all hosts; each gets what comes on standard input
CLUSH = HEAD + """key=$(cat)
echo "$2" >>"$0.said"
for host in $(echo "$1" | tr , ' '); do echo "$key" | START "$host" "$2" & done
wait
"""


def script(hca: Hca, text: str) -> Path:
    file = hca.folder / "via"
    file.write_text(text)
    file.chmod(0o755)
    return file


def start(hca: Hca, via: str, *options: object) -> list[object]:
    return [hca.program("verbench"), "mesh", "--hosts", "n[0-3]", "--name", "n1", "--via", via,
            "--join", f"localhost:{hca.port()}", "--csv", hca.folder / "rows.csv", *TEST, *options]


@pytest.mark.parametrize("text, where", [(SSH, "%h"), (CLUSH, "%w")])
def test_via(hca: Hca, text: str, where: str) -> None:
    """This host is rank 0; the others get a new key, which no command line has."""
    via = script(hca, text)
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    ended = hca.run(start(hca, f"{via} {where}", *LONG), {"SOFTHCA_NODE": "n1"})
    assert ended.status == 0, ended
    rows = csv_rows(hca.folder / "rows.csv")
    pairs = {row["pair"] for row in rows if row["mesh_attempt"] == "0"}
    assert pairs == {f"{a}>{b}" for a, b in permutations(["n0", "n1", "n2", "n3"], 2)}
    said = Path(f"{via}.said").read_text().splitlines()
    assert len(said) == (3 if where == "%h" else 1)
    assert all("--key -" in line and "--via" not in line and "rows.csv" in line for line in said)
    assert not any(len(word) >= 64 and set(word) <= set("0123456789abcdef") for line in said for word in line.split())


def test_via_passes_a_key_on(hca: Hca) -> None:
    """That of standard input."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    first = hca.start(start(hca, f"{script(hca, SSH)} %h", "--key", "-", *LONG), {"SOFTHCA_NODE": "n1"}, "5a" * 32)
    assert first.wait().status == 0, first


ADDRESSES = [f"127.0.0.{number}" for number in range(2, 6)]
# as root, that of Debian needs this folder, which the start of its service makes
SSHD_EMPTY = Path("/run/sshd")


def start_sshd(hca: Hca) -> list[object]:
    """Starts one on all addresses, each a node of its own; returns the words of its client."""
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if not program or not shutil.which("ssh"):
        pytest.skip("openssh-server is not installed")
    if os.geteuid() == 0 and str(SSHD_EMPTY).encode() in Path(program).read_bytes():
        SSHD_EMPTY.mkdir(mode=0o755, exist_ok=True)
    folder, port = hca.folder / "ssh", hca.port()
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    env = {**{key: value for key, value in hca.env.items() if key.startswith("SOFTHCA_")},
           "LD_PRELOAD": ":".join(filter(None, [hca.runtime, hca.env["SOFTHCA_LIB"]]))}
    lines = [f"Port {port}", *(f"ListenAddress {address}" for address in ADDRESSES), f"HostKey {folder}/host",
             f"AuthorizedKeysFile {folder}/user.pub", "AuthenticationMethods publickey", "StrictModes no", "UsePAM no",
             "PidFile none", "LogLevel VERBOSE"]
    for address in ADDRESSES:
        settings = " ".join(f'"{key}={value}"' for key, value in {**env, "SOFTHCA_NODE": address}.items())
        lines += [f"Match LocalAddress {address}", f"SetEnv {settings}"]
    (folder / "config").write_text("\n".join(lines) + "\n")
    hca.start([program, "-D", "-e", "-f", folder / "config"], preload=False).until_listens(port)
    return ["ssh", "-q", "-F", "none", "-p", port, "-i", folder / "user", "-o", "IdentitiesOnly=yes", "-o",
            "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={folder}/known"]


def test_real_ssh(hca: Hca) -> None:
    """Each agent is on an address of its own, and gets the key through ssh."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    ssh = " ".join(str(word) for word in start_sshd(hca))
    ended = hca.run([hca.program("verbench"), "mesh", "--hosts", ",".join(ADDRESSES), "--name", ADDRESSES[0], "--via",
                     f"{ssh} %h", "-p", hca.port(), "--csv", hca.folder / "rows.csv", *TEST, *LONG],
                    {"SOFTHCA_NODE": ADDRESSES[0]})
    assert ended.status == 0, ended
    pairs = {row["pair"] for row in csv_rows(hca.folder / "rows.csv") if row["mesh_attempt"] == "0"}
    assert pairs == {f"{a}>{b}" for a, b in permutations(ADDRESSES, 2)}


def test_via_that_fails(hca: Hca) -> None:
    """Whose status it is; the run ends after --connect-timeout."""
    ended = hca.run(start(hca, "false %h", "--connect-timeout", "1"), {"SOFTHCA_NODE": "n1"})
    assert ended.status == 1 and "n0 ended with exit status 1" in ended.err and "rank 1, 2, 3" in ended.err, ended


@pytest.mark.parametrize("options, word", [
    (("--via", "ssh %h"), "--hosts"),
    (("--hosts", "n[0-3]", "--name", "n0", "--via", "ssh"), "%h"),
    (("--hosts", "n[0-3]", "--name", "n0", "--via", "x %h %w"), "%w"),
    (("--hosts", "n[0-3]", "--name", "n0", "--ranks", "0/4"), "--hosts"),
    (("--hosts", "n[0-3]", "--name", "n4"), "n4"),
    (("--hosts", "n0", "--name", "n0"), "2"),
    (("--hosts", "n[0-3],n2", "--name", "n0"), "n2"),
])
def test_refused(hca: Hca, options: tuple[str, ...], word: str) -> None:
    ended = hca.run([hca.program("verbench"), "mesh", *options, "--test", "write_bw"])
    assert ended.status == 2 and word in ended.err, ended


def test_file(hca: Hca) -> None:
    """Its places are the ranks; the names are taken without a domain if one side has none."""
    file = hca.folder / "hosts"
    file.write_text("# two nodes\nn0.site:18600\nn1\n")
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    command = [hca.program("verbench"), "mesh", "--hosts", file, "--join", f"localhost:{hca.port()}", *TEST, *LONG]
    other = hca.start([*command, "--name", "n1.site"], {"SOFTHCA_NODE": "n1"})
    first = hca.run([*command, "--name", "n0"], {"SOFTHCA_NODE": "n0"})
    assert first.status == 0 and other.wait().status == 0, (first, other)
