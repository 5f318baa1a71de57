# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh --resume: what a run has measured that was cut is there once, and is not measured again."""

import csv
import json
from itertools import permutations
from pathlib import Path
from signal import SIGINT, SIGKILL

import pytest

from harness.disk import SmallDisk
from harness.emulated import Hca
from harness.mesh import LONG, SHORT, TEST, Mesh, rows_of_rounds
from harness.rows import Row, csv_rows, json_rows
from harness.serving import until_lines

NODES = 4


@pytest.fixture
def slow(hca: Hca) -> Hca:
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    return hca


def pairs(rows: list[Row]) -> list[str]:
    return sorted(row["pair"] for row in rows if row["status"] == "ok" and str(row["mesh_attempt"]) == "0")


def all_pairs(size: int = NODES) -> list[str]:
    return sorted(f"{a}>{b}" for a, b in permutations([f"n{rank}" for rank in range(size)], 2))


def resumed(mesh: Mesh, *options: object) -> Mesh:
    """The same run again, which goes on with its file, and to which it adds rows."""
    again = Mesh(mesh.hca, mesh.size, *mesh.options, "--resume", mesh.file, *options)
    again.file = mesh.file
    return again


def whole(hca: Hca, *options: object) -> Mesh:
    """A run of two nodes that has ended."""
    mesh = Mesh(hca, 2, *SHORT, *options).start_all()
    assert mesh.statuses() == [0, 0], mesh.agents[0].wait()
    return mesh


# ---- cut


def test_killed_root(slow: Hca) -> None:
    """What is in its file, also half a row at its end, is no matter; what it had is as it was."""
    mesh = Mesh(slow, NODES, *LONG).start_all()
    until_lines(mesh.agents[0], mesh.file, 3)
    mesh.agents[0].signal(SIGKILL)
    assert [mesh.agents[rank].wait(30).status for rank in (1, 2, 3)] == [1, 1, 1]
    before = mesh.file.read_text()
    assert 3 <= len(before.splitlines()) < 13
    with mesh.file.open("a") as file:
        file.write(before.splitlines()[-1][:100])
    again = resumed(mesh).start_all()
    assert again.statuses() == [0] * NODES, again.agents[0].wait()
    assert again.file.read_text().startswith(before) and pairs(again.rows) == all_pairs()
    assert "12 pairs" in again.agents[0].out


def test_cut_twice(slow: Hca) -> None:
    """By its user, then before it has begun to measure: nothing is lost."""
    mesh = Mesh(slow, NODES, *LONG).start_all()
    until_lines(mesh.agents[0], mesh.file, 3)
    mesh.agents[0].signal(SIGINT)
    assert mesh.statuses() == [1] * NODES and "incomplete: " in mesh.agents[0].out
    before = set(mesh.file.read_text().splitlines())
    again = resumed(mesh)
    again.start(0)
    again.agents[0].until_listens(int(again.join.split(":")[1]))
    again.agents[0].signal(SIGKILL)
    again.agents[0].wait()
    assert set(mesh.file.read_text().splitlines()) == before
    last = resumed(mesh).start_all()
    assert last.statuses() == [0] * NODES and pairs(last.rows) == all_pairs()
    assert before <= set(mesh.file.read_text().splitlines())


def test_full_disk(slow: Hca) -> None:
    disk = SmallDisk(slow, "8k")
    mesh = Mesh(slow, NODES, *SHORT)
    mesh.file = disk.path / "few.csv"
    mesh.start_all()
    assert mesh.statuses() == [1] * NODES and "No space left" in mesh.agents[0].err
    assert "incomplete: " in mesh.agents[0].out and 0 < len(mesh.rows) < 12
    before = mesh.file.read_text()
    disk.resize("1M")
    again = resumed(mesh).start_all()
    assert again.statuses() == [0] * NODES, again.agents[0].wait()
    assert again.file.read_text().startswith(before) and pairs(again.rows) == all_pairs()


