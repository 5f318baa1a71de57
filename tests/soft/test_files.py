# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Nothing is lost: runs and sessions add to one file; a signal, a full disk, a reader that is gone and a killed process
leave what was measured, and no document that says ok."""

import json
import os
import re
import time
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGSTOP, SIGTERM, Signals
from typing import Sequence

import pytest

from harness.emulated import Hca
from harness.killed import children, until_gone
from harness.programs import Ended, Program
from harness.rows import csv_rows, json_rows
from harness.serving import ends_within, lines, serving, until_lines, until_next

FILES = "--csv f.csv --jsonl f.jsonl --json f.json"
LONG = "-a -D 1 --interval 100ms"
OLD_DOCUMENT = '{"schema": 1, "status": "ok", "error": null, "rows": []}\n'


def start(hca: Hca, port: int, options: str = "", host: str = "", before: Sequence[str] = ()) -> Program:
    """One side of vb_send_bw, in the folder of the test."""
    return hca.start([*before, hca.program("vb_send_bw"), "-p", port, *options.split(), *host.split()], cwd=hca.folder)


def client_of(hca: Hca, options: str) -> Ended:
    """A client, which has a server of its own; that one must not fail."""
    port = hca.port()
    server = start(hca, port)
    client = start(hca, port, options, "127.0.0.1").wait()
    if client.status == 0:
        assert server.wait().status == 0
    return client


def count_rows(file: Path) -> int:
    """The rows of a file of CSV, whose header is there once."""
    rows = csv_rows(file)
    assert lines(file) == len(rows) + 1 and not [row for row in rows if row["schema"] == "schema"]
    return len(rows)


def statuses(file: Path) -> list[str]:
    return [row["status"] for row in csv_rows(file)]


def document_says(file: Path) -> str:
    return json.loads(file.read_text())["status"]


def test_runs_add_to_one_file(hca: Hca) -> None:
    for count in (1, 2, 3):
        assert client_of(hca, f"-n 50 {FILES}").status == 0
        assert count_rows(hca.folder / "f.csv") == len(json_rows(hca.folder / "f.jsonl")) == count
        document = json.loads((hca.folder / "f.json").read_text())
        assert (len(document["rows"]), document["status"]) == (1, "ok"), "a document is of one run"
    assert client_of(hca, "-n 50 --csv f.csv --csv-new").status == 0
    assert count_rows(hca.folder / "f.csv") == 1, "--csv-new starts over"
    assert re.fullmatch(r"[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z", csv_rows(hca.folder / "f.csv")[0]["time"])
    options = document["run"]["options"]
    assert options and not {"stall_timeout", "duration", "spin"} & set(options), "names of times have their unit"


def test_a_torn_row_is_cut_off(hca: Hca) -> None:
    file = hca.folder / "f.csv"
    for _ in range(2):
        assert client_of(hca, "-n 50 --csv f.csv").status == 0
    os.truncate(file, file.stat().st_size - 100)
    client = client_of(hca, "-n 50 --csv f.csv")
    assert client.status == 0 and "torn" in client.err, client
    assert count_rows(file) == 2
    assert all(None not in row.values() for row in csv_rows(file)), "a row is torn"


def test_sessions_of_two_servers_add_to_one_file(hca: Hca) -> None:
    """Sessions at the same time, too. A server without a session leaves no file."""
    port = hca.port()
    for clients in (4, 1):
        server = hca.start([hca.program("verbench"), "serve", "-p", port, *FILES.split()], cwd=hca.folder)
        server.until_listens(port)
        if clients == 4:
            assert not list(hca.folder.glob("f.*"))
        started = [start(hca, port, "-n 50", "127.0.0.1") for _ in range(clients)]
        assert [client.wait().status for client in started] == clients * [0]
        assert server.stop().status == 0
    assert count_rows(hca.folder / "f.csv") == len(json_rows(hca.folder / "f.jsonl")) == 5
    decoder, text, documents = json.JSONDecoder(), (hca.folder / "f.json").read_text().strip(), []
    while text:
        document, end = decoder.raw_decode(text)
        documents.append(document["status"])
        text = text[end:].strip()
    assert documents == 5 * ["ok"]


@pytest.mark.full
def test_a_server_starts_over_once(hca: Hca) -> None:
    file = hca.folder / "f.csv"
    assert client_of(hca, "-n 50 --csv f.csv").status == 0
    at = serving(hca, "--csv", file, "--csv-new")
    for count in (1, 2):
        assert at.run("vb_send_bw", "-n 50").status == 0
    assert at.server.stop().status == 0
    assert count_rows(file) == 2


def start_both(hca: Hca, hold: Sequence[str] = ("env", "--default-signal")) -> tuple[Program, Program]:
    """Client and server, which measure their second point. What runs the tests may ignore SIGHUP."""
    port = hca.port()
    server = start(hca, port, "--csv server.csv --json server.json", before=hold)
    client = start(hca, port, f"{LONG} --csv client.csv --json client.json", "127.0.0.1", hold)
    until_next(client, hca.folder / "client.csv")
    until_next(server, hca.folder / "server.csv")
    return client, server


def assert_interrupted(hca: Hca, client: Program, server: Program) -> None:
    """Both ended in order: their rows, documents and the table are there."""
    for name, program in (("client", client), ("server", server)):
        assert program.wait().status == 1
        found = statuses(hca.folder / f"{name}.csv")
        assert (found[0], found[-1]) == ("ok", "interrupted"), name
        assert document_says(hca.folder / f"{name}.json") == "interrupted", name
    assert re.search("^ +2 ", client.out, re.MULTILINE), "no table"


@pytest.mark.parametrize("signal", [
    pytest.param(SIGINT, id="SIGINT"),
    pytest.param(SIGTERM, id="SIGTERM", marks=pytest.mark.full),
    pytest.param(SIGHUP, id="SIGHUP", marks=pytest.mark.full),
])
def test_a_signal_to_client_and_server(hca: Hca, signal: Signals) -> None:
    both = start_both(hca)
    send(signal, processes(*both))
    assert_interrupted(hca, *both)


def processes(*programs: Program) -> list[int]:
    """Programs and their sessions; the session of a server comes before it."""
    return [pid for program in programs for pid in [*children(program.pid), program.pid]]


def send(number: Signals, pids: Sequence[int]) -> None:
    """A signal to processes. Waits until each has handled it: the next one is another one then."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # a session may have ended
    for pid in pids:
        while is_pending(number, pid):
            pass


