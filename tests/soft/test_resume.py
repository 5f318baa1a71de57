# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench run --resume: a sweep that is killed again and again gives the rows of one that is not; what cannot be
written is an error, and what was written stays; a file of another sweep, or of something else, is refused and keeps
every byte."""

import dataclasses
import fcntl
import json
import os
import random
import re
import tempfile
from pathlib import Path
from signal import SIGINT, SIGKILL
from typing import Callable, Iterator, Mapping, Optional

import pytest

from harness.disk import SmallDisk
from harness.emulated import Hca, Ports
from harness.programs import wait_until
from harness.rows import Row, csv_rows
from harness.serving import ends_within, lines, Serving, serving, until_disturbed

# cells of one row, of three, and of none: write_lat has no events, and one direction
MANY = "-s 64,4k --completion poll,event -q 1,2 -b on,off -n 100"
FEW = "--test write_bw -s 64,128,256,512 -n 100"
NAMES = ["few.csv", "few.csv.run.json"]

Edit = Callable[[str], str]


@pytest.fixture(scope="module")
def server(build: Path, ports: Ports) -> Iterator[Serving]:
    """A server of all tests of this file, with two devices."""
    with tempfile.TemporaryDirectory(prefix="verbench-") as name:
        hca = Hca(build, Path(name), ports)
        yield serving(hca, env={"SOFTHCA_DEVICES": 2})
        hca.close()


@pytest.fixture
def sweep(server: Serving, folder: Path) -> Serving:
    """Clients in a folder of the test."""
    return dataclasses.replace(server, folder=folder)


@pytest.fixture(scope="module")
def whole(server: Serving) -> dict[str, str]:
    """The texts of both files of a sweep of four cells that is complete."""
    ended = server.run("run", f"{FEW} --csv few.csv")
    assert ended.status == 0
    return {name: (server.folder / name).read_text() for name in NAMES}


def whole_rows(file: Path) -> list[Row]:
    """All rows: none is torn, none is a second header."""
    rows = csv_rows(file)
    for row in rows:
        assert None not in row and None not in row.values() and row["schema"] != "schema", f"a broken row: {row}"
    return rows


def results(file: Path) -> list[tuple[str, str, str]]:
    """Cell, direction and status of each result, in order. A sum may be skipped, by the times of its two rows; how many
    intervals a cell has is a matter of time, too."""
    return sorted((row["cell"], row["direction"], "" if row["direction"] == "both" else row["status"])
                  for row in whole_rows(file) if row["kind"] != "interval")


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def cells_of(description: Path) -> list[str]:
    return [cell["cell"] for cell in json.loads(description.read_text())["cells"]]


@pytest.mark.parametrize("kills, tests", [
    (2, "write_bw"),
    pytest.param(20, "send_bw,write_bw,write_lat", marks=pytest.mark.full),
])
def test_a_sweep_that_is_killed_has_the_rows_of_one_that_is_not(sweep: Serving, kills: int, tests: str) -> None:
    seed = int(os.environ.get("RESUME_SEED", random.randrange(1 << 16)))
    chance = random.Random(seed)
    options = f"--test {tests} {MANY}"
    assert sweep.run("run", f"{options} --csv whole.csv").status == 0
    expected, file = results(sweep.folder / "whole.csv"), sweep.folder / "killed.csv"
    assert len(cells_of(sweep.folder / "whole.csv.run.json")) == 16 * len(tests.split(","))
    killed = 0
    for _ in range(100 * kills):
        want = lines(file) + chance.randint(1, 4)
        program = sweep.start("run", f"{options} --resume killed.csv")
        wait_until(lambda: lines(file) >= want or not program.running(), f"{want} lines")
        if ends_within(program, chance.uniform(0.01, 0.1)):  # so that it is at any place
            assert results(file) == expected, f"RESUME_SEED={seed}: {program.wait()}"
            file.unlink()
            continue
        program.kill()
        killed += 1
        if killed == kills:
            break
    assert killed == kills, "too many runs ended before they were killed"
    ended = sweep.run("run", f"{options} --resume killed.csv")
    assert ended.status == 0, f"RESUME_SEED={seed}"
    assert results(file) == expected, f"RESUME_SEED={seed}"


def test_of_a_complete_file_nothing_is_done(sweep: Serving) -> None:
    assert sweep.run("run", f"{FEW} --csv few.csv").status == 0
    before = contents(sweep.folder)
    ended = sweep.run("run", f"{FEW} --resume few.csv")
    assert (ended.status, ended.err) == (0, "verbench: few.csv: 4 of 4 cells are there\n")
    assert contents(sweep.folder) == before


@pytest.mark.parametrize("options, hosts", [
    pytest.param("-b -n 500", "127.0.0.1", id="a cell has three rows"),
    pytest.param("--rounds 3 -n 500", "127.0.0.1", id="each cell three times", marks=pytest.mark.full),
    pytest.param("--rounds 2 --shuffle 5 -n 500", "127.0.0.1", id="another order", marks=pytest.mark.full),
    pytest.param("-D 0.3 --interval 100ms", "127.0.0.1", id="intervals"),
    pytest.param("-n 500", "127.0.0.1:softhca0 127.0.0.1:softhca1", id="two pairs, which have a total"),
])
def test_a_file_without_its_last_row_gets_its_cell_again(sweep: Serving, options: str, hosts: str) -> None:
    """Whatever the order is. All rows count for what is expected of them, old ones too."""
    def measure(more: str) -> tuple[int, str, list[tuple[str, str]]]:
        ended = sweep.run("run", f"--test write_bw -s 64,128 --resume shape.csv {more} {options}", hosts,
                          {"SOFTHCA_DEVICES": 2})
        return ended.status, " ".join(ended.out.split()), [row[:2] for row in results(file)]

    file = sweep.folder / "shape.csv"
    status, _, before = measure("")
    assert status == 0 and before
    file.write_text("".join(file.read_text().splitlines(True)[:-1]))
    status, said, after = measure("--expect 'size_bytes >= 65; messages > 0'")
    assert after == before
    assert status == 3, "the rows of 64 bytes are against what is expected"
    assert re.search("FAIL [^:]*: size_bytes 64, expected >= 65", said), said


def options_of(seconds: float) -> str:
    return f"--test write_bw -s 64,128 -D {seconds} --interval 100ms"


@pytest.mark.full
def test_intervals_of_a_cell_that_was_killed(sweep: Serving) -> None:
    """Rows of intervals are there while their cell runs; those of a cell that did not end are taken out."""
    file = sweep.folder / "live.csv"

    def kinds() -> list[str]:
        """A row that is being written is none yet."""
        return [row["kind"] for row in csv_rows(file) if None not in row.values()]

    def is_second(found: list[str]) -> bool:
        """Both of one reading of the file, which grows."""
        return "result" in found and found[-1] == "interval"

    def disturb(seconds: float) -> bool:
        for old in sweep.folder.glob("live.*"):
            old.unlink()
        program = sweep.start("run", f"{options_of(seconds)} --csv live.csv --jsonl live.jsonl")
        program.until(lambda: "interval" in kinds(), "a row")
        early = "result" not in kinds()
        assert cells_of(sweep.folder / "live.csv.run.json")
        wait_until(lambda: not early or is_second(kinds()) or not program.running(), "a second cell")
        assert lines(sweep.folder / "live.jsonl") > 0
        return early and program.stop(SIGKILL).status == -SIGKILL and kinds().count("result") == 1

    seconds = until_disturbed((1, 5, 30), disturb)
    ended = sweep.run("run", f"{options_of(seconds)} --resume live.csv")
    assert ended.status == 0 and "taken out" in ended.err, ended
    rows = whole_rows(file)
    assert len({row["cell"] for row in rows}) == 2
    for cell in {row["cell"] for row in rows}:
        own = [row for row in rows if row["cell"] == cell]
        intervals = [row["interval"] for row in own if row["kind"] == "interval"]
        assert intervals == [str(i) for i in range(len(intervals))]
        assert [row["kind"] for row in own].count("result") == 1


def head(count: int) -> Edit:
    """Keeps the first lines."""
    return lambda text: "".join(text.splitlines(True)[:count])


def edit(line: int, pattern: str, replacement: str) -> Edit:
    """Keeps the header and two rows, and changes one line."""
    def edited(text: str) -> str:
        kept = text.splitlines(True)[:3]
        kept[line - 1], count = re.subn(pattern, replacement, kept[line - 1], count=1)
        assert count == 1
        return "".join(kept)
    return edited


@pytest.mark.parametrize("damage, said", [
    pytest.param(lambda text: text[:-100], "2 of 4 cells are there", id="a torn line and the row before it"),
    pytest.param(head(3), "2 of 4 cells are there", id="rows are missing"),
    pytest.param(lambda text: text[:20], "taken out", id="a torn header"),
    pytest.param(edit(3, ",ok,", ",failed,"), "taken out", id="a row that failed"),
    pytest.param(lambda text: None, "", id="the file is gone"),
])
def test_what_a_file_has_lost_is_measured_again(sweep: Serving, whole: dict[str, str], damage: Edit,
                                                said: str) -> None:
    put(sweep.folder, whole, damage)
    ended = sweep.run("run", f"{FEW} --resume few.csv")
    assert ended.status == 0 and said in ended.err, ended
    assert results(sweep.folder / "few.csv") == [(f"write_bw --size {size} --messages 100", "to_server", "ok")
                                                 for size in (128, 256, 512, 64)]


def test_an_interrupted_cell_is_measured_again(sweep: Serving) -> None:
    """Ctrl-C ends a sweep with 1, and its last row says so."""
    file, options = sweep.folder / "int.csv", "--test write_bw -s 64,128,256,512 -D {}"

    def disturb(seconds: float) -> bool:
        for old in sweep.folder.glob("int.*"):
            old.unlink()
        program = sweep.start("run", f"{options.format(seconds)} --resume int.csv")
        program.until(file.exists)
        ended = program.stop(SIGINT)
        statuses = [row["status"] for row in whole_rows(file)]
        # the signal may come between two cells
        if set(statuses) == {"ok"}:
            return False
        assert ended.status == 1 and statuses.index("interrupted") == len(statuses) - 1, ended
        return True

    seconds = until_disturbed((0.3, 3, 20), disturb)
    assert sweep.run("run", f"{options.format(seconds)} --resume int.csv").status == 0
    assert [row["status"] for row in whole_rows(file)] == 4 * ["ok"]


def put(folder: Path, texts: Mapping[str, str], *edits: Edit) -> None:
    """Writes both files, each after its edit; one whose edit gives nothing is not written."""
    for name, change in zip(NAMES, [*edits, str, str]):
        text = change(texts[name])
        if text is not None:
            (folder / name).write_text(text)


def assert_refused(sweep: Serving, options: str, said: str, env: Optional[Mapping[str, object]] = None) -> None:
    """The exit status is 2, and no file has changed."""
    before = contents(sweep.folder)
    ended = sweep.run("run", f"{FEW} {options}", env=env)
    assert ended.status == 2 and said in ended.err, ended
    assert contents(sweep.folder) == before


def other_kernel(text: str) -> str:
    """The description of a sweep whose server ran another kernel."""
    description = json.loads(text)
    description["pairs"][0]["server"]["kernel"] = "2.6.18"
    return json.dumps(description)


@pytest.mark.parametrize("rows, description, options, said", [
    # options in an error message are those that were typed
    pytest.param(head(3), str, "-q 2", 'it has the cell "write_bw --size 128 --messages 100", which this sweep lacks',
                 id="another option"),
    pytest.param(head(3), str, "--rounds 2", 'it lacks the cell "write_bw --size 128 --messages 100" of this sweep',
                 id="one cell more"),
    pytest.param(head(3), str, "--json few.json", "--resume excludes --json", id="with --json"),
    pytest.param(head(3), str, "--csv other.csv", "only one of them", id="with another --csv"),
    pytest.param(edit(2, "--size 64", "--size 65"), str, "", 'few.csv, line 2: the cell "write_bw --size 65',
                 id="a row of another sweep"),
    pytest.param(edit(3, ",[^,]*$", "\n"), str, "", "few.csv, line 3: ", id="a line without its last column"),
    pytest.param(lambda text: text + text.splitlines(True)[2], str, "", "more often than in the sweep",
                 id="a row is there twice"),
    pytest.param(lambda text: "1\n2\n3\n", str, "", "no file of verbench", id="another file"),
    pytest.param(head(3), lambda text: text[:300], "", "few.csv.run.json, line ", id="a description that is cut off"),
    pytest.param(head(3), lambda text: '{"rows": []}\n', "", "this is no description of a sweep",
                 id="a description of something else"),
    pytest.param(head(3), lambda text: None, "", "few.csv.run.json, which describes", id="no description"),
    pytest.param(head(3), str, "127.0.0.1:softhca0", "it has 1 servers, and this one has 2", id="one host more"),
    pytest.param(head(3), other_kernel, "", 'kernel of the server was "2.6.18" and is ', id="another kernel"),
])
def test_refused(sweep: Serving, whole: dict[str, str], rows: Edit, description: Edit, options: str,
                 said: str) -> None:
    put(sweep.folder, whole, rows, description)
    assert_refused(sweep, f"--resume few.csv {options}", said)


def test_a_description_that_never_ends(sweep: Serving, whole: dict[str, str]) -> None:
    put(sweep.folder, whole, head(3), lambda text: None)
    os.mkfifo(sweep.folder / NAMES[1])
    for options in ["--resume few.csv", "--csv few.csv"]:
        ended = sweep.run("run", f"{FEW} {options}")
        assert ended.status == 2 and "cannot open few.csv.run.json: not a regular file" in ended.err, ended


def test_rows_that_never_end(sweep: Serving, whole: dict[str, str]) -> None:
    put(sweep.folder, whole, head(3))
    (sweep.folder / NAMES[0]).unlink()
    os.mkfifo(sweep.folder / NAMES[0])
    ended = sweep.run("run", f"{FEW} --resume few.csv")
    assert ended.status == 2 and "few.csv" in ended.err and "no regular file" in ended.err, ended


def test_another_device_is_refused(sweep: Serving, whole: dict[str, str]) -> None:
    put(sweep.folder, whole, head(3))
    assert_refused(sweep, "--resume few.csv", "firmware of the client was ", {"SOFTHCA_LINK": "bandwidth=10G"})


@pytest.mark.parametrize("rows, options", [
    pytest.param(head(3), "--resume few.csv", id="resume"),
    # what is beside a file without rows, which another run has just begun
    pytest.param(lambda text: None, "--csv few.csv", id="begin"),
])
def test_rows_that_another_run_writes_are_refused(sweep: Serving, whole: dict[str, str], rows: Edit,
                                                  options: str) -> None:
    put(sweep.folder, whole, rows)
    with (sweep.folder / "few.csv.run.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert_refused(sweep, options, "another run writes these rows")


def test_rows_of_two_sweeps_do_not_get_into_one_file(sweep: Serving, whole: dict[str, str]) -> None:
    put(sweep.folder, whole, head(3))
    assert_refused(sweep, "--csv few.csv -q 2", "lacks; --resume few.csv goes on with that one")


@pytest.mark.full
def test_a_file_with_rows_of_two_runs_is_refused(sweep: Serving, whole: dict[str, str]) -> None:
    put(sweep.folder, whole)
    assert sweep.run("run", f"{FEW} --csv few.csv").status == 0
    assert_refused(sweep, "--resume few.csv", "has rows of several runs")


def test_a_dry_run_has_only_the_cells_that_are_missing(sweep: Serving, whole: dict[str, str]) -> None:
    """Nothing is changed, and no server is needed."""
    put(sweep.folder, whole, head(3))
    before, alone = contents(sweep.folder), dataclasses.replace(sweep, port=1)
    ended = alone.run("run", f"{FEW} --resume few.csv --dry-run")
    assert ended.status == 0
    *cells, total = ended.out.splitlines()
    assert cells == ["write_bw --size 256 --messages 100", "write_bw --size 512 --messages 100"]
    assert total.startswith("2 cells, 2 points, ")
    assert contents(sweep.folder) == before


def test_what_is_beside_a_new_file_and_no_description_is_kept(sweep: Serving) -> None:
    """It is somebody's; --force replaces it."""
    description = sweep.folder / "few.csv.run.json"
    description.write_text('{"mine": 1}\n')
    assert_refused(sweep, "--csv few.csv", "this is no description of a sweep")
    assert sweep.run("run", f"{FEW} --csv few.csv --force").status == 0
    assert len(cells_of(description)) == 4


