# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""--buffers cuda without a GPU: libcuda.c stands for its driver, and no processor can touch the memory it gives."""

from typing import Optional

import pytest

from harness.cases import commands, some_quick
from harness.emulated import Hca
from harness.profiles import profile_file
from harness.programs import Ended


@pytest.fixture
def gpu(hca: Hca) -> Hca:
    hca.env["LD_LIBRARY_PATH"] = hca.program("tests/fake/cuda")
    return hca


def ask(gpu: Hca, command: str, columns: str, server: Optional[dict[str, str]] = None) -> None:
    """Runs a command; the first row of each side has these columns."""
    test, options = command.split(" ", 1)
    pair = gpu.pair(test, options, at_server=server).passed()
    assert pair.client_rows[0].wrong(columns) == []
    assert pair.server_rows[0].wrong(columns) == []


@pytest.mark.parametrize("command", some_quick(commands("""
    send_bw -e -c UC -s 1001, write_lat --imm -s 9, read_bw -s 4099 --sge 2 -e, atomic_bw -q 2 -b,
    write_bw -b -s 2001 --threads 2, send_bw, send_bw -c UD, send_bw -c UD -e -s 7 -q 2, send_bw -s 4097 --sge 3,
    send_bw --srq -q 3 -s 999, send_lat -s 33, send_lat -c UC --imm -e, send_lat -c UD --imm -s 3,
    send_lat -c UD --imm --ah first, write_bw, write_bw -c UC -e -s 5 --post-api wr, write_bw --imm -e, write_bw -s 0,
    write_bw --regions 1 -q 3, write_bw --mw 2 -q 3, write_bw --mw 1, read_bw -b, read_bw --footprint 3M,
    read_lat -s 3, atomic_bw -A cmp_swap, atomic_lat -A cmp_swap, atomic_lat
""", "--buffers cuda"), 4))
def test_memory_of_a_gpu(gpu: Hca, command: str) -> None:
    ask(gpu, f"{command} -n 500 --verify", "buffers=cuda buffers_by=dmabuf peer_buffers_by=dmabuf")


@pytest.mark.parametrize("kind", ["device", "cuda"])
def test_words_after_a_warm_up(gpu: Hca, kind: str) -> None:
    """The server clears the words of compare-and-swap, which have no address for it."""
    ask(gpu, f"atomic_bw -A cmp_swap -n 500 --buffers {kind}", f"buffers={kind} warm_up>=1")


def test_which_gpu(gpu: Hca) -> None:
    ask(gpu, "write_bw --buffers cuda -n 100", "gpu~^FFFF:1B:00.0.stand-in.0$")
    ask(gpu, "write_bw --gpu 1 -n 100",
        "gpu~^FFFF:1C:00.0.stand-in.1$ peer_gpu~^FFFF:1C:00.0.stand-in.1$")


def test_a_row_without_a_gpu(gpu: Hca) -> None:
    pair = gpu.pair("write_bw", "-n 100").passed()
    assert pair.row["gpu"] == pair.row["buffers_by"] == pair.row["peer_gpu"] == ""


@pytest.mark.parametrize("missing", ["peer,dmabuf", "peer,export", "peer,map"])
def test_by_its_address(gpu: Hca, missing: str) -> None:
    """Without a dmabuf, or on a device that refuses it: where nvidia_peermem lets the kernel find the memory."""
    gpu.env["FAKE_CUDA"] = missing
    ask(gpu, "write_bw --buffers cuda -n 500 --verify --regions 1 -q 2", "buffers_by=peer_memory")


def test_a_driver_without_dmabuf(gpu: Hca) -> None:
    gpu.env["LD_LIBRARY_PATH"] = gpu.program("tests/fake/cuda-11.6")
    gpu.env["FAKE_CUDA"] = "peer"
    ask(gpu, "read_bw --buffers cuda -n 500 --verify", "buffers_by=peer_memory")


