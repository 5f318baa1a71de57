# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A server that an administrator leaves running: nobody reads what it prints, it is stopped, asked, and watched."""

import json
import os
import re
import shlex
import socket
import stat
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGHUP, SIGKILL, SIGTERM

import pytest

from harness.emulated import Hca, SOURCE
from harness.killed import session_of, until_idle
from harness.programs import listens, wait_until
from harness.rows import csv_rows, json_rows
from harness.serving import ENDLESS, Serving, serving

SHORT = "vb_send_bw -n 100 -s 64"
REFUSED = f"{SHORT} --peer-device nosuch"


def test_audit_has_a_line_for_each_session(hca: Hca) -> None:
    """Whatever ends it: among them one that is killed from outside, and one that the server ends."""
    log = hca.folder / "audit.log"
    served = serving(hca, "--audit", log, "--audit-format", "json")
    assert served.run("vb_send_bw -a -n 5").status == 0
    assert served.run(REFUSED).status == 2
    client = served.measuring()
    os.kill(session_of(served.server), SIGKILL)
    client.wait()
    client = served.measuring()
    server = served.stop()
    client.wait()
    lines = sorted(json_rows(log), key=lambda line: line["session"])
    columns = "test transport size_min_bytes size_max_bytes plans points outcome".split()
    assert [tuple(line[column] for column in columns) for line in lines] == [
        ("send_bw", "RC", 2, 8388608, 1, 23, "measured"),
        ("", "", 0, 0, 1, 0, "refused"),
        ("send_bw", "RC", 64, 64, 1, 0, "crashed"),
        ("send_bw", "RC", 64, 64, 1, 1, "interrupted"),
    ]
    assert [line["session"] for line in lines] == [1, 2, 3, 4]
    assert {(line["address"], line["auth"]) for line in lines} == {("127.0.0.1", "none")}
    first, refused, killed, ended = lines
    assert first["reason"] == "" and "nosuch" in refused["reason"]
    assert killed["reason"].startswith("signal 9 ") and ended["reason"] == "the server was stopped"
    assert f"{killed['address']} port {killed['port']} was ended by signal 9" in server.err, server
    assert first["bytes"] > 16777210 and first["seconds"] > 0
    assert first["host"] == os.uname().nodename
    assert re.fullmatch(r"20[0-9-]*T[0-9:.]*Z", first["time"])


def test_audit_as_text_is_in_the_log(hca: Hca) -> None:
    """A limit of the other lines of the log does not limit it."""
    served = serving(hca, "--audit", "-", "--max-log-rate", "1")
    assert served.run(SHORT).status == 0
    for _ in range(5):
        assert served.run(REFUSED).status == 2
    until_idle(served.server)
    log = served.stop().err
    assert re.search(r'audit: time=".*" session=1 .*test="send_bw" .* outcome="measured" reason=""$', log, re.M), log
    assert len(re.findall(r'audit: time=.* outcome="refused" ', log)) == 5, log


def test_audit_is_in_no_link(hca: Hca) -> None:
    link, target = hca.folder / "link", hca.folder / "target"
    link.symlink_to(target)
    ended = hca.run([hca.program("verbench"), "serve", "-p", hca.port(), "--audit", link])
    assert ended.status != 0 and f"--audit {link}: " in ended.err, ended
    assert not target.exists()


@pytest.fixture
def runtime(hca: Hca) -> Path:
    """The directory of the server's socket, which the server makes."""
    hca.env["RUNTIME_DIRECTORY"] = str(hca.folder / "runtime")
    return hca.folder / "runtime"


def read_socket(path: Path) -> dict:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        return json.load(connection.makefile())


