# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""verbench mesh: one agent on each node of the emulated HCA, and what happens when some of them are not as they should
be."""

import json
import os
import re
from itertools import permutations
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGSTOP
from socket import create_connection
from typing import Optional

import pytest

from harness.emulated import Hca
from harness.mesh import BASE, LONG, SHORT, STEADY, TEST, Mesh
from harness.programs import Ended, Program
from harness.rows import Row
from harness.serving import lines, until_lines

READS = ("--test", "read_bw", *BASE[2:], "-n", 100, "--connect-timeout", 60)


@pytest.fixture
def slow(hca: Hca) -> Hca:
    hca.env["SOFTHCA_LINK"] = "bandwidth=20M"
    return hca


def test_all_pairs(slow: Hca) -> None:
    """Each ordered pair once, no node in two pairs of a round, all of a round at the same time."""
    mesh = Mesh(slow, 5, "--schedule", "all", *SHORT).start_all()
    assert mesh.statuses() == [0] * 5, mesh.agents[0].wait()
    assert all(row["status"] == "ok" for row in mesh.rows)
    pairs = [(row["pair"], row["mesh_round"]) for row in mesh.rows]
    names = [f"n{rank}" for rank in range(5)]
    assert sorted(pair for pair, _ in pairs) == sorted(f"{a}>{b}" for a, b in permutations(names, 2))
    for number in {number for _, number in pairs}:
        busy = [node for pair, of in pairs if of == number for node in pair.split(">")]
        assert len(busy) == len(set(busy)) == 4
    for row in mesh.rows:
        assert row.wrong("sent_messages=50 mesh_shared_pct>=0 mesh_shared_pct<=100") == []
    # what a round has in common: nobody began when another one had ended
    by_round: dict[str, list[Row]] = {}
    for row in mesh.rows:
        by_round.setdefault(row["mesh_round"], []).append(row)
    starts = [row.number("mesh_start_ns") for row in mesh.rows]
    assert min(starts) >= 0 and len(by_round) == 10


def test_lists_of_tests_and_sizes(slow: Hca) -> None:
    mesh = Mesh(slow, 3, "--test", "write_bw,send_lat", "-s", "64,1k", "-n", 20, "--warm-up", 0,
                "--schedule", "one:0", "--connect-timeout", 60, "--stall-timeout", 20).start_all()
    assert mesh.statuses() == [0] * 3
    assert {row["pair"] for row in mesh.rows} == {"n0>n1", "n0>n2", "n1>n0", "n2>n0"}
    assert {(row["test"], row["size_bytes"]) for row in mesh.rows} == {
        (test, size) for test in ("write_bw", "send_lat") for size in ("64", "1024")}
    assert len(mesh.rows) == 16 and "send_lat" in mesh.agents[0].out


def test_page(slow: Hca) -> None:
    """The root writes a page with a picture of each test, and refuses early what it cannot replace."""
    page = slow.folder / "mesh.html"
    options = ("--test", "write_bw,send_lat", "-s", "4k", "-n", 20, "--warm-up", 0, "--connect-timeout", 60,
               "--stall-timeout", 20)
    mesh = Mesh(slow, 3, *options)
    mesh.start(0, "--html", page)
    for rank in (1, 2):
        mesh.start(rank)
    # what is low for a reason of this machine is a verdict
    assert mesh.statuses()[0] in (0, 3), mesh.agents[0].wait()
    text = page.read_text()
    assert re.findall(r"<figcaption>(.*?):", text) == ["write_bw, 4096 bytes", "send_lat, 4096 bytes"]
    assert text.count("6 pairs of 3 nodes") == 2 == text.count("data:image/png;base64,")
    assert f"{len(mesh.rows) + len(mesh.again)} rows of this run" in text
    page.write_text("notes")
    assert mesh.start(0, "--html", page).wait().status == 2 and page.read_text() == "notes"
    assert mesh.start(0, "--html", "-").wait().status == 2


def test_cells_that_cannot_run(slow: Hca) -> None:
    """They are skipped, and the others count; if all are, the run is refused."""
    options = ("--schedule", "one:0", "--test", "write_bw", "-n", 20, "--warm-up", 0, "--connect-timeout", 60)
    mesh = Mesh(slow, 2, *options, "-c", "RC,UD").start_all()
    assert mesh.statuses() == [0, 0], mesh.agents[0].wait()
    assert sorted((row["transport"], row["status"]) for row in mesh.rows) == [
        ("RC", "ok"), ("RC", "ok"), ("UD", "skipped"), ("UD", "skipped")]
    # what only the devices know
    none = Mesh(slow, 2, *options, "--cm", "-x", 200)
    none.file = slow.folder / "none.csv"
    none.start_all()
    assert none.agents[0].wait().status == 2 and {row["status"] for row in none.rows} == {"skipped"}


def test_reads_go_to_the_client(slow: Hca) -> None:
    mesh = Mesh(slow, 2, "--test", "read_bw", "-s", "4k", "-n", 20, "--warm-up", 0, "--connect-timeout", 60).start_all()
    assert mesh.statuses() == [0, 0]
    assert {(row["pair"], row["direction"]) for row in mesh.rows} == {("n0>n1", "to_client"), ("n1>n0", "to_client")}


def test_incast(slow: Hca) -> None:
    """Four senders share what one node receives."""
    mesh = Mesh(slow, 5, "--schedule", "incast:4", *LONG).start_all()
    assert mesh.statuses() == [0] * 5
    for number in range(5):
        rows = [row for row in mesh.rows if row["mesh_round"] == str(number)]
        assert len({row["pair"].split(">")[1] for row in rows}) == 1 and len(rows) == 4
        assert sum(row.number("bandwidth_gbit_s") for row in rows) < 0.0201 * 4
        shared = [row for row in rows if row.number("mesh_shared_pct") > 99]
        if len(shared) == 4:
            assert sum(row.number("bandwidth_gbit_s") for row in rows) < 0.0205


@pytest.mark.alone
@pytest.mark.waits
def test_slow_node_is_slow_both_ways(slow: Hca) -> None:
    """Its pairs are measured again, alone, and it is named, and nothing else."""
    mesh = Mesh(slow, 6, *STEADY)
    for rank in range(6):
        mesh.start(rank, "--json", slow.folder / "mesh.json",
                   env={"SOFTHCA_LINK": "bandwidth=5M"} if rank == 2 else None)
    assert mesh.statuses() == [3, 0, 0, 0, 0, 0]
    assert all(row.number("bandwidth_gbit_s") < 0.006 for row in mesh.rows if "n2" in row["pair"].split(">"))
    alone = [row for row in mesh.again if row["mesh_round"] == ""]
    assert alone and all(1 <= int(row["mesh_attempt"]) <= 3 for row in alone)
    # one that was low by chance is measured again in its round
    assert all(int(row["mesh_attempt"]) > 3 for row in mesh.again if row not in alone)
    assert nodes_of(slow.folder / "mesh.json") == {"n2"}


def nodes_of(document: Path) -> set[str]:
    """What the verdicts are about."""
    return {found["verdict"].split(":")[0] for found in json.loads(document.read_text())["verdicts"]}


@pytest.mark.alone
@pytest.mark.waits
@pytest.mark.parametrize("cable, about", [("bandwidth=5M", "n3"), ("delay=0", None)])
def test_cable(hca: Hca, cable: str, about: Optional[str]) -> None:
    """A cable is slow in both directions; a cluster whose cables are good has no verdict."""
    topology = hca.folder / "topology"
    topology.write_text(f"node n[0-5] leaf0 20M\ncable n3 {cable}\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(topology)
    mesh = Mesh(hca, 6, *STEADY, "--json", hca.folder / "mesh.json").start_all()
    assert mesh.statuses() == [3 if about else 0, 0, 0, 0, 0, 0], mesh.agents[0].wait()
    assert nodes_of(hca.folder / "mesh.json") == ({about} if about else set())


@pytest.mark.alone
@pytest.mark.waits
def test_slow_node_that_others_read_from(slow: Hca) -> None:
    """Each node reads from all others, but for n2, which only others read from: what it sends is low."""
    pairs = [(client, server) for client, server in permutations(range(6), 2) if client != 2]
    file = slow.folder / "schedule"
    # one at a time: what many processes do at once widens the spread
    file.write_text("\n".join(f"{number} {client} {server}" for number, (client, server) in enumerate(pairs)))
    document = slow.folder / "mesh.json"
    mesh = Mesh(slow, 6, *READS, "--schedule", file)
    for rank in range(6):
        mesh.start(rank, "--json", document, env={"SOFTHCA_LINK": "bandwidth=2M"} if rank == 2 else None)
    assert mesh.statuses() == [3, 0, 0, 0, 0, 0]
    assert nodes_of(document) == {"n2"} and "what it sends is low" in document.read_text()


# ---- rows that cannot be written


def test_full_disk(slow: Hca) -> None:
    """No more rounds, no verdicts, and the agents end."""
    mesh = Mesh(slow, 3, *SHORT)
    for rank in range(3):
        mesh.start(rank, *(("--jsonl", "/dev/full") if not rank else ()))
    assert mesh.statuses() == [1] * 3
    assert "/dev/full: No space left" in mesh.agents[0].err and "incomplete" in mesh.agents[0].err
    assert len(mesh.rows) < 6


# ---- agents that are gone


def test_killed_agent(slow: Hca) -> None:
    """Its pairs fail and name it; all others are measured."""
    mesh = Mesh(slow, 5, *LONG).start_all()
    until_lines(mesh.agents[0], mesh.file, 3)
    mesh.agents[3].signal(SIGKILL)
    assert mesh.agents[0].wait().status == 1
    assert [mesh.agents[rank].wait().status for rank in (1, 2, 4)] == [0, 0, 0]
    assert len(mesh.rows) == 20
    failed = [row for row in mesh.rows if row["status"] != "ok"]
    assert failed and all("n3" in row["pair"].split(">") for row in failed)
    assert any("n3 is gone" in row["reason"] for row in failed)


def test_killed_root(slow: Hca) -> None:
    """The others end, and what was measured is in the file."""
    mesh = Mesh(slow, 4, *LONG).start_all()
    until_lines(mesh.agents[0], mesh.file, 3)
    mesh.agents[0].signal(SIGKILL)
    assert [mesh.agents[rank].wait(30).status for rank in (1, 2, 3)] == [1, 1, 1]
    assert all(row["status"] == "ok" for row in mesh.rows) and lines(mesh.file) >= 3


def test_interrupted(slow: Hca) -> None:
    mesh = Mesh(slow, 4, *LONG).start_all()
    until_lines(mesh.agents[0], mesh.file, 3)
    mesh.agents[0].signal(SIGINT)
    assert mesh.statuses() == [1] * 4
    # its agent may say it to the root before that has seen the signal itself
    assert mesh.agents[0].err.count("verbench: interrupted") == 1, mesh.agents[0].err


def test_missing_agent(slow: Hca) -> None:
    """It is named; with --min-nodes the others begin."""
    few = Mesh(slow, 4, *TEST, "-n", 50, "--connect-timeout", 5)
    for rank in (0, 1, 3):
        few.start(rank)
    assert few.statuses() == [1] * 3 and "rank 2" in few.agents[0].err and not few.rows
    assert [few.agents[rank].err.count("3 of 4 agents have joined") for rank in (0, 1, 3)] == [1] * 3
    some = Mesh(slow, 4, *TEST, "-n", 50, "--connect-timeout", 5, "--min-nodes", 3)
    some.file = slow.folder / "some.csv"
    for rank in (0, 1, 3):
        some.start(rank)
    assert some.statuses() == [1, 0, 0]
    assert len(some.rows) == 12 and sum(row["status"] == "ok" for row in some.rows) == 6


# ---- the control tree: with a fan-out of 2 rank 1 is the parent of 3 and 4, rank 2 of 5 and 6

TREE = ("--schedule", "all", "--fan-out", "2")


def in_tree(hca: Hca, *options: object) -> Mesh:
    """Seven agents that have measured something."""
    mesh = Mesh(hca, 7, *TREE, *(options or LONG)).start_all()
    until_lines(mesh.agents[0], mesh.file, 8)
    return mesh


def only_failed(mesh: Mesh, rank: int) -> None:
    """Each pair has one row, and only those of this rank may have failed."""
    assert sorted(row["pair"] for row in mesh.rows) == sorted(
        f"n{a}>n{b}" for a, b in permutations(range(mesh.size), 2))
    failed = [row for row in mesh.rows if row["status"] != "ok"]
    assert failed and all(f"n{rank}" in row["pair"].split(">") for row in failed), failed


def test_tree(slow: Hca) -> None:
    mesh = in_tree(slow, *SHORT)
    assert mesh.statuses() == [0] * 7 and len(mesh.rows) == 42
    assert all(row["status"] == "ok" for row in mesh.rows)


@pytest.mark.parametrize("how", [SIGKILL, SIGINT, SIGSTOP])
def test_inner_node_is_gone(slow: Hca, how: int) -> None:
    """Those below it join the root, and all that they measure counts once."""
    mesh = in_tree(slow)
    mesh.agents[1].signal(how)
    assert mesh.agents[0].wait(120).status == 1
    assert [mesh.agents[rank].wait().status for rank in (2, 3, 4, 5, 6)] == [0] * 5
    mesh.agents[1].signal(SIGKILL)
    only_failed(mesh, 1)
    assert "n1 is gone" in mesh.agents[0].err


def test_two_of_a_branch_are_gone(slow: Hca) -> None:
    """The one below has no parent for a moment, and the one above it is gone, too."""
    mesh = in_tree(slow)
    for rank in (2, 5):
        mesh.agents[rank].signal(SIGKILL)
    assert mesh.agents[0].wait(120).status == 1
    assert [mesh.agents[rank].wait().status for rank in (1, 3, 4, 6)] == [0] * 4
    failed = [set(row["pair"].split(">")) for row in mesh.rows if row["status"] != "ok"]
    assert len(mesh.rows) == 42 and failed and all(pair & {"n2", "n5"} for pair in failed)


@pytest.mark.parametrize("how", [SIGKILL, SIGINT])
def test_root_of_a_tree_is_gone(slow: Hca, how: int) -> None:
    """Also those that are not its children end."""
    mesh = in_tree(slow)
    mesh.agents[0].signal(how)
    assert [mesh.agents[rank].wait(30).status for rank in range(1, 7)] == [1] * 6
    assert all(row["status"] == "ok" for row in mesh.rows)


def test_missing_inner_node(slow: Hca) -> None:
    """Those below it are children of the root."""
    mesh = Mesh(slow, 5, *TEST, "-n", 50, "--connect-timeout", 5, "--min-nodes", 4, "--fan-out", 2)
    for rank in (0, 2, 3, 4):
        mesh.start(rank)
    assert mesh.statuses() == [1, 0, 0, 0] and len(mesh.rows) == 20
    assert all((row["status"] == "ok") != ("rank1" in row["pair"].split(">")) for row in mesh.rows)


# ---- agents that may not take part


def refused(mesh: Mesh, rank: int, *options: object, **how: object) -> tuple[Program, Ended]:
    """Starts the root of a run of two, and one that it does not take; its error says so."""
    root = mesh.start(0)
    root.until_listens(int(mesh.join.split(":")[1]))
    return root, mesh.start(rank, *options, **how).wait()


@pytest.mark.parametrize("options", [("-s", "8k"), ("--seed", "7"), ("--schedule", "shift"), ("--ranks", "1/3"),
                                     ("--fan-out", "8")])
def test_other_options(slow: Hca, options: tuple[str, ...]) -> None:
    """The run goes on with one that is as it should be."""
    mesh = Mesh(slow, 2, "--test", "write_bw", "-n", 50, "--warm-up", 0, "--connect-timeout", 60)
    command = [slow.program("verbench"), "mesh", "--join", mesh.join, "--test", "write_bw", "-n", 50, "--warm-up", 0]
    root = mesh.start(0)
    root.until_listens(int(mesh.join.split(":")[1]))
    ranks = () if options[0] == "--ranks" else ("--ranks", "1/2")
    other = slow.run([*command, *ranks, *options])
    assert other.status == 1 and "an agent is refused" in root.err
    mesh.start(1)
    assert mesh.statuses() == [0, 0] and len(mesh.rows) == 2


def test_rank_twice(slow: Hca) -> None:
    mesh = Mesh(slow, 3, *SHORT)
    root = mesh.start(0)
    first, second = mesh.start(1), mesh.start(1)
    root.until(lambda: "rank 1 is" in root.err, "the refusal")
    mesh.start(2)
    assert root.wait().status == 0
    assert sorted(agent.wait().status for agent in (first, second)) == [0, 1]


def make_key(hca: Hca, name: str) -> Path:
    made = hca.run([hca.program("verbench"), "key", hca.folder / name])
    assert made.status == 0, made
    return hca.folder / name


@pytest.mark.parametrize("how", ["file", "input", "variable"])
def test_key(slow: Hca, how: str) -> None:
    """The run has one key. It is in no environment and no argument of a process that has read it."""
    file = make_key(slow, "key")
    key = file.read_text()
    options = {"file": ("--key", file), "input": ("--key", "-"), "variable": ()}[how]
    env = {"VERBENCH_KEY": key.strip()} if how == "variable" else None
    mesh = Mesh(slow, 3, *LONG, *options)
    for rank in range(3):
        mesh.start(rank, env=env, stdin=key if how == "input" else None)
    until_lines(mesh.agents[0], mesh.file, 2)
    for agent in mesh.agents.values():
        shown = b"".join(Path(f"/proc/{agent.pid}/{file}").read_bytes() for file in ("environ", "cmdline"))
        assert key.strip().encode() not in shown
    assert mesh.statuses() == [0] * 3


def test_wrong_key(slow: Hca) -> None:
    mesh = Mesh(slow, 2, *SHORT)
    root = mesh.start(0, "--key", make_key(slow, "a"))
    root.until_listens(int(mesh.join.split(":")[1]))
    assert mesh.start(1, "--key", make_key(slow, "b")).wait().status == 1
    assert mesh.start(1).wait().status == 1
    mesh.start(1, "--key", slow.folder / "a")
    assert root.wait().status == 0 and len(mesh.rows) == 2


def test_many_who_prove_nothing(slow: Hca) -> None:
    """Connections without a key are limited, and agents join beside them."""
    mesh = Mesh(slow, 2, *SHORT, "--key", make_key(slow, "key"))
    root = mesh.start(0)
    port = int(mesh.join.split(":")[1])
    root.until_listens(port)
    strangers = [create_connection(("127.0.0.1", port)) for _ in range(500)]
    mesh.start(1)
    threads = []
    root.until(lambda: threads.append(threads_of(root.pid)) or "round 1" in root.err or lines(mesh.file), "rows")
    assert mesh.statuses() == [0, 0] and len(mesh.rows) == 2
    assert 128 < max(threads) < 300, max(threads)
    for one in strangers:
        one.close()


def threads_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status")
    found = [line for line in status.read_text().splitlines() if line.startswith("Threads:")] if status.exists() else []
    return int(found[0].split()[1]) if found else 0


# ---- command lines


@pytest.mark.parametrize("options, word", [
    (("--ranks", "0/4", "--join", "10.0.0.1", "--test", "write_bw"), "--key"),
    (("--ranks", "4/4", "--join", "localhost", "--test", "write_bw"), "rank"),
    (("--ranks", "0/1", "--join", "localhost", "--test", "write_bw"), "2"),
    (("--ranks", "0/4", "--join", "localhost"), "--test"),
    (("--ranks", "0/4", "--join", "localhost", "--test", "write_bw", "--schedule", "sample"), "--schedule"),
    (("--ranks", "0/4", "--join", "localhost", "--test", "write_bw", "--schedule", "sample:4"), "1..3"),
    (("--ranks", "0/4", "--join", "localhost", "--test", "write_bw", "--schedule", "/nowhere"), "/nowhere"),
    (("--ranks", "0/4", "--join", "localhost", "--test", "write_bw", "--rounds", "3"), "--rounds"),
    (("--ranks", "0/4", "--join", "localhost", "--test", "write_bw", "--both"), "--both"),
    (("--ranks", "0/4", "--join", "localhost", "--test", "write_bw", "--min-nodes", "5"), "4"),
    (("--ranks", "0/129", "--join", "localhost", "--test", "write_bw", "--schedule", "serial"), "--limit-time"),
])
def test_refused(hca: Hca, options: tuple[str, ...], word: str) -> None:
    ended = hca.run([hca.program("verbench"), "mesh", *options])
    assert ended.status == 2 and word in ended.err, ended


def test_dry_run(hca: Hca) -> None:
    ended = hca.run([hca.program("verbench"), "mesh", "--ranks", "0/10000", "--dry-run", "--schedule", "sample:64",
                     "--test", "write_bw,send_lat", "-D", 1])
    assert ended.status == 0 and "128 rounds" in ended.out and "640000 pairs" in ended.out, ended


def test_limit_time(slow: Hca) -> None:
    """Round 0 is begun, and takes longer than the limit."""
    mesh = Mesh(slow, 3, "--limit-time", "100ms", "--schedule", "serial", *LONG).start_all()
    assert mesh.agents[0].wait().status == 1 and "1 of 6 rounds" in mesh.agents[0].err, mesh.agents[0]
    assert [(row["status"], row["mesh_round"]) for row in mesh.rows] == [("ok", "0")]
    assert mesh.statuses()[1:] != [0, 0]


def test_expect(slow: Hca) -> None:
    mesh = Mesh(slow, 2, *SHORT, "--expect", "lat_p50_ns >= 1").start_all()
    assert mesh.statuses() == [3, 0] and "FAIL" in mesh.agents[0].out and not mesh.again


@pytest.mark.parametrize("size, about", [(2, {"n0>n1", "n1>n0"}), (4, {"n3"})])
def test_expect_is_a_limit(hca: Hca, size: int, about: set[str]) -> None:
    """What is below a rule is measured again, also where the median of all pairs says nothing."""
    topology, document = hca.folder / "topology", hca.folder / "mesh.json"
    topology.write_text(f"node n[0-{size - 1}] leaf0 20M\ncable n{size - 1} bandwidth=10M\n")
    hca.env["SOFTHCA_TOPOLOGY"] = str(topology)
    # far below what a loaded machine leaves, and far above what the cable lets through
    rule = "bandwidth_gbit_s >= 0.013; bandwidth_pct_of_link >= 0.01; lat_p50_ns == none"
    mesh = Mesh(hca, size, *STEADY, "--expect", rule, "--json", document).start_all()
    assert mesh.statuses() == [3, *[0] * (size - 1)], mesh.agents[0].wait()
    assert nodes_of(document) == about, document.read_text()
    # not the screen, whose lines end where the words before it leave room
    assert mesh.again and "the limit is 0.0130" in json.loads(document.read_text())["verdicts"][0]["verdict"]


def test_environment_of_slurm(slow: Hca) -> None:
    """Rank, size, the first host and the name of the node, as srun gives them."""
    mesh = Mesh(slow, 2)
    port = mesh.join.split(":")[1]
    for rank in range(2):
        env = {"SLURM_PROCID": rank, "SLURM_STEP_NUM_TASKS": 2, "SLURM_STEP_NODELIST": "localhost,n[1-3]",
               "SLURMD_NODENAME": f"node{rank}", "SOFTHCA_NODE": f"n{rank}", "PATH": os.environ["PATH"]}
        file = ("--csv", mesh.file) if rank == 0 else ()
        mesh.agents[rank] = slow.start([slow.program("verbench"), "mesh", "-p", port, *SHORT, *file], env)
    assert mesh.statuses() == [0, 0]
    assert {row["pair"] for row in mesh.rows} == {"node0>node1", "node1>node0"}