def test_each_side_says_how(gpu: Hca) -> None:
    pair = gpu.pair("write_bw", "--buffers cuda -n 100", at_server={"FAKE_CUDA": "peer,export"}).passed()
    assert pair.row.wrong("buffers_by=dmabuf peer_buffers_by=peer_memory") == []
    assert pair.server_row.wrong("buffers_by=peer_memory peer_buffers_by=dmabuf") == []


@pytest.mark.parametrize("command", some_quick(commands("""
    write_bw, send_lat -e, read_bw -b -q 2 --regions 1, send_bw -c UD -s 1001, write_bw --reverse, send_bw -b -s 4097,
    atomic_bw -A cmp_swap, read_lat, write_lat --imm -c UC
"""), 4))
def test_memory_of_one_side(gpu: Hca, command: str) -> None:
    """The other side has memory of the host: it needs no driver, and its rows say so."""
    test, _, options = command.partition(" ")
    for side, where in (("client", "--gpu 1 --peer-buffers host"), ("server", "--peer-gpu 1")):
        other = {"client": "server", "server": "client"}[side]
        pair = gpu.pair(test, f"{options} -n 500 --verify {where}", **{f"at_{other}": {"LD_LIBRARY_PATH": ""}}).passed()
        rows = {"client": pair.client_rows[0], "server": pair.server_rows[0]}
        assert rows[side].wrong("buffers=cuda peer_buffers=host buffers_by=dmabuf peer_buffers_by= gpu~stand-in.1$ "
                                "peer_gpu=") == []
        assert rows[other].wrong("buffers=host peer_buffers=cuda buffers_by= peer_buffers_by=dmabuf gpu= "
                                 "peer_gpu~stand-in.1$") == []


def test_a_gpu_for_each_side(gpu: Hca) -> None:
    pair = gpu.pair("write_bw", "-n 100 --gpu 1 --peer-gpu 0", server="--buffers cuda --gpu 0").passed()
    assert pair.row.wrong("buffers=cuda peer_buffers= gpu~stand-in.1$ peer_gpu~stand-in.0$") == []
    pair = gpu.pair("write_bw", "-n 100 --gpu 1 --peer-buffers host", server="--buffers cuda")
    assert pair.client.status == 2 and "--buffers: server cuda, client host" in pair.client.err, pair.client


def test_the_side_without_a_gpu(gpu: Hca) -> None:
    for option, side in (("--peer-gpu 2", "server"), ("--peer-buffers cuda", "server"),
                         ("--buffers cuda --peer-buffers host", "client")):
        missing = {} if option == "--peer-gpu 2" else {f"at_{side}": {"FAKE_CUDA": "gpu"}}
        pair = gpu.pair("write_bw", f"-n 10 {option}", **missing)
        assert pair.client.status == 2, pair.client
        assert f"{option.split(' --')[0]}: softhca0 of " in pair.client.err, pair.client


NEITHER = "FFFF:1B:00.0 stand-in 0 cannot be registered: no dmabuf ("
REFUSED = {
    "gpu": "no GPU: cuInit: no CUDA-capable device is detected",
    "memory": "bytes of GPU memory: cuMemAlloc: out of memory",
    "dmabuf": NEITHER + "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0",
    "export": NEITHER + "cuMemGetHandleForAddressRange: operation not supported), and no peer memory (ibv_reg_mr: "
                        "Bad address)",
    "map": NEITHER + "ibv_reg_dmabuf_mr of softhca0: Operation not supported)",
}


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("missing", REFUSED)
def test_the_link_that_is_missing(gpu: Hca, missing: str, side: str) -> None:
    pair = gpu.pair("write_bw", "--buffers cuda -n 10", **{f"at_{side}": {"FAKE_CUDA": missing}})
    assert pair.client.status == 2, pair.client
    assert "--buffers cuda: softhca0 of " in pair.client.err and REFUSED[missing] in pair.client.err, pair.client


@pytest.mark.parametrize("side", ["client", "server"])
def test_no_driver(gpu: Hca, side: str) -> None:
    pair = gpu.pair("write_bw", "--buffers cuda -n 10", **{f"at_{side}": {"LD_LIBRARY_PATH": ""}})
    assert pair.client.status == 2, pair.client
    assert "no driver of NVIDIA (libcuda.so.1: cannot open shared object file" in pair.client.err, pair.client


