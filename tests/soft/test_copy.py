# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench copy: files of all lengths, names that are refused, files that change, sides that are killed, full disks.

After every failure the folder of the server is as before.
"""

import filecmp
import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from signal import SIGCONT, SIGINT, SIGKILL, SIGSTOP, Signals
from subprocess import run
from typing import Mapping, Optional, Sequence

import pytest

from harness.disk import SmallDisk
from harness.emulated import Hca
from harness.installed import need_ipv6
from harness.killed import children, session_of, until_idle
from harness.programs import Ended, Options, Program, words

full = pytest.mark.full

LARGE = 10_000_000
"""Bytes of a file that takes long over a slow link."""


def random_file(path: Path, length: int) -> Path:
    path.write_bytes(os.urandom(length))
    return path


class Copying:
    """A server that takes files into its folder. It listens."""

    def __init__(self, hca: Hca, command: str = "serve", takes: bool = True, folder: Optional[Path] = None,
                 through: Sequence[object] = (), limits: Options = ""):
        """takes: with --copy-to. limits: more options. through: a command that gets the server's and becomes it."""
        self.hca = hca
        self.port = hca.port()
        self.folder = folder or hca.folder / "taken"
        self.folder.mkdir(exist_ok=True)
        options = [*(["--copy-to", self.folder] if takes else []), *words(limits)]
        self.program = hca.start([*through, hca.program("verbench"), command, "--soft", "-p", self.port, *options],
                                 preload=False)
        self.program.until_says("waiting for a client")

    def start(self, file: Path, name: str = "copy", options: Options = "", host: str = "127.0.0.1",
              env: Optional[Mapping[str, object]] = None) -> Program:
        """Starts a client that copies a file."""
        return self.hca.start([self.hca.program("verbench"), "copy", "--soft", "-p", self.port, *words(options), file,
                               f"{host}:{name}"], env, preload=False)

    def copy(self, file: Path, name: str = "copy", options: Options = "", host: str = "127.0.0.1") -> Ended:
        """Runs a client to its end."""
        return self.start(file, name, options, host).wait()

    def copied(self, file: Path, options: Options = "") -> Ended:
        """Copies a file. The copy must be equal, and the client must print its length and its SHA-256."""
        ended = self.copy(file, options=options)
        assert ended.status == 0, ended
        copy = self.folder / "copy"
        assert filecmp.cmp(file, copy, shallow=False), f"{copy} differs from {file}"
        assert copy.stat().st_mode == file.stat().st_mode
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        lines = ended.out.splitlines()
        assert f"sha256 {digest}" in lines
        assert any(line.startswith(f"{file.stat().st_size} bytes in ") for line in lines), ended
        return ended

    def sessions(self) -> list[int]:
        return children(self.program.pid)

    def names(self) -> list[str]:
        """What is in the folder."""
        return sorted(os.listdir(self.folder))


@pytest.fixture
def server(hca: Hca) -> Copying:
    """A server that takes files."""
    return Copying(hca)


@pytest.fixture
def file(folder: Path) -> Path:
    """A file to copy."""
    return random_file(folder / "file", 10000)


def refused(ended: Ended, message: str) -> None:
    assert ended.status == 2 and re.search(message, ended.err), ended


@pytest.mark.parametrize("length, options", [
    # eight windows are in flight
    *[(length, "-s 4096") for length in (0, 4097, 32769)],
    *[pytest.param(length, "-s 4096", marks=full) for length in (1, 4095, 4096, 32767, 32768, 100000)],
    (1048577, ""), (1048577, "-e"), (1048577, "--completion hybrid"),
    *[pytest.param(length, options, marks=full) for length in (0, 1, 1048576, 20000003)
      for options in ("", "-e", "--completion hybrid")],
    # no multiple of a page
    (1048577, "-e -s 99999"),
])
def test_a_file_of_each_length(server: Copying, folder: Path, length: int, options: str) -> None:
    server.copied(random_file(folder / "file", length), options)


def test_the_copy_has_the_mode_of_the_file(server: Copying, file: Path) -> None:
    file.chmod(0o750)
    server.copied(file)
    assert (server.folder / "copy").stat().st_mode & 0o7777 == 0o750


@full
def test_more_than_4_gib_with_holes(server: Copying, file: Path) -> None:
    """Offsets have more than 32 bits. Holes stay holes."""
    os.truncate(file, 4 * 1024 ** 3 + 5)
    with file.open("ab") as end:
        end.write(b"end")
    server.copied(file, "-e -s 8M")
    assert (server.folder / "copy").stat().st_blocks < 4096


@pytest.mark.parametrize("name", [
    "/tmp/x", "sub/../../x", "",
    *[pytest.param(name, marks=full) for name in ("../x", "./x", "sub//x", "sub/", ".", "..")],
    pytest.param("a\nb", id="with a line feed"), pytest.param("a" * 300, id="of 300 characters"),
    pytest.param(b"\377", id="not UTF-8"),
])
def test_a_name_that_is_refused(server: Copying, file: Path, name: str | bytes) -> None:
    refused(server.copy(file, os.fsdecode(name)), "not UTF-8" if name == b"\377" else "name of the copy")
    assert server.names() == []