def test_a_node_that_was_gone(slow: Hca) -> None:
    """Only its pairs are measured again. Other files get all rows, and that which is read stays as it is."""
    mesh = Mesh(slow, NODES, *LONG).start_all()
    until_lines(mesh.agents[0], mesh.file, 3)
    mesh.agents[3].signal(SIGKILL)
    assert mesh.agents[0].wait().status == 1
    before, good = mesh.file.read_text(), {row["pair"]: row for row in mesh.rows if row["status"] == "ok"}
    assert len(good) < 12 and all(pair in good for pair in all_pairs(3))
    again = resumed(mesh)
    again.file, document = slow.folder / "again.csv", slow.folder / "again.json"
    again.options += ("--json", document)
    again.start_all()
    assert again.statuses() == [0] * NODES, again.agents[0].wait()
    assert mesh.file.read_text() == before and pairs(again.rows) == all_pairs()
    assert all(row == good[row["pair"]] for row in again.rows if row["pair"] in good)
    read = json.loads(document.read_text())
    assert read["status"] == "ok" and pairs(read["rows"]) == all_pairs()


def test_a_node_that_does_not_come(slow: Hca) -> None:
    """Its rows are taken over all the same."""
    mesh = Mesh(slow, 3, *SHORT).start_all()
    assert mesh.statuses() == [0] * 3
    again = Mesh(slow, 3, *TEST, "-n", 50, "--connect-timeout", 5, "--min-nodes", 2, "--resume", mesh.file)
    again.file = slow.folder / "again.csv"
    for rank in (0, 1):
        again.start(rank)
    assert again.statuses() == [1, 0], again.agents[0].wait()
    assert pairs(again.rows) == all_pairs(3)


# ---- what is taken over


def test_a_row_of_many(slow: Hca) -> None:
    """Of two tests and two sizes one row is missing, and one has failed; they are measured, in JSON Lines, too."""
    lines, cells = slow.folder / "lines", ("--test", "write_bw,send_lat", "-s", "64,1k", "-n", 20, "--warm-up", 0)
    mesh = Mesh(slow, 2, *cells, "--connect-timeout", 60, "--stall-timeout", 20)
    mesh.start(0, "--jsonl", lines)
    mesh.start(1)
    assert mesh.statuses() == [0, 0]
    rows = json_rows(lines)
    assert len(rows) == 8
    rows[3]["status"] = "failed"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows if row is not rows[5]))
    again = Mesh(slow, 2, *cells, "--connect-timeout", 60, "--stall-timeout", 20, "--resume", lines)
    again.file = slow.folder / "again.csv"
    again.start(0, "--jsonl", lines)
    again.start(1)
    assert again.statuses() == [0, 0], again.agents[0].wait()
    found = json_rows(lines)
    assert [row for row in found if row in rows] == [row for i, row in enumerate(rows) if i not in (3, 5)]
    measured = sorted((row["pair"], row["cell"]) for row in found if row not in rows)
    assert measured == sorted((rows[i]["pair"], rows[i]["cell"]) for i in (3, 5))
    assert len(found) == 8 and len(again.rows) == 8


def test_an_incast_is_measured_as_a_whole(slow: Hca) -> None:
    mesh = Mesh(slow, 3, "--schedule", "incast:2", *SHORT).start_all()
    assert mesh.statuses() == [0] * 3
    before = rows_of_rounds(mesh.file)
    lines = mesh.file.read_text().splitlines(keepends=True)
    lost = next(i for i, row in enumerate(csv_rows(mesh.file)) if row["mesh_round"] == "1" and row["kind"] == "result")
    mesh.file.write_text("".join(lines[:lost + 1] + lines[lost + 2:]))
    again = resumed(mesh).start_all()
    assert again.statuses() == [0] * 3, again.agents[0].wait()
    rows = rows_of_rounds(mesh.file)
    assert len(rows) == len(before) == 9
    assert {row["mesh_round"] for row in rows if row not in before} == {"1"}
    assert {row["mesh_round"] for row in rows if row in before} == {"0", "2"}
    assert again.agents[0].out.count("Jain's index") == 3


