# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The guests, which stay up for many tests."""

from pathlib import Path
from typing import Iterator, Optional

import pytest

from harness.lab import Lab, LabCannotRun, Node

KINDS = {"one": (1, []), "numa": (1, ["--numa"]), "lab": (2, ["--siw"])}
"""By fixture: the number of guests, and the options of scripts/lab."""


class Labs:
    """Boots guests when a test first needs them. Of the kinds only one is up at a time."""

    def __init__(self, build: Path):
        self._build = build
        self._kind = ""
        self._lab: Optional[Lab] = None
        self._missing: dict[str, str] = {}  # why a kind cannot run here

    def get(self, kind: str) -> Lab:
        if self._kind != kind or not self._lab.runs():
            self.close()
            self._lab = self._boot(kind)
            self._kind = kind
        return self._lab

    def _boot(self, kind: str) -> Lab:
        if kind in self._missing:
            pytest.skip(self._missing[kind])
        count, options = KINDS[kind]
        try:
            return Lab(options, count, self._build)
        except LabCannotRun as reason:
            # the module of Soft-iWARP needs sources and headers of the kernel
            if "--siw" in options:
                KINDS[kind] = (count, [])
                return self._boot(kind)
            self._missing[kind] = f"the lab cannot run: {reason}"
            pytest.skip(self._missing[kind])

    def close(self) -> None:
        if self._lab:
            self._lab.close()
        self._lab, self._kind = None, ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each kind of guests is booted once. The sort keeps the order of the tests of a kind."""
    kinds = list(KINDS)
    items.sort(key=lambda item: [kind in getattr(item, "fixturenames", ()) for kind in kinds])


@pytest.fixture(scope="session")
def labs(build: Path) -> Iterator[Labs]:
    running = Labs(build)
    yield running
    running.close()


@pytest.fixture
def lab(labs: Labs) -> Iterator[Lab]:
    """Two guests with one processor each."""
    running = labs.get("lab")
    running.use("rxe")
    yield running
    running.end_test()


@pytest.fixture
def siw(lab: Lab) -> Lab:
    """Two guests with Soft-iWARP in place of Soft-RoCE."""
    if lab.nodes[0].read("/sys/module/siw/refcnt") is None:
        pytest.skip("the module siw is not loaded")
    lab.use("siw")
    return lab


@pytest.fixture
def node1(lab: Lab) -> Node:
    """The server of pairs."""
    return lab.nodes[0]


@pytest.fixture
def node2(lab: Lab) -> Node:
    """The client of pairs."""
    return lab.nodes[1]


@pytest.fixture
def one(labs: Labs) -> Iterator[Lab]:
    """One guest with two processors."""
    running = labs.get("one")
    yield running
    running.end_test()


@pytest.fixture
def node(one: Lab) -> Node:
    """The only guest."""
    return one.nodes[0]


@pytest.fixture
def port(one: Lab) -> int:
    """A port for a server on the only guest."""
    return one.port()


@pytest.fixture
def server(node: Node, port: int) -> int:
    """The port of a server, which opens the device for each client, and once before it waits for the first one."""
    node.serve(port).until_says("waiting for a client")
    return port


@pytest.fixture
def numa(labs: Labs) -> Iterator[Lab]:
    """One guest with two NUMA nodes: processors 0-1 and 2-3; eth0 and rxe0 are near the second."""
    running = labs.get("numa")
    yield running
    running.end_test()
