# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A small disk, to fill it."""

import subprocess
from pathlib import Path

import pytest

from harness.emulated import Hca


class SmallDisk:
    """A file system of a few pages in a mount namespace of its own; without the right to make one, a test is skipped.

    Every program reaches it by way of the process that holds it: nothing is mounted where others see it.
    """

    def __init__(self, hca: Hca, size: str):
        namespace = ["unshare", "--user", "--map-root-user", "--mount"]
        if subprocess.run([*namespace, "true"], capture_output=True).returncode:
            pytest.skip("no mount namespace")
        inside = hca.folder / "disk"
        inside.mkdir()
        script = 'mount -t tmpfs -o size="$1" none "$2" && echo mounted && exec sleep infinity'
        self._holder = hca.start([*namespace, "sh", "-c", script, "sh", size, inside], preload=False)
        self._holder.until_says("mounted")
        self._inside = inside
        self.path = Path(f"/proc/{self._holder.pid}/root{inside}")

    def resize(self, size: str) -> None:
        subprocess.run(["nsenter", "--user", "--mount", "--preserve-credentials", "--target", str(self._holder.pid),
                        "mount", "-o", f"remount,size={size}", self._inside], check=True)
