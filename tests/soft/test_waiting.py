# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What a client says before it measures, and while a point runs: that it waits for a server, what starts one, and on a
terminal how far the point is, or the making of many queue pairs."""

import os
import re
import shlex
import shutil
from signal import SIGINT

import pytest

from harness.emulated import Hca
from harness.killed import children
from harness.programs import Program, words

def test_waiting_is_told_once_and_at_once(hca: Hca) -> None:
    """The client is first, and is served by what comes later."""
    port = hca.port()
    client = hca.start([hca.program("vb_write_bw"), "-n", 100, "--connect-timeout", "2m", f"127.0.0.1:{port}"])
    client.until_says("waiting for a server on")
    server = hca.start([hca.program("vb_send_bw"), "-p", port])
    assert (client.wait().status, server.wait().status) == (0, 0)
    assert client.err.splitlines() == [f"vb_write_bw: waiting for a server on 127.0.0.1:{port}, up to 120 s"]


@pytest.mark.parametrize("command", ["vb_write_bw --soft -s 64 -n 100 -t 16", "verbench pingpong --soft",
                                     "verbench setup --soft --only pd -n 10"])
def test_the_advice_works(hca: Hca, command: str) -> None:
    """Nobody comes: the command between quotation marks starts a server that the same client can use."""
    program, *options = command.split()
    client = [hca.program(program), *options, f"127.0.0.1:{hca.port()}", "--connect-timeout"]
    alone = hca.run([*client, "300ms"], preload=False)
    advice = re.search(r': "verbench (.*)"$', alone.err, re.M)
    assert alone.status != 0 and advice, alone
    hca.start([hca.program("verbench"), *words(advice[1])], preload=False)
    assert hca.run([*client, "2m"], preload=False).status == 0


def start_on_terminal(hca: Hca, port: int, command: str) -> Program:
    """Starts a client on a terminal that 'script' makes. What it writes on standard output is in the file rows."""
    if not shutil.which("script"):
        pytest.skip("script is not installed")
    build = shlex.quote(str(hca.build))
    shell = f"exec env TERM=xterm {build}/{command} --soft 127.0.0.1:{port} >{hca.folder}/rows"
    return hca.start(["script", "-qefc", shell, "/dev/null"], preload=False)


def on_terminal(hca: Hca, command: str) -> str:
    """Runs a client of a server to its end, and returns what is on the terminal."""
    client = start_on_terminal(hca, hca.serve()[1], command).wait()
    assert client.status == 0, client
    return client.out


def replaced(written: str) -> list[str]:
    """The lines that replace each other: a carriage return, which Program reads as the end of a line, and ESC [K."""
    return re.findall(r"\n\x1b\[K([^\n]+)", written)


def shows(lines: list[str], pattern: str) -> bool:
    """Is one of the lines so?"""
    return any(re.fullmatch(pattern, line) for line in lines)


def until_shows(hca: Hca, command: str, pattern: str) -> str:
    """A run of so many seconds has a line for each second. A machine that stops it for seconds misses some of them: if
    none is there, a longer run is next. Returns what is on the terminal."""
    for seconds in (2.5, 10.5, 60.5):
        values = {"{s}": f"{seconds:g}", "{n}": str(int(2560 * seconds))}
        texts = [command, pattern]
        for name, value in values.items():
            texts = [text.replace(name, value) for text in texts]
        written = on_terminal(hca, texts[0])
        if shows(replaced(written), texts[1]):
            return written
    raise AssertionError(f"{texts[1]} is not in {written}")


def test_progress_of_a_run_by_time(hca: Hca) -> None:
    """The last line is erased, and nothing of it is on standard output."""
    written = until_shows(hca, "vb_write_bw -D {s}", r"64 KiB: [1-9]\d? of {s} s, [0-9.]+ Gbit/s")
    assert written.endswith("\n\x1b[K")
    assert not re.search("\x1b|\r|KiB:", (hca.folder / "rows").read_bytes().decode())


@pytest.mark.full
@pytest.mark.parametrize("command, link, pattern", [
    ("vb_write_bw -D {s} -b -q 100 -s 4k", "", r"4 KiB: [1-9]\d? of {s} s, [0-9.]*[1-9][0-9.]* Gbit/s each way"),
    ("vb_send_lat -D {s}", "", r"2 B: [1-9]\d? of {s} s, [1-9][0-9]* messages/s"),
    # a link of 1 Gbit/s: 400 MiB take more than 3 seconds
    ("vb_write_bw -n {n}", "bandwidth=1G", r"64 KiB: [0-9]+ of {n} messages, [0-9.]+ Gbit/s, [0-9]+ s left"),
], ids=["both ways over many queue pairs", "latency", "a run by count"])
def test_progress(hca: Hca, command: str, link: str, pattern: str) -> None:
    hca.env["SOFTHCA_LINK"] = link
    until_shows(hca, command, pattern)


@pytest.mark.full
def test_progress_of_several_sizes(hca: Hca) -> None:
    """Eight sizes, from 32 bytes on; the time that is left is that of all of them."""
    for seconds in (1.1, 5.1):
        written = on_terminal(hca, f"vb_send_bw -a -c UD --sge 32 -D {seconds}")
        found = re.findall(rf"size ([1-5]) of 8, (\d+) B: (\d) of {seconds} s, [0-9.]+ Gbit/s, (\d+) s left\n", written)
        if found:
            break
    assert found, written
    for number, size, done, left in (map(int, each) for each in found):
        assert size == 16 << number
        assert abs(left - seconds * (9 - number) + done) <= 1.5


def test_without_a_terminal_there_is_no_progress(hca: Hca) -> None:
    client = hca.run([hca.program("vb_write_bw"), "-D", 1.5, f"127.0.0.1:{hca.serve()[1]}"])
    assert (client.status, client.err) == (0, "")


@pytest.fixture
def slow(hca: Hca) -> Hca:
    """A device that takes long for each queue pair."""
    profile = hca.folder / "slow.conf"
    profile.write_text("qp_create_time = 20ms\nqp_destroy_time = 20ms\n")
    hca.env["SOFTHCA_PROFILE"] = str(profile)
    return hca


MANY = "vb_send_bw -s 64 -t 4 -r 16 -n 10"
STALLS = (1, 10)
"""Stall time-outs, in seconds. A machine that stops a side for longer than the first one ends the session."""
STALLED = r"no answer from the peer .* within \d+ ms"


@pytest.mark.full
def test_queue_pairs_may_take_longer_than_the_stall_timeout(slow: Hca) -> None:
    """Each side makes and destroys them, and lives by its heartbeats."""
    for stall in STALLS:
        count = 80 * stall
        client = start_on_terminal(slow, slow.serve()[1], f"{MANY} -q {count} --stall-timeout {stall}").wait()
        if not re.search(STALLED, client.out):
            break
    assert client.status == 0, client
    lines = replaced(client.out)
    for pattern in (rf"\d+ of {count} queue pairs made", rf"\d+ of {count} queue pairs destroyed",
                    f"the server makes its {count} queue pairs"):
        assert shows(lines, pattern), lines
    assert re.search(f"^ +64 +{10 * count} ", (slow.folder / "rows").read_text(), re.M)


@pytest.mark.full
def test_a_client_is_interrupted_while_it_makes_queue_pairs(slow: Hca) -> None:
    """The ones that are left are not made. The server knows why before those that were made are destroyed, which takes
    longer than the stall timeout."""
    for stall in STALLS:
        least, most = 100 * stall, 1000 * stall
        server, port = slow.serve()
        script = start_on_terminal(slow, port, f"{MANY} -q {most} --stall-timeout {stall}")
        made = re.compile(rf"(\d+) of {most} queue pairs made")
        script.until(lambda: any(int(count) >= least for count in made.findall(script.out)) or
                     re.search(STALLED, script.out), f"{least} queue pairs")
        for client in children(script.pid):
            os.kill(client, SIGINT)
        written = script.wait().out
        if not re.search(STALLED, written + server.err):
            break
    assert re.search(rf"interrupted: \d+ of {most} queue pairs were made", written), written
    assert re.search(r" of \d{3,4} queue pairs destroyed", written), written
    assert "interrupted: interrupted" not in written
    server.until(lambda: re.search(rf"reports: .*interrupted: \d+ of {most}", server.err), "the reason")
