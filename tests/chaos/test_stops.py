# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A side is stopped, killed, frozen, out of memory, or its clock jumps.

Both sides end, and the server serves the next client. Some cases need root and cgroup v2, with the memory controller:
in the lab (README.md).
"""

import contextlib
import os
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP

import pytest

from harness.chaos import TIMEOUTS, compiled
from harness.emulated import Hca
from harness.killed import children
from harness.programs import Program, wait_until
from harness.serving import Serving, serving

pytestmark = pytest.mark.full

CLIENT = f"vb_send_bw -d softhca0 {' '.join(TIMEOUTS)}"
ENDLESS = f"{CLIENT} -D 600 --interval 100ms"
SERVER = ("-d", "softhca1", *TIMEOUTS)


@pytest.fixture
def group(hca: Hca) -> Path:
    """A control group, below that of this process."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    roots = [Path(mount[1]) for mount in mounts if mount[2] == "cgroup2"]
    own = [line[4:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::/")]
    if os.geteuid() or not roots or not own:
        pytest.skip("needs root and cgroup v2")
    path = roots[0] / own[0] / f"verbench-{os.getpid()}"
    path.mkdir()
    yield path
    (path / "cgroup.freeze").write_text("0")
    hca.close()
    wait_until(lambda: "populated 0" in (path / "cgroup.events").read_text(), "an empty group")
    path.rmdir()


@pytest.fixture
def memory(group: Path) -> Path:
    """A control group that can limit memory. Its parent must be the root, or have no processes."""
    try:
        (group.parent / "cgroup.subtree_control").write_text("+memory")
    except OSError:
        pytest.skip("needs the memory controller of cgroup v2")
    return group


def serving_in(hca: Hca, group: Path) -> Serving:
    """A server that is in a control group from its start on: so are its sessions."""
    return serving(hca, *SERVER, through=["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"])


def both_end(served: Serving, client: Program, status: int = 1) -> None:
    """The client has this status and says why, the session ends too, and the server serves the next client."""
    ended = client.wait()
    assert ended.status == status, ended
    assert status == 0 or "vb_send_bw: " in ended.err, ended
    wait_until(lambda: not children(served.server.pid), "the end of the session")
    following = served.run(f"{CLIENT} -n 10")
    assert following.status == 0, following
    served.stop()


def something_was_killed(group: Path) -> bool:
    """By the kernel, for the group had no memory left."""
    return "oom_kill 0" not in (group / "memory.events").read_text().splitlines()


def test_the_session_is_stopped(hca: Hca) -> None:
    served = serving(hca, *SERVER)
    client = served.measuring(ENDLESS)
    session = children(served.server.pid)[0]
    os.kill(session, SIGSTOP)
    client.wait()
    # its server may kill it
    with contextlib.suppress(ProcessLookupError):
        if session in children(served.server.pid):
            os.kill(session, SIGCONT)
    both_end(served, client)


def test_the_client_is_stopped(hca: Hca) -> None:
    served = serving(hca, *SERVER)
    client = served.measuring(ENDLESS)
    client.signal(SIGSTOP)
    wait_until(lambda: not children(served.server.pid), "the end of the session without its client")
    client.signal(SIGCONT)
    both_end(served, client)


def test_the_session_is_killed(hca: Hca) -> None:
    """As the kernel does when memory is short."""
    served = serving(hca, *SERVER)
    client = served.measuring(ENDLESS)
    os.kill(children(served.server.pid)[0], SIGKILL)
    both_end(served, client)


def test_the_clock_jumps_by_hours(hca: Hca) -> None:
    jumps = {"LD_PRELOAD": compiled(hca.build, hca.folder, "clock", "-fPIC", "-shared")}
    served = serving(hca, *SERVER, env=jumps)
    both_end(served, served.start(f"{CLIENT} -D 5", env=jumps), 0)


def test_the_session_is_frozen(hca: Hca, group: Path) -> None:
    served = serving(hca, *SERVER)
    client = served.measuring(ENDLESS)
    (group / "cgroup.procs").write_text(str(children(served.server.pid)[0]))
    (group / "cgroup.freeze").write_text("1")
    client.wait()
    (group / "cgroup.freeze").write_text("0")
    both_end(served, client)


def test_the_session_is_out_of_memory_while_it_measures(hca: Hca, memory: Path) -> None:
    """What it has is more than its group may have. Its server has left the group."""
    served = serving_in(hca, memory)
    client = served.measuring(ENDLESS)
    (memory.parent / "cgroup.procs").write_text(str(served.server.pid))
    try:
        (memory / "memory.max").write_text("1M")
    except OSError:
        pass  # something is left that cannot be had back
    ended = client.wait()
    assert something_was_killed(memory), ended
    both_end(served, client)


def test_a_session_asks_for_more_memory_than_its_server_has(hca: Hca, memory: Path) -> None:
    (memory / "memory.max").write_text("64M")
    served = serving_in(hca, memory)
    client = served.start(f"{CLIENT} -s 64M -D 5")
    ended = client.wait()
    assert something_was_killed(memory), ended
    both_end(served, client)
