# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Programs that nobody wrote for the emulated HCA, as Debian has them, run on it without a change: UCX, libfabric,
qperf, fio, the examples of rdma-core. Pingpongs and perftest: test_stock.py; the programs of librdmacm: test_cm.py."""

import re
import subprocess

import pytest

from harness.by_cm import until_listens_by_cm
from harness.cases import one_in
from harness.emulated import Hca
from harness.installed import need, need_localhost
from harness.profiles import profile_file
from harness.programs import Ended, last_lines


def both(hca: Hca, server: str, client: str, by_cm: bool = False) -> Ended:
    """Runs server and client, in whose words PORT is the port; both must exit with 0. Gives the client."""
    port = hca.port()
    passive = hca.start(server.replace("PORT", str(port)).split())
    if by_cm:
        until_listens_by_cm(hca, passive, port)
    else:
        passive.until_listens(port)
    active = hca.run(client.replace("PORT", str(port)).split())
    assert active.status == 0, f"{active}; the server: {last_lines(passive.out + passive.err)}"
    assert passive.wait().status == 0
    return active


# ---- rdma-core


def test_ibv_devices(hca: Hca) -> None:
    need("ibv_devices")
    shown = hca.run(["ibv_devices"], env={"SOFTHCA_DEVICES": 3})
    assert re.findall(r"softhca\d", shown.out) == ["softhca0", "softhca1", "softhca2"]


def test_ibv_devinfo_of_two_ports(hca: Hca) -> None:
    need("ibv_devinfo")
    shown = hca.run(["ibv_devinfo", "-v"], env={"SOFTHCA_PORTS": 2})
    assert re.search(r"port:.*GID\[.*RoCE v2.*port:.*GID\[.*RoCE v2", shown.out, re.S), shown.out


def test_ibv_asyncwatch(hca: Hca) -> None:
    """It does not end by itself."""
    need("ibv_asyncwatch")
    watch = hca.start(["stdbuf", "-oL", "ibv_asyncwatch"], env={"SOFTHCA_FAULTS": "async:PORT_ERR@200ms"})
    watch.until_says("PORT_ERR (10), port 1")


def versions_of(file: str, separator: str) -> set[tuple[str, str]]:
    """Names and versions of the functions that a library defines; separator: '@@' of default versions only."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", file], capture_output=True,
                             text=True, check=True).stdout
    return set(re.findall(rf" ((?:ibv|mlx5dv)_\w+){separator}(\w[\w.]*)$", symbols, re.M))


