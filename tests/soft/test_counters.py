# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What the devices count while the loops run: the counters of both ports, in the names of the drivers."""

import json
import re
import resource
from typing import Callable

import pytest

from harness.emulated import Hca, Pair
from harness.profiles import profile_file

LOSSY = "bandwidth=10G,delay=5us,loss=0.5%"


def counted(text: str) -> dict[str, int]:
    """Names may have blanks: a number ends an item."""
    return {name: int(number) for name, number in re.findall(r"([^=]+)=(\d+)(?: |$)", text)}


def retries(stats: str) -> int:
    """Those of the process that sent most: the sender's."""
    lines = re.findall(r" sent=(\d+) .*? retry_events=(\d+)", stats)
    return int(max(lines, key=lambda line: int(line[0]))[1])


@pytest.mark.parametrize("test, options", [
    ("send_bw", "-n 20000 -s 1024 -r 1024"), ("write_bw", "-n 10000 -s 4096 -t 16"),
    ("send_bw", "-c XRC -n 10000 -s 1024 -r 1024"), ("send_bw", "-n 5000 -q 4 -e -s 512 -r 512"),
])
def test_retransmissions_are_those_of_the_link(hca: Hca, test: str, options: str) -> None:
    stats = hca.folder / "stats"
    hca.env["SOFTHCA_STATS"] = str(stats)
    pair = hca.pair(test, f"{options} --warm-up 0", at_client={"SOFTHCA_LINK": LOSSY}).passed()
    truth = retries(stats.read_text())
    assert truth > 0
    assert int(pair.row["retransmissions"]) == truth, stats.read_text()
    assert int(pair.server_row["peer_retransmissions"]) == truth
    own = counted(pair.row["device_counters"])
    assert own["packet_seq_err"] + own.get("local_ack_timeout_err", 0) == truth
    assert own["port_xmit_packets"] > pair.row.number("messages")
    assert counted(pair.server_row["peer_device_counters"]) == own
    for row in (pair.row, pair.server_row):
        assert "retransmissions" in row["warning_codes"].split()
    line = re.search(r"client: [\w ()]+: packet_seq_err (\d+)$", pair.client.out, re.MULTILINE)
    assert line and int(line[1]) == own["packet_seq_err"], pair.client.out


@pytest.mark.parametrize("link", ["bandwidth=10G,delay=5us", "", "loss=0.5%,bandwidth=10G"])
def test_what_is_not_sent_again_has_no_warning(hca: Hca, link: str) -> None:
    """Over UD nothing is sent again, whatever is lost."""
    hca.env["SOFTHCA_LINK"] = link
    row = hca.pair("send_bw", f"-n 2000 -s 64 {'-c UD' if 'loss' in link else ''}").passed().row
    assert row["retransmissions"] == row["peer_retransmissions"] == "0"
    assert "retransmissions" not in row["warning_codes"]
    assert ("port_xmit_packets" in row["device_counters"]) == bool(link)


@pytest.mark.parametrize("profile, again, there", [
    ("bnxt_re", ["to_retransmits", "seq_err_naks_rcvd"], "tx_bytes"), ("rxe", ["completer_retry_err"], "sent_pkts"),
    ("mana", ["requester_timeout", "requester_oos_nak"], "requester_oos_nak"),
    ("connectx-ib", ["packet_seq_err", "local_ack_timeout_err"], "port_xmit_data"),
    # these do not count what they send again
    ("hns", [], "tx_pkt"), ("irdma-roce", [], "TxUDP"),
])
def test_names_are_those_of_the_driver(hca: Hca, profile: str, again: list[str], there: str) -> None:
    hca.env |= {"SOFTHCA_PROFILE": str(profile_file(profile)), "SOFTHCA_LINK": LOSSY}
    row = hca.pair("send_bw", "-n 5000 -s 1024 -r 512").passed().row
    own = counted(row["device_counters"])
    assert own[there] > 0
    if again:
        assert int(row["retransmissions"]) == sum(own.get(name, 0) for name in again) > 0
        assert next(iter(own)) in again, "what explains most comes first"
    else:
        assert row["retransmissions"] == ""
    assert ("retransmissions" in row["warning_codes"]) == bool(again)


def test_an_object_in_json_is_the_text_of_csv(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = LOSSY
    file = hca.folder / "rows.json"
    pair = hca.pair("send_bw", f"-n 5000 -s 1024 -r 512 --json {file}").passed()
    row = json.loads(file.read_text())["rows"][0]
    for column in ("device_counters", "peer_device_counters"):
        assert row[column] == counted(pair.row[column])
    again = hca.run([hca.program("verbench"), "report", "--where", "retransmissions > 0", file])
    assert again.status == 0 and "send_bw" in again.out, again


def test_a_note_has_the_range_of_all_rows(hca: Hca) -> None:
    hca.env["SOFTHCA_LINK"] = LOSSY
    pair = hca.pair("send_bw", "-n 5000 -s 512,1024 -r 512").passed()
    least, most = sorted(counted(row["device_counters"])["packet_seq_err"] for row in pair.client_rows)
    text = " ".join(pair.client.out.split())
    numbers = f"{least} to {most}" if least != most else f"{most}"
    assert f"2 of 2 rows: client: requests that were sent again: packet_seq_err {numbers}" in text, text


def accounted(command: Callable[[], Pair]) -> tuple[Pair, float, float]:
    """CPU time of both sides together, in ns: what their rows have, and what the system accounts beyond that."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pair = command().passed()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = sum(pair.row.number(column) for column in ("cpu_ns", "other_cpu_ns", "peer_cpu_ns", "peer_other_cpu_ns"))
    return pair, used, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e9 - used


@pytest.mark.alone
@pytest.mark.parametrize("options", ["-e -s 1024", "-s 1024"])
def test_cpu_time_is_what_the_system_accounts(hca: Hca, options: str) -> None:
    """But for what starting and ending costs, which a short run has, too."""
    hca.env["SOFTHCA_LINK"] = "bandwidth=10G,delay=5us"
    start = max(accounted(lambda: hca.pair("send_bw", f"{options} -D 0.1 --warm-up 0"))[2] for _ in range(3))
    pair, used, more = accounted(lambda: hca.pair("send_bw", f"{options} -D 4 --warm-up 0"))
    row = pair.row
    print(f"in the row {used / 1e9:.3f} s, beyond it {more / 1e9:.3f} s, of these to start and end {start / 1e9:.3f} s")
    assert 0 < more < start + 0.03 * used
    if "-e" in options:
        # the requests complete in the HCA's thread, while the program sleeps
        assert row.number("other_cpu_ns") > 0.05 * row.number("cpu_ns")
        assert "client: CPU time in other threads than the measuring ones" in " ".join(pair.client.out.split())


@pytest.mark.parametrize("link, options", [
    ("bandwidth=1G", "-s 64k -D 1 -v"), ("bandwidth=1G,loss=2%", "-s 4k -n 5000")])
def test_a_limiter_is_evident_from_the_row(hca: Hca, link: str, options: str) -> None:
    """A busy machine may be the limiter instead, and may leave no rate."""
    hca.env["SOFTHCA_LINK"] = link
    pair = hca.pair("write_bw", options).passed()
    row = pair.row
    if float(row["bandwidth_pct_of_link"] or 0) >= 95:
        assert row["limiter"] == "link" and "likely limit: the link is full" in pair.client.out
    elif "loss" in link:
        assert row["limiter"] == "loss"
    else:
        assert row["limiter"] in ("cpu_share", "")
    assert row["pcie_gbit_s"] == "", "an emulated device sends nothing over PCIe"