def test_a_whole_run(slow: Hca) -> None:
    """Nothing is measured, and rules are of all rows; a document is as good as a table."""
    document = slow.folder / "mesh.json"
    mesh = whole(slow, "--json", document)
    again = Mesh(slow, 2, *SHORT, "--resume", document, "--expect", "bandwidth_gbit_s >= 1")
    again.file = slow.folder / "again.csv"
    again.start_all()
    assert again.statuses() == [3, 0] and again.agents[0].out.count("FAIL") >= 2
    assert again.rows == mesh.rows


def test_a_round_that_was_measured_again(slow: Hca) -> None:
    """Its rows are no rows of the first measurement, though they have its round."""
    mesh = whole(slow)
    rows = csv_rows(mesh.file)
    with mesh.file.open("a", newline="") as file:
        csv.DictWriter(file, rows[0], lineterminator="\n").writerow({**rows[0], "mesh_attempt": "4"})
    again = resumed(mesh)
    again.file = slow.folder / "again.csv"
    again.start_all()
    assert again.statuses() == [0, 0], again.agents[0].wait()
    assert again.rows == rows


def test_no_file(slow: Hca) -> None:
    """It is a new run, whose file can be resumed."""
    mesh = Mesh(slow, 2, *SHORT, "--resume", slow.folder / "rows.csv").start_all()
    assert mesh.statuses() == [0, 0] and len(mesh.rows) == 2


# ---- another run


@pytest.fixture
def whole_file(slow: Hca) -> Path:
    return whole(slow).file


def test_other_runs(slow: Hca, whole_file: Path) -> None:
    """Refused before anybody may join, and the file stays as it is."""
    before = whole_file.read_text()
    for change, words in (
            ({"--seed": 2}, ("seed 1", "seed 2")),
            ({"--schedule": "shift"}, ("all", "shift")),
            ({"--test": "send_bw"}, ("write_bw", "send_bw")),
            ({"-s": "8k"}, ("4k", "8k")),
            ({"-s": "4k,8k"}, ("cells",)),
            ({"--ranks": "0/3"}, ("2 nodes", "3 nodes"))):
        options = {**dict(zip(SHORT[::2], SHORT[1::2])), "--ranks": "0/2", **change}
        ended = slow.run([slow.program("verbench"), "mesh", "--join", f"localhost:{slow.port()}", "--resume",
                          whole_file, *(word for pair in options.items() for word in pair)])
        assert ended.status == 2 and all(word in ended.err for word in words), ended
        assert whole_file.read_text() == before


def test_other_nodes(slow: Hca, whole_file: Path) -> None:
    before = whole_file.read_text()
    for names in (("n0", "m1"), ("n1", "n0")):
        mesh = Mesh(slow, 2, *SHORT, "--resume", whole_file)
        mesh.file = whole_file
        for rank, name in enumerate(names):
            mesh.start(rank, name=name)
        ended = mesh.agents[0].wait()
        assert ended.status == 2 and "other nodes" in ended.err, ended
        assert mesh.agents[1].wait().status == 1 and whole_file.read_text() == before


def test_no_rows_of_a_mesh(slow: Hca) -> None:
    file, port = slow.folder / "rows", slow.port()
    server = slow.start([slow.program("verbench"), "write_bw", "-p", port])
    server.until_listens(port)
    assert slow.run([slow.program("verbench"), "write_bw", "-n", 10, "--csv", file, "-p", port,
                     "localhost"]).status == 0
    ended = slow.run([slow.program("verbench"), "mesh", "--ranks", "0/2", "--join", "localhost", *TEST, "--resume",
                      file])
    assert ended.status == 2 and "no row of verbench mesh" in ended.err, ended


@pytest.mark.parametrize("options, word", [
    (("--resume", "-"), "FILE"),
    (("--resume", "rows", "--dry-run"), "--dry-run"),
    (("--resume", "rows", "--json", "rows"), "another file"),
    (("--resume", "rows", "--csv-new"), "--csv-new"),
    (("--resume", "/dev/null"), "no regular file"),
    (("--resume", "/nowhere/rows"), "/nowhere"),
])
def test_refused(hca: Hca, options: tuple[str, ...], word: str) -> None:
    ended = hca.run([hca.program("verbench"), "mesh", "--ranks", "0/2", "--join", "localhost", *TEST, *options])
    assert ended.status == 2 and word in ended.err, ended
