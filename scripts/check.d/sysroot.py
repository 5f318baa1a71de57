# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The headers and libraries of another processor, in a folder: packages of Debian that are downloaded and unpacked, and
not installed. apt has its state there, so dpkg of this machine does not learn of a foreign architecture."""

import os
import re
import subprocess
from pathlib import Path

PACKAGES = ("libc6-dev", "libgcc-12-dev", "libibverbs-dev", "librdmacm-dev", "libhwloc-dev", "libjansson-dev",
            "libssl-dev", "libseccomp-dev", "libcmocka-dev")
SUITE = "bookworm"  # whose gcc is 12
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def mirror() -> str:
    """The mirror that this machine uses."""
    ended = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)"], capture_output=True,
                           text=True)
    found = re.search(rf"^(\S+) {SUITE}$", ended.stdout, re.MULTILINE)
    return found[1] if found else MIRROR


def command(words: list[object], log: Path) -> None:
    """Runs it; OSError with the last line of its output if it fails."""
    with log.open("ab") as output:
        status = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT).returncode
    if status:
        last = (log.read_text(errors="replace").splitlines() or [""])[-1]
        raise OSError(f"{words[0]} exit {status}: {last}")


def download(processor: str, folder: Path) -> list[Path]:
    """The packages and what they depend on, as files of the folder."""
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb [signed-by={KEYS}] {mirror()} {SUITE} main\n")
    settings = {"APT::Architecture": processor, "APT::Architectures": processor, "Dir::State": folder,
                "Dir::State::status": folder / "status", "Dir::Cache": folder,
                "Dir::Etc::sourcelist": folder / "sources.list", "Dir::Etc::sourceparts": "/dev/null",
                "Debug::NoLocking": "1"}
    apt = ["apt-get", "-q", "-y", *(f"-o{name}={value}" for name, value in settings.items())]
    log = folder / "log"
    command([*apt, "update"], log)
    command([*apt, "--no-install-recommends", "--download-only", "install", *PACKAGES], log)
    return sorted((folder / "archives").glob("*.deb"))


def make(processor: str, folder: Path) -> Path:
    """The folder that stands for /; OSError if it cannot be made."""
    root = folder / "root"
    if (folder / "made").exists():
        return root
    packages = download(processor, folder)
    (root / "usr" / "lib").mkdir(parents=True, exist_ok=True)
    if not (root / "lib").is_symlink():
        (root / "lib").symlink_to("usr/lib")
    for package in packages:
        command(["sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink --no-same-owner',
                 "sh", package, root], folder / "log")
    for path in root.rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = root / os.readlink(path)[1:]
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))
    (folder / "made").touch()
    return root