def test_status_tells_what_runs(hca: Hca, runtime: Path) -> None:
    """As text, as JSON, on a socket. Programs that connect and do not read change nothing."""
    served = serving(hca)
    served.server.until_says("waiting for a client")  # the socket is there, which is made after the listener
    path = runtime / f"serve-{served.port}.sock"
    with ExitStack() as silent:
        for _ in range(12):
            silent.enter_context(socket.socket(socket.AF_UNIX)).connect(str(path))
        assert served.run(SHORT).status == 0
        served.measuring()
        session_of(served.server)  # the first one has ended
        text = served.run("serve --status", hosts="")
        assert text.status == 0
        assert re.search(rf"session 2: 127.0.0.1 port \d+ \({os.uname().nodename}\), none: send_bw RC, 1 plans",
                         text.out), text.out
        asked = json.loads(served.run("serve --status --json -", hosts="").out)
        assert (asked["state"], asked["limits"]["sessions"]) == ("serving", {"used": 1, "most": 16})
        assert [session["test"] for session in asked["sessions"]] == ["send_bw"]
        assert (asked["totals"]["ended"]["measured"], asked["totals"]["messages"]) == (1, 100)
        assert read_socket(path)["sessions"][0]["session"] == 2
        assert [stat.S_IMODE(file.stat().st_mode) for file in (runtime, path)] == [0o700, 0o600]
        served.stop()
    assert not path.exists()
    nobody = served.run("serve --status", hosts="")
    assert nobody.status != 0 and "no server answers at " in nobody.err, nobody


def test_metrics_for_prometheus(hca: Hca) -> None:
    """A reload writes them at once; the end of the server removes them."""
    metrics = hca.folder / "verbench.prom"
    served = serving(hca, "--metrics", metrics, "--audit", hca.folder / "audit.log")
    assert served.run(SHORT).status == 0
    until_idle(served.server)
    served.measuring()
    label = f'port="{served.port}"'
    served.server.signal(SIGHUP)
    served.server.until(lambda: f"\nverbench_sessions{{{label}}} 1\n" in metrics.read_text(), "the number of sessions")
    text = metrics.read_text()
    assert f"\nverbench_bytes_total{{{label}}} 6400\n" in text
    assert f'\nverbench_sessions_total{{{label},outcome="measured"}} 1\n' in text
    assert "127.0.0" not in text
    served.stop()
    assert not metrics.exists()


def test_drain_lets_a_session_end(hca: Hca) -> None:
    """SIGTERM: what runs may end, nothing new begins."""
    log = hca.folder / "audit.log"
    served = serving(hca, "--drain-time", "1h", "--audit", log)
    client = served.measuring(ENDLESS.replace("600", "6"))
    served.server.signal(SIGTERM)
    served.server.until(lambda: not listens(served.port), "no listener")
    assert client.wait().status == 0
    assert served.server.wait().status == 0
    assert 'outcome="measured"' in log.read_text()


def test_a_second_signal_ends_the_drain(hca: Hca) -> None:
    log = hca.folder / "audit.log"
    served = serving(hca, "--drain-time", "1h", "--audit", log)
    client = served.measuring()
    served.server.signal(SIGTERM)
    served.server.until_says("sessions have 3600 s to end")

    def ends_when_asked_again() -> bool:
        # what comes within half a second is the same request
        served.server.signal(SIGTERM)
        return not served.server.running()

    wait_until(ends_when_asked_again, "the end of the server")
    assert client.wait().status != 0
    assert served.server.wait().status == 0
    assert 'outcome="killed" reason="the server ended"' in log.read_text()


@pytest.mark.full
def test_reload_after_the_log_was_rotated(hca: Hca) -> None:
    """Then the server ends, because nobody comes, with the idle time of another reload."""
    log, rotated, file = (hca.folder / name for name in ("audit.log", "audit.1", "serve.conf"))
    file.write_text("idle-exit = 1h\n")
    served = serving(hca, "--config", file, "--audit", log)
    assert served.run(SHORT).status == 0
    served.server.until(lambda: "session=1" in log.read_text(), "the line of the session")
    log.rename(rotated)
    served.server.signal(SIGHUP)
    served.server.until_says("reloaded")
    assert served.run(SHORT).status == 0
    file.write_text("idle-exit = 1s\n")
    served.server.signal(SIGHUP)
    ended = served.server.wait()
    assert ended.status == 0 and "idle for 1 s, exiting" in ended.err, ended
    assert re.findall(r" session=\d+", rotated.read_text()) == [" session=1"]
    assert re.findall(r" session=\d+", log.read_text()) == [" session=2"]


