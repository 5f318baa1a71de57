# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A server with a directory of keys: their names in audit, status and limits; keys that come and go while it runs."""

import json
from pathlib import Path
from signal import SIGHUP
from typing import Iterator

import pytest

from harness.emulated import Hca
from harness.killed import session_of
from harness.rows import csv_rows, json_rows
from harness.serving import ENDLESS, Serving, lines, serving, until_lines

TEST = "vb_send_bw -n 100 -s 64"


def make(hca: Hca, path: Path) -> Path:
    assert hca.run([hca.program("verbench"), "key", path]).status == 0
    return path


@pytest.fixture
def keys(hca: Hca) -> Path:
    """The directory of the keys of alice and bob. Clients have copies below the folder of the test."""
    directory = hca.folder / "keys"
    directory.mkdir()
    for name in ("alice", "bob"):
        (hca.folder / name).hardlink_to(make(hca, directory / name))
    return directory


def reload(served: Serving, says: str) -> None:
    """Reads the keys again. The log has the text once for each reload."""
    count = served.server.err.count(says)
    served.server.signal(SIGHUP)
    served.server.until(lambda: served.server.err.count(says) > count, f"'{says}' in the log")


def accepts(served: Serving, name: str) -> bool:
    return served.run(f"{TEST} --key {name}").status == 0


def test_the_audit_has_the_names(hca: Hca, keys: Path) -> None:
    """A client needs its key alone, not the name. A key that the server does not have is refused."""
    log = hca.folder / "audit.log"
    served = serving(hca, "--key", keys, "--audit", log, "--audit-format", "json")
    assert accepts(served, "bob") and accepts(served, "alice")
    make(hca, hca.folder / "mallory")
    refused = served.run(f"{TEST} --key mallory")
    assert refused.status == 1 and "has a different key, or none" in refused.err, refused
    until_lines(served.server, log, 2)
    assert [(line["auth"], line["key"], line["outcome"]) for line in json_rows(log)] == [
        ("key", "bob", "measured"), ("key", "alice", "measured")]


def test_the_limit_of_sessions_counts_by_name(hca: Hca, keys: Path) -> None:
    served = serving(hca, "--key", keys, "--max-sessions-per-host", 1)
    served.measuring(f"{ENDLESS} --key alice")
    status = json.loads(served.run("serve --status --json -", hosts="").out)
    assert [session["key"] for session in status["sessions"]] == ["alice"]
    assert ", key alice: send_bw RC, " in served.run("serve --status", hosts="").out
    second = served.run(f"{TEST} --key alice")
    assert second.status != 0 and "busy: 1 sessions with the key alice are running" in second.err, second
    assert accepts(served, "bob")


def test_a_reload_adds_and_revokes(hca: Hca, keys: Path) -> None:
    """A session with a key that is gone ends, and says why to both sides; others go on."""
    log = hca.folder / "audit.log"
    served = serving(hca, "--key", keys, "--audit", log, "--audit-format", "json")
    alice = served.measuring(f"{ENDLESS} --key alice")
    bob = served.start(f"{ENDLESS} --key bob --csv bob.csv")
    bob.until(lambda: csv_rows(hca.folder / "bob.csv"), "a row of bob")
    (keys / "alice").unlink()
    (hca.folder / "carol").hardlink_to(make(hca, keys / "carol"))
    reload(served, "reloaded")
    ended = alice.wait()
    assert ended.status == 1 and "interrupted: the key alice was revoked" in ended.out, ended
    until_lines(served.server, log, 1)
    line = json_rows(log)[0]
    assert (line["key"], line["outcome"], line["reason"]) == ("alice", "interrupted", "the key alice was revoked")
    assert not accepts(served, "alice")
    assert accepts(served, "carol")
    before = lines(hca.folder / "bob.csv")
    until_lines(bob, hca.folder / "bob.csv", before + 2)
    served.stop()


def test_a_reload_that_fails_keeps_the_keys(hca: Hca, keys: Path) -> None:
    served = serving(hca, "--key", keys)
    alice = served.measuring(f"{ENDLESS} --key alice")
    (keys / "alice").unlink()
    (keys / "bob").chmod(0o644)
    reload(served, f"reload: --key {keys}/bob: mode 0644")
    assert alice.running()
    (keys / "bob").chmod(0o600)
    assert accepts(served, "alice") and accepts(served, "bob")
    (keys / "bob").rename(hca.folder / "gone")
    reload(served, f"reload: --key {keys}: no key is in the directory")
    assert accepts(served, "alice")


def test_a_key_that_changed_is_another_one(hca: Hca, keys: Path) -> None:
    """Also that of a server with one file, which has no name."""
    served = serving(hca, "--key", keys / "alice")
    client = served.measuring(f"{ENDLESS} --key alice")
    (keys / "bob").replace(keys / "alice")
    reload(served, "reloaded")
    ended = client.wait()
    assert ended.status == 1 and "interrupted: the key was revoked" in ended.out, ended
    assert accepts(served, "bob") and not accepts(served, "alice")


PART = 1 << 20


def memory(pid: int) -> Iterator[bytes]:
    """What the process alone can write to, in parts that overlap. To read memory that is shared would allocate it."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for area in Path(f"/proc/{pid}/maps").read_text().splitlines():
            (begin, end), mode = (int(address, 16) for address in area.split()[0].split("-")), area.split()[1]
            for part in range(begin, end, PART) if mode == "rw-p" else ():
                mem.seek(part)
                yield mem.read(min(PART + 64, end - part))


def test_a_session_has_no_key_of_others(hca: Hca, keys: Path) -> None:
    """A client that gets control of the process of its session finds only its own key."""
    served = serving(hca, "--key", keys)
    served.measuring(f"{ENDLESS} --key alice")
    secret = bytes.fromhex((keys / "bob").read_text())
    assert any(secret in area for area in memory(served.server.pid))
    assert not any(secret in area for area in memory(session_of(served.server)))


def test_what_is_no_directory_of_keys(hca: Hca, keys: Path) -> None:
    (keys / "al ice").touch()
    ended = hca.run([hca.program("verbench"), "serve", "--key", keys, "-p", hca.port()])
    assert ended.status == 2 and 'the file name "al ice" cannot be the name of a key' in ended.err, ended
    client = hca.run([hca.program("vb_send_bw"), "--key", keys, "-p", hca.port(), "127.0.0.1"])
    assert client.status != 0 and "only a server can have" in client.err, client
