# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh --join FILE: rank 0 writes where it listens, and the others wait for it."""

import os
from itertools import permutations
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM
from typing import Optional

import pytest

from harness.emulated import Hca
from harness.mesh import LONG, SHORT, TEST, Mesh
from harness.serving import until_lines

HERE = ("--allow", "127.0.0.0/8", "--bind", "127.0.0.1")
JOB = {"VERBENCH_JOB": "new"}


@pytest.fixture
def slow(hca: Hca) -> Hca:
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    return hca


def by_file(hca: Hca, size: int, *options: object) -> tuple[Mesh, Path]:
    mesh, file = Mesh(hca, size, *HERE, *options), hca.folder / "join"
    mesh.join = str(file)
    return mesh, file


def all_pairs(mesh: Mesh) -> bool:
    return sorted(row["pair"] for row in mesh.rows if row["status"] == "ok") == sorted(
        f"n{a}>n{b}" for a, b in permutations(range(mesh.size), 2))


def test_file(slow: Hca) -> None:
    """Agents may come first; also those whose parent is no root find it. Only this user may read the file."""
    mesh, file = by_file(slow, 4, *LONG, "--fan-out", 2)
    for rank in (1, 3, 2, 0):
        mesh.start(rank)
    until_lines(mesh.agents[0], mesh.file, 2)
    words = file.read_text().split()
    assert words[:3] == ["verbench", "mesh", "1"] and words[3].startswith("127.0.0.1:") and words[4:] == ["-"]
    assert file.stat().st_mode & 0o7777 == 0o600
    assert mesh.statuses() == [0] * 4, mesh.agents[0].wait()
    assert all_pairs(mesh) and not file.exists() and not list(slow.folder.glob("join*"))


def test_empty_file(slow: Hca) -> None:
    """That of mktemp."""
    mesh, file = by_file(slow, 2, *SHORT)
    file.touch()
    mesh.start(1)
    mesh.start(0)
    assert mesh.statuses() == [0] * 2 and all_pairs(mesh)


@pytest.mark.parametrize("job", ["old", "new", "-"])
def test_old_file(slow: Hca, job: str) -> None:
    """Of another job, and of one whose rank 0 is gone: the others wait for the new one."""
    mesh, file = by_file(slow, 2, *SHORT)
    other = Mesh(slow, 2, *SHORT)
    port = int(other.join.split(":")[1])
    if job == "old":
        # it still runs, and may not be taken for the new one
        other.file = slow.folder / "other.csv"
        other.start(0).until_listens(port)
    file.write_text(f"verbench mesh 1 127.0.0.1:{port} {job}\n")
    mesh.start(1, env=JOB)
    mesh.start(0, env=JOB)
    assert mesh.statuses() == [0] * 2, mesh.agents[1].wait()
    assert all_pairs(mesh) and not file.exists()
    if job == "old":
        other.start(1)
        assert other.statuses() == [0] * 2


def test_interrupted(slow: Hca) -> None:
    mesh, file = by_file(slow, 3, *LONG)
    mesh.start_all()
    until_lines(mesh.agents[0], mesh.file, 2)
    mesh.agents[0].signal(SIGINT)
    assert mesh.statuses() == [1] * 3 and not file.exists()


def test_interrupted_while_it_waits(slow: Hca) -> None:
    mesh, _ = by_file(slow, 2, *TEST, "--connect-timeout", 60)
    agent = mesh.start(1)
    agent.until(lambda: handles(agent.pid, SIGTERM), "its handler of signals")
    agent.signal(SIGTERM)
    ended = agent.wait()
    assert ended.status == 1 and "interrupted" in ended.err, ended


def handles(pid: int, number: int) -> bool:
    caught = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigCgt:")]
    return bool(int(caught[0].split()[1], 16) & 1 << (number - 1))


def test_killed(slow: Hca) -> None:
    """What it leaves behind is no obstacle."""
    mesh, file = by_file(slow, 2, *LONG)
    mesh.start_all()
    until_lines(mesh.agents[0], mesh.file, 1)
    mesh.agents[0].signal(SIGKILL)
    assert mesh.agents[1].wait().status == 1 and file.exists()
    again, _ = by_file(slow, 2, *SHORT)
    again.file = slow.folder / "again.csv"
    again.start(1)
    again.start(0)
    assert again.statuses() == [0] * 2 and all_pairs(again) and not file.exists()


def test_file_of_another_run(slow: Hca) -> None:
    """It stays."""
    mesh, file = by_file(slow, 2, *LONG)
    mesh.start_all()
    until_lines(mesh.agents[0], mesh.file, 1)
    file.write_text("verbench mesh 1 n1:1 -\n")
    assert mesh.statuses() == [0] * 2 and file.read_text() == "verbench mesh 1 n1:1 -\n"


@pytest.mark.parametrize("text, words", [
    (None, "rank 0 has not written it"),
    ("", "it is empty"),
    ("Dear all,\x1b[2J " + 60 * "x" + "\nthe key is secret\n", 'it says "Dear all, [2J '),
    ("verbench mesh 1 127.0.0.1 -\n", "HOST:PORT"),
    ("verbench mesh 2 127.0.0.1:1 -\n", "HOST:PORT"),
    ("verbench mesh 1 127.0.0.1:PORT old\n", "stale: of job old, and this is job new"),
    ("verbench mesh 1 127.0.0.1:PORT new\n", "refused"),
])
def test_no_rank_0(hca: Hca, text: Optional[str], words: str) -> None:
    mesh, file = by_file(hca, 2, *TEST, "--connect-timeout", 1)
    if text is not None:
        file.write_text(text.replace("PORT", str(hca.port())))
    ended = mesh.start(1, env=JOB).wait()
    assert ended.status == 1 and f"--join {file}: " in ended.err and words in ended.err, ended
    assert "secret" not in ended.err and "\x1b" not in ended.err and len(ended.err) < 600, ended


@pytest.mark.parametrize("rank", [0, 1])
def test_refused(hca: Hca, rank: int) -> None:
    """What cannot be waited for is said at once."""
    mesh, file = by_file(hca, 2, *TEST, "--connect-timeout", 20)
    pipe = hca.folder / "pipe"
    file.mkdir()
    os.mkfifo(pipe)
    for path, word in ((hca.folder / "nowhere/join", "directory does not exist"), (file, "Is a directory"),
                       (pipe, "no file")):
        mesh.join = str(path)
        ended = mesh.start(rank).wait()
        assert ended.status == 2 and f"--join {path}: " in ended.err and word in ended.err, ended


def test_other_file(hca: Hca) -> None:
    """Rank 0 replaces no file of something else, and writes into no directory of others."""
    mesh, file = by_file(hca, 2, *TEST)
    file.write_text("notes")
    ended = mesh.start(0).wait()
    assert ended.status == 2 and str(file) in ended.err and file.read_text() == "notes", ended
    file.unlink()
    if os.geteuid():
        hca.folder.chmod(0o500)
        ended = mesh.start(0).wait()
        hca.folder.chmod(0o700)
        assert ended.status == 2 and "Permission denied" in ended.err, ended


def test_nothing_says_who_may_take_part(hca: Hca) -> None:
    """Others of the host could write the file: without a key or addresses it is refused."""
    ended = hca.run([hca.program("verbench"), "mesh", "--ranks", "0/2", "--join", hca.folder / "join", *TEST])
    assert ended.status == 2 and "--key" in ended.err and not (hca.folder / "join").exists(), ended
