# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Which thread does the work of the emulated link: the one that polls; without one, the progress thread of the process.
By the counts of SOFTHCA_STATS. On one processor, a side that polls in vain gives it to the other one."""

import os
from pathlib import Path
from typing import Iterator

import pytest

from harness.emulated import Hca

pytestmark = pytest.mark.alone

TRIES = 10


@pytest.fixture
def stats(hca: Hca) -> Path:
    """The counts of both sides, of a link on which they have to wait."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=20us"
    hca.env["SOFTHCA_STATS"] = str(hca.folder / "stats")
    return hca.folder / "stats"


@pytest.fixture
def one_processor() -> None:
    """All programs of the test are on one processor."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


def total(stats: Path, count: str) -> int:
    """A count of both processes; others send fewer messages."""
    lines = [dict(word.split("=") for word in line.split() if "=" in word) for line in stats.read_text().splitlines()]
    found = [int(line[count]) for line in lines if int(line["sent"]) >= 2000]
    assert len(found) == 2, stats.read_text()
    return sum(found)


def ratios(hca: Hca, stats: Path, options: str) -> Iterator[float]:
    """Of runs, how many timers programs ran for each that the thread ran. Another program on the processors spoils a
    run: the best of several counts."""
    for _ in range(TRIES):
        stats.unlink(missing_ok=True)
        hca.pair("send_lat", f"-n 2000 {options}").passed()
        yield total(stats, "ran_by_program") / max(total(stats, "ran_by_thread"), 0.1)


def polled_is_near(hca: Hca) -> bool:
    """In one of several runs a polled median is below five times that by events. Others have programs that wanted the
    processor, too."""
    return any(0 < polled < 5 * by_events for polled, by_events in (medians(hca) for _ in range(TRIES)))


def medians(hca: Hca) -> tuple[float, float]:
    """Of latency: polled, by events."""
    rows = hca.pair("send_lat", "-n 2000 --completion poll,event").passed().client_rows
    by = {row["completion"]: row.number("lat_p50_ns") for row in rows}
    return by["poll"], by["event"]


@pytest.mark.parametrize("transport", ["RC", "UD"])
def test_who_polls_runs_the_timers(hca: Hca, stats: Path, transport: str) -> None:
    assert any(ratio > 10 for ratio in ratios(hca, stats, f"-c {transport}"))


@pytest.mark.parametrize("transport", ["RC", "UD"])
def test_by_events_the_thread_runs_the_timers(hca: Hca, stats: Path, transport: str) -> None:
    """Before it sleeps a side polls, and may find a timer that is due: so not all are the thread's."""
    assert any(ratio < 10 for ratio in ratios(hca, stats, f"-c {transport} -e"))


def test_on_one_processor_a_poll_in_vain_gives_it_to_the_peer(hca: Hca, stats: Path, one_processor: None) -> None:
    """Else each message would wait for the end of a time slice: 50 times as long as by events."""
    medians(hca)
    assert total(stats, "yields") >= 2000
    assert polled_is_near(hca)


def test_with_a_third_thread_no_message_waits_for_a_time_slice(hca: Hca, stats: Path, one_processor: None) -> None:
    hca.start(["sh", "-c", "while :; do :; done"], preload=False)
    assert polled_is_near(hca)