def test_a_description_without_rows_is_replaced(sweep: Serving, whole: dict[str, str]) -> None:
    put(sweep.folder, whole, lambda text: None)
    assert sweep.run("run", f"{FEW} --csv few.csv -q 2").status == 0
    assert "--qps 2" in cells_of(sweep.folder / "few.csv.run.json")[0]


def test_a_full_disk_loses_no_row(hca: Hca, sweep: Serving) -> None:
    """What is in the file is whole rows, and the sweep goes on from there when the disk has space again."""
    disk = SmallDisk(hca, "16k")
    file, options = disk.path / "few.csv", "--test write_bw -s 64:83 -n 100"
    ended = sweep.run("run", [*options.split(), "--csv", file])
    assert ended.status == 1
    assert re.search("write CSV to .*No space left", ended.err), ended
    assert {row["status"] for row in whole_rows(file)} == {"ok"}
    before = file.read_bytes()
    assert sweep.run("run", [*options.split(), "--resume", file]).status == 1
    assert file.read_bytes().startswith(before)
    disk.resize("1M")
    assert sweep.run("run", [*options.split(), "--resume", file]).status == 0
    assert file.read_bytes().startswith(before)
    assert results(file) == [(f"write_bw --size {size} --messages 100", "to_server", "ok") for size in range(64, 84)]


@pytest.mark.parametrize("target, status, said", [
    ("/dev/full", 1, "write CSV to /dev/full: No space"),
    ("a_folder", 2, "a_folder: Is a directory"),
    # the place of its description
    ("few.csv", 2, "few.csv.run.json: not a regular file"),
])
def test_what_cannot_be_written_is_an_error(sweep: Serving, target: str, status: int, said: str) -> None:
    (sweep.folder / "a_folder").mkdir()
    (sweep.folder / "few.csv.run.json").mkdir()
    ended = sweep.run("run", f"{FEW} --csv {target}")
    assert ended.status == status and said in ended.err, ended
    assert not (sweep.folder / "few.csv").exists()


def test_the_reader_of_standard_output_is_gone(sweep: Serving) -> None:
    """There are more rows than a pipe takes, so that they wait for the reader, or for its end."""
    argv = sweep.argv("run", "--test write_bw -s 64:191 -n 20 --csv -")
    ended = sweep.hca.run(["bash", "-o", "pipefail", "-c", '"$@" | head -n 1', "bash", *argv])
    assert ended.status == 1 and "write CSV to -: the program that reads" in ended.err, ended