def is_pending(number: Signals, pid: int) -> bool:
    """Has a process a signal that it has not handled? Not if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    pending = re.search(r"^ShdPnd:\s*(\w+)$", status, re.MULTILINE)
    return bool(pending and int(pending[1], 16) >> number - 1 & 1)


def test_one_request_may_come_as_two_signals(hca: Hca) -> None:
    """As timeout(1) does. The second one must come within SIGNALS_TWIN_MS: a test that was too slow tries again."""
    for _ in range(50):
        both = start_both(hca)
        pids = processes(*both)
        begun = time.monotonic()
        send(SIGTERM, pids)
        send(SIGTERM, pids)
        if time.monotonic() - begun < 0.45:
            break
        for program in both:
            program.wait()
        until_gone(pids)
        for name in ("client.csv", "server.csv"):
            (hca.folder / name).unlink()
    assert_interrupted(hca, *both)


@pytest.mark.full
def test_a_signal_to_a_server_and_its_session(hca: Hca) -> None:
    """As a service manager does: both get the signal at once, and the server asks the session too."""
    file = hca.folder / "f.csv"
    at = serving(hca, "--csv", file, "--json", hca.folder / "f.json")
    client = at.start("vb_send_bw", LONG)
    until_next(client, file)
    # the session first: it has handled this signal when the server asks it
    for pid in processes(at.server):
        send(SIGTERM, [pid])
    client.wait()
    at.server.wait()
    assert statuses(file)[-1] == "interrupted"
    assert document_says(hca.folder / "f.json") == "interrupted"


def test_a_second_signal_ends_at_once(hca: Hca) -> None:
    """The client cannot end in order: its server is stopped."""
    port = hca.port()
    server = start(hca, port)
    (hca.folder / "f.json").write_text(OLD_DOCUMENT)
    client = start(hca, port, f"{LONG} --stall-timeout 60 --csv f.csv --json f.json", "127.0.0.1")
    until_next(client, hca.folder / "f.csv")
    for pid in processes(server):
        os.kill(pid, SIGSTOP)
    client.signal(SIGTERM)
    while not ends_within(client, 0.1):  # until half a second has passed since the first one
        client.signal(SIGTERM)
    assert client.wait().status == -SIGTERM
    assert statuses(hca.folder / "f.csv")[0] == "ok", "its rows are lost"
    assert document_says(hca.folder / "f.json") == "running"


def test_nohup_stays_nohup(hca: Hca) -> None:
    port = hca.port()
    server = start(hca, port)
    client = start(hca, port, "-D forever --interval 100ms --csv f.csv", "127.0.0.1", ["nohup"])
    until_lines(client, hca.folder / "f.csv", 2)
    client.signal(SIGHUP)
    # one that ends has fewer
    until_lines(client, hca.folder / "f.csv", lines(hca.folder / "f.csv") + 10)
    assert client.stop(SIGINT).status == server.wait().status == 0


@pytest.mark.parametrize("format, target, cause", [
    ("csv", "/dev/full", "No space left"),
    ("json", "pipe", "no program reads"),
    *[pytest.param(*values, marks=pytest.mark.full) for values in (
        ("json", "/dev/full", "No space left"), ("jsonl", "/dev/full", "No space left"),
        ("csv", "pipe", "no program reads"), ("jsonl", "pipe", "no program reads"))],
])
def test_what_cannot_be_written_is_an_error(hca: Hca, format: str, target: str, cause: str) -> None:
    """The table is printed all the same."""
    os.mkfifo(hca.folder / "pipe")
    client = client_of(hca, f"-n 50 --{format} {target}")
    assert client.status == 1 and re.search(f"write .* to {target}: {cause}", client.err), client
    assert "65536" in client.out, client


def test_the_reader_of_standard_output_is_gone(hca: Hca) -> None:
    """It has ended before the program starts."""
    port = hca.port()
    server = start(hca, port)
    gone = ["bash", "-c", 'exec 3> >(exec true); wait $!; exec "$@" >&3', "bash"]
    client = start(hca, port, "-n 50 --csv -", "127.0.0.1", gone).wait()
    server.wait()
    assert client.status == 1 and "write CSV to -: the program that reads" in client.err, client


def test_no_old_document_says_ok(hca: Hca) -> None:
    """A run without a server says failed, one that is refused says so."""
    file = hca.folder / "f.json"
    file.write_text(OLD_DOCUMENT)
    start(hca, 1, "--connect-timeout 0.2 --json f.json", "127.0.0.1").wait()
    assert document_says(file) == "failed" and "connect" in json.loads(file.read_text())["error"]
    at = serving(hca)
    file.write_text(OLD_DOCUMENT)
    at.run("vb_send_bw", "-n 50 -s 1g --json f.json -l 4 -t 2")
    assert document_says(file) == "refused"


def test_a_server_that_waits_says_running(hca: Hca) -> None:
    """If it is interrupted before a client comes, its document says so."""
    file, port = hca.folder / "f.json", hca.port()
    file.write_text(OLD_DOCUMENT)
    server = start(hca, port, "--json f.json")
    server.until_listens(port)
    server.until(lambda: document_says(file) == "running", "the document of a run")
    server.stop(SIGINT)
    assert document_says(file) == "interrupted"
