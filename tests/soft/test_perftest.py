# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The drop-in programs ib_send_bw, ...: beside perftest's own of Debian they print the same lines but for numbers, on
both sides; their JSON is valid and has perftest's keys; their exit statuses are those that scripts rely on; what they
do not do is refused. And perftest on the other side is told. What scripts read: tests/perftest."""

import csv
import json
import re
import shutil
from signal import SIGINT

import pytest

from harness.emulated import Hca
from harness.programs import Ended

NOT_VERBENCH = "is perftest [0-9.]*, not verbench"

needs_perftest = pytest.mark.skipif(not shutil.which("ib_send_bw"), reason="perftest is not installed")


def full(*cases: object) -> list:
    """Cases of which some alike are enough for a quick run."""
    return [pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.full) for case in cases]


def own(hca: Hca, command: str) -> list[str]:
    """The words of a command of a drop-in program."""
    program, *options = command.split()
    return [hca.program(f"perftest/{program}"), *options]


def shape(ended: Ended, timed: bool) -> list[str]:
    """A side's output without what differs from run to run, and without what 4.5 and 6.29 print differently.

    What remains of a row is its size, its iterations and the number of its figures; a deviation of 4.5 can be -nan.
    A receiver that came too late for its messages says that it has no rate. timed: the iterations differ, too.
    """
    left_out = ("WARNING: BW peak|CQE Poll Batch|PCIe relax order|ibv_wr. API|Max inline data|Outstand reads"
                "|Max msg size in UD|Changing to this MTU|no rate: |^ib_[a-z]+_[a-z]+: ")
    shapes = []
    for line in (ended.out + ended.err).splitlines():
        if re.search(left_out, line):
            continue
        line = re.sub(r"\b(RKey|VAddr) (0x)?[0-9a-f]+|0x[0-9a-f]+", "N", line)
        line = re.sub(r"\d+\.\d{2,6}\b|-?\bnan\b", "F", re.sub(r"\bMiB\b", "MB", line))
        line = re.sub(r"[ \t]+", " ", line).rstrip(" ")
        shapes.append(re.sub(r"^ (\d+) \d+ F", r" \1 N F", line) if timed else line)
    return shapes


def test_the_head_says_that_relaxed_ordering_is_on(hca: Hca) -> None:
    """Stock perftest says so from 6.0 on; the version that is compared here may have another default."""
    command = [*own(hca, "ib_write_bw -n 5"), "-p", hca.port()]
    server = hca.start(command)
    for ended in (hca.run([*command, "127.0.0.1"]), server.wait()):
        assert ended.status == 0 and re.search(r"PCIe relax order: +ON\b", ended.out), ended


def test_verbench_knows_their_folder(hca: Hca) -> None:
    assert hca.run([hca.program("verbench"), "perftest-path"]).out.strip() == hca.program("perftest")


@needs_perftest
@pytest.mark.parametrize("command", [
    "ib_send_bw -n 200", "ib_write_lat -n 100", "ib_read_bw -n 200 -b -q 2 --report_gbits",
    "ib_write_bw -n 200 -Q 1024 -t 500 -s 64k -w 0.001M --vlan_en --pkey_index 0",
    *full("ib_send_bw -n 200 -b -q 2 --report_gbits", "ib_send_lat -n 100", "ib_send_bw -D 1",
          "ib_write_bw -n 200", "ib_write_bw -n 200 -b -q 2 --report_gbits", "ib_write_bw -D 1",
          "ib_read_bw -n 200", "ib_read_lat -n 100", "ib_read_bw -D 1",
          "ib_atomic_bw -n 200", "ib_atomic_bw -n 200 -b -q 2 --report_gbits", "ib_atomic_lat -n 100",
          "ib_atomic_bw -D 1", "ib_write_lat -D 1", "ib_read_lat -D 1", "ib_write_bw -a -n 50",
          "ib_read_bw -s 8192 -n 50 -b", "ib_send_bw -a -n 100 -c UD", "ib_read_lat -a -n 20",
          "ib_send_bw -n 200 -e -X 1",
          "ib_read_lat -n 100 -e", "ib_send_bw -n 200 -c UC -e", "ib_write_bw -n 200 -c UC -s 1024",
          "ib_send_lat -n 100 -c UD", "ib_send_bw -n 200 -l 8 -s 64", "ib_send_bw -n 200 -r 64 -t 32 -Q 8 -s 1024",
          "ib_send_bw -n 200 -b --report-both", "ib_atomic_bw -n 200 -A CMP_AND_SWAP",
          "ib_write_bw -n 200 -x 1 -m 1024 -F -N", "ib_write_bw -n 200 --output=bandwidth",
          "ib_write_bw -n 200 -q 3 --mr_per_qp", "ib_read_bw -n 200 -b -q 2 --mr_per_qp",
          "ib_send_bw -n 200 --reversed", "ib_write_bw -n 200 --reversed", "ib_read_bw -n 200 --reversed -b",
          "ib_write_bw -n 200 --output=message_rate", "ib_read_lat -n 100 --output=latency"),
])
def test_prints_the_lines_of_perftest(hca: Hca, command: str) -> None:
    stock = hca.stock(command.split(), listening=True)
    ours = hca.stock(own(hca, command), listening=True)
    for one, other in zip(ours, stock):
        assert shape(one, " -D " in command) == shape(other, " -D " in command)


@needs_perftest
@pytest.mark.parametrize("command, line", [("ib_read_bw -n 200 -o 4000", " Outstand reads .*"),
                                           *full(("ib_send_bw -n 200 -m 1500", " Mtu .*"),
                                                 ("ib_send_bw -n 200 -m 8192", " Mtu .*"))])
def test_runs_with_what_the_device_has(hca: Hca, command: str, line: str) -> None:
    stock, _ = hca.stock(command.split(), listening=True)
    ours, _ = hca.stock(own(hca, command), listening=True)
    assert re.findall(line, ours.out) == re.findall(line, stock.out) != []


BANDWIDTH = "MsgSize n_iterations BW_peak BW_average MsgRate"


@pytest.mark.parametrize("command, keys", [
    ("ib_write_bw -n 200", BANDWIDTH),
    ("ib_atomic_bw -n 200", BANDWIDTH),
    ("ib_read_bw -n 200 --use-null-mr", BANDWIDTH),
    ("ib_send_bw -n 200 --output=bandwidth", "bw_avg"),
    ("ib_read_lat -n 200",
     "MsgSize n_iterations t_min t_max t_typical t_avg t_stdev percentile_99 percentile_99.9"),
    *full(("ib_send_lat -D 1", "MsgSize n_iterations t_avg tps_average"),
          ("ib_write_bw -D 1 --cpu_util", f"{BANDWIDTH} CPU_util")),
])
def test_writes_the_json_of_perftest(hca: Hca, command: str, keys: str) -> None:
    file = hca.folder / "json"
    hca.stock(own(hca, command), ["--out_json", f"--out_json_file={file}"])
    info = ("test Dual_port Device Number_of_qps Transport_type Connection_type Using_SRQ PCIe_relax_order ibv_wr_API"
            " TX_depth").split()
    info += [] if "_lat" in command else ["CQ_Moderation"]
    info += ["Mtu", "Link_type", "GID_index", "Outstand_reads" if re.match("ib_(read|atomic)", command) else
             "Max_inline_data", "rdma_cm_QPs", "Use_ROCm_memory", "Use_MUSA_memory", "Data_ex_method"]
    written = json.loads(file.read_text())
    assert list(written["test_info"]) == info
    assert list(written["results"]) == keys.split()
    # NVIDIA's ngc_multinode_perf reads lines: one key each
    (value,) = re.findall(rf'^"{keys.split()[-1]}"[:,]\s*([0-9.]+)', file.read_text(), re.MULTILINE)
    assert float(value) > 0


@needs_perftest
@pytest.mark.parametrize("command, column, at", [
    ("ib_write_bw -n 200 -s 4096", "bandwidth_mib_s", 3),
    *full(("ib_send_bw -n 200 -b -q 2 --report_gbits", "bandwidth_gbit_s", 3),
          ("ib_read_bw -n 200 -a", "bandwidth_mib_s", 3),
          ("ib_send_lat -n 200 -c UD", "lat_p50_ns", 4),
          ("ib_read_lat -n 200", "lat_mean_ns", 5)),
])
def test_report_reads_what_they_print(hca: Hca, command: str, column: str, at: int) -> None:
    for words in (command.split(), own(hca, command)):
        file = hca.folder / "printed"
        printed = hca.stock(words, listening=True)[0].out
        file.write_text(printed)
        ended = hca.run([hca.program("verbench"), "report", "--format", "csv", "--of", column, file])
        figures = [float(row[column]) for row in csv.DictReader(ended.out.splitlines())]
        lines = re.findall(r"^ \d+ +\d+ .*", printed, re.MULTILINE)
        expected = [float(line.split()[at]) * (1000 if "lat" in command else 1) for line in lines]
        assert figures == pytest.approx(expected) and figures, (ended, printed)


def test_report_finds_the_unit_of_their_json(hca: Hca) -> None:
    """The file says MiB/s and Gbit/s alike; ours has both."""
    figures = []
    for options in ((), ("--report_gbits",)):
        file = hca.folder / "json"
        hca.stock(own(hca, "ib_write_bw -n 200 -s 65536"), ["--out_json", f"--out_json_file={file}", *options])
        ended = hca.run([hca.program("verbench"), "report", "--format", "csv", "--of", "bandwidth_gbit_s", file])
        average = json.loads(file.read_text())["results"]["BW_average"]
        (row,) = csv.DictReader(ended.out.splitlines())
        figures.append(float(row["bandwidth_gbit_s"]) / average)
    assert figures == pytest.approx([8 * 2 ** 20 / 1e9, 1], rel=1e-6)


@pytest.mark.parametrize("command, text", [
    ("ib_send_bw --help", "Usage:"),
    ("ib_send_bw --version", "Version: "),
    ("ib_write_bw -n 10k host", "not a whole number"),
    ("ib_write_bw --run_inf=5 host", "--run_inf"),
    ("ib_send_lat -H host", "--hdr"),
    ("ib_write_bw --rate_limit=5 host", "--rate_limit_type=PP"),
    ("ib_write_bw --rate_limit=5 --rate_limit_type=HW host", "--rate_limit_type=PP"),
    ("ib_write_bw --rate_limit=0.5 --rate_limit_type=PP host", "--rate_limit 0.5"),
    ("ib_write_bw --rate_limit=4294967296 --rate_limit_type=PP host", "4294967295"),
    ("ib_write_bw --rate_limit=5 --rate_limit_type=SW host", "--rate N"),
    ("ib_write_bw host -t", "needs a value"),
    ("ib_write_bw --nothing host", "unrecognized option"),
    ("ib_write_lat -b host", "not in ib_write_lat"),
    ("ib_write_bw -e host", "not in ib_write_bw"),
    ("ib_write_bw -c SRD host", "allowed: RC"),
])
def test_ends_with_1(hca: Hca, command: str, text: str) -> None:
    ended = hca.run(own(hca, command))
    assert ended.status == 1
    assert text in ended.out + ended.err


@pytest.mark.parametrize("server, client, server_status, text", [
    ("ib_write_bw", "ib_write_bw -n 200 -w 100000000", 0, "BW result is below bw limit"),
    ("ib_write_bw", "ib_write_bw -n 200 -y 100000000", 0, "Msg rate  is below msg_rate limit"),
    ("ib_send_bw -s 1024", "ib_send_bw -s 2048", 1, "-s (--size): server 1k, client 2k"),
    ("ib_send_bw -b", "ib_send_bw -n 20", 1, "server yes, client no"),
    ("ib_send_bw -n 20", "ib_write_bw -n 20", 1, "server send_bw, client write_bw"),
])
def test_both_sides_end_with_a_failure(hca: Hca, server: str, client: str, server_status: int, text: str) -> None:
    port = hca.port()
    passive = hca.start([*own(hca, server), "-p", port])
    active = hca.run([*own(hca, client), "-p", port, "127.0.0.1"])
    assert (active.status, passive.wait().status) == (1, server_status)
    assert text in active.out + active.err


def test_limits_are_reached_and_depths_differ(hca: Hca) -> None:
    hca.stock(own(hca, "ib_write_bw -n 200"), "-w 0.001 -y 0.000001 -t 16".split())


def test_run_infinitely_prints_a_line_every_so_many_seconds(hca: Hca) -> None:
    """It is one run, until the user ends it. Each side has its own seconds, so that the last line of one may have no
    message: the lines of both count the same messages."""
    port = hca.port()
    command = [*own(hca, "ib_send_bw --run_infinitely -D 1"), "-p", port]
    server = hca.start(command)
    client = hca.start([*command, "127.0.0.1"])
    client.until(lambda: client.out.count("\n 65536 ") >= 2, "two lines")
    ended = client.stop(SIGINT), server.wait()
    assert [one.status for one in ended] == [0, 0], ended
    messages = [sum(int(count) for count in re.findall(r"^ 65536 +(\d+) ", one.out, re.M)) for one in ended]
    assert messages[0] == messages[1] > 0, ended


@needs_perftest
@pytest.mark.parametrize("program", ["vb_write_bw", "perftest/ib_write_bw"])
def test_the_server_is_perftest(hca: Hca, program: str) -> None:
    port = hca.port()
    server = hca.start(["ib_write_bw", "-p", port])
    server.until_listens(port)
    client = hca.run([hca.program(program), "-p", port, "127.0.0.1"])
    assert client.status == 1
    assert re.search(NOT_VERBENCH, client.out + client.err), client
    server.wait()


@needs_perftest
@pytest.mark.parametrize("program", ["vb_write_bw", "perftest/ib_write_bw"])
def test_the_client_is_perftest(hca: Hca, program: str) -> None:
    port = hca.port()
    server = hca.start([hca.program(program), "-p", port])
    server.until_listens(port)
    hca.run(["ib_write_bw", "-p", port, "127.0.0.1"])
    ended = server.wait()
    assert ended.status == 1
    assert re.search(NOT_VERBENCH, ended.out + ended.err), ended