def test_reload_reads_the_owners_file(hca: Hca) -> None:
    """A file that is wrong, or that others can write, changes nothing."""
    file = hca.folder / "serve.conf"
    file.write_text("max-qps = 4\n")
    served = serving(hca, "--config", file)

    def reload(text: str, mode: int, answer: str) -> None:
        file.write_text(text)
        file.chmod(mode)
        served.server.signal(SIGHUP)
        served.server.until(lambda: re.search(answer, served.server.err, re.M), f"'{answer}' in the log")

    def serves(qps: int) -> bool:
        return served.run(f"vb_send_bw -n 10 -q {qps}").status == 0

    assert not serves(8)
    reload("max-qps = many\n", 0o644, "reload: .*serve.conf:1: ")
    assert serves(4) and not serves(8)
    reload("max-qps = 8\n", 0o666, "reload: .*serve.conf: mode 0666")
    assert not serves(8)
    reload("max-qps = 8\n", 0o644, "reloaded$")
    assert serves(8)
    served.stop()


@pytest.fixture
def sandbox(hca: Hca) -> Serving:
    """A server with the sandbox, on a device that has a driver, interrupts and a place on PCI."""
    hca.env["SOFTHCA_PROFILE"] = str(SOURCE / "softhca/profiles/connectx-roce-lag.conf")
    (hca.folder / "copies").mkdir()
    served = serving(hca, "--sandbox", "on", "--copy-to", hca.folder / "copies")
    served.server.until_says("waiting for a client")
    assert "sandbox" not in served.server.err
    yield served
    served.stop()


@pytest.mark.parametrize("command", [
    "vb_write_bw -b -q 3 --threads 2 -n 50",
    "vb_send_bw -R -n 50 --srq",
    "vb_write_bw -n 50 --hugepages off --pin auto --peer-pin auto",
    "setup -n 3 --only qp",
    *[pytest.param(command, marks=pytest.mark.full) for command in (
        "vb_send_bw -a -n 20", "vb_send_lat -n 50 -e", "vb_read_lat -n 50", "vb_atomic_bw -n 50",
        "vb_send_bw -c UD -n 50 --verify", "vb_write_lat -c XRC -n 50", "vb_send_lat --completion hybrid -n 50")],
])
def test_in_the_sandbox(sandbox: Serving, command: str) -> None:
    assert sandbox.run(command).status == 0


def test_a_copy_in_the_sandbox(hca: Hca, sandbox: Serving) -> None:
    source = hca.build / "config.h"
    assert sandbox.run(f"copy {shlex.quote(str(source))} 127.0.0.1:copied", hosts="").status == 0
    assert (hca.folder / "copies" / "copied").read_bytes() == source.read_bytes()


def test_a_session_is_in_the_sandbox(sandbox: Serving) -> None:
    sandbox.measuring()
    session = Path(f"/proc/{session_of(sandbox.server)}")
    assert re.search(r"^Seccomp:\s*2", (session / "status").read_text(), re.M)
    # its copy of /sys/class/infiniband
    assert any("/softhca-sys-" in os.readlink(file) for file in (session / "fd").iterdir())
    assert re.search(r"^NoNewPrivs:\s*1", Path(f"/proc/{sandbox.server.pid}/status").read_text(), re.M)


def test_nobody_reads_what_the_server_prints(hca: Hca) -> None:
    """Its output is a full pipe. Plans that are refused, which it logs, and sessions, which print a line each, end all
    the same, and their rows are in the file."""
    pipe, rows = hca.folder / "pipe", hca.folder / "rows.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:
            os.write(reader, bytes(4096))
    served = serving(hca, "--csv", rows, through=["bash", "-c", 'exec "$@" >"$0" 2>&1', pipe])
    for _ in range(3):
        assert served.run(REFUSED).status == 2
    for _ in range(3):
        assert served.run(SHORT).status == 0
    until_idle(served.server)
    # somebody reads again: the log says what is missing
    log = bytearray()

    def tells_what_is_missing() -> bool:
        with suppress(BlockingIOError):
            log.extend(os.read(reader, 65536))
        return b" could not be written," in log

    served.server.until(tells_what_is_missing, "that lines are missing in the log")
    served.stop()
    os.close(reader)
    assert len(csv_rows(rows)) == 3


def test_standard_output_is_closed(hca: Hca) -> None:
    """A closed descriptor is no file of results."""
    rows = hca.folder / "rows.csv"
    served = serving(hca, "--csv", rows, through=["bash", "-c", 'exec "$0" "$@" <&- >&-'])
    assert served.run(SHORT).status == 0
    until_idle(served.server)
    served.stop()
    assert [line[:2] for line in rows.read_text().splitlines()[1:]] == ["1,"]
