# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""softhca --topology: what ibnetdiscover prints, with the GUIDs and LIDs that the devices of each node report."""

import re
from dataclasses import dataclass, field

import pytest

from harness.emulated import Hca, SOURCE
from harness.installed import need
from harness.programs import Ended

LINES = """\
node n[0-2] leaf0,leaf1 100G
node m7 leaf1,leaf0 200M
uplink leaf0 spine0 400G
uplink spine0 leaf1 400G
uplink leaf0 spine0 0
swap n1.0 n1.1
"""

SWITCH_PORT = re.compile(r'\[(\d+)\]\t"([SH])-([0-9a-f]{16})"\[(\d+)\](?:\(([0-9a-f]+)\) )?\t\t'
                         r'# "([^"]+)" lid (\d+) 4x(\w+)(?: bandwidth=(\d+))?')
CA_PORT = re.compile(r'\[(\d+)\]\(([0-9a-f]+)\) \t"(S)-([0-9a-f]{16})"\[(\d+)\]\t\t'
                     r'# lid (\d+) lmc 0 "([^"]+)" lid (\d+) 4x(\w+)(?: bandwidth=(\d+))?')
RECORD = re.compile(r'vendid=0x[0-9a-f]+\ndevid=0x[0-9a-f]+\nsysimgguid=0x([0-9a-f]+)\n'
                    r'(?:switchguid=0x\1\(\1\)\nSwitch|caguid=0x\1\nCa)\t(\d+) "([SH])-([0-9a-f]{16})"\t\t'
                    r'# "([^"]+)"(?: base port 0 lid (\d+) lmc 0)?\n')


@dataclass
class Port:
    to: tuple[str, int]
    name: str
    lid: int
    rate: str
    own_lid: int = 0
    guid: str = ""


@dataclass
class Item:
    """A switch or a device."""

    name: str
    lid: int
    n_ports: int
    port: dict[int, Port] = field(default_factory=dict)


def parse(text: str) -> dict[str, Item]:
    """By GUID. Each line must have its place."""
    items = {}
    head, *records = text.split("\n\n")
    assert re.fullmatch(r"#\n# Topology file: generated on .*\n#\n# Initiated from node \w{16} port \w{16}", head)
    for record in records:
        match = RECORD.match(record)
        assert match, record
        item = items[match[4]] = Item(match[5], int(match[6] or 0), int(match[2]))
        for line in record[match.end():].splitlines():
            if match[3] == "S":
                port = SWITCH_PORT.fullmatch(line)
                assert port, line
                item.port[int(port[1])] = Port((port[3], int(port[4])), port[6], int(port[7]),
                                               port[8] + (port[9] or ""), guid=port[5] or "")
            else:
                port = CA_PORT.fullmatch(line)
                assert port, line
                item.port[int(port[1])] = Port((port[4], int(port[5])), port[7], int(port[8]),
                                               port[9] + (port[10] or ""), int(port[6]), port[2])
    return items


def shown(hca: Hca, *argv: object, **env: object) -> Ended:
    return hca.run([SOURCE / "softhca" / "softhca", "--topology", *argv], env=env, preload=False)


@pytest.fixture(name="topology")
def fixture_topology(hca: Hca) -> dict[str, Item]:
    file = hca.folder / "topology"
    file.write_text(LINES)
    hca.env |= {"SOFTHCA_TOPOLOGY": str(file), "SOFTHCA_DEVICES": "2", "SOFTHCA_PROFILE": "connectx-ib"}
    ended = shown(hca)
    assert ended.status == 0 and ended.err == "", ended
    return parse(ended.out)


def test_both_directions_agree(topology: dict[str, Item]) -> None:
    for guid, item in topology.items():
        assert sorted(item.port) == list(range(1, item.n_ports + 1))
        for number, port in item.port.items():
            other = topology[port.to[0]]
            back = other.port[port.to[1]]
            assert (back.to, back.name, back.rate) == ((guid, number), item.name, port.rate)
            assert port.name == other.name and port.lid == (other.lid or back.own_lid)
    lids = [item.lid or item.port[1].own_lid for item in topology.values()]
    assert 0 not in lids and len(set(lids)) == len(topology)


def test_the_wiring_is_that_of_the_file(topology: dict[str, Item]) -> None:
    wiring = {(item.name, port.name, port.rate) for item in topology.values() for port in item.port.values()
              if "softhca" in item.name or item.name == "spine0"}
    leaf = {"n0 softhca0": 0, "n0 softhca1": 1, "n2 softhca0": 0, "n2 softhca1": 1, "n1 softhca0": 1, "n1 softhca1": 0}
    assert wiring == {
        *((name, f"leaf{number}", "EDR") for name, number in leaf.items()),
        ("m7 softhca0", "leaf1", "SDR200000000"), ("m7 softhca1", "leaf0", "SDR200000000"),
        ("spine0", "leaf0", "NDR"), ("spine0", "leaf1", "NDR"), ("spine0", "leaf0", "XDR0")}
    assert sum(item.n_ports for item in topology.values()) == 2 * (8 + 3)


@pytest.mark.parametrize("node", ["n0", "n1", "m7"])
def test_guids_and_lids_are_those_of_verbs(hca: Hca, topology: dict[str, Item], node: str) -> None:
    need("ibv_devinfo")
    for i in range(2):
        info = hca.run(["ibv_devinfo", "-v", "-d", f"softhca{i}"], env={"SOFTHCA_NODE": node}).out
        guid, = re.findall(r"node_guid:\s+(\S+)", info)
        lid, = re.findall(r"port_lid:\s+(\d+)", info)
        gid, = re.findall(r"GID\[\s*0\]:\s+(\S+)", info)
        item = topology[guid.replace(":", "")]
        assert item.port[1].own_lid == int(lid)
        assert gid.replace(":", "").endswith(f"{int(item.port[1].guid, 16):016x}")
        said = hca.run(["cat", f"/sys/class/infiniband/softhca{i}/node_desc"], env={"SOFTHCA_NODE": node})
        assert said.out == f"{item.name}\n" == f"{node} softhca{i}\n"


def test_two_ports(hca: Hca, topology: dict[str, Item]) -> None:
    """Both ports of a device are on its switch. A RoCE device has no LID."""
    assert topology
    two = parse(shown(hca, SOFTHCA_PORTS=2, SOFTHCA_PROFILE="").out)
    devices = [item for item in two.values() if "softhca" in item.name]
    assert len(devices) == 8
    for item in devices:
        assert item.n_ports == 2 and item.port[1].name == item.port[2].name
        assert item.port[1].guid != item.port[2].guid and item.port[2].own_lid == 0


def test_refused(hca: Hca) -> None:
    file = hca.folder / "wrong"
    file.write_text("node n1 leaf0 1Q\n")
    none, wrong, absent = shown(hca), shown(hca, file), shown(hca, hca.folder / "absent")
    assert "no FILE, and no SOFTHCA_TOPOLOGY" in none.err
    assert "line 1: 1Q: must be" in wrong.err
    assert "No such file" in absent.err
    assert all(ended.status == 2 and ended.out == "" for ended in (none, wrong, absent))