@pytest.mark.parametrize("host, name", [("127.0.0.1", "ä ö"), ("[::1]", "six"), ("127.0.0.1", "sub/x")])
def test_a_name_that_is_taken(server: Copying, file: Path, host: str, name: str) -> None:
    if host == "[::1]":
        need_ipv6()
    (server.folder / "sub").mkdir()
    assert server.copy(file, name, host=host).status == 0
    assert (server.folder / name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("name, options, message", [
    ("missing/x", "", 'cannot enter the directory "missing".*No such file'),
    ("folder", "", "exists and is a directory"),
    ("regular/x", "", "no directory"),
    ("to-folder/x", "", "it is a link"),
    ("to-nothing", "--overwrite", "no regular file"),
    ("to-nothing", "", "to-nothing.* exists"),
    ("regular", "", '"regular" exists; --overwrite'),
])
def test_what_is_in_the_folder_stays(server: Copying, file: Path, name: str, options: str, message: str) -> None:
    inside, outside = server.folder, file.parent / "outside"
    outside.mkdir()
    (inside / "folder").mkdir()
    (inside / "regular").write_text("old")
    (inside / "to-folder").symlink_to(outside)
    (inside / "to-nothing").symlink_to(outside / "x")
    before = server.names()
    refused(server.copy(file, name, options), message)
    assert server.names() == before
    assert (inside / "regular").read_text() == "old"
    assert not list(outside.iterdir()) and not list((inside / "folder").iterdir())


def test_overwrite_replaces_a_file_or_makes_one(server: Copying, file: Path) -> None:
    for _ in range(2):
        server.copied(file, "--overwrite")
        file.write_bytes(b"another content")


@pytest.mark.parametrize("source, message", [
    ("missing", "cannot open .*No such file"), ("folder", "is a directory"), ("fifo", "no regular file"),
    ("/proc/version", r"has more bytes than its size \(0\) says")])
def test_a_source_that_is_no_file(server: Copying, folder: Path, source: str, message: str) -> None:
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    refused(server.copy(folder / source), message)
    assert server.names() == []


def test_a_server_of_files_and_tests(hca: Hca, server: Copying, file: Path) -> None:
    """It reports each copy, and ends well although a client has failed."""
    server.copied(file)
    assert hca.run([hca.program("vb_send_bw"), "-n", "100", "-p", server.port, "127.0.0.1"]).status == 0
    assert server.copy(file).status == 2
    server.copied(file, "--overwrite")
    until_idle(server.program)
    ended = server.program.stop(SIGINT)
    assert ended.status == 0 and len(re.findall("^copied ", ended.out, re.M)) == 2, ended
    left = f"*softhca*{hca.env['SOFTHCA_FABRIC']}*"
    assert not list(Path("/dev/shm").glob(left))


def test_a_server_for_one_copy(hca: Hca, file: Path) -> None:
    server = Copying(hca, "copy")
    client = server.copied(file)
    ended = server.program.wait()
    assert ended.status == 0
    assert re.findall("^sha256 .*", ended.out, re.M) == re.findall("^sha256 .*", client.out, re.M)


def test_a_server_that_takes_no_files(hca: Hca, file: Path) -> None:
    server = Copying(hca, "send_bw", takes=False)
    refused(server.copy(file), "refuses: this server accepts no files.*--copy-to")
    assert server.program.wait().status == 2
    assert server.names() == []


def test_quota_of_bytes(hca: Hca, file: Path) -> None:
    """What is there before counts, below the folder as well, and what a copy that runs will have."""
    server = Copying(hca, limits=f"--max-copy-bytes {LARGE + 24000}")
    (server.folder / "below").mkdir()
    random_file(server.folder / "below" / "before", 5000)
    client, _ = begin(server, "--stall-timeout 60s", 20)
    session = server.sessions()[0]
    os.kill(session, SIGSTOP)
    assert server.copy(file, "first").status == 0
    refused(server.copy(file, "second"), f"--max-copy-bytes {LARGE + 24000} of the server's owner: the files in its "
            f"directory have {LARGE + 15000}, and this one has 10000$")
    os.kill(session, SIGCONT)
    assert client.wait().status == 0
    (server.folder / "copy").unlink()
    assert server.copy(file, "second").status == 0
    assert server.names() == ["below", "first", "second"]


def test_quota_of_files(hca: Hca, file: Path) -> None:
    server = Copying(hca, limits="--max-copy-files 2")
    for name in ["first", "second"]:
        assert server.copy(file, name).status == 0
    for options in ["", "--overwrite"]:
        refused(server.copy(file, "first" if options else "third", options), "--max-copy-files 2 of the server's owner")
    assert server.names() == ["first", "second"]


def test_nothing_is_replaced_where_the_owner_forbids_it(hca: Hca, file: Path) -> None:
    server = Copying(hca, limits="--clients-may pin,mem")
    assert server.copy(file).status == 0
    refused(server.copy(file, options="--overwrite"), "--clients-may pin,mem of the server's owner: .* --overwrite")


def test_the_umask_of_the_server(hca: Hca, file: Path) -> None:
    file.chmod(0o777)
    server = Copying(hca, "copy", through=["sh", "-c", 'umask 077 && exec "$@"', "sh"])
    assert server.copy(file).status == 0
    assert (server.folder / "copy").stat().st_mode & 0o7777 == 0o700


def test_the_largest_file_that_the_server_may_write(server: Copying, file: Path) -> None:
    # the emulated HCA has its own files by now, which are larger
    run(["prlimit", "--pid", str(server.program.pid), "--fsize=4096"], check=True)
    refused(server.copy(file), "File too large")
    assert server.names() == []


# ---- while a copy runs


def has_written(session: int) -> bool:
    """Has a session written to its file? The file has no name, then Linux shows '#' and a number, or another name."""
    with suppress(FileNotFoundError):  # the process has ended, or a descriptor is closed
        for descriptor in Path(f"/proc/{session}/fd").iterdir():
            if re.search(r"/(#|\.verbench-)", os.readlink(descriptor)) and descriptor.stat().st_blocks:
                return True
    return False


def begin(server: Copying, options: str = "", seconds: int = 80) -> tuple[Program, Path]:
    """Starts the copy of a file that takes this time, and waits until the server has written some of it. What is done
    to it then comes before its end."""
    file = random_file(server.hca.folder / "large", LARGE)
    client = server.start(file, options=f"-s 64k {options}", env={"SOFTHCA_LINK": f"bandwidth={8 * LARGE // seconds}"})
    client.until(lambda: any(map(has_written, server.sessions())), "data of the copy")
    return client, file


def failed(server: Copying, client: Program, at_client: str, at_server: str = "", status: int = 1) -> None:
    """Waits for the end of both sides, and looks at what they print."""
    ended = client.wait()
    until_idle(server.program)
    assert ended.status == status and re.search(at_client, ended.err), ended
    server.program.until(lambda: re.search(at_server, server.program.err), f"'{at_server}' in its output")


@pytest.mark.parametrize("length, message", [
    (5000, "has shrunk while"),
    pytest.param(LARGE + 1, "has changed while", marks=full),
    pytest.param(LARGE, "was written to while", marks=full),
])
def test_a_source_that_is_changed(server: Copying, length: int, message: str) -> None:
    client, file = begin(server, seconds=80 if length < LARGE else 20)
    with file.open("r+b") as content:
        content.write(b"x")
        content.truncate(length)
    failed(server, client, message, f"reports: .*{message}")
    assert server.names() == []


@pytest.mark.parametrize("side, number, at_client, at_server", [
    ("client", SIGINT, "interrupted on the client", "reports: interrupted on the client"),
    ("client", SIGKILL, "", "is gone"),
    ("session", SIGINT, "reports: interrupted on the server", "interrupted"),
    ("session", SIGKILL, "is gone", "signal 9"),
], ids=["client-SIGINT", "client-SIGKILL", "session-SIGINT", "session-SIGKILL"])
def test_a_side_that_ends(server: Copying, file: Path, side: str, number: Signals, at_client: str,
                          at_server: str) -> None:
    """The server serves the next client."""
    client, _ = begin(server)
    os.kill(client.pid if side == "client" else session_of(server.program), number)
    failed(server, client, at_client, at_server, -SIGKILL if (side, number) == ("client", SIGKILL) else 1)
    assert server.names() == []
    server.copied(file)
    assert server.program.stop().status == 0


def test_two_copies_to_one_name(server: Copying, file: Path) -> None:
    """The name is free when both begin. The first session is stopped, so that the second copy is complete before."""
    first, _ = begin(server, "--stall-timeout 300s", seconds=15)
    session = session_of(server.program)
    os.kill(session, SIGSTOP)
    server.copied(file)
    os.kill(session, SIGCONT)
    failed(server, first, "created by somebody else")
    assert server.names() == ["copy"]
    assert filecmp.cmp(server.folder / "copy", file, shallow=False)


def test_a_full_disk(hca: Hca, folder: Path) -> None:
    """Before the copy, and during it; then the next file fits again."""
    server = Copying(hca, folder=SmallDisk(hca, "16M").path)
    refused(server.copy(random_file(folder / "file", 17_000_000)), "no space for 17000000 bytes")
    assert server.names() == []
    client, file = begin(server)
    with suppress(OSError), (server.folder / "other").open("wb", buffering=0) as other:
        while True:
            other.write(bytes(1 << 20))
    failed(server, client, "reports: cannot write .*No space left")
    assert server.names() == ["other"]
    (server.folder / "other").unlink()
    server.copied(file)