def test_functions_have_the_versions_of_rdma_core(hca: Hca) -> None:
    """As far as libibverbs and libmlx5 of this machine have them."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    files = re.findall(r"\t(?:libibverbs|libmlx5)\.so\.1 .*=> (.*)", listed)
    there = dict(set().union(*(versions_of(file, "@@") for file in files)))
    assert there["ibv_open_device"] == "IBVERBS_1.1"
    own = versions_of(hca.env["SOFTHCA_LIB"], "@@?")
    assert [(name, version) for name, version in own if there.get(name, version) != version] == []


# ---- UCX


def test_ucx_finds_its_transports(hca: Hca) -> None:
    need("ucx_info")
    shown = hca.run(["ucx_info", "-d"])
    for transport in ("rc_verbs", "ud_verbs"):
        assert re.search(rf"Transport: {transport}\n.*Device: softhca0:1", shown.out), shown


@pytest.mark.parametrize("transports", ["rc_v,self", "ud_v,self"])
@pytest.mark.parametrize("options", one_in(4, [
    "-t tag_lat", "-t tag_bw", "-t ucp_put_bw", "-t ucp_get", "-t ucp_fadd", "-t stream_bw", "-t ucp_am_lat",
    "-t tag_bw -s 300000"]))
def test_ucx_perftest(hca: Hca, transports: str, options: str) -> None:
    ucx_perftest(hca, options, UCX_TLS=transports)


@pytest.mark.parametrize("options", one_in(3, [
    "rc_verbs -t am_lat", "rc_verbs -t put_lat", "rc_verbs -t get -D zcopy -s 8192", "ud_verbs -t am_bw"]))
def test_transport_of_ucx_alone(hca: Hca, options: str) -> None:
    ucx_perftest(hca, f"-d softhca0:1 -x {options}")


def ucx_perftest(hca: Hca, options: str, **env: str) -> None:
    """Its last line has as many iterations as it was asked for."""
    need("ucx_perftest")
    hca.env.update(UCX_NET_DEVICES="softhca0:1", **env)
    ended = both(hca, "ucx_perftest -p PORT", f"ucx_perftest -p PORT {options} -n 500 -w 5 127.0.0.1")
    assert re.search("^Final: +500 ", ended.out, re.M), ended


def test_ucx_connects_by_librdmacm(hca: Hca) -> None:
    need("io_demo")
    hca.env.update(UCX_NET_DEVICES="softhca0:1", UCX_TLS="rc_v,self")
    port = hca.port()
    until_listens_by_cm(hca, hca.start(["io_demo", "-p", port]), port)
    client = hca.run(["io_demo", "-p", port, *"-i 20 -c 20 -y 0.2 -q 127.0.0.1".split()],
                     env={"UCX_SOCKADDR_TLS_PRIORITY": "rdmacm"})
    assert client.status == 0
    assert "Client exit with status 'OK'" in client.out + client.err, client


# ---- libfabric


def test_libfabric_finds_its_endpoints(hca: Hca) -> None:
    need("fi_info")
    shown = hca.run(["fi_info", "-p", "verbs"])
    assert re.search("domain: softhca0.*FI_EP_MSG.*FI_EP_DGRAM", shown.out, re.S), shown


@pytest.mark.parametrize("options", [
    "-d softhca0 -p verbs -e msg -I 20 -c",
    # not over ofi_rxm: it destroys the QP when the peer has closed, before it polls, and then waits for ever for what
    # it has dropped (docs/softhca.md)
    "-d softhca0-dgram -p verbs -e dgram -I 20 -S 1024",
    "-d softhca0-dgram -p verbs;ofi_rxd -e rdm -I 20 -S 8192",
])
def test_fi_pingpong(hca: Hca, options: str) -> None:
    need("fi_pingpong")
    # its server asks for it, and without it fails or does not end
    need_localhost()
    both(hca, f"fi_pingpong -B PORT {options}", f"fi_pingpong -P PORT {options} 127.0.0.1")


# ---- qperf, fio


@pytest.mark.parametrize("test", one_in(6, """
    rc_bi_bw rc_bw rc_lat uc_bi_bw uc_bw uc_lat ud_bi_bw ud_bw ud_lat rc_rdma_read_bw rc_rdma_read_lat rc_rdma_write_bw
    rc_rdma_write_lat rc_rdma_write_poll_lat uc_rdma_write_bw uc_rdma_write_lat uc_rdma_write_poll_lat
    rc_compare_swap_mr rc_fetch_add_mr ver_rc_compare_swap ver_rc_fetch_add
""".split()))
def test_qperf(hca: Hca, test: str) -> None:
    need("qperf")
    if test.startswith("ud_"):
        # its address handles have no GID
        hca.env["SOFTHCA_PROFILE"] = str(profile_file("connectx-ib"))
    port = hca.port()
    hca.start(["qperf", "-lp", port]).until_listens(port)
    # a machine that stops it for the whole time leaves nothing to measure, and 5 s are its time-out: then longer ones
    for seconds in (1, 10):
        options = ["-lp", port, "-ws", 10, "-t", seconds, "-to", 60 * seconds]
        ended = hca.run(["qperf", *options, "127.0.0.1", test])
        if re.search(r" = +.*[1-9]", ended.out) and "ailed" not in ended.out + ended.err:
            return
    raise AssertionError(ended)


@pytest.mark.parametrize("verb", one_in(2, ["write", "read"]))
def test_fio(hca: Hca, verb: str) -> None:
    """It listens by librdmacm. A server that is ahead of its client by too little fails it: there are few messages."""
    need("fio")
    # Debian's has the engine
    if "rdma" not in hca.run(["fio", "--enghelp"], preload=False).out:
        pytest.skip("this fio has no engine rdma")
    common = "fio --ioengine=rdma --bs=64k --size=1m --name=x --port=PORT"
    client = f"--hostname=127.0.0.1 --verb={verb} --rw=write --iodepth=1 --iodepth_batch_complete=1"
    ended = both(hca, f"{common} --rw=read --iodepth=16", f"{common} {client}", by_cm=True)
    assert "err= 0" in ended.out, ended
