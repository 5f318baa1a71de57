# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Where the processes of a user meet: what another user plants there is not used, a killed process leaves nothing, and
a stopped one stops nobody."""

import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.emulated import Hca
from harness.in_c import run_in_c
from harness.programs import Program, wait_until

PARENTS = ["/run", "/tmp", "/dev/shm", "/var/tmp"]
ANOTHER_USER = 65534


def places(user: int) -> list[Path]:
    """The directories where the processes of a user may meet: the first one that can be made is used."""
    return [Path(parent, f"softhca-{user}") for parent in PARENTS]


@pytest.mark.full
def test_a_stopped_process_stops_nobody(hca: Hca) -> None:
    run_in_c(hca, "soft_stop")


def test_descriptors_of_another_kind_size_or_without_seals_are_not_used(hca: Hca) -> None:
    run_in_c(hca, "soft_place", "own")


def test_a_ring_in_shared_memory_that_is_too_large_is_not_freed(hca: Hca) -> None:
    run_in_c(hca, "soft_scribble", "ring")


@pytest.mark.full
@pytest.mark.parametrize("link", ["", "delay=5us,bandwidth=10G"], ids=["no link", "with a link"])
def test_random_numbers_in_shared_memory_crash_nobody(hca: Hca, link: str) -> None:
    """A process of the same user writes them: the other one ends, and by itself."""
    seed = int(os.environ.get("SCRIBBLE_SEED", random.randrange(1 << 15)))
    print("SCRIBBLE_SEED", seed)
    run_in_c(hca, "soft_scribble", os.environ.get("SCRIBBLE_SECONDS", "3"), seed, env={"SOFTHCA_LINK": link})


@dataclass(frozen=True)
class Apart:
    """A mount namespace where root has no /run for itself, as in some containers; /tmp and others are empty there. No
    other process meets there. Without a prefix it is that of all programs."""

    hca: Hca
    pid: int
    prefix: list[str]

    def built(self, name: str) -> str:
        """The path there of a file of the build: by way of this process, which is not there. LD_PRELOAD takes no path
        with a blank."""
        here = f"/proc/{os.getpid()}/root"
        link = self.hca.folder / "build"
        if not link.is_symlink():
            link.symlink_to(f"{here}{self.hca.build}")
        return f"{here}{link}/{name}"

    def start(self, program: str, *arguments: object, preload: bool = True) -> Program:
        preloaded = ["env", "LD_PRELOAD=" + self.built("libvb-softhca.so")] if preload else []
        return self.hca.start([*self.prefix, *preloaded, self.built(program), *arguments], preload=False)

    def run(self, program: str, *arguments: object) -> str:
        """Runs a program to its end, and returns what it prints."""
        ended = self.start(program, *arguments).wait()
        assert ended.status == 0, ended
        return ended.out + ended.err

    def path(self, path: Path) -> Path:
        """A file there, seen from here."""
        return Path(f"/proc/{self.pid}/root{path}")


@pytest.fixture
def apart(hca: Hca) -> Apart:
    """Only root can make a namespace, and not in every container."""
    mounts = [f"mount -t tmpfs -o mode=1777 none {place.parent}" for place in places(0)[1:]]
    script = " && ".join(["mount -t tmpfs -o ro none /run", *mounts, "echo ready && exec sleep inf"])
    holder = hca.start(["unshare", "-m", "sh", "-c", script], preload=False)
    wait_until(lambda: "ready" in holder.out or not holder.running(), "a mount namespace")
    if holder.running():
        # -r: the root of the holder may be that of a chroot
        return Apart(hca, holder.pid, ["nsenter", "-t", str(holder.pid), "-m", "-r"])
    return Apart(hca, os.getpid(), [])


def test_the_next_process_removes_the_file_of_a_killed_one(apart: Apart) -> None:
    killed = apart.start("softhca/tests/soft_place", "die").wait().out.strip()
    files = [file for place in places(os.geteuid()) for file in apart.path(place).glob(f"*.{killed}.*")]
    assert files, f"the killed process {killed} has no file"
    apart.run("softhca/tests/soft_place", "leave")
    assert [file for file in files if file.exists()] == []


def test_what_another_user_plants_is_not_used(apart: Apart) -> None:
    """That user takes the names that remain, and offers descriptors that the emulated HCA could take for its own: one
    of a file that only root may write. The list of devices says whose they are."""
    if not apart.prefix:
        pytest.skip("only root can try it, in a mount namespace")
    file = apart.path(Path("/tmp/root.file"))
    attacker = apart.start("softhca/tests/soft_place", "plant", ANOTHER_USER, "/tmp/root.file", preload=False)
    attacker.until_says("planted\n")
    before = file.read_bytes()
    said = apart.run("verbench", "list")
    assert "softhca0" in said
    for place in places(0)[1:3]:
        assert re.search(f"{place} is not used: it is a .* of user {ANOTHER_USER},", said), said
    # the file of a member that has ended, in the directory of the victim: its number is the attacker's now
    member = "-".join(f"{os.stat(f'/proc/self/ns/{kind}').st_ino:x}" for kind in ("pid", "net"))
    offered = [link.name for link in Path(f"/proc/{attacker.pid}/fd").iterdir()
               if re.search(r"vb-softhca-fabric|root\.file", os.readlink(link))]
    assert len(offered) == 2
    for descriptor in offered:
        apart.path(places(0)[3] / f"{member}.{attacker.pid}.{descriptor}").touch(0o600)
    assert f" of process {attacker.pid} is not used: it belongs to user {ANOTHER_USER}, not to user 0" \
        in apart.run("verbench", "list")
    assert file.read_bytes() == before
