# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What people see: every line has 80 columns at most, the heads of the columns are within the first lines, figures end
below their heads; more with --verbose, --wide and on a wide terminal, less with --quiet."""

import re
import shutil
from typing import Sequence

import pytest

from harness.emulated import Hca
from harness.programs import Program
from harness.rows import csv_rows
from harness.serving import serving


def on_one_screen(argv: Sequence[object]) -> list[object]:
    """A command whose output has both streams, as a terminal has them."""
    return ["sh", "-c", 'exec "$@" 2>&1', "sh", *argv]


def lines_of(text: str) -> list[str]:
    """All lines but those of the log, where a point that takes long on a busy machine says how far it is."""
    return [line for line in text.splitlines() if not re.match("vb_[a-z_]+: ", line)]


def ends(line: str) -> list[int]:
    """Where the words of a line end."""
    return [word.end() for word in re.finditer(r"\S+", line)]


def assert_table(text: str, columns: int = 80, above: int = 6) -> None:
    """Lines fit, the heads have at most so many lines above them, and each figure ends where its head does."""
    lines = lines_of(text)
    assert not [line for line in lines if len(line) > columns], "a line is too long"
    heads = next((i for i, line in enumerate(lines) if re.match(" *bytes ", line)), None)
    assert heads is not None, f"no heads of columns: {text}"
    assert heads - 1 <= above, "the heads come too late"  # the line above belongs to them
    figures = re.sub(r" ?\[[0-9,-]*\]$", "", lines[heads + 1])
    assert ends(figures) == ends(lines[heads]), f"not aligned:\n{lines[heads]}\n{figures}"


def assert_fits(text: str, columns: int = 80) -> None:
    assert text and not [line for line in lines_of(text) if len(line) > columns]


@pytest.mark.parametrize("test, options", [
    ("send_bw", "-n 500"),
    ("read_lat", "-n 500"),
    ("send_bw", "-c UD -b"),
    ("send_lat", "-c UD -e"),
    *[pytest.param(test, options, marks=pytest.mark.full) for test, options in (
        ("send_lat", "-n 500"), ("write_bw", "-n 500"), ("write_lat", "-n 500"), ("read_bw", "-n 500"),
        ("atomic_bw", "-n 500"), ("atomic_lat", "-n 500"), ("send_bw", "-b"), ("send_bw", "-b -D 1"),
        ("send_bw", "-q 4 --threads 2"), ("send_bw", "-s 1M -n 100"),
        ("send_bw", "-s 1G -n 1 -t 1 -r 1 --walk same --stall-timeout 60"),
        ("send_bw", "-c UC"), ("send_bw", "--walk same"), ("send_bw", "-a -n 100"))],
])
def test_table_has_80_columns(hca: Hca, test: str, options: str) -> None:
    check_both_tables(hca, test, options)


@pytest.mark.parametrize("test, options, columns, above", [
    ("write_bw", "-v", 80, 30),
    pytest.param("send_lat", "--wide -a -n 100", 100000, 6, marks=pytest.mark.full),
    ("send_bw", "--quiet -b", 80, 1),
])
def test_verbose_wide_and_quiet(hca: Hca, test: str, options: str, columns: int, above: int) -> None:
    check_both_tables(hca, test, options, columns, above)


def check_both_tables(hca: Hca, test: str, options: str, columns: int = 80, above: int = 6) -> None:
    """Client, with the options, and server, which has none, print their tables."""
    argv = [hca.program(f"vb_{test}"), "-p", hca.port()]
    server = hca.start(on_one_screen(argv))
    client = hca.run(on_one_screen([*argv, *options.split(), "127.0.0.1"]))
    assert client.status == server.wait().status == 0
    assert_table(client.out, columns, above)
    assert_table(server.out)


def has_line(server: Program, pattern: str) -> None:
    """The server has printed this line; the client may have its results earlier."""
    server.until(lambda: re.search(f"^127.0.0.1 port [0-9]*: {pattern}$", server.out + server.err, re.MULTILINE),
                 f"the line {pattern}")


@pytest.mark.parametrize("columns, is_wide", [(160, True), (40, False)])
def test_terminal(hca: Hca, columns: int, is_wide: bool) -> None:
    """One of 160 columns shows all columns, one of 40 is taken for one of 80; the server has a line for a session."""
    if not shutil.which("script"):
        pytest.skip("script is not installed")
    at = serving(hca)
    command = f"stty cols {columns}; '{hca.program('vb_send_lat')}' -p {at.port} 127.0.0.1 2>/dev/null"
    terminal = hca.run(["script", "-qec", command, "/dev/null"]).out
    assert_table(terminal.replace("\r", ""), max(columns, 80))
    assert ("p99.99" in terminal) == is_wide
    has_line(at.server, "send_lat RC, 2 bytes, median [0-9.]* us, [0-9.]* s")
    assert_fits(at.server.out + at.server.err)


@pytest.mark.full
def test_line_of_a_session_has_the_number_of_its_points(hca: Hca) -> None:
    at = serving(hca)
    at.run("vb_send_bw", "-a -n 20 --quiet")
    has_line(at.server, "send_bw RC, 23 points, at most [0-9.]* Gbit/s, [0-9.]* s")


def test_line_of_a_session_both_ways(hca: Hca) -> None:
    """It has the sum, or that there is none, but not one direction."""
    file = hca.folder / "server.csv"
    server, port = hca.serve("--csv", file)
    assert hca.run([hca.program("vb_write_bw"), "-b", "-n", 1000, "--quiet", "-p", port, "127.0.0.1"]).status == 0
    line = r"write_bw RC both ways, 65536 bytes, ([0-9.]+ Gbit/s|no sum of both directions), [0-9.]+ s"
    found: list[str] = []

    def has_it() -> bool:
        found[:] = re.findall(line, " ".join((server.out + server.err).split()))
        return bool(found)

    server.until(has_it, line)
    (row,) = [row for row in csv_rows(file) if row["direction"] == "both"]
    is_sum = row["status"] == "ok"
    assert found == [f"{row.number('bandwidth_gbit_s'):.4f} Gbit/s" if is_sum else "no sum of both directions"]


def test_setup_and_a_server_that_prints_a_table_for_each_session(hca: Hca) -> None:
    port = hca.port()
    server = hca.start(on_one_screen([hca.program("verbench"), "serve", "-v", "-p", port]))
    server.until_listens(port)
    argv = [hca.program("verbench"), "setup", "--only", "pd,cq,qp", "-p", port, "127.0.0.1"]
    setup = hca.run(on_one_screen(argv))
    assert_fits(setup.out)
    assert "ibv_create_cq" in setup.out
    assert hca.run([hca.program("vb_send_bw"), "-p", port, "127.0.0.1"]).status == 0
    server.until(lambda: re.search("^ *65536 ", server.out, re.MULTILINE), "a row of the server")
    assert_table(server.stop().out, above=30)


@pytest.mark.parametrize("options", ["", "--topology"])
def test_list(hca: Hca, options: str) -> None:
    listed = hca.run([hca.program("verbench"), "list", "--soft", *options.split()], preload=False)
    assert_fits(listed.out + listed.err)
    assert "softhca0" in listed.out
