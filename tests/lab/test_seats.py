# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""One guest with two NUMA nodes (cpus 0-1 and 2-3); eth0 and rxe0 are near the second. Where threads and pages are: in
the row, and during the run in /proc."""

import re
from signal import SIGINT

import pytest

from harness.emulated import SOURCE
from harness.lab import Lab, Node, Running

pytestmark = [pytest.mark.full, pytest.mark.lab]


@pytest.mark.parametrize("options, expected", [
    # the threads of the server are on the same host, and avoid the core of the client
    ("", "cpus=2 mem_nodes=1 placement=near distance=10 peer_cpus=3 peer_mem_nodes=1 peer_placement=near"),
    ("--pin far", "cpus=0 nodes=0 mem_nodes=0 placement=far distance=21 peer_placement=near"),
    ("--pin pu:3 --mem 0 --peer-pin numa:0 --peer-mem device",
     "cpus=3 mem_nodes=0 placement=far peer_cpus=0 peer_mem_nodes=1 peer_placement=far"),
    # a thread that is not bound may use near and far cpus; the kernel chooses the node of its pages
    ("--pin none --peer-pin none", "pin=none placement~^(unknown|far)$"),
    ("--threads 2 --peer-pin numa:0",
     "threads=2 cpus=2-3 mem_nodes=1 placement=near distance=10 peer_cpus=0-1 peer_placement=far"),
    ("--threads 2 --mem 0 --peer-pin numa:0", "threads=2 cpus=2-3 nodes=1 mem_nodes=0 placement=far mem_distance=21"),
])
def test_the_row_says_where_threads_and_pages_are(numa: Lab, options: str, expected: str) -> None:
    pair = numa.pair("send_bw", f"-n 500 -s 8k {options}").passed()
    assert pair.row.wrong(f"status=ok hca_node=1 {expected}") == [], pair.client


def threads_on(node: Node, pid: int, cpus: str) -> int:
    """How many threads of a process may run on exactly these cpus."""
    tasks = node.read(f"/proc/{pid}/task/*/status") or ""
    return len(re.findall(rf"^Cpus_allowed_list:\s{cpus}$", tasks, re.MULTILINE))


def pages(node: Node, pid: int) -> list[int]:
    """The pages of the large mappings of a process on each NUMA node. The kernel joins adjacent mappings, so a few
    pages may be older than the buffers; pages that it moves just now are on no node."""
    found = [0, 0]
    for line in (node.read(f"/proc/{pid}/numa_maps") or "").splitlines():
        counts = dict(re.findall(r" (anon|N0|N1)=(\d+)", line))
        if int(counts.get("anon", 0)) >= 1024:
            for index in (0, 1):
                found[index] += int(counts.get(f"N{index}", 0))
    return found


def interrupted(running: Running) -> None:
    """Ends a run after the test has looked at it. On a busy machine that may take long, so the run has no fixed end."""
    running.until_moved(2000)
    running.client.signal(SIGINT)


def test_threads_and_pages_while_they_run(numa: Lab) -> None:
    node = numa.nodes[0]
    running = numa.start_pair("send_bw", "-D 1000 -s 256k --footprint 32M --pin pu:1 --mem 1")

    def placed() -> bool:
        far, near = pages(node, running.client.pid)
        # the buffers of 32 MiB
        return near >= 8192 and far * 20 < near

    # the buffers are touched after the thread is bound
    running.client.until(lambda: threads_on(node, running.client.pid, "1") == 1, "a thread on cpu 1 alone")
    running.client.until(placed, "the buffers are on node 1")
    interrupted(running)
    pair = running.wait()
    assert pair.client.status == 1, pair.client
    assert pair.row.wrong(r"status=interrupted reason~^interrupted\son\sthe\sclient$ cpus=1 nodes=0 mem_nodes=1 "
                          "placement=far distance=21 mem_distance=10") == []


def test_two_threads_on_two_nodes_while_they_run(numa: Lab) -> None:
    node = numa.nodes[0]
    running = numa.start_pair("send_bw", "-D 1000 -s 8k --threads 2 --pin pu:1,pu:3 --peer-pin pu:2,pu:0")

    def bound() -> bool:
        places = [(running.client.pid, cpu) for cpu in "13"]
        places += [(session, cpu) for session in running.server.children() for cpu in "20"]
        return len(places) == 4 and all(threads_on(node, *place) == 1 for place in places)

    running.client.until(bound, "threads on cpus 1, 3 and 2, 0")
    interrupted(running)
    pair = running.wait()
    assert pair.client.status == 1, pair.client
    assert pair.row.wrong(r"status=interrupted reason~^interrupted\son\sthe\sclient$ threads=2 cpus=1,3 nodes=0-1 "
                          "mem_nodes=0-1 placement=far peer_cpus=0,2 peer_mem_nodes=0-1 peer_placement=far") == []


@pytest.mark.parametrize("options, message", [
    ("--peer-pin pu:9", "peer-pin pu:9.*0-3"), ("--mem 7", "mem 7.*NUMA node 7")])
def test_a_place_that_is_not_there(numa: Lab, options: str, message: str) -> None:
    client = numa.pair("send_bw", options).client
    assert client.status == 2 and re.search(message, client.err), client


def test_numa_matrix_has_four_cells(numa: Lab) -> None:
    node, port = numa.nodes[0], numa.port()
    node.serve(port)
    ended = node.run(f"{SOURCE}/bench/numa-matrix --rounds 1 write_bw -p {port} -n 200 -s 4k localhost")
    assert ended.status == 0, ended
    assert len(re.findall(r"^numa:[01](?: +[0-9.]+){2}$", ended.out, re.MULTILINE)) == 2, ended