def test_no_such_gpu(gpu: Hca) -> None:
    pair = gpu.pair("write_bw", "--gpu 2 -n 10")
    assert pair.client.status == 2, pair.client
    for text in ("--gpu 2: softhca0 of ", "no GPU 2: CUDA numbers them 0..1 here"):
        assert text in pair.client.err, pair.client


def test_a_device_without_dmabuf(gpu: Hca) -> None:
    gpu.env["SOFTHCA_PROFILE"] = str(profile_file("rxe"))
    pair = gpu.pair("write_bw", "--buffers cuda -n 10")
    assert pair.client.status == 2, pair.client
    assert "ibv_reg_dmabuf_mr of softhca0: Operation not supported" in pair.client.err, pair.client


def test_a_copy_fails(gpu: Hca) -> None:
    """What could not be compared is no success."""
    gpu.env["FAKE_CUDA"] = "copy"
    pair = gpu.pair("write_bw", "--buffers cuda -n 100 --verify")
    assert pair.client.status == 1, pair.client
    assert "cuMemcpyHtoD: invalid argument" in pair.client.err, pair.client


@pytest.mark.parametrize("missing, says, warns", [
    ("", "GPU memory: FFFF:1B:00.0 stand-in 0", False),
    ("gpu", "no GPU memory: no GPU: cuInit", False),
    ("dmabuf", "no GPU memory: FFFF:1B:00.0 stand-in 0 cannot be registered", True)])
def test_check_names_the_link(gpu: Hca, missing: str, says: str, warns: bool) -> None:
    gpu.env["FAKE_CUDA"] = missing
    alone = gpu.run([gpu.program("verbench"), "check"])
    assert says in " ".join(alone.out.split()), alone
    server, port = gpu.serve()
    both = gpu.run([gpu.program("verbench"), "check", "-p", port, "localhost"])
    for ended in (alone, both):
        assert ("no GPU memory (--buffers cuda)" in " ".join(ended.out.split())) == warns, ended
    assert (says in " ".join(both.out.split())) == (missing != "gpu"), both
    server.stop()


def dropin(gpu: Hca, name: str, server: str, client: str) -> tuple[Ended, Ended]:
    port = gpu.port()
    started = gpu.start([gpu.program(f"perftest/{name}"), "-p", port, *server.split()])
    started.until_listens(port)
    ended = gpu.run([gpu.program(f"perftest/{name}"), "-p", port, *client.split(), "localhost"])
    return ended, started.wait()


def test_dropins(gpu: Hca) -> None:
    for options in ("--use_cuda=1", "--use_cuda=0 --use_cuda_dmabuf"):
        client, server = dropin(gpu, "ib_write_bw", f"-n 100 {options}", f"-n 100 {options}")
        assert client.status == server.status == 0, (client, server)


def test_dropins_with_one_gpu_each(gpu: Hca) -> None:
    """Both sides have the GPU of the same number, or the server says that it is not so."""
    client, server = dropin(gpu, "ib_write_bw", "-n 100 --use_cuda=1", "-n 100 --use_cuda=0")
    assert client.status and "different options: --gpu: server 1, client 0" in server.err, (client, server)


def test_dropins_without_a_driver(gpu: Hca) -> None:
    gpu.env["LD_LIBRARY_PATH"] = ""
    client, _ = dropin(gpu, "ib_write_bw", "-n 100 --use_cuda=0", "-n 100 --use_cuda=0")
    assert client.status and "--use_cuda 0: softhca0 of " in client.err, client


def test_in_the_sandbox_of_a_server(gpu: Hca) -> None:
    server, port = gpu.serve("--sandbox", "auto")
    for _ in range(2):
        options = "--buffers cuda --verify -n 100 localhost"
        client = gpu.run([gpu.program("vb_read_bw"), "-p", port, *options.split()])
        assert client.status == 0, client
    server.stop()
