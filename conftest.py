# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Options and fixtures of all tests in Python, below tests and softhca/tests; docs/dev/testing.md says how to run
them."""

import os
import random
import signal
import sys
import tempfile
from pathlib import Path

import pytest

# the source tree may be read-only, and stays as it is
sys.dont_write_bytecode = True
# a failed assertion of the harness shows its values, too
pytest.register_assert_rewrite("harness")

from harness.emulated import Hca, Ports, SOURCE, sanitizer_runtime  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--build", default=str(SOURCE / "build-check" / "gcc"), metavar="DIR",
                     help="the build whose programs are tested (default: build-check/gcc)")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in the random order of this seed")


def pytest_configure(config: pytest.Config) -> None:
    # a server takes no configuration that its group can write
    os.umask(0o022)
    # nohup ignores it, and what it starts does so, too: no server would read its files again
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    build = Path(config.getoption("--build")).resolve()
    if not (build / "verbench").exists():
        raise pytest.UsageError(f"--build: {build} has no verbench; build it with 'make' and 'make check TESTS='")


def shuffle(items: list[pytest.Item], seed: int) -> None:
    """The files in random order, and the tests of each: a file may have a fixture that takes long."""
    order = random.Random(seed)
    files = {item.path: order.random() for item in items}
    items.sort(key=lambda item: (files[item.path], order.random()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A build with sanitizers runs what is marked: stock binaries do not work with them."""
    if config.getoption("--shuffle") is not None:
        shuffle(items, config.getoption("--shuffle"))
    if not sanitizer_runtime(Path(config.getoption("--build")).resolve()):
        return
    left_out = [item for item in items if not item.get_closest_marker("sanitized")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.get_closest_marker("sanitized")]


@pytest.fixture(scope="session")
def build(request: pytest.FixtureRequest) -> Path:
    """The folder of the build."""
    return Path(request.config.getoption("--build")).resolve()


@pytest.fixture(scope="session")
def ports() -> Ports:
    """TCP ports of this process."""
    return Ports()


@pytest.fixture
def folder() -> Path:
    """An empty folder of the test, which is removed at its end."""
    with tempfile.TemporaryDirectory(prefix="verbench-") as name:
        yield Path(name)


@pytest.fixture
def hca(build: Path, folder: Path, ports: Ports) -> Hca:
    """The emulated HCA, with a fabric of the test. What the test leaves running is killed."""
    emulated = Hca(build, folder, ports)
    yield emulated
    emulated.close()
