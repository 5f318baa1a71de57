# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""A browser without a screen. chromium-headless-shell is enough, the smallest package of one in Debian 12."""

import shutil
import subprocess
from pathlib import Path

from harness.installed import need
from harness.programs import GUARD

DARK, LIGHT = (f"--blink-settings=preferredColorScheme={number}" for number in (0, 1))


def browser(folder: Path, *options: object) -> str:
    """Runs the browser on its options; what it writes."""
    program, mode = "chromium-headless-shell", "--headless"
    if not shutil.which(program):
        program, mode = "chromium", "--headless=new"
    need(program)
    ended = subprocess.run(
        [program, mode, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--allow-file-access-from-files", f"--user-data-dir={folder}/chromium", "--virtual-time-budget=5000",
         *map(str, options)],
        capture_output=True, text=True, timeout=GUARD)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout
